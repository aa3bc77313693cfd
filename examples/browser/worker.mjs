// Reads a file to its end and says its digest, or why there is none. One worker hashes one file: a page that wants no more of it
// terminates it.

import { Truesum } from "./truesum.mjs";

/** The module with vectors, or the one without where the browser knows none. */
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
    throw new Error("this browser runs neither module");
}

/** The digest of a file, of which every byte was read: any other end of it is an error. */
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
        throw new Error(`${read} bytes were read of a file of ${file.size}`);
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
