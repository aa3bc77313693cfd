#!/usr/bin/env python3
"""Tests a program that reads object stores with a real S3 server, through a proxy that injects faults.

usage: stores.py TRUESUM [--objects N] [--only NAME]

Objects are written by boto3, which is independent. The server is built with Go once and kept (`servers.py`); if that is
not possible, this is reported and the exit status is 0, unless TRUESUM_ORACLES=all and Go is available. N objects are
hashed and checked, 2,000 by default. The substitutes for the other services, `google` and `azure`, are tested only if
they are named.
"""

import argparse
import base64
import concurrent.futures
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib

import commands
import servers
from bench import MIB, SECRET, Bench, Failed, check, random_bytes

NAMES = ["plain", "a b", "plus+sign", "per%41cent", "ünïcødé", "new\nline", "back\\slash", "-dash", "star*?[x]", "a.txt",
         "a-/b", "sub/deep/er/file", "%2e%2e", "quote\"'&<>", "trailing ", " leading", "semi;colon=x&y", "a~b", "日本"]


def same_tree(bench):
    """A manifest of a folder and of the same objects are identical, and each checks the other."""
    tree, bucket = bench.folder / "tree", bench.bucket("tree")
    files = {name: random_bytes(index * 37, index) for index, name in enumerate(NAMES)}
    files |= {"zero": b"", "big/5MiB": random_bytes(5 * MIB), "big/20MiB+1": random_bytes(20 * MIB + 1), "big/4MiB": random_bytes(4 * MIB, 2),
              "big/4MiB+1": random_bytes(4 * MIB + 1, 3), "big/8MiB-1": random_bytes(8 * MIB - 1, 4)}
    for name, body in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        if len(body) > 5 * MIB:
            bench.multipart(bucket, "p/" + name, body)
        else:
            bench.put(bucket, "p/" + name, body)
    bench.put(bucket, "p2/other", b"not below p/")
    bench.put(bucket, "p/folder/", b"")
    for algorithms in ("sha256", "md5,blake3,crc32c", "s3-etag;part=5MiB"):
        # Both use -o, so that names are relative in both.
        status, _, err = bench.run("hash", "-a", algorithms, "-t", "bsd", "-o", "../LOCAL", "--root", tree, ".", cwd=tree)
        check("hashing the folder", status == 0, err)
        status, _, err = bench.run("hash", "-a", algorithms, "-t", "bsd", "-o", "STORE", f"s3://{bucket}/p")
        check("hashing the store", status == 0, err)
        local, store = (bench.folder / name for name in ("LOCAL", "STORE"))
        check("manifests differ", local.read_bytes() == store.read_bytes(), local.read_text(), store.read_text())
        store.unlink()
    for words in (["--root", f"s3://{bucket}/p"], ["--exact", "--root", f"s3://{bucket}/p/"], ["--root", tree]):
        status, out, err = bench.run("check", *words, "LOCAL")
        check(f"check {words}", status == 0 and out.count(": OK\n") == len(files), status, out, err)
    digest = hashlib.sha256(files["plain"]).hexdigest()
    status, out, err = bench.run("hash", f"s3://{bucket}/p/plain")
    check("one object has the name of its last part", (status, out) == (0, f"{digest}  plain\n"), out, err)
    status, out, err = bench.run("check", "--expect", digest, f"s3://{bucket}/p/plain")
    check("one object and one digest", status == 0 and out == "plain: OK\n", out, err)


