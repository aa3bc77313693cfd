// Checksums in a browser, a worker or Node, computed by the module that `build` makes from the hash crate.
//
//   const truesum = await Truesum.load();               // the module next to this file, with SIMD if it is supported
//   const hasher = truesum.hasher("sha256", file.size); // a name from `truesum list algorithms`
//   hasher.update(bytes);                               // once for each part of the message
//   hasher.finish();                                    // "ba7816bf..."
//   truesum.digests("md5", [bytes, bytes]);             // several messages in parallel lanes
//   const manifest = truesum.manifest(bytes, { name: "SHA256SUMS" });
//   await truesum.verify([manifest], [["x.iso", blob]]); // { verified, counts, reasons }
//
// An unknown name, and a message whose size differs from the given one, throw an Error with a message.

import { verify } from "./verify.mjs";

/** Bytes copied to the module's memory at a time: few enough to stay in a core's cache. */
const SLICE = 128 << 10;
/** Maximum total size of several messages copied at once; a single message may be larger. */
const BATCH = 4 << 20;

const encoder = new TextEncoder();

// These getters throw for objects of any other type, even ones that imitate the type, and accept buffers from other frames.
const lengths = [ArrayBuffer, globalThis.SharedArrayBuffer]
    .filter(Boolean)
    .map((kind) => Object.getOwnPropertyDescriptor(kind.prototype, "byteLength").get);
const validate = Object.getPrototypeOf(Uint8Array).prototype.values;

function isBuffer(data) {
    return lengths.some((length) => {
        try {
            length.call(data);
            return true;
        } catch {
            return false;
        }
    });
}

/**
 * Returns the bytes of a BufferSource, without a copy.
 * @throws {TypeError} for anything else, and for a view of a buffer that was transferred or has shrunk, which would look like an
 *     empty message.
 */
function bytesOf(data) {
    if (ArrayBuffer.isView(data)) {
        const { buffer, byteOffset, byteLength } = data;
        const bytes = new Uint8Array(buffer, byteOffset, byteLength);
        // An out-of-bounds DataView has thrown above; other views report a length of 0.
        if (byteLength === 0 && Object.prototype.toString.call(data) !== "[object DataView]") {
            validate.call(data);
        }
        return bytes;
    }
    if (isBuffer(data)) {
        return new Uint8Array(data);
    }
    const what = Object.prototype.toString.call(data).slice(8, -1);
    const hint = typeof data?.arrayBuffer === "function" ? ": await its arrayBuffer()" : typeof data?.then === "function" ? ": await it" : "";
    throw new TypeError(`a message is an ArrayBuffer or a view of one, not ${what}${hint}`);
}

/** The modules, the fastest first. Bundlers find files by literal names like these. */
const MODULES = [
    () => new URL("./truesum-simd128.wasm", import.meta.url),
    () => new URL("./truesum.wasm", import.meta.url),
];

/** Returns the content of the first module that is supported here. */
async function supported() {
    for (const module of MODULES) {
        const bytes = await content(module());
        if (WebAssembly.validate(bytes)) {
            return bytes;
        }
    }
    throw new Error("WebAssembly modules are not supported here");
}

async function content(url) {
    // Node's `fetch` does not read files. An import of `node:fs` would make bundlers for browsers fail.
    const files = url.protocol === "file:" && globalThis.process?.getBuiltinModule?.("node:fs/promises");
    if (files) {
        return files.readFile(url);
    }
    const response = await fetch(url);
    if (!response.ok) {
        throw new Error(`${url}: ${response.status} ${response.statusText}`);
    }
    return response.arrayBuffer();
}

export class Truesum {
    #module;
    #slice;

    /**
     * Creates an instance from the bytes of `truesum.wasm`, or from a module compiled from them. Without an argument, the
     * modules are next to this file.
     */
    static async load(source) {
        source ??= await supported();
        const made = await WebAssembly.instantiate(source, {});
        return new Truesum((made.instance ?? made).exports);
    }

    constructor(exports) {
        this.#module = exports;
        this.#slice = exports.reserve(SLICE);
    }

    /** Returns the names of the available algorithms. */
    algorithms() {
        this.#module.algorithms();
        return this.#text().trim().split("\n");
    }

    /** Returns the kernel rows available for an algorithm: `[["simd128", 8], ["portable", 1]]`. */
    rows(algorithm) {
        this.#named(algorithm, (name, length) => this.#module.rows(name, length) === 0);
        const lines = this.#text().split("\n").filter((line) => line);
        return lines.map((line) => line.split(" ")).map(([set, lanes]) => [set, Number(lanes)]);
    }

    /** Returns the size of the module's memory in bytes. */
    memory() {
        return this.#module.memory.buffer.byteLength;
    }

