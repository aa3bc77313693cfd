"""The queue of work: repeated and reread bundles, then new ones. A bundle that kills its workers is run alone and
bisected until the file that causes it is found."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

Span = tuple[int, int]


@dataclass(eq=False, slots=True)
class Work:
    """One item of work. Several copies may be in progress; the first answer counts."""

    bundle: int
    again: bool = False
    """True to compute an existing part again and compare."""
    reread: bool = False
    """True if this is a second read, for comparison."""
    alone: bool = False
    """True if nothing else may run at the same time, so that a worker's death can be attributed to this item."""
    probe: Span | None = None
    """The only lines to read, to find out whether they kill the worker."""
    withheld: tuple[Span, ...] = ()
    """Lines that are not read."""
    avoid: frozenset[str] = frozenset()
    """Workers that must not run it."""
    tries: int = 0
    """Failed attempts."""
    deaths: int = 0
    """Workers that died while running it."""
    copied: int = 0
    """Copies submitted because the item took too long."""
    copies: dict[int, float] = field(default_factory=dict)
    """The tasks submitted for it, with their start times."""
    finished: bool = False

    def must_recompute(self) -> bool:
        """True if an existing part is not sufficient."""
        return self.again or self.reread or self.probe is not None


class Queue:
    """The waiting work."""

    def __init__(self, bundles: Iterator[int]) -> None:
        self._new_bundles = bundles
        self._repeated: deque[Work] = deque()
        self._alone: deque[Work] = deque()
        self._open_probes: dict[int, int] = {}
        self._failing_spans: dict[int, list[Span]] = {}

    def put(self, work: Work) -> None:
        """Adds an item to repeat, reread, or run alone."""
        (self._alone if work.alone else self._repeated).append(work)

    def next(self) -> Work | None:
        """Returns the next item that can run in parallel."""
        if self._repeated:
            return self._repeated.popleft()
        bundle = next(self._new_bundles, None)
        return None if bundle is None else Work(bundle)

    def next_alone(self) -> Work | None:
        """Returns the next item that must run alone."""
        return self._alone.popleft() if self._alone else None

    def start_bisection(self, bundle: int, lines: int) -> None:
        """Starts the bisection of a bundle that killed its workers."""
        self._failing_spans[bundle] = []
        self._probe(bundle, (0, lines), lines)

    def _probe(self, bundle: int, span: Span, lines: int) -> None:
        first, end = span
        self._open_probes[bundle] = self._open_probes.get(bundle, 0) + 1
        outside = tuple(part for part in ((0, first), (end, lines)) if part[0] < part[1])
        self._alone.appendleft(Work(bundle, alone=True, probe=span, withheld=outside))

    def record_probe(self, work: Work, lines: int, died: bool) -> None:
        """Records whether the worker died while reading the lines of a probe. When all lines of a bundle have been
        tested, the lines that killed no worker are computed."""
        if work.probe is None:
            raise ValueError("not a probe")
        first, end = work.probe
        bundle = work.bundle
        if died and end - first > 1:
            middle = (first + end) // 2
            self._probe(bundle, (middle, end), lines)
            self._probe(bundle, (first, middle), lines)
        elif died:
            self._failing_spans[bundle].append((first, end))
        self._open_probes[bundle] -= 1
        if not self._open_probes[bundle]:
            del self._open_probes[bundle]
            self._alone.append(Work(bundle, alone=True, withheld=tuple(self._failing_spans.pop(bundle))))
