"""Tasks under way, by the numbers that a port gives them: what the ports on futures have in common."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, Generic, Protocol, TypeVar


class Awaited(Protocol):
    """A future, of whatever engine."""

    def add_done_callback(self, fn: Callable[[Any], object], /) -> object: ...
    def cancel(self) -> object: ...


F = TypeVar("F", bound=Awaited)


class UnderWay(Generic[F]):
    """Futures by their numbers. Whoever has them done may call from any thread."""

    def __init__(self) -> None:
        self._futures: dict[int, F] = {}
        self._ready: SimpleQueue[int] = SimpleQueue()
        self._last = 0

    def number(self) -> int:
        """A number for the next one."""
        self._last += 1
        return self._last

    def add(self, id: int, future: F) -> None:
        """One more is under way."""
        self._futures[id] = future
        future.add_done_callback(lambda _: self._ready.put(id))

    def get(self, id: int) -> F | None:
        """The one of this number, while it is under way."""
        return self._futures.get(id)

    def done(self, timeout: float) -> list[tuple[int, F]]:
        """Those that are done by now, waiting for the first one so many seconds at most; they are forgotten here."""
        done: list[tuple[int, F]] = []
        try:
            while True:
                id = self._ready.get(timeout=0 if done else timeout)
                if (future := self._futures.pop(id, None)) is not None:
                    done.append((id, future))
        except Empty:
            return done

    def forget(self, id: int) -> None:
        """Nobody waits for it any more."""
        if (future := self._futures.pop(id, None)) is not None:
            future.cancel()

    def forget_all(self) -> None:
        """Nobody waits for any."""
        for id in list(self._futures):
            self.forget(id)
