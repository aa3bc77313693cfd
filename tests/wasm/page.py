#!/usr/bin/env python3
"""Opens the page of examples/browser in headless Chromium and checks intact and modified files with it.

usage: page.py FOLDER

FOLDER is the output of examples/browser/build. Exit status: 1 with a line for each fault; 77 if the Python package playwright or a
Chromium is missing (CHROMIUM, or the first of chromium, chromium-browser, google-chrome on PATH).
"""

import functools
import hashlib
import http.server
import os
import pathlib
import shutil
import sys
import tempfile
import threading

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    print("page.py: no Python package playwright (pip install playwright)")
    sys.exit(77)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def verdict(page, wanted, *words):
    """Waits until the page has this verdict and its text contains these words."""
    page.wait_for_function(f"result.dataset.verdict === '{wanted}' && !result.textContent.startsWith('Reading')", timeout=60_000)
    text = page.text_content("#result")
    for word in words:
        assert word in text, f"{wanted}: no {word!r} in {text!r}"


def check(page, folder):
    whole = folder / "whole.iso"
    content = bytes(range(251)) * 100_000
    whole.write_bytes(content)
    sha256 = hashlib.sha256(content).hexdigest()

    page.set_input_files("#file", whole)
    verdict(page, "none", sha256, f"{len(content)} bytes", "Nothing to compare")
    for line in (sha256, sha256.upper(), f"  {sha256}  whole.iso", f"SHA256 (whole.iso) = {sha256}", f"sha256:{sha256}"):
        page.fill("#expected", "")
        verdict(page, "none")
        page.fill("#expected", line)
        verdict(page, "match", sha256)
    # One digit more or less, a different digit, no digest at all: none of these is a match.
    page.fill("#expected", sha256[:-1])
    verdict(page, "failure", "nothing was compared")
    page.fill("#expected", sha256[:-1] + "0123456789abcdef"[int(sha256[-1], 16) ^ 1])
    verdict(page, "mismatch", sha256)
    page.fill("#expected", "a signature")
    verdict(page, "failure", "nothing was compared")

    # The length of a digest selects the usual algorithm, and an explicit selection takes precedence.
    for name in ("sha512", "sha1", "md5"):
        page.fill("#expected", hashlib.new(name, content).hexdigest())
        verdict(page, "match", f"{name} of whole.iso")
    page.select_option("#algorithm", "sha3-256")
    page.fill("#expected", hashlib.sha3_256(content).hexdigest())
    verdict(page, "match", "sha3-256 of whole.iso")

    # A different file with the same expected digest, one byte of which differs; and one without a digest.
    page.select_option("#algorithm", "sha256")
    page.fill("#expected", sha256)
    damaged = folder / "damaged.iso"
    damaged.write_bytes(content[:-1] + b"\0")
    page.set_input_files("#file", damaged)
    verdict(page, "mismatch", "damaged.iso")
    empty = folder / "empty.iso"
    empty.touch()
    page.set_input_files("#file", empty)
    verdict(page, "mismatch", "empty.iso (0 bytes)")
    page.fill("#expected", hashlib.sha256(b"").hexdigest())
    verdict(page, "match", "empty.iso (0 bytes)")

    # A file that changes between being selected and being read is not the file that was selected.
    page.fill("#expected", sha256)
    page.set_input_files("#file", whole)
    verdict(page, "match")
    with whole.open("ab") as file:
        file.write(b"more")
    os.utime(whole, (1, 1))
    page.select_option("#algorithm", "sha512")
    verdict(page, "failure", "could not be checked")
    assert "match" not in page.text_content("#result").lower().replace("does not match", "")


def run(folder):
    chromium = os.environ.get("CHROMIUM") or next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not chromium:
        print("page.py: no Chromium")
        sys.exit(77)
    handler = functools.partial(Quiet, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/index.html"
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as files:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        # With SIMD, and like a browser without it, for which the module is invalid.
        for vectors in (True, False):
            page = browser.new_page()
            faults = []
            page.on("pageerror", lambda error: faults.append(str(error)))
            fetched = []
            page.on("request", lambda request: fetched.append(request.url.rsplit("/", 1)[1]))
            if not vectors:
                page.route("**/truesum-simd128.wasm", lambda route: route.fulfill(body=b"\0asm\1\0\0\0\xff"))
            page.goto(address)
            check(page, pathlib.Path(files))
            assert not faults, faults
            assert ("truesum.wasm" in fetched) != vectors, fetched
            page.close()
        browser.close()
    print("page: matches, mismatches and failures are reported correctly, with and without SIMD")


if len(sys.argv) != 2:
    print(__doc__.split("\n\n")[1])
    sys.exit(2)
try:
    run(sys.argv[1])
except AssertionError as fault:
    print(f"page.py: {fault}")
    sys.exit(1)
