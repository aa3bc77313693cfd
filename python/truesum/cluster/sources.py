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

URL_SCHEME = re.compile(rb"[a-z][a-z0-9+.-]*://")


def encode_names(paths: Name | Iterable[Name]) -> Iterator[bytes]:
    """Returns the names of files and folders as bytes. Raises ValueError for an object store."""
    path_list = [paths] if isinstance(paths, str | bytes | PathLike) else paths
    for path in path_list:
        name = os.fsencode(path)
        if URL_SCHEME.match(name):
            raise ValueError(f"{os.fsdecode(name)}: a cluster cannot read object stores")
        yield name


def fingerprint(names: Sequence[bytes]) -> str:
    """Returns a digest of the names and their root, which identifies the request when a run is resumed.

    >>> fingerprint([b"/a", b"/b"]) == fingerprint([b"/a", b"/b"]) != fingerprint([b"/a/b"])
    True
    """
    hash = hashlib.blake2b(digest_size=16)
    if not all(map(os.path.isabs, names)):
        hash.update(os.fsencode(os.getcwd()))
    for name in names:
        hash.update(b"\0" + name)
    return hash.hexdigest()


MAX_ENTRIES = 20_000
"""The maximum number of folder entries to count for the estimate."""
MAX_SAMPLES = 64
"""The maximum number of files among them whose sizes are read."""


def estimate(names: Sequence[bytes]) -> tuple[int, int] | None:
    """Estimates the total bytes and number of files from the names of all files and the sizes of some. Returns None if
    there are too many or nothing is known. The estimate only affects bundle sizes.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in "abc":
    ...         with open(os.path.join(folder, name), "wb") as file:
    ...             _ = file.write(b"12345")
    ...     estimate([os.fsencode(folder)])
    (15, 3)
    >>> estimate([b"/nonexistent"])
    """
    folders, files = list(names), []
    try:
        while folders:
            path = folders.pop()
            if not os.path.isdir(path):
                files.append(path)
                continue
            with os.scandir(path) as entries:
                for entry in entries:
                    (folders if entry.is_dir(follow_symlinks=False) else files).append(entry.path)
                    if len(files) + len(folders) > MAX_ENTRIES:
                        return None
        sample = files[:: -(-len(files) // MAX_SAMPLES)] if files else []
        sizes = sum(os.stat(path).st_size for path in sample)
    except OSError:
        return None
    return sizes * len(files) // max(1, len(sample)), len(files)


def check_outside(path: str, names: Iterable[bytes], description: str) -> None:
    """Raises ValueError if `path` is inside the files to be hashed, where it would change during the run.

    >>> check_outside("/data/work", [b"/database"], "the run's folder")
    >>> check_outside("/data/work", [b"/data"], "the run's folder")
    Traceback (most recent call last):
    ValueError: /data/work: the run's folder is inside the files to be hashed: choose another path
    """
    resolved = os.path.realpath(os.fsencode(path))
    for name in names:
        root = os.path.realpath(name)
        if root == resolved or resolved.startswith(root.rstrip(b"/") + b"/"):
            raise ValueError(f"{path}: {description} is inside the files to be hashed: choose another path")
