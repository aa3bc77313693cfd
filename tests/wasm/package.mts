// Uses every function of the npm package, for tests/wasm/package.

import { Truesum, type BlobLike, type Bytes, type Hasher, type Manifest, type Outcome } from "truesum";

function same(found: unknown, expected: unknown, what: string): void {
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
        throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
    }
}

function throws(call: () => unknown, what: string): void {
    let returned: unknown;
    try {
        returned = call();
    } catch {
        return;
    }
    throw new Error(`${what}: no error, but ${JSON.stringify(returned)}`);
}

const abc: Bytes = Uint8Array.of(97, 98, 99);
const SHA256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const MD5 = "900150983cd24fb0d6963f7d28e17f72";

const truesum: Truesum = await Truesum.load();
const hasher: Hasher = truesum.hasher("sha256", 3);
same(hasher.update(abc).finish(), SHA256, "sha256 of abc");
throws(() => hasher.finish(), "finish twice");
throws(() => truesum.hasher("sha256", 4).update(abc).finish(), "a message shorter than its size");
throws(() => truesum.hasher("sha257"), "an unknown algorithm");
// @ts-expect-error A string has no bytes; the types and the package reject it.
throws(() => truesum.hasher("sha256").update("abc"), "a string");
truesum.hasher("sha256").discard();

same(truesum.digests("md5", [abc, new ArrayBuffer(0), abc]), [MD5, "d41d8cd98f00b204e9800998ecf8427e", MD5], "three messages");
same(truesum.algorithms().length > 170, true, "number of algorithms");
// Node supports SIMD, so that the faster module was loaded.
same(truesum.rows("sha256")[0]?.[0], "simd128", "kernel of sha256");
same(truesum.memory() > 0, true, "memory");

/** A file in memory. This program is compiled without the type of Blob. */
function file(bytes: Uint8Array, read = bytes): BlobLike {
    const slice = (start: number, end: number) => ({ arrayBuffer: async () => read.slice(start, end).buffer as ArrayBuffer });
    return { size: bytes.length, slice };
}

const text = Uint8Array.from(`${SHA256}  sub/abc\n`, (letter) => letter.charCodeAt(0));
const manifest: Manifest = truesum.manifest(text, { name: "SHA256SUMS" });
same([manifest.format, manifest.entries.length, manifest.malformedCount], ["gnu", 1, 0], "a manifest");
same([truesum.isManifest("SHA256SUMS"), truesum.isManifest("abc")], [true, false], "names of manifests");
throws(() => truesum.manifest(text, { algorithm: "sha257" }), "a manifest with an unknown algorithm");

const outcomes: Outcome[] = [];
const onOutcome = (outcome: Outcome) => outcomes.push(outcome);
const bytes = Uint8Array.of(97, 98, 99);
const intact = await truesum.verify([manifest], [["sub/abc", file(bytes)]], { onOutcome });
same([intact.verified, intact.reasons], [true, []], "an intact file");
same(outcomes, [{ name: "sub/abc", status: "ok", detail: "" }], "its outcome");
// Some programs write the bytes of this digest in reverse order.
const xxh64 = truesum.digests("xxh64", [bytes])[0]!;
const reversed = xxh64.match(/../g)!.reverse().join("");
for (const listed of [xxh64, reversed]) {
    const line = Uint8Array.from(`XXH64 (abc) = ${listed}\n`, (letter) => letter.charCodeAt(0));
    const result = await truesum.verify([truesum.manifest(line)], [["abc", file(bytes)]]);
    same(result.verified, true, `xxh64 as ${listed}`);
}
const other = Uint8Array.of(97, 98, 100);
for (const [files, options, what] of [
    [[["sub/abc", file(other)]], {}, "a damaged file"],
    [[["abc", file(bytes)]], {}, "a file in another folder"],
    [[["sub/abc", file(bytes)], ["more", file(bytes)]], {}, "a file that is not in the manifest"],
    [[["sub/abc", file(bytes, bytes.slice(1))]], {}, "a file that was truncated"],
    [[["sub/abc", file(bytes)]], { unchanged: () => false }, "a file that changed"],
    [[], {}, "no files"],
] as [[string, BlobLike][], object, string][]) {
    const result = await truesum.verify([manifest], files, options);
    same([result.verified, result.reasons.length > 0], [false, true], what);
}
same((await truesum.verify([], [])).verified, false, "no manifests");
