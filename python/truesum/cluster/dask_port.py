"""The port for Dask.distributed."""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from distributed import Client, Future, KilledWorker

from .._native import __version__
from .task import Answer, Died, Done, Event, Failed, Task
from .underway import UnderWay

LOOK = 1.0
"""Seconds for which the scheduler's information is cached."""
GATHER = 20.0
"""Seconds in which the answer of a finished task must arrive."""
ASK = 30.0
"""Seconds in which workers must answer which version they have."""
# What workers evaluate. A worker dies if it receives something that it cannot unpickle, so everything that is sent to
# it consists of types of the standard library, and a worker without this package reports an ImportError.
CALL = "__import__('truesum.cluster.worker', fromlist=['answer']).answer(task, version)"
VERSION = "__import__('truesum').__version__"
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
        self._unfit: set[str] = set()
        if unfit := self._without_package():
            worker, why = next(iter(unfit.items()))
            raise ValueError(
                f"{len(unfit)} of {len(self._info())} workers cannot run truesum {__version__}: {worker}: {why} "
                "(install the same version on every worker)"
            )

    def _without_package(self) -> dict[str, str]:
        """Returns the workers that do not have this version of the package, with the reason. Workers that do not answer
        in time are not among them."""
        found: dict[str, Any] = {}

        def ask() -> None:
            with suppress(Exception):
                found.update(self._client.run(eval, VERSION, on_error="return"))

        # A stopped worker does not answer until Dask gives it up.
        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        asking.join(ASK)
        unfit: dict[str, str] = {}
        for worker, version in found.copy().items():
            if isinstance(version, ImportError):
                unfit[worker] = f"{type(version).__name__}: {version}"
            elif isinstance(version, str) and version != __version__:
                unfit[worker] = f"it has version {version}"
        return unfit

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

    def _fit(self) -> dict[str, dict[str, Any]]:
        """Returns what the scheduler knows about the workers that can run tasks."""
        return {worker: about for worker, about in self._info().items() if worker not in self._unfit}

    def _where(self, avoid: Collection[str], near: str | None) -> list[str]:
        """Returns the preferred workers, or none if any worker will do or none fits."""
        if not avoid and near is None and not self._unfit:
            return []
        info = self._fit()
        others = [worker for worker in info if worker not in avoid]
        # Another machine has different memory; another process on the same machine is the second choice.
        hosts = {info[worker]["host"] for worker in avoid if worker in info}
        if len(avoid) == 1 and (elsewhere := [worker for worker in others if info[worker]["host"] not in hosts]):
            others = elsewhere
        close = [worker for worker in others if near in (info[worker]["host"], info[worker].get("name"))]
        # Without a restriction, Dask would also select workers that cannot run the task.
        return close or (others if avoid else []) or (list(info) if self._unfit else [])

    def submit(self, task: Task, *, avoid: Collection[str] = (), near: str | None = None) -> int:
        id = self._tasks.number()
        key = f"truesum-{self._run}-{task.bundle}-{id}"
        workers = self._where(avoid, near)
        # An avoided worker could steal a task that others may run. So the task is restricted to these workers and is
        # lost with the last of them.
        strict = bool(avoid or self._unfit)
        wished: dict[str, Any] = {"workers": workers, "allow_other_workers": not strict} if workers else {}
        with self._asking():
            sent = {"task": pickle.dumps(task), "version": __version__}
            future = self._client.submit(eval, CALL, sent, key=key, pure=False, retries=0, **wished)
        if workers and strict:
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
            if isinstance(error, ImportError):
                # A worker without the package has joined the cluster during the run.
                self._unfit |= self._without_package().keys()
            return Failed(id, f"{type(error).__name__}: {error}")
        return Died(id)

    def cancel(self, id: int) -> None:
        self._bound.pop(id, None)
        with suppress(ConnectionError), self._asking():
            self._tasks.forget(id)

    def workers(self) -> Collection[str]:
        return self._fit().keys()

    def slots(self) -> int:
        return sum(int(worker["nthreads"]) for worker in self._fit().values())

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
