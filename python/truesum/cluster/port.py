"""What the driver wants of an engine: to have tasks done somewhere. A few lines fit most of them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from .task import Event, Task


class Port(Protocol):
    """Tasks go out, events come back, in any order; each task has one event, or none if it was cancelled or hangs."""

    def submit(self, task: Task, *, avoid: Collection[str] = (), near: str | None = None) -> int:
        """Gives a task to a worker that is none of `avoid` where there is another, on the host `near` if it can be; the number by
        which events call it."""

    def wait(self, timeout: float) -> list[Event]:
        """What happened, waiting for it so many seconds at most."""

    def cancel(self, id: int) -> None:
        """Forgets a task: there may be no event of it any more. What runs may run on."""

    def workers(self) -> Collection[str]:
        """Who there is to choose from, by the names that answers bear; empty where a task goes to whoever is free."""

    def slots(self) -> int:
        """How many tasks can run at a time."""

    def holder(self, id: int) -> str | None:
        """Who has this task, where that is known."""

    def now(self) -> float:
        """Seconds of a clock that only goes forward."""

    def close(self) -> None:
        """Ends what the port itself began."""
