//! Whole manifests of every kind, as their programs write them, checked against the files they list.
//!
//! `testdata/checks/FORMAT/NAME.expect.json` states what must be recognized in the manifest `file`: entries with their
//! digests and sizes, the number of malformed lines, and the verdict. The manifest is checked under the name `as`, in a
//! directory with the files of `testdata/checks/data`, or those that `place` puts there (`=TEXT` is a file's content).

use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use truesum::hash::find;
use truesum::{Conclusion, Event, Options, Progress, ReadOptions, Verification};
use truesum_fs::name::OsStrExt;

/// Name, algorithm and digest; both empty where no digest is listed.
type Found = BTreeSet<(Vec<u8>, String, String)>;

fn checks() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/checks")
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for item in std::fs::read_dir(folder).unwrap() {
        let path = item.unwrap().path();
        if path.is_dir() { files_below(&path, found) } else { found.push(path) }
    }
}

/// Names are compared with a single kind of separator and without a leading `./`.
fn plain(name: &[u8]) -> Vec<u8> {
    let name: Vec<u8> = name.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }).collect();
    let mut rest = &name[..];
    while let Some(shorter) = rest.strip_prefix(b"./") {
        rest = shorter;
    }
    rest.to_vec()
}

/// A name as written in the expectation: text, or `b64:` and its bytes in Base64.
fn octets(name: &str) -> Vec<u8> {
    match name.strip_prefix("b64:") {
        Some(text) => data_encoding::BASE64.decode(text.as_bytes()).unwrap(),
        None => name.as_bytes().to_vec(),
    }
}

fn put(target: &Path, content: &[u8]) {
    std::fs::create_dir_all(target.parent().unwrap()).unwrap();
    std::fs::write(target, content).unwrap();
}

/// Places the files and returns the manifest's path.
fn write_files(expect: &Value, manifest: &Path, root: &Path) -> PathBuf {
    let data = checks().join("data");
    match expect["place"].as_object() {
        Some(place) => {
            for (name, source) in place {
                let source = source.as_str().unwrap();
                let content = match source.strip_prefix('=') {
                    Some(text) => text.as_bytes().to_vec(),
                    None => std::fs::read(data.join(source)).unwrap(),
                };
                put(&root.join(OsStr::from_bytes(&octets(name))), &content);
            }
        }
        None => {
            let mut files = Vec::new();
            files_below(&data, &mut files);
            for file in files {
                put(&root.join(file.strip_prefix(&data).unwrap()), &std::fs::read(&file).unwrap());
            }
        }
    }
    let name = expect["as"].as_str().or(expect["file"].as_str()).unwrap();
    let target = root.join(name);
    put(&target, &std::fs::read(manifest).unwrap());
    target
}

/// Returns the differences between the outcome of one fixture and its expectation.
fn problems(path: &Path) -> Vec<String> {
    let expect: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut wanted = Found::new();
    let mut sizes = Vec::new();
    for entry in expect["entries"].as_array().unwrap() {
        let name = plain(&octets(entry["name"].as_str().unwrap()));
        let digests = entry["digests"].as_object().unwrap();
        if digests.is_empty() {
            wanted.insert((name.clone(), String::new(), String::new()));
        }
        for (algorithm, digest) in digests {
            let algorithm = find(algorithm).unwrap_or_else(|| panic!("no algorithm {algorithm}")).name();
            wanted.insert((name.clone(), algorithm.to_owned(), digest.as_str().unwrap().to_lowercase()));
        }
        sizes.extend(entry["size"].as_u64().map(|size| (name, size)));
    }
    let folder = tempfile::tempdir().unwrap();
    let manifest =
        write_files(&expect, &path.parent().unwrap().join(expect["file"].as_str().unwrap()), folder.path());
    let algorithms = match expect["opts"].as_array() {
        Some(options) => {
            assert_eq!(options[0], "-a");
            vec![options[1].as_str().unwrap().parse().unwrap()]
        }
        None => Vec::new(),
    };
    let root = expect["root"].as_str().map(|root| folder.path().join(root));
    let options = Options::from(ReadOptions::default().root(root).algorithms(algorithms));
    let progress = Progress::default();
    let mut verification = Verification::new(&options, &progress);
    let (mut found, mut found_sizes, mut malformed) = (Found::new(), Vec::new(), 0);
    verification
        .manifests(&[manifest], &mut |event| {
            match event {
                Event::Entry(_, outcome) => {
                    let job = &outcome.job;
                    let name = plain(job.name());
                    if job.specs().is_empty() {
                        found.insert((name.clone(), String::new(), String::new()));
                    }
                    for (spec, digest) in job.specs().iter().zip(job.expected()) {
                        found.insert((name.clone(), spec.to_string(), digest.to_hex()));
                    }
                    found_sizes.extend(job.size().map(|size| (name, size)));
                }
                Event::Malformed(..) => malformed += 1,
                _ => {}
            }
            Ok(())
        })
        .unwrap();
    let mut why = Vec::new();
    let lines = expect["malformed"].as_array().unwrap().len();
    if found != wanted {
        why.push(format!("found {found:?}\n  not {wanted:?}"));
    }
    why.extend(
        sizes.iter().filter(|size| !found_sizes.contains(size)).map(|(_, size)| format!("no size {size}")),
    );
    if malformed != lines {
        why.push(format!("{malformed} malformed lines, not {lines}"));
    }
    let verdict = match verification.report().verdict() {
        Conclusion::Verified => "verified",
        Conclusion::Failed => "failed",
        _ => "not-verified",
    };
    if verdict != expect["verdict"] {
        why.push(format!("{verdict}, not {}", expect["verdict"]));
    }
    why
}

#[test]
fn every_common_manifest_is_recognized_and_verified() {
    let mut files = Vec::new();
    files_below(&checks(), &mut files);
    files.retain(|path| path.to_str().is_some_and(|name| name.ends_with(".expect.json")));
    files.sort();
    assert!(files.len() >= 131, "only {}", files.len());
    let mut report = String::new();
    for path in &files {
        let why = problems(path);
        if !why.is_empty() {
            report += &format!("{}: {}\n", path.display(), why.join("; "));
        }
    }
    assert!(report.is_empty(), "{report}");
}
