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
from truesum.cluster.journal import Journal, LockedFile
from truesum.cluster.stage import Engine
from truesum.cluster.task import Answer, Done, Event, Task
from truesum.cluster.work import Work
from truesum.shard import Plan


FEW_REREADS = cluster.Policy(reread_first=0.02)
"""The comparison reads every bundle once: rereading the first bundle of each worker is additional work, not overhead."""


def own_cpu_seconds() -> float:
    """Returns the processor time of this process and of its terminated children."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def cpu_seconds_of(pids: Collection[int]) -> float:
    """Returns the processor time of running processes."""
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(call: Callable[[], object], pids: Collection[int]) -> tuple[float, float]:
    """Returns the wall-clock seconds of a call and its total processor seconds."""
    start, cpu_before = time.perf_counter(), own_cpu_seconds() + cpu_seconds_of(pids)
    call()
    return time.perf_counter() - start, own_cpu_seconds() + cpu_seconds_of(pids) - cpu_before


def worker_pid() -> int:
    """Returns the process ID of the worker that runs this."""
    time.sleep(0.1)
    return os.getpid()


def start_workers(pool: ProcessPoolExecutor, count: int) -> set[int]:
    """Returns the process IDs of a pool after all its processes have started."""
    pids: set[int] = set()
    while len(pids) < count:
        pids |= {future.result() for future in [pool.submit(worker_pid) for _ in range(2 * count)]}
    return pids


def compare(name: str, data: Path, algorithm: str, engine: Engine, pids: Collection[int], turns: int) -> None:
    """Compares one program with two threads and two workers with one thread each."""
    scratch = data.parent
    local_manifest, cluster_manifest = scratch / f"{name}-local", scratch / f"{name}-cluster"
    local_times: list[tuple[float, float]] = []
    cluster_times: list[tuple[float, float]] = []
    for turn in range(turns + 1):
        # A run that replaces a manifest also compares the two.
        local_manifest.unlink(missing_ok=True)
        cluster_manifest.unlink(missing_ok=True)
        command = [str(program()), "hash", "-q", "-j", "2", "-a", algorithm, "--root", str(data), str(data), "-o", str(local_manifest)]
        local_time = measure(lambda: subprocess.run(command, check=True), pids)
        work = scratch / f"{name}-{turn}"

        def run() -> None:
            report = cluster.hash(data, engine, work=work, output=cluster_manifest, root=data, algorithms=algorithm, policy=FEW_REREADS)
            assert report.ok, report.problems

        cluster_time = measure(run, pids)
        assert local_manifest.read_bytes() == cluster_manifest.read_bytes()
        if turn:
            local_times.append(local_time)
            cluster_times.append(cluster_time)
    clock, cpu = (statistics.median(alone[i] / shared[i] for alone, shared in zip(local_times, cluster_times, strict=True)) for i in (0, 1))
    medians = [statistics.median(times[i] for times in series) for series in (local_times, cluster_times) for i in (0, 1)]
    print(f"{name}: alone {medians[0]:.2f} s, {medians[1]:.2f} s of processor time; cluster {medians[2]:.2f} s, {medians[3]:.2f} s of processor time; "
          f"efficiency {clock:.0%} in wall-clock time, {cpu:.0%} in processor time", flush=True)


def tasks(scratch: Path, count: int, client: Client, pids: Collection[int]) -> None:
    """Measures bundles with a single small file."""
    data = scratch / "tasks"
    data.mkdir()
    for number in range(count):
        (data / f"{number:06}").touch()
    time.sleep(3)

    def run(bundle_files: int, work: str) -> None:
        report = cluster.hash(data, client, work=scratch / work, output=scratch / f"{work}-manifest", root=data, bundle_bytes=1 << 30, bundle_files=bundle_files)
        assert report.ok, report.problems

    one_task, many_tasks = measure(lambda: run(count, "few"), pids), measure(lambda: run(1, "many"), pids)
    per_task = [(many - one) / (count - 1) * 1000 for one, many in zip(one_task, many_tasks, strict=True)]
    print(f"{count} tasks of one empty file: {per_task[0]:.2f} ms each in wall-clock time, {per_task[1]:.2f} ms in processor time", flush=True)


class InstantPort:
    """A port that answers every task at once, so that only the driver is measured."""

    def __init__(self) -> None:
        self._submitted: list[tuple[int, Task]] = []
        self._next = 0

    def submit(self, task: Task, *, avoid: Collection[str] = (), near: str | None = None) -> int:
        self._next += 1
        self._submitted.append((self._next, task))
        return self._next

    def wait(self, timeout: float) -> list[Event]:
        submitted, self._submitted = self._submitted, []
        return [Done(id, Answer(f"w{id % 100}", "written", digest_of(task.bundle), 1, 0, 0, 1, 1.0)) for id, task in submitted]

    def cancel(self, id: int) -> None: ...
    def workers(self) -> Collection[str]:
        return ()

    def slots(self) -> int:
        return 100

    def worker_of(self, id: int) -> str | None:
        return None

    def now(self) -> float:
        return time.monotonic()

    def close(self) -> None: ...


def digest_of(bundle: int) -> str:
    return hashlib.sha256(b"%d" % bundle).hexdigest()


def plan_and_drive(folder: Path, files: int, bundle_files: int) -> None:
    """Writes a plan of files that do not exist, in the format of docs/spec/shards.md, and runs a driver over it."""
    path, when = folder / "plan.jsonl", "2026-01-01T00:00:00.000000000Z"
    hasher = truesum.blake3()
    with path.open("wb") as out:
        header = b'{"schema":"truesum-plan/1","root":"/data","algorithms":["sha256"]}\n'
        hasher.update(header)
        out.write(header)
        index, offset = [], len(header)
        for bundle, first in enumerate(range(0, files, bundle_files)):
            names = range(first, min(files, first + bundle_files))
            text = "".join(
                f'{{"path":"folder/{name:012}","size":1048576,"mtime":"{when}","ctime":"{when}","inode":{name}}}\n' for name in names
            ).encode()
            out.write(text)
            checksum = truesum.blake3(text).hexdigest()
            counts = f'"lines":{len(names)},"bytes":{len(names) << 20}'
            index.append(f'{{"bundle":{bundle},"offset":{offset},"length":{len(text)},{counts},"blake3":"{checksum}"}}\n'.encode())
            offset += len(text)
        end = f'{{"end":true,"index":{offset},"bundles":{len(index)},"files":{files},"bytes":{files << 20},"blake3":"'.encode()
        for line in [*index, end]:
            hasher.update(line)
            out.write(line)
        out.write(f'{hasher.hexdigest()}"}}\n'.encode())
    del index
    command = [sys.executable, __file__, "--drive", str(path)]
    subprocess.run(command, check=True)


def peak_memory_mib() -> float:
    """Returns the peak memory of this process in MiB. The value of getrusage includes the parent's before the fork."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def drive(path: Path) -> None:
    """Runs the driver in a separate process, so that its memory is measured alone."""
    memory_before = peak_memory_mib()
    plan = Plan(path)
    start = time.process_time()
    journal = Journal(LockedFile(str(path) + ".journal"), plan.id)

    def task(work: Work) -> Task:
        return Task(str(path), plan.id, work.bundle, "parts", again=work.must_recompute())

    result = Driver(plan, InstantPort(), journal, cluster.Policy(), task, digest_of).run()
    assert not result.problems, result.problems
    cpu_us = (time.process_time() - start) / result.submitted * 1e6
    print(f"{plan.files:,} files in {plan.bundles:,} bundles: peak memory {peak_memory_mib():.0f} MiB ({memory_before:.0f} MiB before the run); {cpu_us:.0f} µs per task")


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
            plan_and_drive(scratch, given.listing, given.bundle_files)
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
                workers = start_workers(pool, 2)
                engines: list[tuple[str, Engine, Collection[int]]] = [("Dask", client, pids), ("processes", pool, workers)]
                for name, engine, worker_pids in engines:
                    if given.gib:
                        compare(f"{name}, {given.gib:g} GiB, sha256-tree", scratch / "large", "sha256-tree", engine, worker_pids, given.turns)
                    if given.files:
                        compare(f"{name}, {given.files} files of 100 KiB, sha256", scratch / "many", "sha256", engine, worker_pids, given.turns)
            tasks(scratch, given.tasks, client, pids)


if __name__ == "__main__":
    main()
