"""Compares every algorithm that hashlib also has: lengths, splits, copies, kinds of buffers."""

from __future__ import annotations

import array
import copy
import gc
import hashlib
import hmac
import inspect
import io
import mmap
import os
import pickle
import random
import sys
import threading
import zlib
from pathlib import Path
from typing import Any

import numpy
import pytest

import truesum

OURS = {name: name.replace("_", "-") for name in hashlib.algorithms_available}
OURS |= {"shake_128": "shake128", "shake_256": "shake256", "sha512_224": "sha512-224", "sha512_256": "sha512-256"}


def hashlib_digest(name: str, data: bytes) -> bytes | None:
    """Returns hashlib's digest, or None if its OpenSSL rejects the algorithm."""
    try:
        found = hashlib.new(name, data)
    except ValueError:
        return None
    extendable = getattr(hashlib, name)(data) if name.startswith("shake") else None
    return extendable.digest(16 if name.endswith("128") else 32) if extendable else found.digest()


SHARED_NAMES = sorted(name for name in hashlib.algorithms_available if hashlib_digest(name, b"") is not None)
LENGTHS = [0, 1, 3, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 135, 136, 2047, 2048, 2049, 65_536, 1_000_003]


def test_guaranteed_hashlib_algorithms_are_available() -> None:
    for name in hashlib.algorithms_guaranteed:
        assert truesum.new(name, b"").digest_size
        assert truesum.file_digest(io.BytesIO(b"abc"), getattr(hashlib, name)) is not None
        assert name in truesum.algorithms_available and callable(getattr(truesum, name))


def test_new_accepts_every_available_name() -> None:
    assert truesum.algorithms_guaranteed < truesum.algorithms_available
    for name in truesum.algorithms_available:
        if not truesum.algorithm(name)["needs_key"]:
            assert truesum.new(name).digest_size, name
    for alias, name in (("shake_128", "shake128"), ("xxh3_64", "xxh3"), ("xxh3_128", "xxh128"), ("sha512_256", "sha512-256")):
        assert alias in truesum.algorithms_available
        assert getattr(truesum, alias)(b"x").digest() == truesum.new(name, b"x").digest()
        assert getattr(truesum, alias).__name__ == alias


@pytest.mark.parametrize("name", SHARED_NAMES)
def test_digests_match_hashlib(name: str) -> None:
    source = random.Random(name)
    for length in LENGTHS:
        data = source.randbytes(length)
        expected = hashlib_digest(name, data)
        assert truesum.new(name, data).digest(len(expected or b"")) == expected, length
        split = truesum.new(name)
        position = 0
        while position < length:
            step = source.choice([1, 63, 64, 65, 5000, 300_000])
            split.update(memoryview(data)[position : position + step] if position % 2 else bytearray(data[position : position + step]))
            position += step
        assert split.hexdigest(len(expected or b"")) == (expected or b"").hex(), length


@pytest.mark.parametrize("name", [name for name in SHARED_NAMES if not name.startswith("shake")])
def test_attributes_match_hashlib(name: str) -> None:
    mine, other = truesum.new(name), hashlib.new(name)
    assert mine.digest_size == other.digest_size
    if name != "md5-sha1":
        assert mine.block_size == other.block_size
    assert truesum.new(mine.name).name == mine.name


def test_extendable_output_has_any_length() -> None:
    for length in (1, 16, 17, 168, 169, 5000):
        assert truesum.shake128(b"abc").digest(length) == hashlib.shake_128(b"abc").digest(length)
    with pytest.raises(ValueError, match="32 bytes"):
        truesum.sha256(b"").digest(16)
    with pytest.raises(ValueError, match="not a valid digest length"):
        truesum.shake128(b"").digest(0)


