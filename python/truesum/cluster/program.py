"""Runs the command-line program, which makes the plan and writes the manifest from all parts, as in `truesum shard`."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from ..__main__ import program

MAX_LINES = 1000
"""The number of lines of the program's output that are kept."""


class ProgramError(ValueError):
    """The program failed; the message is its output."""


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """The exit status of the program and its output."""

    status: int
    lines: list[str]


def run(arguments: list[str | bytes], names: Iterable[bytes] | None = None) -> ProgramResult:
    """Runs the program with names on its standard input. It is terminated when this process ends."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [program(), *arguments],
            stdin=subprocess.DEVNULL if names is None else subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=output,
        )
        try:
            if names is not None and process.stdin is not None:
                writer = threading.Thread(target=write_names, args=(process.stdin, names), daemon=True)
                writer.start()
            status = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
        output.seek(0)
        lines = [line.decode("utf-8", "replace").rstrip("\n") for line, _ in zip(output, range(MAX_LINES), strict=False)]
    # Hints name options of the program that callers of this module do not have.
    return ProgramResult(status, [line.removeprefix("truesum: ") for line in lines if not line.startswith("hint: ")])


def write_names(pipe: IO[bytes], names: Iterable[bytes]) -> None:
    """Writes names to the program's standard input, one after the other."""
    try:
        with pipe:
            for name in names:
                pipe.write(name + b"\0")
    except BrokenPipeError:
        # The program has exited and reports the reason itself.
        pass


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """The parameters of a plan."""

    algorithms: tuple[str, ...]
    root: str | None = None
    manifest: str | None = None
    partial: bool = False
    bundle_bytes: int = 0
    bundle_files: int = 0


def make_plan(path: str, options: PlanOptions, names: Iterable[bytes]) -> list[str]:
    """Writes a plan and returns descriptions of what it omits, if that is permitted. Raises ProgramError if no plan
    could be made."""
    with suppress(FileNotFoundError):
        # Left behind by a driver that died.
        os.remove(path)
    arguments: list[str | bytes] = ["shard", "plan", "-q", "--die-with-parent", "-o", path]
    arguments += ["-a", ",".join(options.algorithms), "--bundle-bytes", str(options.bundle_bytes)]
    arguments += ["--bundle-files", str(options.bundle_files)]
    if options.root is not None:
        arguments += ["--root", os.fsencode(options.root)]
    if options.manifest is not None:
        arguments += ["--manifest", os.fsencode(options.manifest)]
    else:
        arguments += ["--files0-from", "-"]
    if options.partial:
        arguments.append("--partial")
    result = run(arguments, names if options.manifest is None else None)
    if result.status == 0:
        return []
    if not (options.partial and result.status == 1 and os.path.exists(path)):
        raise ProgramError("\n".join(result.lines) or f"truesum shard plan failed with status {result.status}")
    return result.lines


def merge(plan: str, folder: str, output: str, format: str | None, partial: bool) -> ProgramResult:
    """Checks all parts against the plan and writes the manifest atomically."""
    arguments: list[str | bytes] = ["shard", "merge", "-q", "--die-with-parent", plan, folder, "-o", os.fsencode(output)]
    # The caller has explicitly named the files to read.
    arguments += ["--allow-outside", "--keep-names"]
    arguments += ["-t", format] if format is not None else []
    arguments += ["--partial"] if partial else []
    return run(arguments)
