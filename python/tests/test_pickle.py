"""Pickling: everything that a task in another process takes or returns, and a clear error where that is impossible."""

from __future__ import annotations

import concurrent.futures
import copy
import hashlib
import multiprocessing
import os
import pickle
from pathlib import Path
from typing import Any, TypeVar

import cloudpickle  # type: ignore[import-untyped]
import pytest

import truesum

T = TypeVar("T")


def round_trip(value: T) -> T:
    """Pickles and restores an object, with every protocol."""
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        restored: T = pickle.loads(pickle.dumps(value, protocol))
    assert type(pickle.loads(cloudpickle.dumps(value))) is type(value)
    return restored


def public_values(item: Any) -> dict[str, Any]:
    """Returns all public values of an object, with exceptions as text."""
    names = [name for name in dir(item) if not name.startswith("_")]
    values = {name: getattr(item, name) for name in names}
    return {name: repr(value) for name, value in values.items() if not callable(value)} | {"repr": repr(item)}


def test_constructors_are_pickled_by_name() -> None:
    for constructor in (truesum.sha256, truesum.sha3_256, truesum.shake_128, truesum.xxh3_64, truesum.new):
        assert round_trip(constructor) is constructor
        assert copy.deepcopy(constructor) is constructor


def test_hash_objects_are_pickled_where_the_state_can_be_saved(tmp_path: Path) -> None:
    for size in (0, 64, 65, 100_000):
        for name in ("sha256", "sha512", "md5", "blake2b-160"):
            hash = truesum.new(name, bytes(size))
            restored = round_trip(hash)
            hash.update(b"more")
            restored.update(b"more")
            assert restored.digest() == hash.digest() == truesum.new(name, bytes(size) + b"more").digest()
            assert copy.deepcopy(restored).digest() == hash.digest()
    (tmp_path / "file").write_bytes(b"abc")
    found = round_trip(truesum.file_digest(tmp_path / "file", "blake3"))
    assert found.name == "blake3" and found.digest() == truesum.blake3(b"abc").digest()
    secret = b"not to be stored"
    for unsaved in (truesum.blake3(bytes(5000)), truesum.blake2b(key=secret), truesum.new("hmac-sha256", key=secret)):
        with pytest.raises(TypeError, match=r"send its digest\(\) or the data"):
            pickle.dumps(unsaved)


def test_outcomes_and_reports_keep_all_values(tmp_path: Path) -> None:
    (tmp_path / "good").write_bytes(b"x")
    (tmp_path / "bad").write_bytes(b"x")
    os.mkfifo(tmp_path / "pipe")
    lines = [f"{hashlib.md5(data).hexdigest()}  {name}\n" for name, data in (("good", b"x"), ("bad", b"y"), ("none", b""))]
    (tmp_path / "MD5SUMS").write_text("".join([*lines, f"{'0' * 32}  pipe\n", "malformed\n"]))
    names: list[Path | bytes] = [tmp_path / "good", bytes(tmp_path / "none"), tmp_path, tmp_path / "pipe"]
    for outcome in truesum.hash_files(names, ["md5", "s3-etag"]):
        restored = round_trip(outcome)
        assert public_values(restored) == public_values(outcome)
        if outcome.error is not None:
            assert type(restored.error) is type(outcome.error)
            with pytest.raises(type(outcome.error)):
                restored.digest("md5")
    seen: list[truesum.Outcome] = []
    report = truesum.verify([tmp_path / "MD5SUMS", tmp_path / "missing"], callback=seen.append, exact=True)
    restored_report = round_trip(report)
    assert restored_report.counts() == report.counts() and not restored_report
    assert [public_values(failure) for failure in restored_report.failures] == [public_values(failure) for failure in report.failures]
    ours, theirs = public_values(restored_report), public_values(report)
    assert {**ours, "failures": 0} == {**theirs, "failures": 0}
    assert [public_values(round_trip(outcome)) for outcome in seen] == [public_values(outcome) for outcome in seen]


def test_findings_are_pickled(tmp_path: Path) -> None:
    (tmp_path / "new").write_bytes(b"123456789")
    (tmp_path / "SUMS.sfv").write_text("old CBF43926\nnone 00000000\n")
    findings: list[truesum.Finding] = []
    report = truesum.audit(tmp_path / "SUMS.sfv", callback=findings.append)
    restored = round_trip(report)
    assert restored.counts() == report.counts() and public_values(restored) == public_values(report)
    assert [public_values(round_trip(finding)) for finding in findings] == [public_values(finding) for finding in findings]
    assert {finding.standing for finding in findings} >= {"moved", "missing"}


def test_manifests_are_pickled() -> None:
    name = os.fsdecode(b"\xff\n\\")
    made = truesum.Manifest([truesum.Entry(name, {"md5": "0" * 32}, size=1, mtime_ns=-1), truesum.Entry("a", {})], "gnu")
    gentoo = truesum.Manifest.parse(b"DIST a 1 MD5 00000000000000000000000000000000 FOO 00\n")
    lenient = truesum.Manifest.parse(f"nonsense\n{'0' * 32}  a\n".encode(), lenient=True)
    xml = f'''<metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="a"><size>20</size>
        <pieces length="10" type="sha-1"><hash>{"0" * 40}</hash><hash>{"1" * 40}</hash></pieces></file></metalink>'''
    pieces = truesum.Manifest.parse(xml.encode())
    for manifest in (made, gentoo, lenient, pieces):
        restored = round_trip(manifest)
        assert restored.entries == manifest.entries and public_values(restored).keys() == public_values(manifest).keys()
        assert restored.format == manifest.format and restored.malformed_lines == manifest.malformed_lines
    with pytest.raises(truesum.ManifestError, match="the FOO digest"):
        round_trip(gentoo).to_bytes("gnu")


def test_errors_keep_class_and_values(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, kind in ((tmp_path, IsADirectoryError), (tmp_path / "none", FileNotFoundError), (tmp_path / "pipe", truesum.FileError)):
        with pytest.raises(kind) as raised:
            truesum.file_digest(path, "md5")
        restored = pickle.loads(pickle.dumps(raised.value))
        assert type(restored) is kind and restored.errno == raised.value.errno and restored.filename == str(path)
    with pytest.raises(truesum.ManifestError) as malformed:
        truesum.Manifest.parse(b"\0")
    assert str(pickle.loads(pickle.dumps(malformed.value))) == str(malformed.value)


def hash_all(paths: list[Path]) -> list[truesum.Outcome]:
    return list(truesum.hash_files(paths, "md5"))


def apply_to(constructor: Any, data: bytes) -> str:
    return str(constructor(data).hexdigest())


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_process_pool_executor_works(tmp_path: Path, files: dict[str, bytes], method: str) -> None:
    context = multiprocessing.get_context(method)
    paths = [tmp_path / name for name in files] + [tmp_path / "none"]
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as executor:
        outcomes = executor.submit(hash_all, paths)
        digest = executor.submit(truesum.file_digest, str(tmp_path / "one"), truesum.sha256)
        constructed = executor.submit(apply_to, truesum.sha256, b"abc")
        manifest = executor.submit(truesum.hash_tree, tmp_path)
        assert [outcome.digests for outcome in outcomes.result()] == [outcome.digests for outcome in hash_all(paths)]
        assert isinstance(outcomes.result()[-1].error, FileNotFoundError)
        assert digest.result().digest() == hashlib.sha256(b"x").digest()
        assert constructed.result() == hashlib.sha256(b"abc").hexdigest()
        assert manifest.result().entries == truesum.hash_tree(tmp_path).entries
