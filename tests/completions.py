#!/usr/bin/env python3
"""Drives real shells in a terminal: shows what a user gets by pressing the tab key.

usage: completions.py TRUESUM

bash, zsh and fish are started in a folder with some files, load the completions printed by the program, and receive
keystrokes. Exit status: 0 all completions are correct, 1 some are not, 77 if a shell or Python's pexpect is missing.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

try:
    import pexpect
except ImportError:
    print("python3 has no pexpect: no shell was tested")
    sys.exit(77)

# What is typed, what must be shown then, and what must not. Two tabs: the first completes, the second lists.
CASES = [
    ("truesum che\t", ["truesum check "], []),
    ("truesum hash --algor\t", ["--algorithm"], []),
    ("truesum hash -a blake\t\t", ["blake2b", "blake3", "b3sum"], ["photo.jpg"]),
    ("truesum hash -t hashd\t", ["hashdeep"], []),
    ("truesum hash ph\t", ["photo.jpg"], []),
    ("truesum pho\t", ["photo.jpg"], []),
    ("truesum check \t\t", ["SHA256SUMS", "photo.jpg", "folder"], ["--exact"]),
    ("truesum check --ex\t\t", ["--exact", "--expect", "--exclude"], []),
    ("truesum hash --root fol\t", ["folder/"], []),
    ("truesum hash --root p\t\t", [], ["photo.jpg"]),
    ("truesum tree verify\t\t", ["verify-proof"], []),
    ("truesum help trees\t", ["trees"], []),
    ("truesum check with\\ b\t", ["with\\ blank.txt"], []),
]


def clean(text):
    """Returns what a terminal shows, without control sequences."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>]|\x1b\][^\x07]*\x07|[\x00\x07\x0e\x0f]", "", text)
    return re.sub(r".\x08", "", text)


class Shell:
    """One shell in a terminal."""

    def __init__(self, name, command, setup, home):
        self.name = name
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TERM": "xterm", "LC_ALL": "C.UTF-8", "COLUMNS": "100", "LINES": "60",
                       "TRUESUM_CONFIG": "", "ZDOTDIR": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "XDG_DATA_HOME": str(home / ".data")}
        self.child = pexpect.spawn(command[0], command[1:], cwd=str(home / "work"), env=environment, dimensions=(60, 100), encoding="utf-8",
                                   codec_errors="replace", timeout=20)
        for line in setup:
            self.child.sendline(line)
            self.quiet()
        self.child.sendline("echo rea''dy")
        self.child.expect("\nready|\rready|ready\r")
        self.quiet()

    def quiet(self, silence=0.5, maximum=5.0):
        """Reads until there is no output for a while; waits longer if there is none at all."""
        text, last_output = "", time.monotonic()
        while True:
            try:
                text += self.child.read_nonblocking(65536, timeout=0.1)
                last_output = time.monotonic()
            except pexpect.TIMEOUT:
                if time.monotonic() - last_output > (silence if text else maximum):
                    return text

    def shows(self, text, is_expected):
        """Returns what is shown after this is typed, and whether it is `good`. A busy machine gets more and more time."""
        for patience in (1, 3, 8, 20, 40):
            output = self.type(text, patience)
            if is_expected(output):
                return output, True
        return output, False

    def type(self, text, patience):
        """Returns what is shown after this is typed, and then discards the line."""
        output = ""
        for part in re.split(r"(\t)", text):
            if part:
                self.child.send(part)
                output += self.quiet(0.5 * patience, 1.5 * patience) if part == "\t" else ""
        self.child.send("\x03" if self.name != "fish" else "\x15")
        self.quiet(silence=0.2, maximum=0.5)
        return clean(output)


def check_shell(name, command, setup, home):
    """Returns the failures of one shell, as lines."""
    shell = Shell(name, command, setup, home)
    faults = []
    for typed, expected, unexpected in CASES:
        output, is_expected = shell.shows(typed, lambda output: all(w in output for w in expected) and not any(w in output for w in unexpected))
        if not is_expected:
            faults.append(f"{name}: {typed!r} must show {expected} and not {unexpected}:\n{output}")
    output, is_expected = shell.shows("truesum hash -a sha512-2\t\t", lambda output: "truncated to 256 bits" in output)
    if not is_expected:
        faults.append(f"{name}: algorithms have no descriptions:\n{output}")
    output, is_expected = shell.shows("truesum check \t\t", lambda output: name == "fish" or 0 <= output.find("SHA256SUMS") < output.find("folder"))
    if not is_expected:
        faults.append(f"{name}: manifests are not first:\n{output}")
    shell.child.close(force=True)
    return faults


def main():
    program = os.path.abspath(sys.argv[1])
    missing = [shell for shell in ["bash", "zsh", "fish"] if not shutil.which(shell)]
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        (home / "bin").mkdir()
        (home / "bin/truesum").symlink_to(program)
        os.environ["PATH"] = f"{home}/bin:{os.environ['PATH']}"
        (home / "work/folder").mkdir(parents=True)
        for name in ["SHA256SUMS", "photo.jpg", "with blank.txt"]:
            (home / "work" / name).write_text("x")
        for shell in ["bash", "zsh", "fish"]:
            script = subprocess.run([program, "completions", shell], capture_output=True, check=True).stdout
            (home / f"truesum.{shell}").write_bytes(script)
        shells = {
            "bash": (["bash", "--norc", "--noprofile", "-i"], ["PS1='> '", "bind 'set bell-style none'", "bind 'set page-completions off'",
                     "bind 'set completion-query-items 1000'", f". {home}/truesum.bash"]),
            "zsh": (["zsh", "-f", "-i"], ["PROMPT='> '", "unsetopt zle_bracketed_paste", "autoload -Uz compinit && compinit -u -D", "LISTMAX=1000",
                    "unsetopt beep menu_complete auto_menu", "setopt list_ambiguous", f". {home}/truesum.zsh"]),
            "fish": (["fish", "--no-config", "-i"], ["function fish_prompt; echo '> '; end", f"source {home}/truesum.fish"]),
        }
        installed = [name for name in shells if name not in missing]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            faults = [fault for per_shell in pool.map(lambda name: check_shell(name, *shells[name], home), installed) for fault in per_shell]
    for fault in faults:
        print(f"completions: {fault}")
    if missing:
        print(f"not installed, and not tested: {', '.join(missing)}")
    print(f"completions: {len(CASES) + 2} cases in each of {', '.join(installed)}, {len(faults)} faults")
    sys.exit(1 if faults else 77 if missing else 0)


main()
