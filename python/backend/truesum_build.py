"""Build backend for the wheel: builds the program, then calls maturin for the extension and packs the program as a
script.

The program is the one that `cargo build --release --package truesum-cli` builds, not a function in the extension: it has
its own allocator, signal handlers and exit status, starts within a millisecond, and `truesum install-links` works with
it. If it was built before, it is not built again. TRUESUM_PROGRAM names an existing program to pack instead.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import maturin

HERE = Path(__file__).resolve().parent.parent
Settings = Mapping[str, object] | None


def program() -> Path:
    """Returns the path of the program, building it if necessary."""
    if path := os.environ.get("TRUESUM_PROGRAM"):
        return Path(path)
    command = ["cargo", "build", "--release", "--locked", "--package", "truesum-cli", "--bin", "truesum"]
    command += ["--message-format=json-render-diagnostics"]
    built = subprocess.run(command, cwd=HERE.parent, check=True, stdout=subprocess.PIPE, text=True)
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact" and message.get("executable"):
            return Path(message["executable"])
    raise RuntimeError("cargo did not build a program named truesum")


def copy_program() -> None:
    """Copies the program to the folder from which maturin installs scripts."""
    scripts = HERE / "build" / "data" / "scripts"
    scripts.mkdir(parents=True, exist_ok=True)
    shutil.copy(program(), scripts / "truesum")
    (scripts / "truesum").chmod(0o755)


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    copy_program()
    # The best level of the only compression that pip supports; the default is a little worse.
    settings = {"build-args": "--compression-level 9", **(config_settings or {})}
    return maturin.build_wheel(wheel_directory, settings, metadata_directory)


def sources() -> list[Path]:
    """Returns the files that a wheel is built from, relative to the repository."""
    paths = ["Cargo.toml", "Cargo.lock", "LICENSE-APACHE", "LICENSE-MIT", "crates", "python"]
    output = subprocess.run(["git", "ls-files", "-z", "--", *paths], cwd=HERE.parent, check=True, stdout=subprocess.PIPE).stdout
    return sorted(Path(os.fsdecode(name)) for name in output.split(b"\0") if name)


def relocate_pyproject(text: str) -> str:
    """Returns pyproject.toml for the folder above, because a source archive must have it there."""
    for old, new in (
        ('backend-path = ["backend"]', 'backend-path = ["python/backend"]'),
        ('readme = "README.md"', 'readme = "python/README.md"'),
        ('data = "build/data"', 'data = "python/build/data"\nmanifest-path = "python/Cargo.toml"\npython-source = "python"'),
        # Files of the package are included anyway.
        ('include = ["truesum/py.typed", "truesum/*.pyi"]\n', ""),
    ):
        if text.count(old) != 1:
            raise RuntimeError(f"pyproject.toml: expected one line {old}")
        text = text.replace(old, new)
    return text


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Packs the sources of the program and of the extension. This needs a clone of the repository."""
    with tempfile.TemporaryDirectory() as folder:
        metadata = Path(folder, prepare_metadata_for_build_wheel(folder), "METADATA").read_bytes()
    version = next(line.split()[1] for line in metadata.decode().splitlines() if line.startswith("Version: "))
    name = f"truesum-{version}"
    mtime = int(os.environ.get("SOURCE_DATE_EPOCH", "0")) or int(time.time())
    with tarfile.open(Path(sdist_directory, f"{name}.tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:

        def add(path: str, data: bytes, mode: int = 0o644) -> None:
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size, entry.mode, entry.mtime = len(data), mode, mtime
            archive.addfile(entry, io.BytesIO(data))

        add("PKG-INFO", metadata)
        add("pyproject.toml", relocate_pyproject((HERE / "pyproject.toml").read_text()).encode())
        for path in sources():
            file = HERE.parent / path
            add(path.as_posix(), file.read_bytes(), file.stat().st_mode & 0o777)
    return f"{name}.tar.gz"


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:
    return []


def get_requires_for_build_sdist(config_settings: Settings = None) -> list[str]:
    return []


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    (HERE / "build" / "data").mkdir(parents=True, exist_ok=True)
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings)
