"""The messages between driver and workers: tasks, answers, and other outcomes of a task. All of them are pickled."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Task:
    """A task: compute one bundle of a plan and write its part."""

    plan: str
    """The path of the plan on the workers."""
    id: str
    """The digest of the plan. A worker that finds a different plan refuses the task."""
    bundle: int
    folder: str
    """The folder for the part."""
    root: str | None = None
    """The root folder on the worker, if it differs from the one in the plan."""
    threads: int = 1
    again: bool = False
    """True to compute an existing part again and compare."""
    withheld: tuple[tuple[int, int], ...] = ()
    """Lines of the bundle that are not read."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A worker's answer for a bundle. The part contains the same information and is authoritative."""

    worker: str
    status: str
    """The status of the truesum.shard.Part."""
    digest: str
    """The digest that ends the part."""
    lines: int
    failed: int
    retryable: int
    """Failed files that may succeed when retried."""
    bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Done:
    """A worker answered."""

    id: int
    answer: Answer


@dataclass(frozen=True, slots=True)
class Failed:
    """A worker failed and reported the reason."""

    id: int
    reason: str
    worker: str | None = None


@dataclass(frozen=True, slots=True)
class Died:
    """The worker died without an answer; `deaths` includes the engine's own retries."""

    id: int
    deaths: int = 1


Event = Done | Failed | Died
