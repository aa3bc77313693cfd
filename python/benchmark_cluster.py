"""Measures the overhead of a cluster: two single-threaded workers against one program with two threads, in alternating
runs; the cost per task; and the driver's memory for a plan with millions of files.

`python benchmark_cluster.py [--files N] [--gib G] [--tasks N] [--turns N]` compares on this machine. `--listing N`
plans N files that do not exist, in bundles of `--bundle-files`, and runs a driver over them. Processor time is the
total of all processes; other processes on the machine affect it less than wall-clock time.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from distributed import Client, LocalCluster

import truesum
from truesum import cluster
from truesum.__main__ import program
from truesum.cluster.driver import Driver
from truesum.cluster.journal import Journal, OnDisk
from truesum.cluster.stage import Engine
from truesum.cluster.task import Answer, Done, Event, Task
from truesum.cluster.work import Work
from truesum.shard import Plan


ONCE = cluster.Policy(reread_first=0.02)
"""The comparison reads every bundle once: rereading the first bundle of each worker is additional work, not overhead."""


def spent() -> float:
    """Returns the processor time of this process and of its terminated children."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def live(pids: Collection[int]) -> float:
    """Returns the processor time of running processes."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def timed(act: Callable[[], object], pids: Collection[int]) -> tuple[float, float]:
    """Returns the wall-clock seconds of a call and its total processor seconds."""
    since, before = time.perf_counter(), spent() + live(pids)
    act()
    return time.perf_counter() - since, spent() + live(pids) - before


def who() -> int:
    """Returns the process ID of the worker that runs this."""
    time.sleep(0.1)
    return os.getpid()


def begun(pool: ProcessPoolExecutor, count: int) -> set[int]:
    """Returns the process IDs of a pool after all its processes have started."""
    there: set[int] = set()
    while len(there) < count:
        there |= {future.result() for future in [pool.submit(who) for _ in range(2 * count)]}
    return there


def compare(name: str, data: Path, algorithm: str, engine: Engine, pids: Collection[int], turns: int) -> None:
    """Compares one program with two threads and two workers with one thread each."""
    scratch = data.parent
    alone: list[tuple[float, float]] = []
    shared: list[tuple[float, float]] = []
    for turn in range(turns + 1):
        command = [str(program()), "hash", "-q", "-j", "2", "-a", algorithm, "--root", str(data), str(data), "-o", str(scratch / "local")]
        one = timed(lambda: subprocess.run(command, check=True), pids)
        work = scratch / f"{name}-{turn}"

        def run() -> None:
            report = cluster.hash(data, engine, work=work, output=scratch / "SUMS", root=data, algorithms=algorithm, policy=ONCE)
            assert report.ok, report.problems

        two = timed(run, pids)
        assert (scratch / "local").read_bytes() == (scratch / "SUMS").read_bytes()
        if turn:
            alone.append(one)
            shared.append(two)
    clock, cpu = (statistics.median(a[i] / s[i] for a, s in zip(alone, shared, strict=True)) for i in (0, 1))
    medians = [statistics.median(times[i] for times in which) for which in (alone, shared) for i in (0, 1)]
    print(f"{name}: alone {medians[0]:.2f} s, {medians[1]:.2f} s of processor time; cluster {medians[2]:.2f} s, {medians[3]:.2f} s of processor time; "
          f"efficiency {clock:.0%} in wall-clock time, {cpu:.0%} in processor time", flush=True)


def tasks(scratch: Path, count: int, client: Client, pids: Collection[int]) -> None:
    """Measures bundles with a single small file."""
    data = scratch / "tasks"
    data.mkdir()
    for number in range(count):
        (data / f"{number:06}").touch()
    time.sleep(3)

    def run(most: int, work: str) -> None:
        report = cluster.hash(data, client, work=scratch / work, output=scratch / "SUMS", root=data, bundle_bytes=1 << 30, bundle_files=most)
        assert report.ok, report.problems

    few, many = timed(lambda: run(count, "few"), pids), timed(lambda: run(1, "many"), pids)
    each = [(m - f) / (count - 1) * 1000 for f, m in zip(few, many, strict=True)]
    print(f"{count} tasks of one empty file: {each[0]:.2f} ms each in wall-clock time, {each[1]:.2f} ms in processor time", flush=True)


class Yes:
    """A port that answers every task at once, so that only the driver is measured."""

    def __init__(self) -> None:
        self._asked: list[tuple[int, Task]] = []
        self._next = 0

    def submit(self, task: Task, *, avoid: Collection[str] = (), near: str | None = None) -> int:
        self._next += 1
        self._asked.append((self._next, task))
        return self._next

    def wait(self, timeout: float) -> list[Event]:
        asked, self._asked = self._asked, []
        return [Done(id, Answer(f"w{id % 100}", "written", digest(task.bundle), 1, 0, 0, 1, 1.0)) for id, task in asked]

    def cancel(self, id: int) -> None: ...
    def workers(self) -> Collection[str]:
        return ()

    def slots(self) -> int:
        return 100

    def holder(self, id: int) -> str | None:
        return None

    def now(self) -> float:
        return time.monotonic()

    def close(self) -> None: ...


def digest(bundle: int) -> str:
    return hashlib.sha256(b"%d" % bundle).hexdigest()


def listing(folder: Path, files: int, each: int) -> None:
    """Writes a plan of files that do not exist, in the format of docs/spec/shards.md, and runs a driver over it."""
    path, when = folder / "plan.jsonl", "2026-01-01T00:00:00.000000000Z"
    whole = truesum.blake3()
    with path.open("wb") as out:
        head = b'{"schema":"truesum-plan/1","root":"/data","algorithms":["sha256"]}\n'
        whole.update(head)
        out.write(head)
        index, offset = [], len(head)
        for bundle, first in enumerate(range(0, files, each)):
            names = range(first, min(files, first + each))
            text = "".join(
                f'{{"path":"folder/{name:012}","size":1048576,"mtime":"{when}","ctime":"{when}","inode":{name}}}\n' for name in names
            ).encode()
            out.write(text)
            sealed = truesum.blake3(text).hexdigest()
            told = f'"lines":{len(names)},"bytes":{len(names) << 20}'
            index.append(f'{{"bundle":{bundle},"offset":{offset},"length":{len(text)},{told},"blake3":"{sealed}"}}\n'.encode())
            offset += len(text)
        end = f'{{"end":true,"index":{offset},"bundles":{len(index)},"files":{files},"bytes":{files << 20},"blake3":"'.encode()
        for line in [*index, end]:
            whole.update(line)
            out.write(line)
        out.write(f'{whole.hexdigest()}"}}\n'.encode())
    del index
    command = [sys.executable, __file__, "--drive", str(path)]
    subprocess.run(command, check=True)


def highest() -> float:
    """Returns the peak memory of this process in MiB. The value of getrusage includes the parent's before the fork."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def drive(path: Path) -> None:
    """Runs the driver in a separate process, so that its memory is measured alone."""
    before = highest()
    plan = Plan(path)
    since = time.process_time()
    journal = Journal(OnDisk(str(path) + ".journal"), plan.id)

    def task(work: Work) -> Task:
        return Task(str(path), plan.id, work.bundle, "parts", again=work.must_read())

    told = Driver(plan, Yes(), journal, cluster.Policy(), task, digest).run()
    assert not told.problems, told.problems
    took = (time.process_time() - since) / told.submitted * 1e6
    print(f"{plan.files:,} files in {plan.bundles:,} bundles: peak memory {highest():.0f} MiB ({before:.0f} MiB before the run); {took:.0f} µs per task")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--gib", type=float, default=4)
    parser.add_argument("--tasks", type=int, default=300)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--listing", type=int)
    parser.add_argument("--bundle-files", type=int, default=20_000)
    parser.add_argument("--drive", type=Path)
    given = parser.parse_args()
    if given.drive:
        drive(given.drive)
        return
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        if given.listing:
            listing(scratch, given.listing, given.bundle_files)
            return
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local, Client(local) as client:
            pids = [client.run(os.getpid)[worker] for worker in client.scheduler_info(n_workers=-1)["workers"]]
            block = os.urandom(1 << 24)
            if given.gib:
                (scratch / "large").mkdir()
                with (scratch / "large" / "image").open("wb") as file:
                    for _ in range(int(given.gib * 64)):
                        file.write(block)
            if given.files:
                (scratch / "many").mkdir()
                for number in range(given.files):
                    (scratch / "many" / f"{number:06}").write_bytes(block[number : number + 102_400])
            # For recently modified files truesum checks for writers; wait until these are old enough.
            time.sleep(3)
            with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
                workers = begun(pool, 2)
                engines: list[tuple[str, Engine, Collection[int]]] = [("Dask", client, pids), ("processes", pool, workers)]
                for engine, at, of in engines:
                    if given.gib:
                        compare(f"{engine}, {given.gib:g} GiB, sha256-tree", scratch / "large", "sha256-tree", at, of, given.turns)
                    if given.files:
                        compare(f"{engine}, {given.files} files of 100 KiB, sha256", scratch / "many", "sha256", at, of, given.turns)
            tasks(scratch, given.tasks, client, pids)


if __name__ == "__main__":
    main()
