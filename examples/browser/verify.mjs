// Compares files with the entries of manifests.

/** Bytes read at a time. Browsers check at each read whether a file has changed since it was selected. */
const READ_SIZE = 4 << 20;

/** The extensions of files with a detached signature. */
const SIGNATURES = [".asc", ".gpg", ".minisig", ".sig", ".sign"];

/**
 * Returns the digests of a Blob, one for each algorithm, in hexadecimal. It is read once, in slices.
 * @param onRead - Called with the number of bytes of each slice.
 * @throws {Error} if it could not be read completely, or changed while it was read.
 */
export async function digests(truesum, blob, algorithms, onRead = () => {}) {
    const { size } = blob;
    const read = async (start, end) => {
        const bytes = await blob.slice(start, end).arrayBuffer();
        if (bytes.byteLength !== end - start) {
            throw new Error("the file has changed");
        }
        return bytes;
    };
    const hashers = [];
    try {
        for (const algorithm of algorithms) {
            hashers.push(truesum.hasher(algorithm, size));
        }
        let next = read(0, Math.min(READ_SIZE, size));
        for (let at = 0; at < size; ) {
            const bytes = await next;
            at += bytes.byteLength;
            // The next slice is read while this one is hashed. After the last one, its last byte is read again: that fails if the
            // file has changed.
            next = at < size ? read(at, Math.min(at + READ_SIZE, size)) : read(size - 1, size);
            next.catch(() => {});
            hashers.forEach((hasher) => hasher.update(bytes));
            onRead(bytes.byteLength);
        }
        await next;
        return hashers.map((hasher) => hasher.finish());
    } finally {
        hashers.forEach((hasher) => hasher.discard());
    }
}

