"""Chooses bundle sizes: each bundle is worth several seconds of work, and there are enough of them that all workers
finish at about the same time."""

from __future__ import annotations

RATE = 1 << 30
"""The assumed hashing speed of a thread in bytes per second; being off by several times does no harm."""
LONGEST = 30
"""The maximum seconds of work per bundle."""
LEAST = 128 << 20
"""The minimum bytes per bundle: a twentieth of a second for the fastest hashes, and ten times an engine's overhead per
task."""
FEWEST = 1000
"""The minimum number of files per bundle."""
FILES = 20_000
"""The maximum number of files per bundle, because of the cost per file."""
EACH = 8
"""The minimum number of bundles per worker, if there is enough work."""


def largest(threads: int) -> int:
    """Returns the bytes per bundle for unlimited data."""
    return RATE * LONGEST * max(1, threads)


def fitting(total_bytes: int, total_files: int, workers: int, threads: int) -> tuple[int, int]:
    """Returns the bytes and files per bundle for this amount of work.

    >>> fitting(5 * 10**15, 10**8, workers=100, threads=1) == (largest(1), FILES)
    True
    >>> fitting(4 << 30, 40, workers=2, threads=1)
    (268435456, 20000)
    """
    parts = max(1, workers) * EACH
    size = max(LEAST, min(largest(threads), -(-total_bytes // parts)))
    return size, min(FILES, max(FEWEST, -(-total_files // parts))) if total_bytes < parts * LEAST else FILES


def fits(bundles: int, total_bytes: int, total_files: int, workers: int, threads: int) -> bool:
    """Returns whether a plan with this many bundles, made before the totals were known, is as good as one based on
    them.

    >>> fits(10, 4 << 30, 40, 2, 1), fits(7, 4 << 30, 40, 2, 1), fits(70, 4 << 30, 40, 2, 1)
    (True, False, False)
    """
    size, files = fitting(total_bytes, total_files, workers, threads)
    wanted = max(-(-total_bytes // size), -(-total_files // files), 1)
    return wanted <= 2 * bundles <= 8 * wanted
