"""The port for Ray: `truesum.cluster.hash(..., ray)` after `ray.init()`."""

from __future__ import annotations

import importlib
import time
from collections.abc import Collection
from typing import Any

from .task import Answer, Died, Done, Event, Failed, Task
from .worker import compute

# Imported like this, because Ray need not be installed where the types are checked.
ray: Any = importlib.import_module("ray")
errors: Any = importlib.import_module("ray.exceptions")

RESULT_TIMEOUT = 20.0
"""Seconds within which the answer of a finished task must arrive."""
CONNECTION_LOST = "the connection to Ray was lost; completed work is kept"


class RayPort:
    """A Ray cluster to which this process is connected. Ray selects the workers. Its own retries are switched off, so
    that the driver learns of each worker that dies."""

    def __init__(self) -> None:
        if not ray.is_initialized():
            raise ValueError("Ray is not initialized: call ray.init() first")
        self._compute = ray.remote(max_retries=0, retry_exceptions=False)(compute)
        self._tasks: dict[int, Any] = {}
        self._last = 0

    def submit(self, task: Task, *, avoid: Collection[str] = (), near: str | None = None) -> int:
        self._check_connected()
        self._last += 1
        # A task that uses all cores of a worker still occupies one slot.
        options = self._compute.options(num_cpus=max(1, task.threads), name=f"truesum {task.bundle}")
        self._tasks[self._last] = options.remote(task)
        return self._last

    def wait(self, timeout: float) -> list[Event]:
        self._check_connected()
        if not self._tasks:
            time.sleep(timeout)
            return []
        numbers = {reference: id for id, reference in self._tasks.items()}
        ready, _ = ray.wait(list(numbers), timeout=timeout)
        if ready:
            # All others that are ready, without waiting.
            ready, _ = ray.wait(list(numbers), num_returns=len(numbers), timeout=0)
        return [self._event(numbers[reference], reference) for reference in ready]

    def _event(self, id: int, reference: Any) -> Event:
        del self._tasks[id]
        try:
            answer: Answer = ray.get(reference, timeout=RESULT_TIMEOUT)
        except errors.RayTaskError as error:
            cause = error.cause if isinstance(getattr(error, "cause", None), Exception) else error
            return Failed(id, f"{type(cause).__name__}: {cause}")
        except (errors.GetTimeoutError, errors.RayError):
            # The worker or its node died, or its answer was lost with it.
            return Died(id)
        return Done(id, answer)

    def _check_connected(self) -> None:
        if not ray.is_initialized():
            raise ConnectionError(CONNECTION_LOST)

    def cancel(self, id: int) -> None:
        reference = self._tasks.pop(id, None)
        if reference is not None and ray.is_initialized():
            ray.cancel(reference)

    def workers(self) -> Collection[str]:
        return ()

    def slots(self) -> int:
        self._check_connected()
        return int(ray.cluster_resources().get("CPU", 0))

    def worker_of(self, id: int) -> str | None:
        return None

    def now(self) -> float:
        return time.monotonic()

    def close(self) -> None:
        for id in list(self._tasks):
            self.cancel(id)
