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
from .place import Place
from .policy import Policy
from .port import Port
from .progress import Progress
from .report import Report
from .sources import Name, guess
from .task import Answer, Task
from .work import Work


class Client(Protocol):
    """Recognizes a distributed.Client by its attributes, because Dask need not be installed."""

    @property
    def scheduler_info(self) -> Callable[..., Any]: ...
    @property
    def dashboard_link(self) -> Any: ...


Engine: TypeAlias = Client | Executor | Port | ModuleType | None
KEPT = 1000
"""The maximum number of failures stored in a report."""
Hear: TypeAlias = Callable[[Progress], None]


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
    progress: Hear | None


def checked(settings: Settings) -> None:
    """Raises ValueError for invalid settings."""
    asked = {"threads": settings.get("threads", 1), "bundle_bytes": settings.get("bundle_bytes", 0)}
    asked["bundle_files"] = settings.get("bundle_files", 0)
    for name, number in asked.items():
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


def close_by(plan: Plan, near: Mapping[str, str]) -> Callable[[int], str | None]:
    """Returns the host that stores the first file of a bundle, by the longest matching prefix."""
    longest = sorted(near, key=len, reverse=True)

    def host(bundle: int) -> str | None:
        name = plan.first_name(bundle) if near else ""
        return next((near[prefix] for prefix in longest if name.startswith(prefix)), None)

    return host


def planned(
    place: Place, asked: dict[str, Any], wanted: program.Wanted, given: Sequence[bytes], slots: int, settings: Settings
) -> tuple[Plan, list[str]]:
    """Returns the existing plan or a new one, and what it lacks. If the estimate for its bundle sizes was wrong, the
    plan is made again, which is cheap in that case."""
    checked(settings)
    if (lacking := place.begun(asked)) is not None:
        return Plan(place.plan), lacking
    new = place.plan + ".new"
    threads = settings.get("threads", 1)
    sized = settings.get("bundle_bytes", 0), settings.get("bundle_files", 0)
    guessed = guess(given) if given else None
    usual = (sizes.largest(threads), sizes.FILES) if guessed is None else sizes.fitting(*guessed, slots, threads)
    first = sized[0] or usual[0], sized[1] or usual[1]
    lacking = program.make_plan(new, replace(wanted, bundle_bytes=first[0], bundle_files=first[1]), given)
    plan = Plan(new)
    fitting = sizes.fitting(plan.bytes, plan.files, slots, threads)
    better = sized[0] or fitting[0], sized[1] or fitting[1]
    if better != first and not sizes.fits(plan.bundles, plan.bytes, plan.files, slots, threads):
        lacking = program.make_plan(new, replace(wanted, bundle_bytes=better[0], bundle_files=better[1]), given)
    place.begin(asked, lacking, new)
    return Plan(place.plan), lacking


def computed(place: Place, plan: Plan, engine: Engine, port: Port, settings: Settings) -> Report:
    """Computes all bundles. Problems are recorded in the report; the merge decides whether the parts are complete."""
    parts = Parts(plan, place.parts)
    progress = Progress(plan.bundles, plan.bytes, dashboard=dashboard_of(engine))
    hear, threads = settings.get("progress"), settings.get("threads", 1)
    root = settings.get("worker_root")
    worker_root = None if root is None else os.fsdecode(root)

    def task(work: Work) -> Task:
        probing = work.probe is not None
        folder = place.probes if probing else place.parts
        return Task(place.plan, plan.id, work.bundle, folder, worker_root, threads, work.must_read(), work.withheld)

    def tell(work: Work, answer: Answer) -> None:
        progress.add(answer.worker, answer.bytes, answer.seconds, answer.failed)
        if hear:
            hear(progress)

    policy, near = settings.get("policy") or Policy(), close_by(plan, settings.get("near") or {})
    driver = Driver(plan, port, Journal(place.journal, plan.id), policy, task, parts.digest, near, tell)
    progress.done = driver.told.resumed
    progress.hashed = sum(map(plan.bytes_of, driver.ledger.known()))
    told = driver.run()
    report = Report(bundles=plan.bundles, problems=told.problems, submitted=told.submitted, resumed=told.resumed)
    report.copied, report.reread, report.reread_elsewhere = told.copied, told.reread, told.reread_elsewhere
    report.workers = progress.workers
    for bundle in told.flawed:
        if len(report.failures) < KEPT:
            report.failures += parts.failures(bundle)
    # A file that was split into ranges counts as one failure.
    report.failures = list({name: (name, kind, reason) for name, kind, reason in reversed(report.failures)}.values())[::-1][:KEPT]
    return report


def merged(place: Place, plan: Plan, report: Report, output: str, form: str | None, partial: bool) -> bool:
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
    said = program.merge(place.plan, place.parts, output, form, partial)
    if said.status == 0:
        report.manifest, report.files, report.bytes = output, plan.files, plan.bytes
        return True
    report.problems += said.lines or [f"truesum shard merge failed with status {said.status}"]
    if partial and said.status == 1 and os.path.exists(output):
        counted = plan.merge([os.path.join(place.parts, plan.part_name(bundle)) for bundle in range(plan.bundles)])
        report.manifest, report.files, report.bytes = output, counted.files, counted.bytes
    return False


def dashboard_of(engine: Engine) -> str | None:
    """The address of the engine's dashboard."""
    link = getattr(engine, "dashboard_link", None)
    return str(link) if link else None
