// The page: collects files and manifests, and shows what the worker reports.

import { unpack } from "./lzma.mjs";

const at = (id) => document.getElementById(id);

/** Maximum number of rows of one kind that are shown. */
const ROWS = 1000;

const WORDS = { ok: "OK", failed: "FAILED", missing: "missing", unlisted: "not listed", unverifiable: "not verifiable", digest: "not compared" };

/** The files by path: `{ file, source }`. A file that was dropped has a source, from which it can be opened again. */
const files = new Map();
/** Files and folders that could not be listed. */
let unlistable = [];
let manifests = [];
let worker = null;
/** Increases with each start, so that only the last one continues. */
let starts = 0;
/** Increases when everything is removed, so that a folder that is still being listed is not added afterwards. */
let removals = 0;

const workerUrl = URL.createObjectURL(new Blob([at("worker").textContent], { type: "text/javascript" }));

/** The digits of Base85, in the order of RFC 1924. */
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/** Returns the bytes of a text in Base85: five digits for four bytes, and at the end one digit more than bytes. */
function decoded(text) {
    const size = Math.floor((text.length * 4) / 5);
    const groups = new DataView(new ArrayBuffer(size + 4));
    const padded = text.padEnd(Math.ceil(text.length / 5) * 5, "~");
    const values = new Map([...DIGITS].map((digit, value) => [digit, value]));
    for (let at = 0; at < padded.length; at += 5) {
        const value = [...padded.slice(at, at + 5)].reduce((sum, digit) => 85 * sum + values.get(digit), 0);
        groups.setUint32((at / 5) * 4, value);
    }
    return new Uint8Array(groups.buffer, 0, size);
}

/** Returns the WebAssembly module of this page. */
async function compile() {
    return WebAssembly.compile(unpack(decoded(at("module").textContent.trim())));
}

const module = compile();
module.catch(() => {});

function show(verdict, text) {
    at("result").dataset.verdict = verdict;
    at("result").textContent = text;
}

