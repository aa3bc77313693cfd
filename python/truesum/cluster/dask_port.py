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
from .in_flight import InFlight

CACHE_SECONDS = 1.0
"""Seconds for which the scheduler's information is cached."""
RESULT_TIMEOUT = 20.0
"""Seconds within which the answer of a finished task must arrive."""
VERSION_TIMEOUT = 30.0
"""Seconds within which workers must report their version."""
# What workers evaluate. A worker dies if it receives something that it cannot unpickle, so everything that is sent to
# it consists of types of the standard library, and a worker without this package reports an ImportError.
CALL = "__import__('truesum.cluster.worker', fromlist=['answer']).answer(task, version)"
VERSION = "__import__('truesum').__version__"
CONNECTION_LOST = "the connection to the scheduler was lost; completed work is kept"


class DaskPort:
    """A cluster accessed through a client. Tasks are never pure and have unique names, because the same bundle may be
    submitted twice."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._run = uuid4().hex[:8]
        self._tasks: InFlight[Future[Answer]] = InFlight()
        self._restricted: dict[int, list[str]] = {}
        self._info_cache: tuple[float, dict[str, dict[str, Any]]] = (float("-inf"), {})
        self._processing_cache: tuple[float, dict[str, str]] = (float("-inf"), {})
        self._excluded: set[str] = set()
        if incompatible := self._incompatible_workers():
            worker, why = next(iter(incompatible.items()))
            raise ValueError(
                f"{len(incompatible)} of {len(self._info())} workers cannot run truesum {__version__}: {worker}: {why} "
                "(install the same version on every worker)"
            )

    def _incompatible_workers(self) -> dict[str, str]:
        """Returns the workers that do not have this version of the package, with the reason. Workers that do not answer
        in time are not among them."""
        versions: dict[str, Any] = {}

        def query() -> None:
            with suppress(Exception):
                versions.update(self._client.run(eval, VERSION, on_error="return"))

        # A stopped worker does not answer until Dask gives it up.
        thread = threading.Thread(target=query, daemon=True)
        thread.start()
        thread.join(VERSION_TIMEOUT)
        incompatible: dict[str, str] = {}
        for worker, version in versions.copy().items():
            if isinstance(version, ImportError):
                incompatible[worker] = f"{type(version).__name__}: {version}"
            elif isinstance(version, str) and version != __version__:
                incompatible[worker] = f"it has version {version}"
        return incompatible

    @contextmanager
    def _as_connection_error(self) -> Iterator[None]:
        """Converts the exceptions that Dask raises without a scheduler to ConnectionError."""
        try:
            yield
        except Exception as error:
            if self._client.status == "running":
                raise
            raise ConnectionError(CONNECTION_LOST) from error

    def _info(self) -> dict[str, dict[str, Any]]:
        fetched, info = self._info_cache
        if self.now() - fetched > CACHE_SECONDS:
            with self._as_connection_error():
                info = self._client.scheduler_info(n_workers=-1)["workers"]
            self._info_cache = (self.now(), info)
        return info

    def _usable_workers(self) -> dict[str, dict[str, Any]]:
        """Returns what the scheduler knows about the workers that can run tasks."""
        return {worker: info for worker, info in self._info().items() if worker not in self._excluded}

    def _preferred_workers(self, avoid: Collection[str], near: str | None) -> list[str]:
        """Returns the preferred workers; an empty list means that there is no preference or no suitable worker."""
        if not avoid and near is None and not self._excluded:
            return []
        info = self._usable_workers()
        candidates = [worker for worker in info if worker not in avoid]
        # Another machine has different memory; another process on the same machine is the second choice.
        hosts = {info[worker]["host"] for worker in avoid if worker in info}
        if len(avoid) == 1 and (on_other_hosts := [worker for worker in candidates if info[worker]["host"] not in hosts]):
            candidates = on_other_hosts
        near_workers = [worker for worker in candidates if near in (info[worker]["host"], info[worker].get("name"))]
        # Without a restriction, Dask would also select workers that cannot run the task.
        return near_workers or (candidates if avoid else []) or (list(info) if self._excluded else [])

    def submit(self, task: Task, *, avoid: Collection[str] = (), near: str | None = None) -> int:
        id = self._tasks.next_id()
        key = f"truesum-{self._run}-{task.bundle}-{id}"
        workers = self._preferred_workers(avoid, near)
        # An avoided worker could steal a task that others may run. So the task is restricted to these workers and is
        # lost with the last of them.
        strict = bool(avoid or self._excluded)
        restriction: dict[str, Any] = {"workers": workers, "allow_other_workers": not strict} if workers else {}
        with self._as_connection_error():
            arguments = {"task": pickle.dumps(task), "version": __version__}
            future = self._client.submit(eval, CALL, arguments, key=key, pure=False, retries=0, **restriction)
        if workers and strict:
            self._restricted[id] = workers
        self._tasks.add(id, future)
        return id

    def wait(self, timeout: float) -> list[Event]:
        events = [self._event(id, future) for id, future in self._tasks.take_done(timeout)]
        if not events and self._client.status not in ("running", "connecting"):
            raise ConnectionError(CONNECTION_LOST)
        return events or self._lost_tasks()

    def _lost_tasks(self) -> list[Event]:
        """Returns the tasks whose workers are all gone. No other worker takes them."""
        if not self._restricted:
            return []
        present = self._info().keys()
        lost = [id for id, workers in self._restricted.items() if present.isdisjoint(workers)]
        for id in lost:
            self.cancel(id)
        return [Died(id) for id in lost]

    def _event(self, id: int, future: Future[Answer]) -> Event:
        self._restricted.pop(id, None)
        if future.status == "finished":
            try:
                return Done(id, future.result(timeout=RESULT_TIMEOUT))
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
                self._excluded |= self._incompatible_workers().keys()
            return Failed(id, f"{type(error).__name__}: {error}")
        return Died(id)

    def cancel(self, id: int) -> None:
        self._restricted.pop(id, None)
        with suppress(ConnectionError), self._as_connection_error():
            self._tasks.cancel(id)

    def workers(self) -> Collection[str]:
        return self._usable_workers().keys()

    def slots(self) -> int:
        return sum(int(worker["nthreads"]) for worker in self._usable_workers().values())

    def worker_of(self, id: int) -> str | None:
        fetched, processing = self._processing_cache
        if self.now() - fetched > CACHE_SECONDS:
            with self._as_connection_error():
                processing = {key: worker for worker, keys in self._client.processing().items() for key in keys}
            self._processing_cache = (self.now(), processing)
        future = self._tasks.get(id)
        return processing.get(str(future.key)) if future is not None else None

    def now(self) -> float:
        return time.monotonic()

    def close(self) -> None:
        with suppress(ConnectionError), self._as_connection_error():
            self._tasks.cancel_all()
