"""Schedules the bundles of a plan: keeps a window of tasks running until each bundle is done or has definitely
failed.

The driver takes the time only from the port and uses no randomness of its own, so with a deterministic port it is
deterministic. Its decisions do not affect the manifest: that depends only on the parts and on the merge, which checks
them against the plan. A bug here costs time or the run, but not correctness.
"""

from __future__ import annotations

from collections.abc import Callable

from .journal import Journal, Record
from .ledger import GOOD, Ledger
from .pace import Pace
from .policy import Planned, Policy, Told
from .port import Port
from .rereads import Rereads
from .task import Answer, Died, Done, Event, Failed, Task
from .work import Queue, Work


class Driver:
    """One run of one plan. `task` turns work into a task; `part_digest` returns the digest that ends the part of a
    bundle, or None if there is no part; `near` returns the host that stores a bundle's files; `tell` is called with
    each answer."""

    def __init__(
        self,
        plan: Planned,
        port: Port,
        journal: Journal,
        policy: Policy,
        task: Callable[[Work], Task],
        part_digest: Callable[[int], str | None],
        near: Callable[[int], str | None] = lambda bundle: None,
        tell: Callable[[Work, Answer], None] = lambda work, answer: None,
    ) -> None:
        self.plan, self.port, self.journal, self.policy = plan, port, journal, policy
        self._task, self._part_digest, self._near, self._tell = task, part_digest, near, tell
        self.ledger = Ledger(plan.bundles)
        self.told = Told()
        self._queue = Queue(self.ledger.open())
        self._of: dict[int, Work] = {}
        # A dict keeps the order, so that repeated runs are identical.
        self._flying: dict[Work, None] = {}
        self._late: set[int] = set()
        self._rereads = Rereads(plan.id, policy, self.ledger)
        self._pace = Pace()
        self._hopeless = 0
        self._stop = False
        self._looked = self._peopled = port.now()
        for record in journal.records():
            self._recall(record)
        self._settle_recalled()

    def run(self) -> Told:
        """Runs until every bundle is done or has definitely failed. After KeyboardInterrupt, the journal allows the run
        to be resumed."""
        try:
            while not self._stop and (self._fill() or self._flying):
                self._hear(self.port.wait(self._timeout()))
                self._overdue()
                self.journal.tick(self.port.now())
            until = self.port.now() + self.policy.grace
            while not self._stop and self._late and self.port.now() < until:
                self._hear(self.port.wait(max(0.0, until - self.port.now())))
        finally:
            for id in list(self._of):
                self.port.cancel(id)
            self.journal.sync()
        self._last_look()
        return self.told

    # The state of previous drivers.

    def _recall(self, record: Record) -> None:
        match record:
            case {"bundle": int(bundle), "state": "done", "digest": digest, "failed": failed, "worker": worker}:
                self.ledger.note(bundle, digest, bool(failed), worker)
                self._rereads.void(bundle)
            case {"bundle": int(bundle), "state": "reread"}:
                self._rereads.done(bundle)
            case {"state": "problem", "text": text}:
                self.told.problems.append(f"{text} (found by an earlier driver)")
                self._stop = True
            case {"end": True}:
                # The previous run was complete, so files that failed then are worth another attempt now.
                for bundle in list(self.ledger.known()):
                    if self.ledger.state(bundle) != GOOD:
                        self.ledger.forget(bundle)

    def _settle_recalled(self) -> None:
        for bundle in list(self.ledger.known()):
            if self._part_digest(bundle) == self.ledger.digest(bundle):
                self.told.resumed += 1
                self._sample(bundle)
            else:
                self.ledger.forget(bundle)

    # Submitting tasks.

    def _window(self) -> int:
        return self.policy.window or 2 * max(1, self.port.slots()) + 2

    def _fill(self) -> bool:
        """Submits tasks up to the window size. Returns False if nothing is left to do."""
        while len(self._flying) < self._window():
            if any(work.alone for work in self._flying):
                break
            work = self._queue.next()
            if work is None and not self._flying:
                work = self._queue.next_alone()
            if work is None:
                break
            self._submit(work)
        return bool(self._flying)

    def _submit(self, work: Work) -> None:
        id = self.port.submit(self._task(work), avoid=work.avoid, near=self._near(work.bundle))
        work.copies[id] = self.port.now()
        self._of[id] = work
        self._flying[work] = None
        self.told.submitted += 1

    def _timeout(self) -> float:
        return max(0.05, min(1.0, self.policy.least / 4))

    def _overdue(self) -> None:
        """Submits copies of slow tasks to other workers, and gives up tasks that exceed the deadline."""
        now = self.port.now()
        if now - self._looked < self._timeout():
            return
        self._looked = now
        if self.port.slots():
            self._peopled = now
        elif now - self._peopled >= self.policy.stranded:
            self._problem(f"no worker was available for {now - self._peopled:.0f} seconds")
            self._stop = True
            return
        for work in list(self._flying):
            for id, since in list(work.copies.items()):
                if now - since >= self.policy.deadline:
                    self.port.cancel(id)
                    self._died(id, 1)
            expected = self._pace.expected(self.plan.bytes_of(work.bundle))
            if work.settled or not work.copies or expected is None:
                continue
            patience = max(self.policy.least, self.policy.patience * expected)
            if now - max(work.copies.values()) > patience and work.copied + 1 < self.policy.tries:
                holders = {holder for id in work.copies if (holder := self.port.holder(id))}
                workers = set(self.port.workers())
                if workers and (workers <= holders | work.avoid or len(workers - work.avoid) <= len(work.copies)):
                    # There is no other worker for it.
                    continue
                work.avoid |= holders
                work.copied += 1
                self.told.copied += 1
                self._submit(work)

    # Handling answers.

    def _hear(self, events: list[Event]) -> None:
        for event in events:
            work = self._of.get(event.id)
            if work is None:
                continue
            match event:
                case Done(id, answer):
                    self._answered(id, work, answer)
                case Failed(id, reason, worker):
                    self._failed(id, work, reason, worker)
                case Died(id, deaths):
                    self._died(id, deaths)

    def _drop(self, id: int) -> Work:
        work = self._of.pop(id)
        work.copies.pop(id, None)
        self._late.discard(id)
        return work

    def _settle(self, work: Work) -> None:
        """The work is done: other copies in progress are only awaited."""
        work.settled = True
        self._flying.pop(work, None)
        self._late |= work.copies.keys()

    def _answered(self, id: int, work: Work, answer: Answer) -> None:
        self._drop(id)
        self._hopeless = 0
        bundle = work.bundle
        if answer.standing == "contradicts":
            self._contradicted(bundle, answer)
            return
        if work.settled:
            # This answer is from a copy that finished later.
            if work.probe is None and self.ledger.state(bundle) == GOOD:
                self._compare(bundle, answer)
            elif work.probe is None and self._part_digest(bundle) == answer.digest:
                # A part with failures is replaced by the next one.
                self.ledger.note(bundle, answer.digest, bool(answer.failed), answer.worker)
            return
        if work.probe is not None:
            self._settle(work)
            self._queue.probed(work, self.plan.lines_of(bundle), died=False)
            return
        if answer.standing == "kept" and work.must_read():
            self._came_to_nothing(work, f"bundle {bundle}: {answer.worker} could not read all files again", answer.worker)
            return
        if work.reread:
            self._reread_by(work, answer)
            return
        if answer.standing in ("there", "kept") and not work.must_read() and self.policy.reread:
            # The worker that wrote the part died or its answer was lost. Every part must be attributed to a worker, so
            # the bundle is read again.
            self._settle(work)
            self._queue.put(Work(bundle, again=True, alone=work.alone, withheld=work.withheld))
            return
        if answer.again and work.tries + 1 < self.policy.tries:
            self._retry(work, answer.worker)
            return
        if self._part_digest(bundle) != answer.digest:
            self._came_to_nothing(work, f"bundle {bundle}: {answer.worker} reported a part that does not exist", answer.worker)
            return
        self._settle(work)
        self._rereads.void(bundle)
        self._pace.add(answer)
        self.ledger.note(bundle, answer.digest, bool(answer.failed), answer.worker)
        told = {"lines": answer.lines, "failed": answer.failed, "bytes": answer.bytes}
        self.journal.add({"bundle": bundle, "state": "done", "worker": answer.worker, "digest": answer.digest} | told)
        self._sample(bundle)
        self._tell(work, answer)

    def _failed(self, id: int, work: Work, reason: str, worker: str | None) -> None:
        self._drop(id)
        self._hopeless += 1
        if work.settled:
            return
        if self._hopeless >= 3 * self._window() + 3 * self.policy.tries:
            self._problem(f"too many failures; the last error was: {reason}")
            self._stop = True
        elif work.probe is not None:
            # The worker reported an error, so this does not count as a death.
            self._settle(work)
            self._queue.probed(work, self.plan.lines_of(work.bundle), died=False)
        else:
            self._came_to_nothing(work, f"bundle {work.bundle}: {reason}", worker)

    def _came_to_nothing(self, work: Work, why: str, worker: str | None) -> None:
        if work.tries + 1 < self.policy.tries:
            self._retry(work, worker)
        elif not work.copies:
            self._settle(work)
            self._problem(why)

    def _died(self, id: int, deaths: int) -> None:
        work = self._drop(id)
        if work.settled:
            return
        work.deaths += deaths
        if work.deaths < self.policy.tries:
            self._retry(work, None)
            return
        # Other copies may still answer; these answers are processed when they arrive.
        self._settle(work)
        lines = self.plan.lines_of(work.bundle)
        if work.probe is not None:
            self._queue.probed(work, lines, died=True)
        elif work.reread or work.alone:
            self._problem(f"bundle {work.bundle}: its workers died {work.deaths} times")
        else:
            self._queue.suspect(work.bundle, lines)

    def _retry(self, work: Work, worker: str | None) -> None:
        work.tries += 1
        self._avoid(work, {worker} if worker is not None else set())
        if not work.copies:
            self._flying.pop(work, None)
            self._queue.put(work)

    def _avoid(self, work: Work, workers: set[str]) -> None:
        """Excludes workers from this work. If none are left, any worker may take it except those that must not reread
        it."""
        work.avoid |= workers
        if work.avoid >= set(self.port.workers()):
            work.avoid = frozenset({self.ledger.worker(work.bundle)}) if work.reread else frozenset(workers)

    # Rereads.

    def _sample(self, bundle: int) -> None:
        if (work := self._rereads.wanted(bundle, self.port.slots())) is not None:
            self._queue.put(work)

    def _reread_by(self, work: Work, answer: Answer) -> None:
        bundle = work.bundle
        elsewhere = answer.worker != self.ledger.worker(bundle)
        others = set(self.port.workers()) - {self.ledger.worker(bundle)}
        if not elsewhere and others:
            self._came_to_nothing(work, f"bundle {bundle}: computed by {answer.worker}, but not read again by another worker", answer.worker)
            return
        self._settle(work)
        if self._compare(bundle, answer):
            self._rereads.done(bundle)
            self.told.reread += 1
            self.told.reread_elsewhere += elsewhere
            self.journal.add({"bundle": bundle, "state": "reread", "worker": answer.worker})

    def _compare(self, bundle: int, answer: Answer) -> bool:
        if answer.digest == self.ledger.digest(bundle):
            return True
        self._contradicted(bundle, answer)
        return False

    def _contradicted(self, bundle: int, answer: Answer) -> None:
        known = self.ledger.state(bundle) == GOOD
        other = self.ledger.worker(bundle) if known else "the existing part"
        self._stop = True
        self._problem(f"bundle {bundle}: {answer.worker} and {other} contradict each other: one of the two reads was wrong")
        self.journal.add({"state": "problem", "text": self.told.problems[-1]})

    def _problem(self, text: str) -> None:
        """There will be no manifest, but the remaining work is completed for the next attempt."""
        self.told.problems.append(text)

    def _last_look(self) -> None:
        """Checks that the parts are still those that workers reported, and collects bundles with failures."""
        for bundle in self.ledger.known():
            if self._part_digest(bundle) != self.ledger.digest(bundle):
                self.told.problems.append(f"bundle {bundle}: its part is not the one that {self.ledger.worker(bundle)} reported")
            if self.ledger.state(bundle) != GOOD:
                self.told.flawed.append(bundle)
        self.journal.add({"end": True})
        self.journal.sync()
