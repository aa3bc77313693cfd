"""The progress of a run and the speed of each worker."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from .wording import count


def size(number: float) -> str:
    """Formats a number of bytes.

    >>> size(1536), size(3 << 30)
    ('1.5 KiB', '3.0 GiB')
    """
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if number < 1024:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1024
    return f"{number:.1f} PiB"


@dataclass(slots=True)
class WorkerStats:
    """The work of one worker."""

    bundles: int = 0
    bytes: int = 0
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Bytes per second while the worker was busy."""
        return self.bytes / self.seconds if self.seconds else 0.0


@dataclass(slots=True)
class Progress:
    """The work completed so far."""

    bundles: int
    bytes: int
    done: int = 0
    hashed: int = 0
    failed: int = 0
    workers: dict[str, WorkerStats] = field(default_factory=dict)
    dashboard: str | None = None
    start: float = field(default_factory=time.monotonic)

    def add(self, worker: str, bytes: int, seconds: float, failed: int) -> None:
        """Records a completed bundle."""
        stats = self.workers.setdefault(worker, WorkerStats())
        stats.bundles += 1
        stats.bytes += bytes
        stats.seconds += seconds
        self.done += 1
        self.hashed += bytes
        self.failed += failed

    def line(self, limit: int = 4) -> str:
        """Returns the progress as one line, including the slowest workers.

        >>> progress = Progress(4, 4096)
        >>> progress.add("h:1", 1024, 0.5, 0)
        >>> progress.line()
        '1 of 4 bundles, 1.0 KiB of 4.0 KiB; h:1 2.0 KiB/s'
        """
        slowest = sorted(self.workers.items(), key=lambda worker: worker[1].rate)[:limit]
        rates = "".join(f"; {name} {size(stats.rate)}/s" for name, stats in slowest)
        others = f"; {count(len(self.workers) - limit, 'more worker')}" if len(self.workers) > limit else ""
        failed = f", {self.failed} FAILED" if self.failed else ""
        return f"{self.done} of {count(self.bundles, 'bundle')}, {size(self.hashed)} of {size(self.bytes)}{failed}{rates}{others}"
