"""What others say of trees: reads names of folders from standard input, each ended by NUL, and writes a line of JSON for each.

`truesum` and `truesum_modes` are docs/spec/directory.md section 2 read off the page, with nothing but hashlib; `swhid` is what swh.model
says, or null where that is not installed.
"""

import hashlib
import json
import os
import stat
import sys

try:
    from swh.model.from_disk import Directory
except ImportError:
    Directory = None


def h(data):
    return hashlib.sha256(data).digest()


def objects(tree):
    """Paths below a tree, unsorted."""
    for above, folders, files in os.walk(tree):
        for name in folders + files:
            yield os.path.join(above, name)[len(tree) + 1:]


def text(data):
    return len(data).to_bytes(8, "little") + data


def entry(tree, path, modes):
    full = os.path.join(tree, path)
    state = os.lstat(full)
    mode = stat.S_IMODE(state.st_mode).to_bytes(4, "little") if modes else b""
    if stat.S_ISLNK(state.st_mode):
        return b"l" + mode + text(path) + text(os.readlink(full))
    if stat.S_ISDIR(state.st_mode):
        return b"d" + mode + text(path)
    with open(full, "rb") as file:
        content = file.read()
    return b"f" + mode + text(path) + len(content).to_bytes(8, "little") + h(content)


def root(leaves):
    if not leaves:
        return h(b"")
    if len(leaves) == 1:
        return h(b"\0" + leaves[0])
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return h(b"\1" + root(leaves[:split]) + root(leaves[split:]))


def directory(tree, modes):
    leaves = [entry(tree, path, modes) for path in sorted(objects(tree))]
    seal = b"fdir-1\0\0" + b"sha256".ljust(16, b"\0") + bytes([modes]) + bytes(7) + len(leaves).to_bytes(8, "little")
    name = "sha256-directory;modes:" if modes else "sha256-directory:"
    return name + h(b"\2" + seal + root(leaves)).hex()


for tree in sys.stdin.buffer.read().split(b"\0"):
    if tree:
        swhid = Directory and str(Directory.from_disk(path=tree, max_content_length=None).swhid())
        message = {"truesum": directory(tree, False), "truesum_modes": directory(tree, True), "swhid": swhid}
        print(json.dumps(message))
