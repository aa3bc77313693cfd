#!/usr/bin/env python3
"""Counts the instructions of every kernel row and compares them with recorded counts.

usage: instructions.py PROGRAM [TABLE]

PROGRAM is the example `instructions` of crates/hash, built with the release profile but with symbols
(CARGO_PROFILE_RELEASE_STRIP=debuginfo); TABLE is benchmarks/recorded/instructions.tsv. Counts do not depend on how busy
the machine is, so a row with 2 % more instructions than recorded became slower through an edit (or a new compiler),
which is a failure; so is a row that is missing. If there are fewer, record them: TRUESUM_BLESS=1 writes the table.

Not detected: changes in rows that Valgrind cannot run (AVX-512, SHA-NI; for the former see
crates/hash/tests/disassembly.rs), and anything that makes the same instructions take longer.

Exit status 0 if everything is as recorded or better, 1 if not, 77 if Valgrind is missing or the table was recorded with
another compiler.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ALLOWED = 1.02
TABLE = pathlib.Path(__file__).parent.parent / "benchmarks/recorded/instructions.tsv"


def counted(program):
    """Returns {(algorithm, way): (instructions of one unit, unit)}, in the program's order."""
    with tempfile.TemporaryDirectory() as folder:
        # Kernels are selected by name or by Valgrind's CPU features, never by the caller's environment.
        environment = {key: value for key, value in os.environ.items() if key not in ("TRUESUM_CPU", "TRUESUM_KERNEL")}
        command = ["valgrind", "--tool=callgrind", "--zero-before=*counted_call*", "--dump-before=*counted_to_here*"]
        command += [f"--callgrind-out-file={folder}/count", program]
        run = subprocess.run(command, capture_output=True, text=True, env=environment)
        if run.returncode != 0:
            sys.exit(f"{' '.join(command)}: status {run.returncode}\n{run.stderr}")
        lines = [line.split("\t") for line in run.stdout.splitlines()]
        dumps = len(list(pathlib.Path(folder).glob("count.*")))
        if dumps != len(lines):
            sys.exit(f"instructions.py: {len(lines)} calls and {dumps} counts: callgrind did not find its functions")
        counts = {}
        for number, (algorithm, way, units, unit) in enumerate(lines, 1):
            text = pathlib.Path(f"{folder}/count.{number}").read_text()
            total = int(re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)[1])
            counts[algorithm, way] = total / int(units), unit
        return counts


def instruction_set(way):
    """Returns the instruction set of a kernel row; None for one that runs on every CPU."""
    name = way.split()[0]
    return None if name in ("one", "portable") or name.isdigit() else name


def write(table, counts, compiler):
    table.parent.mkdir(exist_ok=True)
    rows = [f"{algorithm}\t{way}\t{per:.4g}\t{unit}" for (algorithm, way), (per, unit) in counts.items()]
    head = [
        "# Instructions of every way to hash: algorithm, way (crates/hash/examples/instructions.rs says which), instructions, of a what.",
        "# Counted by Valgrind's callgrind, which runs neither AVX-512 nor SHA-NI; a busy machine changes nothing.",
        "# tests/run fails where 2 % more are needed. Renew: TRUESUM_BLESS=1 tests/instructions.py PROGRAM (its head says which).",
        f"# Compiled by: {compiler}",
    ]
    table.write_text("\n".join(head + rows) + "\n")


def read(table):
    """Returns the recorded counts in the form of `counted`, and the compiler."""
    lines = table.read_text().splitlines()
    compiler = next(line.split(": ", 1)[1] for line in lines if line.startswith("# Compiled by"))
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return {(algorithm, way): (float(per), unit) for algorithm, way, per, unit in rows}, compiler


def main():
    program, table = sys.argv[1], pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else TABLE
    if shutil.which("valgrind") is None:
        print("instructions not counted: valgrind is not installed")
        return 77
    compiler = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    counts = counted(program)
    if os.environ.get("TRUESUM_BLESS"):
        write(table, counts, compiler)
        print(f"{table}: {len(counts)} counts written")
        return 0
    recorded, recorded_by = read(table)
    if compiler != recorded_by:
        print(f"instructions not compared: recorded with {recorded_by}, this is {compiler} (TRUESUM_BLESS=1 updates them)")
        return 77
    # If this CPU lacks an instruction set, its rows are not missing; other CPUs may have more of them.
    counted_sets, recorded_sets = ({instruction_set(way) for _, way in table} for table in (counts, recorded))
    others = (counted_sets ^ recorded_sets) - {None}
    faults, better = [], []
    for (algorithm, way), (before, unit) in recorded.items():
        if (algorithm, way) not in counts:
            if instruction_set(way) not in others:
                faults.append(f"{algorithm} {way}: recorded, but no longer counted")
            continue
        now = counts[algorithm, way][0]
        line = f"{algorithm} {way}: {now:.4g} instructions for a {unit}, {before:.4g} recorded ({now / before - 1:+.1%})"
        if now > before * ALLOWED:
            faults.append(line)
        elif now * ALLOWED < before:
            better.append(line)
    new = [(algorithm, way) for algorithm, way in counts if (algorithm, way) not in recorded]
    faults += [f"{algorithm} {way}: not recorded" for algorithm, way in new if instruction_set(way) not in others]
    print(f"instructions: {len(counts)} ways to hash counted, {len(faults)} faults, {len(better)} better than recorded")
    if others:
        print(f"not compared, because only this CPU or only the table's has them: {', '.join(sorted(others))}")
    for line in better:
        print(f"better: {line}")
    for line in faults:
        print(f"FAULT: {line}")
    if faults or better:
        print("if this is intended, record it: TRUESUM_BLESS=1 tests/instructions.py PROGRAM")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
