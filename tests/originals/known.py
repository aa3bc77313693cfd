"""The differences that are meant: one entry for each row of "What is not copied" in docs/spec/personalities.md.

A row without a test is one that no case here can show (races, other releases of the original).
"""

import re
from dataclasses import replace

HELP = re.compile(rb"\A(Usage: |\S+ \(GNU coreutils\)|b3sum \d|[^\n]*\n\nUsage: |Write or check)")


def text_of_help(case, original, ours):
    return (original.code, original.err) == (ours.code, ours.err) and HELP.match(original.out) and ours.out[:5] != b""


KNOWN = {
    'a read error, anywhere': None,
    'a file that changes while it is read': None,
    'a NUL byte in a line of a manifest': None,
    '`MD5-8 (f) = 9d` for `cksum --check`': None,
    'a line of a manifest above 1 MiB': None,
    'standard output full or closed, b3sum': None,
    'messages in other languages': None,
    'standard input closed (`<&-`)': None,
    "texts of `--help` and `--version`": text_of_help,
}


def rows(path):
    """The first cells of the table."""
    text = open(path, encoding="utf-8").read().split("## What is not copied", 1)[1].split("\n## ", 1)[0]
    cells = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("|")]
    return cells[2:]


def name(case, original, ours):
    """The row that a difference belongs to, if any does."""
    for row, test in KNOWN.items():
        if test and test(case, original, ours):
            return row
    return None
