"""What a driver is asked for, and what it tells in the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol


class Planned(Protocol):
    """What of a plan has to be known: truesum.shard.Plan has it."""

    @property
    def id(self) -> str: ...
    @property
    def bundles(self) -> int: ...
    def bytes_of(self, bundle: int) -> int: ...
    def lines_of(self, bundle: int) -> int: ...


@dataclass(frozen=True, slots=True)
class Policy:
    """How much is risked, and how long is waited."""

    window: int = 0
    """Tasks under way; 0: two for each that can run, and two."""
    tries: int = 3
    """Attempts at a bundle that come to nothing, and workers that may end over it."""
    patience: float = 4.0
    """A copy is begun of what takes so many times as long as others of its size."""
    least: float = 10.0
    """And no less than so many seconds."""
    deadline: float = float("inf")
    """Seconds after which whoever has a task counts as ended."""
    grace: float = 5.0
    """Seconds that copies of what is done are waited for in the end, to be compared."""
    stranded: float = 300.0
    """Seconds without any worker after which the run ends; what was done is kept."""
    reread: float = 0.01
    """Share of the bundles that another worker reads too, as they are drawn."""
    reread_first: float = 0.02
    """The first bundle of each worker is read by another one too, where these are no more than this share of all; 1: always."""

    def __post_init__(self) -> None:
        """Raises ValueError for what cannot be meant."""
        if self.tries < 1:
            raise ValueError(f"tries: {self.tries}: a bundle is attempted once at least")
        for name in ("reread", "reread_first"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}: {getattr(self, name)}: it is a share, from 0 to 1")
        for name in ("window", "patience", "least", "deadline", "grace", "stranded"):
            # Not what it is not: a NaN is neither.
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name}: {getattr(self, name)}: it is a number from 0 on")


@dataclass(slots=True)
class Told:
    """What the driver knows at the end."""

    problems: list[str] = field(default_factory=list)
    """Why there must be no manifest, whatever the parts say."""
    flawed: list[int] = field(default_factory=list)
    """Bundles with files that have no digest."""
    submitted: int = 0
    resumed: int = 0
    """Bundles that were done before."""
    copied: int = 0
    reread: int = 0
    reread_elsewhere: int = 0
