"""Loaded into a worker of Dask (`--preload`) or Ray that misbehaves: the variable ODD selects slow, wrong or crashing."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace

import truesum
from truesum.cluster import worker
from truesum.cluster.task import Answer, Task
from truesum.shard import Plan

honest = worker.compute


def slow(task: Task) -> Answer:
    time.sleep(float(os.environ["ODD_SECONDS"]))
    return honest(task)


def lie(task: Task) -> Answer:
    """Writes a complete but wrong part, like a machine with faulty memory."""
    answer = slow(task)
    path = os.path.join(task.folder, Plan(task.plan).part_name(task.bundle))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r'("digests":\{"[^"]+":")(.)', lambda found: found[1] + ("0" if found[2] != "0" else "1"), text)
    covered = text[: text.rindex(',"blake3":"')] + ',"blake3":"'
    digest = truesum.blake3(covered.encode()).hexdigest()
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'{covered}{digest}"}}\n')
    return replace(answer, digest=digest)


def die(task: Task) -> Answer:
    """Exits when it reaches a certain file."""
    plan = Plan(task.plan)
    with open(task.plan, encoding="utf-8") as file:
        names = [line for line in file if line.startswith('{"path":')]
    before = sum(plan.lines_of(bundle) for bundle in range(task.bundle))
    for line in range(plan.lines_of(task.bundle)):
        if '"poison"' in names[before + line] and not any(first <= line < end for first, end in task.withheld):
            os._exit(9)
    return honest(task)


def setup() -> None:
    """Selects the kind of misbehavior; also called by Ray."""
    odd = {"slow": slow, "lie": lie, "die": die}[os.environ["ODD"]]
    worker.compute = odd


def dask_setup(_worker: object) -> None:
    setup()
