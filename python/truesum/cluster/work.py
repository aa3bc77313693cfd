"""What there is to do, in the order in which it is done: bundles as they come, others again, some twice, and what ended its workers
alone, halved until the file is found."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

Span = tuple[int, int]


@dataclass(eq=False, slots=True)
class Work:
    """One thing to do. There may be copies of it under way: the first answer counts."""

    bundle: int
    again: bool = False
    """Whether a part that is there is computed again, and compared."""
    reread: bool = False
    """Whether it is read a second time, to compare."""
    alone: bool = False
    """Whether nothing else may be under way, so that a death is its own."""
    probe: Span | None = None
    """These lines alone, to see whether they end their worker."""
    withheld: tuple[Span, ...] = ()
    avoid: frozenset[str] = frozenset()
    tries: int = 0
    """Attempts that came to nothing."""
    deaths: int = 0
    copied: int = 0
    """Copies that were begun because it took too long."""
    copies: dict[int, float] = field(default_factory=dict)
    """What was submitted for it, and when."""
    settled: bool = False

    def must_read(self) -> bool:
        """Whether no part that is there will do."""
        return self.again or self.reread or self.probe is not None


class Queue:
    """Work that waits."""

    def __init__(self, bundles: Iterator[int]) -> None:
        self._fresh = bundles
        self._again: deque[Work] = deque()
        self._alone: deque[Work] = deque()
        self._probing: dict[int, int] = {}
        self._guilty: dict[int, list[Span]] = {}

    def put(self, work: Work) -> None:
        """Something to be done again, or twice, or alone."""
        (self._alone if work.alone else self._again).append(work)

    def next(self) -> Work | None:
        """What is done next beside others."""
        if self._again:
            return self._again.popleft()
        bundle = next(self._fresh, None)
        return None if bundle is None else Work(bundle)

    def next_alone(self) -> Work | None:
        """What is done next when nothing else is."""
        return self._alone.popleft() if self._alone else None

    def suspect(self, bundle: int, lines: int) -> None:
        """A bundle that ended its workers: it is halved until the lines are found that do."""
        self._guilty[bundle] = []
        self._probe(bundle, (0, lines), lines)

    def _probe(self, bundle: int, span: Span, lines: int) -> None:
        first, end = span
        self._probing[bundle] = self._probing.get(bundle, 0) + 1
        outside = tuple(part for part in ((0, first), (end, lines)) if part[0] < part[1])
        self._alone.appendleft(Work(bundle, alone=True, probe=span, withheld=outside))

    def probed(self, work: Work, lines: int, died: bool) -> None:
        """What came of some lines. When all of a bundle is known, the rest of it is to be done."""
        if work.probe is None:
            raise ValueError("no probe")
        first, end = work.probe
        bundle = work.bundle
        if died and end - first > 1:
            middle = (first + end) // 2
            self._probe(bundle, (middle, end), lines)
            self._probe(bundle, (first, middle), lines)
        elif died:
            self._guilty[bundle].append((first, end))
        self._probing[bundle] -= 1
        if not self._probing[bundle]:
            del self._probing[bundle]
            self._alone.append(Work(bundle, alone=True, withheld=tuple(self._guilty.pop(bundle))))
