"""The settings of a driver and its result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol


class PlanView(Protocol):
    """The properties of a plan that the driver needs; implemented by truesum.shard.Plan."""

    @property
    def id(self) -> str: ...
    @property
    def bundles(self) -> int: ...
    def bytes_of(self, bundle: int) -> int: ...
    def lines_of(self, bundle: int) -> int: ...


@dataclass(frozen=True, slots=True)
class Policy:
    """Limits for retries, waiting and rereading."""

    window: int = 0
    """Tasks in progress; 0: two for each that can run, plus two."""
    tries: int = 3
    """Failed attempts per bundle, and worker deaths it may cause, before it is given up."""
    copy_factor: float = 4.0
    """A copy of a task is started if the task takes this many times as long as others of its size."""
    copy_after: float = 10.0
    """The minimum number of seconds before a copy is started."""
    deadline: float = float("inf")
    """Seconds after which the worker of a task is considered dead."""
    grace: float = 5.0
    """Seconds to wait at the end for copies of completed tasks, to compare the results."""
    no_worker_timeout: float = 300.0
    """Seconds without any worker after which the run ends; completed work is kept."""
    reread: float = 0.01
    """The fraction of randomly selected bundles that a second worker rereads."""
    reread_first: float = 1.0
    """The first bundle of each worker is also reread by another worker if these are at most this fraction of all bundles;
    1: always."""

    def __post_init__(self) -> None:
        """Raises ValueError for invalid values."""
        if self.tries < 1:
            raise ValueError(f"tries: {self.tries}: must be at least 1")
        for name in ("reread", "reread_first"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}: {getattr(self, name)}: must be between 0 and 1")
        for name in ("window", "copy_factor", "copy_after", "deadline", "grace", "no_worker_timeout"):
            # Written as `not >=` so that NaN is rejected too.
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name}: {getattr(self, name)}: must not be negative")


@dataclass(slots=True)
class DriverResult:
    """The result of a driver's run."""

    problems: list[str] = field(default_factory=list)
    """Reasons why no manifest may be written, regardless of the parts."""
    incomplete: list[int] = field(default_factory=list)
    """Bundles with files that have no digest."""
    submitted: int = 0
    """Tasks submitted to workers."""
    resumed: int = 0
    """Bundles completed by an earlier run."""
    copied: int = 0
    """Copies of slow tasks."""
    reread: int = 0
    """Bundles that were read twice."""
    reread_by_other_worker: int = 0
    """Bundles that were reread by a different worker."""
