"""Runs one invocation with the original program and with truesum, and returns the output of each.

Streams are passed to the child as descriptors: a closed one is really closed, which a shell redirection in a wrapper
would not guarantee. Nothing here changes the folder in which it runs, so both runs see the same files.
"""

import fcntl
import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass, field, replace

COREUTILS = ("md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum", "cksum", "sum")
ALL = COREUTILS + ("b3sum",)
PATIENCE = 20


@dataclass
class Case:
    """One invocation and the files it may read. All names and contents are bytes."""

    program: str
    args: list = field(default_factory=list)
    # Name to content; None is a folder; a tuple is ("link", target), ("socket",) or ("secret", content).
    files: dict = field(default_factory=dict)
    # "null", "closed", "folder", "writeonly", ("pipe", bytes) or ("file", bytes).
    stdin: object = "null"
    # "captured", "closed", "full" or "readonly"; stderr also "merged".
    stdout: str = "captured"
    stderr: str = "captured"
    env: dict = field(default_factory=dict)
    # The part before the program's name in argv[0].
    path: bytes = b""

    def with_changes(self, **changes):
        return replace(self, **changes)


@dataclass(frozen=True)
class Result:
    out: bytes
    err: bytes
    code: int


class Originals:
    """Where the originals are, and how they are started."""

    def __init__(self, folder):
        loaders = [] if folder is None else subprocess.run(
            ["find", f"{folder}/root/usr/lib", "-maxdepth", "2", "-name", "ld-linux*.so.*"],
            capture_output=True, text=True).stdout.split()
        self.loader = loaders[0] if loaders else None
        self.root = f"{folder}/root" if loaders else None
        own_b3sum = f"{folder}/bin/b3sum"
        self.b3sum = own_b3sum if folder and os.path.exists(own_b3sum) else shutil.which("b3sum")

    def copy(self, target):
        """Copies the programs to `to`, readable by all users."""
        if self.root:
            library = os.path.dirname(self.loader)
            shutil.copytree(library, f"{target}/lib", symlinks=True, ignore=shutil.ignore_patterns("gconv", "*-modules*", "engines*"))
            os.makedirs(f"{target}/bin")
            for name in COREUTILS:
                shutil.copy(f"{self.root}/usr/bin/{name}", f"{target}/bin/{name}")
            self.loader, self.root = f"{target}/lib/{os.path.basename(self.loader)}", target
        if self.b3sum:
            shutil.copy(self.b3sum, f"{target}/b3sum")
            self.b3sum = f"{target}/b3sum"

    def command(self, program, argv0):
        """Returns the program to start, and the arguments that precede its own."""
        if program == "b3sum":
            return self.b3sum, [argv0]
        if self.loader is None:
            return shutil.which(program), [argv0]
        path = f"{self.root}/bin/{program}" if os.path.exists(f"{self.root}/bin/{program}") else f"{self.root}/usr/bin/{program}"
        library = os.path.dirname(self.loader)
        return self.loader, [self.loader.encode(), b"--library-path", library.encode(), b"--argv0", argv0, path.encode()]

    def version(self, program):
        executable, head = self.command(program, program.encode())
        if executable is None:
            return None
        shown = subprocess.run([executable] + head[1:] + [b"--version"], capture_output=True, text=True).stdout
        found = re.search(r"\d+\.\d+(\.\d+)?", shown)
        return found.group() if found else None


class Pipe:
    """A file in memory for a child's output, with a size limit."""

    def __init__(self):
        self.read, self.write = os.pipe2(os.O_CLOEXEC)
        fcntl.fcntl(self.write, fcntl.F_SETPIPE_SZ, 1 << 20)

    def all(self):
        os.close(self.write)
        parts = []
        while part := os.read(self.read, 1 << 16):
            parts.append(part)
        os.close(self.read)
        return b"".join(parts)


def run(executable, argv, case):
    """Starts the program in the current folder and waits for its end."""
    actions, opened = [], []

    def redirect(fd, target):
        opened.append(fd)
        actions.append((os.POSIX_SPAWN_DUP2, fd, target))

    def file(content):
        fd = os.memfd_create("stdin", os.MFD_CLOEXEC)
        os.write(fd, content)
        os.lseek(fd, 0, os.SEEK_SET)
        return fd

    match case.stdin:
        case "null": redirect(os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC), 0)
        case "closed": actions.append((os.POSIX_SPAWN_CLOSE, 0))
        case "folder": redirect(os.open("/", os.O_RDONLY | os.O_CLOEXEC), 0)
        case "writeonly": redirect(os.open("/dev/null", os.O_WRONLY | os.O_CLOEXEC), 0)
        case ("file", content): redirect(file(content), 0)
        case ("pipe", content):
            stdin = Pipe()
            os.write(stdin.write, content)
            os.close(stdin.write)
            redirect(stdin.read, 0)
    pipes = {}
    for target, kind in ((1, case.stdout), (2, case.stderr)):
        match kind:
            case "captured":
                pipes[target] = Pipe()
                actions.append((os.POSIX_SPAWN_DUP2, pipes[target].write, target))
            case "closed": actions.append((os.POSIX_SPAWN_CLOSE, target))
            case "full": redirect(os.open("/dev/full", os.O_WRONLY | os.O_CLOEXEC), target)
            case "readonly": redirect(os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC), target)
            case "merged" if case.stdout == "closed": actions.append((os.POSIX_SPAWN_CLOSE, 2))
            case "merged": actions.append((os.POSIX_SPAWN_DUP2, 1, 2))
    env = {"PATH": "/usr/bin:/bin", **case.env}
    pid = os.posix_spawn(executable, argv, env, file_actions=actions, setsigdef=[signal.SIGPIPE])
    for fd in opened:
        os.close(fd)

    def write_late(*_):
        os.kill(pid, signal.SIGKILL)

    signal.signal(signal.SIGALRM, write_late)
    signal.alarm(PATIENCE)
    _, status = os.waitpid(pid, 0)
    signal.alarm(0)
    out = pipes[1].all() if 1 in pipes else b""
    err = pipes[2].all() if 2 in pipes else b""
    return Result(out, err, os.waitstatus_to_exitcode(status))


def run_both(case, originals, truesum):
    """Returns the output of the original and of truesum, in the current folder."""
    argv0 = case.path + case.program.encode()
    executable, head = originals.command(case.program, argv0)
    return run(executable, head + case.args, case), run(truesum, [argv0] + case.args, case)


def build(files, folder):
    """Creates the files of a case in an empty folder."""
    for name, content in files.items():
        path = os.path.join(folder.encode(), name)
        match content:
            case None: os.mkdir(path)
            case ("link", target): os.symlink(target, path)
            case ("socket",): os.mknod(path, 0o140600)
            case ("secret", text):
                write(path, text)
                os.chmod(path, 0)
            case _: write(path, content)


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)
