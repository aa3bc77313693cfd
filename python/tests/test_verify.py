"""verify, audit and diff: the verdicts are those of the program in each scenario."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import truesum
from conftest import Run

Make = Callable[[Path, dict[str, bytes]], list[Path]]


def manifest_text(files: dict[str, bytes], names: list[str] | None = None) -> str:
    chosen = files if names is None else {name: files[name] for name in names}
    return "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in chosen.items())


def manifest(root: Path, text: str, name: str = "SHA256SUMS") -> list[Path]:
    (root / name).write_text(text)
    return [root / name]


def good(root: Path, files: dict[str, bytes]) -> list[Path]:
    return manifest(root, manifest_text(files))


def differs(root: Path, files: dict[str, bytes]) -> list[Path]:
    (root / "4096").write_bytes(b"other")
    return good(root, files)


def missing(root: Path, files: dict[str, bytes]) -> list[Path]:
    (root / "one").unlink()
    return good(root, files)


def unreadable(root: Path, files: dict[str, bytes]) -> list[Path]:
    (root / "one").unlink()
    (root / "one").mkdir()
    return good(root, files)


def malformed(root: Path, files: dict[str, bytes]) -> list[Path]:
    return manifest(root, manifest_text(files) + "0123  short\n")


def nothing(root: Path, files: dict[str, bytes]) -> list[Path]:
    return manifest(root, "")


def unread(root: Path, files: dict[str, bytes]) -> list[Path]:
    return [*good(root, files), root / "missing.sha256"]


def outside(root: Path, files: dict[str, bytes]) -> list[Path]:
    return manifest(root, f"{hashlib.sha256(b'').hexdigest()}  ../outside\n{manifest_text(files)}")


def two(root: Path, files: dict[str, bytes]) -> list[Path]:
    half = manifest(root, manifest_text(files, ["one"]))
    return [*half, *manifest(root, f"MD5 (empty) = {hashlib.md5(b'').hexdigest()}\n", "empty.md5")]


def weak(root: Path, files: dict[str, bytes]) -> list[Path]:
    return manifest(root, f"{files['one'][0]:08x}  one\n", "sums")


def binary(root: Path, files: dict[str, bytes]) -> list[Path]:
    (root / "bytes").write_bytes(os.urandom(5000))
    return [root / "bytes"]


SCENARIOS: list[Make] = [
    good, differs, missing, unreadable, malformed, nothing, unread, outside, two, weak, binary,
]  # fmt: skip
OPTIONS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"ignore_missing": True}, ["--ignore-missing"]),
    ({"lenient": True}, ["--lenient"]),
    ({"exact": True}, ["--exact"]),
    ({"algorithms": "md5"}, ["-a", "md5"]),
    ({"threads": 1}, ["-j", "1"]),
]


@pytest.mark.parametrize("make", SCENARIOS)
def test_verdict_agrees_with_the_program(make: Make, tmp_path: Path, files: dict[str, bytes], run: Run) -> None:
    names = make(tmp_path, files)
    for keywords, options in OPTIONS:
        outcomes: list[truesum.Outcome] = []
        report = truesum.verify(names, callback=outcomes.append, **keywords)
        result = run("check", "--json", *options, *names)
        assert report.exit_status == result.returncode, (options, report, result.stdout, result.stderr)
        assert bool(report) == report.ok == (report.verdict == "verified")
        objects = [json.loads(line) for line in result.stdout.splitlines()]
        expected = {line["path"]: line["verdict"] for line in objects if line["kind"] == "entry"}
        actual = {outcome.name: outcome.verdict for outcome in outcomes if outcome.verdict != "ignored"}
        assert actual == expected, options
        assert report.verified == sum(outcome.verdict == "verified" for outcome in outcomes)
        assert len(report.failures) == sum(o.verdict not in ("verified", "ignored") for o in outcomes)
        assert report.unread == len(report.errors)


def test_report_attributes(tmp_path: Path, files: dict[str, bytes]) -> None:
    names = differs(tmp_path, files)
    report = truesum.verify(names[0])
    (failure,) = report.failures
    assert failure.path == "4096" and failure.verdict == "mismatch"
    assert failure.expected["sha256"] == hashlib.sha256(files["4096"]).hexdigest()
    assert failure.digests["sha256"] == failure.hexdigest() == hashlib.sha256(b"other").hexdigest()
    assert report.counts()["mismatched"] == report.mismatched == 1
    assert report.entries == len(files) and report.files == len(files)
    assert "failed" in repr(report)
    (tmp_path / "new").write_bytes(b"")
    assert truesum.verify(names, exact=True).unlisted_names == ["new"]
    malformed_report = truesum.verify(malformed(tmp_path, files))
    assert len(malformed_report.malformed_lines) == malformed_report.malformed == 1
    report_of_missing = truesum.verify(tmp_path / "no such manifest")
    assert isinstance(report_of_missing.errors[0], FileNotFoundError) and report_of_missing.verdict == "nothing-verified"
    with pytest.raises(ValueError, match="unknown format"):
        truesum.verify(names, format="gnus")


def test_names_are_resolved_below_another_root(tmp_path: Path, files: dict[str, bytes]) -> None:
    other_folder = tmp_path / "lists"
    other_folder.mkdir()
    names = manifest(other_folder, manifest_text(files))
    assert not truesum.verify(names)
    assert truesum.verify(names, tmp_path)
    assert truesum.verify([str(names[0])], root=bytes(tmp_path))


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    name = b"\xff\xfe"
    with open(bytes(tmp_path) + b"/" + name, "wb") as file:
        file.write(b"x")
    (tmp_path / "SHA256SUMS").write_bytes(hashlib.sha256(b"x").hexdigest().encode() + b"  " + name + b"\n")
    seen: list[str] = []
    assert truesum.verify(tmp_path / "SHA256SUMS", callback=lambda outcome: seen.append(outcome.path))
    assert seen == [os.fsdecode(name)]


def keyed(tmp_path: Path) -> Path:
    (tmp_path / "one").write_bytes(b"x")
    digest = truesum.new("hmac-sha256", b"x", key=b"secret").hexdigest()
    (tmp_path / "keyed").write_text(f"HMAC-SHA256 (one) = {digest}\n")
    return tmp_path / "keyed"


def test_keyed_digests_need_their_key(tmp_path: Path) -> None:
    path = keyed(tmp_path)
    assert truesum.verify(path).verdict == "nothing-verified"
    assert truesum.verify(path, key=b"secret").ok
    assert truesum.verify(path, key=b"other").verdict == "failed"


def test_audit_and_diff_agree_with_the_program(tmp_path: Path, files: dict[str, bytes], run: Run) -> None:
    (path,) = good(tmp_path, files)
    assert truesum.audit(path) and run("audit", path).returncode == 0
    (tmp_path / "one").rename(tmp_path / "uno")
    (tmp_path / "63").unlink()
    (tmp_path / "fresh").write_bytes(b"fresh")
    findings: list[truesum.Finding] = []
    report = truesum.audit(path, callback=findings.append)
    result = run("audit", "--json", path)
    objects = [json.loads(line) for line in result.stdout.splitlines()]
    assert not report and report.verdict == "different" and result.returncode == 1
    actual = {finding.name: finding.standing for finding in findings}
    assert actual["uno"] == "moved" and actual["63"] == "missing" and actual["fresh"] == "new"
    spellings = {"ok": "same"}
    expected = {line["path"]: line["standing"] for line in objects if line["kind"] == "file"}
    assert {name: spellings.get(status, status) for name, status in expected.items()} == actual
    assert next(f for f in findings if f.name == "uno").origin == "one"
    assert report.counts()["moved"] == 1
    other = tmp_path / "other"
    other.mkdir()
    (other / "a").write_bytes(b"a")
    assert truesum.diff(other, other).verdict == "equal"
    assert truesum.diff(path, other).verdict == "different"
    assert truesum.diff(path, tmp_path / "none").verdict != "equal"


def join_verifications() -> None:
    """Checks that no thread of `iter_verify` is left."""
    for thread in threading.enumerate():
        if thread.name == "truesum.verification":
            thread.join(10)
            assert not thread.is_alive()


@pytest.mark.parametrize("make", SCENARIOS)
def test_iterating_yields_the_outcomes_of_the_callback(make: Make, tmp_path: Path, files: dict[str, bytes]) -> None:
    names = make(tmp_path, files)
    expected: list[truesum.Outcome] = []
    report = truesum.verify(names, callback=expected.append, exact=True)
    check = truesum.iter_verify(names, exact=True)
    assert [(o.name, o.verdict) for o in check] == [(o.name, o.verdict) for o in expected]
    assert list(check) == []
    assert check.report.counts() == report.counts() and check.report.verdict == report.verdict
    # Without iteration.
    assert truesum.iter_verify(names, exact=True).report.counts() == report.counts()
    join_verifications()


def test_more_outcomes_than_the_buffer_holds_keep_their_order(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"x")
    path = tmp_path / "SHA256SUMS"
    lines = [f"{hashlib.sha256(b'x').hexdigest()}  {'./' * (number % 5)}x\n" for number in range(5000)]
    path.write_text("".join(lines))
    names = [outcome.name for outcome in truesum.iter_verify(path)]
    assert names == [line[66:-1] for line in lines]
    # Stopped by the caller while the thread waits for room, and by the collection of the iterator.
    with truesum.iter_verify(path) as check:
        next(check)
    assert list(check) == []
    with pytest.raises(ValueError, match="stopped before its end"):
        print(check.report)
    check = truesum.iter_verify(path)
    next(check)
    del check
    join_verifications()


def test_iteration_stops_within_a_large_file_and_raises_exceptions(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(1 << 40)
    path = tmp_path / "MD5SUMS"
    path.write_text(f"{'0' * 32}  large\n")
    truesum.iter_verify(path).close()

    def fail(done: int) -> None:
        raise KeyError(done)

    with pytest.raises(KeyError):
        list(truesum.iter_verify(path, progress=fail))
    with pytest.raises(ValueError, match="unknown format"):
        print(truesum.iter_verify(path, format="gnus").report)
    join_verifications()
