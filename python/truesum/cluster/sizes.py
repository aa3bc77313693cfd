"""How large bundles should be: worth some seconds each, and enough of them for all workers to end together."""

from __future__ import annotations

RATE = 1 << 30
"""Bytes a second that a thread is taken to hash; several times that is no harm."""
LONGEST = 30
"""Seconds of work in a bundle, at most."""
LEAST = 128 << 20
"""Bytes of a bundle, at least: a twentieth of a second of the fastest hashes, and ten times what an engine takes for a task."""
FEWEST = 1000
"""Files of a bundle, at least."""
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
    return size, min(FILES, max(FEWEST, -(-total_files // parts))) if total_bytes < parts * LEAST else FILES


def fits(bundles: int, total_bytes: int, total_files: int, workers: int, threads: int) -> bool:
    """Whether a plan of so many bundles, made before its sums were known, is as good as one that is made by them.

    >>> fits(10, 4 << 30, 40, 2, 1), fits(7, 4 << 30, 40, 2, 1), fits(70, 4 << 30, 40, 2, 1)
    (True, False, False)
    """
    size, files = fitting(total_bytes, total_files, workers, threads)
    wanted = max(-(-total_bytes // size), -(-total_files // files), 1)
    return wanted <= 2 * bundles <= 8 * wanted
