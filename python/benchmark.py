"""Compares the speed of truesum and hashlib in alternating runs; the result is the median of the ratios, not of the
times.

`python benchmark.py [--files N] [--turns N] [--cpu]` prints a table for the README. --cpu measures processor time,
which other processes on the machine affect less.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import truesum


clock = time.perf_counter


def seconds(call: Callable[[], object]) -> float:
    """Returns the time a call takes."""
    start = clock()
    call()
    return clock() - start


def paired(ours: Callable[[], object], theirs: Callable[[], object], turns: int) -> tuple[float, float, float]:
    """Returns the median times of both and the median of their ratio per pair of runs."""
    ours(), theirs()
    pairs = []
    for turn in range(turns):
        # Alternate which one goes first.
        if turn % 2:
            ours_seconds, theirs_seconds = seconds(ours), seconds(theirs)
        else:
            theirs_seconds, ours_seconds = seconds(theirs), seconds(ours)
        pairs.append((ours_seconds, theirs_seconds))
    ours_times, theirs_times = zip(*pairs, strict=True)
    return statistics.median(ours_times), statistics.median(theirs_times), statistics.median(theirs / ours for ours, theirs in pairs)


def calls(constructor: Callable[[bytes], truesum.Hash] | Callable[[bytes], hashlib._Hash], count: int) -> None:
    """Measures digests of short messages, one call each."""
    message = b"x" * 64
    for _ in range(count):
        constructor(message).digest()


def hash_in_pool(paths: Iterable[str], name: str) -> None:
    """Hashes files in the usual way with hashlib: file_digest in a thread pool."""

    def digest_file(path: str) -> bytes:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, name).digest()

    with ThreadPoolExecutor() as pool:
        list(pool.map(digest_file, paths))


def hash_all(paths: list[str], name: str) -> None:
    for outcome in truesum.hash_files(paths, name):
        outcome.digest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--cpu", action="store_true")
    arguments = parser.parse_args()
    if arguments.cpu:
        global clock
        clock = time.process_time
    data, turns = os.urandom(64 << 20), arguments.turns
    rows: list[tuple[str, tuple[float, float, float]]] = []
    for name in ("sha256", "md5", "sha1", "sha512"):
        ours, theirs = getattr(truesum, name), getattr(hashlib, name)
        medians = paired(lambda o=ours: o(data).digest(), lambda t=theirs: t(data).digest(), turns)  # type: ignore[misc]
        rows.append((f"{name}, 64 MiB in memory", medians))
    for name in ("sha256", "md5"):
        ours, theirs, count = getattr(truesum, name), getattr(hashlib, name), arguments.calls
        medians = paired(lambda o=ours: calls(o, count), lambda t=theirs: calls(t, count), turns)  # type: ignore[misc]
        rows.append((f"{name}, {count:,} calls of 64 bytes", medians))
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number in range(arguments.files):
            path = Path(folder, f"{number}")
            path.write_bytes(data[number : number + 102_400])
            paths.append(str(path))
        # For recently modified files truesum checks for writers; wait until these are old enough.
        time.sleep(3)
        for name in ("md5", "sha256"):
            medians = paired(lambda n=name: hash_all(paths, n), lambda n=name: hash_in_pool(paths, n), turns)  # type: ignore[misc]
            rows.append((f"{name}, {arguments.files:,} files of 100 KiB, ThreadPoolExecutor", medians))
    print("| job | truesum, s | hashlib, s | hashlib / truesum |\n|---|--:|--:|--:|")
    for job, (ours_seconds, theirs_seconds, ratio) in rows:
        print(f"| {job} | {ours_seconds:.3f} | {theirs_seconds:.3f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
