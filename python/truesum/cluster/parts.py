"""The parts in their folder, as far as a driver looks at them: which digest ends one. The merge reads the rest."""

from __future__ import annotations

import os
import re

from ..shard import Plan

END = re.compile(rb'\n\{"end":true,[^\n]*,"blake3":"([0-9a-f]{64})"\}\n\Z')
TAIL = 512
"""Bytes in which the last line of a part stands."""


def digest_of(path: str) -> str | None:
    """The digest that ends a part, None if there is none of that name or it does not end as one."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL))
            found = END.search(file.read())
    except FileNotFoundError:
        return None
    return found[1].decode() if found else None


class Parts:
    """The parts of a plan in a folder."""

    def __init__(self, plan: Plan, folder: str) -> None:
        self.plan, self.folder = plan, folder

    def path(self, bundle: int) -> str:
        return os.path.join(self.folder, self.plan.part_name(bundle))

    def digest(self, bundle: int) -> str | None:
        return digest_of(self.path(bundle))

    def failures(self, bundle: int) -> list[tuple[str, str, str]]:
        """Files of a bundle without a digest, as (name, kind, reason)."""
        return self.plan.hold(bundle, self.path(bundle)).failures
