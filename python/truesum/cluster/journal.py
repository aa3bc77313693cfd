"""What a driver has seen, a line each, so that the next one goes on from there. It is only an index of the parts: a line that is
lost costs a look at one of them, and nothing that stands here makes a manifest."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from typing import Any, Protocol

Record = dict[str, Any]

SCHEMA = "truesum-journal/1"
INTERVAL = 0.1
"""Seconds between flushes to the disk."""


class File(Protocol):
    """Where the lines go."""

    def read(self) -> bytes: ...
    def truncate(self, size: int) -> None: ...
    def write(self, data: bytes) -> None: ...
    def sync(self) -> None: ...


class OnDisk:
    """A file that one process at a time may have."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._fd)
            raise BlockingIOError(error.errno, "another driver is at work here", path) from None

    def read(self) -> bytes:
        with open(self._fd, "rb", closefd=False) as file:
            file.seek(0)
            return file.read()

    def truncate(self, size: int) -> None:
        os.ftruncate(self._fd, size)

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._fd, data) :]

    def sync(self) -> None:
        os.fsync(self._fd)

    def close(self) -> None:
        os.close(self._fd)


def record(line: bytes, number: int) -> Record:
    """What a line says. Raises ValueError if it is none of a journal: nothing but damage makes such a line."""
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ValueError(f"the journal is damaged in line {number}: remove it, and parts are read again instead of believed")
    return found


class Journal:
    """The lines of one run of one plan. `records` are those that were there."""

    def __init__(self, file: File, plan: str) -> None:
        """Goes on with what is there. Raises ValueError if that is of another plan."""
        self._file = file
        self._synced = float("-inf")
        self._due = False
        data = file.read()
        # Of a driver that died the last line may be a torn one: what is written next must not be glued to it.
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            file.truncate(whole)
        lines = data[:whole].splitlines()
        head: Record = {"schema": SCHEMA, "plan": plan}
        if lines:
            if record(lines[0], 1) != head:
                raise ValueError("the journal is of another plan: name an empty folder")
        else:
            self._write(head)
            self.sync()
        self._lines = lines[1:]

    def records(self) -> Iterator[Record]:
        """What was written before."""
        lines, self._lines = self._lines, []
        return (record(line, number) for number, line in enumerate(lines, 2))

    def _write(self, record: Record) -> None:
        self._file.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")

    def add(self, record: Record) -> None:
        """Writes a line. It is on the disk after the next sync()."""
        self._write(record)
        self._due = True

    def tick(self, now: float) -> None:
        """Flushes now and then."""
        if self._due and now - self._synced >= INTERVAL:
            self._synced = now
            self.sync()

    def sync(self) -> None:
        """Flushes."""
        self._file.sync()
        self._due = False
