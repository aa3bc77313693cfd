#!/usr/bin/env python3
"""Checks the imports of the code against the module order in ARCHITECTURE.md.

`layers.py [FOLDER]` reads every crate below FOLDER/crates (by default, the folder above this file's) and FOLDER/python, and fails on
- a cycle: files of one crate that import each other, directly or through others;
- an import of a module by one that precedes it: the block ```layers in ARCHITECTURE.md has a line for each crate,
  `crate: a b < c < d`, where a module may import those to the left of a `<` that precedes it, and modules between two `<` must not
  import each other;
- a module that is not in the block, or that no longer exists;
- `std::os`, `rustix` or `libc` outside of crates/fs, except in the files named in SYSTEM_CALLS, which must use one of them: that list
  only gets shorter;
- a `cfg` that depends on the operating system outside of crates/fs/src/sys, except in crates/bench, which measures what only one system
  has, and in the files named in PLATFORMS;
- code outside of crates/fs that opens a file: opening a pipe or a device may block, so every file is opened by the functions of that
  crate (`open_companion`, `open_named`, `Input::open`, `Root::open`). `OPENERS` lists the exceptions.

A module here is a file or folder directly below `src`; `lib.rs` and `main.rs` are above all of them. An import is a `use` or a path that
begins with `crate`, `super` or `self`. A re-export counts as an import of the file that contains the definition, and code under
`#[cfg(test)]` does not count. The code is read as text, so no compiler is required.
"""

import pathlib
import re
import sys

# The files outside of crates/fs that still use the operating system directly.
SYSTEM_CALLS = """
    crates/bench/src/measure/read/cache.rs
    crates/bench/src/measure/read/direct.rs
    crates/bench/src/measure/read/mapped.rs
    crates/bench/src/measure/read/plain.rs
    crates/bench/src/measure/read/uring.rs
    crates/bench/src/models/tools/directory.rs
    python/src/audit.rs
    python/src/errors.rs
    python/src/identify.rs
    python/src/manifest.rs
    python/src/paths.rs
    python/src/tree.rs
    python/src/verify.rs
"""

# The files whose rules depend on the operating system although they make no system calls, with reasons.
PLATFORMS = {
    "crates/manifest/src/original/b3sum.rs": "b3sum rejects backslashes on Windows",
    "crates/manifest/src/path.rs": "which names leave a folder depends on the separators",
    "crates/cli/src/startup.rs": "the section that holds constructors depends on the format of programs",
}

# What opens a file, by the standard library or by system calls. Folders are listed and links are read without blocking.
OPENS = re.compile(
    r"\b(?:File|OpenOptions)\s*::\s*(?:open|options|new)\s*\(|\bfs\s*::\s*(?:read|read_to_string|open|openat)\s*\(|\bopenat2?\s*\("
)
# The crates whose files are opened by crates/fs.
OPENING = ("hash", "manifest", "engine", "stores", "cli")
# The exceptions, with reasons.
OPENERS = {
    "cli/src/version.rs": "reads a file of /proc",
    "stores/src/profile.rs": "reads credentials, which other programs accept from a pipe, before a run begins",
}


def openers(top):
    """Returns the places that open a file and are not exceptions, and the exceptions that do not open any."""
    faults, used = [], set()
    for file in sorted(file for crate in OPENING for file in (top / "crates" / crate / "src").rglob("*.rs")):
        path = file.relative_to(top / "crates")
        exceptions = {name for name in OPENERS if path.is_relative_to(name)}
        text = blank_out(file.read_text())
        code, _ = without_tests(text)
        for found in [] if file.name == "tests.rs" else OPENS.finditer(code):
            used |= exceptions
            if not exceptions:
                faults.append(f"{path}: {found.group().rstrip('( ')} is outside of crates/fs: use open_companion or open_named")
    return faults + [f"{name}: opens no file, but is an exception in tests/layers.py" for name in OPENERS if name not in used]


def blank_out(text):
    """Returns the code with comments and the contents of literals replaced by blanks, line by line."""
    token = re.compile(
        r'//[^\n]*|/\*.*?\*/|b?r(#*)".*?"\1|b?"(?:\\.|[^"\\])*"|b?\'(?:\\[^\n]{1,9}?|[^\\\'\n])\'', re.S
    )
    return token.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def without_tests(code):
    """Returns the code without items under `#[cfg(test)]`, and the names of modules in other files that are under it."""
    only_tests = set()
    mark = re.compile(r"#\[cfg\((?:test|all\(test\b[^\]]*)\)\]")
    while found := mark.search(code):
        remainder = code[found.end():]
        remainder = re.sub(r"^(\s*#\[[^\]]*\])+", "", remainder)
        if module := re.match(r"\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;", remainder):
            only_tests.add(module.group(1))
        item = re.match(r"[^;{]*[;{]", remainder)
        end = item.end() - 1 if item else 0
        if remainder[end: end + 1] == "{":
            end = closing(remainder, end + 1)
        code = code[: found.start()] + remainder[end + 1:]
    return code, only_tests


