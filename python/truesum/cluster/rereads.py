"""Which bundles are read twice: a share that is drawn, and the first of each worker. The share finds who is wrong now and then, the
first finds who is always wrong."""

from __future__ import annotations

from .ledger import GOOD, Ledger, drawn
from .work import Work


class Rereads:
    """Of one plan."""

    def __init__(self, plan: str, share: float, ledger: Ledger) -> None:
        self._plan, self._share, self._ledger = plan, share, ledger
        self._sampled: set[str] = set()
        self._done: set[int] = set()

    def wanted(self, bundle: int) -> Work | None:
        """What is to be done of a bundle that is done, if it is to be read again."""
        if not self._share or self._ledger.state(bundle) != GOOD:
            return None
        worker = self._ledger.worker(bundle)
        if worker in self._sampled and not drawn(self._plan, bundle, self._share):
            return None
        self._sampled.add(worker)
        return None if bundle in self._done else Work(bundle, reread=True, avoid=frozenset({worker}))

    def done(self, bundle: int) -> None:
        """It was read again, and was the same."""
        self._done.add(bundle)

    def void(self, bundle: int) -> None:
        """It is computed anew: what was read before says nothing of that."""
        self._done.discard(bundle)