def test_parameters_match_hashlib() -> None:
    for size in (1, 20, 64):
        assert truesum.blake2b(b"abc", digest_size=size).digest() == hashlib.blake2b(b"abc", digest_size=size).digest()
    for key in (b"", b"k", b"k" * 64):
        assert truesum.blake2b(b"abc", key=key).digest() == hashlib.blake2b(b"abc", key=key).digest()
    assert truesum.sha1(b"abc", usedforsecurity=False).hexdigest() == hashlib.sha1(b"abc").hexdigest()
    with pytest.raises(TypeError, match="unknown parameter"):
        truesum.sha256(b"", salt=b"")
    with pytest.raises(ValueError, match="takes no key"):
        truesum.sha256(b"", key=b"k")
    with pytest.raises(ValueError, match="needs a key"):
        truesum.new("hmac-sha256")
    with pytest.raises(ValueError, match="unknown algorithm 'sha257'"):
        truesum.new("sha257")


def test_salt_and_personalization_match_hashlib() -> None:
    for salt, person in ((b"", b""), (b"s", b""), (b"", b"person"), (b"12345678", b"\0x\0")):
        for key in (b"", b"key"):
            for mine, other in ((truesum.blake2b, hashlib.blake2b), (truesum.blake2s, hashlib.blake2s)):
                for data in (b"", b"abc", bytes(1000)):
                    found = mine(data, digest_size=20, salt=salt, person=person, key=key)
                    assert found.digest() == other(data, digest_size=20, salt=salt, person=person, key=key).digest()
    assert truesum.blake2b(b"x", salt=b"s" * 16).digest() == hashlib.blake2b(b"x", salt=b"s" * 16).digest()
    invalid: list[dict[str, Any]] = [{"salt": b"s" * 17}, {"person": b"p" * 17}]
    for parameters in invalid:
        with pytest.raises(ValueError, match="must not be longer than 16 bytes"):
            truesum.blake2b(b"", **parameters)
    # The parameters for trees, with the values that describe a single message.
    plain: Any = truesum.blake2b
    single_message = {"fanout": 1, "depth": 1, "leaf_size": 0, "node_offset": 0, "node_depth": 0, "inner_size": 0, "last_node": False}
    assert plain(b"x", **single_message).digest() == hashlib.blake2b(b"x").digest()
    for name in single_message:
        with pytest.raises(TypeError, match="use hashlib.blake2b"):
            plain(b"", **{name: 2})
    # The state that is saved contains no salt.
    salted = truesum.blake2b(b"x" * 200, salt=b"s")
    assert salted.copy().digest() == salted.digest()
    with pytest.raises(TypeError, match="cannot pickle"):
        pickle.dumps(salted)


def test_names_are_those_of_hashlib() -> None:
    for name in SHARED_NAMES:
        assert truesum.new(name).name == hashlib.new(name).name
    assert hmac.new(b"k", b"m", truesum.sha3_256).name == "hmac-sha3_256"
    assert truesum.new("sha3-256").name == "sha3_256" and truesum.new("crc32").name == "crc32"
    assert truesum.blake2b(digest_size=20).name == "blake2b-160"


def test_blake3_matches_its_package() -> None:
    blake3 = pytest.importorskip("blake3").blake3
    key = b"k" * 32
    for data in (b"", b"abc", bytes(5000)):
        assert truesum.blake3(data, key=key).digest() == blake3(data, key=key).digest()
        derived = blake3(data, derive_key_context="context").digest()
        assert truesum.blake3(data, derive_key_context="context").digest() == derived
        assert truesum.blake3(data, context="context").digest() == derived
        for length, seek in ((10, 0), (10, 3), (100, 1000), (32, 1 << 60)):
            assert truesum.blake3(data).digest(length=length, seek=seek) == blake3(data).digest(length=length, seek=seek)
            assert truesum.blake3(data).hexdigest(length, seek=seek) == blake3(data).hexdigest(length, seek=seek)
    with pytest.raises(ValueError, match="only the output of blake3"):
        truesum.shake_128(b"").digest(4, seek=1)
    with pytest.raises(ValueError, match="position"):
        truesum.blake3().digest(2, seek=(1 << 64) - 1)


def test_xxhash_matches_its_package() -> None:
    xxhash = pytest.importorskip("xxhash")
    for name in ("xxh32", "xxh64", "xxh3_64", "xxh3_128", "xxh128"):
        mine, other = getattr(truesum, name), getattr(xxhash, name)
        for data in (b"", b"abc", bytes(range(256)) * 5):
            assert mine(data).intdigest() == other(data).intdigest()
            assert mine(data, 7).hexdigest() == other(data, 7).hexdigest() == mine(data, seed=7).hexdigest()
        again = mine(b"abc", 5)
        again.reset()
        assert again.digest() == other(b"", 5).digest()
        with pytest.raises(TypeError, match="the seed was given twice"):
            mine(b"", 1, seed=1)
        with pytest.raises(TypeError, match="takes one message"):
            mine(b"", 1, 2)


