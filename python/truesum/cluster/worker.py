"""What runs in the process of a worker: one bundle, in threads of the library, without a program to start."""

from __future__ import annotations

import multiprocessing
import os
import socket
import time

from ..shard import Plan
from .task import Answer, Task


PLANS: dict[str, Plan] = {}
"""Those that were opened in this process, by their digests: an index may be long."""
KEPT = 4


def opened(path: str, id: str) -> Plan:
    """The plan of this digest. Raises ValueError if there is another one."""
    plan = PLANS.get(id)
    if plan is None:
        plan = Plan(path)
        if plan.id != id:
            raise ValueError(f"{path}: this is another plan ({plan.id[:8]}) than the one asked for ({id[:8]})")
        if len(PLANS) >= KEPT:
            PLANS.clear()
        PLANS[id] = plan
    return plan


def name() -> str:
    """Who this is: the same as long as the process lives, and nobody else."""
    try:
        from distributed import get_worker
    except ImportError:
        pass
    else:
        try:
            return str(get_worker().address)
        except ValueError:
            pass
    return f"{socket.gethostname()}:{os.getpid()}"


def compute(task: Task) -> Answer:
    """Computes a bundle. Raises OSError or ValueError where there can be no part."""
    since = time.perf_counter()
    plan = opened(task.plan, task.id)
    part = plan.compute(
        task.bundle,
        task.folder,
        root=task.root,
        threads=task.threads,
        again=task.again,
        withheld=list(task.withheld),
        # A process that somebody started for work is nobody else's; the one that a user's threads are in may be.
        mapping=multiprocessing.parent_process() is not None,
    )
    seconds = time.perf_counter() - since
    return Answer(name(), part.standing, part.digest, part.lines, part.failed, part.again, part.bytes, seconds)
