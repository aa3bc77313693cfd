"""Numbers with their nouns, for messages."""

from __future__ import annotations


def count(number: int, noun: str) -> str:
    """Returns a number and its noun, in the singular or plural.

    >>> count(1, "file"), count(2, "file")
    ('1 file', '2 files')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