def test_keyed_digests_match_hmac() -> None:
    for name in ("md5", "sha1", "sha256", "sha3-256"):
        for key in (b"", b"k", b"k" * 200):
            expected = hmac.new(key, b"abc", name.replace("-", "_")).hexdigest()
            if key:
                assert truesum.new(f"hmac-{name}", b"abc", key=key).hexdigest() == expected


def test_copies_are_independent() -> None:
    for name in sorted(truesum.algorithms_guaranteed):
        if truesum.algorithm(name)["needs_key"]:
            continue
        first = truesum.new(name, b"1234")
        for second in (first.copy(), copy.copy(first)):
            second.update(b"56789")
            assert second.digest() == truesum.new(name, b"123456789").digest(), name
            assert second.digest() == second.digest(), name
        assert first.digest() == truesum.new(name, b"1234").digest(), name


def test_every_algorithm_has_a_constructor() -> None:
    for name in truesum.algorithms_guaranteed:
        if truesum.algorithm(name)["needs_key"]:
            continue
        constructor = getattr(truesum, name.replace("-", "_"))
        assert constructor(b"123456789").digest() == truesum.new(name, b"123456789").digest()
        assert truesum.new(constructor().name).digest() == constructor().digest()
        assert constructor.__doc__


def test_constructors_accept_ordinary_arguments() -> None:
    class Bytes(bytes):
        pass

    message = b"abc" * 5
    expected = hashlib.sha256(message).digest()
    kinds: list[bytes | bytearray | memoryview] = [message, Bytes(message), bytearray(message), memoryview(message)]
    assert {truesum.sha256(kind).digest() for kind in kinds} == {expected}
    assert truesum.sha256(message, usedforsecurity=True).digest() == truesum.sha256(*[message], **{}).digest() == expected
    assert truesum.blake2b(key=b"k", digest_size=20).digest() == hashlib.blake2b(key=b"k", digest_size=20).digest()
    assert list(map(truesum.crc32, [b"a", b"b"]))[1].digest() == truesum.crc32(b"b").digest()
    invalid_arguments: list[tuple[Any, ...]] = [(b"a", b"b"), (b"",) * 9, ("text",), (5,)]
    for arguments in invalid_arguments:
        with pytest.raises(TypeError):
            truesum.sha256(*arguments)
    with pytest.raises(TypeError, match="takes one message, not 2"):
        truesum.sha3_256(*[b"a", b"b"])
    assert truesum.sha256(data=message).digest() == truesum.sha256(string=bytearray(message)).digest() == expected
    assert truesum.new(name="sha256", data=message).digest() == truesum.new("sha256", string=message).digest() == expected
    with pytest.raises(TypeError, match="given twice"):
        truesum.sha256(b"", data=b"")  # type: ignore[misc]
    with pytest.raises(TypeError, match="given twice"):
        truesum.sha256(string=b"", data=b"")
    with pytest.raises(TypeError, match="given twice"):
        truesum.new("sha256", b"", string=b"")
    assert (truesum.sha256.__name__, str(inspect.signature(truesum.sha256))) == ("sha256", "(data=b'', **parameters)")


def test_constructors_leak_no_references() -> None:
    message, key = bytes([1, 2, 3] * 10), bytes([4, 5, 6] * 10)
    counts = [sys.getrefcount(given) for given in (message, key, truesum.blake2b)]
    for _ in range(100):
        truesum.blake2b(message)
        truesum.blake2b(message, key=key).digest()
        for unknown in ({"seed": message}, {"digest_size": message}):
            with pytest.raises(TypeError):
                truesum.blake2b(message, **unknown)  # type: ignore[arg-type]
    del unknown
    gc.collect()
    assert [sys.getrefcount(given) for given in (message, key, truesum.blake2b)] == counts


