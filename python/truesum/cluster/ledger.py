"""The state of each bundle in 37 bytes: whether it is done, its worker, and the digest of its part. Also selects the
bundles to reread."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator

PENDING, COMPLETE, INCOMPLETE = 0, 1, 2
"""Not done; all files have digests; some files have permanently failed."""


class Ledger:
    """The state of all bundles, by number."""

    def __init__(self, bundles: int) -> None:
        self.bundles = bundles
        self._state = bytearray(bundles)
        self._digests = bytearray(32 * bundles)
        self._worker = array("I", bytes(4 * bundles))
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self.done = 0

    def state(self, bundle: int) -> int:
        return self._state[bundle]

    def digest(self, bundle: int) -> str:
        return self._digests[32 * bundle : 32 * bundle + 32].hex()

    def worker(self, bundle: int) -> str:
        """Returns the worker that computed the bundle."""
        return self._names[self._worker[bundle]]

    def mark_done(self, bundle: int, digest: str, incomplete: bool, worker: str) -> None:
        """Marks a bundle as done."""
        self.done += self._state[bundle] == PENDING
        self._state[bundle] = INCOMPLETE if incomplete else COMPLETE
        self._digests[32 * bundle : 32 * bundle + 32] = bytes.fromhex(digest)
        if worker not in self._numbers:
            self._numbers[worker] = len(self._names)
            self._names.append(worker)
        self._worker[bundle] = self._numbers[worker]

    def mark_pending(self, bundle: int) -> None:
        """Marks a bundle as not done."""
        self.done -= self._state[bundle] != PENDING
        self._state[bundle] = PENDING

    def pending(self) -> Iterator[int]:
        """Iterates lazily over the bundles that are not done."""
        bundle = -1
        while (bundle := self._state.find(PENDING, bundle + 1)) >= 0:
            yield bundle

    def finished(self) -> Iterator[int]:
        """Returns the bundles that are done."""
        return (bundle for bundle, state in enumerate(self._state) if state != PENDING)


def is_sampled(plan: str, bundle: int, fraction: float) -> bool:
    """Returns whether a bundle is selected for rereading. The selection depends only on the plan, so every driver
    selects the same bundles.

    >>> sum(is_sampled("5b1e7c02", bundle, 0.01) for bundle in range(10_000))
    117
    """
    digest = hashlib.blake2b(f"{plan}:{bundle}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") < fraction * 2**64
