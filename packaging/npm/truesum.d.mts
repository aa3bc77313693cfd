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

    /** Returns whether a file with this name, which contains no folder, is likely to be a manifest. */
    isManifest(name: string): boolean;

    /**
     * Reads a checksum manifest, whose format is recognized. Malformed lines are not errors; they are part of the result.
     * @throws {Error} If `options.algorithm` is not known.
     */
    manifest(data: Bytes, options?: ManifestOptions): Manifest;

    /**
     * Compares files with manifests. Each file is read once, in slices.
     * @param files - The files by their paths, which are relative to the folder of the manifest, or to one that contains it.
     */
    verify(
        manifests: readonly Manifest[],
        files: Iterable<readonly [path: string, file: BlobLike]>,
        options?: VerifyOptions,
    ): Promise<Verification>;
}

/** The part of `Blob` that is used. In Node, `openAsBlob` of `node:fs` returns one for a file. */
export interface BlobLike {
    readonly size: number;
    slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

export interface ManifestOptions {
    /** The name of the manifest, which may determine the format and the algorithm. */
    name?: string;
    /** The path of the manifest, if it is itself one of the files to verify. */
    path?: string;
    /** The path of the file that has the digest, if the manifest is a single digest without a name. */
    subject?: string;
    /** The only algorithm to accept. Digests of other algorithms are malformed lines. */
    algorithm?: string;
}

export interface Manifest {
    name: string;
    path?: string;
    /** The name of the format, as in `truesum list formats`. */
    format: string | null;
    entries: Entry[];
    /** Descriptions of malformed lines, at most 1000. */
    malformed: string[];
    /** The number of malformed lines. */
    malformedCount: number;
    /** The reason why the manifest could not be read to its end. */
    failure: string | null;
    /** What users should know about the result, such as that an algorithm does not detect tampering. */
    notes: string[];
}

/** The information about one file in a manifest. */
export interface Entry {
    /** The line number, in formats of lines. */
    line: number | null;
    /** The name, quoted if it contains characters that are not visible. */
    name: string;
    /** The paths that the file may have. */
    paths: string[];
    size: number | null;
    /** Algorithms, each with the digests in hexadecimal that match: more than one if programs differ in the byte order. */
    digests: [algorithm: string, ...accepted: string[]][];
    /** The reason why this entry cannot be verified. */
    fault: string | null;
    /** Whether the entry may be that of a folder. */
    untyped: boolean;
}

export interface VerifyOptions {
    onOutcome?: (outcome: Outcome) => void;
    onProgress?: (progress: Progress) => void;
    /** Called after a file was read; returns whether it is still the same file. A Blob notices only some changes. */
    unchanged?: (path: string) => boolean | Promise<boolean>;
}

export type Status = "ok" | "failed" | "missing" | "unlisted" | "unverifiable";

/** The result for an entry, or for a file that is in no manifest. */
export interface Outcome {
    name: string;
    status: Status;
    detail: string;
}

export interface Progress {
    /** The path of the file being read. */
    name: string;
    files: number;
    allFiles: number;
    bytes: number;
    allBytes: number;
}

export interface Verification {
    /** True only if every entry matches a file, every file has an entry, and every manifest was read completely. */
    verified: boolean;
    counts: Record<Status, number>;
    /** Why not everything was verified. */
    reasons: string[];
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