def test_constructors_are_thread_safe() -> None:
    messages = [bytes([number]) * number for number in range(200)]
    expected = [hashlib.sha256(message).digest() for message in messages]
    mismatches: list[int] = []

    def call() -> None:
        for _ in range(20):
            if [truesum.sha256(message).digest() for message in messages] != expected:
                mismatches.append(1)

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not mismatches


def test_every_kind_of_buffer_is_accepted(tmp_path: Path) -> None:
    for length in (0, 5, 2047, 2048, 100_001):
        data = random.Random(length).randbytes(length)
        expected = hashlib.sha256(data).digest()
        for buffer in (bytearray(data), memoryview(data), memoryview(bytearray(data)), array.array("B", data)):
            assert truesum.sha256(buffer).digest() == expected
        assert truesum.sha256(memoryview(b"##" + data)[2:]).digest() == expected
        assert truesum.sha256(memoryview(bytearray(b"#" + data))[1:]).digest() == expected
    words = array.array("I", range(1000))
    assert truesum.sha256(words).digest() == hashlib.sha256(words).digest()
    path = tmp_path / "mapped"
    path.write_bytes(b"m" * 10_000)
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        assert truesum.sha256(mapped).digest() == hashlib.sha256(b"m" * 10_000).digest()
    for refused in ("text", 5, None.__class__, [1]):
        with pytest.raises(TypeError):
            truesum.new("sha256").update(refused)  # type: ignore[arg-type]
    with pytest.raises(BufferError):
        truesum.sha256(memoryview(bytes(100))[::2])


def test_numpy_arrays_are_hashed_as_by_hashlib() -> None:
    arrays: list[Any] = [
        numpy.array(["2020-01-01"], dtype="M8[ns]"),
        numpy.datetime64("2020-01-01"),
        numpy.array([1], dtype="m8[s]"),
        numpy.zeros(2, dtype=[("a", "i4"), ("d", "M8[D]")]),
        numpy.array(3),
        numpy.float64(1),
        numpy.arange(3, dtype=">i4"),
        numpy.array(["abc"]),
        numpy.zeros((3, 4)),
        numpy.zeros((0, 3)),
    ]
    for array_like in arrays:
        assert truesum.sha256(array_like).digest() == hashlib.sha256(array_like).digest(), array_like
    grid = numpy.arange(12).reshape(3, 4)
    not_contiguous: list[Any] = [grid.T, grid[:, ::2], numpy.asfortranarray(grid)]
    for view in not_contiguous:
        with pytest.raises(BufferError, match="contiguous"):
            truesum.sha256(view)


def test_integer_digest_and_reset() -> None:
    assert truesum.crc32(b"123456789").intdigest() == zlib.crc32(b"123456789")
    hash = truesum.xxh64(b"x" * 1000, seed=5)
    assert hash.intdigest() == int(hash.hexdigest(), 16)
    hash.reset()
    assert hash.digest() == truesum.xxh64(seed=5).digest()


