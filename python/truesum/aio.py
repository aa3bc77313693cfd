"""The functions of truesum for asyncio. Each runs in a thread of its own and leaves the event loop free.

>>> import asyncio, os, tempfile
>>> from truesum import aio
>>> folder = tempfile.TemporaryDirectory()
>>> paths = [os.path.join(folder.name, name) for name in ("a", "b")]
>>> for path in paths:
...     with open(path, "wb") as file:
...         _ = file.write(b"123456789")
>>> async def main():
...     print((await aio.file_digest(paths[0], "crc32")).hexdigest())
...     async for outcome in aio.hash_files(paths, "crc32"):
...         print(os.path.basename(outcome.name), outcome.hexdigest())
...     manifest = await aio.hash_tree(folder.name, "crc32")
...     manifest.write(os.path.join(folder.name, "SUMS.jsonl"))
...     check = aio.verify(os.path.join(folder.name, "SUMS.jsonl"))
...     async for outcome in check:
...         print(outcome.name, outcome.verdict)
...     print((await check).verdict)
>>> asyncio.run(main())
cbf43926
a cbf43926
b cbf43926
a verified
b verified
verified
>>> folder.cleanup()

The arguments are those of the functions of truesum; `progress` is called in the event loop. If the task that waits is
canceled, the work stops within about a tenth of a second, and its threads end before CancelledError is raised.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Generator, Iterable
from typing import Any, Generic, TypeVar, cast

from . import _native
from ._native import Hash, Manifest, Outcome, Report

__all__ = ["Run", "file_digest", "hash_files", "hash_tree", "verify"]

T = TypeVar("T")
BUFFER_SIZE = 1024
"""The number of outcomes that are buffered for the event loop."""


class _Stopped(BaseException):
    """Raised in the thread to end the work."""


class Run(Generic[T]):
    """Work in a thread: `async for` yields the outcome of each file while it runs, and `await` returns the result. If only
    the result is awaited, the outcomes are not kept."""

    def __init__(self, work: Callable[[Callable[[Outcome], object] | None, Callable[[int], object]], T], progress: Any) -> None:
        self._work, self._progress = work, progress
        self._lock = threading.Condition()
        self._ready: deque[Outcome] = deque()
        self._is_stopped = False
        self._is_iterated = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._result: asyncio.Future[T] | None = None
        self._wake = asyncio.Event()

    def _start(self) -> asyncio.Future[T]:
        """Starts the thread with the first wait, when it is known whether the outcomes are wanted."""
        if self._result is None:
            self._loop = asyncio.get_running_loop()
            self._result = self._loop.create_future()
            threading.Thread(target=self._run, name="truesum.aio", daemon=True).start()
        return self._result

    def _run(self) -> None:
        """Runs in the thread."""
        result: Any = None
        error: BaseException | None = None
        try:
            result = self._work(self._on_outcome if self._is_iterated else None, self._on_progress)
        except BaseException as exception:
            error = exception
        self._call(self._finish, result, error)

    def _call(self, function: Callable[..., object], *arguments: object) -> None:
        """Calls a function in the event loop, unless that was closed in the meantime."""
        try:
            cast(asyncio.AbstractEventLoop, self._loop).call_soon_threadsafe(function, *arguments)
        except RuntimeError:
            self._is_stopped = True

    def _finish(self, result: T, error: BaseException | None) -> None:
        """Sets the result, in the event loop."""
        future = cast("asyncio.Future[T]", self._result)
        if future.done():
            pass
        elif error is None:
            future.set_result(result)
        elif isinstance(error, _Stopped):
            future.cancel()
        else:
            future.set_exception(error)
        self._wake.set()

    def _on_progress(self, done: int) -> None:
        """Receives the number of bytes read. Raising an exception ends the work early."""
        if self._is_stopped:
            raise _Stopped
        if self._progress is not None:
            self._call(self._progress, done)

    def _on_outcome(self, outcome: Outcome) -> None:
        """Buffers an outcome, and waits while the buffer is full."""
        with self._lock:
            while len(self._ready) >= BUFFER_SIZE and not self._is_stopped:
                self._lock.wait()
            if self._is_stopped:
                raise _Stopped
            self._ready.append(outcome)
            wake = len(self._ready) == 1
        if wake:
            self._call(self._wake.set)

    async def aclose(self) -> None:
        """Stops the work and waits until its threads have ended."""
        with self._lock:
            self._is_stopped = True
            self._lock.notify_all()
        if self._result is not None and not self._result.done():
            await asyncio.wait([self._result])

    async def _wait(self) -> T:
        """Waits for the result."""
        result = self._start()
        try:
            return await asyncio.shield(result)
        except asyncio.CancelledError:
            await self.aclose()
            raise

    def __await__(self) -> Generator[Any, None, T]:
        return self._wait().__await__()

    def __aiter__(self) -> AsyncIterator[Outcome]:
        if self._result is not None and not self._is_iterated:
            raise ValueError("the result was already awaited: iterate over it before awaiting it")
        self._is_iterated = True
        return self._outcomes()

    async def _outcomes(self) -> AsyncIterator[Outcome]:
        """Yields the outcomes."""
        result = self._start()
        try:
            while True:
                # Cleared first, so that no outcome that arrives after the check is missed.
                self._wake.clear()
                with self._lock:
                    outcomes, self._ready = self._ready, deque()
                    self._lock.notify_all()
                for outcome in outcomes:
                    yield outcome
                if outcomes:
                    continue
                if result.done():
                    # Raises the exception of the work.
                    result.result()
                    return
                await self._wake.wait()
        finally:
            if not result.done():
                await self.aclose()


async def file_digest(fileobj: object, digest: Any, *, progress: Callable[[int], object] | None = None, **parameters: Any) -> Hash:
    """Returns the digest of a file as truesum.file_digest()."""
    return await Run(lambda on_outcome, on_progress: _native.file_digest(fileobj, digest, progress=on_progress, **parameters), progress)


def hash_files(paths: Iterable[Any], /, algorithms: Any = None, *, progress: Callable[[int], object] | None = None, **options: Any) -> Run[None]:
    """Hashes files as truesum.hash_files(), and yields their outcomes. `paths` is consumed in a thread."""
    if isinstance(paths, (str, bytes)):
        raise ValueError("hash_files takes an iterable of names; use file_digest for a single file")

    def work(on_outcome: Callable[[Outcome], object] | None, on_progress: Callable[[int], object]) -> None:
        with _native.hash_files(paths, algorithms, progress=on_progress, **options) as outcomes:
            for outcome in outcomes:
                if on_outcome is not None:
                    on_outcome(outcome)

    return Run(work, progress)


def hash_tree(path: Any, algorithms: Any = None, *, progress: Callable[[int], object] | None = None, **options: Any) -> Run[Manifest]:
    """Hashes a folder as truesum.hash_tree(): yields the outcome of each file, and returns the manifest."""
    return Run(lambda on_outcome, on_progress: _native.hash_tree(path, algorithms, callback=on_outcome, progress=on_progress, **options), progress)


def verify(manifest: Any, /, root: Any = None, *, progress: Callable[[int], object] | None = None, **options: Any) -> Run[Report]:
    """Verifies files as truesum.verify(): yields the outcome of each entry, and returns the report."""
    return Run(lambda on_outcome, on_progress: _native.verify(manifest, root, on_outcome, progress=on_progress, **options), progress)
