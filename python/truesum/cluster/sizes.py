"""How large bundles should be: worth some seconds each, and enough of them for all workers to end together."""

from __future__ import annotations

RATE = 1 << 30
"""Bytes a second that a thread is taken to hash; several times that is no harm."""
LONGEST = 30
"""Seconds of work in a bundle, at most."""
LEAST = 32 << 20
"""Bytes below which a bundle costs more than it divides."""
FILES = 20_000
"""Files of a bundle, at most: what small files cost beside their bytes."""
EACH = 8
"""Bundles for each worker, at least, where there is enough to divide."""


def largest(threads: int) -> int:
    """Bytes of a bundle where there is no end of data."""
    return RATE * LONGEST * max(1, threads)


def fitting(total_bytes: int, total_files: int, workers: int, threads: int) -> tuple[int, int]:
    """Bytes and files of a bundle for so much work.

    >>> fitting(5 * 10**15, 10**8, workers=100, threads=1) == (largest(1), FILES)
    True
    >>> fitting(4 << 30, 40, workers=2, threads=1)
    (268435456, 20000)
    """
    parts = max(1, workers) * EACH
    size = max(LEAST, min(largest(threads), -(-total_bytes // parts)))
    return size, max(1, min(FILES, -(-total_files // parts)) if total_bytes < parts * LEAST else FILES)
