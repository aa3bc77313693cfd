// Reads a file to its end and posts its digest, or the reason for a failure. One worker hashes one file; the page terminates the
// worker to cancel it.

import { Truesum } from "./truesum.mjs";

/** Loads the module with SIMD, or the other one if the browser does not support it. */
async function load() {
    for (const name of ["truesum-simd128.wasm", "truesum.wasm"]) {
        const response = await fetch(new URL(name, import.meta.url));
        if (!response.ok) {
            throw new Error(`${name}: ${response.status} ${response.statusText}`);
        }
        const bytes = await response.arrayBuffer();
        if (WebAssembly.validate(bytes)) {
            return Truesum.load(bytes);
        }
    }
    throw new Error("this browser does not support WebAssembly modules");
}

/** Returns the digest of a file after reading all of its bytes; anything else is an error. */
async function digest(file, algorithm) {
    const hasher = (await load()).hasher(algorithm, file.size);
    const reader = file.stream().getReader();
    let read = 0;
    let told = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done) {
            break;
        }
        hasher.update(value);
        read += value.length;
        if (read - told >= 1 << 24) {
            told = read;
            postMessage({ read });
        }
    }
    if (read !== file.size) {
        throw new Error(`read ${read} of ${file.size} bytes`);
    }
    return { digest: hasher.finish(), read };
}

onmessage = async ({ data: { file, algorithm } }) => {
    try {
        postMessage(await digest(file, algorithm));
    } catch (error) {
        postMessage({ failure: `${error.name === "Error" ? "" : `${error.name}: `}${error.message}` });
    }
};
