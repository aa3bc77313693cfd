"""Tests the driver with simulated faults: 10,000 schedules, each generated from a seed. Each one must end like the
local run or with a specific error.

TRUESUM_SCHEDULES is the number of schedules and TRUESUM_SEED the first seed. To repeat a failed one, set
TRUESUM_SCHEDULES=1.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import time
from functools import lru_cache
from pathlib import Path
from random import Random

import pytest

import truesum
from truesum.__main__ import program
from truesum.cluster.driver import Driver
from truesum.cluster.journal import Journal
from truesum.cluster.ledger import Ledger
from truesum.cluster.policy import DriverResult, Policy
from truesum.cluster.rereads import Rereads
from truesum.cluster.simulation import Crash, Disk, Faults, SimulatedPart, Simulation, World
from truesum.cluster.task import Task
from truesum.cluster.work import Work
from truesum.shard import Plan

SCHEDULES = int(os.environ.get("TRUESUM_SCHEDULES", "10000"))
SEED = int(os.environ.get("TRUESUM_SEED", "0"))
WORKERS = ["a", "b", "c"]
Spans = tuple[tuple[int, int], ...]
Entries = list[tuple[str, dict[str, str]]]


class PartFactory:
    """A plan of seven bundles and all parts that workers may write, computed by the library."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        data = folder / "data"
        data.mkdir()
        for number in range(20):
            (data / f"{number:02}").write_bytes(b"%d " % number * 50)
        path = folder / "plan.jsonl"
        command = [str(program()), "shard", "plan", "-q", "-a", "md5", "--bundle-files", "3", "-o", str(path), "--root", str(data), str(data)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        self.plan = Plan(path)
        assert self.plan.bundles == 7
        # The correct digests, from an independent implementation.
        digests = {path.name: hashlib.md5(path.read_bytes()).hexdigest() for path in sorted(data.iterdir())}
        self.expected_entries: Entries = [(name, {"md5": digest}) for name, digest in digests.items()]
        self._parts: dict[tuple[int, str, Spans], SimulatedPart] = {}

    def make(self, bundle: int, kind: str, withheld: Spans) -> SimulatedPart:
        """Returns the part that a worker would write."""
        key = (bundle, kind, withheld)
        if key not in self._parts:
            self._parts[key] = self._make(bundle, kind, withheld)
        return self._parts[key]

    def _make(self, bundle: int, kind: str, withheld: Spans) -> SimulatedPart:
        folder = self.folder / f"{bundle}-{kind}-{withheld}"
        folder.mkdir()
        incomplete = kind in ("changed", "transient")
        part = self.plan.compute(bundle, folder, withheld=[(0, 1), *withheld] if incomplete else list(withheld), threads=1)
        path = folder / self.plan.part_name(bundle)
        *lines, end = path.read_text().splitlines(keepends=True)
        retryable = 0
        if kind == "transient":
            retryable = part.failed
            lines = [line.replace('"errno":null,"again":false', '"errno":5,"again":true') for line in lines]
            end = end.replace('"again":0', f'"again":{retryable}')
        elif kind == "wrong":
            lines = [line.replace('"md5":"', '"md5":"00000000', 1) for line in lines]
            lines = [line[: line.index('"00000000')] + '"00000000' + line[line.index('"00000000') + 17 :] if "00000000" in line else line for line in lines]
        content = "".join(lines) + end[: end.index(',"blake3":"')] + ',"blake3":"'
        digest = truesum.blake3(content.encode()).hexdigest()
        path.write_text(f'{content}{digest}"}}\n')
        checked = self.plan.check_part(bundle, path)
        assert (checked.digest, checked.retryable) == (digest, retryable)
        return SimulatedPart(str(path), digest, checked.lines, checked.failed, checked.retryable, checked.bytes)

    @lru_cache(maxsize=None)  # noqa: B019
    def merged(self, paths: tuple[str, ...]) -> tuple[bool, Entries, list[str]]:
        """Merges parts with the library, which makes the final decision."""
        entries: Entries = []
        merged = self.plan.merge(list(paths), lambda entry: entries.append((entry.name, entry.digests)))
        return merged.ok, entries, merged.faults


@pytest.fixture(scope="module")
def factory(tmp_path_factory: pytest.TempPathFactory) -> PartFactory:
    return PartFactory(tmp_path_factory.mktemp("parts"))


def random_faults(random: Random, bundles: int) -> Faults:
    """Returns the faults of one schedule: only a few kinds at a time, so that each occurs alone and in combination."""

    def random_rate(probability: float, maximum: float) -> float:
        return random.random() * maximum if random.random() < probability else 0.0

    faults = Faults(
        kill=random_rate(0.3, 0.2),
        refuse=random_rate(0.2, 0.15),
        transient=random_rate(0.2, 0.3),
        slow=random_rate(0.3, 0.3),
        lost_answer=random_rate(0.2, 0.15),
        lost_part=random_rate(0.1, 0.05),
        crash=random_rate(0.4, 0.1),
    )
    faults.unsynced = random.random() < 0.5
    faults.last_writer_wins = random.random() < 0.5
    if random.random() < 0.2:
        faults.stopped = frozenset([WORKERS[0]])
    if random.random() < 0.2:
        faults.wrong_worker = WORKERS[1]
    if random.random() < 0.15:
        faults.poison = {bundle: random.randrange(2) for bundle in random.sample(range(bundles), 2)}
    if random.random() < 0.1:
        faults.changed = frozenset(random.sample(range(bundles), 1))
    return faults


def must_succeed(faults: Faults) -> bool:
    """Returns whether the run must succeed, because no fault is a reason to fail."""
    reasons = (faults.kill, faults.refuse, faults.transient, faults.lost_answer, faults.lost_part)
    return not (any(reasons) or faults.wrong_worker or faults.poison or faults.changed)


class Schedule:
    """One run with all its drivers."""

    def __init__(self, factory: PartFactory, seed: int) -> None:
        self.factory, self.random = factory, Random(seed)
        self.faults = random_faults(self.random, int(factory.plan.bundles))
        self.world = World(self.random, WORKERS, self.faults, factory.make)
        self.disk = Disk(self.world)
        self.drivers = 0
        self.submitted = 0
        self.recorded: dict[int, str] = {}

    def task(self, work: Work) -> Task:
        self.submitted += 1
        # Work that a previous driver recorded as done correctly must not be repeated.
        if not work.reread and work.probe is None and work.bundle in self.recorded and not self.faults.last_writer_wins:
            assert self.world.digest(work.bundle) != self.recorded[work.bundle], f"bundle {work.bundle} is computed again"
        folder = "probes" if work.probe is not None else "parts"
        return Task("", self.factory.plan.id, work.bundle, folder, again=work.must_recompute(), withheld=work.withheld)

    def read_journal(self) -> None:
        """Reads the bundles that the journal records as done, after a driver died."""
        self.recorded = {}
        for line in self.disk.data[: self.disk.data.rfind(b"\n") + 1].splitlines()[1:]:
            record = json.loads(line)
            if record.get("state") == "done":
                self.recorded[record["bundle"]] = record["digest"]

    def run(self) -> DriverResult:
        policy = Policy(copy_after=5.0, deadline=400.0, reread=0.1, grace=2.0)
        while True:
            self.drivers += 1
            if self.drivers == 50:
                self.faults.crash = 0.0
            port = Simulation(self.world)
            try:
                journal = Journal(self.disk, self.factory.plan.id)
                return Driver(self.factory.plan, port, journal, policy, self.task, self.world.digest).run()
            except Crash:
                if self.faults.unsynced:
                    self.disk.discard_unsynced(self.random)
                self.read_journal()

    def run_and_check(self) -> bool:
        """Runs the schedule, compares the result with the expected one, and returns whether it succeeded."""
        result = self.run()
        assert self.submitted <= 60 * (self.drivers + 7), self.submitted
        assert self.world.time < 20_000 * self.drivers
        if result.problems:
            assert all(result.problems) and not must_succeed(self.faults), result.problems
            return False
        parts = [part.path for _, part in sorted(self.world.parts.items())]
        if self.faults.lost_part and self.random.random() < 0.3:
            # This happens after the driver's last check: only the merge can detect it.
            if self.random.random() < 0.5:
                parts.pop(self.random.randrange(len(parts)))
            else:
                parts.append(self.random.choice(parts))
        paths = parts + [part.path for part in self.world.contradicting]
        ok, entries, faults = self.factory.merged(tuple(paths))
        if not ok:
            assert faults and not must_succeed(self.faults), faults
            return False
        assert entries == self.factory.expected_entries, "the manifest differs from that of the local run"
        return True


def test_every_schedule_matches_the_local_run_or_fails_with_a_cause(factory: PartFactory) -> None:
    start = time.process_time()
    succeeded = drivers = submitted = 0
    for seed in range(SEED, SEED + SCHEDULES):
        schedule = Schedule(factory, seed)
        try:
            succeeded += schedule.run_and_check()
        except AssertionError as error:
            raise AssertionError(f"TRUESUM_SEED={seed} TRUESUM_SCHEDULES=1: {error}: {schedule.faults}") from error
        drivers += schedule.drivers
        submitted += schedule.submitted
    cpu_seconds = time.process_time() - start
    print(f"{SCHEDULES} schedules: {succeeded} succeeded, {drivers} drivers, {submitted} tasks, {cpu_seconds:.1f} s of processor time")
    # A driver that always fails would also pass, but would be useless.
    assert SCHEDULES < 100 or 0.5 * SCHEDULES < succeeded < 0.95 * SCHEDULES
    assert SCHEDULES < 10_000 or cpu_seconds < 60


def test_schedules_are_reproducible_by_seed(factory: PartFactory) -> None:
    for seed in range(20):
        runs = [Schedule(factory, seed) for _ in range(2)]
        results = [(schedule.run_and_check(), schedule.submitted, schedule.world.time, schedule.disk.data) for schedule in runs]
        assert results[0] == results[1]


def test_poisoned_bundle_is_bisected_to_the_file(factory: PartFactory) -> None:
    world = World(Random(1), WORKERS, Faults(poison={2: 1, 5: 0}), factory.make)
    submitted: list[Work] = []

    def task(work: Work) -> Task:
        submitted.append(work)
        folder = "probes" if work.probe is not None else "parts"
        return Task("", factory.plan.id, work.bundle, folder, again=work.must_recompute(), withheld=work.withheld)

    result = Driver(factory.plan, Simulation(world), Journal(Disk(), factory.plan.id), Policy(), task, world.digest).run()
    assert (result.problems, result.incomplete) == ([], [2, 5])
    failures = {bundle: factory.plan.check_part(bundle, world.parts[bundle].path).failures for bundle in result.incomplete}
    assert {bundle: [name for name, _, _ in found] for bundle, found in failures.items()} == {2: ["07"], 5: ["15"]}
    assert all(kind == "refused" and "not attempted again" in reason for found in failures.values() for _, kind, reason in found)
    ok, entries, faults = factory.merged(tuple(part.path for _, part in sorted(world.parts.items())))
    assert not ok and len(entries) == 18 and len(faults) == 2
    assert max(work.deaths for work in submitted) <= 3


def test_first_bundle_of_each_worker_is_reread_if_cheap() -> None:
    def count_rereads(bundles: int, workers: int, policy: Policy) -> int:
        ledger = Ledger(bundles)
        rereads = Rereads("5b1e7c02", policy, ledger)
        for bundle in range(bundles):
            ledger.mark_done(bundle, "00" * 32, False, f"w{bundle % workers}")
        return sum(rereads.reread_for(bundle, workers) is not None for bundle in range(bundles))

    policy = Policy(reread=1e-12, reread_first=0.02)
    assert (count_rereads(100, 2, policy), count_rereads(99, 2, policy), count_rereads(1000, 20, policy), count_rereads(1000, 21, policy)) == (2, 0, 20, 0)
    assert count_rereads(7, 3, Policy(reread=1e-12)) == 3
    assert count_rereads(100, 2, Policy(reread=0)) == 0 and count_rereads(10, 2, Policy(reread=1)) == 10


def test_run_without_workers_ends(factory: PartFactory) -> None:
    class WithoutWorkers(Simulation):
        def slots(self) -> int:
            return 0 if self.now() > 20 else 3

    world = World(Random(1), WORKERS, Faults(stopped=frozenset(WORKERS)), factory.make)
    result = Driver(
        factory.plan,
        WithoutWorkers(world),
        Journal(Disk(), factory.plan.id),
        Policy(no_worker_timeout=30.0),
        lambda work: Task("", factory.plan.id, work.bundle, "parts"),
        world.digest,
    ).run()
    assert result.problems == ["no worker was available for 30 seconds"] and 50 <= world.time < 60


def test_journal_is_correct_or_rejected(factory: PartFactory) -> None:
    good, other = Disk(), Disk()
    Journal(good, "one").add({"end": True})
    content = good.data
    assert list(Journal(good, "one").records()) == [{"end": True}]
    for length in range(len(content)):
        # The file ends within its last or its only line.
        other.data = content[:length]
        records = list(Journal(other, "one").records())
        assert records == [] and other.data == content[: content.index(b"\n") + 1]
    with pytest.raises(ValueError, match="another plan"):
        Journal(good, "two")
    for damage in (b"5\n", b"\xff\n", b'{"end":tru}\n'):
        other.data = content + damage
        with pytest.raises(ValueError, match="damaged in line 3"):
            list(Journal(other, "one").records())


def test_invalid_policies_are_rejected() -> None:
    for invalid in ({"tries": 0}, {"reread": 1.5}, {"reread": float("nan")}, {"reread_first": -0.1}, {"copy_after": -1.0}, {"deadline": float("nan")}):
        with pytest.raises(ValueError, match=next(iter(invalid))):
            Policy(**invalid)
