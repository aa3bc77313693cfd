"""`hash` and `verify` on a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import closing
from typing import Unpack

from .._native import Finding, Manifest, diff, file_digest
from .place import Place
from .program import Wanted
from .report import Report
from .sources import Name, apart, known_by, names
from .stage import KEPT, Engine, Settings, computed, merged, planned, port_of


def hash(
    paths: Name | Iterable[Name],
    client: Engine = None,
    *,
    work: Name,
    output: Name,
    algorithms: str | Iterable[str] = "sha256",
    root: Name | None = None,
    format: str | None = None,
    **settings: Unpack[Settings],
) -> Report:
    """Hashes files and folders on a cluster and writes the manifest that `truesum hash` would have written, or none.
    Returns a Report.

    `client` is a distributed.Client, the module ray after ray.init(), a concurrent.futures.Executor, or None for processes
    on this machine. `work` is a folder shared by driver and workers for the plan, parts and journal; the same call with
    the same folder resumes the run. Names are relative to `root`; `worker_root` is its path on the workers, if it
    differs. `threads` is the number of threads per task: 1 by default, 0 for one per core. `bundle_bytes` and
    `bundle_files` limit the size of a bundle. `near` maps path prefixes to the hosts that store these files locally.
    `policy` is a Policy; `progress` is called with a Progress.

    Raises ValueError for invalid arguments, OSError if the driver itself cannot continue.

    >>> import os, tempfile
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from truesum import cluster
    >>> folder = tempfile.TemporaryDirectory()
    >>> data = os.path.join(folder.name, "data")
    >>> os.mkdir(data)
    >>> for name in "ab":
    ...     with open(os.path.join(data, name), "wb") as file:
    ...         _ = file.write(b"123456789")
    >>> manifest, work = os.path.join(folder.name, "SUMS"), os.path.join(folder.name, "work")
    >>> with ThreadPoolExecutor(2) as pool:
    ...     report = cluster.hash(data, pool, work=work, output=manifest, root=data, algorithms="md5")
    >>> report.verdict, report.files
    ('hashed', 2)
    >>> print(open(manifest).read(), end="")
    25f9e794323b453885f5181f1b624d0b  a
    25f9e794323b453885f5181f1b624d0b  b
    >>> folder.cleanup()
    """
    chosen = tuple(algorithms.split(",") if isinstance(algorithms, str) else algorithms)
    # The plan may have to be made twice, and an iterator can be read only once.
    given = list(names(paths))
    wanted = Wanted(chosen, None if root is None else os.fsdecode(root))
    target = os.path.abspath(os.fsdecode(output))
    apart(os.path.abspath(os.fsdecode(work)), given, "the folder of the run")
    asked = {"hash": target, "names": known_by(given), "algorithms": list(chosen), "root": wanted.root, "format": format}
    with Place(work) as place, closing(port_of(client)) as port:
        if place.begun(asked) is None and os.path.exists(target):
            apart(target, given, "the existing manifest")
        plan, lacking = planned(place, asked, wanted, given, port.slots(), settings)
        report = computed(place, plan, client, port, settings)
        if merged(place, plan, report, target, format, partial=False):
            report.verdict = "hashed"
            place.end(asked, lacking, report.verdict)
    return report


def verify(
    manifest: Name,
    client: Engine = None,
    *,
    work: Name,
    root: Name | None = None,
    **settings: Unpack[Settings],
) -> Report:
    """Reads all files in a manifest on a cluster and compares them with it. Returns a Report, which is true only if
    every file in the manifest was read and matches. The arguments are those of hash(); `root` defaults to the
    manifest's folder.

    The manifest is held in memory twice, as expected and as found: split manifests of more than about ten million
    files.

    >>> import os, tempfile
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from truesum import cluster
    >>> folder = tempfile.TemporaryDirectory()
    >>> for name, text in [("a", "123456789"), ("b", "x"), ("SUMS.md5", "25f9e794323b453885f5181f1b624d0b  a\\n" + "0" * 32 + "  b\\n")]:
    ...     with open(os.path.join(folder.name, name), "w") as file:
    ...         _ = file.write(text)
    >>> with ThreadPoolExecutor(2) as pool:
    ...     report = cluster.verify(os.path.join(folder.name, "SUMS.md5"), pool, work=os.path.join(folder.name, "work"))
    >>> report.verdict, [failure[:2] for failure in report.failures]
    ('failed', [('b', 'changed')])
    >>> folder.cleanup()
    """
    path = os.path.abspath(os.fsdecode(manifest))
    digest = file_digest(path, "blake3").hexdigest()
    listed = Manifest.read(path)
    algorithms = tuple(dict.fromkeys(algorithm for entry in listed for algorithm in entry.digests))
    if not algorithms:
        raise ValueError(f"{path}: the manifest has no digests of files")
    bare = [entry.name for entry in listed if not entry.digests]
    del listed
    folder = os.fsdecode(root) if root is not None else os.path.dirname(path)
    asked = {"verify": path, "digest": digest, "root": folder}
    with Place(work) as place, closing(port_of(client)) as port:
        plan, lacking = planned(place, asked, Wanted(algorithms, folder, path, True), (), port.slots(), settings)
        report = computed(place, plan, client, port, settings)
        whole = merged(place, plan, report, place.found, "jsonl", partial=True)
        report.problems += lacking
        report.failures += [(name, "unverified", "the manifest has no digest for it") for name in bare[:KEPT]]
        equal = report.manifest is not None and judged(path, place.found, report)
        if file_digest(path, "blake3").hexdigest() != digest:
            report.problems.append(f"{path}: the manifest changed during the run")
        elif whole:
            if equal and not lacking and not bare:
                report.verdict = "verified"
            # Everything was read: another call means reading everything again.
            place.end(asked, lacking, report.verdict)
    report.manifest = None
    return report


def judged(listed: str, found: str, report: Report) -> bool:
    """Compares the digests found with those in the manifest."""
    known = {name for name, _, _ in report.failures}

    def hear(finding: Finding) -> None:
        if finding.standing != "same" and finding.name not in known and len(report.failures) < KEPT:
            report.failures.append((finding.name, finding.standing, "it does not match the manifest"))

    said = diff(listed, found, hear)
    report.problems += said.malformed_lines + [str(error) for error in said.errors]
    if not said and not report.failures and not report.problems:
        report.problems.append(f"{listed} and the digests found are {said.verdict}: run truesum diff {listed} {found}")
    return bool(said)
