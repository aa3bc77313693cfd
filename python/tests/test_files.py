"""hash_files: one outcome per file, in order, errors as values, arbitrary bytes in names, early termination."""

from __future__ import annotations

import gc
import hashlib
import os
import pathlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import truesum


def test_outcomes_keep_order_and_given_paths(tmp_path: Path, files: dict[str, bytes]) -> None:
    names: list[str | bytes | Path] = [str(tmp_path / "one"), bytes(tmp_path / "empty"), tmp_path / "4096"]
    names += [tmp_path / name for name in files]
    outcomes = list(truesum.hash_files(names, ["sha256", "md5"]))
    assert [outcome.path for outcome in outcomes] == names
    for outcome in outcomes:
        content = files[Path(outcome.name).name]
        assert outcome.ok and outcome.verdict == "hashed" and outcome.error is None
        assert outcome.size == len(content)
        assert outcome.mtime_ns == os.stat(outcome.path).st_mtime_ns
        assert outcome.digests == {n: hashlib.new(n, content).hexdigest() for n in ("sha256", "md5")}
        assert outcome.digest("md5") == hashlib.md5(content).digest()
        with pytest.raises(ValueError, match="there are 2 digests"):
            outcome.digest()
        with pytest.raises(KeyError):
            outcome.digest("sha1")


def test_failures_are_raised_only_when_a_digest_is_requested(tmp_path: Path, files: dict[str, bytes]) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    given: list[str | Path] = [tmp_path / "none", tmp_path, loop, "/dev/null", tmp_path / "one"]
    outcomes = list(truesum.hash_files(given))
    assert [outcome.verdict for outcome in outcomes] == ["missing", "unreadable", "unreadable", "unreadable", "hashed"]
    missing, folder, looping, device, good = outcomes
    assert isinstance(missing.error, FileNotFoundError) and missing.error.filename == str(tmp_path / "none")
    assert isinstance(folder.error, IsADirectoryError) and "directory" in str(folder.error)
    assert isinstance(looping.error, OSError) and isinstance(device.error, truesum.FileError)
    assert not missing.ok and missing.size is None and missing.digests == {}
    with pytest.raises(FileNotFoundError):
        missing.hexdigest()
    assert good.hexdigest() == hashlib.sha256(b"x").hexdigest()


def test_non_utf8_names_are_accepted(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff\n\xc3\xa4"
    with open(name, "wb") as file:
        file.write(b"abc")
    for given in (name, os.fsdecode(name), pathlib.Path(os.fsdecode(name))):
        (outcome,) = truesum.hash_files([given], "md5")
        assert outcome.path == given and outcome.name == os.fsdecode(name)
        assert outcome.hexdigest() == hashlib.md5(b"abc").hexdigest()


def test_names_may_come_from_any_iterable(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}").write_bytes(b"%d" % number)
    consumed = 0

    def names() -> Iterator[str]:
        nonlocal consumed
        for number in range(20_000):
            consumed += 1
            yield str(tmp_path / f"{number % 20}")

    outcomes = truesum.hash_files(names(), "crc32", threads=2)
    for number, outcome in enumerate(outcomes):
        assert outcome.digest() == truesum.crc32(b"%d" % (number % 20)).digest()
    assert number == consumed - 1 == 19_999
    assert next(outcomes, None) is None
    unordered = truesum.hash_files(names(), "crc32", ordered=False)
    assert sorted(o.digests["crc32"] for o in unordered)[0] < "5"
    assert list(truesum.hash_files([])) == []
    with pytest.raises(ValueError, match="iterable"):
        truesum.hash_files("name")


def test_exceptions_and_invalid_names_of_the_iterable_propagate(tmp_path: Path) -> None:
    def names(invalid: object) -> Iterator[str]:
        yield from [str(tmp_path)] * 3
        if isinstance(invalid, Exception):
            raise invalid
        yield invalid  # type: ignore[misc]

    with pytest.raises(RuntimeError, match="mine"):
        list(truesum.hash_files(names(RuntimeError("mine"))))
    with pytest.raises(TypeError):
        list(truesum.hash_files(names(5)))


def test_stopping_early_does_not_block(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    before = threading.active_count()
    outcomes = truesum.hash_files([path] * 5, "md5")
    outcomes.close()
    assert next(outcomes, None) is None
    with truesum.hash_files([path] * 5, "md5"):
        pass
    abandoned = truesum.hash_files(str(path) for _ in range(100_000))
    del abandoned
    gc.collect()
    assert threading.active_count() == before


def test_threads_sharing_an_iterator_lose_no_outcome(tmp_path: Path, files: dict[str, bytes]) -> None:
    outcomes = truesum.hash_files([tmp_path / "one"] * 5000, "crc32")
    counts, refused = [0, 0], [0, 0]

    def consume(index: int) -> None:
        while True:
            try:
                next(outcomes)
                counts[index] += 1
            except StopIteration:
                return
            except ValueError:
                refused[index] += 1

    threads = [threading.Thread(target=consume, args=(index,)) for index in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counts) == 5000


def test_progress_counts_bytes_while_waiting(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    seen: list[int] = []
    assert [outcome.ok for outcome in truesum.hash_files([path, path], "md5", progress=seen.append)] == [True, True]
    assert seen == sorted(seen) and seen[-1] == 2 << 30 and len(seen) > 2
    (tmp_path / "MD5SUMS").write_text(f"{truesum.file_digest(path, 'md5').hexdigest()}  large\n")
    seen.clear()
    assert truesum.verify(tmp_path / "MD5SUMS", progress=seen.append)
    assert seen[-1] == 1 << 30
