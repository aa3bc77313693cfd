#!/usr/bin/env python3
"""Builds the book from these pages with mdBook, and tests that each of its links leads somewhere.

The pages link to others in this repository, and these links must work wherever the pages are read. So the book has the
same folders, and these pages are its last part.

usage: docs/book.py FOLDER    (requires mdbook, in PATH or given by MDBOOK: cargo install mdbook --no-default-features)
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from html import unescape
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
FIRST = "[truesum](README.md)\n\n"
BEYOND = """
# Beyond the book

- [Results of benchmarks](benchmarks/RESULTS.md)
- [How it is measured](benchmarks/METHODOLOGY.md)
- [Faults](tests/faults/README.md)
- [Attacks](tests/attacks/README.md)
- [Fuzzing](fuzz/README.md)
- [Architecture](ARCHITECTURE.md)
- [Contributing](CONTRIBUTING.md)
- [Security](SECURITY.md)
- [Packaging](packaging/README.md)
- [Releasing](RELEASING.md)
- [Changes](CHANGELOG.md)
"""


def copy_sources(folder: Path) -> None:
    """Copies the sources of the book to the folder."""
    ignore = shutil.ignore_patterns("*.py", "book.toml", "SUMMARY.md")
    shutil.copytree(ROOT / "docs", folder / "src/docs", ignore=ignore)
    for path in ["examples/shards", "benchmarks/recorded", "crates/engine/examples"]:
        shutil.copytree(ROOT / path, folder / "src" / path)
    title, pages = (ROOT / "docs/SUMMARY.md").read_text().split("\n\n", 1)
    summary = f"{title}\n\n{FIRST}{pages.replace('](', '](docs/')}{BEYOND}"
    for path in re.findall(r"\]\(([^)]+)\)", FIRST + BEYOND):
        (folder / "src" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, folder / "src" / path)
    # A README becomes its folder's first page, and links to it are not adapted; the list of pages is next to every
    # page.
    for readme in (folder / "src").glob("*/**/README.md"):
        readme.rename(readme.with_name("about.md"))
    for page in (folder / "src").rglob("*.md"):
        text = page.read_text().replace("/README.md)", "/about.md)")
        page.write_text(text.replace("docs/SUMMARY.md)", "docs/guides/first-steps.md)"))
    (folder / "src/SUMMARY.md").write_text(summary.replace("/README.md)", "/about.md)"))
    # Other files that the pages link to, such as tests.
    for page in list((folder / "src").rglob("*.md")):
        for link in re.findall(r"\]\(([^):#]+)", page.read_text()):
            copy = Path(os.path.normpath(page.parent / link))
            original = ROOT / os.path.relpath(copy, folder / "src")
            if original.is_file() and not copy.exists():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(original, copy)
    settings = (ROOT / "docs/book.toml").read_text()
    (folder / "book.toml").write_text(settings.replace('src = "."', 'src = "src"'))


def broken_links(book: Path) -> list[str]:
    """Returns the broken links."""
    links = []
    for page in sorted(book.rglob("*.html")):
        # All pages in one, with links relative to the top.
        if page.name in ("print.html", "404.html", "toc.html"):
            continue
        for link in re.findall(r'<(?:a|img)\b[^>]*?\b(?:href|src)="([^"]+)"', page.read_text()):
            path, _, anchor = unescape(link).partition("#")
            if re.match(r"[a-z]+:", path):
                continue
            target = page if not path else Path(os.path.normpath(page.parent / unquote(path)))
            if not target.exists():
                links.append(f"{page.relative_to(book)}: {link}")
            elif anchor and target.suffix == ".html" and f'id="{anchor}"' not in target.read_text():
                links.append(f"{page.relative_to(book)}: {link}: the page has no such anchor")
    return links


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    book = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        copy_sources(Path(scratch))
        subprocess.run([os.environ.get("MDBOOK", "mdbook"), "build", "-d", book, scratch], check=True)
    links = broken_links(book)
    for link in links:
        print(link, file=sys.stderr)
    pages = sum(1 for _ in book.rglob("*.html"))
    print(f"book: {pages} pages, {len(links)} broken links")
    return 1 if links or pages < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
