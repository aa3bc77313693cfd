"""Which bundles are read twice: a share that is drawn, and the first of each worker, where there are enough bundles that this costs
little. The share finds who is wrong now and then, the first finds who is always wrong."""

from __future__ import annotations

from .ledger import GOOD, Ledger, drawn
from .policy import Policy
from .work import Work


class Rereads:
    """Of one plan."""

    def __init__(self, plan: str, policy: Policy, ledger: Ledger) -> None:
        self._plan, self._policy, self._ledger = plan, policy, ledger
        self._sampled: set[str] = set()
        self._done: set[int] = set()

    def wanted(self, bundle: int, workers: int) -> Work | None:
        """What is to be done of a bundle that is done, if it is to be read again; with so many workers."""
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
        """It was read again, and was the same."""
        self._done.add(bundle)

    def void(self, bundle: int) -> None:
        """It is computed anew: what was read before says nothing of that."""
        self._done.discard(bundle)
