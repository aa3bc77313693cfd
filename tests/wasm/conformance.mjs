// Compares the module of `examples/browser` with Node's crypto and with the vectors of `testdata/vectors`.
// usage: node conformance.mjs MODULE.wasm portable|simd128
// The second argument names the kernel rows that the module must have.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { Truesum } from "../../examples/browser/truesum.mjs";

const [path, rows] = process.argv.slice(2);
const truesum = await Truesum.load(readFileSync(path));
let compared = 0;

function same(found, wanted, what) {
    compared++;
    if (found !== wanted) {
        throw new Error(`${what}: ${found}, and not ${wanted}`);
    }
}

/** Our name, Node's name, and the output size in bytes if Node requires it. */
const ORACLES = [
    ["md5", "md5"],
    ["sha1", "sha1"],
    ["sha224", "sha224"],
    ["sha256", "sha256"],
    ["sha384", "sha384"],
    ["sha512", "sha512"],
    ["sha512-224", "sha512-224"],
    ["sha512-256", "sha512-256"],
    ["sha3-224", "sha3-224"],
    ["sha3-256", "sha3-256"],
    ["sha3-384", "sha3-384"],
    ["sha3-512", "sha3-512"],
    ["shake128", "shake128", 32],
    ["shake256", "shake256", 64],
    ["shake256-4096", "shake256", 512],
    ["blake2b", "blake2b512"],
    ["blake2s", "blake2s256"],
    ["ripemd160", "ripemd160"],
    ["sm3", "sm3"],
    ["md5-sha1", "md5-sha1"],
];

/** Pseudorandom numbers that are the same in every run (mulberry32). */
let seed = 1;
function below(end) {
    seed = (seed + 0x6d2b79f5) | 0;
    let z = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z;
    return ((z ^ (z >>> 14)) >>> 0) % end;
}

const data = Uint8Array.from({ length: (1 << 20) + 65 }, () => below(256));

function oneMessage(name, message, slice) {
    const hasher = truesum.hasher(name, message.length);
    for (let at = 0; at < message.length; ) {
        const end = at + slice();
        hasher.update(message.subarray(at, end));
        at = end;
    }
    return hasher.finish();
}

function conforms(name, digest) {
    for (let length = 0; length <= 1100; length++) {
        const message = data.subarray(length % 64, (length % 64) + length);
        same(oneMessage(name, message, () => 4096), digest(message), `${name} of ${length} bytes`);
    }
    for (let power = 11; power <= 20; power++) {
        for (const length of [(1 << power) - 1, 1 << power, (1 << power) + 1]) {
            const message = data.subarray(0, length);
            same(oneMessage(name, message, () => 1 << 30), digest(message), `${name} of ${length} bytes`);
        }
    }
    for (let i = 0; i < 200; i++) {
        const message = data.subarray(below(64), below(9000));
        const random = () => below([3, 70, 700, 5000][i % 4]);
        same(oneMessage(name, message, random), digest(message), `${name} of ${message.length} bytes in slices`);
    }
    const together = (count, most) => {
        const messages = Array.from({ length: count }, () => {
            const start = below(data.length - most);
            return data.subarray(start, start + below(most));
        });
        truesum.digests(name, messages).forEach((found, i) => {
            same(found, digest(messages[i]), `${name} of message ${i} of ${count}, ${messages[i].length} bytes`);
        });
    };
    for (let count = 0; count <= 40; count++) {
        together(count, 1500);
    }
    together(3000, 300);
    together(20, 1 << 19);
}

/** Returns the message that a vector's `input` names. */
function messageOf({ gen, len }) {
    const [kind, text] = [gen.split(" ", 1)[0], gen.slice(gen.indexOf(" ") + 1)];
    switch (kind) {
        case "ascii":
            return new TextEncoder().encode(text);
        case "hex":
            return new Uint8Array(Buffer.from(text, "hex"));
        case "repeat":
            return new TextEncoder().encode(text.repeat(len / text.length));
        case "zero":
            return new Uint8Array(len);
        case "ptn251":
            return Uint8Array.from({ length: len }, (_, i) => i % 251);
        default:
            return stream(BigInt(gen.slice("sm64:".length)), len);
    }
}

