#!/usr/bin/env python3
"""Validates all JSON output of the program against the schemas in docs/schema.

usage: schemas.py TRUESUM

Every line must be valid according to the schema that it names, and must not have members that the schema does not
describe. Every schema, and every kind of object in it, must occur in some line, unless EXCUSED gives a reason. Exit
status: 0 everything is valid, 1 not, 77 if Python has no jsonschema.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("python3 has no jsonschema: no output was validated")
    sys.exit(77)

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "docs" / "schema"
EXCUSED = {
    "truesum-piece/1": "written by no release any more, and still read",
}


def closed(node):
    """Returns the schema with all objects closed: members that it does not describe are errors here."""
    if isinstance(node, dict):
        node = {key: closed(value) for key, value in node.items()}
        if "properties" in node:
            node.setdefault("additionalProperties", False)
    elif isinstance(node, list):
        node = [closed(each) for each in node]
    return node


def variants(schema):
    """Returns the kinds of objects that a schema describes, as pairs of its name and the kind."""
    for each in schema.get("oneOf", [schema]):
        members = each["properties"]
        yield members["schema"]["const"], members.get("kind", {}).get("const"), each.get("description")


class Play:
    """Runs commands in a folder, and validates their lines."""

    def __init__(self, program, root):
        self.program, self.root, self.failed, self.met = program, root, 0, set()
        self.environment = dict(os.environ, TRUESUM_CONFIG="")
        self.environment.pop("TRUESUM_OPTIONS", None)
        self.schemas = {}
        for path in sorted(FOLDER.glob("*.json")):
            schema = json.loads(path.read_text())
            jsonschema.Draft202012Validator.check_schema(schema)
            for name, kind, about in variants(schema):
                each = [v for v in schema.get("oneOf", [schema]) if v["properties"]["schema"]["const"] == name
                        and v["properties"].get("kind", {}).get("const") == kind and v.get("description") == about]
                validator = jsonschema.Draft202012Validator(closed(each[0]))
                self.schemas.setdefault((name, kind), []).append((about, validator))

    def run(self, *words, at=None, stderr=False):
        done = subprocess.run([self.program, *words], cwd=self.root, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=300)
        text = (done.stderr if stderr else done.stdout).decode()
        if stderr:
            text = "".join(line for line in text.splitlines(True) if line.startswith("{"))
        if at is not None:
            (self.root / at).write_text(text)
        if not text.strip():
            self.fault(words, f"printed nothing: {done.stderr.decode()}")
        lines = [text] if words[0] == "bench" else text.splitlines()
        for line in lines:
            self.hold(words, line)
        return text

    def hold(self, words, line):
        try:
            value = json.loads(line)
        except ValueError as why:
            return self.fault(words, f"no JSON: {why}: {line}")
        name, kind = value.get("schema"), value.get("kind")
        known = self.schemas.get((name, kind)) or self.schemas.get((name, None))
        if not known:
            return self.fault(words, f"no schema for {name}, kind {kind}: {line[:200]}")
        errors = []
        for about, validator in known:
            error = next(validator.iter_errors(value), None)
            if error is None:
                self.met.add((name, about))
                return None
            errors.append(error.message)
        return self.fault(words, f"{' / '.join(errors)}: {line[:300]}")

    def fault(self, words, why):
        self.failed += 1
        print(f"schemas: truesum {' '.join(map(str, words))}: {why}")


def play(program, root):
    it = Play(program, root)
    at = lambda name: root / name
    (at("d")).mkdir()
    for name, text in [("a", "abc"), ("b", "abc"), ("c", "abc"), ("d/f", "x\n"), ("big", "0123456789abcdef" * 20000)]:
        at(name).write_text(text)
    os.link(at("a"), at("hard"))
    odd = os.fsencode(root) + b"/d/\xff"
    with open(odd, "w") as file:
        file.write("odd")
    it.run("hash", "--json", "a", "b", "big", "d", at="M")
    it.run("hash", "--json", "--summary", "json", "-o", "ignored", "a", stderr=True)
    sums = it.root / "S"
    digest = it_digest(program, root, "a")
    sums.write_text(f"{digest}  a\noops\n{'0' * 64}  b\n{'0' * 64}  gone\n{digest}  moved\n")
    it.run("check", "--json", "M")
    it.run("check", "--json", "--exact", "S")
    it.run("check", "--json", "--search", "--rename-to-match", "S")
    it.run("check", "--json", "--sample", "50%", "--sample-seed", "3", "--lenient", "S")
    it.run("check", "--json", "--expect", digest, "a")
    subprocess.run([program, "tree", "--save", "-a", "sha256-tree", "big"], cwd=root, check=True, capture_output=True)
    it.run("tree", "verify", "--json", "big.ftr")
    it.run("tree", "prove", "big", "--range", "0..64KiB")
    subprocess.run([program, "tree", "--save", "-a", "sha256-tree", "b"], cwd=root, check=True, capture_output=True)
    it.run("tree", "leaf", "big", "--range", "0..64KiB")
    it.run("tree", "leaf", "gone", "--range", "0..64KiB")
    with open(at("b"), "a") as file:
        file.write("more")
    it.run("tree", "prove", "b", "--grown-from", "b.ftr")
    with open(at("big"), "r+") as file:
        file.seek(70000)
        file.write("?")
    it.run("tree", "verify", "--json", "big.ftr")
    it.run("check", "--json", "--locate", "M")
    at("d/f").rename(at("d/g"))
    at("new").write_text("new")
    it.run("audit", "--json", "M")
    it.run("audit", "--json", "S")
    it.run("audit", "--json", "-k", "M", ".")
    it.run("update", "--json", "-n", "--refresh", "--prune", "--rename", "M")
    it.run("update", "--json", "-n", "S")
    it.run("diff", "--json", "M", ".")
    it.run("diff", "--json", "S", "M")
    it.run("scrub", "--json", "--state", "state", "d")
    (at("d") / "later").write_text("later")
    (at("d") / "unlistable").symlink_to("later")
    it.run("scrub", "--json", "--state", "state", "d")
    it.run("scrub", "--json", "--status", "--state", "state", "d")
    it.run("scrub", "--json", "--log", "--state", "state", "d")
    it.run("duplicates", "--json", ".", "gone")
    it.run("find", "--json", digest, "0" * 64, ".", "gone")
    it.run("find", "--json", "--manifest", "S", ".")
    it.run("identify", "--json", digest)
    it.run("identify", "--json", digest, "a")
    for kind in ["truesum", "h1", "git", "nar", "swhid"]:
        it.run("directory", "--json", "--kind", kind, "d" if kind != "h1" else "tree")
        if kind == "truesum":
            at("tree").mkdir()
            at("tree/x").write_text("x")
            at("tree/l").symlink_to("x")
            for name in ["x", "l"]:
                it.run("directory", "prove", "tree", name)
            at("tree/l").unlink()
    for what in ["algorithms", "kernels", "formats"]:
        it.run("list", what, "--json")
    it.run("list", "algorithms", "--all", "--json")
    it.run("list", "algorithms", "blake3", "--json")
    if subprocess.run([program, "bench", "--help"], capture_output=True).returncode == 0:
        it.run("bench", "tree", "big", "--quick", "--time", "2", "-a", "sha256", "--json")
    else:
        EXCUSED["truesum-bench/1"] = "this program is built without bench"
    for (name, kind), known in it.schemas.items():
        for about, _ in known:
            if (name, about) not in it.met and name not in EXCUSED:
                it.fault(["..."], f"no line was {name}, kind {kind} ({about}): nothing was tried of it")
    return it


def it_digest(program, root, name):
    return subprocess.run([program, "hash", "-a", "sha256", name], cwd=root, check=True, capture_output=True,
                          env=dict(os.environ, TRUESUM_CONFIG="")).stdout[:64].decode()


def main():
    with tempfile.TemporaryDirectory() as folder:
        it = play(os.path.abspath(sys.argv[1]), pathlib.Path(folder))
    print(f"schemas: {len(it.met)} kinds of object are valid, {it.failed} faults")
    sys.exit(1 if it.failed else 0)


main()
