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
from truesum.cluster.policy import Policy, Told
from truesum.cluster.rereads import Rereads
from truesum.cluster.simulation import Crash, Disk, Faults, Made, Simulation, World
from truesum.cluster.task import Task
from truesum.cluster.work import Work
from truesum.shard import Plan

SCHEDULES = int(os.environ.get("TRUESUM_SCHEDULES", "10000"))
SEED = int(os.environ.get("TRUESUM_SEED", "0"))
WORKERS = ["a", "b", "c"]
Spans = tuple[tuple[int, int], ...]
Entries = list[tuple[str, dict[str, str]]]


class Stock:
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
        read = {path.name: hashlib.md5(path.read_bytes()).hexdigest() for path in sorted(data.iterdir())}
        self.right: Entries = [(name, {"md5": digest}) for name, digest in read.items()]
        self._made: dict[tuple[int, str, Spans], Made] = {}

    def make(self, bundle: int, kind: str, withheld: Spans) -> Made:
        """Returns the part that a worker would write."""
        key = (bundle, kind, withheld)
        if key not in self._made:
            self._made[key] = self._make(bundle, kind, withheld)
        return self._made[key]

    def _make(self, bundle: int, kind: str, withheld: Spans) -> Made:
        folder = self.folder / f"{bundle}-{kind}-{withheld}"
        folder.mkdir()
        flawed = kind in ("changed", "passing")
        part = self.plan.compute(bundle, folder, withheld=[(0, 1), *withheld] if flawed else list(withheld), threads=1)
        path = folder / self.plan.part_name(bundle)
        *lines, end = path.read_text().splitlines(keepends=True)
        again = 0
        if kind == "passing":
            again = part.failed
            lines = [line.replace('"errno":null,"again":false', '"errno":5,"again":true') for line in lines]
            end = end.replace('"again":0', f'"again":{again}')
        elif kind == "lie":
            lines = [line.replace('"md5":"', '"md5":"00000000', 1) for line in lines]
            lines = [line[: line.index('"00000000')] + '"00000000' + line[line.index('"00000000') + 17 :] if "00000000" in line else line for line in lines]
        covered = "".join(lines) + end[: end.index(',"blake3":"')] + ',"blake3":"'
        digest = truesum.blake3(covered.encode()).hexdigest()
        path.write_text(f'{covered}{digest}"}}\n')
        held = self.plan.hold(bundle, path)
        assert (held.digest, held.again) == (digest, again)
        return Made(str(path), digest, held.lines, held.failed, held.again, held.bytes)

    @lru_cache(maxsize=None)  # noqa: B019
    def merged(self, paths: tuple[str, ...]) -> tuple[bool, Entries, list[str]]:
        """Merges parts with the library, which makes the final decision."""
        entries: Entries = []
        merged = self.plan.merge(list(paths), lambda entry: entries.append((entry.name, entry.digests)))
        return merged.ok, entries, merged.faults


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Stock:
    return Stock(tmp_path_factory.mktemp("stock"))


def drawn(random: Random, bundles: int) -> Faults:
    """The faults of one schedule: only a few kinds at a time, so that each occurs alone and in combination."""

    def some(chance: float, most: float) -> float:
        return random.random() * most if random.random() < chance else 0.0

    faults = Faults(some(0.3, 0.2), some(0.2, 0.15), some(0.2, 0.3), some(0.3, 0.3), some(0.2, 0.15), some(0.1, 0.05), some(0.4, 0.1))
    faults.unsynced = random.random() < 0.5
    faults.careless = random.random() < 0.5
    if random.random() < 0.2:
        faults.stopped = frozenset([WORKERS[0]])
    if random.random() < 0.2:
        faults.liar = WORKERS[1]
    if random.random() < 0.15:
        faults.poison = {bundle: random.randrange(2) for bundle in random.sample(range(bundles), 2)}
    if random.random() < 0.1:
        faults.changed = frozenset(random.sample(range(bundles), 1))
    return faults