def closing(code, start, brackets="{}"):
    """Returns the position of the bracket that closes the block that contains `start`."""
    depth = 1
    for at in range(start, len(code)):
        depth += (code[at] == brackets[0]) - (code[at] == brackets[1])
        if depth == 0:
            return at
    return len(code)


def expand(tree):
    """Returns the paths of a use tree: `a::{b, c as d}` gives (a::b, b) and (a::c, d)."""
    tree = tree.strip()
    if "{" not in tree:
        path, _, alias = tree.partition(" as ")
        parts = [part.strip() for part in path.split("::") if part.strip()]
        if parts and parts[-1] == "self":
            parts.pop()
        if parts:
            yield parts, alias.strip() or parts[-1]
        return
    start = tree.index("{")
    head = [part.strip() for part in tree[:start].split("::") if part.strip()]
    depth, piece = 0, ""
    for char in tree[start + 1: tree.rindex("}")] + ",":
        if char == "," and depth == 0:
            for parts, name in expand(piece):
                yield head + parts, name
            if piece.strip() == "self":
                yield head, head[-1]
            piece = ""
            continue
        depth += {"{": 1, "}": -1}.get(char, 0)
        piece += char


class Crate:
    """Returns the modules of one crate and their importers."""

    def __init__(self, source):
        self.source = source
        self.files = {}
        hidden = set()
        for file in sorted(source.rglob("*.rs")):
            parts = list(file.relative_to(source).with_suffix("").parts)
            if parts[-1] in ("mod", "lib", "main"):
                parts.pop()
            code, only_tests = without_tests(blank_out(file.read_text()))
            hidden |= {tuple(parts) + (name,) for name in only_tests}
            self.files.setdefault(tuple(parts), []).append((file, code))
        for module in [m for m in self.files if any(m[: len(h)] == h for h in hidden)]:
            del self.files[module]
        self.uses = {module: list(self.read_uses(module)) for module in self.files}

    def read_uses(self, module):
        for _, code in self.files[module]:
            while inline := re.search(r"\bmod\s+\w+\s*\{", code):
                end = closing(code, inline.end())
                yield from self.paths_in(module + ("{}",), code[inline.end(): end])
                code = code[: inline.start()] + code[end + 1:]
            yield from self.paths_in(module, code)

    def paths_in(self, module, code):
        """Returns the absolute paths used by the code of this module, each with its local name."""
        used = [each for found in re.finditer(r"\buse\s+([^;]+);", code) for each in expand(found.group(1))]
        body = re.sub(r"\buse\s+[^;]+;", "", code)
        for found in re.finditer(r"(?<![\w:$])(?:crate|super|self)(?:\s*::\s*\w+)+", body):
            used.append(([part.strip() for part in found.group().split("::")], None))
        for parts, name in used:
            if (path := self.absolute(module, parts)) is not None:
                yield [part for part in path if part not in ("*", "{}")], name

    def absolute(self, module, parts):
        """Returns the path from the crate's root, or None for another crate's."""
        first, remainder = parts[0], parts[1:]
        if first == "crate":
            return remainder
        if first == "self":
            return list(module) + remainder
        if first == "super":
            above = list(module[:-1])
            while remainder and remainder[0] == "super":
                above, remainder = above[:-1], remainder[1:]
            return above + remainder
        if (inside := tuple(part for part in module if part != "{}") + (first,)) in self.files:
            return list(inside) + remainder
        return None

    def defined_in(self, path, seen=()):
        """Returns the module that defines what this path leads to, through all re-exports."""
        at = ()
        while path and at + (path[0],) in self.files:
            at, path = at + (path[0],), path[1:]
        if not path or (at, path[0]) in seen or at not in self.uses:
            return at
        for parts, name in self.uses[at]:
            if name == path[0] and tuple(parts) != at + (name,):
                return self.defined_in(parts + path[1:], seen + ((at, name),))
        return at

    def imports(self):
        for module in self.files:
            for path, _ in self.uses[module]:
                target = self.defined_in(path)
                if target != module and target in self.files:
                    yield module, target

    def name(self, module):
        return " and ".join(str(file.relative_to(self.source)) for file, _ in self.files[module])