def differences_are_reported(bench):
    bucket = bench.bucket("differs")
    for name in ("good", "bad", "gone", "more"):
        bench.put(bucket, name, name.encode())
    status, _, err = bench.run("hash", "-o", "D", f"s3://{bucket}")
    check("hashing", status == 0, err)
    bench.put(bucket, "bad", b"BAD")
    bench.s3.delete_object(Bucket=bucket, Key="gone")
    bench.put(bucket, "new", b"new")
    status, out, err = bench.run("check", "--exact", "--root", f"s3://{bucket}", "D")
    check("verdicts", status == 1, status, out, err)
    for line in ("good: OK\n", "bad: FAILED\n", "gone: MISSING\n", "not in the manifest: new\n"):
        check(f"no {line!r}", line in out + err, out, err)
    (bench.folder / "OUT").write_text(f"{'0' * 64}  ../differs/good\n{'0' * 64}  /etc/passwd\n{'0' * 64}  a/../good\n")
    status, out, err = bench.run("check", "--root", f"s3://{bucket}/p", "OUT")
    check("names that lead out", status == 1 and out.count("UNREADABLE") == 3, status, out, err)
    status, out, err = bench.run("hash", f"s3://{bucket}/nothing/here")
    check("nothing there", status == 1 and "no such object or prefix" in err and out == "", status, out, err)
    status, out, err = bench.run("check", "--root", "s3://no-such-bucket", "D")
    check("no bucket is not missing files", status == 1 and "NoSuchBucket" in out and "MISSING" not in out, status, out, err)


def many_objects(bench):
    """Pages of a listing, and many small objects at once."""
    bucket, count = bench.bucket("many"), bench.objects
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda i: bench.put(bucket, f"d{i % 7}/{i:06}", str(i).encode()), range(count)))
    start = time.monotonic()
    status, _, err = bench.run("hash", "-o", "MANY", f"s3://{bucket}")
    seconds = time.monotonic() - start
    lines = (bench.folder / "MANY").read_text().splitlines()
    expected = sorted(f"d{i % 7}/{i:06}" for i in range(count))
    check("names", status == 0 and [line.split("  ")[1] for line in lines] == expected, err, len(lines))
    digests = {line.split("  ")[1]: line.split("  ")[0] for line in lines}
    check("digests", all(digests[f"d{i % 7}/{i:06}"] == hashlib.sha256(str(i).encode()).hexdigest() for i in range(count)))
    status, out, err = bench.run("check", "-q", "--exact", "--root", f"s3://{bucket}", "MANY")
    check("check", (status, out) == (0, ""), out, err)
    bench.note = f"{count} objects hashed in {seconds:.1f} s"


def truncated_listings(bench):
    """An incomplete listing is a failure, and no manifest is written of its beginning."""
    bucket = bench.bucket("cut")
    keys = [f"{i:02}" for i in range(9)]
    etags = {key: bench.put(bucket, key, key.encode())["ETag"] for key in keys}

    def page(keys, token=None, truncated=None):
        entries = "".join(f"<Contents><Key>{key}</Key><Size>2</Size><ETag>{etags[key]}</ETag></Contents>" for key in keys)
        next_token = f"<NextContinuationToken>{token}</NextContinuationToken>" if token else ""
        truncated = str(bool(token) if truncated is None else truncated).lower()
        return f"<ListBucketResult><IsTruncated>{truncated}</IsTruncated>{entries}{next_token}</ListBucketResult>".encode()

    def pages(answers):
        """Returns the listing as these pages, by the token that requests each one."""
        def fault(request):
            if "list-type=" not in request.path:
                return None
            token = request.path.split("continuation-token=")[1].split("&")[0] if "continuation-token=" in request.path else ""
            answer = answers[token]
            return answer if isinstance(answer, tuple) else (200, [], answer)
        return fault

    pages_by_token = {"": page(keys[:3], "a"), "a": page(keys[3:6], "b"), "b": page(keys[6:])}
    bench.proxy.fault = pages(pages_by_token)
    status, out, err = bench.run("hash", f"s3://{bucket}", url=bench.proxy.url)
    check("three pages", status == 0 and [line.split("  ")[1] for line in out.splitlines()] == keys, out, err)
    for description, faulty_pages in {
        "more, and no token": pages_by_token | {"a": page(keys[3:6], None, True)},
        "a token, and no more": pages_by_token | {"a": page(keys[3:6], "b", False)},
        "XML that ends early": pages_by_token | {"b": page(keys[6:])[:-30]},
        "an empty page": pages_by_token | {"b": b""},
        "a page that is refused": pages_by_token | {"b": (403, [], b"<Error><Code>AccessDenied</Code></Error>")},
        "a page that fails": pages_by_token | {"b": (500, [], b"")},
        "the same page again": pages_by_token | {"a": page(keys[3:6], "a")},
        "a circle of pages": pages_by_token | {"b": page(keys[6:], "a")},
    }.items():
        bench.proxy.reset()
        bench.proxy.fault = pages(faulty_pages)
        status, out, err = bench.run("hash", "-o", "CUT", f"s3://{bucket}", url=bench.proxy.url, TRUESUM_STORE_ATTEMPTS="2")
        check(f"{description}: a failure", status == 1 and f"s3://{bucket}/: cannot list" in err, status, out, err)
        check(f"{description}: no manifest", not (bench.folder / "CUT").exists())
        manifest = "".join(f"{hashlib.sha256(key.encode()).hexdigest()}  {key}\n" for key in keys)
        (bench.folder / "WHOLE").write_text(manifest)
        status, out, err = bench.run("check", "--exact", "--root", f"s3://{bucket}", "WHOLE", url=bench.proxy.url, TRUESUM_STORE_ATTEMPTS="2")
        check(f"{description}: not exact", status not in (0, None), status, out, err)


