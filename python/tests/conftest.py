"""Fixtures for all tests: the program from the wheel, and a folder of files with known contents."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from truesum.__main__ import program

Run = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture(scope="session")
def run() -> Run:
    """Runs the program from the wheel."""
    path = program()

    def run(*arguments: str | bytes | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([path, *arguments], cwd=cwd, capture_output=True, check=False, timeout=60)

    return run


@pytest.fixture
def files(tmp_path: Path) -> dict[str, bytes]:
    """Creates files in tmp_path, keyed by name: empty, a few bytes, and around the sizes where reading switches
    strategy."""
    made = {"empty": b"", "one": b"x", "with blank": b"123456789"}
    made |= {f"{size}": (b"%d " % size * size)[:size] for size in (63, 4096, 65_537, 1_048_577)}
    for name, content in made.items():
        (tmp_path / name).write_bytes(content)
    return made
