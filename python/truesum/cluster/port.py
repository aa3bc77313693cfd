"""The interface between the driver and an execution engine. Most engines need only a few lines."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from .task import Event, Task


class Port(Protocol):
    """Accepts tasks and returns events in any order. Each task produces one event, or none if it was canceled or
    hangs."""

    def submit(self, task: Task, *, avoid: Collection[str] = (), near: str | None = None) -> int:
        """Submits a task to a worker outside `avoid` if there is one, preferably on the host `near`. Returns the number
        that identifies the task in events."""

    def wait(self, timeout: float) -> list[Event]:
        """Returns the events so far, waiting at most this many seconds."""

    def cancel(self, id: int) -> None:
        """Cancels a task: it may produce no further event. A running task may continue to run."""

    def workers(self) -> Collection[str]:
        """Returns the workers to choose from, by the names used in answers; empty if the engine assigns tasks itself."""

    def slots(self) -> int:
        """Returns the number of tasks that can run at the same time."""

    def worker_of(self, id: int) -> str | None:
        """Returns the worker that has this task, if known."""

    def now(self) -> float:
        """Returns the seconds of a monotonic clock."""

    def close(self) -> None:
        """Stops whatever the port itself started."""