function count(number, one, many) {
    return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

function bytes(number) {
    const units = ["bytes", "kB", "MB", "GB", "TB"];
    let unit = 0;
    for (; number >= 1000 && unit + 1 < units.length; unit++) {
        number /= 1000;
    }
    return `${unit ? number.toFixed(1) : number} ${units[unit]}`;
}

function addNotes(texts) {
    for (const text of texts) {
        at("notes").append(Object.assign(document.createElement("li"), { textContent: text }));
    }
}

function addRow({ name, status, detail }) {
    const body = at(status === "ok" || status === "digest" ? "good" : "problems");
    if (body.rows.length > ROWS) {
        return;
    }
    const row = body.insertRow();
    if (body.rows.length > ROWS) {
        row.insertCell();
        row.insertCell().textContent = `More than ${ROWS.toLocaleString("en")} rows; the others are not shown.`;
        return;
    }
    row.dataset.status = status;
    row.insertCell().textContent = WORDS[status];
    const cell = row.insertCell();
    cell.textContent = name;
    if (detail) {
        cell.append(Object.assign(document.createElement("span"), { textContent: detail }));
    }
}

/** Shows the final result. */
function conclude(result) {
    if (!result) {
        return show("digests", "Nothing to compare with yet: add a manifest or a digest.");
    }
    const { counts } = result;
    const reasons = [...result.reasons];
    if (unlistable.length) {
        reasons.push(`${count(unlistable.length, "item", "items")} could not be listed`);
    }
    const total = Object.entries(counts).filter(([, number]) => number).map(([status, number]) => `${WORDS[status]}: ${number.toLocaleString("en")}`);
    if (result.verified && !reasons.length) {
        return show("verified", `Verified: ${counts.ok === 1 ? "the file matches" : `all ${counts.ok.toLocaleString("en")} files match`}.`);
    }
    const verdict = counts.failed || counts.missing ? "failed" : "incomplete";
    show(verdict, `Not verified: ${reasons.join("; ")}.${total.length ? `\n${total.join(", ")}` : ""}`);
}

/** Returns whether a file is still the one that was dropped. Chosen files cannot be opened again, but reading them fails. */
async function isUnchanged(path) {
    const { file, source } = files.get(path);
    if (!source) {
        return true;
    }
    const now = await opened(source).catch(() => null);
    return now !== null && now.size === file.size && now.lastModified === file.lastModified;
}

function stop() {
    worker?.terminate();
    worker = null;
    at("progress").hidden = true;
    for (const id of ["notes", "problems", "good"]) {
        at(id).replaceChildren();
    }
}

/** Verifies the files from the start. */
async function start() {
    stop();
    const current = ++starts;
    const sum = [...files.values()].reduce((total, { file }) => total + file.size, 0);
    at("file-list").textContent = files.size ? `${count(files.size, "file", "files")}, ${bytes(sum)}` : "No files yet.";
    const names = manifests.map(({ name }) => name).join(", ");
    at("manifest-list").textContent = names || "Without one, manifests among the files are used.";
    addNotes(unlistable);
    const pasted = at("pasted").value.trim();
    if (!files.size) {
        return show("none", manifests.length || pasted ? "No files to verify yet." : "Nothing to verify yet.");
    }
    show("busy", "Starting ...");
    let compiled;
    try {
        compiled = await module;
    } catch (error) {
        return show("incomplete", `Not verified: this page is damaged, or the browser is too old for it (${error.message}).`);
    }
    if (current !== starts) {
        return;
    }
    const own = new Worker(workerUrl);
    worker = own;
    const fail = (why) => show("incomplete", `Not verified: ${why}.`);
    own.onerror = (event) => {
        event.preventDefault();
        fail(event.message ?? "the worker could not be started");
    };
    own.onmessage = async ({ data }) => {
        if (own !== worker) {
            return;
        }
        if (data.algorithms && at("algorithm").length === 1) {
            at("algorithm").append(...data.algorithms.map((name) => new Option(name)));
        } else if (data.manifests) {
            const found = data.manifests.filter(({ path }) => path !== undefined);
            if (found.length) {
                at("manifest-list").textContent = `Among the files: ${found.map(({ name }) => name).join(", ")}`;
            }
            for (const { name, malformed, notes } of data.manifests) {
                addNotes([...notes, ...malformed].map((text) => `${name}: ${text}`));
            }
        } else if (data.outcomes) {
            data.outcomes.forEach(addRow);
            if (data.progress) {
                const { name, files: read, allFiles, bytes: done, allBytes } = data.progress;
                at("progress").hidden = false;
                at("progress").value = allBytes ? done / allBytes : 1;
                show("busy", `Reading ${name}\n${read.toLocaleString("en")} of ${count(allFiles, "file", "files")}, ${bytes(done)} of ${bytes(allBytes)}`);
            }
        } else if (data.path) {
            own.postMessage({ unchanged: await isUnchanged(data.path) });
        } else if (data.failure) {
            fail(data.failure);
        } else if ("result" in data) {
            at("progress").hidden = true;
            conclude(data.result);
        }
    };
    const list = [...files].map(([path, { file }]) => [path, file]);
    own.postMessage({ module: compiled, files: list, manifests, pasted, algorithm: at("algorithm").value });
}

/** Returns the File of a FileSystemFileHandle, or of the older FileSystemFileEntry. */
function opened(source) {
    return source.getFile ? source.getFile() : new Promise((resolve, reject) => source.file(resolve, reject));
}

/** Returns what is in a folder. */
async function* children(source) {
    if (source.values) {
        yield* source.values();
        return;
    }
    const reader = source.createReader();
    for (;;) {
        // Each call returns some of the entries, and the last one returns none.
        const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        if (!entries.length) {
            return;
        }
        yield* entries;
    }
}

function isFolder(source) {
    return source.kind === "directory" || source.isDirectory === true;
}

/** Lists the files below a file or folder of the file system. */
async function list(source, path, found, failed) {
    try {
        if (!isFolder(source)) {
            found.push([path, { file: await opened(source), source }]);
            return;
        }
        for await (const below of children(source)) {
            await list(below, `${path}/${below.name}`, found, failed);
        }
    } catch (error) {
        failed.push(`${path}: not listed: ${error.message}`);
    }
}

async function addFiles(found, failed = []) {
    for (const [path, file] of found) {
        files.set(path, file);
    }
    unlistable.push(...failed);
    await start();
}

function addManifests(list) {
    manifests.push(...[...list].map((file) => ({ name: file.name, file })));
    start();
}

/** Makes an element accept dropped files, which `accept` receives as `{ source, file }`, with a promise of the first. */
function accepts(zone, accept) {
    zone.ondragover = (event) => {
        event.preventDefault();
        event.stopPropagation();
        zone.classList.add("over");
    };
    zone.ondragleave = () => zone.classList.remove("over");
    zone.ondrop = (event) => {
        event.preventDefault();
        event.stopPropagation();
        zone.classList.remove("over");
        // The items are only available during the event. In a page from a local file, Chromium lists folders only by their handles.
        const items = [...event.dataTransfer.items].filter(({ kind }) => kind === "file");
        accept(
            items.map((item) => {
                const [entry, handle] = [item.webkitGetAsEntry?.(), item.getAsFileSystemHandle?.()];
                return { source: Promise.resolve(handle).then((found) => found ?? entry, () => entry), file: item.getAsFile() };
            }),
        );
    };
}

async function drop(items) {
    show("busy", "Listing files ...");
    const current = removals;
    const [found, failed] = [[], []];
    for (const { source, file } of items) {
        const known = await source;
        if (known) {
            await list(known, known.name, found, failed);
        } else if (file) {
            found.push([file.name, { file }]);
        }
    }
    if (current === removals) {
        await addFiles(found, failed);
    }
}

accepts(document.body, drop);
accepts(at("file-zone"), drop);
accepts(at("manifest-zone"), (items) => addManifests(items.map(({ file }) => file)));
for (const button of document.querySelectorAll("[data-input]")) {
    button.onclick = () => at(button.dataset.input).click();
}
at("files").onchange = at("folder").onchange = ({ target }) => {
    addFiles([...target.files].map((file) => [file.webkitRelativePath || file.name, { file }]));
    target.value = "";
};
at("manifests").onchange = ({ target }) => {
    addManifests(target.files);
    target.value = "";
};
at("pasted").oninput = at("algorithm").onchange = start;
at("clear").onclick = () => {
    removals++;
    files.clear();
    [unlistable, manifests] = [[], []];
    at("pasted").value = "";
    start();
};
