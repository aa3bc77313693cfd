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


def close_objects(node):
    """Returns the schema with all objects closed: members that it does not describe are errors here."""
    if isinstance(node, dict):
        node = {key: close_objects(value) for key, value in node.items()}
        if "properties" in node:
            node.setdefault("additionalProperties", False)
    elif isinstance(node, list):
        node = [close_objects(variant) for variant in node]
    return node


def variants(schema):
    """Returns the kinds of objects that a schema describes, as pairs of its name and the kind."""
    for variant in schema.get("oneOf", [schema]):
        members = variant["properties"]
        yield members["schema"]["const"], members.get("kind", {}).get("const"), variant.get("description")


class CommandRunner:
    """Runs commands in a folder, and validates their lines."""

    def __init__(self, program, root):
        self.program, self.root, self.failed, self.seen_kinds = program, root, 0, set()
        self.environment = dict(os.environ, TRUESUM_CONFIG="")
        self.environment.pop("TRUESUM_OPTIONS", None)
        self.schemas = {}
        for path in sorted(FOLDER.glob("*.json")):
            schema = json.loads(path.read_text())
            jsonschema.Draft202012Validator.check_schema(schema)
            for name, kind, description in variants(schema):
                variant = [v for v in schema.get("oneOf", [schema]) if v["properties"]["schema"]["const"] == name
                        and v["properties"].get("kind", {}).get("const") == kind and v.get("description") == description]
                validator = jsonschema.Draft202012Validator(close_objects(variant[0]))
                self.schemas.setdefault((name, kind), []).append((description, validator))

    def run(self, *words, path=None, stderr=False):
        done = subprocess.run([self.program, *words], cwd=self.root, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=300)
        text = (done.stderr if stderr else done.stdout).decode()
        if stderr:
            text = "".join(line for line in text.splitlines(True) if line.startswith("{"))
        if path is not None:
            (self.root / path).write_text(text)
        if not text.strip():
            self.fault(words, f"printed nothing: {done.stderr.decode()}")
        lines = [text] if words[0] == "bench" else text.splitlines()
        for line in lines:
            self.validate_line(words, line)
        return text

    def validate_line(self, words, line):
        try:
            value = json.loads(line)
        except ValueError as reason:
            return self.fault(words, f"no JSON: {reason}: {line}")
        name, kind = value.get("schema"), value.get("kind")
        validators = self.schemas.get((name, kind)) or self.schemas.get((name, None))
        if not validators:
            return self.fault(words, f"no schema for {name}, kind {kind}: {line[:200]}")
        errors = []
        for description, validator in validators:
            error = next(validator.iter_errors(value), None)
            if error is None:
                self.seen_kinds.add((name, description))
                return None
            errors.append(error.message)
        return self.fault(words, f"{' / '.join(errors)}: {line[:300]}")

    def fault(self, words, reason):
        self.failed += 1
        print(f"schemas: truesum {' '.join(map(str, words))}: {reason}")


