"""Estimates how long a bundle should take from the times of previous bundles."""

from __future__ import annotations

from collections import deque
from statistics import median

from .task import Answer

WINDOW = 101
"""The number of answers taken into account."""


class Pace:
    """The pace of the current run."""

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=WINDOW)
        self._rates: deque[float] = deque(maxlen=WINDOW)

    def add(self, answer: Answer) -> None:
        """Records a completed bundle."""
        self._seconds.append(answer.seconds)
        self._rates.append(answer.bytes / max(1e-6, answer.seconds))

    def expected(self, bytes: int) -> float | None:
        """Returns the expected seconds for this many bytes, or None if nothing is known yet. A single-file bundle may
        be a thousand times larger than the others."""
        if not self._seconds:
            return None
        return max(median(self._seconds), bytes / max(1.0, median(self._rates)))
