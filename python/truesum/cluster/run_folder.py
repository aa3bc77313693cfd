"""The folder shared by driver and workers: the request, the plan, the parts and the journal. Only one driver at a time
can use it."""

from __future__ import annotations

import json
import os
from typing import Any, Self

from .journal import LockedFile
from .sources import Name

SCHEMA = "truesum-cluster/1"


class RunFolder:
    """The folder of one run, created if it does not exist."""

    def __init__(self, folder: Name) -> None:
        self.folder = os.path.abspath(os.fsdecode(folder))
        self.plan = os.path.join(self.folder, "plan.jsonl")
        self.state_file = os.path.join(self.folder, "run.json")
        self.found_manifest = os.path.join(self.folder, "found.jsonl")
        self.parts = os.path.join(self.folder, "parts")
        self.probes = os.path.join(self.folder, "probes")
        for path in (self.parts, self.probes):
            os.makedirs(path, exist_ok=True)
        self.journal = LockedFile(os.path.join(self.folder, "journal.jsonl"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.journal.close()

    def load(self, request: dict[str, Any]) -> list[str] | None:
        """Returns descriptions of what the existing plan omits, or None if there is no plan yet. Raises ValueError if
        the plan was made for a different request, or if the run is over: then nothing would be read again, so nothing
        could be reported about the current state of the files."""
        if not os.path.exists(self.plan):
            return None
        try:
            with open(self.state_file, "rb") as file:
                data = json.load(file)
            recorded, omitted, verdict = data["request"], list(map(str, data["omitted"])), data["verdict"]
        except (FileNotFoundError, KeyError, TypeError, ValueError):
            raise ValueError(f"{self.state_file}: does not describe the existing plan: use an empty folder") from None
        if recorded != request:
            raise ValueError(f"{self.folder}: the plan belongs to another run: use an empty folder, or repeat the same request")
        if verdict is not None:
            raise ValueError(f"{self.folder}: this run has ended ({verdict}): to read the files again, use an empty folder or remove this one")
        return omitted

    def start(self, request: dict[str, Any], omitted: list[str], plan: str) -> None:
        """Renames a completed plan to its final name and records the request it was made for. A plan with its final
        name is complete and can be resumed."""
        self._save({"schema": SCHEMA, "request": request, "omitted": omitted, "verdict": None})
        os.rename(plan, self.plan)

    def end(self, request: dict[str, Any], omitted: list[str], verdict: str) -> None:
        """Records that the run is over."""
        self._save({"schema": SCHEMA, "request": request, "omitted": omitted, "verdict": verdict})

    def _save(self, data: dict[str, Any]) -> None:
        temporary = self.state_file + ".new"
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(json.dumps(data, indent=1) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, self.state_file)
