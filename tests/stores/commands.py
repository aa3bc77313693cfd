"""Tests of object stores with `tree`, `audit`, `shard`, `identify` and lists of names."""

import base64
import hashlib
import json
import random
import time

from bench import MIB, check, random_bytes

SLOW_DOWN = (503, [("Retry-After", "0")], b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>")
ALGORITHMS = ("sha256-tree", "blake3", "s3-etag;part=5MiB", "crc32c", "sha256")


def truncate(answer):
    """Sends half of the body and closes the connection."""
    answer.sent = len(answer.body) // 2


def faults(bench, attempt, expected):
    """Occasional faults must not change the result. A permanent fault must make `try_it`, which returns the status,
    fail without a result."""
    bench.proxy.reset()
    bench.proxy.fault = lambda _: SLOW_DOWN if len(bench.proxy.requests) % 4 == 0 else None
    check("every fourth request is refused", attempt(url=bench.proxy.url) == expected)
    bench.proxy.reset()
    cut_once = set()

    def cut_first(answer):
        # A repeated request succeeds: four truncated attempts in a row would be a failure.
        key = (answer.get("Content-Range"), answer.get("ETag"))
        if key not in cut_once:
            cut_once.add(key)
            truncate(answer)
    bench.proxy.alter = cut_first
    check("every answer is cut once", attempt(url=bench.proxy.url) == expected)
    results = {}
    bench.proxy.reset()
    bench.proxy.alter = truncate
    results["cut"] = attempt(url=bench.proxy.url, TRUESUM_STORE_ATTEMPTS="2")
    bench.proxy.reset()
    bench.proxy.fault = lambda request: SLOW_DOWN if request.is_read else None
    results["slow"] = attempt(url=bench.proxy.url, TRUESUM_STORE_ATTEMPTS="2")
    bench.proxy.reset()
    results["secret"] = attempt(AWS_SECRET_ACCESS_KEY="this-is-not-the-secret")
    return results


def trees_of_objects(bench):
    """`tree` of an object gives the same as for a file: digests, stored trees, damage, pieces."""
    bucket, body = bench.bucket("trees"), random_bytes(37 * MIB + 12345, 5)
    bench.multipart(bucket, "p/big", body)
    bench.put(bucket, "p/empty", b"")
    bench.put(bucket, "p/small", b"123456789")
    local = bench.folder / "p"
    local.mkdir()
    for name, data in (("big", body), ("empty", b""), ("small", b"123456789")):
        (local / name).write_bytes(data)
        for algorithm in ALGORITHMS:
            status, expected, err = bench.run("tree", "-a", algorithm, name, cwd=local)
            check("the file", status == 0, err)
            bench.proxy.reset()
            status, out, err = bench.run("tree", "-a", algorithm, f"s3://{bucket}/p/{name}", url=bench.proxy.url)
            check(f"{algorithm} of {name}", (status, out) == (0, expected), out, expected, err)
            reads = sum(request.is_read for request in bench.proxy.requests)
            check("each byte is requested once", reads <= 7, reads)
    # Blocks are requested in parallel.
    in_flight, peak = [0], [0]

    def wait_in_flight(request):
        in_flight[0] += 1
        peak[0] = max(peak[0], in_flight[0])
        time.sleep(0.3)
        in_flight[0] -= 1
    for words in (["tree", "-a", "sha256-tree"], ["tree", "--save", "-o", bench.folder], ["hash", "-a", "blake3"]):
        peak[0] = 0
        bench.proxy.reset()
        bench.proxy.fault = wait_in_flight
        status, out, err = bench.run(*words, f"s3://{bucket}/p/big", url=bench.proxy.url)
        check(f"{words}: several requests at a time", status == 0 and peak[0] >= 3, peak, err)
    status, expected, _ = bench.run("tree", "-a", "sha256-tree", "big", cwd=local)
    digest = expected.split(" = ")[1].strip()
    url = f"s3://{bucket}/p/big"

    # Stored trees.
    status, out, err = bench.run("tree", "--save", url)
    check("no tree is stored next to an object", status == 2 and "-o DIR" in err, status, out, err)
    saved = bench.folder / "saved"
    saved.mkdir()
    for algorithms in ("sha256-tree", "sha256-tree,sha256", "blake3", "mtsum-sha256"):
        bench.proxy.reset()
        status, out, err = bench.run("tree", "-a", algorithms, "--save", "-o", saved, url, url=bench.proxy.url)
        check(f"saved {algorithms}", status == 0 and (digest in out) == ("sha256-tree" in algorithms), status, out, err)
        check("read once", sum(request.is_read for request in bench.proxy.requests) <= 12, len(bench.proxy.requests))
        for file in (url, local / "big"):
            status, out, err = bench.run("tree", "verify", saved / "big.ftr", file)
            check(f"verified {algorithms}: {file}", status == 0, status, out, err)
    bench.run("tree", "--save", "-o", saved, url)
    damaged = bytearray(body)
    damaged[9 * MIB] ^= 1
    bench.multipart(bucket, "p/damaged", bytes(damaged))
    status, out, err = bench.run("tree", "verify", saved / "big.ftr", f"s3://{bucket}/p/damaged")
    check("where it is damaged", status == 1 and f"{9 * MIB} {MIB} damaged" in out, status, out, err)
    status, out, err = bench.run("tree", "repair", "--from", url, saved / "big.ftr", local / "big")
    check("repair does not read object stores", status == 2 and "object stores are not supported" in err, status, err)

    # Pieces from several machines.
    generator = random.Random(7)
    cuts = [0, *sorted(generator.sample(range(1, 37), 6)), 38]
    ranges = [f"{first * MIB}..{min(last * MIB, len(body))}" for first, last in zip(cuts, cuts[1:])]
    generator.shuffle(ranges)

    def pieces(**options):
        lines, highest_status = "", 0
        for bytes_ in ranges:
            status, out, _ = bench.run("tree", "leaf", url, "--range", bytes_, **options)
            lines, highest_status = lines + out, max(highest_status, status)
        (bench.folder / "pieces").write_text(lines)
        status, out, err = bench.run("tree", "combine", "pieces")
        return highest_status, status, out if status == 0 else "", lines

    expected = pieces()
    check("seven pieces", expected[:3] == (0, 0, f"sha256-tree:{digest}\n"), expected)
    piece = json.loads(expected[3].splitlines()[0])
    check("a piece contains the ETag", piece["version"] == bench.s3.head_object(Bucket=bucket, Key="p/big")["ETag"], piece)
    results = faults(bench, pieces, expected)
    for fault, (status, combined, out, lines) in results.items():
        check(f"{fault}: no digest", combined != 0 and out == "" and "levels" not in lines, fault, status, lines)
        check(f"{fault}: another attempt", (status == 4) == (fault != "secret"), fault, status)
    command = ["tree", url]
    results = faults(bench, lambda **options: bench.run(*command, **options)[:2], bench.run(*command)[:2])
    check("no digest", all(result == (1, "") for result in results.values()), results)
    first, last = sorted(ranges, key=lambda text: int(text.split("..")[0]))[0], f"{cuts[1] * MIB}..{len(body)}"
    (bench.folder / "a").write_text(bench.run("tree", "leaf", url, "--range", first)[1])
    bench.multipart(bucket, "p/big", bytes(damaged))
    (bench.folder / "b").write_text(bench.run("tree", "leaf", url, "--range", last)[1])
    status, out, err = bench.run("tree", "combine", "a", "b")
    check("pieces of two versions are not combined", status == 2 and "the version of" in err, status, out, err)

    # Overwritten during the read.
    def replace(request):
        if request.is_read and len([earlier for earlier in bench.proxy.requests if earlier.is_read]) == 3:
            bench.multipart(bucket, "p/big", body)
    for words in (["tree", url], ["tree", "--save", "-o", saved, url], ["tree", "leaf", url, "--range", f"0..{len(body)}"],
                  ["tree", "verify", saved / "big.ftr", url]):
        bench.multipart(bucket, "p/big", bytes(damaged))
        bench.proxy.reset()
        bench.proxy.fault = replace
        status, out, err = bench.run(*words, url=bench.proxy.url)
        check(f"{words[:2]}: overwritten", status == 1 and "overwritten" in err and digest not in out, status, out, err)


def audits(bench):
    """`audit` of objects gives the same as for a folder with the same files."""
    bucket, local = bench.bucket("audits"), bench.folder / "audited"
    old = {f"d{i % 3}/{i}": random_bytes(i * 5, i) for i in range(20)} | {"big": random_bytes(9 * MIB), "copied": b"copied"}
    new = {name: body for name, body in old.items() if not name.startswith("d1/")}
    new |= {"moved/4": old["d1/4"], "d2/2": b"changed", "new": b"new", "again": b"copied", "big": random_bytes(9 * MIB, 9)}
    for name, body in old.items():
        bench.put(bucket, name, body)
    status, _, err = bench.run("hash", "-o", "AUDIT", f"s3://{bucket}")
    check("hashing", status == 0, err)
    manifest = bench.folder / "AUDIT"
    status, out, err = bench.run("audit", manifest, f"s3://{bucket}")
    check("equal", status == 0 and out.count("ok\t") == len(old) == len(out.splitlines()), status, out, err)
    for name in old.keys() - new.keys():
        bench.s3.delete_object(Bucket=bucket, Key=name)
    for name, body in new.items():
        bench.put(bucket, name, body)
    for name, body in new.items():
        path = local / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    words = ["audit", "AUDIT"]
    for options in ([], ["-q"], ["--moved=ok"], ["--exclude", "d*/"], ["--only", "new"], ["--status"]):
        status, expected, local_err = bench.run(*words, *options, local)
        status_of_store, out, err = bench.run(*words, *options, f"s3://{bucket}/")
        check(f"audit {options}", (status_of_store, out) == (status, expected), status, status_of_store, expected, out, local_err, err)
    status, out, err = bench.run(*words, f"s3://{bucket}")
    for line in ("new\tnew", "missing\td1/1", "moved\tmoved/4\td1/4", "copied\tagain\tcopied", "changed\td2/2", "changed\tbig"):
        check(line, line + "\n" in out and status == 1, out, err)
    results = faults(bench, lambda **options: bench.run(*words, f"s3://{bucket}", **options)[:2], (status, out))
    for fault, (status, out) in results.items():
        # An empty object cannot be truncated.
        ok_lines = [line for line in out.splitlines() if line.startswith("ok")]
        check(f"{fault}: no file is reported as unchanged", status != 0 and ok_lines in ([], ["ok\td0/0"]), status, out)

    def replace(request):
        if request.is_read and request.path.endswith("/big") and sum(earlier.path.endswith("/big") for earlier in bench.proxy.requests) == 2:
            bench.put(bucket, "big", old["big"])
    bench.proxy.reset()
    bench.proxy.fault = replace
    status, out, err = bench.run(*words, f"s3://{bucket}", url=bench.proxy.url)
    check("overwritten during the run", status != 0 and "unreadable\tbig" in out and "overwritten" in out, status, out, err)
    status, out, err = bench.run("audit", f"s3://{bucket}/AUDIT", f"s3://{bucket}")
    check("a manifest is a file", status == 2 and "a manifest must be a local file" in err, status, err)
    status, out, err = bench.run("audit", "--newer", "7d", "AUDIT", f"s3://{bucket}")
    check("no selection by time", status == 2 and "not available for object stores" in err, status, err)
    # Times are those of the service, in a listing and in a response: content that changed with the same time is
    # corrupt, and no other.
    for name in ("big", "d0/3"):
        bench.put(bucket, name, b"1" * 9 * MIB)
    bench.run("hash", "--json", "-o", "TIMED", f"s3://{bucket}")
    times = [json.loads(line).get("mtime", "") for line in (bench.folder / "TIMED").read_text().splitlines()]
    check("times", all(time >= "2020" for time in times), times)


def shards(bench):
    """A plan of objects, its parts computed in any order, and the manifest that a single run writes for the store and
    for the files."""
    generator = random.Random(11)
    bucket, local = bench.bucket("shards"), bench.folder / "sharded"
    files = {f"d{generator.randrange(4)}/ü {i}\n": random_bytes(generator.randrange(100_000), i) for i in range(40)}
    files |= {"big": random_bytes(21 * MIB + 77, 3), "empty": b"", "-": b"no standard input"}
    for name, body in files.items():
        path = local / "p" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        (bench.multipart if len(body) > 5 * MIB else bench.put)(bucket, f"p/{name}", body)
    url = f"s3://{bucket}/p"
    for number, algorithms in enumerate(("sha256-tree,crc32c", "sha256", "blake3")):
        size = "7MiB" if algorithms != "sha256" else "300KB"
        bench.run("hash", "-t", "bsd", "-a", algorithms, "-o", local / "p.sums", "--root", local / "p", local / "p")
        status, _, err = bench.run("hash", "-t", "bsd", "-a", algorithms, "-o", "STORE", url)
        check("one run", status == 0 and (bench.folder / "STORE").read_bytes() == (local / "p.sums").read_bytes(), err)
        plan = f"plan{number}.jsonl"
        status, out, err = bench.run("shard", "plan", "-o", plan, "-a", algorithms, "--bundle-bytes", size, "--bundle-files", "11", url)
        bundles = list(range(int(out or 0)))
        check("planned", status == 0 and len(bundles) >= 7, status, out, err)
        parts = [bundles[first::7] for first in range(7)]
        generator.shuffle(parts)
        for part in parts:
            status, out, err = bench.run("shard", "run", "-q", plan, *part)
            check("run", status == 0, status, err)
        status, out, err = bench.run("shard", "merge", plan, "-t", "bsd", "-o", "MERGED")
        check("merged", status == 0, status, err)
        check("the manifest of one run", (bench.folder / "MERGED").read_bytes() == (bench.folder / "STORE").read_bytes())
    head = json.loads((bench.folder / plan).read_text().splitlines()[0])
    check("the plan's root", head["root"] == f"s3://{bucket}/p/", head)
    status, out, err = bench.run("shard", "plan", "-o", "one.jsonl", f"{url}/big")
    head, line = map(json.loads, (bench.folder / "one.jsonl").read_text().splitlines()[:2])
    check("one object", status == 0 and (head["root"], line["path"]) == (f"s3://{bucket}/p/", "big"), head, line)
    etag = bench.s3.head_object(Bucket=bucket, Key="p/big")["ETag"]
    check("the version that was planned", line["version"] == etag and "inode" not in line, line)

    def run(**options):
        status, out, err = bench.run("shard", "run", "--again", "-q", "plan0.jsonl", f"0..{bundles_of_first}", "-o", "again", **options)
        merged = bench.run("shard", "merge", "plan0.jsonl", "again", "-t", "bsd", "-o", "AGAIN")
        body = (bench.folder / "AGAIN").read_bytes() if merged[0] == 0 else None
        for part in (bench.folder / "again").iterdir():
            part.unlink()
        (bench.folder / "AGAIN").unlink(missing_ok=True)
        return status, body
    bundles_of_first = len((bench.folder / "plan0.jsonl").read_text().split('{"bundle":')) - 1
    results = faults(bench, run, run())
    for fault, (status, body) in results.items():
        check(f"{fault}: no manifest", body is None and status == (1 if fault == "secret" else 4), fault, status)

    # An object that no longer has the planned version fails, and the files next to it do not.
    bench.put(bucket, "p/empty", b"no longer")
    bench.multipart(bucket, "p/big", random_bytes(21 * MIB + 77, 4))
    status, out, err = bench.run("shard", "run", "--again", "plan0.jsonl", f"0..{bundles_of_first}", "-o", "changed")
    check("changed since the plan was written", status == 1 and "overwritten" in err and "the version" in err, status, err)
    status, out, err = bench.run("shard", "merge", "plan0.jsonl", "changed", "-o", "CHANGED")
    check("no manifest", status == 1 and not (bench.folder / "CHANGED").exists() and "empty" in err and "big" in err, status, err)
    # Overwritten during the read.
    bench.run("shard", "plan", "-o", "last.jsonl", f"{url}/big")

    def replace(request):
        if request.is_read and sum(earlier.is_read for earlier in bench.proxy.requests) == 2:
            bench.multipart(bucket, "p/big", random_bytes(21 * MIB + 77, 3))
    bench.proxy.reset()
    bench.proxy.fault = replace
    status, out, err = bench.run("shard", "run", "last.jsonl", "0", url=bench.proxy.url)
    check("overwritten during the run", status == 1 and "overwritten" in err, status, err)
    status, out, err = bench.run("shard", "run", "--root", local / "p", "plan1.jsonl", "0", "-o", "local")
    check("no file is a version of an object", status == 1 and "the version" in err, status, err)
    status, out, err = bench.run("shard", "plan", "-o", "x.jsonl", "s3://no-such-bucket")
    check("no bucket, no plan", status == 1 and "NoSuchBucket" in err and not (bench.folder / "x.jsonl").exists(), status, err)


def lists_of_names(bench):
    """A URL in a list of names is rejected by name, and not reported as a missing file."""
    (bench.folder / "here").write_bytes(b"here")
    for option, end in (("--files-from", "\n"), ("--files0-from", "\0")):
        (bench.folder / "NAMES").write_text(f"here{end}s3://bucket/key{end}")
        for words in (["hash"], ["hash", "-o", "LISTED"], ["shard", "plan", "-o", "LISTED"]):
            status, out, err = bench.run(*words, option, "NAMES")
            check(f"{words} {option}", status == 2 and "s3://bucket/key is not a local file" in err, status, out, err)
            check("no missing file", "No such file" not in err and not (bench.folder / "LISTED").exists(), err)


def etags(bench):
    """`identify` determines how the ETag of an object was computed."""
    bucket, body = bench.bucket("etags"), random_bytes(12 * MIB, 8)
    bench.multipart(bucket, "k", body)
    bench.put(bucket, "small", b"small")
    for key, spec in (("k", "s3-etag;part=5MiB"), ("small", "md5")):
        etag = bench.s3.head_object(Bucket=bucket, Key=key)["ETag"].strip('"')
        url = f"s3://{bucket}/{key}"
        status, out, err = bench.run("identify", etag, url)
        check(f"of {key}", status == 0 and f"{url}: {spec} " in out, status, out, err)
        status, out, err = bench.run("identify", url.replace("s3:", "S3:"))
        check("a scheme in upper case", status == 0 and etag in out, status, out, err)
        bench.proxy.reset()
        status, out, err = bench.run("identify", url, url=bench.proxy.url)
        check(f"{key} by itself", status == 0 and any(line.startswith(etag) and line.endswith(spec) for line in out.splitlines()), out, err)
        check("nothing was read", not any(request.is_read for request in bench.proxy.requests))
        status, out, err = bench.run("identify", "--json", url)
        check(f"{key} as JSON", (etag, spec) in [(line["digest"], line["algorithm"]) for line in map(json.loads, out.splitlines())], out, err)
    status, out, err = bench.run("identify", "0" * 32, url)
    check("another digest", status == 1 and "does not match" in out, status, out, err)
    bench.proxy.reset()
    sealed = [("ETag", '"0123456789abcdef0123456789abcdef"'), ("x-amz-server-side-encryption", "aws:kms")]
    bench.proxy.fault = lambda request: (200, sealed, b"small")
    status, out, err = bench.run("identify", url, url=bench.proxy.url)
    check("encrypted under another key", status == 0 and "not a digest of the content" in out, status, out, err)
    for words, message in ((["s3://no-such-bucket/k"], "NoSuchBucket"), ([f"s3://{bucket}/none"], "no such object")):
        status, out, err = bench.run("identify", *words)
        check(message, status == 2 and out == "" and message in err, status, out, err)


def differences(bench):
    """`diff` compares a folder with the checksums of a store, without reading objects."""
    bucket, local = bench.bucket("differences"), bench.folder / "compared"
    body = random_bytes(12 * MIB, 12)
    files = {"etag": body, "composite": body, "d/crc": b"123456789", "d/md5": b"md5", "empty": b"", "moved from": b"moved"}
    for name, data in files.items():
        path = local / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    for name, options in (("etag", {}), ("composite", {"ChecksumAlgorithm": "SHA256"})):
        bench.multipart(bucket, f"p/{name}", body, **options)
    crc = base64.b64encode(bytes.fromhex("ae8b14860a799888")).decode()
    bench.put(bucket, "p/d/crc", b"123456789", ChecksumCRC64NVME=crc)
    for name in ("d/md5", "empty", "moved from"):
        bench.put(bucket, f"p/{name}", files[name])
    url = f"s3://{bucket}/p"

    def diff(*words, **options):
        bench.proxy.reset()
        bench.proxy.fault = options.pop("fault", bench.proxy.fault)
        status, out, err = bench.run("diff", *words, url=bench.proxy.url, **options)
        check("no object is read", not any(request.is_read for request in bench.proxy.requests))
        return status, out, err
    for sides in ((local, url), (url, local), (url, url), (local, f"S3://{bucket}/p/")):
        status, out, err = diff(*sides)
        check(f"equal: {sides}", (status, out) == (0, "") and "not read" in err, status, out, err)
    damaged = bytearray(body)
    damaged[7 * MIB] ^= 1
    for name, data in (("etag", damaged), ("composite", damaged), ("d/crc", b"123456780"), ("d/md5", b"longer"), ("new", b"new")):
        (local / name).write_bytes(data)
    (local / "moved from").rename(local / "moved to")
    (local / "empty").unlink()
    changes = {"changed\tetag", "changed\tcomposite", "changed\td/crc", "changed\td/md5"}
    status, out, err = diff(url, local)
    check("differences", status == 1 and set(out.splitlines()) == changes | {"added\tnew", "removed\tempty", "moved\tmoved to\tmoved from"}, status, out, err)
    status, out, err = diff(local, url)
    check("in the other direction", status == 1 and set(out.splitlines()) == changes | {"removed\tnew", "added\tempty", "moved\tmoved from\tmoved to"}, status, out, err)
    status, out, err = diff("--include", "d/*", url, local)
    check("selected", status == 1 and set(out.splitlines()) == {"changed\td/crc", "changed\td/md5"}, status, out, err)
    requests = sum(request.method == "HEAD" for request in bench.proxy.requests)
    check("only selected objects are requested", requests == 2, requests)
    status, out, err = diff("--json", url, local)
    check("JSON", status == 1 and len(out.splitlines()) == 8 and all(map(json.loads, out.splitlines())), status, out, err)

    # What cannot be compared is reported, and is not equal.
    for name in ("etag", "composite"):
        (local / name).write_bytes(body)
    selected = ("--include", "etag", "--include", "composite")

    def no_part_size(request):
        return (400, [], b"") if "partNumber=" in request.path else None
    # The server adds a CRC-64/NVME of the complete object to uploads without a checksum.
    for algorithms, fault, unknown in (((), no_part_size, "composite"), (("-a", "s3-sha256;part=5MiB"), lambda _: None, "etag")):
        status, out, err = diff(*selected, *algorithms, url, local, fault=fault)
        check(f"{unknown}: unknown", (status, out) == (2, f"unknown\t{unknown}\n"), status, out, err)
        check("the reason", f"note: {unknown}: the object store has only " in err and "s3-etag of 3 parts" in err, err)

    # Without a complete list of objects, no file is known to be missing there.
    def refused(request):
        return (403, [], b"<Error><Code>AccessDenied</Code></Error>") if "list-type=" in request.path else None
    for sides in ((local, url), (url, local)):
        status, out, err = diff(*sides, fault=refused)
        check("no list", status == 2 and out == "" and "AccessDenied" in err, status, out, err)

    def no_metadata(request):
        return (403, [], b"") if request.method == "HEAD" and request.path.endswith("/d/md5") else None
    for sides in ((local, url), (url, local)):
        status, out, err = diff("--include", "d/*", *sides, fault=no_metadata)
        check("an object without an answer", status == 1 and "changed\td/crc\n" in out and "unreadable\td/md5\tcannot read" in out, status, out, err)
    for words in (("--root", local), ("--newer", "7d")):
        status, out, err = diff(*words, url, local)
        check(f"{words[0]}: refused", status == 2 and "not available for object stores" in err, status, out, err)

    # A manifest is compared in the same way.
    bench.run("hash", "-a", "s3-etag;part=5MiB", "-t", "jsonl", "-o", "ETAG", "etag", cwd=local)
    status, out, err = diff("--include", "etag", local / "ETAG", url)
    check("a manifest", (status, out) == (0, ""), status, out, err)


def unlisted_objects(bench):
    """`check --stored --exact` reports objects that are not in the manifest, without reading any."""
    bucket = bench.bucket("unlisted")
    for name in ("a", "d/b"):
        bench.put(bucket, name, name.encode())
    (bench.folder / "EXACT").write_text(f"{hashlib.md5(b'a').hexdigest()}  a\n{hashlib.md5(b'd/b').hexdigest()}  d/b\n")
    words = ("check", "--stored", "--exact", "--root", f"s3://{bucket}", "EXACT")
    status, out, err = bench.run(*words)
    check("exact", status == 0 and out.count("AGREES") == 2, status, out, err)
    bench.put(bucket, "d/c", b"")
    bench.proxy.reset()
    status, out, err = bench.run(*words, url=bench.proxy.url)
    check("an object too many", status == 1 and "d/c: NOT IN THE MANIFEST\n" in out and "1 object is not in the manifest" in err, status, out, err)
    check("nothing is read", not any(request.is_read for request in bench.proxy.requests))
    status, out, err = bench.run(*words, "--exclude", "d/c")
    check("an excluded object", status == 0, status, out, err)
    # The same when the objects are read.
    status, out, err = bench.run(*(word for word in words if word != "--stored"), "--exclude", "d/c")
    check("an excluded object, reading the others", status == 0 and "d/c" not in out + err, status, out, err)
    bench.proxy.reset()
    bench.proxy.fault = lambda request: (403, [], b"") if "list-type=" in request.path else None
    status, out, err = bench.run(*words, url=bench.proxy.url)
    check("no list", status == 1 and "cannot list" in err, status, out, err)


TESTS = [trees_of_objects, audits, shards, lists_of_names, etags, differences, unlisted_objects]
