"""file_digest with URLs, objects of fsspec and files that are open at a position."""

from __future__ import annotations

import gzip
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec  # type: ignore[import-untyped]
import pytest

import truesum

DATA = bytes(range(256)) * 3000


@pytest.fixture
def memory() -> Iterator[Any]:
    """Creates an object in fsspec's memory file system."""
    files = fsspec.filesystem("memory")
    files.pipe("/folder/a", DATA)
    yield files
    files.store.clear()


def test_urls_are_read_with_fsspec(memory: Any, tmp_path: Path) -> None:
    expected = hashlib.sha256(DATA).digest()
    path = tmp_path / "a b"
    path.write_bytes(DATA)
    seen: list[int] = []
    assert truesum.file_digest("memory://folder/a", "sha256", progress=seen.append).digest() == expected
    assert seen[-1] == len(DATA)
    assert truesum.file_digest(f"file://{path}", "sha256").digest() == expected
    assert truesum.file_digest(fsspec.open("memory://folder/a"), truesum.sha256).digest() == expected
    assert truesum.file_digest("simplecache::memory://folder/a", "sha256", storage_options={}).digest() == expected
    memory.pipe("/a.gz", gzip.compress(DATA))
    packed = fsspec.open("memory://a.gz", compression="gzip")
    assert truesum.file_digest(packed, "sha256").digest() == expected
    with pytest.raises(FileNotFoundError):
        truesum.file_digest("memory://folder/none", "sha256")
    with pytest.raises(FileNotFoundError):
        truesum.file_digest(f"file://{path}x", "sha256")
    with pytest.raises(ValueError, match="Protocol not known"):
        truesum.file_digest("nothing://a", "sha256")
    with pytest.raises(ValueError, match="only for URLs"):
        truesum.file_digest(path, "sha256", storage_options={})


def test_open_files_of_fsspec_are_read_from_their_position(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(DATA)
    # The object of a local file also has a path.
    with fsspec.open(f"file://{path}") as file:
        file.read(3)
        assert truesum.file_digest(file, "md5").digest() == hashlib.md5(DATA[3:]).digest()


def test_changed_object_has_no_digest(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    file = type(memory.open("/folder/a"))
    read = file.readinto

    def change(self: Any, buffer: Any) -> Any:
        count = read(self, buffer)
        memory.pipe("/folder/a", DATA[::-1])
        return count

    with monkeypatch.context() as patch:
        patch.setattr(file, "readinto", change, raising=False)
        with pytest.raises(truesum.ChangedError, match="changed while it was read"):
            truesum.file_digest("memory://folder/a", "sha256")
    # A connection that ends early.
    with monkeypatch.context() as patch:
        patch.setattr(file, "readinto", lambda self, buffer: 0, raising=False)
        with pytest.raises(truesum.ChangedError):
            truesum.file_digest("memory://folder/a", "sha256")


def test_missing_fsspec_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(ImportError, match="requires fsspec: pip install fsspec"):
        truesum.file_digest("s3://bucket/key", "sha256")
    with pytest.raises(FileNotFoundError):
        truesum.file_digest(tmp_path / "a:" / "b", "sha256")
