// The speed of the module and of Node's own crypto, in MB/s.
// usage: node benchmark.mjs MODULE.wasm... [--algorithms NAME,NAME] [--rows]
// Measured for one message (16 MiB in slices of 128 KiB) and for many of equal length; each figure is the best of several turns.
// --rows: one message, and 2 to 8 in parallel, for every algorithm with lanes, to find when a row is faster.

import { createHash, webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { Truesum } from "../../examples/browser/truesum.mjs";

const arguments_ = process.argv.slice(2);
const option = (name) => arguments_[arguments_.indexOf(name) + 1];
const paths = arguments_.filter((text) => text.endsWith(".wasm"));
const modules = await Promise.all(
    paths.map(async (path) => [`${basename(dirname(path))}/${basename(path)}`, await Truesum.load(readFileSync(path))]),
);
const data = new Uint8Array(16 << 20);
for (let at = 0; at < data.length; at += 65536) {
    webcrypto.getRandomValues(data.subarray(at, at + 65536));
}

/** Returns the MB/s of the best turn of each, in the order of the list. */
async function race(bytes, runners, milliseconds = 60, turns = 7) {
    const best = runners.map(() => 0);
    for (let turn = 0; turn < turns; turn++) {
        for (const [i, [, run]] of runners.entries()) {
            const start = performance.now();
            let [count, spent] = [0, 0];
            while (spent < milliseconds) {
                await run();
                count++;
                spent = performance.now() - start;
            }
            best[i] = Math.max(best[i], (bytes * count) / spent / 1000);
        }
    }
    return best;
}

function table(title, runners, speeds) {
    console.log(title);
    runners.forEach(([name], i) => console.log(`  ${name.padEnd(44)} ${speeds[i].toFixed(0).padStart(6)} MB/s`));
}

const theirs = { sha256: "SHA-256", sha1: "SHA-1", sha384: "SHA-384", sha512: "SHA-512" };

async function one(algorithm) {
    const runners = modules.map(([name, module]) => [name, () => module.hasher(algorithm).update(data).finish()]);
    if (theirs[algorithm]) {
        runners.push(["crypto.subtle.digest", () => webcrypto.subtle.digest(theirs[algorithm], data)]);
    }
    runners.push(["crypto.createHash", () => createHash(algorithm).update(data).digest()]);
    table(`${algorithm}, one message of 16 MiB`, runners, await race(data.length, runners));
}

async function many(algorithm, length) {
    const count = Math.min(2000, data.length / length);
    const messages = Array.from({ length: count }, (_, i) => data.subarray(i * length, (i + 1) * length));
    const runners = modules.map(([name, module]) => [name, () => module.digests(algorithm, messages)]);
    if (theirs[algorithm]) {
        const digest = (message) => webcrypto.subtle.digest(theirs[algorithm], message);
        runners.push(["crypto.subtle.digest, Promise.all", () => Promise.all(messages.map(digest))]);
    }
    runners.push(["crypto.createHash", () => messages.forEach((message) => createHash(algorithm).update(message).digest("hex"))]);
    table(`${algorithm}, ${count} messages of ${length} bytes`, runners, await race(count * length, runners));
}

async function rows() {
    for (const [name, module] of modules) {
        console.log(`${name}: MB/s of one message, and of 2 to 8 and 64 at once`);
        for (const algorithm of module.algorithms()) {
            if (module.rows(algorithm).every(([, lanes]) => lanes === 1)) {
                continue;
            }
            const side = (count) => Array.from({ length: count }, (_, i) => data.subarray(i << 14, (i + 1) << 14));
            const figures = [];
            for (const count of [1, 2, 3, 4, 5, 6, 7, 8, 64]) {
                const messages = side(count);
                const [speed] = await race(count << 14, [["", () => module.digests(algorithm, messages)]], 5, 5);
                figures.push(speed.toFixed(0).padStart(5));
            }
            console.log(`  ${algorithm.padEnd(16)} ${figures.join(" ")}`);
        }
    }
}

if (arguments_.includes("--rows")) {
    await rows();
} else {
    for (const algorithm of arguments_.includes("--algorithms") ? option("--algorithms").split(",") : ["sha256"]) {
        await one(algorithm);
        for (const length of [64, 1024, 4096, 65536]) {
            await many(algorithm, length);
        }
    }
}
