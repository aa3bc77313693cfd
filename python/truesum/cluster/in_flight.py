"""The tasks in progress, by number; used by the ports that are based on futures."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, Generic, Protocol, TypeVar


class FutureLike(Protocol):
    """A future of any engine."""

    def add_done_callback(self, fn: Callable[[Any], object], /) -> object: ...
    def cancel(self) -> object: ...


F = TypeVar("F", bound=FutureLike)


class InFlight(Generic[F]):
    """The futures by number. Completion callbacks may run in any thread."""

    def __init__(self) -> None:
        self._futures: dict[int, F] = {}
        self._ready: SimpleQueue[int] = SimpleQueue()
        self._last = 0

    def next_id(self) -> int:
        """Returns the next number."""
        self._last += 1
        return self._last

    def add(self, id: int, future: F) -> None:
        """Adds a future."""
        self._futures[id] = future
        future.add_done_callback(lambda _: self._ready.put(id))

    def get(self, id: int) -> F | None:
        """Returns the future with this number if it is in progress."""
        return self._futures.get(id)

    def take_done(self, timeout: float) -> list[tuple[int, F]]:
        """Removes and returns the futures that are done, waiting at most this many seconds for the first one."""
        done: list[tuple[int, F]] = []
        try:
            while True:
                id = self._ready.get(timeout=0 if done else timeout)
                if (future := self._futures.pop(id, None)) is not None:
                    done.append((id, future))
        except Empty:
            return done

    def cancel(self, id: int) -> None:
        """Cancels and removes a future."""
        if (future := self._futures.pop(id, None)) is not None:
            future.cancel()

    def cancel_all(self) -> None:
        """Cancels and removes all futures."""
        for id in list(self._futures):
            self.cancel(id)
