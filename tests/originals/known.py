"""The intended differences: one entry for each row of "Differences" in docs/spec/personalities.md.

A row without a test is one that no case here can show: races, other releases of the original, other languages.
"""

import re

NOT_WRITABLE = {"full", "closed", "readonly"}
HELP = re.compile(rb"\A(Usage: |\S+ \(GNU coreutils\)|b3sum \d|[^\n]*\n\nUsage: )")
SHORT_TAG = re.compile(rb"(MD5|SHA1|SHA224|SHA256|SHA384|SHA512|SM3)-(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+) ?\(")
FULL = {b"MD5": 128, b"SHA1": 160, b"SHA224": 224, b"SHA256": 256, b"SHA384": 384, b"SHA512": 512, b"SM3": 256}


def inputs(case):
    """Returns all texts that the case may read."""
    texts = [text for text in case.files.values() if isinstance(text, bytes)]
    return texts + ([case.stdin[1]] if isinstance(case.stdin, tuple) else [])


def first_byte(case, original, ours):
    def number(text):
        return int(text, 0) if text[1:2].isalpha() or not text.startswith(b"0") else int(b"0" + text, 8)

    def is_short(tag, text):
        try:
            return 0 < number(text) < FULL[tag]
        except ValueError:
            return False

    return case.program == "cksum" and any(is_short(*found) for text in inputs(case) for found in SHORT_TAG.findall(text))


def own_manifest(case, original, ours):
    listed = re.compile(rb"[ *]-[\r\n]|[ *]-\Z|\(-\)")
    return case.stdin == "closed" and any(listed.search(text) for text in inputs(case)) and b"-: Bad file descriptor" in ours.err + ours.out


def streams_of_b3sum(case, original, ours):
    return case.program == "b3sum" and bool({case.stdout, case.stderr} & NOT_WRITABLE) and ours.code == 1 and original.code in (0, 1, 101)


def unfinished_line(case, original, ours):
    return (
        case.stdout in NOT_WRITABLE and case.program != "b3sum" and original.code == ours.code == 1
        and b"write error" in original.err and b"write error" in ours.err
        and any(re.fullmatch(rb"-[a-z]*z.*|--(z|ra|h|v).*", arg) for arg in case.args)
    )


def stdin_by_name(case, original, ours):
    """If nothing else is wrong, both fail; with --ignore-missing the original skips the name."""
    named = any(b"/dev/stdin" in text for text in case.args + inputs(case))
    return case.stdin == "closed" and named and b"Too many levels of symbolic links" in ours.err + ours.out and ours.code == 1


def text_of_help(case, original, ours):
    return (original.code, original.err) == (ours.code, ours.err) and bool(HELP.match(original.out)) and ours.out != b""


KNOWN = {
    "a read error": None,
    "a file that changes while it is read": None,
    "`MD5-8 (f) = 9d` for `cksum --check`": first_byte,
    "a line of a manifest longer than 1 MiB": None,
    "standard input closed, and `-` in a manifest that is a file": own_manifest,
    "standard input closed, and `/dev/stdin` as an operand": stdin_by_name,
    "standard output not writable, `-z`, `--raw` or `--help`": unfinished_line,
    "standard output or error not writable, b3sum": streams_of_b3sum,
    "`-` in a manifest read from standard input, b3sum": None,
    "texts of `--help` and `--version`": text_of_help,
    "messages in other languages": None,
    "locales with character sets other than UTF-8": None,
}


def rows(path):
    """Returns the first cells of the table."""
    text = open(path, encoding="utf-8").read().split("## Differences", 1)[1].split("\n## ", 1)[0]
    cells = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("|")]
    return cells[2:]


def name(case, original, ours):
    """Returns the row that a difference belongs to, if any."""
    for row, test in KNOWN.items():
        if test and test(case, original, ours):
            return row
    return None
