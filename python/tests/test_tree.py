"""truesum.tree: pieces and proofs are those of the program, and damage is located correctly."""

from __future__ import annotations

import json
import os
import pickle
import random
from pathlib import Path

import pytest

import truesum
from conftest import Run
from truesum import tree

LEAF = 65_536


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(random.Random(5).randbytes(3 * 1_048_576 + 77))
    return path


def test_pieces_agree_with_the_program(file: Path, run: Run) -> None:
    size = file.stat().st_size
    whole = truesum.file_digest(file, "sha256-tree").hexdigest()
    cuts = [0, LEAF, 5 * LEAF, 1 << 20, size]
    pieces = []
    for start, end in zip(cuts, cuts[1:], strict=False):
        piece = tree.leaf(file, start, end)
        result = run("tree", "leaf", file, "--range", f"{start}..{end}")
        assert json.loads(result.stdout) == json.loads(tree.dumps(piece)), result.stderr
        assert tree.loads(result.stdout) == tree.loads(tree.dumps(piece)) == piece
        assert pickle.loads(pickle.dumps(piece)) == piece
        pieces.append(piece)
    lines = file.parent / "lines"
    lines.write_text("".join(tree.dumps(piece) + "\n" for piece in pieces))
    assert run("tree", "combine", lines).stdout.decode().strip().endswith(whole)
    random.Random(1).shuffle(pieces)
    assert tree.combine(pieces) == whole == tree.combine([*pieces, pieces[0]])
    with pytest.raises(ValueError, match="missing"):
        tree.combine(pieces[1:])
    with pytest.raises(ValueError, match="there are no ranges to combine"):
        tree.combine([])


def test_pieces_of_different_file_states_are_rejected(file: Path) -> None:
    first = tree.leaf(file, 0, LEAF)
    with file.open("r+b") as opened:
        opened.write(b"other")
    os.utime(file, ns=(0, 0))
    second = tree.leaf(file, LEAF, file.stat().st_size)
    with pytest.raises(ValueError, match="a different version"):
        tree.combine([first, second])
    assert len(tree.combine([first, second], trust_origins=True)) == 64


def test_crc_combines_from_any_ranges(file: Path) -> None:
    size = file.stat().st_size
    cuts = [0, 1, 77_777, size]
    pieces = [tree.leaf(file, a, b, "crc32") for a, b in zip(cuts, cuts[1:], strict=False)]
    assert tree.combine(pieces) == truesum.file_digest(file, "crc32").hexdigest()


def test_invalid_ranges_are_rejected(file: Path) -> None:
    for start, end, algorithm in ((0, LEAF, "md5"), (1, LEAF, "sha256-tree"), (0, 1 << 40, "crc32")):
        with pytest.raises(truesum.FileError):
            tree.leaf(file, start, end, algorithm)
    with pytest.raises(FileNotFoundError):
        tree.leaf(file.parent / "none", 0, 0)


def test_damage_location_agrees_with_the_program(file: Path, run: Run) -> None:
    digests = tree.save(file, extra_algorithms=["md5"])
    assert digests == {
        "sha256-tree": truesum.file_digest(file, "sha256-tree").hexdigest(),
        "md5": truesum.file_digest(file, "md5").hexdigest(),
    }
    assert tree.locate(file) and tree.locate(file, digest=digests["sha256-tree"]).verdict == "good"
    assert tree.locate(file, digest="00" * 32).verdict == "other-tree"
    with file.open("r+b") as opened:
        opened.seek(1_500_000)
        opened.write(b"damage")
    found = tree.locate(file)
    assert not found and found.verdict == "file-damaged" and found.damaged == [(1 << 20, 2 << 20)]
    assert run("tree", "verify", f"{file}.ftr").returncode == 1
    os.truncate(file, 2_000_000)
    assert tree.locate(file).grown == 2_000_000 - (3 * 1_048_576 + 77)
    with pytest.raises(FileNotFoundError):
        tree.locate(file, file.parent / "none")
    with pytest.raises(truesum.FileError, match="not a stored tree"):
        tree.locate(file, file)
    with pytest.raises(truesum.FileError):
        tree.save(file, file.parent / "x", "md5")


def test_proofs_are_accepted_by_the_program(file: Path, run: Run) -> None:
    digest = truesum.file_digest(file, "sha256-tree").hexdigest()
    proof = tree.prove(file, 100_000, 200_000)
    assert proof.bytes == (65_536, 262_144)
    assert tree.verify_proof(file, proof, digest)
    assert not tree.verify_proof(file, proof, "00" * 32)
    proof_path = file.parent / "proof"
    proof_path.write_text(tree.dumps(proof) + "\n")
    assert run("tree", "verify-proof", proof_path, file, "--digest", digest).returncode == 0
    result = run("tree", "prove", file, "--range", "100000..200000")
    assert tree.loads(result.stdout) == proof == pickle.loads(pickle.dumps(proof))
    with file.open("r+b") as opened:
        opened.seek(100_000)
        opened.write(b"?")
    assert not tree.verify_proof(file, proof, digest)
    with pytest.raises(truesum.FileError):
        tree.prove(file, 5, 5)


def test_names_of_any_bytes_round_trip(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff\xc3\xa4"
    with open(name, "wb") as opened:
        opened.write(bytes(100))
    piece = tree.leaf(name, 0, 100)
    assert tree.loads(tree.dumps(piece)) == piece
    assert piece.origin is not None and os.fsencode(piece.origin[0]) == name


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("piece/2", "piece/3"),
        ('"size":100', '"size":"100"'),
        ('"size":100', '"size":-1'),
        ('"first":0', '"first":0,"first":0'),
        ('"first":0', '"first":7'),
        ('"levels":[[0,', '"levels":[[0,0,'),
        ('"levels"', '"leaves"'),
        ('"levels":[[0,"', '"levels":[[0,"g'),
        ('"inode"', '"node"'),
        ('"inode":', '"inode":1'),
        ("{", "["),
    ],
)
def test_invalid_piece_lines_are_rejected(tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "file").write_bytes(bytes(100))
    line = tree.dumps(tree.leaf(tmp_path / "file", 0, 100))
    assert old in line
    with pytest.raises(ValueError):
        tree.loads(line.replace(old, new, 1))


def test_piece_without_its_checksum_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(100))
    members = json.loads(tree.dumps(tree.leaf(tmp_path / "file", 0, 100)))
    del members["blake3"]
    with pytest.raises(ValueError, match="blake3"):
        tree.loads(json.dumps(members))
