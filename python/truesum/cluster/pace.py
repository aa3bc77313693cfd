"""How long a bundle should take, by what others took."""

from __future__ import annotations

from collections import deque
from statistics import median

from .task import Answer

LATELY = 101
"""Answers that are remembered."""


class Pace:
    """Of a run so far."""

    def __init__(self) -> None:
        self._seconds: deque[float] = deque(maxlen=LATELY)
        self._rates: deque[float] = deque(maxlen=LATELY)

    def add(self, answer: Answer) -> None:
        """One more is done."""
        self._seconds.append(answer.seconds)
        self._rates.append(answer.bytes / max(1e-6, answer.seconds))

    def expected(self, bytes: int) -> float | None:
        """Seconds for so many bytes; None where nothing is known. A file that is one bundle may well be a thousand times the others."""
        if not self._seconds:
            return None
        return max(median(self._seconds), bytes / max(1.0, median(self._rates)))
