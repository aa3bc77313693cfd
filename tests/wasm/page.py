#!/usr/bin/env python3
"""Opens the page of examples/browser in headless Chromium, from a local file, and verifies intact and modified files with it.

usage: page.py FOLDER [PICTURES]

FOLDER is the output of examples/browser/build. With PICTURES, pictures of the page are saved in this folder. Exit status: 1 with a line
for each fault; 77 if the Python package playwright or a Chromium is missing (CHROMIUM, or the first of chromium, chromium-browser,
google-chrome on PATH).
"""

import hashlib
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import zlib

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    print("page.py: no Python package playwright (pip install playwright)")
    sys.exit(77)

# The page must not be larger, so that it can be sent as an attachment.
LIMIT = 900_000
BIG = 300 << 20
CONTENT = {"a.txt": b"alpha\n", "sub/b.bin": bytes(range(256)) * 5000, "sub/deep/c.txt": b"", "übung.txt": b"umlaut\n"}


def digest(content, name="sha256"):
    return hashlib.new(name, content).hexdigest()


def gnu(files):
    return "".join(f"{digest(content)}  {name}\n" for name, content in files.items())


def hashdeep(files):
    lines = "".join(f"{len(content)},{digest(content, 'md5')},{digest(content)},{name}\n" for name, content in files.items())
    return f"%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n## Invoked from: /\n##\n{lines}"


FORMATS = {
    "SHA256SUMS": gnu,
    "bsd.txt": lambda files: "".join(f"SHA256 ({name}) = {digest(content)}\n" for name, content in files.items()),
    "list.sfv": lambda files: "".join(f"{name} {zlib.crc32(content):08X}\n" for name, content in files.items()),
    "list.hashdeep": hashdeep,
    "list.json": lambda files: json.dumps([{"path": name, "size": len(content), "sha256": digest(content)}
                                           for name, content in files.items()]),
    "list.csv": lambda files: "".join(["path,size,sha256\n", *(f"{name},{len(content)},{digest(content)}\n"
                                                              for name, content in files.items())]),
    "windows.sha256": lambda files: gnu(files).replace("/", "\\").replace("\n", "\r\n"),
}


class Page:
    """The page, and the folder with the files that it verifies."""

    def __init__(self, page, address, folder):
        self.page, self.folder = page, folder
        self.devtools = page.context.new_cdp_session(page)
        page.goto(address)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def drop(self, *paths, zone="#file-zone"):
        """Drops files and folders like a file manager, so that the page can list folders."""
        box = self.page.locator(zone).bounding_box()
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + 10}
            self.devtools.send("Input.dispatchDragEvent", {"type": kind, "data": data, **place})

    def wait(self, condition):
        """Waits for a condition. The page does not allow playwright's way to wait, which evaluates text."""
        end = time.monotonic() + 60
        while not self.page.evaluate(condition):
            assert time.monotonic() < end, f"not within a minute: {condition}; {self.page.text_content('#result')!r}"
            time.sleep(0.01)

    def clear(self):
        self.page.click("#clear")
        self.page.select_option("#algorithm", "")

    def verify(self, files, manifests=(), pasted="", algorithm=""):
        """Starts anew with these files and manifests."""
        self.clear()
        if algorithm:
            self.page.select_option("#algorithm", algorithm)
        if manifests:
            self.page.set_input_files("#manifests", manifests)
        if pasted:
            self.page.fill("#pasted", pasted)
        self.drop(*files)

    def expect(self, verdict, *words, rows=None):
        """Waits for the result, and compares it and the rows with the expected ones."""
        state = "document.getElementById('result').dataset.verdict"
        self.wait(f"!['none', 'busy'].includes({state})")
        found = self.page.evaluate(state)
        text = self.page.text_content("#result")
        shown = text + "\n" + self.page.text_content("#notes")
        assert found == verdict, f"{found} instead of {verdict}: {shown!r}"
        assert text.startswith("Verified") == (verdict == "verified"), f"{verdict}: {text!r}"
        for word in words:
            assert word in shown, f"{verdict}: no {word!r} in {shown!r}"
        if rows is not None:
            row = "(row) => [row.cells[1].firstChild.data, row.dataset.status]"
            names = self.page.evaluate(f"[...document.querySelectorAll('tbody tr')].map({row})")
            assert dict(names) == rows, f"{verdict}: {names} instead of {rows}"


