"""A run in an MPI job (mpi4py), and one whose process is killed: MPI then ends the job, and the same command resumes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Run
from test_cluster import data, local_manifest

pytest.importorskip("mpi4py")

__all__ = ["data"]

SCRIPT = """
import os, signal, sys
from mpi4py.futures import MPIPoolExecutor
from truesum import cluster

# The processes of the pool import this file with other arguments.
data, work, output, kill = sys.argv[-4:]

def ended(progress):
    if kill == "yes" and progress.done == 4:
        os.kill(int(next(iter(progress.workers)).rpartition(":")[2]), signal.SIGKILL)

if __name__ == "__main__":
    with MPIPoolExecutor() as pool:
        report = cluster.hash(data, pool, work=work, output=output, root=data, algorithms="sha256-tree",
                              bundle_bytes=1 << 18, bundle_files=4, progress=ended)
    print(report.verdict, report.bundles, report.resumed, len(report.workers))
"""


def test_run_of_an_mpi_job_with_a_killed_process_is_resumed(run: Run, data: Path, tmp_path: Path) -> None:
    mpirun = shutil.which("mpirun", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if mpirun is None:
        pytest.skip("no mpirun")
    script = tmp_path / "job.py"
    script.write_text(SCRIPT)
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def job(kill: str) -> subprocess.CompletedProcess[str]:
        command = [mpirun, "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures", str(script), str(data)]
        command += [str(tmp_path / "work"), str(tmp_path / "SUMS"), kill]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)

    killed = job("yes")
    assert killed.returncode != 0 and not (tmp_path / "SUMS").exists(), killed.stderr
    result = job("no")
    assert result.returncode == 0, result.stderr
    verdict, bundles, resumed, workers = result.stdout.split()
    assert verdict == "hashed" and 4 <= int(resumed) < int(bundles) and int(workers) >= 1
    assert (tmp_path / "SUMS").read_bytes() == local_manifest(run, data, "sha256-tree")
