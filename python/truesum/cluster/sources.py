"""Where files come from. Folders and lists of names on a file system that driver and workers share; object stores have their place
here, and none is built."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from os import PathLike
from typing import TypeAlias

Name: TypeAlias = str | bytes | PathLike[str] | PathLike[bytes]

STORE = re.compile(rb"[a-z][a-z0-9+.-]*://")


def names(paths: Name | Iterable[Name]) -> Iterator[bytes]:
    """The names of files and folders, as the system takes them. Raises ValueError for an object store."""
    given = [paths] if isinstance(paths, str | bytes | PathLike) else paths
    for path in given:
        name = os.fsencode(path)
        if STORE.match(name):
            raise ValueError(f"{os.fsdecode(name)}: a cluster reads files, no object stores")
        yield name
