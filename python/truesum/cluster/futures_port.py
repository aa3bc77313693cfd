"""The port for `concurrent.futures`: a process pool on this machine, or any other Executor."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable, Collection
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor

from .task import Answer, Died, Done, Event, Failed, Task
from .in_flight import InFlight
from .worker import compute


def pool(processes: int) -> Executor:
    """Returns a pool of spawned processes, which do not inherit the threads of this process."""
    return ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn"))


class FuturesPort:
    """An executor. If one of its processes dies, the pool breaks as a whole; it is recreated with `make`, and all tasks
    that were running count as suspect."""

    def __init__(self, executor: Executor | None = None, *, processes: int = 0) -> None:
        processes = processes or len(os.sched_getaffinity(0))
        make: Callable[[], Executor] = lambda: pool(processes)
        self._make = make if executor is None else None
        self._executor = executor or make()
        self._slots = processes if executor is None else int(getattr(executor, "_max_workers", processes))
        self._tasks: InFlight[Future[Answer]] = InFlight()

    def submit(self, task: Task, *, avoid: Collection[str] = (), near: str | None = None) -> int:
        try:
            future = self._executor.submit(compute, task)
        except BrokenExecutor:
            if self._make is None:
                raise
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = self._make()
            future = self._executor.submit(compute, task)
        id = self._tasks.next_id()
        self._tasks.add(id, future)
        return id

    def wait(self, timeout: float) -> list[Event]:
        return [self._event(id, future) for id, future in self._tasks.take_done(timeout)]

    def _event(self, id: int, future: Future[Answer]) -> Event:
        error = future.exception()
        if error is None:
            return Done(id, future.result())
        if isinstance(error, BrokenExecutor):
            return Died(id)
        return Failed(id, f"{type(error).__name__}: {error}")

    def cancel(self, id: int) -> None:
        self._tasks.cancel(id)

    def workers(self) -> Collection[str]:
        return ()

    def slots(self) -> int:
        return self._slots

    def worker_of(self, id: int) -> str | None:
        return None

    def now(self) -> float:
        return time.monotonic()

    def close(self) -> None:
        if self._make is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
