"""Chooses bundle sizes: each bundle is worth several seconds of work, and there are enough of them that all workers
finish at about the same time."""

from __future__ import annotations

BYTES_PER_SECOND = 1 << 30
"""The assumed hashing speed of a thread in bytes per second; an error by a small factor does no harm."""
MAX_SECONDS = 30
"""The maximum seconds of work per bundle."""
MIN_BYTES = 128 << 20
"""The minimum bytes per bundle: a twentieth of a second for the fastest hashes, and ten times an engine's overhead per
task."""
MIN_FILES = 1000
"""The minimum number of files per bundle."""
MAX_FILES = 20_000
"""The maximum number of files per bundle, because of the cost per file."""
BUNDLES_PER_WORKER = 8
"""The minimum number of bundles per worker, if there is enough work."""


def max_bytes(threads: int) -> int:
    """Returns the bytes per bundle for unlimited data."""
    return BYTES_PER_SECOND * MAX_SECONDS * max(1, threads)


def bundle_limits(total_bytes: int, total_files: int, workers: int, threads: int) -> tuple[int, int]:
    """Returns the bytes and files per bundle for this amount of work.

    >>> bundle_limits(5 * 10**15, 10**8, workers=100, threads=1) == (max_bytes(1), MAX_FILES)
    True
    >>> bundle_limits(4 << 30, 40, workers=2, threads=1)
    (268435456, 20000)
    """
    bundles = max(1, workers) * BUNDLES_PER_WORKER
    size = max(MIN_BYTES, min(max_bytes(threads), -(-total_bytes // bundles)))
    return size, min(MAX_FILES, max(MIN_FILES, -(-total_files // bundles))) if total_bytes < bundles * MIN_BYTES else MAX_FILES


def is_suitable(bundles: int, total_bytes: int, total_files: int, workers: int, threads: int) -> bool:
    """Returns whether a plan with this many bundles, made before the totals were known, is as good as one based on
    them.

    >>> [is_suitable(bundles, 4 << 30, 40, 2, 1) for bundles in (10, 7, 70)]
    [True, False, False]
    """
    size, files = bundle_limits(total_bytes, total_files, workers, threads)
    ideal = max(-(-total_bytes // size), -(-total_files // files), 1)
    return ideal <= 2 * bundles <= 8 * ideal
