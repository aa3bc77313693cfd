"""Reduces a differing case as far as possible, and prints it as a line for a shell."""

import re


def candidates(case):
    """Yields cases that are a little simpler, the largest reductions first."""
    for i in range(len(case.args)):
        yield case.with_changes(args=case.args[:i] + case.args[i + 1:])
    for name in case.files:
        yield case.with_changes(files={key: value for key, value in case.files.items() if key != name and not key.startswith(name + b"/")})
    for key in case.env:
        yield case.with_changes(env={name: value for name, value in case.env.items() if name != key})
    if case.path:
        yield case.with_changes(path=b"")
    for stream in ("stdout", "stderr"):
        if getattr(case, stream) != "captured":
            yield case.with_changes(**{stream: "captured"})
    if case.stdin != "null":
        yield case.with_changes(stdin="null")
    for i, arg in enumerate(case.args):
        if re.fullmatch(rb"-[^-].+", arg):
            for at in range(1, len(arg)):
                yield case.with_changes(args=case.args[:i] + [arg[:at] + arg[at + 1:]] + case.args[i + 1:])
    for shorter in contents(case.stdin[1]) if isinstance(case.stdin, tuple) else ():
        yield case.with_changes(stdin=(case.stdin[0], shorter))
    for name, content in case.files.items():
        if isinstance(content, bytes):
            for shorter in contents(content):
                yield case.with_changes(files={**case.files, name: shorter})


def contents(text):
    """Yields texts with a part removed: lines, then pieces, then bytes."""
    lines = text.splitlines(keepends=True)
    if len(lines) > 1:
        for i in range(len(lines)):
            yield b"".join(lines[:i] + lines[i + 1:])
    size = len(text)
    while size > 1:
        size = (size + 1) // 2
        if len(text) // size <= 200:
            for at in range(0, len(text), size):
                yield text[:at] + text[at + size:]


def smallest(case, differs):
    """Returns the smallest case found that `differs`."""
    tries = 0
    while True:
        for candidate in candidates(case):
            tries += 1
            if tries > 2000:
                return case
            if differs(candidate):
                case = candidate
                break
        else:
            return case


def word(text):
    """Returns bytes as one word of bash."""
    if text and re.fullmatch(rb"[A-Za-z0-9_./:=+,%-]+", text):
        return text.decode()
    escaped = "".join(
        {0x27: "\\'", 0x5C: "\\\\", 0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t"}.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}")
        for byte in text)
    return f"$'{escaped}'"


def printf(text):
    escaped = "".join(chr(byte) if 32 <= byte < 127 and byte not in b"\\%'" else f"\\{byte:03o}" for byte in text)
    return f"printf '{escaped}'"


def shell(case):
    """Returns the case as a line of bash."""
    parts = ["cd $(mktemp -d)"]
    for name, content in case.files.items():
        path = word(b"./" + name)
        match content:
            case None: parts.append(f"mkdir {path}")
            case ("link", target): parts.append(f"ln -s {word(target)} {path}")
            case ("socket",): parts.append(f"python3 -c 'import os, sys; os.mknod(sys.argv[1], 0o140600)' {path}")
            case ("secret", text): parts.append(f"{printf(text)} > {path}; chmod 0 {path}")
            case _: parts.append(f"{printf(content)} > {path}")
    env = "".join(f"{key}={word(value.encode())} " for key, value in case.env.items())
    words = " ".join(word(arg) for arg in [case.path + case.program.encode()] + case.args)
    before, after = "", {"null": " </dev/null", "closed": " <&-", "folder": " </", "writeonly": " 0>/dev/null"}.get(case.stdin, "")
    if isinstance(case.stdin, tuple):
        before, after = (printf(case.stdin[1]) + " | ", "") if case.stdin[0] == "pipe" else ("", f" < <({printf(case.stdin[1])})")
    out = {"closed": " >&-", "full": " >/dev/full", "readonly": " 1</dev/null"}.get(case.stdout, "")
    err = {"closed": " 2>&-", "full": " 2>/dev/full", "readonly": " 2</dev/null", "merged": " 2>&1"}.get(case.stderr, "")
    return "; ".join(parts + [before + env + words + after + out + err])
