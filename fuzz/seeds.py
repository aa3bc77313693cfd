#!/usr/bin/env python3
"""Creates fuzz/corpus/TARGET from the fixtures in testdata/manifests: the text below their headers, preceded by the byte that
selects the format or the options if a target needs one. usage: fuzz/seeds.py"""
import hashlib
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
FORMATS = re.search(r"pub static FORMATS.*?\[(.*?)\];", (ROOT / "crates/manifest/src/formats.rs").read_text(), re.S).group(1)
ROWS = [row.strip().split("::")[-1].lower().replace("_", "-") for row in FORMATS.split(",") if row.strip()]


def keep(target, data):
    folder = ROOT / "fuzz/corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


def main():
    count = 0
    for path in sorted((ROOT / "testdata/manifests").glob("*/*.txt")):
        text = path.read_bytes().split(b"\n\n", 1)[1]
        rows = [at for at, row in enumerate(ROWS) if row.startswith(path.parent.name)]
        for choice in rows or range(0, len(ROWS), 7):
            keep("manifest_formats", bytes([choice]) + text)
        keep("manifest_reader", b"\0" + text)
        if path.parent.name in ("gnu", "bsd", "cksum"):
            keep("manifest_gnu", text)
        if path.parent.name == "jsonl":
            keep("manifest_json", text)
        for name in re.findall(rb"[^\s\"<>=]{3,40}", text)[:4]:
            keep("manifest_roundtrip", name)
            keep("manifest_path", name)
        count += 1
    print(f"{count} fixtures")


if __name__ == "__main__":
    main()