def check_formats(page):
    tree = page.folder / "formats"
    for name, content in CONTENT.items():
        page.write(f"formats/{name}", content)
    good = {name: "ok" for name in CONTENT}
    for name, text in FORMATS.items():
        manifest = page.write(f"manifests/{name}", text(CONTENT))
        page.verify([tree], [manifest])
        # Names keep the spelling of the manifest.
        rows = {key.replace("/", "\\") if name == "windows.sha256" else key: value for key, value in good.items()}
        page.expect("verified", "all 4 files match", rows=rows)
    # A manifest of the folder above, and one in the folder itself, which is found by its name.
    page.verify([tree], [page.write("above/SHA256SUMS", gnu({f"formats/{name}": content for name, content in CONTENT.items()}))])
    page.expect("verified", rows={f"formats/{name}": "ok" for name in CONTENT})
    page.write("formats/sub/SHA256SUMS", gnu({"b.bin": CONTENT["sub/b.bin"], "deep/c.txt": b""}))
    page.write("formats/SHA256SUMS", gnu({name: CONTENT[name] for name in ("a.txt", "übung.txt")}))
    page.verify([tree])
    page.expect("verified", "all 4 files match")
    assert "formats/sub/SHA256SUMS" in page.page.text_content("#manifest-list")


def check_faults(page):
    tree = page.folder / "faults"
    files = {"x/one": b"1", "x/two": b"22"}
    for name, content in files.items():
        page.write(f"faults/{name}", content)
    manifest = page.folder / "SHA256SUMS"

    def list_and_verify(text):
        page.write("SHA256SUMS", text)
        page.verify([tree], [manifest])

    list_and_verify(gnu({**files, "x/two": b"33"}))
    page.expect("failed", "1 file does not match", rows={"x/two": "failed", "x/one": "ok"})
    list_and_verify(gnu({**files, "x/three": b"333"}))
    page.expect("failed", "1 file in the manifest is missing", rows={"x/three": "missing", "x/one": "ok", "x/two": "ok"})
    list_and_verify(gnu(files) + "not a line\n")
    page.expect("incomplete", "1 malformed line", "line 3: not a checksum line", rows={"x/one": "ok", "x/two": "ok"})
    list_and_verify(gnu({"x/one": b"1"}))
    page.expect("incomplete", "1 file is not in the manifest", rows={"faults/x/two": "unlisted", "x/one": "ok"})
    list_and_verify("")
    page.expect("incomplete", "SHA256SUMS has no entries", rows={"faults/x/one": "unlisted", "faults/x/two": "unlisted"})
    list_and_verify("# only a comment\n")
    page.expect("incomplete", "has no entries")
    list_and_verify(gnu(files) + f"{digest(b'')}  ../outside\n{digest(b'')}  /etc/hostname\n")
    page.expect("incomplete", "2 files could not be verified",
                rows={"../outside": "unverifiable", "/etc/hostname": "unverifiable", "x/one": "ok", "x/two": "ok"})
    list_and_verify(gnu({"x/one": b"1"}) + "FANCY512 (x/two) = 0123456789abcdef0123456789abcdef\n")
    page.expect("incomplete", "malformed line", "FANCY512")
    list_and_verify(json.dumps([{"path": "x/one", "size": 2, "sha256": digest(b"1")}, {"path": "x/two", "sha256": digest(b"22")}]))
    page.expect("failed", rows={"x/one": "failed", "x/two": "ok"})
    list_and_verify("<html><p>404 Not Found</html>\n")
    page.expect("incomplete", "SHA256SUMS could not be read: this is a web page")
    # One of two manifests is empty, and both are complete.
    empty = page.write("more/empty.sha256", "")
    page.write("SHA256SUMS", gnu(files))
    page.verify([tree], [manifest, empty])
    page.expect("incomplete", "empty.sha256 has no entries", rows={"x/one": "ok", "x/two": "ok"})
    page.clear()
    page.drop(manifest, page.write("more/MD5SUMS", "".join(f"{digest(content, 'md5')}  {name}\n" for name, content in files.items())),
              zone="#manifest-zone")
    page.drop(tree)
    page.expect("verified", "md5 detects accidental damage, but not tampering")
    assert page.page.text_content("#manifest-list") == "SHA256SUMS, MD5SUMS"
    # A manifest whose digests are of another algorithm than the selected one.
    page.verify([tree], [manifest], algorithm="sha512")
    page.expect("incomplete", "malformed line")


