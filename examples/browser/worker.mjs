// Verifies files for the page and posts what it finds. The page terminates the worker to cancel it.

import { Truesum } from "./truesum.mjs";
import { digests } from "./verify.mjs";

/** Maximum size of a manifest, which is read into memory. */
const LIMIT = 256 << 20;
/** Milliseconds between two messages to the page. */
const PAUSE = 100;

let outcomes = [];
let progress = null;
let posted = 0;

/** Posts the outcomes and the progress so far, if the last message was not posted just now. */
function post(isLast = false) {
    if (isLast || performance.now() - posted >= PAUSE) {
        posted = performance.now();
        postMessage({ outcomes, progress });
        outcomes = [];
    }
}

/** Asks the page whether the file with this path is still the same, which only the page can find out. */
function unchanged(path) {
    return new Promise((resolve) => {
        addEventListener("message", ({ data }) => resolve(data.unchanged), { once: true });
        postMessage({ path });
    });
}

/** Reads the manifests that were chosen; without any, those among the files that have the name of a manifest. */
async function read(truesum, files, chosen, pasted, algorithm) {
    const isNamed = ([path]) => truesum.isManifest(path.slice(path.lastIndexOf("/") + 1)) && !/\.(asc|gpg|minisig|sig|sign)$/i.test(path);
    const own = chosen.length || pasted ? [] : files.filter(isNamed).map(([path, file]) => ({ name: path, path, file }));
    const manifests = [];
    for (const { name, path, file } of [...chosen, ...own]) {
        try {
            if (file.size > LIMIT) {
                throw new Error(`it has more than ${LIMIT >> 20} MiB; the program truesum reads manifests of any size`);
            }
            manifests.push(truesum.manifest(await file.arrayBuffer(), { name, path, algorithm }));
        } catch (error) {
            manifests.push({ name, path, failure: error.message, entries: [], malformed: [], malformedCount: 0, notes: [] });
        }
    }
    if (pasted) {
        const subject = files.length === 1 ? files[0][0] : "";
        const manifest = truesum.manifest(new TextEncoder().encode(`${pasted}\n`), { name: "the pasted text", subject, algorithm });
        const [entry] = manifest.entries;
        // A line for one file is compared with the only file, whatever its name: browsers rename downloads.
        if (subject && manifest.entries.length === 1 && entry.paths[0] !== subject) {
            entry.paths = [subject];
            manifest.notes.push(`the pasted line is for ${entry.name}, and the file is ${subject}`);
        }
        manifests.push(manifest);
    }
    return manifests;
}

async function run({ module, files, manifests: chosen, pasted, algorithm }) {
    const truesum = await Truesum.load(module);
    postMessage({ algorithms: truesum.algorithms() });
    const manifests = await read(truesum, files, chosen, pasted, algorithm);
    postMessage({ manifests: manifests.map(({ name, path, malformed, notes }) => ({ name, path, malformed, notes })) });
    const onProgress = (now) => {
        progress = { ...now };
        post();
    };
    if (manifests.length && files.length) {
        const onOutcome = (outcome) => outcomes.push(outcome);
        const result = await truesum.verify(manifests, files, { onOutcome, onProgress, unchanged });
        post(true);
        postMessage({ result });
        return;
    }
    const now = { name: "", files: 0, allFiles: files.length, bytes: 0, allBytes: files.reduce((sum, [, file]) => sum + file.size, 0) };
    for (const [path, file] of files) {
        now.name = path;
        const onRead = (bytes) => {
            now.bytes += bytes;
            onProgress(now);
        };
        try {
            const [digest] = await digests(truesum, file, [algorithm || "sha256"], onRead);
            outcomes.push({ name: path, status: "digest", detail: `${algorithm || "sha256"}: ${digest}` });
        } catch (error) {
            outcomes.push({ name: path, status: "unverifiable", detail: `not read completely: ${error.message}` });
        }
        now.files++;
        onProgress(now);
    }
    post(true);
    postMessage({ result: null });
}

addEventListener(
    "message",
    ({ data }) => run(data).catch((error) => postMessage({ failure: `${error.name}: ${error.message}` })),
    { once: true },
);
