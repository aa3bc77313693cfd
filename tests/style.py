#!/usr/bin/env python3
"""Checks the wording of what users read: help texts, README and documentation.

usage: style.py TRUESUM

TRUESUM is the program. Its `--help` output, that of every subcommand, and every help topic are checked for

- option descriptions longer than 80 characters or starting with "Whether";
- the words and phrases in WORDS, which stand for a plainer standard term.

The words are also checked in README.md, SECURITY.md, RELEASING.md, the READMEs of the crates and all pages below docs. Code spans and code blocks are ignored there: commands
and their output belong to other tests. ALLOWED lists exceptions, each with its reason.

Prints FILE:LINE (or the command) and the replacement for each finding. Exit status: 0 no findings, 1 findings.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 80

# A regular expression, matched without regard to case, and what to write instead.
WORDS = [
    (r"\b(is|are|was|were|be|been|being) (told|said|asked)\b", "report, print, specify"),
    (r"\b(?:cannot )?tells?\b|\btelling\b", "report, show, distinguish"),
    (r"\b(says?|saying) (so|which|what|who|how|whether|where|that|nothing)\b", "report, show, specify"),
    (r"\bspeaks? (of|for|against)\b", "describe"),
    (r"\b(asked for|asks? for|who asks?)\b", "requested, selected"),
    (r"\bno line lists?\b|\bas (it is |they are )?listed\b", "in the manifest, matches the manifest"),
    (r"\b(stands?|lies|lie|lay|lying) (in|on|at|there|beside|behind|below|beneath|over|for itself)\b", "is in, is next to"),
    (r"\bbeside\b", "next to, in addition to"),
    (r"\bloud(ly)?\b", "fails with an error"),
    (r"\b(mend(s|ed|ing)?)\b", "repair"),
    (r"\b(hold|holds|held|holding) against\b|\b(hold|holds|held) \w+ against\b", "compare with, check against"),
    (r"\b(judge[sd]?|judg(e)?ments?|judging)\b", "verify, verification result"),
    (r"\bsought(-for)?\b|\bseeking\b", "search for"),
    (r"\bnot in turn\b", "deferred"),
    (r"\bmeanwhile\b", "during the read"),
    (r"\bbut for\b|\bnone but\b|\bnothing but\b|\bno \w+ but\b", "except, only"),
    (r"\ball the same\b", "still"),
    (r"\b(go|goes|gone|going|went) on with\b", "resume"),
    (r"\bwhoever\b", "anyone who"),
    (r"\bcalled so\b", "named that"),
    (r"\bstrangers?\b|\badversar(y|ies)\b", "another process, an attacker"),
    (r"\bpersonalit(y|ies)\b", "multi-call name"),
    (r"\bgranules?\b|\bstretch(es)?\b|\bextents?\b", "block, chunk, range"),
    (r"\bsomebody\b|\bnobody\b", "users, or the exact role"),
    (r"\bthe present\b|\ba moment ago\b|\byoung\b", "now, recently modified"),
    (r"\bwhole or not at all\b|\bnot at all\b", "atomically"),
    (r"\bas (it|they) (should|ought to) be\b", "correct, unchanged"),
    (r"\bof its own accord\b|\bby itself tells\b", "automatically"),
    (r"\brott(ed|en)\b", "corrupt"),
]

# (where, regular expression, reason): `where` is the end of a path below the project, or a command line.
ALLOWED = [
    ("", r"cannot tell", "a verdict of check --locate and tree verify"),
    ("truesum tree --help", r"granule", "the name of an option"),
    ("docs/spec/", r"granule|extent", "byte formats define the term before they use it"),
    ("docs/tree.md", r"granule", "the option and the term are defined on this page"),
    ("docs/algorithms.md", r"extent", "names of third-party algorithms and standards"),
]


def run(program, *words):
    """Returns what the program prints, made for the widest terminal."""
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={"PATH": "/usr/bin:/bin", "TRUESUM_CONFIG": "", "COLUMNS": "100"}, timeout=60)
    if done.returncode:
        sys.exit(f"style: {' '.join(words)}: exit status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def subcommands(text):
    """Returns the names below `Commands:` of a help text."""
    below = re.search(r"^Commands:\n((?:  .*\n)+)", text, re.M)
    return re.findall(r"^  (\S+)", below[1], re.M) if below else []


def commands(program, words=()):
    """Yields every command line with its help text, the program itself first."""
    text = run(program, *words, "--help")
    yield words, text
    for name in subcommands(text):
        if name != "help":
            yield from commands(program, (*words, name))


def options(program, words):
    """Yields each option of a command with its description, as a completing shell gets them."""
    for line in run(program, "__complete", *words, "--").splitlines()[1:]:
        name, _, about = line.partition("\t")
        if name.startswith("--"):
            yield name, about


def topics(program):
    """Returns the help topics, which the completion of `help` offers besides the commands."""
    offered = [line.split("\t")[0] for line in run(program, "__complete", "help", "").splitlines()[1:]]
    known = subcommands(run(program, "--help"))
    return [name for name in offered if name not in known]


def prose(text):
    """Returns Markdown without code blocks, code spans, link targets and HTML comments, line for line."""
    blank = lambda found: re.sub(r"[^\n]", " ", found.group())
    text = re.sub(r"^(\s*)(`{3,}|~{3,}).*?^\s*\2[`~]*\s*$", blank, text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->", blank, text, flags=re.S)
    text = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", blank, text)
    return re.sub(r"\]\([^)]*\)", blank, text)


class Findings:
    def __init__(self):
        self.lines = []

    def words(self, where, text):
        """Reports each use of a word to avoid; a phrase may be broken across lines."""
        flat = re.sub(r"\n[ \t]*", lambda found: "\n" + " " * (len(found.group()) - 1), text)
        for pattern, better in WORDS:
            for found in re.finditer(pattern.replace(" ", r"\s+"), flat, re.I):
                if self.allowed(where, found.group()):
                    continue
                line = flat.count("\n", 0, found.start()) + 1
                word = re.sub(r"\s+", " ", found.group())
                self.lines.append(f"{where}:{line}: '{word}': write {better}")

    def allowed(self, where, word):
        return any(place in where and re.search(pattern, word, re.I) for place, pattern, _ in ALLOWED)

    def option(self, where, name, about):
        if len(about) > LIMIT:
            self.lines.append(f"{where}: {name}: {len(about)} characters, at most {LIMIT}: {about}")
        if about.startswith("Whether"):
            self.lines.append(f"{where}: {name}: starts with 'Whether': {about}")
        if not about:
            self.lines.append(f"{where}: {name}: no description")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = str(pathlib.Path(sys.argv[1]).resolve())
    findings = Findings()
    seen = 0
    for words, text in commands(program):
        where = " ".join(("truesum", *words, "--help"))
        findings.words(where, text)
        for name, about in options(program, words):
            findings.option(where, name, about)
            seen += 1
    for name in topics(program):
        findings.words(f"truesum help {name}", run(program, "help", name))
    pages = [ROOT / "README.md", ROOT / "SECURITY.md", ROOT / "RELEASING.md", *sorted(ROOT.glob("crates/*/README.md"))]
    for page in [*pages, *sorted((ROOT / "docs").rglob("*.md"))]:
        findings.words(str(page.relative_to(ROOT)), prose(page.read_text(encoding="utf-8")))
    print("\n".join(findings.lines))
    if seen < 200:
        sys.exit(f"style: only {seen} options were found")
    sys.exit(f"style: {len(findings.lines)} findings" if findings.lines else 0)


if __name__ == "__main__":
    main()
