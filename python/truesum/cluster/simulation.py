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
class Made:
    """A part that was computed in advance."""

    path: str
    digest: str
    lines: int
    failed: int
    again: int
    bytes: int


@dataclass(slots=True)
class Faults:
    """The faults; numbers are probabilities per task unless noted otherwise."""

    kill: float = 0.0
    refuse: float = 0.0
    passing: float = 0.0
    slow: float = 0.0
    mute: float = 0.0
    """The work is done, but the answer is lost."""
    vanish: float = 0.0
    """The part is lost after the answer."""
    crash: float = 0.0
    """The probability that the driver dies, per wait."""
    unsynced: bool = False
    """Everything that was not flushed is lost with the driver."""
    stopped: frozenset[str] = frozenset()
    liar: str | None = None
    poison: dict[int, int] = field(default_factory=dict)
    """Bundles with a line that kills every worker that reads it."""
    changed: frozenset[int] = frozenset()
    """Bundles with a file that has changed since the plan was written."""
    careless: bool = False
    """If two workers write a part, the last one wins, regardless of what the first one wrote."""


@dataclass(slots=True)
class World:
    """What survives a driver: the parts, the faults, the clock, and running tasks."""

    random: Random
    workers: list[str]
    faults: Faults
    make: Callable[[int, str, tuple[tuple[int, int], ...]], Made]
    parts: dict[int, Made] = field(default_factory=dict)
    contradicting: list[Made] = field(default_factory=list)
    time: float = 0.0
    computed: dict[int, int] = field(default_factory=dict)

    def put(self, bundle: int, made: Made) -> tuple[str, Made]:
        """Writes a part like the library: an existing part without failures is kept."""
        there = self.parts.get(bundle)
        good = there if there is not None and not there.failed else None
        if good is None or (self.faults.careless and made.digest != good.digest and not made.failed):
            self.parts[bundle] = made
            return "written", made
        if made.failed:
            return "kept", good
        if good.digest == made.digest:
            return "there", good
        self.contradicting.append(made)
        return "contradicts", made

    def digest(self, bundle: int) -> str | None:
        made = self.parts.get(bundle)
        return made.digest if made else None


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

    def lose(self, random: Random) -> None:
        """Keeps a random amount of the data that was not flushed."""
        self.data = self.data[: random.randint(self._synced, len(self.data))]


class Simulation:
    """The port of one driver in a world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._heap: list[tuple[float, int, Task, str, str]] = []
        self._holder: dict[int, str] = {}
        self._open: set[int] = set()
        self._free = dict.fromkeys(world.workers, world.time)
        self._next = 0

    def submit(self, task: Task, *, avoid: Collection[str] = (), near: str | None = None) -> int:
        world, random, faults = self._world, self._world.random, self._world.faults
        self._next += 1
        who = random.choice([worker for worker in world.workers if worker not in avoid] or world.workers)
        took = random.expovariate(1.0) * (30 if random.random() < faults.slow else 1)
        at = max(world.time, self._free[who]) + took
        fate = "done"
        for chance, name in ((faults.kill, "kill"), (faults.refuse, "refuse"), (faults.mute, "mute")):
            if random.random() < chance:
                fate = name
        line = faults.poison.get(task.bundle)
        if line is not None and not any(first <= line < end for first, end in task.withheld):
            fate = "kill"
        if who in faults.stopped:
            at, fate = float("inf"), "never"
        else:
            self._free[who] = at
        heapq.heappush(self._heap, (at, self._next, task, who, fate))
        self._holder[self._next] = who
        self._open.add(self._next)
        return self._next

    def wait(self, timeout: float) -> list[Event]:
        world = self._world
        if world.random.random() < world.faults.crash:
            # Some of the submitted tasks complete anyway.
            for _, _, task, who, fate in self._heap:
                if fate == "done" and world.random.random() < 0.3:
                    self._compute(task, who)
            raise Crash
        until = world.time + timeout
        if not self._heap or self._heap[0][0] > until:
            world.time = until
            return []
        at, id, task, who, fate = heapq.heappop(self._heap)
        world.time = max(world.time, at)
        events = [event for event in self._come(id, task, who, fate) if event.id in self._open]
        self._open -= {event.id for event in events}
        return events

    def _come(self, id: int, task: Task, who: str, fate: str) -> list[Event]:
        if fate == "kill":
            # The other tasks of this worker die with it, or move to another worker unnoticed.
            self._free[who] = self._world.time + 1
            others = [entry for entry in self._heap if entry[3] == who and self._world.random.random() < 0.5]
            self._heap = [entry for entry in self._heap if entry not in others]
            heapq.heapify(self._heap)
            return [Died(id), *(Died(entry[1]) for entry in others)]
        if fate == "refuse":
            return [Failed(id, "OSError: no such folder here", who)]
        answer = self._compute(task, who)
        return [] if fate == "mute" else [Done(id, answer)]

    def _compute(self, task: Task, who: str) -> Answer:
        world, random, faults = self._world, self._world.random, self._world.faults
        bundle = task.bundle
        there = world.parts.get(bundle)
        probing = task.folder == "probes"
        if not probing and not task.again and there is not None and not there.failed:
            return self._answer(who, "there", there)
        kind = "good"
        if who == faults.liar:
            kind = "lie"
        elif bundle in faults.changed:
            kind = "changed"
        elif random.random() < faults.passing:
            kind = "passing"
        made = world.make(bundle, kind, task.withheld)
        if probing:
            return self._answer(who, "written", made)
        world.computed[bundle] = world.computed.get(bundle, 0) + 1
        standing, made = world.put(bundle, made)
        answer = self._answer(who, standing, made)
        if random.random() < faults.vanish:
            world.parts.pop(bundle, None)
        return answer

    def _answer(self, who: str, standing: str, made: Made) -> Answer:
        return Answer(who, standing, made.digest, made.lines, made.failed, made.again, made.bytes, 1.0)

    def cancel(self, id: int) -> None:
        self._open.discard(id)

    def workers(self) -> Collection[str]:
        return self._world.workers

    def slots(self) -> int:
        return len(self._world.workers)

    def holder(self, id: int) -> str | None:
        return self._holder.get(id)

    def now(self) -> float:
        return self._world.time

    def close(self) -> None:
        """Does nothing."""
