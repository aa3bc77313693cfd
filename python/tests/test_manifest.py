"""Manifest: reading, writing and converting; what a format cannot store is an error and never dropped silently."""

from __future__ import annotations

import hashlib
import os
import signal
import threading
from pathlib import Path
from types import FrameType

import pytest

import truesum
from conftest import Run

SHA = hashlib.sha256(b"x").hexdigest()
MD5 = hashlib.md5(b"x").hexdigest()


def test_formats_are_recognized_and_converted(run: Run, tmp_path: Path) -> None:
    entry = truesum.Entry("a b", {"sha256": SHA, "md5": MD5}, size=1, mtime_ns=1_700_000_000_123_456_789)
    manifest = truesum.Manifest([entry])
    assert manifest.format == "jsonl" and len(manifest) == 1
    text = manifest.to_bytes()
    parsed = truesum.Manifest.parse(text)
    assert parsed.entries == [entry] and parsed.format == "jsonl"
    for format in ("bsd", "gnu", "hashdeep", "mtree"):
        with pytest.raises(truesum.ManifestError, match="lossy"):
            truesum.Manifest([entry]).to_bytes("gnu")
        path = tmp_path / "M.jsonl"
        path.write_bytes(text)
        converted = manifest.convert(format, lossy=True)
        assert converted.format == format
        result = run("convert", "--lossy", path, "-t", format)
        assert result.stdout == manifest.to_bytes(format, lossy=True), result.stderr


def test_error_counts_what_a_format_cannot_store() -> None:
    entries = [truesum.Entry(name, {"sha256": SHA}, size=1, mtime_ns=0) for name in "ab"]
    expected = r"cannot store the size \(2 entries\), the modification time \(2 entries\); use lossy=True"
    with pytest.raises(truesum.ManifestError, match=expected):
        truesum.Manifest(entries).to_bytes("gnu")


def test_manifest_is_written_and_read_back(tmp_path: Path, run: Run) -> None:
    (tmp_path / "one").write_bytes(b"x")
    path = tmp_path / "SHA256SUMS"
    truesum.Manifest([truesum.Entry("one", {"sha256": bytes.fromhex(SHA)})], "gnu").write(path)
    assert path.read_text() == f"{SHA}  one\n"
    assert truesum.verify(path)
    assert run("check", path).returncode == 0
    assert [entry.digests for entry in truesum.Manifest.read(path)] == [{"sha256": SHA}]
    # A name that implies a different algorithm would mislead every reader.
    with pytest.raises(truesum.ManifestError):
        truesum.Manifest.read(path).write(tmp_path / "MD5SUMS")
    assert not (tmp_path / "MD5SUMS").exists()
    with pytest.raises(OSError, match="No such file"):
        truesum.Manifest.read(path).write(tmp_path / "none" / "SHA256SUMS")


def test_malformed_lines_are_errors_unless_lenient() -> None:
    text = f"{SHA}  good\nnonsense\n".encode()
    with pytest.raises(truesum.ManifestError, match="line 2"):
        truesum.Manifest.parse(text)
    lenient = truesum.Manifest.parse(text, lenient=True)
    assert len(lenient) == len(lenient.malformed_lines) == 1
    with pytest.raises(FileNotFoundError):
        truesum.Manifest.read("/nonexistent")
    with pytest.raises(ValueError, match="unknown format"):
        truesum.Manifest.parse(text, format="none")
    with pytest.raises(truesum.ManifestError, match="can only be read"):
        truesum.Manifest([], "deb822").to_bytes()


def test_pipe_is_read_to_its_end_and_the_wait_is_interruptible(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(f"{SHA}  a\n".encode()))
    writer.start()
    assert [entry.name for entry in truesum.Manifest.read(pipe)] == ["a"]
    writer.join()

    def handler(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            truesum.Manifest.read(pipe)
    finally:
        signal.signal(signal.SIGALRM, old)


def test_entries_keep_and_validate_their_values() -> None:
    name = os.fsdecode(b"\xff\n\\")
    entry = truesum.Entry(name, {"sha256": SHA})
    assert entry.name == name and entry.name_bytes == b"\xff\n\\"
    assert truesum.Manifest.parse(truesum.Manifest([entry]).to_bytes("gnu")).entries == [entry]
    assert entry != truesum.Entry(name, {"sha256": SHA}, size=1)
    for digests in ({"sha256": MD5}, {"sha256": "x"}, {"none": SHA}):
        with pytest.raises(ValueError):
            truesum.Entry("a", digests)
    with pytest.raises(TypeError):
        truesum.Entry("a", {"sha256": 5})  # type: ignore[dict-item]
    assert truesum.Entry("a", {}, mtime_ns=-1).mtime_ns == -1


def test_algorithm_follows_from_name_or_argument() -> None:
    text = f"{MD5}  a\n".encode()
    assert truesum.Manifest.parse(text).entries[0].digests == {"md5": MD5}
    assert list(truesum.Manifest.parse(text, algorithms=["md4"]).entries[0].digests) == ["md4"]
    assert list(truesum.Manifest.parse(text, name="MD2SUMS").entries[0].digests) == ["md2"]


def test_formats_lists_all_formats() -> None:
    rows = {name: writable for name, writable, _ in truesum.formats()}
    assert rows["gnu"] and not rows["deb822"] and len(rows) > 60


def test_unknown_digests_are_not_dropped_silently() -> None:
    manifest = truesum.Manifest.parse(f"DIST a 1 SHA256 {SHA} FOO 00\n".encode())
    assert manifest.format == "gentoo" and len(manifest) == 1
    with pytest.raises(truesum.ManifestError, match="the FOO digest"):
        manifest.to_bytes("gnu")
    assert manifest.to_bytes("gnu", lossy=True) == f"{SHA}  a\n".encode()
