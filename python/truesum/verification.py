"""Verification as an iterator: truesum.iter_verify()."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

from . import _native
from ._native import Outcome, Report

__all__ = ["Verification", "iter_verify"]

BUFFER_SIZE = 1024
"""The number of outcomes that are buffered for the caller."""


class _Stopped(BaseException):
    """Raised in the thread to end the work."""


class _Work:
    """The state shared by the thread and the iterator. The thread does not refer to the iterator, so that an iterator that is no
    longer used is collected, which ends the thread."""

    def __init__(self, progress: Callable[[int], object] | None) -> None:
        self.outcomes: queue.Queue[Outcome | None] = queue.Queue(BUFFER_SIZE)
        self.is_stopped = False
        self.report: Report | None = None
        self.error: BaseException | None = None
        self._progress = progress

    def run(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        """Runs in the thread."""
        try:
            manifest, root = arguments
            self.report = _native.verify(manifest, root, self._on_outcome, progress=self._on_progress, **options)
        except _Stopped:
            pass
        except BaseException as error:
            self.error = error
        # The end, for which a full buffer must have room.
        self._put(None)

    def _on_progress(self, done: int) -> None:
        if self.is_stopped:
            raise _Stopped
        if self._progress is not None:
            self._progress(done)

    def _on_outcome(self, outcome: Outcome) -> None:
        if not self._put(outcome):
            raise _Stopped

    def _put(self, item: Outcome | None) -> bool:
        """Buffers an item, and waits while the buffer is full. Returns False if the work was stopped."""
        while not self.is_stopped:
            try:
                self.outcomes.put(item, timeout=0.1)
                return True
            except queue.Full:
                pass
        return False


class Verification(Iterator[Outcome]):
    """A verification in a thread of its own: yields the outcome of each entry while it runs.

    The outcomes alone do not show that everything was verified: malformed lines and unlisted files are not entries. The
    `report` has the verdict. As a context manager, or with `close()`, the work stops early."""

    def __init__(self, manifest: Any, root: Any, progress: Callable[[int], object] | None, options: dict[str, Any]) -> None:
        self._work = _Work(progress)
        arguments = (manifest, root), options
        self._thread = threading.Thread(target=self._work.run, args=arguments, name="truesum.verification", daemon=True)
        self._thread.start()

    def __next__(self) -> Outcome:
        outcome = self._work.outcomes.get()
        if outcome is not None:
            return outcome
        # The mark of the end stays for further calls.
        self._work.outcomes.put(None)
        self._thread.join()
        if self._work.error is not None:
            raise self._work.error
        raise StopIteration

    @property
    def report(self) -> Report:
        """The report of `verify`. Outcomes that were not yet iterated over are discarded.

        Raises ValueError if the verification was stopped before its end."""
        for _ in self:
            pass
        if self._work.report is None:
            raise ValueError("the verification was stopped before its end and has no report")
        return self._work.report

    def close(self) -> None:
        """Stops the verification, waits until its threads have ended, and discards outcomes not yet iterated over."""
        self._work.is_stopped = True
        self._thread.join()
        self._work.outcomes = queue.Queue()
        self._work.outcomes.put(None)

    def __enter__(self) -> Verification:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if "_work" in self.__dict__:
            self._work.is_stopped = True


def iter_verify(
    manifest: Any, /, root: Any = None, *, progress: Callable[[int], object] | None = None, **options: Any
) -> Verification:
    """Verifies files as truesum.verify(), and yields the outcome of each entry while it runs.

    >>> import os, tempfile, truesum
    >>> folder = tempfile.TemporaryDirectory()
    >>> for name, text in [("a", "123456789"), ("SUMS.sfv", "a CBF43926\\nb 00000000\\n")]:
    ...     with open(os.path.join(folder.name, name), "w") as file:
    ...         _ = file.write(text)
    >>> with truesum.iter_verify(os.path.join(folder.name, "SUMS.sfv")) as check:
    ...     for outcome in check:
    ...         print(outcome.name, outcome.verdict)
    ...     print(check.report.verdict)
    a verified
    b missing
    failed
    >>> folder.cleanup()

    `progress` is called in another thread. The other arguments are those of truesum.verify().
    """
    return Verification(manifest, root, progress, options)
