"""Runs on Ray, of which workers are killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Run
from test_cluster import data, run_hash, local_manifest
from truesum import cluster
from truesum.cluster.progress import Progress

ray: Any = pytest.importorskip("ray")
HERE = Path(__file__).parent

__all__ = ["data"]


@pytest.fixture
def start() -> Iterator[Callable[[str], None]]:
    """Starts Ray with two workers that misbehave (see misbehaving_worker)."""

    def start(misbehavior: str) -> None:
        variables = {"PYTHONPATH": str(HERE), "MISBEHAVIOR": misbehavior, "MISBEHAVIOR_SECONDS": "0.2"}
        environment = {"env_vars": variables, "worker_process_setup_hook": "misbehaving_worker.setup"}
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=environment)

    yield start
    ray.shutdown()


def test_run_on_ray_survives_a_killed_worker(run: Run, data: Path, start: Callable[[str], None]) -> None:
    start("slow")
    killed: list[int] = []

    def kill(progress: Progress) -> None:
        if progress.done == 4 and not killed:
            killed.append(int(next(iter(progress.workers)).rpartition(":")[2]))
            os.kill(killed[0], signal.SIGKILL)

    report = run_hash(data, ray, progress=kill)
    assert killed and report.ok, report.problems
    assert (data.parent / "SUMS").read_bytes() == local_manifest(run, data, "sha256-tree")
    # The task that was lost was submitted again.
    assert report.submitted > report.bundles + report.reread


def test_file_that_kills_its_worker_on_ray_is_identified(data: Path, start: Callable[[str], None]) -> None:
    (data / "poison").write_bytes(b"poison")
    start("crash")
    report = run_hash(data, ray, algorithm="md5", bundle_bytes=0, policy=cluster.Policy(tries=1))
    assert not report and not (data.parent / "SUMS").exists()
    assert [(name, kind) for name, kind, _ in report.failures] == [("poison", "refused")]


def test_ray_must_be_initialized(data: Path) -> None:
    with pytest.raises(ValueError, match="ray.init"):
        run_hash(data, ray)
    with pytest.raises(ValueError, match="os is not a known engine"):
        run_hash(data, os)