/** Returns the beginning of the SplitMix64 stream with this seed; the longest one is cached. */
const streams = new Map();
function stream(seed, length) {
    if ((streams.get(seed)?.length ?? -1) < length) {
        const cut = (value) => BigInt.asUintN(64, value);
        const words = BigUint64Array.from({ length: Math.ceil(length / 8) }, (_, k) => {
            let z = cut(seed + cut(BigInt(k + 1) * 0x9e3779b97f4a7c15n));
            z = cut((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
            z = cut((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
            return z ^ (z >> 31n);
        });
        streams.set(seed, new Uint8Array(words.buffer));
    }
    return streams.get(seed).subarray(0, length);
}

function vectors() {
    const folder = new URL("../../testdata/vectors/", import.meta.url);
    const names = new Set(truesum.algorithms());
    const seen = new Set();
    for (const file of readdirSync(folder).filter((file) => file.endsWith(".json"))) {
        for (const { algo, bits, params, input, value } of JSON.parse(readFileSync(new URL(file, folder)))) {
            if (!names.has(algo)) {
                continue; // It needs a key, or is one of the CRCs that are not listed.
            }
            const name = `${algo}${bits ? `-${bits}` : ""}${params ? `;${params}` : ""}`;
            const message = messageOf(input);
            same(oneMessage(name, message, () => 1 << 20), value, `${name} of ${input.gen} ${input.len}`);
            same(truesum.digests(name, [message, message])[1], value, `${name} of two of ${input.gen} ${input.len}`);
            seen.add(algo);
        }
    }
    // Tree digests, whose vectors have a different form.
    const without = [...names].filter((name) => !seen.has(name));
    same(without.sort().join(" "), "glacier s3-etag", "algorithms without a vector");
    return seen.size;
}

function throws(call, pattern, kind = Error) {
    compared++;
    try {
        call();
    } catch (error) {
        if (error instanceof kind && pattern.test(error.message)) {
            return;
        }
        throw new Error(`${error.name}: "${error.message}" instead of ${pattern} as a ${kind.name}`);
    }
    throw new Error(`nothing was thrown instead of ${pattern}`);
}

function refuses() {
    throws(() => truesum.hasher("sha257"), /sha257/);
    throws(() => truesum.digests("", [data]), /./);
    throws(() => truesum.hasher("siphash"), /key/);
    const ended = truesum.hasher("md5");
    ended.finish();
    throws(() => ended.update(data), /ended/);
    throws(() => ended.finish(), /ended/);
    // Fewer or more bytes than announced: there must be no digest.
    for (const name of ["git-blob", "sha256", "crc32"]) {
        for (const length of [0, 3, 5]) {
            const hasher = truesum.hasher(name, 4).update(data.subarray(0, length));
            throws(() => hasher.finish(), /size/);
        }
    }
}

/** All byte sources are accepted, and anything else throws: treating it as an empty message would give a wrong digest. */
function takes() {
    const bytes = data.slice(0, 64);
    for (const source of [bytes.buffer, new DataView(bytes.buffer), new Int8Array(bytes.buffer), new Uint16Array(bytes.buffer),
        new Float64Array(bytes.buffer), new BigUint64Array(bytes.buffer), new Uint32Array(bytes.buffer, 8, 2)]) {
        const view = ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : new Uint8Array(source);
        const expected = createHash("sha256").update(view).digest("hex");
        same(truesum.hasher("sha256").update(source).finish(), expected, source.constructor.name);
        same(truesum.digests("sha256", [source])[0], expected, source.constructor.name);
    }
    // From another realm, like those of a frame.
    const foreign = runInNewContext("Uint8Array.of(1, 2, 3).buffer");
    const expected = createHash("sha256").update(Buffer.of(1, 2, 3)).digest("hex");
    same(truesum.hasher("sha256").update(foreign).finish(), expected, "a buffer of another realm");
    const empty = createHash("sha256").digest("hex");
    same(truesum.hasher("sha256").update(new Uint16Array(0)).finish(), empty, "an empty view");
    // Detached or shrunk buffers, and an object that imitates one.
    const transferred = bytes.slice();
    structuredClone(transferred.buffer, { transfer: [transferred.buffer] });
    const shrunk = new ArrayBuffer(8, { maxByteLength: 8 });
    const views = [new Uint8Array(shrunk, 4, 4), new DataView(shrunk, 4, 4)];
    shrunk.resize(2);
    for (const lost of [transferred, transferred.buffer, ...views, { [Symbol.toStringTag]: "ArrayBuffer", byteLength: 3 }]) {
        throws(() => truesum.hasher("sha256").update(lost), /./, TypeError);
        throws(() => truesum.digests("sha256", [lost]), /./, TypeError);
    }
    for (const other of [5, {}, true, "text", null, undefined, [1, 2], new Blob([bytes]), Promise.resolve(bytes), new Response(bytes)]) {
        throws(() => truesum.hasher("sha256").update(other), /ArrayBuffer/, TypeError);
        throws(() => truesum.digests("sha256", [other]), /ArrayBuffer/, TypeError);
    }
}

/** Repeated messages, hashers and errors do not increase the memory in use. */
function frees() {
    const use = () => {
        for (let i = 0; i < 200; i++) {
            truesum.digests("sha256", [data]);
            truesum.hasher("sha3-256").update(data.subarray(0, 100)).finish();
            truesum.hasher("blake3").discard();
            throws(() => truesum.hasher(`no such name ${i}`), /no such name/);
        }
        return truesum.memory();
    };
    const first = use();
    same(use(), first, "bytes of memory after twice as much");
}

const sets = (name) => truesum.rows(name).map(([set, lanes]) => `${set} x${lanes}`).join(", ");
same(sets("sha256"), rows === "simd128" ? "simd128 x4, simd128 x1" : "portable x1", "rows of sha256");
same(new Set(truesum.algorithms().flatMap((name) => truesum.rows(name).map(([set]) => set))).has("simd128"), rows === "simd128", "simd128");
for (const [name, theirs, outputLength] of ORACLES) {
    const options = outputLength ? { outputLength } : {};
    conforms(name, (message) => createHash(theirs, options).update(message).digest("hex"));
}
const algorithms = vectors();
refuses();
takes();
frees();
console.log(`${rows}: ${ORACLES.length} algorithms as Node's crypto, ${algorithms} by their vectors; ${compared} comparisons`);
