"""`hash` and `verify` on a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import closing
from typing import Unpack

from .._native import Finding, Manifest, diff, file_digest
from .program import PlanOptions
from .report import Report
from .run_folder import RunFolder
from .sources import Name, check_outside, encode_names, fingerprint
from .stage import MAX_FAILURES, Engine, Settings, compute_bundles, load_or_make_plan, merge_parts, port_of


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
    names = list(encode_names(paths))
    options = PlanOptions(chosen, None if root is None else os.fsdecode(root))
    target = os.path.abspath(os.fsdecode(output))
    check_outside(os.path.abspath(os.fsdecode(work)), names, "the folder of the run")
    request = {"hash": target, "names": fingerprint(names), "algorithms": list(chosen), "root": options.root, "format": format}
    with RunFolder(work) as run_folder, closing(port_of(client)) as port:
        if run_folder.load(request) is None and os.path.exists(target):
            check_outside(target, names, "the existing manifest")
        plan, omitted = load_or_make_plan(run_folder, request, options, names, port.slots(), settings)
        report = compute_bundles(run_folder, plan, client, port, settings)
        if merge_parts(run_folder, plan, report, target, format, partial=False):
            report.verdict = "hashed"
            run_folder.end(request, omitted, report.verdict)
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
    entries = Manifest.read(path)
    algorithms = tuple(dict.fromkeys(algorithm for entry in entries for algorithm in entry.digests))
    if not algorithms:
        raise ValueError(f"{path}: the manifest has no digests of files")
    without_digest = [entry.name for entry in entries if not entry.digests]
    del entries
    folder = os.fsdecode(root) if root is not None else os.path.dirname(path)
    request = {"verify": path, "digest": digest, "root": folder}
    with RunFolder(work) as run_folder, closing(port_of(client)) as port:
        plan, omitted = load_or_make_plan(run_folder, request, PlanOptions(algorithms, folder, path, True), (), port.slots(), settings)
        report = compute_bundles(run_folder, plan, client, port, settings)
        complete = merge_parts(run_folder, plan, report, run_folder.found_manifest, "jsonl", partial=True)
        report.problems += omitted
        report.failures += [(name, "unverified", "the manifest has no digest for it") for name in without_digest[:MAX_FAILURES]]
        equal = report.manifest is not None and matches_manifest(path, run_folder.found_manifest, report)
        if file_digest(path, "blake3").hexdigest() != digest:
            report.problems.append(f"{path}: the manifest changed during the run")
        elif complete:
            if equal and not omitted and not without_digest:
                report.verdict = "verified"
            # Everything was read: another call means reading everything again.
            run_folder.end(request, omitted, report.verdict)
    report.manifest = None
    return report


def matches_manifest(manifest: str, found: str, report: Report) -> bool:
    """Compares the digests found with those in the manifest, adds the differences to the report, and returns whether
    there are none."""
    known_failures = {name for name, _, _ in report.failures}

    def on_finding(finding: Finding) -> None:
        if finding.standing != "same" and finding.name not in known_failures and len(report.failures) < MAX_FAILURES:
            report.failures.append((finding.name, finding.standing, "it does not match the manifest"))

    result = diff(manifest, found, on_finding)
    report.problems += result.malformed_lines + [str(error) for error in result.errors]
    if not result and not report.failures and not report.problems:
        report.problems.append(f"{manifest} and the digests found are {result.verdict}: run truesum diff {manifest} {found}")
    return bool(result)