def mild(faults: Faults) -> bool:
    """Returns whether the run must succeed, because no fault is a reason to fail."""
    return not (
        faults.kill or faults.refuse or faults.passing or faults.mute or faults.vanish or faults.liar or faults.poison or faults.changed
    )


class Schedule:
    """One run with all its drivers."""

    def __init__(self, stock: Stock, seed: int) -> None:
        self.stock, self.random = stock, Random(seed)
        self.faults = drawn(self.random, int(stock.plan.bundles))
        self.world = World(self.random, WORKERS, self.faults, stock.make)
        self.disk = Disk(self.world)
        self.drivers = 0
        self.submitted = 0
        self.known: dict[int, str] = {}

    def task(self, work: Work) -> Task:
        self.submitted += 1
        # Work that a previous driver recorded as done correctly must not be repeated.
        if not work.reread and work.probe is None and work.bundle in self.known and not self.faults.careless:
            assert self.world.digest(work.bundle) != self.known[work.bundle], f"bundle {work.bundle} is done again"
        folder = "probes" if work.probe is not None else "parts"
        return Task("", self.stock.plan.id, work.bundle, folder, again=work.must_read(), withheld=work.withheld)

    def recall(self) -> None:
        """Returns what the journal contains after a driver died."""
        self.known = {}
        for line in self.disk.data[: self.disk.data.rfind(b"\n") + 1].splitlines()[1:]:
            record = json.loads(line)
            if record.get("state") == "done":
                self.known[record["bundle"]] = record["digest"]

    def run(self) -> Told:
        policy = Policy(least=5.0, deadline=400.0, reread=0.1, grace=2.0)
        while True:
            self.drivers += 1
            if self.drivers == 50:
                self.faults.crash = 0.0
            port = Simulation(self.world)
            try:
                journal = Journal(self.disk, self.stock.plan.id)
                return Driver(self.stock.plan, port, journal, policy, self.task, self.world.digest).run()
            except Crash:
                if self.faults.unsynced:
                    self.disk.lose(self.random)
                self.recall()

    def judge(self) -> bool:
        """Runs the schedule, compares the result with the expected one, and returns whether it succeeded."""
        result = self.run()
        assert self.submitted <= 60 * (self.drivers + 7), self.submitted
        assert self.world.time < 20_000 * self.drivers
        if result.problems:
            assert all(result.problems) and not mild(self.faults), result.problems
            return False
        parts = [made.path for _, made in sorted(self.world.parts.items())]
        if self.faults.vanish and self.random.random() < 0.3:
            # This happens after the driver's last check: only the merge can detect it.
            if self.random.random() < 0.5:
                parts.pop(self.random.randrange(len(parts)))
            else:
                parts.append(self.random.choice(parts))
        paths = parts + [made.path for made in self.world.contradicting]
        ok, entries, faults = self.stock.merged(tuple(paths))
        if not ok:
            assert faults and not mild(self.faults), faults
            return False
        assert entries == self.stock.right, "another manifest than that of the local run"
        return True


def test_every_schedule_matches_the_local_run_or_fails_with_a_cause(stock: Stock) -> None:
    since = time.process_time()
    well = drivers = submitted = 0
    for seed in range(SEED, SEED + SCHEDULES):
        schedule = Schedule(stock, seed)
        try:
            well += schedule.judge()
        except AssertionError as error:
            raise AssertionError(f"TRUESUM_SEED={seed} TRUESUM_SCHEDULES=1: {error}: {schedule.faults}") from error
        drivers += schedule.drivers
        submitted += schedule.submitted
    took = time.process_time() - since
    print(f"{SCHEDULES} schedules: {well} well, {drivers} drivers, {submitted} tasks, {took:.1f} s of processor time")
    # A driver that always fails would also pass, but would be useless.
    assert SCHEDULES < 100 or 0.5 * SCHEDULES < well < 0.95 * SCHEDULES
    assert SCHEDULES < 10_000 or took < 60


