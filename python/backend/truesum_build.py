"""Build backend for the wheel: builds the program, then calls maturin for the extension and packs the program as a
script.

The program is the one that `cargo build --release --package truesum-cli` builds, not a function in the extension: it has
its own allocator, signal handlers and exit status, starts within a millisecond, and `truesum install-links` works with
it. If it was built before, it is not built again. TRUESUM_PROGRAM names an existing program to pack instead.
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
    """Returns the path of the program, building it if necessary."""
    if given := os.environ.get("TRUESUM_PROGRAM"):
        return Path(given)
    command = ["cargo", "build", "--release", "--locked", "--package", "truesum-cli", "--bin", "truesum"]
    command += ["--message-format=json-render-diagnostics"]
    built = subprocess.run(command, cwd=HERE.parent, check=True, stdout=subprocess.PIPE, text=True)
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact" and message.get("executable"):
            return Path(message["executable"])
    raise RuntimeError("cargo did not build a program named truesum")


def lay_program() -> None:
    """Copies the program to the folder from which maturin installs scripts."""
    scripts = HERE / "build" / "data" / "scripts"
    scripts.mkdir(parents=True, exist_ok=True)
    shutil.copy(program(), scripts / "truesum")
    (scripts / "truesum").chmod(0o755)


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    lay_program()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    raise RuntimeError("cannot build from a source archive of this folder: use a clone of the repository, or a wheel")


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return []


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    return []


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    (HERE / "build" / "data").mkdir(parents=True, exist_ok=True)
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings)
