"""The files to hash: folders and lists of names on a file system shared by driver and workers. Object stores are not
supported."""

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
    """Returns the names of files and folders as bytes. Raises ValueError for an object store."""
    given = [paths] if isinstance(paths, str | bytes | PathLike) else paths
    for path in given:
        name = os.fsencode(path)
        if STORE.match(name):
            raise ValueError(f"{os.fsdecode(name)}: a cluster cannot read object stores")
        yield name


def known_by(given: Sequence[bytes]) -> str:
    """Returns a digest of the names and their root, by which a later run recognizes the same request.

    >>> known_by([b"/a", b"/b"]) == known_by([b"/a", b"/b"]) != known_by([b"/a/b"])
    True
    """
    asked = hashlib.blake2b(digest_size=16)
    if not all(map(os.path.isabs, given)):
        asked.update(os.fsencode(os.getcwd()))
    for name in given:
        asked.update(b"\0" + name)
    return asked.hexdigest()


LOOKED_AT = 20_000
"""The number of folder entries that are counted for the estimate."""
ASKED = 64
"""The number of files among them whose sizes are read."""


def guess(given: Sequence[bytes]) -> tuple[int, int] | None:
    """Estimates the total bytes and number of files from the names of all files and the sizes of some. Returns None if
    there are too many or nothing is known. The estimate only affects bundle sizes.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in "abc":
    ...         with open(os.path.join(folder, name), "wb") as file:
    ...             _ = file.write(b"12345")
    ...     guess([os.fsencode(folder)])
    (15, 3)
    >>> guess([b"/nonexistent"])
    """
    folders, found = list(given), []
    try:
        while folders:
            path = folders.pop()
            if not os.path.isdir(path):
                found.append(path)
                continue
            with os.scandir(path) as entries:
                for entry in entries:
                    (folders if entry.is_dir(follow_symlinks=False) else found).append(entry.path)
                    if len(found) + len(folders) > LOOKED_AT:
                        return None
        asked = found[:: -(-len(found) // ASKED)] if found else []
        sizes = sum(os.stat(path).st_size for path in asked)
    except OSError:
        return None
    return sizes * len(found) // max(1, len(asked)), len(found)


def apart(path: str, given: Iterable[bytes], what: str) -> None:
    """Raises ValueError if `path` is inside the files to be hashed, where it would change during the run.

    >>> apart("/data/work", [b"/database"], "the run's folder")
    >>> apart("/data/work", [b"/data"], "the run's folder")
    Traceback (most recent call last):
    ValueError: /data/work: the run's folder is inside the files to be hashed: choose another path
    """
    real = os.path.realpath(os.fsencode(path))
    for name in given:
        root = os.path.realpath(name)
        if root == real or real.startswith(root.rstrip(b"/") + b"/"):
            raise ValueError(f"{path}: {what} is inside the files to be hashed: choose another path")
