"""truesum.aio: the functions for asyncio, their results, order, cancellation and callbacks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

import truesum
from truesum import aio


def run_and_join(main: Coroutine[Any, Any, None]) -> None:
    """Runs a coroutine and checks that no thread of the package is left."""
    asyncio.run(main)
    for thread in threading.enumerate():
        if thread.name == "truesum.aio":
            thread.join(10)
            assert not thread.is_alive()


def large(folder: Path) -> Path:
    """Creates a sparse file that takes minutes to hash."""
    path = folder / "large"
    with path.open("wb") as file:
        file.truncate(1 << 40)
    return path


def test_results_are_those_of_the_other_functions(tmp_path: Path, files: dict[str, bytes]) -> None:
    async def main() -> None:
        names = [tmp_path / name for name in files]
        assert (await aio.file_digest(names[0], "md5")).digest() == truesum.file_digest(names[0], "md5").digest()
        found = [outcome async for outcome in aio.hash_files(names, ["md5", "crc32"])]
        expected = list(truesum.hash_files(names, ["md5", "crc32"]))
        assert [(outcome.path, outcome.digests) for outcome in found] == [(o.path, o.digests) for o in expected]
        tree = aio.hash_tree(tmp_path, "md5", exclude="one")
        seen = [outcome.name async for outcome in tree]
        manifest = await tree
        assert seen == manifest.keys() == truesum.hash_tree(tmp_path, "md5", exclude="one").keys()
        manifest.write(tmp_path / "SUMS.jsonl")
        (tmp_path / "empty").write_bytes(b"x")
        check = aio.verify(tmp_path / "SUMS.jsonl")
        assert {outcome.name: outcome.verdict async for outcome in check}["empty"] == "mismatch"
        report = await check
        assert (report.verdict, report.mismatched) == ("failed", 1)
        # Without iteration.
        assert (await aio.verify(tmp_path / "SUMS.jsonl")).counts() == report.counts()
        await aio.hash_files(names)

    run_and_join(main())


def test_many_outcomes_keep_their_order_and_are_not_lost(tmp_path: Path) -> None:
    for number in range(10):
        (tmp_path / str(number)).write_bytes(b"%d" % number)

    async def main() -> None:
        count = 0
        async for outcome in aio.hash_files((str(tmp_path / str(number % 10)) for number in range(5000)), "crc32"):
            assert outcome.digest() == truesum.crc32(b"%d" % (count % 10)).digest()
            count += 1
            if count % 500 == 0:
                await asyncio.sleep(0)
        assert count == 5000

    run_and_join(main())


def test_exceptions_are_raised_by_the_waiting_task(tmp_path: Path) -> None:
    def names() -> Any:
        yield tmp_path
        raise KeyError("mine")

    async def main() -> None:
        with pytest.raises(FileNotFoundError):
            await aio.file_digest(tmp_path / "none", "md5")
        with pytest.raises(ValueError, match="unknown algorithm"):
            await aio.verify(tmp_path, algorithms="nope")
        with pytest.raises(KeyError, match="mine"):
            async for outcome in aio.hash_files(names()):
                assert not outcome.ok
        with pytest.raises(ValueError, match="iterable of names"):
            aio.hash_files("name")
        report = aio.verify(tmp_path / "none")
        await report
        with pytest.raises(ValueError, match="already awaited"):
            report.__aiter__()

    run_and_join(main())


def test_canceled_tasks_stop_the_work(tmp_path: Path) -> None:
    path = large(tmp_path)
    (tmp_path / "SUMS").write_text(f"{'0' * 32}  large\n")

    async def digest() -> None:
        await aio.file_digest(path, "md5")

    async def tree() -> None:
        await aio.hash_tree(tmp_path, "md5")

    async def check() -> None:
        await aio.verify(tmp_path / "SUMS")

    async def outcomes() -> None:
        async for _ in aio.hash_files([path, path], "md5"):
            raise AssertionError("it takes minutes")

    async def main() -> None:
        for work in (digest, tree, check, outcomes):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(work(), 0.3)
        # The consumer stops early, while the thread waits for room.
        many = aio.hash_files(tmp_path / "SUMS" for _ in range(50_000))
        async for outcome in many:
            assert outcome.ok
            break
        await many.aclose()

    run_and_join(main())


def test_progress_is_called_in_the_event_loop(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    seen: list[int] = []

    def progress(done: int) -> None:
        assert asyncio.get_running_loop() and threading.current_thread() is threading.main_thread()
        seen.append(done)

    async def main() -> None:
        await aio.file_digest(path, "md5", progress=progress)
        assert seen == sorted(seen) and seen[-1] == 1 << 30

    run_and_join(main())


def test_event_loop_runs_during_the_work(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(1 << 30)

    async def main() -> None:
        iterations = 0
        work = asyncio.ensure_future(aio.file_digest(path, "md5"))
        while not work.done():
            iterations += 1
            await asyncio.sleep(0.001)
        assert (await work).name == "md5" and iterations > 20

    run_and_join(main())