def answers_without_version(bench):
    """A service that provides an ETag in its listing and none with the bytes could send those of another version."""
    bucket = bench.bucket("unsaid")
    bench.put(bucket, "small", b"small")
    bench.put(bucket, "large", random_bytes(9 * MIB))
    bench.run("hash", "-o", "UNSAID", f"s3://{bucket}")
    bench.proxy.alter = lambda answer: answer.set("ETag", None)
    status, out, err = bench.run("hash", f"s3://{bucket}", url=bench.proxy.url)
    check("no digest", status == 1 and out == "" and err.count("does not specify the object's version") == 2, status, out, err)
    # A single response with all of an object belongs to one version, and a check requires no other.
    status, out, err = bench.run("check", "--root", f"s3://{bucket}", "UNSAID", url=bench.proxy.url)
    check("check", status == 1 and "small: OK" in out and "large: UNREADABLE" in out, status, out, err)


def busy_services(bench):
    """If a service rejects some requests, they are repeated; if it rejects all, its status is reported."""
    bucket = bench.bucket("busy")
    body = random_bytes(30 * MIB)
    for i in range(60):
        bench.put(bucket, f"{i:02}", str(i).encode())
    bench.multipart(bucket, "big", body)
    status, expected, err = bench.run("hash", f"s3://{bucket}")
    check("without faults", status == 0 and hashlib.sha256(body).hexdigest() in expected, err)
    slow = (503, [("Retry-After", "0")], b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>")
    bench.proxy.fault = lambda _: slow if len(bench.proxy.requests) % 4 == 0 else None
    status, out, err = bench.run("hash", f"s3://{bucket}", url=bench.proxy.url)
    check("every fourth is refused", (status, out) == (0, expected), status, err)
    bench.proxy.fault = lambda request: (500, [], b"") if request.is_read and len(bench.proxy.requests) % 5 == 0 else None
    status, out, err = bench.run("hash", f"s3://{bucket}", url=bench.proxy.url)
    check("every fifth fails", (status, out) == (0, expected), status, err)
    bench.proxy.fault = lambda request: slow if request.path.endswith("/07") else None
    status, out, err = bench.run("hash", f"s3://{bucket}", url=bench.proxy.url, TRUESUM_STORE_ATTEMPTS="3")
    check("one is always refused", status == 1 and out == "".join(l for l in expected.splitlines(True) if not l.endswith("  07\n")), out, err)
    check("its name, status and cause", all(w in err for w in ("07: ", "503", "SlowDown", "after 3 attempts")), err)
    bench.proxy.fault = lambda _: slow
    status, out, err = bench.run("hash", f"s3://{bucket}", url=bench.proxy.url, TRUESUM_STORE_ATTEMPTS="2")
    check("all are refused", status == 1 and out == "" and "503" in err, status, out, err)


def wrong_bodies(bench):
    """Bodies that are truncated or have another length than announced are requested again, and never hashed."""
    bucket = bench.bucket("lies")
    for name, body in (("small", random_bytes(1000)), ("big", random_bytes(30 * MIB))):
        bench.put(bucket, name, body)
    status, expected, err = bench.run("hash", f"s3://{bucket}")
    check("without faults", status == 0, err)
    bench.run("hash", "-o", "LIES", f"s3://{bucket}")

    def cut(answer):
        answer.sent = len(answer.body) // 2

    def shorter(answer):
        answer.body = answer.body[:-7]
        answer.set("Content-Length", str(len(answer.body)))

    def shorter_with_matching_range(answer):
        shorter(answer)
        first, remainder = answer.get("Content-Range").split("-")
        last, size = remainder.split("/")
        answer.set("Content-Range", f"{first}-{int(last) - 7}/{int(size) - 7}")

    def longer(answer):
        answer.body += b"more"
        answer.set("Content-Length", str(len(answer.body)))

    def unlabeled(answer):
        answer.status = 200
        answer.headers = [(n, v) for n, v in answer.headers if n.lower() != "content-range"]
        answer.body = answer.body[:500]
        answer.set("Content-Length", "500")

    def without_length(answer):
        answer.status = 200
        answer.set("Content-Range", None)
        answer.set("Content-Length", None)
        answer.sent = len(answer.body) // 2

    def wrong_range(answer):
        answer.set("Content-Range", "bytes 1-" + answer.get("Content-Range").split("-")[1])

    def first_time(ranges, range_header):
        return range_header not in ranges and not ranges.add(range_header)

    for alteration in (cut, shorter, shorter_with_matching_range, longer, unlabeled, without_length, wrong_range):
        # All requests during this time.
        bench.proxy.reset()
        bench.proxy.alter = alteration
        status, out, err = bench.run("hash", f"s3://{bucket}", url=bench.proxy.url)
        check(f"{alteration.__name__}: no digest", status == 1 and out == "" and "small: cannot read: " in err and "big: " in err, out, err)
        status, out, err = bench.run("check", "--root", f"s3://{bucket}", "LIES", url=bench.proxy.url)
        check(f"{alteration.__name__}: nothing verified", status == 1 and ": OK" not in out, out, err)
        check(f"{alteration.__name__}: nothing compared", alteration is not without_length or "FAILED" not in out, out, err)
        # The first response with each range.
        bench.proxy.reset()
        ranges = set()
        bench.proxy.alter = lambda answer, alteration=alteration, ranges=ranges: first_time(ranges, answer.get("Content-Range")) and alteration(answer)
        status, out, err = bench.run("hash", f"s3://{bucket}", url=bench.proxy.url)
        check(f"{alteration.__name__}: a single fault is retried", (status, out) == (0, expected), out, err)


def replaced_objects(bench):
    """An object that is overwritten between listing and read, or between two ranges, is reported as changed and has no
    digest."""
    bucket = bench.bucket("replaced")
    old, new = random_bytes(40 * MIB, 1), random_bytes(40 * MIB, 2)

    def replacing(after, keeps_condition):
        reads = []

        def fault(request):
            if not keeps_condition:
                request.headers = {n: v for n, v in request.headers.items() if n.lower() not in ("if-match", "authorization")}
            if request.is_read:
                reads.append(request)
                if len(reads) == after:
                    bench.put(bucket, "big", new)
        return fault

    for after in (1, 3):
        bench.put(bucket, "big", old)
        bench.run("hash", "-o", "OLD", f"s3://{bucket}")
        for command in (["hash", f"s3://{bucket}"], ["check", "--root", f"s3://{bucket}", "OLD"]):
            bench.put(bucket, "big", old)
            bench.proxy.reset()
            bench.proxy.fault = replacing(after, True)
            status, out, err = bench.run(*command, url=bench.proxy.url)
            # A check that begins after it was replaced reads the new version completely.
            if command[0] == "check" and after == 1:
                check("the new one", status == 1 and "big: FAILED" in out, out, err)
                continue
            check(f"{command[0]} after {after}", status == 1 and "overwritten" in out + err, status, out, err)
            check("no digest", command[0] == "check" or out == "", out)
            check("the word", command[0] == "hash" or "CHANGED" in out, out)

    # A service that ignores the condition: the ETag of the response reveals it.
    bench.put(bucket, "big", old)
    etag = bench.s3.head_object(Bucket=bucket, Key="big")["ETag"]
    bench.proxy.reset()
    reads = []

    def other_version(answer):
        reads.append(answer)
        if len(reads) > 2:
            answer.set("ETag", '"00000000000000000000000000000000"')
    bench.proxy.alter = other_version
    status, out, err = bench.run("hash", f"s3://{bucket}", url=bench.proxy.url)
    check(f"another ETag than {etag}", status == 1 and out == "" and "another version" in err, status, out, err)


def silent_services(bench):
    """A service that does not respond is given up with a message; and a signal is handled during the wait."""
    bucket = bench.bucket("silent")
    bench.put(bucket, "a", b"a")
    bench.proxy.fault = lambda request: time.sleep(30)
    start = time.monotonic()
    status, out, err = bench.run("hash", f"s3://{bucket}", url=bench.proxy.url, TRUESUM_STORE_TIMEOUT="1", TRUESUM_STORE_ATTEMPTS="2")
    check("a message", status == 1 and out == "" and "did not respond for 1 s, after 2 attempts" in err, status, out, err)
    check("in time", time.monotonic() - start < 10)
    env = dict(os.environ, AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY=SECRET, AWS_ENDPOINT_URL=bench.proxy.url)
    run = subprocess.Popen([bench.program, "hash", f"s3://{bucket}"], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1)
    run.send_signal(signal.SIGINT)
    start = time.monotonic()
    out, err = run.communicate(timeout=20)
    check("interrupted", run.returncode in (130, -2) and out == b"", run.returncode, err)
    check("soon", time.monotonic() - start < 5, time.monotonic() - start)
    status, out, err = bench.run("hash", f"s3://{bucket}", url="http://127.0.0.1:9", TRUESUM_STORE_ATTEMPTS="1")
    check("nobody listens", status == 1 and "Connection refused" in err, status, err)


def credentials(bench):
    """Credentials from environment and profiles; wrong ones are rejected with a message that does not contain any."""
    bucket = bench.bucket("credentials")
    bench.put(bucket, "a", b"a")
    digest = hashlib.sha256(b"a").hexdigest()
    wrong_secret = "this-is-not-the-secret"
    status, out, err = bench.run("hash", f"s3://{bucket}", AWS_SECRET_ACCESS_KEY=wrong_secret)
    check("wrong secret", status == 1 and out == "" and "403" in err and "SignatureDoesNotMatch" in err, status, out, err)
    check("it is not shown", wrong_secret not in err, err)
    status, out, err = bench.run("hash", f"s3://{bucket}", AWS_ACCESS_KEY_ID="nobody")
    # The server returns 404 here, and S3 returns 403.
    check("wrong key", status == 1 and out == "" and "the service returned 40" in err and "ccess" in err, status, out, err)
    (bench.folder / ".aws").mkdir()
    (bench.folder / ".aws" / "credentials").write_text(f"[lab]\naws_access_key_id = test\naws_secret_access_key = {SECRET}\n")
    (bench.folder / ".aws" / "config").write_text(f"[profile lab]\nregion = us-east-1\nendpoint_url = {bench.server.url}\n")
    none = {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}
    status, out, err = bench.run("hash", f"s3://{bucket}", AWS_PROFILE="lab", **(none | {"AWS_ENDPOINT_URL": None}))
    check("a profile", (status, out) == (0, f"{digest}  a\n"), status, out, err)
    status, out, err = bench.run("hash", f"s3://{bucket}", AWS_PROFILE="none", **none)
    check("no such profile", status == 2 and "there is no profile none" in err, status, err)
    (bench.folder / ".aws" / "credentials").unlink()
    (bench.folder / ".aws" / "config").unlink()


def stored_checksums(bench):
    """What the service stored is compared without reading, and read if there is no stored checksum."""
    bucket, body = bench.bucket("stored"), random_bytes(12 * MIB)
    small = b"123456789"
    # The last two are the check values in the catalogue of CRCs: the server computes its own, and rejects an object
    # with a different one.
    values = {"SHA256": hashlib.sha256(small).digest(), "SHA1": hashlib.sha1(small).digest(), "CRC32": zlib.crc32(small).to_bytes(4, "big"),
              "CRC32C": bytes.fromhex("e3069283"), "CRC64NVME": bytes.fromhex("ae8b14860a799888")}
    for algorithm, value in values.items():
        bench.put(bucket, algorithm.lower(), small, **{f"Checksum{algorithm}": base64.b64encode(value).decode()})
    bench.multipart(bucket, "etag", body)
    bench.multipart(bucket, "composite", body, ChecksumAlgorithm="SHA256")
    url = f"s3://{bucket}"
    for name in ("sha256", "sha1", "crc32", "crc32c", "crc64nvme", "md5"):
        key = "sha256" if name == "md5" else name
        status, line, err = bench.run("hash", "-a", name, "--tag", f"{url}/{key}")
        check("hashing", status == 0, err)
        (bench.folder / "ONE").write_text(line)
        status, out, err = bench.run("check", "--stored", "--root", url, "ONE")
        check(name, (status, out) == (0, f"{key}: AGREES (stored checksum {name}; object not read)\n"), status, out, err)
        check("not called verified", "verified" not in out + err and "without reading" in err, err)
    for key, spec in (("etag", "s3-etag;part=5MiB"), ("composite", "s3-sha256;part=5MiB")):
        status, line, err = bench.run("hash", "-a", spec, "--tag", f"{url}/{key}")
        check("hashing", status == 0, err)
        (bench.folder / "ONE").write_text(line)
        bench.proxy.reset()
        status, out, err = bench.run("check", "--stored", "--root", url, "ONE", url=bench.proxy.url)
        check(spec, status == 0 and out.startswith(f"{key}: AGREES"), status, out, err)
        check("nothing was read", not any(request.is_read for request in bench.proxy.requests))
        wrong_line = line.replace(line.split(" = ")[1][:8], "00000000")
        (bench.folder / "ONE").write_text(wrong_line)
        status, out, err = bench.run("check", "--stored", "--root", url, "ONE")
        check(f"{spec}, another digest", status == 1 and f"{key}: DIFFERS" in out, status, out, err)
        status, other, err = bench.run("hash", "-a", spec.replace("5MiB", "6MiB"), "--tag", f"{url}/{key}")
        (bench.folder / "ONE").write_text(other)
        status, out, err = bench.run("check", "--stored", "--root", url, "ONE")
        check(f"{spec}, other parts", status == 2 and f"{key}: NOT COMPARED" in out, status, out, err)
        status, out, err = bench.run("check", "--stored", "--read", "--root", url, "ONE")
        check(f"{spec}, read", status == 0 and f"{key}: OK" in out, status, out, err)
    (bench.folder / "ONE").write_text(f"SHA256 (sha256) = {'0' * 64}\nSHA256 (none) = {'0' * 64}\n")
    status, out, err = bench.run("check", "--stored", "--root", url, "ONE")
    check("differs, missing", status == 1 and "sha256: DIFFERS" in out and "none: MISSING" in out, status, out, err)
    (bench.folder / "ONE").write_text(f"SHA256 (crc32) = {hashlib.sha256(small).hexdigest()}\n")
    status, out, err = bench.run("check", "--stored", "--root", url, "ONE")
    check("another kind of checksum", status == 2 and "crc32: NOT COMPARED (the object store has only crc32" in out, status, out, err)
    status, out, err = bench.run("check", "--stored", "--root", "s3://no-such-bucket", "ONE")
    check("no bucket", status == 1 and "NoSuchBucket" in out and "MISSING" not in out, status, out, err)
    (bench.folder / "sha256").write_bytes(small)
    status, _, err = bench.run("hash", "-t", "torrent", "-o", "ONE.torrent", "sha256")
    check("a torrent", status == 0, err)
    status, out, err = bench.run("check", "--stored", "--root", url, "ONE.torrent")
    check("pieces", status == 2 and "piece digests" in err and "AGREES" not in out, status, out, err)
    status, out, err = bench.run("check", "--root", url, "ONE.torrent")
    check("pieces are not read", status == 1 and "UNREADABLE" in out and "OK" not in out, status, out, err)
    (bench.folder / "sha256").unlink()
    status, out, err = bench.run("check", "--stored", "ONE")
    check("of files there are none", status == 2, status, out, err)


def without_versions(bench):
    """Objects for which the service provides no ETag are read with a single request, or not at all."""
    bucket = bench.bucket("plain")
    folder = bench.folder / "server" / "data" / bucket
    (folder / "small").write_bytes(b"small")
    (folder / "large").write_bytes(random_bytes(9 * MIB))
    status, out, err = bench.run("hash", f"s3://{bucket}")
    check("the small one", status == 1 and out == f"{hashlib.sha256(b'small').hexdigest()}  small\n", status, out, err)
    check("the large one", "large: cannot read: the service reports no version" in err, err)


def google(_bench, program, folder):
    """The same for Google's service, with a substitute."""
    server = servers.Server([program, "-scheme", "http", "-host", "127.0.0.1", "-port", "PORT", "-backend", "memory",
                             "-external-url", "http://127.0.0.1:PORT"], ready="/storage/v1/b")
    bench = OtherService(_bench, {"STORAGE_EMULATOR_HOST": server.url})
    import urllib.request

    def post(path, body, kind):
        request = urllib.request.Request(server.url + path, data=body, headers={"Content-Type": kind}, method="POST")
        urllib.request.urlopen(request, timeout=20).close()
    try:
        post("/storage/v1/b?project=x", b'{"name":"bucket"}', "application/json")
        for name, body in bench.files.items():
            from urllib.parse import quote
            post(f"/upload/storage/v1/b/bucket/o?uploadType=media&name={quote('p/' + name, safe='')}", body, "application/octet-stream")
        bench.run_tests("gs://bucket/p", "md5")
    finally:
        server.stop()


def azure(_bench, program, folder):
    """The same for Azure's service, with its own emulator."""
    import base64 as b64
    import datetime
    import hmac
    import urllib.request
    from urllib.parse import quote
    server = servers.Server([program, "--blobHost", "127.0.0.1", "--blobPort", "PORT", "--location", folder / "azurite", "--silent",
                             "--skipApiVersionCheck"])
    account, key = "devstoreaccount1", servers.AZURITE_KEY
    line = f"DefaultEndpointsProtocol=http;AccountName={account};AccountKey={key};BlobEndpoint={server.url}/{account}"
    bench = OtherService(_bench, {"AZURE_STORAGE_CONNECTION_STRING": line})

    def put(path, body, query=None, **extra_headers):
        date = datetime.datetime.now(datetime.timezone.utc).strftime("%a, %d %b %Y %H:%M:%S GMT")
        headers = {"x-ms-date": date, "x-ms-version": "2023-11-03", **extra_headers}
        length = str(len(body)) if body else ""
        header_lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
        parameters = "".join(f"\n{name}:{value}" for name, value in sorted((query or {}).items()))
        words = f"PUT\n\n\n{length}\n\napplication/octet-stream\n\n\n\n\n\n\n{header_lines}/{account}/{account}/{path}{parameters}"
        sign = b64.b64encode(hmac.new(b64.b64decode(key), words.encode(), "sha256").digest()).decode()
        headers |= {"Authorization": f"SharedKey {account}:{sign}", "Content-Type": "application/octet-stream"}
        search = "?" + "&".join(f"{n}={v}" for n, v in query.items()) if query else ""
        request = urllib.request.Request(f"{server.url}/{account}/{path}{search}", data=body, headers=headers, method="PUT")
        urllib.request.urlopen(request, timeout=20).close()
    try:
        put("container", b"", {"restype": "container"})
        for name, body in bench.files.items():
            put(f"container/{quote('p/' + name)}", body, **{"x-ms-blob-type": "BlockBlob"})
        bench.run_tests("az://container/p", "md5")
    finally:
        server.stop()


class OtherService:
    """Tests of services other than the first."""

    files = {"a": b"a", "empty": b"", "sub/b c+%41": b"b" * 1000, "big": random_bytes(10 * MIB)}

    def __init__(self, bench, environment):
        self.bench, self.environment = bench, environment

    def run_tests(self, url, stored_algorithm):
        run = lambda *words: self.bench.run(*words, **self.environment)
        status, out, err = run("hash", url)
        expected = "".join(f"{hashlib.sha256(body).hexdigest()}  {name}\n" for name, body in sorted(self.files.items()))
        check("digests", (status, out) == (0, expected), status, out, err)
        (self.bench.folder / "M").write_text(expected)
        status, out, err = run("check", "--exact", "--root", url, "M")
        check("check", status == 0 and out.count(": OK\n") == len(self.files), status, out, err)
        lines = "".join(f"{hashlib.new(stored_algorithm, body).hexdigest()}  {name}\n" for name, body in sorted(self.files.items()))
        (self.bench.folder / "M").write_text(lines)
        status, out, err = run("check", "--stored", "--root", url, "M")
        check("stored", status == 0 and out.count(": AGREES") == len(self.files), status, out, err)
        local = self.bench.folder / "other"
        for name, body in self.files.items():
            (local / name).parent.mkdir(parents=True, exist_ok=True)
            (local / name).write_bytes(body)
        status, out, err = run("diff", local, url)
        check("no difference", (status, out) == (0, ""), status, out, err)
        (local / "a").write_bytes(b"b")
        status, out, err = run("diff", local, url)
        check("a difference", (status, out) == (1, "changed\ta\n"), status, out, err)


TESTS = [same_tree, differences_are_reported, many_objects, truncated_listings, busy_services, wrong_bodies, replaced_objects,
         answers_without_version, silent_services, credentials, stored_checksums, without_versions,
         *commands.TESTS]
OTHER_SERVICES = [(google, lambda cache: servers.from_go(servers.GCS, cache)), (azure, lambda cache: servers.azurite(cache / "azurite"))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--objects", type=int, default=2000)
    parser.add_argument("--only")
    arguments = parser.parse_args()
    program, cache = os.path.abspath(arguments.program), servers.cache()
    is_required = os.environ.get("TRUESUM_ORACLES") == "all"
    gateway = servers.from_go(servers.VERSITYGW, cache)
    try:
        import boto3  # noqa: F401
    except ImportError:
        gateway = None
    if gateway is None:
        print("stores: no versitygw (Go) or no boto3 (Python): object stores are not tested")
        sys.exit(1 if is_required and shutil.which("go") else 0)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="stores-") as folder:
        bench = Bench(program, gateway, pathlib.Path(folder), arguments.objects)
        tests = [(test, ()) for test in TESTS]
        for test, get in OTHER_SERVICES:
            # By name only: their servers take minutes to build or install.
            if arguments.only == test.__name__:
                server = get(cache)
                if server is None:
                    sys.exit(f"stores: no server for {test.__name__}: it is not tested")
                tests.append((test, (server, bench.folder)))
        try:
            for test, test_arguments in tests:
                if arguments.only not in (None, test.__name__):
                    continue
                start, bench.note = time.monotonic(), ""
                bench.proxy.reset()
                try:
                    test(bench, *test_arguments)
                    print(f"stores: {test.__name__}: passed in {time.monotonic() - start:.1f} s; {bench.note}".rstrip("; "), flush=True)
                except (Failed, subprocess.TimeoutExpired) as failure:
                    failed += 1
                    print(f"stores: {test.__name__}: FAILED: {failure}", flush=True)
        finally:
            bench.server.stop()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
