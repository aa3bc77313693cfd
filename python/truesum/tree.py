"""Hash trees of large files: computed on all cores, stored, and used to find which bytes are damaged.

>>> import os, tempfile
>>> from truesum import tree
>>> folder = tempfile.TemporaryDirectory()
>>> path = os.path.join(folder.name, "disk.img")
>>> with open(path, "wb") as file:
...     _ = file.write(bytes(4 << 20))
>>> digests = tree.save(path)                        # stores the tree in disk.img.ftr
>>> with open(path, "r+b") as file:
...     _ = file.seek(3_000_000), file.write(b"!")
>>> tree.locate(path).damaged                        # the damaged byte ranges
[(2097152, 3145728)]

To compute one digest on many machines, each hashes a range with leaf(), and one combines the results.

>>> pieces = [tree.leaf(path, 0, 2 << 20), tree.leaf(path, 2 << 20, 4 << 20)]
>>> lines = [tree.dumps(piece) for piece in pieces]  # sent to the machine that combines
>>> tree.combine(tree.loads(line) for line in lines) == tree.save(path)["sha256-tree"]
True
>>> folder.cleanup()
"""

from __future__ import annotations

import base64
import copyreg
import json
import os
from collections.abc import Iterable
from typing import Any

from ._native import Difference, Piece, Proof, leaf, locate, prove, save, verify_proof
from ._native import combine as _combine

__all__ = [
    "Difference",
    "Piece",
    "Proof",
    "combine",
    "dumps",
    "leaf",
    "loads",
    "locate",
    "prove",
    "save",
    "verify_proof",
]


def combine(pieces: Iterable[Piece], *, trust_origins: bool = False) -> str:
    """Returns the digest of the complete file in hexadecimal, from pieces that cover it, in any order.

    Raises ValueError if they do not cover the file, contradict each other, or were read from different versions of
    the file. With trust_origins=True, pieces of different copies are combined.
    """
    return _combine(list(pieces), trust_origins=trust_origins)


def dumps(value: Piece | Proof) -> str:
    """Returns a piece or a proof as the line of JSON that `truesum tree` reads and writes, without a newline."""
    if isinstance(value, Proof):
        first, end = value.leaves
        members: dict[str, Any] = {"schema": "truesum-proof/1", "algorithm": value.algorithm, "size": value.size}
        return json.dumps(members | {"first": first, "end": end, "path": value.path}, separators=(",", ":"))
    first, end = value.range
    members = {"schema": "truesum-piece/1", "algorithm": value.algorithm, "size": value.size, "first": first, "end": end}
    members["levels"] = value.levels
    if value.origin is not None:
        path, inode, mtime, ctime = value.origin
        members |= {"schema": "truesum-piece/2", "inode": inode, "mtime_ns": mtime, "ctime_ns": ctime}
        name = os.fsencode(path)
        members["path"] = name.decode("utf-8", "replace")
        if members["path"].encode() != name:
            members["path_base64"] = base64.b64encode(name).decode()
    members["blake3"] = value.seal
    return json.dumps(members, separators=(",", ":"), ensure_ascii=False)


def _without_duplicates(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Builds an object and rejects duplicate members, of which readers might use either."""
    value = dict(members)
    if len(value) != len(members):
        raise ValueError("duplicate member")
    return value


def _take_schema(members: dict[str, Any]) -> str | None:
    """Removes and returns the schema of an object. `truesum-piece/2` was originally called `piece-2`."""
    schema, old = members.pop("schema", None), members.pop("truesum", None)
    if schema is None or old is not None:
        return None if schema is not None else str(old)
    return str(schema).removeprefix("truesum-").replace("/", "-") if str(schema).startswith("truesum-") else None


_COMMON = {"algorithm", "size", "first", "end"}
_MEMBERS = {
    "proof-1": _COMMON | {"path"},
    "piece-1": _COMMON | {"levels", "blake3"},
    "piece-2": _COMMON | {"levels", "blake3", "path", "inode", "mtime_ns", "ctime_ns"},
}


def loads(line: str | bytes) -> Piece | Proof:
    """Parses the output of dumps(), `truesum tree leaf` or `tree prove`. Raises ValueError for anything else."""
    members = json.loads(line, object_pairs_hook=_without_duplicates)
    kind = _take_schema(members) if isinstance(members, dict) else None
    if kind == "failed-1":
        raise ValueError(f"no digest of {members.get('path')!r} ({members.get('failed')}): {members.get('reason')}")
    expected = _MEMBERS.get(str(kind))
    if expected is None:
        raise ValueError("not a truesum piece or proof")
    present = set(members) - ({"path_base64"} if kind == "piece-2" else set())
    if present != expected:
        differences = ", ".join(sorted(present ^ expected))
        raise ValueError(f"{kind}: missing or unexpected members: {differences}")
    numbers = ["size", "first", "end"] + (["inode", "mtime_ns", "ctime_ns"] if kind == "piece-2" else [])
    for name in numbers:
        if type(members[name]) is not int:
            raise ValueError(f'"{name}" is not an integer')
    try:
        if kind == "proof-1":
            return Proof(members["algorithm"], members["size"], members["first"], members["end"], members["path"])
        levels = [(level, hash) for level, hash in members["levels"]]
        origin = None
        if kind == "piece-2":
            raw = os.fsencode(members["path"])
            if "path_base64" in members:
                raw = base64.b64decode(members["path_base64"], validate=True)
                if raw.decode("utf-8", "replace") != members["path"]:
                    raise ValueError('"path" and "path_base64" contain different names')
            origin = (raw, members["inode"], members["mtime_ns"], members["ctime_ns"])
        piece = Piece(members["algorithm"], members["size"], members["first"], members["end"], levels, origin)
    except (TypeError, OverflowError) as error:
        raise ValueError(f"invalid {kind}: {error}") from None
    if members["blake3"] != piece.seal:
        raise ValueError("the piece is corrupt: its checksum does not match")
    return piece


def _reduce(value: Piece | Proof) -> tuple[Any, tuple[str]]:
    return loads, (dumps(value),)


copyreg.pickle(Piece, _reduce)
copyreg.pickle(Proof, _reduce)
