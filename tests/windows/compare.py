#!/usr/bin/env python3
"""Compares the program built for Windows with the one built for Linux, on 2,000 files with hostile names.

usage: compare.py PROGRAM WINDOWS-PROGRAM [RUNNER...]

RUNNER is the command that runs a Windows program, by default `wine64`. Both programs run the same commands in equal copies of
a folder. Their exit statuses, standard output and the files they write must be equal. Messages may differ in separators and in
the system's words for an error.
"""

import hashlib
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata

# Before the present and without a remainder of 100 ns, the unit of Windows.
NEWEST = 1_700_000_000_000_000_000

# Parts of names, all of which Windows accepts.
PARTS = [
    " ", "  ", "-", "--", "-n", "#", ";", "'", "`", "$HOME", "%PATH%", "%", "&", "(", ")", "!", "@", "^", "~", "+", "=", ",",
    "[a]", "{b}", "[", ".", "..", ".x", "\x7f", "\x85", "\xa0", "\u00e4", "a\u0308", "\u00df", "\u0130", "\u200b",
    "\u202e", "\u2028", "\ufeff", "\uf03a", "\uf05c", "\uff3c", "\ufffd", "\U0001f600", "\U0010ffff", "\u65e5\u672c", "\ub098", "\u1112\u1161",
    "SHA256 (x) = ", "d41d8cd98f00b204e9800998ecf8427e  ", ".sha256", ".jsonl", "con", "nul", "aux.", "COM1.", "truesum",
]


def is_plain(name):
    """Returns whether Windows can have a file with this name."""
    stem = name.split(".")[0].rstrip(" ").lower()
    devices = {"con", "prn", "aux", "nul", "conin$", "conout$"} | {port + n for port in ("com", "lpt") for n in "0123456789"}
    return stem not in devices and name[-1] not in ". " and len(name.encode()) <= 255


def names(rng, count):
    """Returns names that differ also in a file system that ignores case and forms of characters."""
    found = {}
    while len(found) < count:
        name = "".join(rng.choice(PARTS) for _ in range(rng.randint(1, 4)))
        if rng.random() < 0.5:
            name += f"{rng.randrange(10_000)}"
        if rng.random() < 0.01:
            name = (name + "\u00e4" * 250).encode()[: rng.randint(200, 255)].decode(errors="ignore")
        key = unicodedata.normalize("NFKC", name.casefold()).casefold()
        if is_plain(name):
            found.setdefault(key, name)
    return list(found.values())


