"""Selects the bundles that are read twice: a random fraction, and the first bundle of each worker if there are enough
bundles that this costs little. The fraction detects workers that are occasionally wrong; the first bundles detect
workers that are always wrong."""

from __future__ import annotations

from .ledger import COMPLETE, Ledger, is_sampled
from .policy import Policy
from .work import Work


class Rereads:
    """The rereads of one plan."""

    def __init__(self, plan: str, policy: Policy, ledger: Ledger) -> None:
        self._plan, self._policy, self._ledger = plan, policy, ledger
        self._sampled_workers: set[str] = set()
        self._done: set[int] = set()

    def reread_for(self, bundle: int, workers: int) -> Work | None:
        """Returns the work for rereading a completed bundle, or None. It depends on the number of workers."""
        fraction, first_fraction = self._policy.reread, self._policy.reread_first
        if not fraction or self._ledger.state(bundle) != COMPLETE:
            return None
        worker = self._ledger.worker(bundle)
        covered = worker in self._sampled_workers or first_fraction < 1 and max(1, workers) > first_fraction * self._ledger.bundles
        if covered and not is_sampled(self._plan, bundle, fraction):
            return None
        self._sampled_workers.add(worker)
        return None if bundle in self._done else Work(bundle, reread=True, avoid=frozenset({worker}))

    def mark_done(self, bundle: int) -> None:
        """Records that a bundle was reread with the same result."""
        self._done.add(bundle)

    def invalidate(self, bundle: int) -> None:
        """Records that a bundle is computed again, which invalidates an earlier reread."""
        self._done.discard(bundle)