def circles(nodes, edges):
    """Tarjan's strongly connected components with more than one node."""
    index, low, stack, on, found = {}, {}, [], set(), []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on.add(node)
        for other in edges.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = []
            while True:
                other = stack.pop()
                on.discard(other)
                group.append(other)
                if other == node:
                    break
            if len(group) > 1:
                found.append(sorted(group))

    sys.setrecursionlimit(10_000)
    for node in nodes:
        if node not in index:
            visit(node)
    return found


def stated_order(text):
    """Returns the levels of each crate, each a list of modules."""
    block = re.search(r"```layers\n(.*?)```", text, re.S)
    order = {}
    for line in block.group(1).splitlines() if block else []:
        crate, _, modules = line.partition(":")
        if modules.strip():
            order[crate.strip()] = [level.split() for level in modules.split("<")]
    return order


def system_calls(top, crates):
    """Returns the errors about direct uses of the operating system."""
    direct = re.compile(r"\b(?:std\s*::\s*os|rustix|libc)\s*::")
    found = {
        str(file.relative_to(top))
        for name, crate in crates.items() if name != "fs"
        for files in crate.files.values()
        for file, code in files if direct.search(code)
    }
    allowed = set(SYSTEM_CALLS.split())
    faults = [f"{file}: uses std::os, rustix or libc, which only crates/fs does" for file in sorted(found - allowed)]
    return faults + [f"{file}: no longer uses std::os, rustix or libc: remove it from SYSTEM_CALLS" for file in sorted(allowed - found)]


def platforms(top, sources):
    """Returns the places outside of tests that depend on the operating system at compile time."""
    condition = re.compile(r"\bcfg(?:_attr)?!?\s*\(")
    system = re.compile(r"\b(?:target_os|target_family|target_vendor|unix|windows)\b")
    faults, used = [], set()
    for file in sorted(file for source in sources for file in source.rglob("*.rs")):
        path = file.relative_to(top)
        if path.parts[1] == "bench" or path.parts[:4] == ("crates", "fs", "src", "sys") or str(path) == "crates/fs/src/sys.rs":
            continue
        code, _ = without_tests(blank_out(file.read_text()))
        for found in condition.finditer(code):
            if not system.search(code[found.end(): closing(code, found.end(), "()")]):
                continue
            used.add(str(path))
            if str(path) not in PLATFORMS:
                line = code.count("\n", 0, found.start()) + 1
                faults.append(f"{path}:{line}: depends on the operating system, which only crates/fs/src/sys does")
    return faults + [f"{name}: does not depend on the operating system: remove it from PLATFORMS" for name in sorted(set(PLATFORMS) - used)]


def check(top):
    """Returns the errors found, one per line."""
    order = stated_order((top / "ARCHITECTURE.md").read_text())
    sources = sorted([*(top / "crates").glob("*/src"), *top.glob("python/src")], key=lambda source: source.parent.name)
    crates = {source.parent.name: source for source in sources}
    faults = [f"{name}: no such crate" for name in order if name not in crates]
    parsed = {name: Crate(source) for name, source in crates.items()}
    faults += system_calls(top, parsed)
    faults += platforms(top, sources)
    for name, crate in parsed.items():
        edges = {}
        for module, target in crate.imports():
            edges.setdefault(module, set()).add(target)
        for group in circles(crate.files, edges):
            faults.append(f"{name}: a cycle of {len(group)} files:")
            for module in group:
                for target in sorted(edges.get(module, set()) & set(group)):
                    faults.append(f"    {crate.name(module)} imports {crate.name(target)}")
        levels = {module: at for at, level in enumerate(order.get(name, [])) for module in level}
        modules = {file[0] for file in crate.files if file}
        faults += [f"{name}: {module} is not in ARCHITECTURE.md" for module in sorted(modules - set(levels))]
        faults += [f"{name}: ARCHITECTURE.md names {module}, which does not exist" for module in sorted(set(levels) - modules)]
        for module, targets in sorted(edges.items()):
            for target in sorted(targets):
                if not module:
                    continue
                if not target:
                    faults.append(f"{name}: {crate.name(module)} imports {crate.name(target)}, which is above all modules")
                    continue
                importing, imported = module[0], target[0]
                if importing != imported and importing in levels and imported in levels and levels[imported] >= levels[importing]:
                    faults.append(f"{name}: {crate.name(module)} imports {crate.name(target)}: {imported} is not before {importing}")
    return faults + openers(top), len(crates)


def main():
    top = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    faults, crates = check(top)
    print("\n".join(faults) if faults else f"layers: {crates} crates, no cycle, no import against the order, no file opened outside of io")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