def check_names(page):
    composed, decomposed = "é.txt", "e\u0301.txt"
    page.write(f"names/{decomposed}", b"accent")
    manifest = page.write("SHA256SUMS", gnu({composed: b"accent"}))
    page.verify([page.folder / "names"], [manifest])
    page.expect("verified", rows={composed: "ok"})
    # With both names in the manifest, one of the files is missing, although its content exists.
    page.write("SHA256SUMS", gnu({composed: b"accent", decomposed: b"accent"}))
    page.verify([page.folder / "names"], [manifest])
    page.expect("failed", "missing", rows={composed: "missing", decomposed: "ok"})
    # A name that HTML would interpret. Chromium leaves it out of a folder that was dropped on a local page.
    name = "<img src=x onerror=alert(1)>&amp;"
    file = page.write(f"hostile/{name}", b"")
    page.clear()
    page.page.set_input_files("#manifests", page.write("SHA256SUMS", gnu({name: b""})))
    page.page.set_input_files("#files", file)
    page.expect("verified", rows={name: "ok"})


def check_digests(page):
    content = bytes(range(251)) * 100_000
    whole, sha256 = page.write("whole.iso", content), digest(content)
    page.verify([whole])
    page.expect("digests", "Nothing to compare with", rows={"whole.iso": "digest"})
    assert sha256 in page.page.text_content("#good")
    for line in (sha256, sha256.upper(), f"  {sha256}  whole.iso", f"SHA256 (whole.iso) = {sha256}", f"sha256:{sha256}",
                 f"{sha256}  renamed.iso", f"{sha256} *whole.iso", digest(content, "sha512"), digest(content, "md5")):
        page.verify([whole], pasted=line)
        page.expect("verified", "the file matches")
    page.verify([whole], pasted=digest(content, "sha3_256"), algorithm="sha3-256")
    page.expect("verified")
    # One digit more or less, a different digit, no digest at all, a digest of another algorithm.
    for line in (sha256[:-1], sha256 + "0", "a signature", f"{sha256}\n{sha256}"):
        page.verify([whole], pasted=line)
        page.expect("incomplete", "malformed")
    for line in (sha256[:-1] + "0123456789abcdef"[int(sha256[-1], 16) ^ 1], digest(content, "sha3_256")):
        page.verify([whole], pasted=line)
        page.expect("failed", "does not match")
    page.verify([page.write("empty.iso", b"")], pasted=digest(b""))
    page.expect("verified")


def check_changes(page):
    """A file that changes between being selected and being read is not the one that was selected."""
    content = b"first"
    file = page.write("changing.iso", content)
    page.verify([file], pasted=digest(content))
    page.expect("verified")
    file.write_bytes(b"other")
    os.utime(file, (1, 1))
    page.page.fill("#pasted", digest(content) + " ")
    page.expect("incomplete", "1 file could not be verified", rows={"changing.iso": "unverifiable"})
    # The same content with another time: it was replaced.
    page.page.fill("#pasted", digest(b"other"))
    page.expect("incomplete", rows={"changing.iso": "unverifiable"})


def check_big(page):
    big = page.folder / "big.iso"
    with big.open("wb") as file:
        file.truncate(BIG)
    expected = digest(bytes(BIG))
    page.verify([big], pasted=expected)
    page.wait("document.getElementById('progress').value > 0 && document.getElementById('progress').value < 1")
    page.expect("verified")
    with big.open("r+b") as file:
        file.seek(BIG - 1)
        file.write(b"\1")
    page.verify([big], pasted=expected)
    page.expect("failed")
    # The file is replaced while it is read.
    page.verify([big], pasted=digest(bytes(BIG - 1) + b"\1"))
    page.wait("document.getElementById('progress').value > 0.1")
    os.utime(big, (1, 1))
    page.expect("incomplete", rows={"big.iso": "unverifiable"})
    big.unlink()