def test_shared_object_loses_no_update() -> None:
    for size in (100, 5000):
        shared = truesum.crc32()
        piece = bytes(size)

        def add(shared: truesum.Hash = shared, piece: bytes = piece) -> None:
            for _ in range(200):
                shared.update(piece)

        threads = [threading.Thread(target=add) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert shared.digest() == truesum.crc32(bytes(size * 200 * 8)).digest()


def test_concurrently_modified_buffer_is_safe() -> None:
    data = bytearray(8 << 20)
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            data[:] = bytes([data[0] ^ 0xFF]) * len(data)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        digests = {truesum.blake3(data).digest() for _ in range(5)}
    finally:
        stop.set()
        writer.join()
    assert all(len(digest) == 32 for digest in digests)


def test_hashing_releases_the_gil() -> None:
    data, iterations = bytes(256 << 20), 0
    hashing = threading.Thread(target=lambda: truesum.md5(data).digest())
    hashing.start()
    while hashing.is_alive():
        iterations += 1
    hashing.join()
    assert iterations > 10_000


def test_open_files_are_read_from_their_position(tmp_path: Path) -> None:
    path = tmp_path / "file"
    data = random.Random(1).randbytes(700_000)
    path.write_bytes(data)
    for opened in (path.open("rb"), path.open("rb", buffering=0), io.BytesIO(data)):
        with opened as file:
            assert truesum.file_digest(file, "sha256").digest() == hashlib.sha256(data).digest()
    with path.open("rb") as file:
        file.seek(5)
        assert truesum.file_digest(file, truesum.md5).digest() == hashlib.md5(data[5:]).digest()
    stream = io.BytesIO(data)
    stream.seek(7)
    assert truesum.file_digest(stream, "md5").digest() == hashlib.md5(data[7:]).digest()
    with path.open() as text, pytest.raises(ValueError, match="binary"):
        truesum.file_digest(text, "md5")
    added = truesum.file_digest(io.BytesIO(b"ab"), "md5")
    added.update(b"c")
    assert added.digest() == hashlib.md5(b"abc").digest()


def test_file_digest_accepts_constructors_and_descriptors(tmp_path: Path) -> None:
    path = tmp_path / "file"
    data = random.Random(3).randbytes(300_000)
    path.write_bytes(data)

    def small_digest() -> Any:
        return hashlib.blake2b(digest_size=20)

    for digest in (truesum.sha256, hashlib.sha256, hashlib.sha3_256, hashlib.shake_128, small_digest, hashlib.md5):
        found = truesum.file_digest(fileobj=path, digest=digest)
        assert found.digest() == truesum.new(found.name, data).digest()
    assert truesum.file_digest(path, small_digest).digest() == hashlib.blake2b(data, digest_size=20).digest()
    # A key or the beginning of a message must not be ignored.
    for partial in (lambda: hashlib.blake2b(key=b"k"), lambda: hashlib.md5(b"x"), lambda: truesum.md5(b"x")):
        with pytest.raises(ValueError, match="pass the name"):
            truesum.file_digest(path, partial)
    with pytest.raises(TypeError, match="returns no hash object"):
        truesum.file_digest(path, dict)  # type: ignore[arg-type]
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.lseek(descriptor, 5, os.SEEK_SET)
        assert truesum.file_digest(descriptor, "md5").digest() == hashlib.md5(data[5:]).digest()
        assert os.fstat(descriptor)
    finally:
        os.close(descriptor)
    with pytest.raises(OSError):
        truesum.file_digest(descriptor, "md5")
    for given in (path, io.BytesIO(data), path.open("rb")):
        seen: list[int] = []
        truesum.file_digest(given, "md5", progress=seen.append)
        assert seen[-1] == len(data) and seen == sorted(seen)
    with pytest.raises(ZeroDivisionError):
        truesum.file_digest(path, "md5", progress=lambda done: done / 0)


def test_file_digest_accepts_a_path(tmp_path: Path) -> None:
    path = tmp_path / "file"
    data = random.Random(2).randbytes(3_000_000)
    path.write_bytes(data)
    for name in (path, str(path), bytes(path)):
        found = truesum.file_digest(name, "blake2b", digest_size=32)
        assert found.digest() == hashlib.blake2b(data, digest_size=32).digest()
        assert found.copy().hexdigest() == found.hexdigest()
        with pytest.raises(ValueError, match="cannot be updated"):
            found.update(b"")
    with pytest.raises(FileNotFoundError) as missing:
        truesum.file_digest(tmp_path / "none", "md5")
    assert missing.value.filename == str(tmp_path / "none")
    with pytest.raises(IsADirectoryError, match="directory"):
        truesum.file_digest(tmp_path, "md5")
    with pytest.raises(ValueError, match="null byte"):
        truesum.file_digest("a\0b", "md5")


class MisbehavingFile(io.RawIOBase):
    """A file object whose return values are wrong."""

    def __init__(self, result: int | None) -> None:
        self.result = result

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object, /) -> int | None:
        return self.result


def test_misbehaving_file_object_gives_no_digest() -> None:
    with pytest.raises(BlockingIOError):
        truesum.file_digest(MisbehavingFile(None), "md5")
    with pytest.raises(ValueError, match="readinto"):
        truesum.file_digest(MisbehavingFile(1 << 30), "md5")
    with pytest.raises(OverflowError):
        truesum.file_digest(MisbehavingFile(-1), "md5")