/** Returns the folder of a path; that of a path without a folder is empty. */
function folderOf(path) {
    return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function join(folder, path) {
    return folder ? `${folder}/${path}` : path;
}

/** Returns the first of an entry's paths, below a folder, that a file has. */
function find(entry, folder, files) {
    return entry.paths.map((path) => join(folder, path)).find((path) => files.has(path));
}

/**
 * Returns the folder that the names in a manifest are relative to: the one with the most of its files among the folder of the manifest
 * and those above it or, if the manifest is not one of the files, the folder that contains all of them and the one above it.
 */
function rootOf(manifest, files, top) {
    const roots = [];
    for (let folder = manifest.path === undefined ? top : folderOf(manifest.path); folder; folder = folderOf(folder)) {
        roots.push(folder);
    }
    roots.push("");
    const count = (folder) => manifest.entries.filter((entry) => find(entry, folder, files) !== undefined).length;
    const counts = roots.map(count);
    return roots[counts.indexOf(Math.max(...counts))];
}

/** Returns the first folder of all paths; empty if they differ. */
function topOf(paths) {
    const first = (path) => path.slice(0, Math.max(0, path.indexOf("/")));
    const [top = "", ...others] = new Set([...paths].map(first));
    return others.length ? "" : top;
}

/**
 * Assigns entries to files. Returns the entries of each file by its path, and those without a file.
 *
 * A name that no file has may differ from that of a file in its Unicode normalization, which macOS changes. It is used if only one file
 * has such a name and no entry has the name of this file.
 */
function assign(manifests, files) {
    const top = topOf(files.keys());
    const [assigned, missing] = [new Map(), []];
    const add = (path, entry, note) => {
        assigned.set(path, [...(assigned.get(path) ?? []), { entry, note }]);
    };
    const folders = new Set();
    for (const path of files.keys()) {
        for (let folder = folderOf(path); folder && !folders.has(folder); folder = folderOf(folder)) {
            folders.add(folder);
        }
    }
    for (const manifest of manifests) {
        const root = rootOf(manifest, files, top);
        for (const entry of manifest.entries) {
            const path = find(entry, root, files);
            if (path !== undefined) {
                add(path, entry);
            } else if (!entry.untyped || !folders.has(join(root, entry.paths[0]))) {
                missing.push({ entry, root });
            }
        }
    }
    const normalized = new Map();
    for (const path of missing.length ? files.keys() : []) {
        const form = path.normalize();
        normalized.set(form, normalized.has(form) ? null : path);
    }
    const isFree = new Set([...files.keys()].filter((path) => !assigned.has(path)));
    const lost = [];
    for (const { entry, root } of missing) {
        const found = entry.paths.map((path) => normalized.get(join(root, path).normalize())).find((path) => isFree.delete(path));
        if (found === undefined) {
            lost.push(entry);
        } else {
            add(found, entry, "the Unicode normalization of the name differs");
        }
    }
    return { assigned, missing: lost };
}

/** Returns the result of comparing an entry with a file whose digests are known. */
function compare(entry, size, found) {
    if (entry.size !== null && entry.size !== size) {
        return ["failed", `the size is ${size} bytes instead of ${entry.size}`];
    }
    const wrong = entry.digests.find(([algorithm, ...accepted]) => !accepted.includes(found.get(algorithm)));
    return wrong ? ["failed", `${wrong[0]} is ${found.get(wrong[0])} instead of ${wrong[1]}`] : ["ok", ""];
}

function counted(count, one, many) {
    return `${count} ${count === 1 ? one : many}`;
}

/** Returns why not everything was verified; nothing if it was. */
function reasonsFor(manifests, counts) {
    const reasons = [];
    const add = (count, one, many) => count && reasons.push(counted(count, one, many));
    add(counts.failed, "file does not match the manifest", "files do not match the manifest");
    add(counts.missing, "file in the manifest is missing", "files in the manifest are missing");
    add(counts.unverifiable, "file could not be verified", "files could not be verified");
    add(counts.unlisted, "file is not in the manifest", "files are not in the manifest");
    for (const { name, failure, malformedCount, entries } of manifests) {
        if (failure !== null) {
            reasons.push(`${name} could not be read: ${failure}`);
        } else if (malformedCount) {
            reasons.push(`${name} has ${counted(malformedCount, "malformed line", "malformed lines")}`);
        } else if (!entries.length) {
            reasons.push(`${name} has no entries`);
        }
    }
    if (!counts.ok && !reasons.length) {
        reasons.push("nothing was compared");
    }
    return reasons;
}

/**
 * Compares files with manifests.
 * @param manifests - Results of `Truesum.manifest`.
 * @param files - Paths and Blobs, as a Map or pairs.
 * @param onOutcome - Called with `{ name, status, detail }` for each entry, and for each file that is in no manifest.
 * @param onProgress - Called with `{ name, files, allFiles, bytes, allBytes }` for each slice that was read.
 * @param unchanged - Called with the path of each file after it was read; resolves to whether it is still the same file.
 * @returns `{ verified, counts, reasons }`. `verified` is true only if every file and every entry was verified.
 */
export async function verify(truesum, manifests, files, { onOutcome = () => {}, onProgress = () => {}, unchanged = () => true } = {}) {
    files = new Map(files);
    const { assigned, missing } = assign(manifests, files);
    const counts = { ok: 0, failed: 0, missing: 0, unlisted: 0, unverifiable: 0 };
    const report = (name, status, detail = "") => {
        counts[status]++;
        onOutcome({ name, status, detail });
    };
    const isReadable = ({ entry }) => entry.fault === null;
    const progress = { name: "", files: 0, allFiles: 0, bytes: 0, allBytes: 0 };
    for (const [path, entries] of assigned) {
        progress.allFiles++;
        progress.allBytes += entries.some(isReadable) ? files.get(path).size : 0;
    }
    for (const [path, entries] of assigned) {
        const file = files.get(path);
        const algorithms = [...new Set(entries.filter(isReadable).flatMap(({ entry }) => entry.digests.map(([algorithm]) => algorithm)))];
        const found = new Map();
        let failure;
        progress.name = path;
        onProgress(progress);
        try {
            const onRead = (bytes) => {
                progress.bytes += bytes;
                onProgress(progress);
            };
            if (algorithms.length) {
                (await digests(truesum, file, algorithms, onRead)).forEach((digest, i) => found.set(algorithms[i], digest));
                failure = (await unchanged(path)) ? undefined : "the file changed while it was read";
            }
        } catch (error) {
            const hint = error.name === "NotReadableError" ? "the file has changed since it was selected, or cannot be read" : error.message;
            failure = `not read completely: ${hint}`;
        }
        for (const { entry, note } of entries) {
            const [status, detail] = entry.fault ?? failure ? ["unverifiable", entry.fault ?? failure] : compare(entry, file.size, found);
            report(entry.name, status, [detail, note].filter(Boolean).join("; "));
        }
        progress.files++;
        onProgress(progress);
    }
    for (const entry of missing) {
        report(entry.name, entry.paths.length ? "missing" : "unverifiable", entry.fault ?? "");
    }
    const own = new Set(manifests.flatMap(({ path }) => (path === undefined ? [] : ["", ...SIGNATURES].map((end) => path + end))));
    for (const path of files.keys()) {
        if (!assigned.has(path) && !own.has(path)) {
            report(path, "unlisted");
        }
    }
    const reasons = reasonsFor(manifests, counts);
    return { verified: reasons.length === 0, counts, reasons };
}
