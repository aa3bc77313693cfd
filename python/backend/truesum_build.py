"""Builds the wheel: maturin for the extension, and before it the program, which the wheel carries as a script.

The program is the one that `cargo build --release --package truesum` makes, not a function in the extension: it has its own
allocator, signal handlers and exit codes, starts in a millisecond, and links to it (`truesum install-links`) work. So whoever
has built it already pays nothing here. TRUESUM_PROGRAM names one that is to be carried as it is.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import maturin

HERE = Path(__file__).resolve().parent.parent
Settings = Mapping[str, object] | None


def program() -> Path:
    """The program, built if it is not."""
    if given := os.environ.get("TRUESUM_PROGRAM"):
        return Path(given)
    command = ["cargo", "build", "--release", "--locked", "--package", "truesum", "--bin", "truesum"]
    command += ["--message-format=json-render-diagnostics"]
    built = subprocess.run(command, cwd=HERE.parent, check=True, stdout=subprocess.PIPE, text=True)
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact" and message.get("executable"):
            return Path(message["executable"])
    raise RuntimeError("cargo built no program called truesum")


def lay_program() -> None:
    """Puts the program where maturin finds what is to be installed beside python."""
    scripts = HERE / "build" / "data" / "scripts"
    scripts.mkdir(parents=True, exist_ok=True)
    shutil.copy(program(), scripts / "truesum")
    (scripts / "truesum").chmod(0o755)


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    lay_program()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    raise RuntimeError("a source archive of this folder alone builds nothing: take the whole repository, or a wheel")


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return []


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    return []


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    (HERE / "build" / "data").mkdir(parents=True, exist_ok=True)
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings)
