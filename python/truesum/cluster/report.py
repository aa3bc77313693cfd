"""What a run came to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .progress import Share


@dataclass(slots=True)
class Report:
    """What a run on a cluster came to. True only if all is known and good."""

    manifest: str | None = None
    """The manifest that was written; None if there is none."""
    verdict: Literal["hashed", "verified", "failed"] = "failed"
    files: int = 0
    bytes: int = 0
    bundles: int = 0
    problems: list[str] = field(default_factory=list)
    """Why there is no manifest, or nothing verified, in words."""
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    """Files that are not good, as (name, kind, reason); the first thousand."""
    submitted: int = 0
    """Tasks given to workers."""
    resumed: int = 0
    """Bundles that an earlier run had done."""
    copied: int = 0
    """Copies of tasks that took too long."""
    reread: int = 0
    """Bundles that were read twice."""
    reread_elsewhere: int = 0
    """Those among them that another worker read."""
    workers: dict[str, Share] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether every file was hashed, or verified."""
        return self.verdict != "failed"

    def __bool__(self) -> bool:
        return self.ok

    @property
    def exit_status(self) -> int:
        """0 if it is good, else 1."""
        return 0 if self.ok else 1
