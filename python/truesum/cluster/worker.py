"""The code that runs in a worker process: computes one bundle in the library's threads without starting a program."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import socket
import time

from .._native import __version__
from ..shard import Plan
from .task import Answer, Task


PLANS: dict[str, Plan] = {}
"""Plans opened by this process, by digest, because loading a large index is slow."""
MAX_PLANS = 4


def open_plan(path: str, id: str) -> Plan:
    """Returns the plan with this digest. Raises ValueError if the file is a different plan."""
    plan = PLANS.get(id)
    if plan is None:
        plan = Plan(path)
        if plan.id != id:
            raise ValueError(f"{path}: this is plan {plan.id[:8]}, not {id[:8]}")
        if len(PLANS) >= MAX_PLANS:
            PLANS.clear()
        PLANS[id] = plan
    return plan


def worker_name() -> str:
    """Returns the name of this worker, unique and constant for the lifetime of the process."""
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


def answer(task: bytes, version: str) -> Answer:
    """Computes a bundle for a driver that must have the same version. `task` is a pickled Task. Raises ImportError if
    the version differs."""
    if version != __version__:
        raise ImportError(f"this worker has truesum {__version__}, but the driver has {version}")
    return compute(pickle.loads(task))


def compute(task: Task) -> Answer:
    """Computes a bundle. Raises OSError or ValueError if no part can be written."""
    start = time.perf_counter()
    plan = open_plan(task.plan, task.id)
    part = plan.compute(
        task.bundle,
        task.folder,
        root=task.root,
        threads=task.threads,
        again=task.again,
        withheld=list(task.withheld),
        # A process started by multiprocessing runs no other code; the main process may contain the user's threads.
        mapping=multiprocessing.parent_process() is not None,
    )
    seconds = time.perf_counter() - start
    return Answer(worker_name(), part.status, part.digest, part.lines, part.failed, part.retryable, part.bytes, seconds)
