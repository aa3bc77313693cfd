"""Schedules the bundles of a plan: keeps a window of tasks running until each bundle is done or has definitely
failed.

The driver takes the time only from the port and uses no randomness of its own, so with a deterministic port it is
deterministic. Its decisions do not affect the manifest: that depends only on the parts and on the merge, which checks
them against the plan. A bug here costs time or the run, but not correctness.
"""

from __future__ import annotations

from collections.abc import Callable

from .journal import Journal, Record
from .ledger import COMPLETE, Ledger
from .pace import Pace
from .policy import DriverResult, PlanView, Policy
from .port import Port
from .rereads import Rereads
from .task import Answer, Died, Done, Event, Failed, Task
from .wording import count
from .work import Queue, Work


class Driver:
    """One run of one plan. `task` returns the task for an item of work; `part_digest` returns the digest at the end of
    the part of a bundle, or None if there is no part; `near` returns the host that stores a bundle's files; `on_answer`
    is called with each item of work that completes a bundle, and its answer."""

    def __init__(
        self,
        plan: PlanView,
        port: Port,
        journal: Journal,
        policy: Policy,
        task: Callable[[Work], Task],
        part_digest: Callable[[int], str | None],
        near: Callable[[int], str | None] = lambda bundle: None,
        on_answer: Callable[[Work, Answer], None] = lambda work, answer: None,
    ) -> None:
        self.plan, self.port, self.journal, self.policy = plan, port, journal, policy
        self._task, self._part_digest, self._near, self._on_answer = task, part_digest, near, on_answer
        self.ledger = Ledger(plan.bundles)
        self.result = DriverResult()
        self._queue = Queue(self.ledger.pending())
        self._work_by_task: dict[int, Work] = {}
        # A dict keeps the order, so that repeated runs are identical.
        self._in_progress: dict[Work, None] = {}
        self._late_copies: set[int] = set()
        self._rereads = Rereads(plan.id, policy, self.ledger)
        self._pace = Pace()
        self._consecutive_failures = 0
        self._stop = False
        self._last_check = self._last_worker_seen = port.now()
        for record in journal.records():
            self._replay(record)
        self._check_replayed()

    def run(self) -> DriverResult:
        """Runs until every bundle is done or has definitely failed. After KeyboardInterrupt, the journal allows the run
        to be resumed."""
        try:
            while not self._stop and (self._fill_window() or self._in_progress):
                self._handle_events(self.port.wait(self._timeout()))
                self._check_overdue()
                self.journal.tick(self.port.now())
            end = self.port.now() + self.policy.grace
            while not self._stop and self._late_copies and self.port.now() < end:
                self._handle_events(self.port.wait(max(0.0, end - self.port.now())))
        finally:
            for id in list(self._work_by_task):
                self.port.cancel(id)
            self.journal.sync()
        self._final_check()
        return self.result

    # The state of previous drivers.

    def _replay(self, record: Record) -> None:
        match record:
            case {"bundle": int(bundle), "state": "done", "digest": digest, "failed": failed, "worker": worker}:
                self.ledger.mark_done(bundle, digest, bool(failed), worker)
                self._rereads.invalidate(bundle)
            case {"bundle": int(bundle), "state": "reread"}:
                self._rereads.mark_done(bundle)
            case {"state": "problem", "text": text}:
                self.result.problems.append(f"{text} (found by an earlier driver)")
                self._stop = True
            case {"end": True}:
                # The previous run was complete, so files that failed then are worth another attempt now.
                for bundle in list(self.ledger.finished()):
                    if self.ledger.state(bundle) != COMPLETE:
                        self.ledger.mark_pending(bundle)

    def _check_replayed(self) -> None:
        for bundle in list(self.ledger.finished()):
            if self._part_digest(bundle) == self.ledger.digest(bundle):
                self.result.resumed += 1
                self._queue_reread(bundle)
            else:
                self.ledger.mark_pending(bundle)

    # Submitting tasks.

    def _window(self) -> int:
        return self.policy.window or 2 * max(1, self.port.slots()) + 2

    def _fill_window(self) -> bool:
        """Submits tasks up to the window size. Returns False if nothing is left to do."""
        while len(self._in_progress) < self._window():
            if any(work.alone for work in self._in_progress):
                break
            work = self._queue.next()
            if work is None and not self._in_progress:
                work = self._queue.next_alone()
            if work is None:
                break
            self._submit(work)
        return bool(self._in_progress)

    def _submit(self, work: Work) -> None:
        id = self.port.submit(self._task(work), avoid=work.avoid, near=self._near(work.bundle))
        work.copies[id] = self.port.now()
        self._work_by_task[id] = work
        self._in_progress[work] = None
        self.result.submitted += 1

    def _timeout(self) -> float:
        return max(0.05, min(1.0, self.policy.copy_after / 4))

    def _check_overdue(self) -> None:
        """Submits copies of slow tasks to other workers, and gives up tasks that exceed the deadline."""
        now = self.port.now()
        if now - self._last_check < self._timeout():
            return
        self._last_check = now
        if self.port.slots():
            self._last_worker_seen = now
        elif now - self._last_worker_seen >= self.policy.no_worker_timeout:
            seconds = round(now - self._last_worker_seen)
            self._add_problem(f"no worker was available for {count(seconds, 'second')}")
            self._stop = True
            return
        for work in list(self._in_progress):
            for id, start in list(work.copies.items()):
                if now - start >= self.policy.deadline:
                    self.port.cancel(id)
                    self._handle_death(id, 1)
            expected = self._pace.expected(self.plan.bytes_of(work.bundle))
            if work.finished or not work.copies or expected is None:
                continue
            limit = max(self.policy.copy_after, self.policy.copy_factor * expected)
            if now - max(work.copies.values()) > limit and work.copied + 1 < self.policy.tries:
                current_workers = {worker for id in work.copies if (worker := self.port.worker_of(id))}
                workers = set(self.port.workers())
                if workers and (workers <= current_workers | work.avoid or len(workers - work.avoid) <= len(work.copies)):
                    # There is no other worker for it.
                    continue
                work.avoid |= current_workers
                work.copied += 1
                self.result.copied += 1
                self._submit(work)

    # Handling answers.

    def _handle_events(self, events: list[Event]) -> None:
        for event in events:
            work = self._work_by_task.get(event.id)
            if work is None:
                continue
            match event:
                case Done(id, answer):
                    self._handle_answer(id, work, answer)
                case Failed(id, reason, worker):
                    self._handle_failure(id, work, reason, worker)
                case Died(id, deaths):
                    self._handle_death(id, deaths)

    def _remove_task(self, id: int) -> Work:
        work = self._work_by_task.pop(id)
        work.copies.pop(id, None)
        self._late_copies.discard(id)
        return work

    def _finish(self, work: Work) -> None:
        """Marks work as finished. Copies that are still in progress become late copies, whose answers are only
        compared."""
        work.finished = True
        self._in_progress.pop(work, None)
        self._late_copies |= work.copies.keys()

    def _handle_answer(self, id: int, work: Work, answer: Answer) -> None:
        self._remove_task(id)
        self._consecutive_failures = 0
        bundle = work.bundle
        if answer.status == "contradicts":
            self._report_contradiction(bundle, answer)
            return
        if work.finished:
            # This answer is from a copy that finished later.
            if work.probe is None and self.ledger.state(bundle) == COMPLETE:
                self._compare(bundle, answer)
            elif work.probe is None and self._part_digest(bundle) == answer.digest:
                # A part with failures is replaced by the next one.
                self.ledger.mark_done(bundle, answer.digest, bool(answer.failed), answer.worker)
            return
        if work.probe is not None:
            self._finish(work)
            self._queue.record_probe(work, self.plan.lines_of(bundle), died=False)
            return
        if answer.status == "not-compared" and work.must_recompute():
            self._retry_or_report(work, f"bundle {bundle}: {answer.worker} could not read all files again", answer.worker)
            return
        if work.reread:
            self._handle_reread(work, answer)
            return
        if answer.status in ("exists", "not-compared") and not work.must_recompute() and self.policy.reread:
            # The worker that wrote the part died or its answer was lost. Every part must be attributed to a worker, so
            # the bundle is read again.
            self._finish(work)
            self._queue.put(Work(bundle, again=True, alone=work.alone, withheld=work.withheld))
            return
        if answer.retryable and work.tries + 1 < self.policy.tries:
            self._retry(work, answer.worker)
            return
        if self._part_digest(bundle) != answer.digest:
            self._retry_or_report(work, f"bundle {bundle}: {answer.worker} reported a part that does not exist", answer.worker)
            return
        self._finish(work)
        self._rereads.invalidate(bundle)
        self._pace.add(answer)
        self.ledger.mark_done(bundle, answer.digest, bool(answer.failed), answer.worker)
        counts = {"lines": answer.lines, "failed": answer.failed, "bytes": answer.bytes}
        self.journal.add({"bundle": bundle, "state": "done", "worker": answer.worker, "digest": answer.digest} | counts)
        self._queue_reread(bundle)
        self._on_answer(work, answer)

    def _handle_failure(self, id: int, work: Work, reason: str, worker: str | None) -> None:
        self._remove_task(id)
        self._consecutive_failures += 1
        if work.finished:
            return
        if self._consecutive_failures >= 3 * self._window() + 3 * self.policy.tries:
            self._add_problem(f"too many failures; the last error was: {reason}")
            self._stop = True
        elif work.probe is not None:
            # The worker reported an error, so this does not count as a death.
            self._finish(work)
            self._queue.record_probe(work, self.plan.lines_of(work.bundle), died=False)
        else:
            self._retry_or_report(work, f"bundle {work.bundle}: {reason}", worker)

    def _retry_or_report(self, work: Work, reason: str, worker: str | None) -> None:
        if work.tries + 1 < self.policy.tries:
            self._retry(work, worker)
        elif not work.copies:
            self._finish(work)
            self._add_problem(reason)

    def _handle_death(self, id: int, deaths: int) -> None:
        work = self._remove_task(id)
        if work.finished:
            return
        work.deaths += deaths
        if work.deaths < self.policy.tries:
            self._retry(work, None)
            return
        # Other copies may still answer; these answers are processed when they arrive.
        self._finish(work)
        lines = self.plan.lines_of(work.bundle)
        if work.probe is not None:
            self._queue.record_probe(work, lines, died=True)
        elif work.reread or work.alone:
            self._add_problem(f"bundle {work.bundle}: its workers died {count(work.deaths, 'time')}")
        else:
            self._queue.start_bisection(work.bundle, lines)

    def _retry(self, work: Work, worker: str | None) -> None:
        work.tries += 1
        self._exclude_workers(work, {worker} if worker is not None else set())
        if not work.copies:
            self._in_progress.pop(work, None)
            self._queue.put(work)

    def _exclude_workers(self, work: Work, workers: set[str]) -> None:
        """Excludes workers from this work. If no worker is left, only these workers are excluded, or, for a reread, the
        worker that computed the bundle."""
        work.avoid |= workers
        if work.avoid >= set(self.port.workers()):
            work.avoid = frozenset({self.ledger.worker(work.bundle)}) if work.reread else frozenset(workers)

    # Rereads.

    def _queue_reread(self, bundle: int) -> None:
        if (work := self._rereads.reread_for(bundle, self.port.slots())) is not None:
            self._queue.put(work)

    def _handle_reread(self, work: Work, answer: Answer) -> None:
        bundle = work.bundle
        by_other_worker = answer.worker != self.ledger.worker(bundle)
        others = set(self.port.workers()) - {self.ledger.worker(bundle)}
        if not by_other_worker and others:
            self._retry_or_report(work, f"bundle {bundle}: computed by {answer.worker}, but not read again by another worker", answer.worker)
            return
        self._finish(work)
        if self._compare(bundle, answer):
            self._rereads.mark_done(bundle)
            self.result.reread += 1
            self.result.reread_by_other_worker += by_other_worker
            self.journal.add({"bundle": bundle, "state": "reread", "worker": answer.worker})

    def _compare(self, bundle: int, answer: Answer) -> bool:
        if answer.digest == self.ledger.digest(bundle):
            return True
        self._report_contradiction(bundle, answer)
        return False

    def _report_contradiction(self, bundle: int, answer: Answer) -> None:
        is_complete = self.ledger.state(bundle) == COMPLETE
        other = self.ledger.worker(bundle) if is_complete else "the existing part"
        self._stop = True
        self._add_problem(f"bundle {bundle}: {answer.worker} and {other} contradict each other: one of the two reads was wrong")
        self.journal.add({"state": "problem", "text": self.result.problems[-1]})

    def _add_problem(self, text: str) -> None:
        """Records a problem, because of which no manifest is written. The remaining work is completed for the next
        run."""
        self.result.problems.append(text)

    def _final_check(self) -> None:
        """Checks that the parts are still those that workers reported, and collects bundles with failures."""
        for bundle in self.ledger.finished():
            if self._part_digest(bundle) != self.ledger.digest(bundle):
                self.result.problems.append(f"bundle {bundle}: its part is not the one that {self.ledger.worker(bundle)} reported")
            if self.ledger.state(bundle) != COMPLETE:
                self.result.incomplete.append(bundle)
        self.journal.add({"end": True})
        self.journal.sync()