def test_schedules_are_reproducible_by_seed(stock: Stock) -> None:
    for seed in range(20):
        runs = [Schedule(stock, seed) for _ in range(2)]
        ended = [(schedule.judge(), schedule.submitted, schedule.world.time, schedule.disk.data) for schedule in runs]
        assert ended[0] == ended[1]


def test_poisoned_bundle_is_bisected_to_the_file(stock: Stock) -> None:
    world = World(Random(1), WORKERS, Faults(poison={2: 1, 5: 0}), stock.make)
    submitted: list[Work] = []

    def task(work: Work) -> Task:
        submitted.append(work)
        folder = "probes" if work.probe is not None else "parts"
        return Task("", stock.plan.id, work.bundle, folder, again=work.must_read(), withheld=work.withheld)

    result = Driver(stock.plan, Simulation(world), Journal(Disk(), stock.plan.id), Policy(), task, world.digest).run()
    assert (result.problems, result.flawed) == ([], [2, 5])
    failures = {bundle: stock.plan.hold(bundle, world.parts[bundle].path).failures for bundle in result.flawed}
    assert {bundle: [name for name, _, _ in found] for bundle, found in failures.items()} == {2: ["07"], 5: ["15"]}
    assert all(kind == "refused" and "not attempted again" in reason for found in failures.values() for _, kind, reason in found)
    ok, entries, faults = stock.merged(tuple(made.path for _, made in sorted(world.parts.items())))
    assert not ok and len(entries) == 18 and len(faults) == 2
    assert max(work.deaths for work in submitted) <= 3


def test_first_bundle_of_each_worker_is_reread_if_cheap() -> None:
    def read(bundles: int, workers: int, policy: Policy) -> int:
        ledger = Ledger(bundles)
        rereads = Rereads("5b1e7c02", policy, ledger)
        for bundle in range(bundles):
            ledger.note(bundle, "00" * 32, False, f"w{bundle % workers}")
        return sum(rereads.wanted(bundle, workers) is not None for bundle in range(bundles))

    none = Policy(reread=1e-12, reread_first=0.02)
    assert (read(100, 2, none), read(99, 2, none), read(1000, 20, none), read(1000, 21, none)) == (2, 0, 20, 0)
    assert read(7, 3, Policy(reread=1e-12)) == 3
    assert read(100, 2, Policy(reread=0)) == 0 and read(10, 2, Policy(reread=1)) == 10


def test_run_without_workers_ends(stock: Stock) -> None:
    class Deserted(Simulation):
        def slots(self) -> int:
            return 0 if self.now() > 20 else 3

    world = World(Random(1), WORKERS, Faults(stopped=frozenset(WORKERS)), stock.make)
    result = Driver(
        stock.plan,
        Deserted(world),
        Journal(Disk(), stock.plan.id),
        Policy(stranded=30.0),
        lambda work: Task("", stock.plan.id, work.bundle, "parts"),
        world.digest,
    ).run()
    assert result.problems == ["no worker was available for 30 seconds"] and 50 <= world.time < 60


def test_journal_is_correct_or_rejected(stock: Stock) -> None:
    good, other = Disk(), Disk()
    Journal(good, "one").add({"end": True})
    whole = good.data
    assert list(Journal(good, "one").records()) == [{"end": True}]
    for torn in range(len(whole)):
        # The last line is cut, and in another case the only one.
        other.data = whole[:torn]
        rest = list(Journal(other, "one").records())
        assert rest == [] and other.data == whole[: whole.index(b"\n") + 1]
    with pytest.raises(ValueError, match="another plan"):
        Journal(good, "two")
    for damage in (b"5\n", b"\xff\n", b'{"end":tru}\n'):
        other.data = whole + damage
        with pytest.raises(ValueError, match="damaged in line 3"):
            list(Journal(other, "one").records())


def test_invalid_policies_are_rejected() -> None:
    for wrong in ({"tries": 0}, {"reread": 1.5}, {"reread": float("nan")}, {"reread_first": -0.1}, {"least": -1.0}, {"deadline": float("nan")}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Policy(**wrong)
