"""What is asked of a worker, what it answers, and what else may become of a task. All of it travels."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Task:
    """One bundle of a plan, to be computed into its part."""

    plan: str
    """Where the plan lies, for workers too."""
    id: str
    """Its digest: a worker that finds another plan there refuses."""
    bundle: int
    folder: str
    """Where the part goes."""
    root: str | None = None
    """The folder that names lead from, where workers have it elsewhere than the plan says."""
    threads: int = 1
    again: bool = False
    """Whether a part that is there is computed again and compared."""
    withheld: tuple[tuple[int, int], ...] = ()
    """Lines of the bundle that are not read."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a worker says of a bundle. The part says it too, and is what counts."""

    worker: str
    standing: str
    """That of truesum.shard.Part."""
    digest: str
    """The digest that ends the part."""
    lines: int
    failed: int
    again: int
    """Files among those that failed which another attempt may read."""
    bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Done:
    """A worker answered."""

    id: int
    answer: Answer


@dataclass(frozen=True, slots=True)
class Failed:
    """A worker could not do it, and said why."""

    id: int
    reason: str
    worker: str | None = None


@dataclass(frozen=True, slots=True)
class Died:
    """Whoever had the task ended without a word; so many times, where the engine tried by itself."""

    id: int
    deaths: int = 1


Event = Done | Failed | Died
