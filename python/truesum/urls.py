"""Reads files by URL with fsspec, which need not be installed: `truesum.file_digest("s3://bucket/key", "sha256")`.

>>> import fsspec, truesum
>>> fsspec.filesystem("memory").pipe("/folder/a", b"abc")
>>> truesum.file_digest("memory://folder/a", "md5").hexdigest()
'900150983cd24fb0d6963f7d28e17f72'
>>> truesum.file_digest(fsspec.open("memory://folder/a"), "md5").hexdigest()
'900150983cd24fb0d6963f7d28e17f72'
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Mapping
from typing import Any

from ._native import ChangedError

__all__ = ["UrlFile", "open_url"]


class UrlFile(io.RawIOBase):
    """A file of fsspec, open for reading. The read that reaches its end raises ChangedError if the file is not the one
    that was opened, as far as its file system shows, or if bytes are missing."""

    def __init__(self, file: Any, fs: Any, path: str, name: str) -> None:
        self._file, self._fs, self._path, self._name = file, fs, path, name
        self._initial_version = self._version()
        # The size of a file that is decompressed while it is read is not known.
        self._size = getattr(file, "size", None) if self._initial_version is not None else None
        self._read = 0

    def _version(self) -> object:
        """Returns a value that identifies the version of the file, or None if the file system has none."""
        try:
            return self._fs.ukey(self._path)
        except NotImplementedError:
            return None

    def readable(self) -> bool:
        """Returns True."""
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Reads bytes into a buffer and returns their number, 0 at the end."""
        count: int = self._file.readinto(buffer)
        self._read += count
        if not count and len(buffer):
            if self._version() != self._initial_version or (isinstance(self._size, int) and self._read != self._size):
                raise ChangedError(16, "changed while it was read", self._name)
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


def open_url(source: Any, storage_options: Mapping[str, Any] | None = None) -> str | UrlFile:
    """Opens a URL, an fsspec.OpenFile or a path of universal_pathlib; returns the path of a local file instead."""
    if isinstance(source, str):
        try:
            # It has no types.
            fsspec: Any = importlib.import_module("fsspec")
        except ImportError:
            raise ImportError(f"reading {source!r} requires fsspec: pip install fsspec") from None
        name = source
        source = fsspec.open(source, "rb", **(storage_options or {}))
    elif storage_options:
        raise ValueError("storage_options are only for URLs")
    else:
        name = str(getattr(source, "full_name", source))
    fs, path = source.fs, source.path
    protocols = {fs.protocol} if isinstance(fs.protocol, str) else set(fs.protocol)
    compressed = getattr(source, "compression", None) is not None
    if "file" in protocols and not compressed:
        return str(path)
    file = source.open() if hasattr(source, "compression") else source.open("rb")
    return UrlFile(file, fs, path, name)
