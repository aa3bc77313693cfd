"""`truesum-cluster`: hash and verify on a cluster from the command line."""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Sequence
from fractions import Fraction

from .policy import Policy
from .progress import Progress
from .report import Report
from .run import hash, verify
from .stage import Engine, Settings
from .wording import count

EXAMPLES = """\
examples:
  truesum-cluster hash /data --root /data --work /shared/run -o /shared/SHA256SUMS --scheduler tcp://head:8786
  truesum-cluster verify /data/SHA256SUMS --work /shared/check --processes 8

To resume after an interruption or the loss of the scheduler, run the same command again.

exit status: 0 every file was hashed or verified; 1 some files failed; 2 the request cannot be carried out; 4 retrying may help;
130 interrupted
"""


UNITS = {"": 1, "b": 1} | {prefix + suffix: 1024**power for power, prefix in enumerate("kmgt", 1) for suffix in ("", "i", "ib")}
UNITS |= {prefix + "b": 1000**power for power, prefix in enumerate("kmgt", 1)}


def size(text: str) -> int:
    """Parses a number of bytes in the syntax of the program.

    >>> size("64GiB"), size("1.5k"), size("500 MB")
    (68719476736, 1536, 500000000)
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?) *([a-z]*)", text.strip().lower(), re.ASCII)
    bytes = Fraction(match[1]) * UNITS.get(match[2], 0) if match else Fraction(0)
    if not match or match[2] not in UNITS or bytes.denominator != 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a size (examples: 64GiB, 500MiB, 1000)")
    return int(bytes)


def prefix_and_host(text: str) -> tuple[str, str]:
    """Parses PREFIX=HOST."""
    prefix, sign, host = text.rpartition("=")
    if not sign or not host:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form PREFIX=HOST")
    return prefix, host


def parser() -> argparse.ArgumentParser:
    """Returns the argument parser."""
    defaults = Policy()
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--work", metavar="DIR", required=True, help="folder shared by driver and workers; an existing run is resumed")
    common.add_argument("--root", metavar="DIR", help="folder that names are relative to")
    common.add_argument("--worker-root", metavar="DIR", help="path of the root folder on the workers, if it differs")
    engine = common.add_mutually_exclusive_group()
    engine.add_argument("--scheduler", metavar="ADDRESS", help="address of a Dask scheduler, tcp://HOST:PORT")
    engine.add_argument("--scheduler-file", metavar="FILE", help="file with the address of a Dask scheduler")
    engine.add_argument("--processes", metavar="N", type=int, help="use N processes on this machine [default: one per core]")
    common.add_argument("--threads", metavar="N", type=int, default=1, help="threads per task; 0 for one per core [default: 1]")
    common.add_argument("--bundle-bytes", metavar="SIZE", type=size, default=0, help="maximum bytes per bundle [default: automatic]")
    common.add_argument("--bundle-files", metavar="N", type=int, default=0, help="maximum files per bundle [default: automatic]")
    common.add_argument("--near", metavar="PREFIX=HOST", type=prefix_and_host, action="append", default=[], help="HOST stores the files whose names start with PREFIX")
    common.add_argument("--tries", metavar="N", type=int, default=defaults.tries, help="attempts per bundle [default: 3]")
    common.add_argument("--reread", metavar="SHARE", type=float, default=defaults.reread, help="fraction of bundles that are read twice [default: 0.01]")
    common.add_argument("--reread-first", metavar="SHARE", type=float, default=defaults.reread_first, help="also reread the first bundle of each worker if these first bundles are at most this fraction of all bundles [default: 1, always]")
    common.add_argument("--deadline", metavar="SECONDS", type=float, default=defaults.deadline, help="give up on a task after this many seconds [default: never]")
    common.add_argument("-q", "--quiet", action="store_true", help="do not show progress")
    formatter = argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser(prog="truesum-cluster", description=__doc__, epilog=EXAMPLES, formatter_class=formatter)
    commands = top.add_subparsers(dest="command", required=True, metavar="hash|verify")
    hashing = commands.add_parser("hash", parents=[common], help="hash files and folders and write a manifest", epilog=EXAMPLES, formatter_class=formatter)
    hashing.add_argument("paths", nargs="+", metavar="PATH")
    hashing.add_argument("-o", "--output", required=True, metavar="FILE", help="manifest to write (atomically)")
    hashing.add_argument("-a", "--algorithm", default="sha256", metavar="NAME,...", help="algorithms [default: sha256]")
    hashing.add_argument("-t", "--format", metavar="NAME", help="format of the manifest; see `truesum list formats`")
    checking = commands.add_parser("verify", parents=[common], help="verify the files in a manifest", epilog=EXAMPLES, formatter_class=formatter)
    checking.add_argument("manifest", metavar="MANIFEST")
    return top


class ProgressLine:
    """Prints the progress line, a few times per second."""

    def __init__(self) -> None:
        self._last = 0.0
        self._dashboard_shown = False

    def __call__(self, progress: Progress) -> None:
        if progress.dashboard and not self._dashboard_shown:
            print(f"truesum-cluster: dashboard: {progress.dashboard}", file=sys.stderr)
        self._dashboard_shown = True
        now = time.monotonic()
        if now - self._last >= 0.5 or progress.done == progress.bundles:
            self._last = now
            print(f"truesum-cluster: {progress.line()}", file=sys.stderr)


def engine_of(arguments: argparse.Namespace) -> Engine:
    """Returns the selected engine."""
    if arguments.scheduler or arguments.scheduler_file:
        try:
            from distributed import Client
        except ImportError:
            raise ValueError("distributed is not installed: pip install 'truesum[dask]'") from None
        if arguments.scheduler_file:
            return Client(scheduler_file=arguments.scheduler_file, set_as_default=False)
        return Client(arguments.scheduler, set_as_default=False)
    from .futures_port import FuturesPort

    return FuturesPort(processes=arguments.processes or 0)


def escaped(name: str) -> str:
    """Escapes a name for a terminal.

    >>> escaped("a b"), escaped("a\\nb\\x1b[2J")
    ('a b', "'a\\\\nb\\\\x1b[2J'")
    """
    return name if name.isprintable() else repr(name)


def print_report(report: Report) -> int:
    """Prints the result and returns the exit status."""
    for problem in report.problems:
        print(f"truesum-cluster: {problem}", file=sys.stderr)
    for name, kind, reason in report.failures:
        print(f"truesum-cluster: {escaped(name)}: {kind}: {reason}", file=sys.stderr)
    totals = f"{count(report.files, 'file')} in {count(report.bundles, 'bundle')}, {report.resumed} of them from an earlier run"
    rereads = f"{report.reread} read twice, {report.reread_by_other_worker} of them by another worker"
    print(f"truesum-cluster: {report.verdict}: {totals}; {rereads}", file=sys.stderr)
    return report.exit_status


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status."""
    args = parser().parse_args(arguments)
    settings: Settings = {
        "threads": args.threads,
        "bundle_bytes": args.bundle_bytes,
        "bundle_files": args.bundle_files,
        "worker_root": args.worker_root,
        "near": dict(args.near),
        "progress": None if args.quiet else ProgressLine(),
    }
    try:
        settings["policy"] = Policy(tries=args.tries, reread=args.reread, reread_first=args.reread_first, deadline=args.deadline)
        engine = engine_of(args)
        if args.command == "verify":
            return print_report(verify(args.manifest, engine, work=args.work, root=args.root, **settings))
        paths, output, root = args.paths, args.output, args.root
        return print_report(
            hash(paths, engine, work=args.work, output=output, root=root, algorithms=args.algorithm, format=args.format, **settings)
        )
    except KeyboardInterrupt:
        print("truesum-cluster: interrupted (run the same command to resume)", file=sys.stderr)
        return 130
    except ValueError as error:
        print(f"truesum-cluster: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"truesum-cluster: {error}", file=sys.stderr)
        print("hint: run the same command to resume", file=sys.stderr)
        return 4


if __name__ == "__main__":
    sys.exit(main())