def run_commands(program, root):
    runner = CommandRunner(program, root)
    path = lambda name: root / name
    (path("d")).mkdir()
    for name, text in [("a", "abc"), ("b", "abc"), ("c", "abc"), ("d/f", "x\n"), ("big", "0123456789abcdef" * 20000)]:
        path(name).write_text(text)
    os.link(path("a"), path("hard"))
    non_utf8 = os.fsencode(root) + b"/d/\xff"
    with open(non_utf8, "w") as file:
        file.write("odd")
    runner.run("hash", "--json", "a", "b", "big", "d", path="M")
    runner.run("hash", "--json", "--summary", "json", "-o", "ignored", "a", stderr=True)
    sums = runner.root / "S"
    digest = digest_of(program, root, "a")
    sums.write_text(f"{digest}  a\noops\n{'0' * 64}  b\n{'0' * 64}  gone\n{digest}  moved\n")
    runner.run("check", "--json", "M")
    runner.run("check", "--json", "--exact", "S")
    runner.run("check", "--json", "--pubkey", "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3", "S")
    runner.run("check", "--json", "--search", "--rename-to-match", "S")
    runner.run("check", "--json", "--sample", "50%", "--sample-seed", "3", "--lenient", "S")
    runner.run("check", "--json", "--expect", digest, "a")
    (path("bag/data")).mkdir(parents=True)
    path("bag/data/a").write_text("abc")
    subprocess.run([program, "bag", "create", "bag"], cwd=root, check=True, capture_output=True)
    path("bag/data/extra").write_text("")
    runner.run("bag", "check", "--json", "bag")
    subprocess.run([program, "tree", "--save", "-a", "sha256-tree", "big"], cwd=root, check=True, capture_output=True)
    runner.run("tree", "verify", "--json", "big.ftr")
    runner.run("tree", "prove", "big", "--range", "0..64KiB")
    subprocess.run([program, "tree", "--save", "-a", "sha256-tree", "b"], cwd=root, check=True, capture_output=True)
    runner.run("tree", "leaf", "big", "--range", "0..64KiB")
    runner.run("tree", "leaf", "gone", "--range", "0..64KiB")
    with open(path("b"), "a") as file:
        file.write("more")
    runner.run("tree", "prove", "b", "--grown-from", "b.ftr")
    with open(path("big"), "r+") as file:
        file.seek(70000)
        file.write("?")
    runner.run("tree", "verify", "--json", "big.ftr")
    runner.run("check", "--json", "--locate", "M")
    path("d/f").rename(path("d/g"))
    path("new").write_text("new")
    runner.run("audit", "--json", "M")
    runner.run("audit", "--json", "S")
    runner.run("audit", "--json", "-k", "M", ".")
    runner.run("update", "--json", "-n", "--refresh", "--prune", "--rename", "M")
    runner.run("update", "--json", "-n", "S")
    runner.run("diff", "--json", "M", ".")
    runner.run("diff", "--json", "S", "M")
    runner.run("scrub", "--json", "--state", "state", "d")
    (path("d") / "later").write_text("later")
    (path("d") / "unlistable").symlink_to("later")
    runner.run("scrub", "--json", "--state", "state", "d")
    runner.run("scrub", "--json", "--status", "--state", "state", "d")
    runner.run("scrub", "--json", "--log", "--state", "state", "d")
    (path("d") / "later.sha256").write_text("0" * 64 + "  later\n")
    runner.run("scrub", "--json", "--manifests", "--state", "collection", ".")
    (path("d") / "later.sha256").write_text("not a manifest")
    runner.run("scrub", "--json", "--manifests", "--state", "collection", ".")
    runner.run("scrub", "--json", "--status", "--state", "collection", ".")
    runner.run("duplicates", "--json", ".", "gone")
    runner.run("find", "--json", digest, "0" * 64, ".", "gone")
    runner.run("find", "--json", "--manifest", "S", ".")
    runner.run("identify", "--json", digest)
    runner.run("identify", "--json", digest, "a")
    for kind in ["truesum", "h1", "git", "nar", "swhid"]:
        runner.run("directory", "--json", "--kind", kind, "d" if kind != "h1" else "tree")
        if kind == "truesum":
            path("tree").mkdir()
            path("tree/x").write_text("x")
            path("tree/l").symlink_to("x")
            for name in ["x", "l"]:
                runner.run("directory", "prove", "tree", name)
            path("tree/l").unlink()
    for subject in ["algorithms", "kernels", "formats"]:
        runner.run("list", subject, "--json")
    runner.run("list", "algorithms", "--all", "--json")
    runner.run("list", "algorithms", "blake3", "--json")
    if subprocess.run([program, "bench", "--help"], capture_output=True).returncode == 0:
        runner.run("bench", "tree", "big", "--quick", "--time", "2", "-a", "sha256", "--json")
    else:
        EXCUSED["truesum-bench/1"] = "this program is built without bench"
    for (name, kind), validators in runner.schemas.items():
        for description, _ in validators:
            if (name, description) not in runner.seen_kinds and name not in EXCUSED:
                runner.fault(["..."], f"no line was {name}, kind {kind} ({description}): it was not tested")
    return runner


def digest_of(program, root, name):
    return subprocess.run([program, "hash", "-a", "sha256", name], cwd=root, check=True, capture_output=True,
                          env=dict(os.environ, TRUESUM_CONFIG="")).stdout[:64].decode()


def main():
    with tempfile.TemporaryDirectory() as folder:
        runner = run_commands(os.path.abspath(sys.argv[1]), pathlib.Path(folder))
    print(f"schemas: {len(runner.seen_kinds)} kinds of object are valid, {runner.failed} faults")
    sys.exit(1 if runner.failed else 0)


main()
