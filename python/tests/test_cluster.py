"""Runs on real processes, some of which are killed, stopped or return wrong results: each run ends with the correct
manifest or a specific error."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from distributed import Client

import truesum
from conftest import Run
from truesum import cluster
from truesum.cluster.command import main
from truesum.cluster.futures_port import FuturesPort
from truesum.cluster.progress import Progress
from truesum.cluster.task import Task
from truesum.shard import Plan

HERE = Path(__file__).parent
TIMEOUT = 120.0
"""Seconds after which a test counts as hung."""


def wait_until(condition: Callable[[], bool]) -> None:
    """Waits until a condition holds."""
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end, "timed out"
        time.sleep(0.05)


class Processes:
    """A Dask scheduler and its workers, as separate processes."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.file = folder, folder / "scheduler.json"
        self.started: list[subprocess.Popen[bytes]] = []
        # A stopped worker is given up after a while, together with its tasks.
        settings = {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "20 s", "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
        settings |= {"DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "False"}
        self.environment = os.environ | settings | {"PYTHONPATH": str(HERE)}
        self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(self.file))

    def start(self, *arguments: str, **variables: str) -> subprocess.Popen[bytes]:
        log = open(self.folder / f"log{len(self.started)}", "wb")
        command = [sys.executable, "-m", "dask", *arguments]
        process = subprocess.Popen(command, env=self.environment | variables, stdout=log, stderr=log, cwd=self.folder, start_new_session=True)
        self.started.append(process)
        return process

    def worker(self, misbehavior: str = "", seconds: float = 0.0, nanny: bool = False) -> subprocess.Popen[bytes]:
        arguments = ["worker", "--scheduler-file", str(self.file), "--nworkers", "1", "--nthreads", "1", "--no-dashboard"]
        arguments += ["--host", "127.0.0.1", "--nanny" if nanny else "--no-nanny"]
        arguments += ["--preload", "misbehaving_worker"] if misbehavior else []
        return self.start(*arguments, MISBEHAVIOR=misbehavior, MISBEHAVIOR_SECONDS=str(seconds))

    def without_package(self, version: str = "") -> subprocess.Popen[bytes]:
        """Starts a worker without the package, or with another version of it."""
        arguments = ["worker", "--scheduler-file", str(self.file), "--nworkers", "1", "--nthreads", "1", "--no-dashboard"]
        arguments += ["--host", "127.0.0.1", "--no-nanny", "--preload", "without_package"]
        return self.start(*arguments, OTHER_VERSION=version)

    def client(self, workers: int) -> Client:
        wait_until(self.file.exists)
        client = Client(scheduler_file=str(self.file), set_as_default=False)
        client.wait_for_workers(workers, timeout=TIMEOUT)
        return client

    def end(self) -> None:
        for process in self.started:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    folder = tmp_path / "dask"
    folder.mkdir()
    processes = Processes(folder)
    yield processes
    processes.end()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Creates forty files with all kinds of names, one of them larger than a bundle."""
    data = tmp_path / "data"
    (data / "folder").mkdir(parents=True)
    for number in range(36):
        (data / "folder" / f"{number:02}").write_bytes(b"%d " % number * (number * 300))
    for name in ("empty", "with blank", "a\nb", "-", os.fsdecode(b"bytes \xff")):
        (data / name).write_bytes(name.encode("utf-8", "surrogateescape") * (name != "empty"))
    (data / "large").write_bytes(bytes(range(256)) * 4096)
    return data


def local_manifest(run: Run, data: Path, algorithm: str) -> bytes:
    """Returns the manifest of a local run."""
    target = data.parent / "local"
    result = run("hash", "-q", "-a", algorithm, "--root", data, data, "-o", target)
    assert result.returncode == 0, result.stderr
    return target.read_bytes()


SMALL_BUNDLES = {"bundle_bytes": 1 << 18, "bundle_files": 4}


def run_hash(data: Path, client: object, work: str = "work", algorithm: str = "sha256-tree", **overrides: object) -> cluster.Report:
    """Runs `hash`; keywords override the usual arguments."""
    arguments = {"work": data.parent / work, "output": data.parent / "SUMS", "root": data, "algorithms": algorithm} | SMALL_BUNDLES | overrides
    return cluster.hash(data, client, **arguments)  # type: ignore[arg-type]


def reopen_run(data: Path, work: str = "work") -> None:
    """Restores the state of a run whose driver died after writing all parts and before recording the end."""
    path = data.parent / work / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"verdict": None}))
    (data.parent / "SUMS").unlink(missing_ok=True)


@pytest.mark.parametrize("algorithm", ["sha256-tree", "md5"])
def test_pools_give_the_same_manifest_as_a_local_run(run: Run, data: Path, algorithm: str) -> None:
    for workers in (1, 3):
        with ThreadPoolExecutor(workers) as pool:
            report = run_hash(data, pool, f"work{workers}", algorithm)
        assert report.ok and report.problems == [] and report.files == 42
        assert report.bundles >= (14 if algorithm == "sha256-tree" else 11)
        assert (data.parent / "SUMS").read_bytes() == local_manifest(run, data, algorithm)


def test_resumed_run_with_processes_repeats_no_work(run: Run, data: Path) -> None:
    arguments = ["hash", str(data), "--root", str(data), "--work", str(data.parent / "work"), "-o", str(data.parent / "SUMS")]
    arguments += ["--processes", "2", "--bundle-files", "4", "-a", "blake3,crc32", "-q"]
    assert main(arguments) == 0
    assert (data.parent / "SUMS").read_bytes() == local_manifest(run, data, "blake3,crc32")
    reopen_run(data)
    completed: list[int] = []
    report = run_hash(data, None, algorithm="blake3,crc32", bundle_bytes=0, progress=lambda progress: completed.append(progress.done))
    assert report.ok and report.resumed == report.bundles and report.submitted == completed.count(0) == 0
    assert (data.parent / "SUMS").read_bytes() == local_manifest(run, data, "blake3,crc32")


def test_run_survives_a_killed_worker(run: Run, data: Path, processes: Processes) -> None:
    victim = processes.worker("slow", 0.2)
    processes.worker("slow", 0.2)
    with processes.client(2) as client:
        killed: list[float] = []

        def kill(progress: Progress) -> None:
            if progress.done == 4 and not killed:
                killed.append(time.monotonic())
                victim.send_signal(signal.SIGKILL)

        report = run_hash(data, client, progress=kill)
    assert killed and report.ok, report.problems
    assert (data.parent / "SUMS").read_bytes() == local_manifest(run, data, "sha256-tree")
    # The first bundle that the dead worker computed is reread by the other one.
    assert report.reread >= 1


@pytest.mark.parametrize(("version", "reason"), [("", "ModuleNotFoundError"), ("0.0.1", "it has version 0.0.1")])
def test_worker_without_the_package_is_named_and_survives(data: Path, processes: Processes, version: str, reason: str) -> None:
    processes.worker()
    incompatible = processes.without_package(version)
    with processes.client(2) as client:
        with pytest.raises(ValueError, match=f"1 of 2 workers cannot run truesum .*{reason}"):
            run_hash(data, client)
        assert len(client.scheduler_info()["workers"]) == 2
    assert incompatible.poll() is None
    assert not (data.parent / "SUMS").exists()


def test_run_survives_a_worker_without_the_package_that_joins(run: Run, data: Path, processes: Processes) -> None:
    processes.worker("slow", 0.3)
    with processes.client(1) as client:
        joined: list[subprocess.Popen[bytes]] = []

        def join(progress: Progress) -> None:
            if not joined:
                joined.append(processes.without_package())
                client.wait_for_workers(2, timeout=TIMEOUT)

        report = run_hash(data, client, progress=join)
        assert len(client.scheduler_info()["workers"]) == 2
    assert report.ok, report.problems
    assert joined[0].poll() is None
    assert (data.parent / "SUMS").read_bytes() == local_manifest(run, data, "sha256-tree")


def test_run_survives_a_stopped_worker(run: Run, data: Path, processes: Processes) -> None:
    victim = processes.worker("slow", 0.1)
    processes.worker("slow", 0.1)
    with processes.client(2) as client:

        def stop(progress: Progress) -> None:
            if progress.done == 4:
                victim.send_signal(signal.SIGSTOP)

        policy = cluster.Policy(copy_after=1.0, grace=1.0)
        report = run_hash(data, client, progress=stop, policy=policy)
    assert report.ok, report.problems
    assert report.copied >= 1
    assert (data.parent / "SUMS").read_bytes() == local_manifest(run, data, "sha256-tree")


def test_run_of_a_killed_driver_is_resumed(run: Run, data: Path, processes: Processes) -> None:
    processes.worker("slow", 0.3)
    processes.worker("slow", 0.3)
    with processes.client(2) as client:
        work = data.parent / "work"
        command = [sys.executable, "-m", "truesum.cluster.command", "hash", str(data), "--root", str(data), "--work", str(work)]
        command += ["-o", str(data.parent / "SUMS"), "--scheduler-file", str(processes.file), "--bundle-files", "4", "-q"]
        command += ["-a", "sha256-tree", "--bundle-bytes", "256KiB"]
        driver = subprocess.Popen(command)
        journal = work / "journal.jsonl"
        wait_until(lambda: journal.exists() and journal.read_bytes().count(b'"state":"done"') >= 4)
        driver.send_signal(signal.SIGKILL)
        driver.wait()
        assert not (data.parent / "SUMS").exists()
        records = [json.loads(line) for line in journal.read_bytes().splitlines()]
        done = {record["bundle"] for record in records if record.get("state") == "done"}
        with journal.open("ab") as file:
            file.write(b'{"bundle":3,"sta')
        before = {path.name: path.stat().st_ino for path in (work / "parts").iterdir()}
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
    after = {path.name: path.stat().st_ino for path in (work / "parts").iterdir()}
    assert before.items() <= after.items(), "completed parts were written again"
    assert f"{len(done)} of them from an earlier run" in result.stderr
    assert (data.parent / "SUMS").read_bytes() == local_manifest(run, data, "sha256-tree")


def test_run_ends_without_its_scheduler_and_is_resumed(
    run: Run, data: Path, processes: Processes, capfd: pytest.CaptureFixture[str]
) -> None:
    processes.worker("slow", 0.2)
    processes.client(1).close()
    command = ["hash", str(data), "--root", str(data), "--work", str(data.parent / "work"), "-o", str(data.parent / "SUMS")]
    command += ["--bundle-files", "4", "-q"]
    # By default, Dask waits half a minute for a new connection before it gives up.
    environment = os.environ | {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "3 s"}
    driver_command = [sys.executable, "-m", "truesum.cluster.command", *command, "--scheduler-file", str(processes.file)]
    with subprocess.Popen(driver_command, env=environment, stderr=subprocess.PIPE, text=True) as driver:
        journal = data.parent / "work" / "journal.jsonl"
        wait_until(lambda: journal.exists() and b'"state":"done"' in journal.read_bytes())
        processes.started[0].kill()
        errors = driver.communicate(timeout=TIMEOUT)[1]
    assert driver.returncode == 4 and "the connection to the scheduler was lost" in errors and not (data.parent / "SUMS").exists(), errors
    assert main([*command, "--processes", "2"]) == 0
    assert " 0 of them from an earlier run" not in capfd.readouterr().err
    assert (data.parent / "SUMS").read_bytes() == local_manifest(run, data, "sha256")


def test_wrong_results_of_a_worker_are_detected(data: Path, processes: Processes) -> None:
    processes.worker("wrong", 0.05)
    processes.worker("slow", 0.05)
    with processes.client(2) as client:
        report = run_hash(data, client, algorithm="md5", bundle_bytes=0)
    assert not report and report.manifest is None and not (data.parent / "SUMS").exists()
    assert any("contradict each other" in problem for problem in report.problems), report.problems
    # The next run still knows about the contradiction.
    with ThreadPoolExecutor(2) as pool:
        again = run_hash(data, pool, algorithm="md5", bundle_bytes=0)
    assert not again and any("an earlier driver" in problem for problem in again.problems)


def test_file_that_kills_its_worker_is_identified(data: Path, processes: Processes) -> None:
    (data / "folder" / "poison").write_bytes(b"poison")
    os.rename(data / "folder" / "poison", data / "poison")
    processes.worker("crash", nanny=True)
    processes.worker("crash", nanny=True)
    with processes.client(2) as client:
        report = run_hash(data, client, algorithm="md5", bundle_bytes=0, policy=cluster.Policy(tries=1))
    assert not report and not (data.parent / "SUMS").exists()
    assert [(name, kind) for name, kind, _ in report.failures] == [("poison", "refused")]
    assert any("poison" in problem for problem in report.problems), report.problems


def test_file_changed_while_queued_is_named(data: Path, processes: Processes) -> None:
    processes.worker("slow", 0.1)
    with processes.client(1) as client:
        changed: list[int] = []

        def change(progress: Progress) -> None:
            if not changed:
                changed.append(progress.done)
                # This file is the last in the plan, so its worker has not reached it.
                (data / "with blank").write_bytes(b"with blanc")

        report = run_hash(data, client, progress=change)
    assert not report and not (data.parent / "SUMS").exists()
    assert [(name, kind) for name, kind, _ in report.failures] == [("with blank", "changed")]
    assert not any("--" in problem for problem in report.problems), "hints name options that truesum-cluster does not have"


class ActBeforeSubmit(FuturesPort):
    """Runs an action before the first task is submitted, when the plan already exists."""

    def __init__(self, act: Callable[[], object]) -> None:
        super().__init__(ThreadPoolExecutor(2))
        self._act: Callable[[], object] | None = act

    def submit(self, task: Task, *, avoid: Collection[str] = (), near: str | None = None) -> int:
        if self._act is not None:
            self._act()
            self._act = None
        return super().submit(task, avoid=avoid, near=near)


def test_file_changed_since_planning_is_named(data: Path) -> None:
    victim = data / "folder" / "07"
    report = run_hash(data, ActBeforeSubmit(lambda: victim.write_bytes(b"x" * victim.stat().st_size)))
    assert not report and not (data.parent / "SUMS").exists()
    assert [(name, kind) for name, kind, _ in report.failures] == [("folder/07", "changed")]
    report = run_hash(data, ActBeforeSubmit((data / "large").unlink), "other")
    assert not report and [name for name, kind, _ in report.failures if kind == "missing"] == ["large"] * len(report.failures)


def test_lost_or_corrupt_part_is_recomputed(run: Run, data: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        assert run_hash(data, pool).ok
        reopen_run(data)
        parts = sorted((data.parent / "work" / "parts").iterdir())
        parts[2].unlink()
        corrupt = bytearray(parts[4].read_bytes())
        corrupt[-5] ^= 1
        parts[4].write_bytes(corrupt)
        report = run_hash(data, pool)
    assert report.ok and report.resumed == report.bundles - 2
    assert (data.parent / "SUMS").read_bytes() == local_manifest(run, data, "sha256-tree")


def test_merge_detects_a_corrupt_part(data: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        assert run_hash(data, pool).ok
        reopen_run(data)
        part = sorted((data.parent / "work" / "parts").iterdir())[1]
        part.write_bytes(part.read_bytes().replace(b'"digests"', b'"digestz"', 1))
        report = run_hash(data, pool)
    assert not report and not (data.parent / "SUMS").exists()
    assert any(part.name in problem for problem in report.problems)


def test_mapped_and_read_files_give_the_same_parts(run: Run, tmp_path: Path) -> None:
    data, plan = tmp_path / "image", tmp_path / "plan"
    data.write_bytes(os.urandom(1 << 20) * 48)
    for algorithm in ("sha256-tree", "md5"):
        arguments = ["-a", algorithm, "--bundle-bytes", "16MiB", "--root", tmp_path, "-o", plan]
        assert run("shard", "plan", "-q", *arguments, data).returncode == 0
        found = []
        for mapping in (False, True):
            folder = tmp_path / f"{algorithm}-{mapping}"
            folder.mkdir()
            parts = [Plan(plan).compute(bundle, folder, threads=1, mapping=mapping) for bundle in range(Plan(plan).bundles)]
            found.append([(part.digest, part.failed) for part in parts])
        assert found[0] == found[1] and len(found[0]) == (3 if algorithm == "sha256-tree" else 1)
        plan.unlink()


def test_verify_agrees_with_check(run: Run, data: Path) -> None:
    manifest = data / "MD5SUMS"
    assert run("hash", "-q", "-a", "md5", "--root", data, data, "-o", manifest).returncode == 0

    def run_verify(work: str) -> cluster.Report:
        with ThreadPoolExecutor(2) as pool:
            report = cluster.verify(manifest, pool, work=data.parent / work, bundle_files=4)
        assert report.ok == (run("check", "-q", manifest).returncode == 0)
        return report

    assert run_verify("1").verdict == "verified"
    (data / "folder" / "09").write_bytes(b"other")
    (data / "folder" / "10").unlink()
    report = run_verify("2")
    found = {name: kind for name, kind, _ in report.failures}
    assert report.verdict == "failed" and found == {"folder/09": "changed", "folder/10": "missing"}
    manifest.write_bytes(b"0" * 64 + b"  longer than those of the others\n" + manifest.read_bytes())
    with pytest.raises(truesum.ManifestError):
        run_verify("3")
    # Both digests must match.
    two = data / "two.jsonl"
    assert run("hash", "-q", "-a", "md5,sha256", "--json", "--root", data, data / "large", "-o", two).returncode == 0
    text = two.read_text()
    for digest in json.loads(text)["digests"].values():
        two.write_text(text.replace(digest, "0" * len(digest)))
        with ThreadPoolExecutor(2) as pool:
            assert cluster.verify(two, pool, work=data.parent / digest).verdict == "failed"


def test_invalid_arguments_are_rejected(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    work = str(data.parent / "work")
    common = ["--work", work, "-o", str(data.parent / "SUMS"), "--processes", "1", "-q"]
    assert main(["hash", "s3://bucket/key", *common]) == 2
    assert "cannot read object stores" in capsys.readouterr().err
    assert main(["hash", str(data / "nothing"), *common]) == 2
    assert "nothing" in capsys.readouterr().err
    assert main(["hash", str(data), "--work", str(data / "folder" / "work"), "-o", str(data.parent / "SUMS"), "-q"]) == 2
    assert "the folder of the run is inside the files to be hashed" in capsys.readouterr().err
    assert main(["hash", str(data), "--work", work, "-o", str(data / "large"), "-q"]) == 2
    assert "the existing manifest is inside" in capsys.readouterr().err
    for invalid in (["--tries", "0"], ["--reread", "2"], ["--threads", "-1"], ["--bundle-files", "0x"], ["--bundle-bytes", "infGiB"]):
        try:
            assert main(["hash", str(data), *common, *invalid]) == 2
        except SystemExit as exit:
            assert exit.code == 2
        assert invalid[0].strip("-").replace("-", "_") in capsys.readouterr().err.replace("-", "_")
    assert not (data.parent / "SUMS").exists()

    def start_second_driver() -> None:
        with pytest.raises(BlockingIOError):
            run_hash(data, pool, "third")

    with ThreadPoolExecutor(1) as pool:
        assert run_hash(data, ActBeforeSubmit(start_second_driver), "third").ok


def test_results_of_another_run_are_not_reused(data: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        report = run_hash(data, pool)
        assert report.ok
        # The run has ended: the files may have changed since, and would not be read.
        with pytest.raises(ValueError, match=r"this run has ended \(hashed\)"):
            run_hash(data, pool)
        reopen_run(data)
        (data.parent / "more").mkdir()
        for other in ({"algorithm": "md5"}, {"root": data.parent}, {"format": "bsd"}, {"output": data.parent / "OTHER"}):
            with pytest.raises(ValueError, match="another run"):
                run_hash(data, pool, **other)
        # The plan itself lacks the new folder.
        arguments = {"work": data.parent / "work", "output": data.parent / "SUMS", "root": data, "algorithms": "sha256-tree"}
        with pytest.raises(ValueError, match="another run"):
            cluster.hash([data, data.parent / "more"], pool, **arguments)  # type: ignore[arg-type]
        # A plan without a record of what it was made from.
        (data.parent / "work" / "run.json").unlink()
        with pytest.raises(ValueError, match="does not describe the existing plan"):
            run_hash(data, pool)
    assert not (data.parent / "SUMS").exists() and not (data.parent / "OTHER").exists()


def test_manifest_may_be_next_to_its_files(run: Run, data: Path) -> None:
    expected = local_manifest(run, data, "sha256-tree")
    with ThreadPoolExecutor(1) as pool:
        assert run_hash(data, pool, output=data / "SUMS").ok
        # The driver died after creating it: it is not one of the planned files.
        reopen_run(data)
        assert run_hash(data, pool, output=data / "SUMS").ok and (data / "SUMS").read_bytes() == expected
        with pytest.raises(ValueError, match="the existing manifest is inside"):
            run_hash(data, pool, "another", output=data / "SUMS")


def test_finished_verification_is_never_reused(run: Run, data: Path) -> None:
    manifest = data.parent / "MD5SUMS"
    assert run("hash", "-q", "-a", "md5", "--root", data, data, "-o", manifest).returncode == 0

    def run_verify(work: str, engine: object) -> cluster.Report:
        return cluster.verify(manifest, engine, work=data.parent / work, root=data, bundle_files=4)  # type: ignore[arg-type]

    with ThreadPoolExecutor(2) as pool:
        assert run_verify("1", pool).verdict == "verified"
        with pytest.raises(ValueError, match=r"this run has ended \(verified\)"):
            run_verify("1", pool)
        # If the manifest is replaced while files are read, it is no longer the one that was read.
        report = run_verify("2", ActBeforeSubmit(lambda: manifest.write_bytes(manifest.read_bytes() + b"# 1\n")))
        assert not report and any("changed during the run" in problem for problem in report.problems)
        with pytest.raises(ValueError, match="another run"):
            run_verify("2", pool)
        # Everything readable was read, so this run is over; a file that returns is only found by a new run.
        (data / "folder" / "09").rename(data / "away")
        report = run_verify("3", pool)
        assert [failure[:2] for failure in report.failures] == [("folder/09", "missing")] and report.files == 41
        assert report.bytes == sum(path.stat().st_size for path in data.rglob("*") if path.is_file() and path.name != "away")
        (data / "away").rename(data / "folder" / "09")
        with pytest.raises(ValueError, match=r"this run has ended \(failed\)"):
            run_verify("3", pool)
        # A file that is not in the manifest is not verified and not read.
        (data / "more").write_bytes(b"more")
        assert run_verify("4", pool).files == 42
        # A manifest that contains a name twice, with one correct and one wrong digest.
        text = manifest.read_bytes()
        line = next(line for line in text.splitlines(keepends=True) if line.endswith(b"folder/11\n"))
        for both_lines in (line + b"0" * 32 + line[32:], b"0" * 32 + line[32:] + line):
            manifest.write_bytes(text.replace(line, both_lines))
            assert not run_verify(f"{len(both_lines)}{both_lines[:1]!r}".replace("'", ""), pool)
        manifest.write_bytes(text.replace(line, b""))
        assert run_verify("7", pool).files == 41
