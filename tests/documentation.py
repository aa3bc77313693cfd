#!/usr/bin/env python3
"""Runs the commands in the documentation and checks its links.

usage: documentation.py TRUESUM [PAGE...]

In README.md, CONTRIBUTING.md, RELEASING.md, SECURITY.md, docs and benchmarks, every code fence has a type:
  console        a session: `$ command`, followed by its output on both streams. `...` in a line stands for any text, a line
                 that is only `...` for any lines. A nonzero exit status is shown as `[1]` in the last line.
  sh             commands, each of which must succeed
  sh by-hand     commands that a test cannot run, because they need root, a network, another machine or a long time
  anything else  is not run
The blocks of a page are run one after the other in one folder, which is also HOME. A comment `<!-- before: ... -->` contains commands
that prepare the next block; every command begins with what they write to ../session. With TRUESUM_BLESS=1, changed output is
written to the pages.

A manifest that a page writes (`truesum hash -o`, `truesum convert -o`) is checked at once: the program must accept what it writes.
Links to files of the repository must resolve, including their anchors: a heading of a page, a function of a Rust file. docs/SUMMARY.md
names every page of docs once.
Exit status: 0 all is as shown, 1 not.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md")), *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "benchmarks").glob("*.md"))]
BLESS = os.environ.get("TRUESUM_BLESS") == "1"


class Page:
    """One page, whose blocks run in a folder of their own."""

    def __init__(self, path, program):
        self.path, self.name = path, path.relative_to(ROOT)
        self.text = path.read_text()
        self.program, self.faults, self.commands, self.by_hand = program, [], 0, 0

    def fault(self, line, message):
        self.faults.append(f"{self.name}:{line}: {message}")

    def run(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "bin").mkdir()
            (root / "bin" / "truesum").symlink_to(self.program)
            self.home = root / "home"
            self.home.mkdir()
            (root / "session").touch()
            self.environment = {
                "PATH": f"{root / 'bin'}:/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "LC_ALL": "C.UTF-8", "TZ": "UTC",
                "TERM": "dumb", "BASH_ENV": str(root / "session"),
            }
            lines = self.text.split("\n")
            new_lines, index = [], 0
            while index < len(lines):
                line = lines[index]
                if line.startswith("<!-- before:"):
                    end = next(n for n in range(index, len(lines)) if "-->" in lines[n])
                    body = "\n".join(lines[index:end + 1])
                    body = body.removeprefix("<!-- before:").rsplit("-->", 1)[0]
                    code, output = self.shell(body)
                    if code != 0:
                        self.fault(index + 1, f"the commands in the comment failed with status {code}: {output}")
                    new_lines += lines[index:end + 1]
                    index = end + 1
                    continue
                fence = re.match(r"^ *(`{3,})(.*)$", line)
                if not fence:
                    new_lines.append(line)
                    index += 1
                    continue
                end = next(n for n in range(index + 1, len(lines)) if lines[n].strip() == fence.group(1))
                body = lines[index + 1:end]
                new_lines.append(line)
                new_lines += self.block(fence.group(2).strip(), body, index + 2)
                new_lines.append(lines[end])
                index = end + 1
            if BLESS and "\n".join(new_lines) != self.text:
                self.path.write_text("\n".join(new_lines))

    def block(self, kind, body, number):
        if not kind:
            self.fault(number - 1, "a code block without a language: console, sh, text ...")
        elif kind == "sh by-hand":
            self.by_hand += 1
        elif kind == "sh":
            for n, command in self.joined(body, number):
                code, output = self.shell(command)
                self.commands += 1
                if code != 0:
                    self.fault(n, f"`{command}` failed with status {code}: {output}")
                else:
                    self.check_written_manifest(command, n)
        elif kind == "console":
            return self.session(body, number)
        return body

    def joined(self, body, number):
        """Yields commands with their line numbers; a backslash at the end continues a command."""
        command, first = "", 0
        for n, line in enumerate(body):
            first = first or number + n
            if line.endswith("\\"):
                command += line[:-1]
                continue
            command += line
            if command.split("#")[0].strip():
                yield first, command
            command, first = "", 0

    def session(self, body, number):
        new_lines, index = [], 0
        if not body or not body[0].startswith("$ "):
            self.fault(number, "a session must begin with `$ `")
            return body
        while index < len(body):
            start, command = index, body[index][2:]
            new_lines.append(body[index])
            while command.endswith("\\"):
                index += 1
                new_lines.append(body[index])
                command = command[:-1] + body[index].strip()
            index += 1
            expected = []
            while index < len(body) and not body[index].startswith("$ "):
                expected.append(body[index])
                index += 1
            code, output = self.shell(command)
            self.commands += 1
            actual = output.rstrip("\n").split("\n") if output.strip("\n") else []
            if code != 0:
                actual.append(f"[{code}]")
            else:
                self.check_written_manifest(command, number + start)
            if not matches(expected, actual):
                if BLESS:
                    new_lines += actual
                    continue
                self.fault(number + start, "`%s` prints\n%s\n  instead of\n%s" % (
                    command, "\n".join(f"    {line}" for line in actual), "\n".join(f"    {line}" for line in expected)))
            new_lines += expected
        return new_lines

    def check_written_manifest(self, command, line):
        """Checks the manifest that a successful command wrote."""
        match = re.match(r"(cd \S+ && )?truesum (?:hash|convert|update) (?:.* )?(?:-o|--output) (\S+)", command)
        if match and not match.group(2).startswith("s3:"):
            check = f"{match.group(1) or ''}truesum check {match.group(2)}"
            code, output = self.shell(check)
            if code != 0:
                self.fault(line, f"`{command}` writes a manifest that `{check}` does not accept: {output}")

    def shell(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.home, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        return done.returncode, done.stdout.decode(errors="replace")

    def links(self):
        code = re.compile(r"```.*?```|`[^`\n]*`", re.S)
        text = code.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), self.text)
        for match in re.finditer(r"\]\(([^)\s]+)\)", text):
            target = match.group(1)
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            path = (self.path.parent / name).resolve() if name else self.path
            line = text[: match.start()].count("\n") + 1
            if not path.exists():
                self.fault(line, f"the link {target} has no target")
            elif anchor and path.suffix == ".md" and anchor not in anchors(path):
                self.fault(line, f"{name or self.name} has no heading #{anchor}")
            elif anchor and path.suffix == ".rs" and f"fn {anchor}(" not in path.read_text():
                self.fault(line, f"{name} has no function {anchor}")


def matches(expected, actual):
    """Returns whether the output matches; `...` in a line stands for any text, a line of only `...` for any lines."""
    # The prefixes of `found` that the lines compared so far can match, by their length: no backtracking.
    matched_lengths = {0}
    for line in expected:
        if line.strip() == "...":
            matched_lengths = set(range(min(matched_lengths), len(actual) + 1)) if matched_lengths else set()
        else:
            pattern = re.compile(".*?".join(map(re.escape, line.split("..."))))
            matched_lengths = {length + 1 for length in matched_lengths if length < len(actual) and pattern.fullmatch(actual[length])}
    return len(actual) in matched_lengths


def anchors(path):
    """Returns the headings of a page in the form used in links."""
    plain = re.sub(r"```.*?```", "", path.read_text(), flags=re.S)
    names = set()
    for heading in re.findall(r"^#+ (.*)$", plain, re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        names.add(re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-"))
    return names


def summary():
    """Yields the errors in the table of contents."""
    docs = ROOT / "docs"
    text = (docs / "SUMMARY.md").read_text()
    linked = re.findall(r"\]\(([^)]+\.md)\)", text)
    pages = {str(path.relative_to(docs)) for path in docs.rglob("*.md")} - {"SUMMARY.md"}
    for name in sorted(pages - set(linked)):
        yield f"docs/SUMMARY.md: {name} is missing"
    for name in sorted(set(name for name in linked if linked.count(name) > 1)):
        yield f"docs/SUMMARY.md: {name} is listed twice"


def main():
    program = os.path.abspath(sys.argv[1])
    only = [pathlib.Path(name).resolve() for name in sys.argv[2:]]
    faults, commands, by_hand = [] if only else list(summary()), 0, 0
    for path in only or PAGES:
        page = Page(path, program)
        page.run()
        page.links()
        faults += page.faults
        commands += page.commands
        by_hand += page.by_hand
    print("\n".join(faults))
    print(f"documentation: {commands} commands run, {by_hand} blocks not run, {len(faults)} faults")
    sys.exit(1 if faults else 0)


main()