def check_choosing(page):
    """Files and folders that are chosen in a dialog."""
    manifest = page.write("chosen.sha256", gnu({"one": b"1", "in/two": b"2"}))
    for name, content in {"one": b"1", "in/two": b"2"}.items():
        page.write(f"chosen/{name}", content)
    page.clear()
    page.page.set_input_files("#manifests", manifest)
    page.page.set_input_files("#folder", page.folder / "chosen")
    page.expect("verified", rows={"one": "ok", "in/two": "ok"})
    page.clear()
    page.page.set_input_files("#manifests", page.write("one.sha256", gnu({"one": b"1"})))
    page.page.set_input_files("#files", page.folder / "chosen/one")
    page.expect("verified", rows={"one": "ok"})


def check_damaged(page, file):
    """A page whose module has a wrong digit verifies nothing."""
    text = file.read_text()
    at = text.index('id="module">') + 400_000
    damaged = page.write("damaged.html", text[:at] + ("0" if text[at] != "0" else "1") + text[at + 1:])
    page.page.goto(damaged.as_uri())
    page.verify([page.write("one.iso", b"1")], pasted=digest(b"1"))
    page.expect("incomplete", "this page is damaged")


def take_pictures(page, folder):
    folder.mkdir(parents=True, exist_ok=True)
    text = gnu({**CONTENT, "a.txt": b"changed", "lost/file with a rather long name in a folder.txt": b""}) + "not a line\n"
    page.write("pictures/SHA256SUMS", text)
    for case in ("empty", "mixed", "verified"):
        page.clear()
        if case != "empty":
            if case == "verified":
                page.write("pictures/SHA256SUMS", gnu(CONTENT))
            for name in ("formats/sub/SHA256SUMS", "formats/SHA256SUMS"):
                (page.folder / name).unlink(missing_ok=True)
            if case == "mixed":
                page.write("formats/extra.txt", b"")
            else:
                (page.folder / "formats/extra.txt").unlink()
            page.verify([page.folder / "formats"], [page.folder / "pictures/SHA256SUMS"])
            page.expect("failed" if case == "mixed" else "verified")
        for scheme in ("light", "dark"):
            page.page.emulate_media(color_scheme=scheme)
            for width in (360, 1100):
                page.page.set_viewport_size({"width": width, "height": 800})
                page.page.screenshot(path=folder / f"{case}-{scheme}-{width}.png", full_page=True)
        page.page.set_viewport_size({"width": 1280, "height": 720})


def run(built, pictures):
    chromium = os.environ.get("CHROMIUM") or next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not chromium:
        print("page.py: no Chromium")
        sys.exit(77)
    file = (built / "truesum.html").resolve()
    assert file.stat().st_size < LIMIT, f"the page has {file.stat().st_size} bytes, and not less than {LIMIT}"
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as files:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page()
        faults, requests = [], []
        tab.on("pageerror", lambda error: faults.append(str(error)))
        tab.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        tab.on("request", lambda request: requests.append(request.url))
        page = Page(tab, file.as_uri(), pathlib.Path(files))
        for check in (check_formats, check_faults, check_names, check_digests, check_changes, check_big, check_choosing):
            check(page)
        if pictures:
            take_pictures(page, pictures)
        check_damaged(page, file)
        assert not faults, faults
        outside = [url for url in requests if not url.startswith(("file:", "blob:", "data:"))]
        assert not outside, outside
        browser.close()
    print("page: files, folders, manifests and digests are verified, and faults are reported")


if len(sys.argv) not in (2, 3):
    print(__doc__.split("\n\n")[1])
    sys.exit(2)
try:
    run(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else None)
except AssertionError as fault:
    print(f"page.py: {fault}")
    sys.exit(1)
