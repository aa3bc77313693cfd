/** The bytes of a message. Those of a `Blob` or a `Response` must be awaited first: `await file.arrayBuffer()`. */
export type Bytes = ArrayBufferLike | ArrayBufferView;

/** The algorithms, compiled to WebAssembly. */
export class Truesum {
    private constructor();

    /**
     * Loads the module of this package that is supported here, with SIMD if possible.
     * @param source - The bytes of `truesum.wasm` or `truesum-simd128.wasm`, or a `WebAssembly.Module` compiled from them, if
     *     they cannot be loaded from the folder of this package.
     */
    static load(source?: Bytes | object): Promise<Truesum>;

    /** Returns the names of the available algorithms. */
    algorithms(): string[];

    /** Returns the kernels available for an algorithm, and the number of messages that each of them hashes at once. */
    rows(algorithm: string): [kernel: string, messages: number][];

    /** Returns the size of the module's memory in bytes. */
    memory(): number;

    /**
     * Returns a hasher for one message.
     * @param algorithm - A name as for `truesum hash --algorithm`, for example `sha256` or `blake3`.
     * @param size - The number of bytes of the message, if known. `finish` throws if the message has any other size. Some
     *     algorithms keep the complete message in memory if the size is not known.
     * @throws {Error} If the algorithm is not known, or requires a key.
     */
    hasher(algorithm: string, size?: number): Hasher;

    /** Returns the digests of complete messages in hexadecimal, in the same order. The messages are hashed in parallel lanes. */
    digests(algorithm: string, messages: readonly Bytes[]): string[];
}

/** Computes the digest of one message. */
export interface Hasher {
    /**
     * Adds the next bytes of the message.
     * @throws {TypeError} If `data` is neither an `ArrayBuffer` nor a view of one.
     */
    update(data: Bytes): this;

    /**
     * Ends the message and returns its digest in hexadecimal. The hasher cannot be used afterwards.
     * @throws {Error} If the message did not have the size that was passed to `Truesum.hasher`.
     */
    finish(): string;

    /** Releases the hasher's memory without computing a digest. */
    discard(): void;
}
