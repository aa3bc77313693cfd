"""The driver's journal, one line per event, from which the next driver resumes. It is only an index of the parts: a
lost line means that one part is read again, and its contents never affect the manifest."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from typing import Any, Protocol

Record = dict[str, Any]

SCHEMA = "truesum-journal/1"
INTERVAL = 0.1
"""Seconds between flushes to disk."""


class File(Protocol):
    """The file that receives the lines."""

    def read(self) -> bytes: ...
    def truncate(self, size: int) -> None: ...
    def write(self, data: bytes) -> None: ...
    def sync(self) -> None: ...


class LockedFile:
    """A file that only one process at a time can lock."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._fd)
            raise BlockingIOError(error.errno, "another driver is using this folder", path) from None

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


def parse_record(line: bytes, number: int) -> Record:
    """Parses a line. Raises ValueError if it is not a journal line, which only corruption can cause."""
    try:
        value = json.loads(line)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise ValueError(f"the journal is damaged in line {number}: remove it to read the parts again")
    return value


class Journal:
    """The journal of one run of one plan. `records` are the lines that existed when it was opened."""

    def __init__(self, file: File, plan: str) -> None:
        """Opens the journal for appending. Raises ValueError if it belongs to a different plan."""
        self._file = file
        self._synced = float("-inf")
        self._unsynced = False
        data = file.read()
        # The last line may be incomplete if the driver died; new lines must not be appended to it.
        complete = data.rfind(b"\n") + 1
        if complete < len(data):
            file.truncate(complete)
        lines = data[:complete].splitlines()
        header: Record = {"schema": SCHEMA, "plan": plan}
        if lines:
            if parse_record(lines[0], 1) != header:
                raise ValueError("the journal belongs to another plan: use an empty folder")
        else:
            self._write(header)
            self.sync()
        self._lines = lines[1:]

    def records(self) -> Iterator[Record]:
        """Returns the existing records."""
        lines, self._lines = self._lines, []
        return (parse_record(line, number) for number, line in enumerate(lines, 2))

    def _write(self, record: Record) -> None:
        self._file.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")

    def add(self, record: Record) -> None:
        """Appends a line, which is durable after the next sync()."""
        self._write(record)
        self._unsynced = True

    def tick(self, now: float) -> None:
        """Flushes to disk if the interval has passed."""
        if self._unsynced and now - self._synced >= INTERVAL:
            self._synced = now
            self.sync()

    def sync(self) -> None:
        """Flushes to disk."""
        self._file.sync()
        self._unsynced = False
