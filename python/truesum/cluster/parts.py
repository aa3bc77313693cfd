"""The parts in their folder, as far as the driver reads them: only the digest at the end. The merge reads the rest."""

from __future__ import annotations

import os
import re

from ..shard import Plan

END_LINE = re.compile(rb'\n\{"end":true,[^\n]*,"blake3":"([0-9a-f]{64})"\}\n\Z')
TAIL_BYTES = 512
"""The number of bytes that contain the last line of a part."""


def digest_of(path: str) -> str | None:
    """Returns the digest that ends the part, or None if the file does not exist or does not end like a part."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL_BYTES))
            match = END_LINE.search(file.read())
    except FileNotFoundError:
        return None
    return match[1].decode() if match else None


class Parts:
    """The parts of a plan in a folder."""

    def __init__(self, plan: Plan, folder: str) -> None:
        self.plan, self.folder = plan, folder

    def path(self, bundle: int) -> str:
        return os.path.join(self.folder, self.plan.part_name(bundle))

    def digest(self, bundle: int) -> str | None:
        return digest_of(self.path(bundle))

    def failures(self, bundle: int) -> list[tuple[str, str, str]]:
        """Returns the files of a bundle without a digest, as (name, kind, reason)."""
        return self.plan.check_part(bundle, self.path(bundle)).failures
