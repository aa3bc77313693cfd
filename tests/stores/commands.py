"""Tests of object stores with `tree`, `audit`, `shard`, `identify` and lists of names."""

import json
import random
import time

from bench import MIB, check, noise

SLOW = (503, [("Retry-After", "0")], b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>")
MANY = ("sha256-tree", "blake3", "s3-etag;part=5MiB", "crc32c", "sha256")


def cut(answer):
    """Sends half of the body and closes the connection."""
    answer.sent = len(answer.body) // 2


def faults(bench, try_it, good):
    """Occasional faults must not change the result. A permanent fault must make `try_it`, which returns the status,
    fail without a result."""
    bench.proxy.reset()
    bench.proxy.fault = lambda _: SLOW if len(bench.proxy.seen) % 4 == 0 else None
    check("every fourth request is refused", try_it(url=bench.proxy.url) == good)
    bench.proxy.reset()
    cut_once = set()

    def once(answer):
        # A repeated request succeeds: four truncated attempts in a row would be a failure.
        asked = (answer.get("Content-Range"), answer.get("ETag"))
        if asked not in cut_once:
            cut_once.add(asked)
            cut(answer)
    bench.proxy.spoil = once
    check("every answer is cut once", try_it(url=bench.proxy.url) == good)
    told = {}
    bench.proxy.reset()
    bench.proxy.spoil = cut
    told["cut"] = try_it(url=bench.proxy.url, TRUESUM_STORE_ATTEMPTS="2")
    bench.proxy.reset()
    bench.proxy.fault = lambda request: SLOW if request.is_read else None
    told["slow"] = try_it(url=bench.proxy.url, TRUESUM_STORE_ATTEMPTS="2")
    bench.proxy.reset()
    told["secret"] = try_it(AWS_SECRET_ACCESS_KEY="this-is-not-the-secret")
    return told


def trees_of_objects(bench):
    """`tree` of an object gives the same as for a file: digests, stored trees, damage, pieces."""
    bucket, body = bench.bucket("trees"), noise(37 * MIB + 12345, 5)
    bench.multipart(bucket, "p/big", body)
    bench.put(bucket, "p/empty", b"")
    bench.put(bucket, "p/small", b"123456789")
    local = bench.folder / "p"
    local.mkdir()
    for name, data in (("big", body), ("empty", b""), ("small", b"123456789")):
        (local / name).write_bytes(data)
        for algorithm in MANY:
            status, wanted, err = bench.run("tree", "-a", algorithm, name, cwd=local)
            check("the file", status == 0, err)
            bench.proxy.reset()
            status, out, err = bench.run("tree", "-a", algorithm, f"s3://{bucket}/p/{name}", url=bench.proxy.url)
            check(f"{algorithm} of {name}", (status, out) == (0, wanted), out, wanted, err)
            reads = sum(request.is_read for request in bench.proxy.seen)
            check("each byte is asked for once", reads <= 7, reads)
    # Blocks are requested in parallel.
    under_way, most = [0], [0]

    def slowly(request):
        under_way[0] += 1
        most[0] = max(most[0], under_way[0])
        time.sleep(0.3)
        under_way[0] -= 1
    for words in (["tree", "-a", "sha256-tree"], ["tree", "--save", "-o", bench.folder], ["hash", "-a", "blake3"]):
        most[0] = 0
        bench.proxy.reset()
        bench.proxy.fault = slowly
        status, out, err = bench.run(*words, f"s3://{bucket}/p/big", url=bench.proxy.url)
        check(f"{words}: several requests at a time", status == 0 and most[0] >= 3, most, err)
    status, wanted, _ = bench.run("tree", "-a", "sha256-tree", "big", cwd=local)
    digest = wanted.split(" = ")[1].strip()
    url = f"s3://{bucket}/p/big"

    # Stored trees.
    status, out, err = bench.run("tree", "--save", url)
    check("nothing is kept beside an object", status == 2 and "-o DIR" in err, status, out, err)
    kept = bench.folder / "kept"
    kept.mkdir()
    for algorithms in ("sha256-tree", "sha256-tree,sha256", "blake3", "mtsum-sha256"):
        bench.proxy.reset()
        status, out, err = bench.run("tree", "-a", algorithms, "--save", "-o", kept, url, url=bench.proxy.url)
        check(f"saved {algorithms}", status == 0 and (digest in out) == ("sha256-tree" in algorithms), status, out, err)
        check("read once", sum(request.is_read for request in bench.proxy.seen) <= 12, len(bench.proxy.seen))
        for file in (url, local / "big"):
            status, out, err = bench.run("tree", "verify", kept / "big.ftr", file)
            check(f"verified {algorithms}: {file}", status == 0, status, out, err)
    bench.run("tree", "--save", "-o", kept, url)
    damaged = bytearray(body)
    damaged[9 * MIB] ^= 1
    bench.multipart(bucket, "p/damaged", bytes(damaged))
    status, out, err = bench.run("tree", "verify", kept / "big.ftr", f"s3://{bucket}/p/damaged")
    check("where it is damaged", status == 1 and f"{9 * MIB} {MIB} damaged" in out, status, out, err)
    status, out, err = bench.run("tree", "repair", "--from", url, kept / "big.ftr", local / "big")
    check("repair reads none", status == 2 and "object stores are not supported" in err, status, err)

    # Pieces from several machines.
    generator = random.Random(7)
    cuts = [0, *sorted(generator.sample(range(1, 37), 6)), 38]
    ranges = [f"{first * MIB}..{min(last * MIB, len(body))}" for first, last in zip(cuts, cuts[1:])]
    generator.shuffle(ranges)

    def pieces(**how):
        lines, worst = "", 0
        for bytes_ in ranges:
            status, out, _ = bench.run("tree", "leaf", url, "--range", bytes_, **how)
            lines, worst = lines + out, max(worst, status)
        (bench.folder / "pieces").write_text(lines)
        status, out, err = bench.run("tree", "combine", "pieces")
        return worst, status, out if status == 0 else "", lines

    good = pieces()
    check("seven pieces", good[:3] == (0, 0, f"sha256-tree:{digest}\n"), good)
    piece = json.loads(good[3].splitlines()[0])
    check("a piece tells the ETag", piece["version"] == bench.s3.head_object(Bucket=bucket, Key="p/big")["ETag"], piece)
    told = faults(bench, pieces, good)
    for fault, (status, combined, out, lines) in told.items():
        check(f"{fault}: no digest", combined != 0 and out == "" and "levels" not in lines, fault, status, lines)
        check(f"{fault}: another attempt", (status == 4) == (fault != "secret"), fault, status)
    whole = ["tree", url]
    told = faults(bench, lambda **how: bench.run(*whole, **how)[:2], bench.run(*whole)[:2])
    check("no digest", all(result == (1, "") for result in told.values()), told)
    first, last = sorted(ranges, key=lambda text: int(text.split("..")[0]))[0], f"{cuts[1] * MIB}..{len(body)}"
    (bench.folder / "a").write_text(bench.run("tree", "leaf", url, "--range", first)[1])
    bench.multipart(bucket, "p/big", bytes(damaged))
    (bench.folder / "b").write_text(bench.run("tree", "leaf", url, "--range", last)[1])
    status, out, err = bench.run("tree", "combine", "a", "b")
    check("two versions make no digest", status == 2 and "the version of" in err, status, out, err)

    # Overwritten during the read.
    def replace(request):
        if request.is_read and len([one for one in bench.proxy.seen if one.is_read]) == 3:
            bench.multipart(bucket, "p/big", body)
    for words in (["tree", url], ["tree", "--save", "-o", kept, url], ["tree", "leaf", url, "--range", f"0..{len(body)}"],
                  ["tree", "verify", kept / "big.ftr", url]):
        bench.multipart(bucket, "p/big", bytes(damaged))
        bench.proxy.reset()
        bench.proxy.fault = replace
        status, out, err = bench.run(*words, url=bench.proxy.url)
        check(f"{words[:2]}: overwritten", status == 1 and "overwritten" in err and digest not in out, status, out, err)


def audits(bench):
    """`audit` of objects gives the same as for a folder with the same files."""
    bucket, local = bench.bucket("audits"), bench.folder / "audited"
    old = {f"d{i % 3}/{i}": noise(i * 5, i) for i in range(20)} | {"big": noise(9 * MIB), "copied": b"copied"}
    new = {name: body for name, body in old.items() if not name.startswith("d1/")}
    new |= {"moved/4": old["d1/4"], "d2/2": b"changed", "new": b"new", "again": b"copied", "big": noise(9 * MIB, 9)}
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
    for more in ([], ["-q"], ["--moved=ok"], ["--exclude", "d*/"], ["--only", "new"], ["--status"]):
        status, wanted, told = bench.run(*words, *more, local)
        again, out, err = bench.run(*words, *more, f"s3://{bucket}/")
        check(f"audit {more}", (again, out) == (status, wanted), status, again, wanted, out, told, err)
    status, out, err = bench.run(*words, f"s3://{bucket}")
    for line in ("new\tnew", "missing\td1/1", "moved\tmoved/4\td1/4", "copied\tagain\tcopied", "changed\td2/2", "changed\tbig"):
        check(line, line + "\n" in out and status == 1, out, err)
    told = faults(bench, lambda **how: bench.run(*words, f"s3://{bucket}", **how)[:2], (status, out))
    for fault, (status, out) in told.items():
        # An empty object cannot be truncated.
        said = [line for line in out.splitlines() if line.startswith("ok")]
        check(f"{fault}: nothing is said to be as listed", status != 0 and said in ([], ["ok\td0/0"]), status, out)

    def replace(request):
        if request.is_read and request.path.endswith("/big") and sum(one.path.endswith("/big") for one in bench.proxy.seen) == 2:
            bench.put(bucket, "big", old["big"])
    bench.proxy.reset()
    bench.proxy.fault = replace
    status, out, err = bench.run(*words, f"s3://{bucket}", url=bench.proxy.url)
    check("overwritten meanwhile", status != 0 and "unreadable\tbig" in out and "overwritten" in out, status, out, err)
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
    files = {f"d{generator.randrange(4)}/ü {i}\n": noise(generator.randrange(100_000), i) for i in range(40)}
    files |= {"big": noise(21 * MIB + 77, 3), "empty": b"", "-": b"no standard input"}
    for name, body in files.items():
        path = local / "p" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        (bench.multipart if len(body) > 5 * MIB else bench.put)(bucket, f"p/{name}", body)
    url = f"s3://{bucket}/p"
    for round_, algorithms in enumerate(("sha256-tree,crc32c", "sha256", "blake3")):
        size = "7MiB" if algorithms != "sha256" else "300KB"
        bench.run("hash", "-t", "bsd", "-a", algorithms, "-o", local / "p.sums", "--root", local / "p", local / "p")
        status, _, err = bench.run("hash", "-t", "bsd", "-a", algorithms, "-o", "STORE", url)
        check("one run", status == 0 and (bench.folder / "STORE").read_bytes() == (local / "p.sums").read_bytes(), err)
        plan = f"plan{round_}.jsonl"
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

    def run(**how):
        status, out, err = bench.run("shard", "run", "--again", "-q", "plan0.jsonl", f"0..{bundles_of_first}", "-o", "again", **how)
        merged = bench.run("shard", "merge", "plan0.jsonl", "again", "-t", "bsd", "-o", "AGAIN")
        body = (bench.folder / "AGAIN").read_bytes() if merged[0] == 0 else None
        for part in (bench.folder / "again").iterdir():
            part.unlink()
        (bench.folder / "AGAIN").unlink(missing_ok=True)
        return status, body
    bundles_of_first = len((bench.folder / "plan0.jsonl").read_text().split('{"bundle":')) - 1
    told = faults(bench, run, run())
    for fault, (status, body) in told.items():
        check(f"{fault}: no manifest", body is None and status == (1 if fault == "secret" else 4), fault, status)

    # An object that no longer has the planned version fails, and the files next to it do not.
    bench.put(bucket, "p/empty", b"no longer")
    bench.multipart(bucket, "p/big", noise(21 * MIB + 77, 4))
    status, out, err = bench.run("shard", "run", "--again", "plan0.jsonl", f"0..{bundles_of_first}", "-o", "changed")
    check("changed since the plan was written", status == 1 and "overwritten" in err and "the version" in err, status, err)
    status, out, err = bench.run("shard", "merge", "plan0.jsonl", "changed", "-o", "CHANGED")
    check("no manifest", status == 1 and not (bench.folder / "CHANGED").exists() and "empty" in err and "big" in err, status, err)
    # Overwritten during the read.
    bench.run("shard", "plan", "-o", "last.jsonl", f"{url}/big")

    def replace(request):
        if request.is_read and sum(one.is_read for one in bench.proxy.seen) == 2:
            bench.multipart(bucket, "p/big", noise(21 * MIB + 77, 3))
    bench.proxy.reset()
    bench.proxy.fault = replace
    status, out, err = bench.run("shard", "run", "last.jsonl", "0", url=bench.proxy.url)
    check("overwritten meanwhile", status == 1 and "overwritten" in err, status, err)
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
    bucket, body = bench.bucket("etags"), noise(12 * MIB, 8)
    bench.multipart(bucket, "k", body)
    bench.put(bucket, "small", b"small")
    for key, spec in (("k", "s3-etag;part=5MiB"), ("small", "md5")):
        etag = bench.s3.head_object(Bucket=bucket, Key=key)["ETag"].strip('"')
        url = f"s3://{bucket}/{key}"
        status, out, err = bench.run("identify", etag, url)
        check(f"of {key}", status == 0 and f"{url}: {spec} " in out, status, out, err)
        bench.proxy.reset()
        status, out, err = bench.run("identify", url, url=bench.proxy.url)
        check(f"{key} by itself", status == 0 and any(line.startswith(etag) and line.endswith(spec) for line in out.splitlines()), out, err)
        check("nothing was read", not any(request.is_read for request in bench.proxy.seen))
        status, out, err = bench.run("identify", "--json", url)
        check(f"{key} as JSON", (etag, spec) in [(line["digest"], line["algorithm"]) for line in map(json.loads, out.splitlines())], out, err)
    status, out, err = bench.run("identify", "0" * 32, url)
    check("another digest", status == 1 and "does not match" in out, status, out, err)
    bench.proxy.reset()
    sealed = [("ETag", '"0123456789abcdef0123456789abcdef"'), ("x-amz-server-side-encryption", "aws:kms")]
    bench.proxy.fault = lambda request: (200, sealed, b"small")
    status, out, err = bench.run("identify", url, url=bench.proxy.url)
    check("encrypted under another key", status == 0 and "not a digest of the content" in out, status, out, err)
    for words, said in ((["s3://no-such-bucket/k"], "NoSuchBucket"), ([f"s3://{bucket}/none"], "no such object")):
        status, out, err = bench.run("identify", *words)
        check(said, status == 2 and out == "" and said in err, status, out, err)


TESTS = [trees_of_objects, audits, shards, lists_of_names, etags]
