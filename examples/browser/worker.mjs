// Reads a file to its end and posts its digest, or the reason for a failure. One worker hashes one file; the page terminates the
// worker to cancel it.

import { Truesum } from "./truesum.mjs";

/** Returns the digest of a file after reading all of its bytes; anything else is an error. */
async function digest(file, algorithm) {
    const hasher = (await Truesum.load()).hasher(algorithm, file.size);
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
