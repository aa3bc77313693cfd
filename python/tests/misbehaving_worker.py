"""Loaded into a worker of Dask (`--preload`) or Ray that misbehaves: MISBEHAVIOR selects `slow`, `wrong` or
`crash`."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace

import truesum
from truesum.cluster import worker
from truesum.cluster.task import Answer, Task
from truesum.shard import Plan

compute_correctly = worker.compute


def compute_slowly(task: Task) -> Answer:
    time.sleep(float(os.environ["MISBEHAVIOR_SECONDS"]))
    return compute_correctly(task)


def compute_wrong_part(task: Task) -> Answer:
    """Writes a complete but wrong part, like a machine with faulty memory."""
    answer = compute_slowly(task)
    path = os.path.join(task.folder, Plan(task.plan).part_name(task.bundle))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r'("digests":\{"[^"]+":")(.)', lambda match: match[1] + ("0" if match[2] != "0" else "1"), text)
    content = text[: text.rindex(',"blake3":"')] + ',"blake3":"'
    digest = truesum.blake3(content.encode()).hexdigest()
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'{content}{digest}"}}\n')
    return replace(answer, digest=digest)


def exit_at_poison(task: Task) -> Answer:
    """Exits when it reaches a file named `poison`."""
    plan = Plan(task.plan)
    with open(task.plan, encoding="utf-8") as file:
        names = [line for line in file if line.startswith('{"path":')]
    before = sum(plan.lines_of(bundle) for bundle in range(task.bundle))
    for line in range(plan.lines_of(task.bundle)):
        if '"poison"' in names[before + line] and not any(first <= line < end for first, end in task.withheld):
            os._exit(9)
    return compute_correctly(task)


def setup() -> None:
    """Selects the kind of misbehavior; also called by Ray."""
    worker.compute = {"slow": compute_slowly, "wrong": compute_wrong_part, "crash": exit_at_poison}[os.environ["MISBEHAVIOR"]]


def dask_setup(_worker: object) -> None:
    setup()
