"""Computes and verifies file checksums: any algorithm, any manifest, all cores.

Messages, as hashlib has them, of more than 200 algorithms::

    truesum.sha256(b"...").hexdigest()
    truesum.new("blake2b", digest_size=20).update(b"...")
    truesum.file_digest("disk.iso", "blake3").hexdigest()

Many files at once, in the lanes of the processor and on all cores; failures are values::

    for outcome in truesum.hash_files(paths, ["sha256", "md5"]):
        print(outcome.path, outcome.error or outcome.digests)

Manifests of more than 75 formats, verified as the program `truesum check` does::

    report = truesum.verify("SHA256SUMS")
    if not report:
        print(report.verdict, report.failures)

There is a digest only of a file that was read to its end and did not change meanwhile. "Verified" means that every listed file
was read and is equal. In doubt a check fails.

    new, sha256, blake3 ...   a message: update(), digest(), hexdigest(), copy()
    file_digest               one file
    hash_files                many files
    verify                    files against a manifest
    audit, diff               what became of each file between two sets of files
    Manifest, Entry           manifests read, written and converted
    tree                      trees of huge files: stored, located, proven, divided between machines
    identify                  which algorithm a digest is of
    algorithm, algorithms_available, formats     what there is

The program comes along: `truesum --help`, or `python -m truesum --help`.
"""

from . import tree as tree
from ._native import *
from ._native import __version__ as __version__
