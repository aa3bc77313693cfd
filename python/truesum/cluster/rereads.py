"""Selects the bundles that are read twice: a random fraction, and the first bundle of each worker if there are enough
bundles that this costs little. The fraction detects workers that are occasionally wrong; the first bundles detect
workers that are always wrong."""

from __future__ import annotations

from .ledger import GOOD, Ledger, drawn
from .policy import Policy
from .work import Work


class Rereads:
    """The rereads of one plan."""

    def __init__(self, plan: str, policy: Policy, ledger: Ledger) -> None:
        self._plan, self._policy, self._ledger = plan, policy, ledger
        self._sampled: set[str] = set()
        self._done: set[int] = set()

    def wanted(self, bundle: int, workers: int) -> Work | None:
        """Returns the work for rereading a completed bundle, or None. It depends on the number of workers."""
        share, first = self._policy.reread, self._policy.reread_first
        if not share or self._ledger.state(bundle) != GOOD:
            return None
        worker = self._ledger.worker(bundle)
        known = worker in self._sampled or first < 1 and max(1, workers) > first * self._ledger.bundles
        if known and not drawn(self._plan, bundle, share):
            return None
        self._sampled.add(worker)
        return None if bundle in self._done else Work(bundle, reread=True, avoid=frozenset({worker}))

    def done(self, bundle: int) -> None:
        """Records that a bundle was reread with the same result."""
        self._done.add(bundle)

    def void(self, bundle: int) -> None:
        """Records that a bundle is computed again, which invalidates an earlier reread."""
        self._done.discard(bundle)
