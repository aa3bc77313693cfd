"""The port on `concurrent.futures`: a pool of processes on this machine, or whatever else is an Executor."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Collection
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from queue import Empty, SimpleQueue

from .task import Answer, Died, Done, Event, Failed, Task
from .worker import compute


def pool(processes: int) -> Executor:
    """Processes that begin with nothing of this one: it may have threads."""
    return ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn"))


class FuturesPort:
    """An executor. When a process dies it breaks as a whole; one that `make` makes is made anew, and who was at work is suspected."""

    def __init__(self, executor: Executor | None = None, *, processes: int = 0) -> None:
        processes = processes or len(os.sched_getaffinity(0))
        make: Callable[[], Executor] = lambda: pool(processes)
        self._make = make if executor is None else None
        self._executor = executor or make()
        self._slots = processes if executor is None else int(getattr(executor, "_max_workers", processes))
        self._futures: dict[int, Future[Answer]] = {}
        self._ready: SimpleQueue[int] = SimpleQueue()
        self._next = 0

    def submit(self, task: Task, *, avoid: Collection[str] = (), near: str | None = None) -> int:
        self._next += 1
        id = self._next
        try:
            future = self._executor.submit(compute, task)
        except BrokenExecutor:
            if self._make is None:
                raise
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = self._make()
            future = self._executor.submit(compute, task)
        self._futures[id] = future
        future.add_done_callback(lambda _: self._ready.put(id))
        return id

    def wait(self, timeout: float) -> list[Event]:
        events: list[Event] = []
        try:
            while True:
                id = self._ready.get(timeout=0 if events else timeout)
                if (future := self._futures.pop(id, None)) is not None:
                    events.append(self._event(id, future))
        except Empty:
            pass
        return events

    def _event(self, id: int, future: Future[Answer]) -> Event:
        error = future.exception()
        if error is None:
            return Done(id, future.result())
        if isinstance(error, BrokenExecutor):
            return Died(id)
        return Failed(id, f"{type(error).__name__}: {error}")

    def cancel(self, id: int) -> None:
        if (future := self._futures.pop(id, None)) is not None:
            future.cancel()

    def workers(self) -> Collection[str]:
        return ()

    def slots(self) -> int:
        return self._slots

    def holder(self, id: int) -> str | None:
        return None

    def now(self) -> float:
        return time.monotonic()

    def close(self) -> None:
        if self._make is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
