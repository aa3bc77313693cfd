"""The stages of a run: make a plan, compute bundles, merge parts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import replace
from types import ModuleType
from typing import Any, Protocol, TypeAlias, TypedDict, cast

from ..shard import Plan
from . import program, sizes
from .driver import Driver
from .futures_port import FuturesPort
from .journal import Journal
from .parts import Parts
from .policy import Policy
from .port import Port
from .progress import Progress
from .report import Report
from .run_folder import RunFolder
from .sources import Name, estimate
from .task import Answer, Task
from .work import Work


class Client(Protocol):
    """Recognizes a distributed.Client by its attributes, because Dask need not be installed."""

    @property
    def scheduler_info(self) -> Callable[..., Any]: ...
    @property
    def dashboard_link(self) -> Any: ...


Engine: TypeAlias = Client | Executor | Port | ModuleType | None
MAX_FAILURES = 1000
"""The maximum number of failures stored in a report."""
ProgressCallback: TypeAlias = Callable[[Progress], None]


class Settings(TypedDict, total=False):
    """The settings of a run. None of them affects a digest."""

    threads: int
    """Threads per task, 1 by default; 0 is one per core."""
    bundle_bytes: int
    bundle_files: int
    """The bundle size; 0 selects it from the amount of work and the number of workers."""
    worker_root: Name | None
    """The path of the root folder on the workers, if it differs."""
    near: Mapping[str, str]
    """The hosts that store files locally, by path prefix."""
    policy: Policy
    progress: ProgressCallback | None


def check_settings(settings: Settings) -> None:
    """Raises ValueError for invalid settings."""
    limits = {"threads": settings.get("threads", 1), "bundle_bytes": settings.get("bundle_bytes", 0)}
    limits["bundle_files"] = settings.get("bundle_files", 0)
    for name, number in limits.items():
        if number < 0:
            raise ValueError(f"{name}: {number}: must not be negative")


def port_of(engine: Engine) -> Port:
    """Returns the port for a Dask client, the module ray, an executor, None (processes on this machine), or a port
    itself."""
    if engine is None or isinstance(engine, Executor):
        return FuturesPort(engine)
    if isinstance(engine, ModuleType):
        if engine.__name__ != "ray":
            raise ValueError(f"{engine.__name__} is not a known engine")
        from .ray_port import RayPort

        return RayPort()
    if type(engine).__module__.partition(".")[0] == "distributed":
        from .dask_port import DaskPort

        if getattr(engine, "asynchronous", False):
            raise ValueError("the client is asynchronous: use a synchronous client in a separate thread")
        return DaskPort(cast(Any, engine))
    return cast(Port, engine)


def host_finder(plan: Plan, near: Mapping[str, str]) -> Callable[[int], str | None]:
    """Returns a function that returns the host that stores the first file of a bundle, by the longest matching
    prefix."""
    prefixes = sorted(near, key=len, reverse=True)

    def host(bundle: int) -> str | None:
        name = plan.first_name(bundle) if near else ""
        return next((near[prefix] for prefix in prefixes if name.startswith(prefix)), None)

    return host


def load_or_make_plan(
    run_folder: RunFolder,
    request: dict[str, Any],
    options: program.PlanOptions,
    names: Sequence[bytes],
    slots: int,
    settings: Settings,
) -> tuple[Plan, list[str]]:
    """Returns the existing plan or a new one, and descriptions of what it omits. If the estimate for its bundle sizes
    was wrong, the plan is made again, which is cheap in that case."""
    check_settings(settings)
    if (omitted := run_folder.load(request)) is not None:
        return Plan(run_folder.plan), omitted
    temporary = run_folder.plan + ".new"
    threads = settings.get("threads", 1)
    requested = settings.get("bundle_bytes", 0), settings.get("bundle_files", 0)
    estimated = estimate(names) if names else None
    automatic = (sizes.max_bytes(threads), sizes.MAX_FILES) if estimated is None else sizes.bundle_limits(*estimated, slots, threads)
    limits = requested[0] or automatic[0], requested[1] or automatic[1]
    omitted = program.make_plan(temporary, replace(options, bundle_bytes=limits[0], bundle_files=limits[1]), names)
    plan = Plan(temporary)
    ideal = sizes.bundle_limits(plan.bytes, plan.files, slots, threads)
    improved = requested[0] or ideal[0], requested[1] or ideal[1]
    if improved != limits and not sizes.is_suitable(plan.bundles, plan.bytes, plan.files, slots, threads):
        omitted = program.make_plan(temporary, replace(options, bundle_bytes=improved[0], bundle_files=improved[1]), names)
    run_folder.start(request, omitted, temporary)
    return Plan(run_folder.plan), omitted


def compute_bundles(run_folder: RunFolder, plan: Plan, engine: Engine, port: Port, settings: Settings) -> Report:
    """Computes all bundles. Problems are recorded in the report; the merge decides whether the parts are complete."""
    parts = Parts(plan, run_folder.parts)
    progress = Progress(plan.bundles, plan.bytes, dashboard=dashboard_of(engine))
    on_progress, threads = settings.get("progress"), settings.get("threads", 1)
    root = settings.get("worker_root")
    worker_root = None if root is None else os.fsdecode(root)

    def task(work: Work) -> Task:
        is_probe = work.probe is not None
        folder = run_folder.probes if is_probe else run_folder.parts
        return Task(run_folder.plan, plan.id, work.bundle, folder, worker_root, threads, work.must_recompute(), work.withheld)

    def on_answer(work: Work, answer: Answer) -> None:
        progress.add(answer.worker, answer.bytes, answer.seconds, answer.failed)
        if on_progress:
            on_progress(progress)

    policy, near = settings.get("policy") or Policy(), host_finder(plan, settings.get("near") or {})
    driver = Driver(plan, port, Journal(run_folder.journal, plan.id), policy, task, parts.digest, near, on_answer)
    progress.done = driver.result.resumed
    progress.hashed = sum(map(plan.bytes_of, driver.ledger.finished()))
    result = driver.run()
    report = Report(bundles=plan.bundles, problems=result.problems, submitted=result.submitted, resumed=result.resumed)
    report.copied, report.reread, report.reread_by_other_worker = result.copied, result.reread, result.reread_by_other_worker
    report.workers = progress.workers
    for bundle in result.incomplete:
        if len(report.failures) < MAX_FAILURES:
            report.failures += parts.failures(bundle)
    # A file that was split into ranges counts as one failure.
    report.failures = list({name: (name, kind, reason) for name, kind, reason in reversed(report.failures)}.values())[::-1][:MAX_FAILURES]
    return report


def merge_parts(run_folder: RunFolder, plan: Plan, report: Report, output: str, format: str | None, partial: bool) -> bool:
    """Writes the manifest unless there are problems; with `partial`, files without a digest are accepted. Returns
    whether the manifest is complete."""
    if report.problems:
        # The merge, which is skipped, would name the files that failed.
        report.problems += [f"{name!r}: {reason}" for name, _, reason in report.failures]
        return False
    if partial:
        with suppress(FileNotFoundError):
            # Left behind by an earlier attempt.
            os.remove(output)
    result = program.merge(run_folder.plan, run_folder.parts, output, format, partial)
    if result.status == 0:
        report.manifest, report.files, report.bytes = output, plan.files, plan.bytes
        return True
    report.problems += result.lines or [f"truesum shard merge failed with status {result.status}"]
    if partial and result.status == 1 and os.path.exists(output):
        totals = plan.merge([os.path.join(run_folder.parts, plan.part_name(bundle)) for bundle in range(plan.bundles)])
        report.manifest, report.files, report.bytes = output, totals.files, totals.bytes
    return False


def dashboard_of(engine: Engine) -> str | None:
    """Returns the address of the engine's dashboard, or None."""
    link = getattr(engine, "dashboard_link", None)
    return str(link) if link else None
