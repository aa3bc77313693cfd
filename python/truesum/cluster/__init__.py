"""Files hashed and verified on a cluster: Dask.distributed, an executor of concurrent.futures, or processes of this machine.

    from distributed import Client
    from truesum import cluster

    report = cluster.hash("/data", Client("scheduler:8786"), root="/data", work="/shared/run", output="/shared/SHA256SUMS")
    if not report:
        print(report.problems, report.failures)

The files are cut into bundles by the rules of `truesum shard`; workers compute each into its part, and the merge of the same program
holds all parts against the plan. So the manifest is the one of a single `truesum hash`, or there is none and it is said why. Workers
that die, stop, lie or are slow cost time, and a driver that dies is gone on from: ask for the same once more.

    hash        files and folders, into a manifest
    verify      a manifest against its files
    Report      what it came to
    Policy      how often is tried, how long is waited, how much is read twice
    Progress    what is done so far, by whom, how fast

Needs `pip install 'truesum[dask]'` for Dask, and nothing else. The command is `truesum-cluster`.
"""

from __future__ import annotations

from .policy import Policy
from .port import Port
from .progress import Progress, Share
from .report import Report
from .run import hash, verify

__all__ = ["Policy", "Port", "Progress", "Report", "Share", "hash", "verify"]
