"""Hashes and verifies files on a cluster: Dask.distributed, Ray, a concurrent.futures executor, or local processes.

    from distributed import Client
    from truesum import cluster

    report = cluster.hash("/data", Client("scheduler:8786"), root="/data", work="/shared/run", output="/shared/SHA256SUMS")
    if not report:
        print(report.problems, report.failures)

The files are divided into bundles by the rules of `truesum shard`. Workers compute one part per bundle, and the merge
of the same program checks all parts against the plan. The result is the manifest that a single `truesum hash` would
write, or an error. Workers that die, hang, return wrong results or are slow only cost time. If the driver dies, the
same call resumes the run.

    hash        hash files and folders and write a manifest
    verify      verify the files in a manifest
    Report      the result of a run
    Policy      limits for retries, waiting and rereading
    Progress    the completed work and the speed of each worker

Dask requires `pip install 'truesum[dask]'`, and Ray `pip install 'truesum[ray]'`; the other engines need nothing else.
The command is `truesum-cluster`.
"""

from __future__ import annotations

from .policy import Policy
from .port import Port
from .progress import Progress, WorkerStats
from .report import Report
from .run import hash, verify

__all__ = ["Policy", "Port", "Progress", "Report", "WorkerStats", "hash", "verify"]
