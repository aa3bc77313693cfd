"""Computes and verifies file checksums with any algorithm and any manifest format, on all cores.

Hash objects with the interface of hashlib, for more than 200 algorithms::

    truesum.sha256(b"...").hexdigest()
    truesum.new("blake2b", digest_size=20).update(b"...")
    truesum.file_digest("disk.iso", "blake3").hexdigest()

Many files at once, in SIMD lanes and on all cores; failures are returned, not raised::

    for outcome in truesum.hash_files(paths, ["sha256", "md5"]):
        print(outcome.path, outcome.error or outcome.digests)

Manifests in more than 110 formats, verified by the rules of `truesum check`::

    report = truesum.verify("SHA256SUMS")
    if not report:
        print(report.verdict, report.failures)

A digest is returned only if the file was read to its end and did not change during the read. "Verified" means that
every file in the manifest was read and matches. When in doubt, a check fails.

    new, sha256, blake3 ...   hash a message: update(), digest(), hexdigest(), copy()
    file_digest               hash one file
    hash_files                hash many files
    hash_tree                 hash a folder: returns its manifest
    verify, iter_verify       verify files against a manifest; as an iterator
    audit, diff               report what happened to each file between two sets of files
    Manifest, Entry           read, write and convert manifests
    aio                       the same for asyncio (import truesum.aio)
    tree                      hash trees of large files: store them, locate damage, prove ranges, divide work
    identify                  identify the algorithm of a digest
    algorithm, algorithms_available, formats     list algorithms and formats

The package contains the command-line program: run `truesum --help` or `python -m truesum --help`.
"""

from typing import TYPE_CHECKING

from . import _native as _native
from . import tree as tree
from ._native import *
from ._native import __version__ as __version__
from .verification import iter_verify as iter_verify

if not TYPE_CHECKING:  # mypy does not read lists of other modules
    # Without it, help() in Python 3.13 omits the functions of the extension.
    __all__ = ["iter_verify", "tree", *_native.__all__]
