// Checksums in a browser, a worker or Node, computed by the module that `build` makes of the hash crate.
//
//   const truesum = await Truesum.load(bytes);          // of truesum.wasm
//   const hasher = truesum.hasher("sha256", file.size); // a name as `truesum list algorithms` has it
//   hasher.update(bytes);                               // as often as there is something
//   hasher.finish();                                    // "ba7816bf..."
//   truesum.digests("md5", [bytes, bytes]);             // many messages side by side
//
// A name that is none, and a message of another size than was told, throw an Error that says so.

/** Bytes that cross into the module's memory at a time: few enough to stay in a core's cache. */
const SLICE = 128 << 10;
/** Bytes of many messages that lie there at a time, if one alone has not more. */
const BATCH = 4 << 20;

// These refuse whatever is not what they are of, also where it claims to be or comes from another frame.
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
 * @throws {TypeError} for anything else, and for a view of a buffer that was transferred or has shrunk, which would be an empty message.
 */
function bytesOf(data) {
    if (ArrayBuffer.isView(data)) {
        const { buffer, byteOffset, byteLength } = data;
        const bytes = new Uint8Array(buffer, byteOffset, byteLength);
        // A DataView that is out of bounds has thrown above; another view calls itself empty.
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

export class Truesum {
    #module;
    #slice;

    /** Makes one of the bytes of `truesum.wasm`, or of a module compiled of them. */
    static async load(source) {
        const made = await WebAssembly.instantiate(source, {});
        return new Truesum((made.instance ?? made).exports);
    }

    constructor(exports) {
        this.#module = exports;
        this.#slice = exports.reserve(SLICE);
    }

    /** The names of the algorithms there are. */
    algorithms() {
        this.#module.algorithms();
        return this.#text().trim().split("\n");
    }

    /** Which kernel rows serve an algorithm here: `[["simd128", 8], ["portable", 1]]`. */
    rows(algorithm) {
        this.#named(algorithm, (name, length) => this.#module.rows(name, length) === 0);
        const lines = this.#text().split("\n").filter((line) => line);
        return lines.map((line) => line.split(" ")).map(([set, lanes]) => [set, Number(lanes)]);
    }

    /** The bytes of memory that the module has taken so far. */
    memory() {
        return this.#module.memory.buffer.byteLength;
    }

    /** A hasher of one message, of `size` bytes if that is known: some algorithms keep the whole message until then. */
    hasher(algorithm, size = -1) {
        const begin = (name, length) => this.#module.begin(name, length, BigInt(size));
        return new Hasher(this.#module, this.#slice, this.#named(algorithm, begin), () => this.#text());
    }

    /** The digests of whole messages, as hexadecimal text, in their order. */
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

    /** What `call` returns of a name in the module's memory; where that is nothing, it has said why. */
    #named(algorithm, call) {
        const name = new TextEncoder().encode(algorithm);
        const { memory, reserve, release } = this.#module;
        const room = reserve(name.length);
        try {
            new Uint8Array(memory.buffer).set(name, room);
            const result = call(room, name.length);
            if (!result) {
                throw new Error(this.#text());
            }
            return result;
        } finally {
            release(room, name.length);
        }
    }

    /** What the last call has to say. */
    #text() {
        const { memory, answer, answer_len } = this.#module;
        return new TextDecoder().decode(new Uint8Array(memory.buffer, answer(), answer_len()));
    }
}

class Hasher {
    #module;
    #slice;
    #hasher;
    #text;

    constructor(module, slice, hasher, text) {
        this.#module = module;
        this.#slice = slice;
        this.#hasher = hasher;
        this.#text = text;
    }

    /**
     * Feeds the next bytes: an ArrayBuffer or any view of one, by its bytes.
     * @throws {TypeError} for anything else; a Blob or a Response has to be awaited first: `await file.arrayBuffer()`.
     */
    update(data) {
        const bytes = bytesOf(data);
        const hasher = this.#open();
        for (let start = 0; start < bytes.length; start += SLICE) {
            const part = bytes.subarray(start, start + SLICE);
            new Uint8Array(this.#module.memory.buffer).set(part, this.#slice);
            this.#module.update(hasher, this.#slice, part.length);
        }
        return this;
    }

    /** Ends the message: its digest as hexadecimal text. Nothing more can be asked of this hasher. */
    finish() {
        const hasher = this.#open();
        this.#hasher = null;
        const failed = this.#module.finish(hasher) < 0;
        if (failed) {
            throw new Error(this.#text());
        }
        return this.#text();
    }

    /** Gives its memory back where no digest is wanted any more. */
    discard() {
        if (this.#hasher) {
            this.#module.discard(this.#hasher);
            this.#hasher = null;
        }
    }

    #open() {
        if (!this.#hasher) {
            throw new Error("this hasher has ended");
        }
        return this.#hasher;
    }
}
