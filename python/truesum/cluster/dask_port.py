"""The port for Dask.distributed."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from distributed import Client, Future, KilledWorker

from .task import Answer, Died, Done, Event, Failed, Task
from .underway import UnderWay
from .worker import compute

LOOK = 1.0
# Seconds in which the answer of a finished task must arrive.
GATHER = 20.0
"""Seconds for which the scheduler's information is cached."""
GONE = "the connection to the scheduler was lost; completed work is kept"


class DaskPort:
    """A cluster accessed through a client. Tasks are never pure and have unique names, because the same bundle may be
    submitted twice."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._run = uuid4().hex[:8]
        self._tasks: UnderWay[Future[Answer]] = UnderWay()
        self._bound: dict[int, list[str]] = {}
        self._seen: tuple[float, dict[str, dict[str, Any]]] = (float("-inf"), {})
        self._held: tuple[float, dict[str, str]] = (float("-inf"), {})

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Converts any exception that Dask raises when its scheduler is gone to ConnectionError."""
        try:
            yield
        except Exception as error:
            if self._client.status == "running":
                raise
            raise ConnectionError(GONE) from error

    def _info(self) -> dict[str, dict[str, Any]]:
        at, info = self._seen
        if self.now() - at > LOOK:
            with self._asking():
                info = self._client.scheduler_info(n_workers=-1)["workers"]
            self._seen = (self.now(), info)
        return info

    def _where(self, avoid: Collection[str], near: str | None) -> list[str]:
        """Returns the preferred workers, or none if any worker will do or none fits."""
        if not avoid and near is None:
            return []
        info = self._info()
        others = [worker for worker in info if worker not in avoid]
        # Another machine has different memory; another process on the same machine is the second choice.
        hosts = {info[worker]["host"] for worker in avoid if worker in info}
        if len(avoid) == 1 and (elsewhere := [worker for worker in others if info[worker]["host"] not in hosts]):
            others = elsewhere
        close = [worker for worker in others if near in (info[worker]["host"], info[worker].get("name"))]
        return close or (others if avoid else [])

    def submit(self, task: Task, *, avoid: Collection[str] = (), near: str | None = None) -> int:
        id = self._tasks.number()
        key = f"truesum-{self._run}-{task.bundle}-{id}"
        workers = self._where(avoid, near)
        # An avoided worker could steal a task that others may run. So the task is restricted to these workers and is
        # lost with the last of them.
        wished: dict[str, Any] = {"workers": workers, "allow_other_workers": not avoid} if workers else {}
        with self._asking():
            future = self._client.submit(compute, task, key=key, pure=False, retries=0, **wished)
        if workers and avoid:
            self._bound[id] = workers
        self._tasks.add(id, future)
        return id

    def wait(self, timeout: float) -> list[Event]:
        events = [self._event(id, future) for id, future in self._tasks.done(timeout)]
        if not events and self._client.status not in ("running", "connecting"):
            raise ConnectionError(GONE)
        return events or self._lost()

    def _lost(self) -> list[Event]:
        """Returns the tasks whose workers are all gone. No other worker takes them."""
        if not self._bound:
            return []
        there = self._info().keys()
        lost = [id for id, workers in self._bound.items() if there.isdisjoint(workers)]
        for id in lost:
            self.cancel(id)
        return [Died(id) for id in lost]

    def _event(self, id: int, future: Future[Answer]) -> Event:
        self._bound.pop(id, None)
        if future.status == "finished":
            try:
                return Done(id, future.result(timeout=GATHER))
            except TimeoutError:
                # Its worker died before the answer was fetched, and a task bound to it is not computed again.
                return Died(id)
        if future.status == "error":
            error = future.exception()
            if isinstance(error, KilledWorker):
                # Dask itself retried this many times before it reported the failure.
                return Died(id, error.allowed_failures + 1)
            return Failed(id, f"{type(error).__name__}: {error}")
        return Died(id)

    def cancel(self, id: int) -> None:
        self._bound.pop(id, None)
        with suppress(ConnectionError), self._asking():
            self._tasks.forget(id)

    def workers(self) -> Collection[str]:
        return self._info().keys()

    def slots(self) -> int:
        return sum(int(worker["nthreads"]) for worker in self._info().values())

    def holder(self, id: int) -> str | None:
        at, held = self._held
        if self.now() - at > LOOK:
            with self._asking():
                held = {key: worker for worker, keys in self._client.processing().items() for key in keys}
            self._held = (self.now(), held)
        future = self._tasks.get(id)
        return held.get(str(future.key)) if future is not None else None

    def now(self) -> float:
        return time.monotonic()

    def close(self) -> None:
        with suppress(ConnectionError), self._asking():
            self._tasks.forget_all()
