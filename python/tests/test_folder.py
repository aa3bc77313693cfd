"""hash_tree, and manifests as mappings and tables."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import pytest

import truesum


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "sub" / "deep").mkdir(parents=True)
    for name in ("b.txt", "a.jpg", "sub/c.txt", "sub/deep/d.jpg"):
        (root / name).write_bytes(name.encode())
    (root / "link").symlink_to("b.txt")
    os.mkfifo(root / "pipe")
    return root


def test_hash_tree_makes_the_manifest_of_a_folder(folder: Path) -> None:
    names = ["a.jpg", "b.txt", "sub/c.txt", "sub/deep/d.jpg"]
    seen: list[truesum.Outcome] = []
    done: list[int] = []
    for path in (folder, str(folder) + "//", bytes(folder)):
        manifest = truesum.hash_tree(path, ["sha256", "md5"], callback=seen.append, progress=done.append)
        assert sorted(manifest.keys()) == names
    for name in names:
        stat, entry = (folder / name).stat(), manifest[name]
        digests = {kind: hashlib.new(kind, name.encode()).hexdigest() for kind in ("sha256", "md5")}
        assert (entry.size, entry.mtime_ns, entry.digests) == (stat.st_size, stat.st_mtime_ns, digests)
    assert [outcome.name for outcome in seen] == 3 * manifest.keys()
    assert done[-1] == sum(map(len, names))
    manifest.write(folder.parent / "manifest.jsonl")
    assert truesum.verify(folder.parent / "manifest.jsonl", folder)
    assert truesum.hash_tree(folder)["b.txt"].digests.keys() == {"sha256"}


def test_hash_tree_works_in_the_current_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert truesum.hash_tree(".").entries == truesum.hash_tree(folder).entries
    assert truesum.hash_tree("sub").keys() == truesum.hash_tree("./sub/").keys() == ["c.txt", "deep/d.jpg"]


def test_hash_tree_selects_files(folder: Path) -> None:
    assert truesum.hash_tree(folder, include="*.jpg").keys() == ["a.jpg", "sub/deep/d.jpg"]
    assert truesum.hash_tree(folder, include=["*.jpg", "*.txt"], exclude=["deep"]).keys() == ["a.jpg", "b.txt", "sub/c.txt"]
    assert len(truesum.hash_tree(folder, exclude="*")) == 0
    with pytest.raises(ValueError, match="glob"):
        truesum.hash_tree(folder, include="[")


def test_hash_tree_reports_all_errors(folder: Path) -> None:
    # git-blob digests begin with the size, which files in /proc do not have.
    with pytest.raises(ExceptionGroup, match="could not be read") as raised:
        truesum.hash_tree("/proc/self/fdinfo", "git-blob")
    errors = raised.value.exceptions
    assert errors and all(isinstance(error, OSError) and error.filename for error in errors)
    seen: list[OSError] = []
    truesum.hash_tree("/proc/self/fdinfo", "git-blob", on_error=seen.append)
    assert seen

    def refuse(error: OSError) -> None:
        raise error

    with pytest.raises(OSError):
        truesum.hash_tree("/proc/self/fdinfo", "git-blob", on_error=refuse)
    with pytest.raises(FileNotFoundError):
        truesum.hash_tree(folder / "none")
    with pytest.raises(NotADirectoryError):
        truesum.hash_tree(folder / "b.txt")
    with pytest.raises(ZeroDivisionError):
        truesum.hash_tree(folder, callback=lambda _: 1 / 0)


def test_manifest_is_a_mapping() -> None:
    first = truesum.Entry("a", {"crc32": "00000000"}, size=1)
    odd = truesum.Entry(b"\xff", {"md5": "0" * 32})
    manifest = truesum.Manifest([first, odd])
    assert manifest["a"] == manifest[b"a"] == manifest[Path("a")] == manifest.get("a") == first
    assert "a" in manifest and os.fsdecode(b"\xff") in manifest and "b" not in manifest and 5 not in manifest
    assert first in manifest and truesum.Entry("a", {}) not in manifest
    assert manifest.get("b") is None and manifest.get("b", 5) == 5
    with pytest.raises(KeyError, match="'b'"):
        manifest["b"]
    with pytest.raises(TypeError):
        manifest[0]  # type: ignore[index]
    assert list(manifest) == manifest.values() == [first, odd]
    assert dict(manifest.items()) == dict(zip(manifest.keys(), manifest.values(), strict=True))
    twice = truesum.Manifest([first, first])
    assert "a" in twice
    with pytest.raises(ValueError, match="several entries are named a"):
        twice["a"]


def test_manifest_becomes_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    large = (1 << 53) + 1
    manifest = truesum.Manifest([truesum.Entry("a", {"crc32": "0" * 8}, size=large), truesum.Entry("b", {"md5": "1" * 32})])
    rows = manifest.to_dicts()
    assert rows == [
        {"name": "a", "size": large, "mtime_ns": None, "crc32": "0" * 8, "md5": None},
        {"name": "b", "size": None, "mtime_ns": None, "crc32": None, "md5": "1" * 32},
    ]
    assert manifest.to_arrow().to_pylist() == rows
    frame = manifest.to_pandas()
    assert list(frame.columns) == list(rows[0]) and frame["size"][0] == large and frame["size"].isna()[1]
    assert frame["md5"].tolist() == [None, "1" * 32]
    empty = truesum.Manifest([])
    assert empty.to_dicts() == [] and empty.to_arrow().num_rows == len(empty.to_pandas()) == 0
    assert list(empty.to_pandas().columns) == ["name", "size", "mtime_ns"]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError):
        manifest.to_pandas()