def make_tree(top, count):
    """Creates a folder with this number of files."""
    rng = random.Random(count)
    folders = [top]
    for name in names(rng, count // 40):
        folders.append(rng.choice(folders[:8]) / name)
    # Longer than MAX_PATH.
    long = top
    for letter in "xyz":
        long = long / (letter * 120)
        folders.append(long)
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name in names(rng, count):
        path = rng.choice(folders) / name
        if path.exists():
            path = path.with_name(name[:100] + ".file")
        content = rng.randbytes(rng.choice([0, 1, 3, 64, 100, 1000, 5000, 70_000]))
        if made and rng.random() < 0.1:
            content = rng.choice(made).read_bytes()
        path.write_bytes(content)
        made.append(path)
    (top / "big").write_bytes(rng.randbytes(9 << 20))
    with open(top / "sparse", "wb") as file:
        file.seek(12 << 20)
        file.write(b"end")
    for at, path in enumerate(sorted(top.rglob("*"))):
        if path.is_file():
            stamp = NEWEST - at * 12_345_678_900
            os.utime(path, ns=(stamp, stamp))


class Comparison:
    """Two folders with the same content, each with the program that works in it."""

    def __init__(self, top, program, windows):
        self.sides = [(top / "unix", program), (top / "windows", windows)]
        self.commands = self.faults = 0
        self.began = time.monotonic()

    def change(self, function):
        """Changes both folders in the same way."""
        for folder, _ in self.sides:
            function(folder)

    def run(self, *words, status=None, input=b"", output=True, messages=True, folder="."):
        """Runs a command in both folders and compares its results. `status` is the expected exit status."""
        results = []
        for top, program in self.sides:
            done = subprocess.run([*program, *words], cwd=top / folder, input=input, capture_output=True)
            results.append((done.returncode, done.stdout, normalize(done.stderr, top)))
        self.commands += 1
        faults, words = [], [*words, *([f"(in {folder})"] if folder != "." else [])]
        unix, windows = results
        if unix[0] != windows[0]:
            faults.append(f"exit status {unix[0]}, on Windows {windows[0]}")
        elif status is not None and unix[0] != status:
            faults.append(f"exit status {unix[0]} instead of {status}")
        if output and normalize(unix[1], self.sides[0][0]) != normalize(windows[1], self.sides[1][0]):
            faults.append(difference(normalize(unix[1], self.sides[0][0]), normalize(windows[1], self.sides[1][0])))
        if messages and unix[2] != windows[2]:
            faults.append(difference(unix[2], windows[2]))
        elif faults and not messages:
            faults.append(windows[2].decode(errors="replace"))
        self.report(" ".join(words), faults)

    def files(self):
        """Compares all files of both folders."""
        unix, windows = (contents(top) for top, _ in self.sides)
        faults = [f"{name}: {unix.get(name, 'missing')}, on Windows {windows.get(name, 'missing')}"
                  for name in sorted(set(unix) | set(windows)) if unix.get(name) != windows.get(name)]
        self.commands += 1
        self.report("files", faults)

    def report(self, what, faults):
        self.faults += bool(faults)
        print(f"{'FAILED' if faults else 'ok'}: {what[:150]} ({time.monotonic() - self.began:.0f} s)", flush=True)
        for fault in faults[:20]:
            print("    " + fault[:3000].replace("\n", "\n    "))


def contents(top):
    """Returns a digest of each file below a folder, and its time if no program of this test set it."""
    found = {}
    for path in sorted(top.rglob("*")):
        # A stored tree also has the identity of the file, and a state has times of the run.
        if path.is_symlink() or not path.is_file() or path.suffix in (".ftr", ".state") or path.name == ".truesum-state":
            continue
        times = path.stat().st_mtime_ns if path.stat().st_mtime_ns <= NEWEST else 0
        found[str(path.relative_to(top))] = (hashlib.sha256(path.read_bytes()).hexdigest()[:16], times)
    return found


# The system's words for errors: those of Windows and of Wine, and those of Linux.
WORDS = [
    (rb"(?:File not found|The system cannot find the file specified|Path not found|The system cannot find the path specified)", b"No such file or directory"),
    (rb"Access denied|Access is denied", b"Permission denied"),
]


def normalize(text, top):
    """Returns a text of the program as both programs should print it."""
    text = re.sub(rb"[A-Z]:[\\/]+(?=tmp|var|work)", b"/", text)
    text = text.replace(b"\r\n", b"\n").replace(b"\\\\", b"/").replace(b"\\", b"/").replace(b"truesum.exe", b"truesum")
    text = text.replace(str(top).encode(), b"TOP")
    for windows, unix in WORDS:
        text = re.sub(windows, unix, text)
    # Rates, durations and times of the run.
    text = re.sub(rb"\d+(?:\.\d+)? (?:ms|s|[kMG]i?B/s)\b", b"N", text)
    text = re.sub(rb"oldest verification: .*", b"oldest verification: N", text)
    text = re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", b"N", text)
    text = re.sub(rb"(oldest_verification_timestamp\S*|_timestamp_seconds\S*) [\d.e+]+", rb"\1 N", text)
    return re.sub(rb'"(?:seconds|elapsed|started|finished|created|date|duration|time|oldest)":("[^"]*"|[\d.]+)', b'"N"', text)


def difference(unix, windows):
    """Returns the first lines that differ."""
    old, new = unix.splitlines(), windows.splitlines()
    lines = []
    for at in range(max(len(old), len(new))):
        pair = [side[at] if at < len(side) else None for side in (old, new)]
        if pair[0] != pair[1]:
            lines += [f"{sign} {line.decode(errors='replace')}" for sign, line in zip("-+", pair) if line is not None]
        if len(lines) > 10:
            break
    return "\n".join(lines)


def sample_files(top, count, seed):
    """Returns some files of the tree, the same ones in both folders."""
    files = sorted((path for path in (top / "data").rglob("*") if path.is_file() and 0 < path.stat().st_size < 1 << 20), key=lambda path: str(path.relative_to(top)))
    return random.Random(seed).sample(files, count)


def damage(top):
    for path in sample_files(top, 2, 1):
        stat = path.stat()
        path.write_bytes(bytes([path.read_bytes()[0] ^ 1]) + path.read_bytes()[1:])
        os.utime(path, ns=(stat.st_mtime_ns, stat.st_mtime_ns))


def edit(top):
    for path in sample_files(top, 2, 2):
        path.write_bytes(path.read_bytes() + b"edited")
        os.utime(path, ns=(NEWEST - 7_000_000_000, NEWEST - 7_000_000_000))


def remove(top):
    for path in sample_files(top, 2, 3):
        path.unlink()


def move(top):
    for at, path in enumerate(sample_files(top, 2, 4)):
        path.rename(path.with_name(f"moved {at}"))


def add(top):
    for name in ("new file", "\u00e4 new"):
        (top / "data" / name).write_bytes(name.encode())
        os.utime(top / "data" / name, ns=(NEWEST, NEWEST))


def damage_tree(top):
    with open(top / "data/big", "r+b") as file:
        file.seek(5 << 20)
        file.write(b"damaged")
    os.utime(top / "data/big", ns=(NEWEST, NEWEST))


def write(name, content):
    def function(top):
        (top / name).write_bytes(content)
    return function


def compare(both):
    """Runs the commands."""
    # Many files.
    both.run("hash", "-o", "many.sha256", "many", status=0)
    both.run("hash", "-a", "sha256,blake3", "--json", "-o", "many.jsonl", "many", status=0)
    both.run("check", "many.sha256", status=0)
    both.run("audit", "many.jsonl", "many", status=0)
    both.run("convert", "many.jsonl", "--lossy", "-a", "sha1", "-t", "bsd", "-o", "many.bsd", status=0)
    both.run("duplicates", "many", status=0)
    both.run("update", "many.sha256", status=0)
    both.files()
    # Computing.
    both.run("hash", "-o", "SHA256SUMS", "data", status=0)
    both.run("hash", "-a", "sha256,blake3", "--json", "-o", "all.jsonl", "data", status=0, messages=True)
    both.run("hash", "--json", "data", status=0)
    both.run("hash", "--tag", "-a", "md5", "data", status=0)
    both.run("hash", "-z", "-a", "crc32", "data", status=0)
    both.run("hash", "-a", "sha1", "-o", "list.sha1", "--root", "data", "data", status=0)
    both.run("hash", "-o", "data.sfv", "data", status=0)
    both.run("hash", "data/none", status=1)
    both.run("hash", "--files0-from", "-", input=b"data/big\0data/sparse\0", status=0)
    both.run("hash", input=b"standard input\r\n\x1a\r\nafter it", status=0)
    both.run("hash", "-", input=b"standard input", status=0)
    both.run("hash", "--exclude", "*.sha256", "--include", "*[0-9]*", "data", status=0)
    # Wine has no long paths of open files.
    both.run("hash", "--per-directory", "data", "--exclude", "x*", status=0)
    both.run("check", "-r", "data", "--exclude", "x*")
    both.files()
    both.change(lambda top: [path.unlink() for path in (top / "data").rglob("SHA256SUMS")])
    both.run("directory", "data", status=0)
    both.run("text", "abc", status=0)
    # It is not a path, even if there is a file with this name.
    both.run("text", "data\\big", status=0)
    # Checking.
    for manifest in ("SHA256SUMS", "all.jsonl", "data.sfv"):
        both.run("check", manifest, status=0)
        both.run("check", "--json", manifest, status=0)
        both.run("check", "-q", "--exact", manifest, "--exclude", "*.sha1", messages=True)
    both.run("check", "--root", "data", "list.sha1", status=0)
    both.run("check", "SHA256SUMS", "data/big", status=0)
    both.run("check", "--sample", "10%", "SHA256SUMS", messages=False, output=False, status=0)
    both.run("audit", "all.jsonl", "data", status=0)
    both.run("list", "formats", status=0)
    both.run("list", "algorithms", status=0)
    # Other forms.
    for form in ("bsd", "jsonl", "gnu", "hashdeep"):
        both.run("convert", "all.jsonl", "--lossy", "-a", "sha256", "-t", form, "-o", f"converted.{form}", status=0)
        both.run("check", f"converted.{form}", status=0)
    both.run("convert", "SHA256SUMS", "-t", "bsd", status=0)
    both.run("convert", "SHA256SUMS", "-a", "blake3", "-t", "bsd", status=0)
    both.run("diff", "SHA256SUMS", "all.jsonl", status=0)
    both.run("diff", "SHA256SUMS", "data", messages=True)
    both.run("identify", "d41d8cd98f00b204e9800998ecf8427e", status=0)
    both.run("identify", "9dd4e461268c8034f5c8564e155c67a6", "data/sparse", status=1)
    both.run("duplicates", "data", status=0)
    both.run("duplicates", "--json", "data", status=0)
    digest = hashlib.sha256((both.sides[0][0] / "data/big").read_bytes()).hexdigest()
    both.run("find", digest, "data", status=0)
    both.run("find", "--json", digest, "0" * 64, "data", status=1)
    # Trees.
    both.run("tree", "--save", "data/big", status=0)
    both.run("tree", "verify", "data/big.ftr", status=0)
    both.change(lambda top: shutil.copy2(top / "data/big", top / "copy"))
    both.change(damage_tree)
    both.run("tree", "verify", "data/big.ftr", status=1)
    both.run("check", "--locate", "SHA256SUMS", status=1)
    both.run("tree", "repair", "--from", "copy", "data/big.ftr", status=0)
    both.run("tree", "verify", "data/big.ftr", status=0)
    both.change(lambda top: os.utime(top / "data/big", ns=(NEWEST, NEWEST)))
    both.change(lambda top: (top / "data/big.ftr").unlink())
    both.files()
    # Changes.
    for change in (damage, edit, remove, move, add):
        both.change(change)
    both.run("check", "SHA256SUMS", status=1)
    both.run("check", "--json", "all.jsonl", status=1)
    both.run("check", "--search", "SHA256SUMS", status=1)
    both.run("check", "--ignore-missing", "--status", "SHA256SUMS", status=1)
    both.run("audit", "all.jsonl", "data", status=1)
    both.run("audit", "--json", "SHA256SUMS", "data", status=1)
    both.run("update", "-n", "--refresh", "--prune", "--rename", "all.jsonl", status=1)
    both.run("update", "--refresh", "--prune", "--rename", "all.jsonl", "data", status=1)
    both.run("update", "SHA256SUMS", "data", status=1)
    both.files()
    # Names that manifests should not contain, or that Windows understands as something else.
    both.change(lambda top: (top / "outside").write_bytes(b""))
    empty = hashlib.sha256(b"").hexdigest()
    for name in ("data/../outside", "../outside", "/etc/passwd", "C:/x", "data/big:stream", "data/big ", "nul.txt"):
        both.change(write("names.sha256", f"{empty}  {name}\n".encode()))
        both.run("check", "-q", "names.sha256", messages=False, output=False)
    strange = ["data/none.", "data/x*", "data/NUL", "data/a\\\\b", "data/a\\nb"]
    lines = b"".join(b"%s%s  %s\n" % (b"\\" * (b"\\" in name), empty.encode(), name) for name in map(str.encode, strange))
    both.change(write("names.sha256", lines + f"{empty}  data/\xff\n".encode("latin-1")))
    both.run("check", "-q", "names.sha256", status=1, messages=False, output=False)
    both.run("check", "-q", "--root", "data", "names.sha256", status=1, messages=False, output=False)
    # Scrubbing.
    state = ["data", "--state", "archive.state"]
    both.run("scrub", *state, status=0)
    both.run("scrub", "--status", *state, status=0)
    for change in (damage, edit, remove, move):
        both.change(change)
    both.run("scrub", "--dry-run", "--all", *state, status=1)
    both.run("scrub", "--all", *state, status=1)
    both.run("scrub", "--all", "--json", *state, status=1)
    both.run("scrub", "--status", *state, status=1)
    both.run("scrub", "--status", "--json", *state, status=1)
    both.run("scrub", "--status", "--prometheus", *state, status=1)
    # Start times and durations differ.
    both.run("scrub", "--log", *state, output=False, status=0)
    both.run("scrub", "--accept", "new,modified,moved,restored,missing", *state, status=1)
    both.run("convert", "archive.state", "--lossy", "-t", "gnu", "-o", "archive.sha256", status=0)
    both.run("check", "--root", "data", "archive.sha256", status=1)
    both.run("scrub", "--forget", "big", *state, status=0)
    both.run("scrub", "--forget", "big", *state, status=2)
    both.run("scrub", "--forget", "data/big", *state, status=2)
    both.run("scrub", "many", *state[1:], status=2)
    both.run("scrub", "--import", "many.sha256", "many", "--state", "many.state")
    both.run("scrub", "--root", "many", status=2)
    both.run("scrub", "many", status=0)
    both.run("scrub", "many", status=0)
    both.files()
    # Mistakes.
    both.run("check", "none", status=2)
    both.run("hash", "-a", "none", "data", status=2)
    both.run("hash", "-o", "data/big", "data", status=2)
    both.run("hash", "-o", "none/list", "data", status=2)
    both.run("check", "data/big", status=2)
    both.run("check", "--only", "none", "SHA256SUMS", status=2)
    both.run("--version", status=0)
    both.run("help", "check", status=0)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, windows, *runner = sys.argv[1:]
    # Settings of the user are not part of the comparison, and Wine's own messages are no output of the program.
    os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
    os.environ.setdefault("WINEDEBUG", "-all")
    os.environ["TRUESUM_CONFIG"] = ""
    with tempfile.TemporaryDirectory() as top:
        top = pathlib.Path(top)
        make_tree(top / "unix/many", 2000)
        make_tree(top / "unix/data", 80)
        shutil.copytree(top / "unix", top / "windows")
        both = Comparison(top, [os.path.abspath(program)], [*(runner or ["wine64"]), os.path.abspath(windows)])
        # The services of Wine, which this starts, would keep the output of the first command open until they end.
        subprocess.run([*both.sides[1][1], "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        compare(both)
    print(f"{both.commands} comparisons, {both.faults} failed")
    sys.exit(both.faults > 0)


if __name__ == "__main__":
    main()
