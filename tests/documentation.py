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

    def fault(self, line, why):
        self.faults.append(f"{self.name}:{line}: {why}")

    def run(self):
        with tempfile.TemporaryDirectory() as folder:
            places = pathlib.Path(folder)
            (places / "bin").mkdir()
            (places / "bin" / "truesum").symlink_to(self.program)
            self.home = places / "home"
            self.home.mkdir()
            (places / "session").touch()
            self.environment = {
                "PATH": f"{places / 'bin'}:/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "LC_ALL": "C.UTF-8", "TZ": "UTC",
                "TERM": "dumb", "BASH_ENV": str(places / "session"),
            }
            lines = self.text.split("\n")
            made, at = [], 0
            while at < len(lines):
                line = lines[at]
                if line.startswith("<!-- before:"):
                    end = next(n for n in range(at, len(lines)) if "-->" in lines[n])
                    body = "\n".join(lines[at:end + 1])
                    body = body.removeprefix("<!-- before:").rsplit("-->", 1)[0]
                    code, said = self.shell(body)
                    if code != 0:
                        self.fault(at + 1, f"what comes before ended in {code}: {said}")
                    made += lines[at:end + 1]
                    at = end + 1
                    continue
                fence = re.match(r"^ *(`{3,})(.*)$", line)
                if not fence:
                    made.append(line)
                    at += 1
                    continue
                end = next(n for n in range(at + 1, len(lines)) if lines[n].strip() == fence.group(1))
                body = lines[at + 1:end]
                made.append(line)
                made += self.block(fence.group(2).strip(), body, at + 2)
                made.append(lines[end])
                at = end + 1
            if BLESS and "\n".join(made) != self.text:
                self.path.write_text("\n".join(made))

    def block(self, kind, body, number):
        if not kind:
            self.fault(number - 1, "a fence that does not say what it holds: console, sh, text ...")
        elif kind == "sh by-hand":
            self.by_hand += 1
        elif kind == "sh":
            for n, command in self.joined(body, number):
                code, said = self.shell(command)
                self.commands += 1
                if code != 0:
                    self.fault(n, f"`{command}` ended in {code}: {said}")
                else:
                    self.written(command, n)
        elif kind == "console":
            return self.session(body, number)
        return body

    def joined(self, body, number):
        """Yields commands with their line numbers; a backslash at the end continues a command."""
        whole, first = "", 0
        for n, line in enumerate(body):
            first = first or number + n
            if line.endswith("\\"):
                whole += line[:-1]
                continue
            whole += line
            if whole.split("#")[0].strip():
                yield first, whole
            whole, first = "", 0

    def session(self, body, number):
        made, at = [], 0
        if not body or not body[0].startswith("$ "):
            self.fault(number, "a session begins with `$ `")
            return body
        while at < len(body):
            start, command = at, body[at][2:]
            made.append(body[at])
            while command.endswith("\\"):
                at += 1
                made.append(body[at])
                command = command[:-1] + body[at].strip()
            at += 1
            shown = []
            while at < len(body) and not body[at].startswith("$ "):
                shown.append(body[at])
                at += 1
            code, said = self.shell(command)
            self.commands += 1
            found = said.rstrip("\n").split("\n") if said.strip("\n") else []
            if code != 0:
                found.append(f"[{code}]")
            else:
                self.written(command, number + start)
            if not matches(shown, found):
                if BLESS:
                    made += found
                    continue
                self.fault(number + start, "`%s` says\n%s\n  and not\n%s" % (
                    command, "\n".join(f"    {line}" for line in found), "\n".join(f"    {line}" for line in shown)))
            made += shown
        return made

    def written(self, command, line):
        """Checks the manifest that a successful command wrote."""
        found = re.match(r"(cd \S+ && )?truesum (?:hash|convert|update) (?:.* )?(?:-o|--output) (\S+)", command)
        if found and not found.group(2).startswith("s3:"):
            check = f"{found.group(1) or ''}truesum check {found.group(2)}"
            code, said = self.shell(check)
            if code != 0:
                self.fault(line, f"`{command}` writes a manifest that `{check}` does not accept: {said}")

    def shell(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.home, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        return done.returncode, done.stdout.decode(errors="replace")

    def links(self):
        code = re.compile(r"```.*?```|`[^`\n]*`", re.S)
        text = code.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), self.text)
        for found in re.finditer(r"\]\(([^)\s]+)\)", text):
            target = found.group(1)
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            path = (self.path.parent / name).resolve() if name else self.path
            line = text[: found.start()].count("\n") + 1
            if not path.exists():
                self.fault(line, f"the link {target} leads nowhere")
            elif anchor and path.suffix == ".md" and anchor not in anchors(path):
                self.fault(line, f"{name or self.name} has no heading #{anchor}")
            elif anchor and path.suffix == ".rs" and f"fn {anchor}(" not in path.read_text():
                self.fault(line, f"{name} has no function {anchor}")


def matches(shown, found):
    """Whether the output is what is shown; `...` in a line stands for any text, a line of only `...` for any lines."""
    # The prefixes of `found` that the lines compared so far can match, by their length: no backtracking.
    reached = {0}
    for line in shown:
        if line.strip() == "...":
            reached = set(range(min(reached), len(found) + 1)) if reached else set()
        else:
            pattern = re.compile(".*?".join(map(re.escape, line.split("..."))))
            reached = {at + 1 for at in reached if at < len(found) and pattern.fullmatch(found[at])}
    return len(found) in reached


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
    named = re.findall(r"\]\(([^)]+\.md)\)", text)
    pages = {str(path.relative_to(docs)) for path in docs.rglob("*.md")} - {"SUMMARY.md"}
    for name in sorted(pages - set(named)):
        yield f"docs/SUMMARY.md: {name} is not in it"
    for name in sorted(set(name for name in named if named.count(name) > 1)):
        yield f"docs/SUMMARY.md: {name} is there twice"


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
