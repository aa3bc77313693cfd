"""The result of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from .progress import WorkerStats


@dataclass(slots=True)
class Report:
    """The result of a run on a cluster. It is true only if every file was hashed or verified."""

    manifest: str | None = None
    """The manifest that was written, or None."""
    verdict: Literal["hashed", "verified", "failed"] = "failed"
    files: int = 0
    bytes: int = 0
    bundles: int = 0
    problems: list[str] = field(default_factory=list)
    """Reasons why there is no manifest, or why nothing was verified."""
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    """Files that failed, as (name, kind, reason) (at most 1,000)."""
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
    workers: dict[str, WorkerStats] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """True if every file was hashed or verified."""
        return self.verdict != "failed"

    def __bool__(self) -> bool:
        return self.ok

    @property
    def exit_status(self) -> int:
        """0 if everything succeeded, otherwise 1."""
        return 0 if self.ok else 1
