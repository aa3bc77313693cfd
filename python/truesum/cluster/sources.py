"""Where files come from. Folders and lists of names on a file system that driver and workers share; object stores have their place
here, and none is built."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
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


def known_by(given: Sequence[bytes]) -> str:
    """A digest of names, and of the folder from which they lead: by it a later run knows that the same is asked.

    >>> known_by([b"/a", b"/b"]) == known_by([b"/a", b"/b"]) != known_by([b"/a/b"])
    True
    """
    asked = hashlib.blake2b(digest_size=16)
    if not all(map(os.path.isabs, given)):
        asked.update(os.fsencode(os.getcwd()))
    for name in given:
        asked.update(b"\0" + name)
    return asked.hexdigest()


def apart(path: str, given: Iterable[bytes], what: str) -> None:
    """Raises ValueError if `path` lies in what is to be hashed: it changes meanwhile, or is not what is meant.

    >>> apart("/data/work", [b"/database"], "the run's folder")
    >>> apart("/data/work", [b"/data"], "the run's folder")
    Traceback (most recent call last):
    ValueError: /data/work: the run's folder lies in what is to be hashed: name another
    """
    real = os.path.realpath(os.fsencode(path))
    for name in given:
        root = os.path.realpath(name)
        if root == real or real.startswith(root.rstrip(b"/") + b"/"):
            raise ValueError(f"{path}: {what} lies in what is to be hashed: name another")