    /** Returns a hasher for one message, with `size` bytes if known: otherwise some algorithms keep the whole message in memory. */
    hasher(algorithm, size = -1) {
        const begin = (name, length) => this.#module.begin(name, length, BigInt(size));
        return new Hasher(this.#module, this.#slice, this.#named(algorithm, begin), size, () => this.#text());
    }

    /** Returns the digests of whole messages in hexadecimal, in the same order. */
    digests(algorithm, messages) {
        messages = messages.map(bytesOf);
        const found = [];
        for (let first = 0; first < messages.length; ) {
            let [last, bytes] = [first + 1, messages[first].length];
            while (last < messages.length && bytes + messages[last].length <= BATCH) {
                bytes += messages[last++].length;
            }
            found.push(...this.#batch(algorithm, messages.slice(first, last), bytes));
            first = last;
        }
        return found;
    }

    /** Returns whether a file with this name, which contains no folder, is likely to be a manifest. */
    isManifest(name) {
        return this.#passed([encoder.encode(name)], (at, length) => this.#module.is_manifest(at, length)) === 1;
    }

    /**
     * Reads a manifest of any text format.
     * @param name - Its name, which may determine its format and algorithm. A list of one digest without a name is for the file that the
     *     manifest is named after, or for `subject`.
     * @param path - Its path, if it is itself one of the files to verify.
     * @param algorithm - If given, digests of all other algorithms are malformed lines.
     */
    manifest(data, { name = "", path, subject = "", algorithm = "" } = {}) {
        const parts = [bytesOf(data), ...[name, subject, algorithm].map((text) => encoder.encode(text))];
        if (this.#passed(parts, (...args) => this.#module.manifest(...args)) < 0) {
            throw new Error(this.#text());
        }
        return { name, path, ...JSON.parse(this.#text()) };
    }

    /** Compares files with manifests: see `verify.mjs`. */
    verify(manifests, files, options) {
        return verify(this, manifests, files, options);
    }

    #batch(algorithm, messages, bytes) {
        const { memory, reserve, release, digests } = this.#module;
        const table = 4 * messages.length;
        const room = reserve(table + bytes);
        try {
            let at = room + table;
            const lengths = new DataView(memory.buffer, room, table);
            const all = new Uint8Array(memory.buffer);
            messages.forEach((message, i) => {
                lengths.setUint32(4 * i, message.length, true);
                all.set(message, at);
                at += message.length;
            });
            const call = (name, length) => digests(name, length, room + table, room, messages.length) === 0;
            this.#named(algorithm, call);
            return this.#text().split("\n");
        } finally {
            release(room, table + bytes);
        }
    }

    /** Passes a name to `call` in the module's memory and returns its result; if that is falsy, throws the module's message. */
    #named(algorithm, call) {
        const result = this.#passed([encoder.encode(algorithm)], call);
        if (!result) {
            throw new Error(this.#text());
        }
        return result;
    }

    /** Passes bytes to `call` in the module's memory, as their address and the length of each part. Returns its result. */
    #passed(parts, call) {
        const { memory, reserve, release } = this.#module;
        const lengths = parts.map((part) => part.length);
        const total = lengths.reduce((sum, length) => sum + length, 0);
        const room = reserve(total);
        try {
            let at = room;
            for (const part of parts) {
                new Uint8Array(memory.buffer).set(part, at);
                at += part.length;
            }
            return call(room, ...lengths);
        } finally {
            release(room, total);
        }
    }

    /** Returns the text of the last call: its result or error message. */
    #text() {
        const { memory, answer, answer_len } = this.#module;
        return new TextDecoder().decode(new Uint8Array(memory.buffer, answer(), answer_len()));
    }
}

class Hasher {
    #module;
    #slice;
    #hasher;
    #size;
    #read = 0;
    #text;

    constructor(module, slice, hasher, size, text) {
        this.#module = module;
        this.#slice = slice;
        this.#hasher = hasher;
        this.#size = size;
        this.#text = text;
    }

    /**
     * Feeds the next bytes: those of an ArrayBuffer or of any view of one.
     * @throws {TypeError} for anything else; the bytes of a Blob or a Response must be awaited first: `await file.arrayBuffer()`.
     */
    update(data) {
        const bytes = bytesOf(data);
        const hasher = this.#open();
        for (let start = 0; start < bytes.length; start += SLICE) {
            const part = bytes.subarray(start, start + SLICE);
            new Uint8Array(this.#module.memory.buffer).set(part, this.#slice);
            this.#module.update(hasher, this.#slice, part.length);
        }
        this.#read += bytes.length;
        return this;
    }

    /** Ends the message and returns its digest in hexadecimal. The hasher cannot be used afterwards. */
    finish() {
        const hasher = this.#open();
        // The module itself needs the size only for some algorithms.
        if (this.#size >= 0 && this.#read !== this.#size) {
            this.discard();
            throw new Error(`the message does not have the given size: ${this.#read} bytes instead of ${this.#size}`);
        }
        this.#hasher = null;
        const failed = this.#module.finish(hasher) < 0;
        if (failed) {
            throw new Error(this.#text());
        }
        return this.#text();
    }

    /** Releases the hasher's memory without computing a digest. */
    discard() {
        if (this.#hasher) {
            this.#module.discard(this.#hasher);
            this.#hasher = null;
        }
    }

    #open() {
        if (!this.#hasher) {
            throw new Error("this hasher has already ended");
        }
        return this.#hasher;
    }
}
