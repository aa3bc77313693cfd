"""A simulated port with virtual time and faults generated from a seed. No worker runs: their parts were computed in
advance by the rules of truesum.shard, and the remaining parts are merged by the library at the end."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from random import Random

from .task import Answer, Died, Done, Event, Failed, Task


class Crash(Exception):
    """The driver dies here."""


@dataclass(frozen=True, slots=True)
class SimulatedPart:
    """A part that was computed in advance."""

    path: str
    digest: str
    lines: int
    failed: int
    retryable: int
    bytes: int


@dataclass(slots=True)
class Faults:
    """The faults; numbers are probabilities per task unless noted otherwise."""

    kill: float = 0.0
    """The worker dies, and possibly other tasks with it."""
    refuse: float = 0.0
    """The worker reports an error."""
    transient: float = 0.0
    """A file fails but succeeds when retried."""
    slow: float = 0.0
    """The task takes 30 times as long."""
    lost_answer: float = 0.0
    """The work is done, but the answer is lost."""
    lost_part: float = 0.0
    """The part is lost after the answer."""
    crash: float = 0.0
    """The probability that the driver dies, per wait."""
    unsynced: bool = False
    """If the driver dies, data that was not flushed may be lost."""
    stopped: frozenset[str] = frozenset()
    """Workers that never answer."""
    wrong_worker: str | None = None
    """The worker whose digests are wrong."""
    poison: dict[int, int] = field(default_factory=dict)
    """Bundles with a line that kills every worker that reads it."""
    changed: frozenset[int] = frozenset()
    """Bundles with a file that has changed since the plan was written."""
    last_writer_wins: bool = False
    """If two workers write a part, the last one wins, regardless of what the first one wrote."""


@dataclass(slots=True)
class World:
    """The state that survives a driver: the parts, the faults, the clock, and running tasks."""

    random: Random
    workers: list[str]
    faults: Faults
    make: Callable[[int, str, tuple[tuple[int, int], ...]], SimulatedPart]
    parts: dict[int, SimulatedPart] = field(default_factory=dict)
    contradicting: list[SimulatedPart] = field(default_factory=list)
    time: float = 0.0
    computed: dict[int, int] = field(default_factory=dict)

    def put(self, bundle: int, part: SimulatedPart) -> tuple[str, SimulatedPart]:
        """Writes a part like the library: an existing part without failures is not replaced."""
        existing = self.parts.get(bundle)
        complete = existing if existing is not None and not existing.failed else None
        if complete is None or (self.faults.last_writer_wins and part.digest != complete.digest and not part.failed):
            self.parts[bundle] = part
            return "written", part
        if part.failed:
            return "not-compared", complete
        if complete.digest == part.digest:
            return "exists", complete
        self.contradicting.append(part)
        return "contradicts", part

    def digest(self, bundle: int) -> str | None:
        part = self.parts.get(bundle)
        return part.digest if part else None


class Disk:
    """The file of a journal. The driver may die while writing a line, which leaves part of it; data that was not
    flushed may be lost."""

    def __init__(self, world: World | None = None) -> None:
        self.data = b""
        self._synced = 0
        self._world = world

    def read(self) -> bytes:
        return self.data

    def truncate(self, size: int) -> None:
        self.data = self.data[:size]

    def write(self, data: bytes) -> None:
        world = self._world
        if world is not None and world.random.random() < world.faults.crash:
            self.data += data[: world.random.randrange(len(data))]
            raise Crash
        self.data += data

    def sync(self) -> None:
        self._synced = len(self.data)

    def discard_unsynced(self, random: Random) -> None:
        """Keeps a random amount of the data that was not flushed."""
        self.data = self.data[: random.randint(self._synced, len(self.data))]


class Simulation:
    """The port of one driver in a world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._heap: list[tuple[float, int, Task, str, str]] = []
        self._workers: dict[int, str] = {}
        self._open: set[int] = set()
        self._free = dict.fromkeys(world.workers, world.time)
        self._next = 0

    def submit(self, task: Task, *, avoid: Collection[str] = (), near: str | None = None) -> int:
        world, random, faults = self._world, self._world.random, self._world.faults
        self._next += 1
        worker = random.choice([worker for worker in world.workers if worker not in avoid] or world.workers)
        duration = random.expovariate(1.0) * (30 if random.random() < faults.slow else 1)
        end = max(world.time, self._free[worker]) + duration
        outcome = "done"
        for probability, name in ((faults.kill, "kill"), (faults.refuse, "refuse"), (faults.lost_answer, "lost answer")):
            if random.random() < probability:
                outcome = name
        line = faults.poison.get(task.bundle)
        if line is not None and not any(first <= line < end for first, end in task.withheld):
            outcome = "kill"
        if worker in faults.stopped:
            end, outcome = float("inf"), "never"
        else:
            self._free[worker] = end
        heapq.heappush(self._heap, (end, self._next, task, worker, outcome))
        self._workers[self._next] = worker
        self._open.add(self._next)
        return self._next

    def wait(self, timeout: float) -> list[Event]:
        world = self._world
        if world.random.random() < world.faults.crash:
            # Some of the submitted tasks complete anyway.
            for _, _, task, worker, outcome in self._heap:
                if outcome == "done" and world.random.random() < 0.3:
                    self._compute(task, worker)
            raise Crash
        until = world.time + timeout
        if not self._heap or self._heap[0][0] > until:
            world.time = until
            return []
        end, id, task, worker, outcome = heapq.heappop(self._heap)
        world.time = max(world.time, end)
        events = [event for event in self._events_of(id, task, worker, outcome) if event.id in self._open]
        self._open -= {event.id for event in events}
        return events

    def _events_of(self, id: int, task: Task, worker: str, outcome: str) -> list[Event]:
        if outcome == "kill":
            # The other tasks of this worker die with it, or move to another worker unnoticed.
            self._free[worker] = self._world.time + 1
            others = [entry for entry in self._heap if entry[3] == worker and self._world.random.random() < 0.5]
            self._heap = [entry for entry in self._heap if entry not in others]
            heapq.heapify(self._heap)
            return [Died(id), *(Died(entry[1]) for entry in others)]
        if outcome == "refuse":
            return [Failed(id, "OSError: no such folder here", worker)]
        answer = self._compute(task, worker)
        return [] if outcome == "lost answer" else [Done(id, answer)]

    def _compute(self, task: Task, worker: str) -> Answer:
        world, random, faults = self._world, self._world.random, self._world.faults
        bundle = task.bundle
        existing = world.parts.get(bundle)
        is_probe = task.folder == "probes"
        if not is_probe and not task.again and existing is not None and not existing.failed:
            return self._answer(worker, "exists", existing)
        kind = "good"
        if worker == faults.wrong_worker:
            kind = "wrong"
        elif bundle in faults.changed:
            kind = "changed"
        elif random.random() < faults.transient:
            kind = "transient"
        part = world.make(bundle, kind, task.withheld)
        if is_probe:
            return self._answer(worker, "written", part)
        world.computed[bundle] = world.computed.get(bundle, 0) + 1
        status, part = world.put(bundle, part)
        answer = self._answer(worker, status, part)
        if random.random() < faults.lost_part:
            world.parts.pop(bundle, None)
        return answer

    def _answer(self, worker: str, status: str, part: SimulatedPart) -> Answer:
        return Answer(worker, status, part.digest, part.lines, part.failed, part.retryable, part.bytes, 1.0)

    def cancel(self, id: int) -> None:
        self._open.discard(id)

    def workers(self) -> Collection[str]:
        return self._world.workers

    def slots(self) -> int:
        return len(self._world.workers)

    def worker_of(self, id: int) -> str | None:
        return self._workers.get(id)

    def now(self) -> float:
        return self._world.time

    def close(self) -> None:
        """Does nothing."""
