//! Compares with the programs that define a format, if they are installed: each reads our output,
//! and we read its output, for names that have caused problems.

mod archives;
mod packages;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use truesum_hash::Spec;
use truesum_manifest::{
    Entry, Format, Heading, Options, Reader, Style, Unrepresentable, WriteError, Writer, append, format,
};
use truesum_test_support::oracle::missing;

/// Names, each with one peculiarity.
const NAMES: &[&[u8]] = &[
    b"plain",
    b"two words",
    b"two  blanks",
    b" lead",
    b"trail ",
    b"tab\tx",
    b"#hash",
    b";semi",
    b"deadbeef",
    b"deadbeef 8bc1c45f",
    b"quo\"te",
    b"\"quoted\"",
    b"comma, x",
    b"back\\slash",
    b"new\nline",
    b"cr\rmid",
    b"umlaut-\xc3\xa4",
    b"not-utf8-\xff",
    b"(paren) = x",
    b"sub/deep",
    b"-dash",
    b"x offset 0-1",
    b"*star",
    b"@at",
    b"~tilde",
    b"$(id)",
    b"a:b",
    b"=x",
    b"it's",
    b"<x>&amp;",
    b"{\"a\":1}",
    b".hidden",
    b"dot.",
    b"caf\xc3\xa9 \xe2\x82\xac",
    b"nfd-u\xcc\x88",
    b"rtl\xe2\x80\xaex",
    b"\xf0\x9f\x92\xbe",
    b"d41d8cd98f00b204e9800998ecf8427e",
    b"a;b",
    b"[1] {2}",
];

/// Creates a folder with a file for each name; the contents differ.
fn folder(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&root);
    std::fs::create_dir_all(root.join("sub")).unwrap();
    for path in NAMES {
        std::fs::write(root.join(OsStr::from_bytes(path)), path).unwrap();
    }
    root
}

/// Runs a program. Returns `None` if it is not installed, which is reported.
fn run(program: &str, folder: &Path, args: &[&[u8]]) -> Option<Output> {
    let output = Command::new(program)
        .args(args.iter().map(|arg| OsStr::from_bytes(arg)))
        .current_dir(folder)
        .env("LC_ALL", "C.UTF-8")
        .output();
    if output.is_err() {
        missing(program);
    }
    output.ok()
}

/// Returns an entry for the file with this name, with digests of these algorithms.
fn entry(path: &[u8], specs: &[Spec]) -> Entry {
    let digests = specs.iter().map(|spec| (spec.clone(), spec.digest(path))).collect();
    Entry { path: path.to_vec(), size: Some(path.len() as u64), digests, ..Entry::default() }
}

/// Returns the manifest, and the names that the format cannot hold.
fn write(format: &'static Format, heading: &Heading, specs: &[Spec]) -> (Vec<u8>, Vec<&'static [u8]>) {
    let mut writer = Writer::new(Vec::new(), format, heading);
    let mut refused = Vec::new();
    for path in NAMES {
        match writer.write(&entry(path, specs)) {
            Ok(()) => {}
            Err(WriteError::Refused(Unrepresentable::Byte(_) | Unrepresentable::Edge)) => refused.push(*path),
            Err(error) => panic!("{error}"),
        }
    }
    (writer.finish().unwrap(), refused)
}

/// Returns the entries that our reader finds, as names with hexadecimal digests, and the number of
/// bad lines.
fn read(text: &[u8], file_name: &[u8]) -> (BTreeMap<Vec<u8>, Vec<String>>, usize) {
    let (mut entries, mut bad) = (BTreeMap::new(), 0);
    for item in Reader::new(text, Options::for_name(file_name)) {
        match item {
            Ok(line) => {
                let digests =
                    line.entry.digests.iter().map(|(spec, digest)| format!("{spec}:{}", digest.to_hex()));
                entries.insert(line.entry.path, digests.collect());
            }
            Err(_) => bad += 1,
        }
    }
    (entries, bad)
}

fn expected_entries<'a>(
    names: impl Iterator<Item = &'a [u8]>,
    specs: &[Spec],
) -> BTreeMap<Vec<u8>, Vec<String>> {
    let digests = |path: &[u8]| {
        specs.iter().map(|spec| format!("{spec}:{}", spec.digest(path).to_hex())).collect::<Vec<_>>()
    };
    names.map(|path| (path.to_vec(), digests(path))).collect()
}

fn specs(names: &[&str]) -> Vec<Spec> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

#[test]
fn sfv_programs_verify_our_output() {
    let root = folder("sfv-ours");
    let (text, refused) = write(format("sfv").unwrap(), &Heading::default(), &specs(&["crc32"]));
    let lost: [&[u8]; 9] = [
        b" lead",
        b"trail ",
        b"#hash",
        b";semi",
        b"\"quoted\"",
        b"back\\slash",
        b"new\nline",
        b"cr\rmid",
        b"*star",
    ];
    assert_eq!(refused, lost);
    std::fs::write(root.join("ours.sfv"), &text).unwrap();
    // cfv reads only text.
    let lines = text.split_inclusive(|&byte| byte == b'\n').filter(|line| std::str::from_utf8(line).is_ok());
    std::fs::write(root.join("utf8.sfv"), lines.collect::<Vec<_>>().concat()).unwrap();
    for (program, args) in [
        ("cksfv", &[&b"-q"[..], b"-f", b"ours.sfv"][..]),
        ("rhash", &[b"--check", b"--crc32", b"ours.sfv"]),
        ("cfv", &[b"-T", b"-q", b"-f", b"utf8.sfv"]),
    ] {
        if let Some(output) = run(program, &root, args) {
            let message = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{program}: {message}");
        }
    }
}

#[test]
fn output_of_sfv_programs_is_read() {
    let root = folder("sfv-theirs");
    let names: Vec<&[u8]> =
        NAMES.iter().copied().filter(|name| !name.starts_with(b"-") && !name.contains(&b'\\')).collect();
    for (program, args) in [("cksfv", &[][..]), ("rhash", &[&b"--sfv"[..], b"--crc32"][..])] {
        let args: Vec<&[u8]> = args.iter().copied().chain(names.iter().copied()).collect();
        let Some(output) = run(program, &root, &args) else { continue };
        let (found, bad) = read(&output.stdout, b"theirs.sfv");
        // These programs escape nothing: a line end in a name breaks its line, quotes around a name
        // look like those that some programs add, and a name that starts like a comment is one.
        // RHash drops leading blanks.
        let lost: &[&[u8]] = &[b"new\nline", b"cr\rmid", b"\"quoted\"", b";semi"];
        let mut expected =
            expected_entries(names.iter().copied().filter(|name| !lost.contains(name)), &specs(&["crc32"]));
        for (broken, piece) in [(&b"new\nline"[..], &b"line"[..]), (b"\"quoted\"", b"quoted")] {
            let digest =
                expected_entries(std::iter::once(broken), &specs(&["crc32"])).remove(broken).unwrap();
            expected.insert(piece.to_vec(), digest);
        }
        expected.insert(
            b"cr\rmid".to_vec(),
            expected_entries(std::iter::once(&b"cr\rmid"[..]), &specs(&["crc32"]))[&b"cr\rmid"[..]].clone(),
        );
        for (name, digests) in &expected {
            assert_eq!(found.get(name), Some(digests), "{program}: {}", name.escape_ascii());
        }
        assert_eq!(
            found.len(),
            expected.len(),
            "{program}: {:?}",
            found.keys().map(|name| name.escape_ascii().to_string())
        );
        assert!(bad >= 1, "{program}: ';semi' is a comment that looks like an entry");
    }
}

/// Returns the lines of a text in order, except that the rows are sorted: hashdeep reads files in
/// any order.
fn rows_sorted(text: &[u8]) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    let rows = lines.iter().position(|line| line == b"## ").map_or(2, |at| at + 1);
    lines[rows..].sort();
    lines
}

#[test]
fn hashdeep_matches_and_accepts_our_output() {
    let root = folder("hashdeep");
    for (columns, names) in [("md5,sha256", ["md5", "sha256"]), ("whirlpool,tiger", ["tiger", "whirlpool"])] {
        let specs = specs(&names);
        let heading = Heading::default()
            .folder(root.as_os_str().as_bytes().to_vec())
            .command(format!("hashdeep -c {columns} -l -r .").into_bytes())
            .superuser(true);
        let mut writer = Writer::new(Vec::new(), format("hashdeep").unwrap(), &heading);
        // For these names, hashdeep cannot read its own output.
        let lost: &[&[u8]] = &[b"new\nline", b"cr\rmid", b"x offset 0-1"];
        for path in NAMES.iter().filter(|path| !lost.contains(path)) {
            writer.write(&Entry { path: [b"./", *path].concat(), ..entry(path, &specs) }).unwrap();
        }
        let text = writer.finish().unwrap();
        for path in lost {
            std::fs::remove_file(root.join(OsStr::from_bytes(path)))
                .or_else(|_| root.metadata().map(drop))
                .unwrap();
        }
        let args: &[&[u8]] = &[b"-c", columns.as_bytes(), b"-l", b"-r", b"."];
        let Some(output) = run("hashdeep", &root, args) else { return };
        let prompt = output.stdout.windows(5).any(|part| part == b"## # ");
        let ours = if prompt {
            text.clone()
        } else {
            String::from_utf8_lossy(&text).replacen("## # ", "## $ ", 1).into()
        };
        assert_eq!(
            rows_sorted(&ours),
            rows_sorted(&output.stdout),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
        let (found, bad) = read(&output.stdout, b"known.txt");
        assert_eq!((found.len(), bad), (NAMES.len() - lost.len(), 0));
        let manifest = root.with_extension("known");
        std::fs::write(&manifest, &text).unwrap();
        // hashdeep takes its columns from the manifest.
        let args: &[&[u8]] = &[b"-l", b"-r", b"-a", b"-k", manifest.as_os_str().as_bytes(), b"."];
        let output = run("hashdeep", &root, args).unwrap();
        assert!(
            output.stdout.starts_with(b"hashdeep: Audit passed"),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
}

/// Returns our line for one file, or `None` if the format cannot hold its name.
fn single_entry(name: &str, path: &[u8], spec: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let entry = entry(path, &specs(&[spec]));
    match append(&entry, format(name).unwrap(), &Style::default(), &mut out) {
        Ok(()) => Some(out),
        Err(Unrepresentable::Byte(_) | Unrepresentable::Edge) => None,
        Err(why) => panic!("{why}"),
    }
}

#[test]
fn openssl_output_is_byte_identical() {
    let root = folder("openssl");
    let mut compared = 0;
    for (spec, option) in
        [("sha256", "-sha256"), ("md5", "-md5"), ("sha512-256", "-sha512-256"), ("blake2b", "-blake2b512")]
    {
        for path in NAMES {
            let Some(ours) = single_entry("openssl", path, spec) else { continue };
            // openssl takes a name that starts with a dash for an option.
            if path.starts_with(b"-") {
                continue;
            }
            let Some(output) = run("openssl", &root, &[b"dgst", option.as_bytes(), path]) else { return };
            assert_eq!(ours.escape_ascii().to_string(), output.stdout.escape_ascii().to_string());
            let (found, bad) = read(&output.stdout, b"x");
            assert_eq!((found, bad), (expected_entries(std::iter::once(*path), &specs(&[spec])), 0));
            compared += 1;
        }
    }
    assert!(compared >= 4 * (NAMES.len() - 3), "only {compared}");
}

#[test]
fn md5deep_output_is_byte_identical() {
    let root = folder("md5deep");
    for (program, spec) in [("md5deep", "md5"), ("sha1deep", "sha1"), ("sha256deep", "sha256")] {
        for path in NAMES {
            let Some(ours) = single_entry("md5deep", path, spec) else { continue };
            if path.starts_with(b"-") {
                continue;
            }
            let Some(output) = run(program, &root, &[b"-z", b"-l", path]) else { return };
            assert_eq!(ours.escape_ascii().to_string(), output.stdout.escape_ascii().to_string());
        }
    }
}

#[test]
fn rhash_magnet_links_are_identical() {
    let root = folder("magnet");
    for (spec, option) in [("sha1", "--sha1"), ("sha256", "--sha256"), ("md5", "--md5")] {
        for path in NAMES.iter().filter(|path| !path.starts_with(b"-") && !path.contains(&b'\\')) {
            let ours = single_entry("magnet", path, spec).expect("any name");
            let Some(output) = run("rhash", &root, &[b"--magnet", option.as_bytes(), path]) else { return };
            // RHash writes only the last component of a name, percent-encoded with digits of either
            // case.
            let last = path.rsplit(|&byte| byte == b'/').next().unwrap();
            if last == *path {
                let lower = |text: &[u8]| String::from_utf8_lossy(text).to_ascii_lowercase();
                assert_eq!(lower(&ours), lower(&output.stdout));
            }
            let (found, bad) = read(&output.stdout, b"x");
            assert_eq!(
                (found, bad),
                (
                    expected_entries(std::iter::once(last), &[])
                        .into_keys()
                        .map(|name| (
                            name,
                            expected_entries(std::iter::once(*path), &specs(&[spec])).remove(*path).unwrap()
                        ))
                        .collect(),
                    0
                )
            );
        }
    }
}

#[test]
fn bagit_py_accepts_our_bags() {
    let root = folder("bag");
    let payload = root.join("data");
    std::fs::create_dir_all(payload.join("sub")).unwrap();
    let mut manifest = Vec::new();
    let mut octets = 0;
    for path in NAMES {
        // The library opens only names that are text.
        let held = std::str::from_utf8(path).is_ok();
        let name = [b"data/", *path].concat();
        let Some(line) = single_entry("bagit", &name, "sha256") else { continue };
        if held {
            std::fs::write(payload.join(OsStr::from_bytes(path)), &name).unwrap();
            octets += name.len();
            manifest.extend_from_slice(&line);
        }
    }
    std::fs::write(root.join("manifest-sha256.txt"), &manifest).unwrap();
    std::fs::write(root.join("bagit.txt"), "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
        .unwrap();
    let info = format!("Payload-Oxum: {octets}.{}\n", manifest.split(|&byte| byte == b'\n').count() - 1);
    std::fs::write(root.join("bag-info.txt"), info).unwrap();
    let code: &[u8] =
        b"import sys\ntry: import bagit\nexcept ImportError: sys.exit(77)\nbagit.Bag('.').validate()";
    let Some(output) = run("python3", &root, &[b"-c", code]) else { return };
    if output.status.code() == Some(77) {
        return missing("bagit (Python)");
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (found, bad) = read(&manifest, b"manifest-sha256.txt");
    assert_eq!((found.len(), bad), (manifest.split(|&byte| byte == b'\n').count() - 1, 0));
}

#[test]
fn mtree_verifies_our_output_and_its_output_is_read() {
    let root = folder("mtree");
    let mut writer = Writer::new(Vec::new(), format("mtree").unwrap(), &Heading::default());
    for path in NAMES {
        writer.write(&entry(path, &specs(&["sha256", "md5"]))).unwrap();
    }
    std::fs::write(root.with_extension("ours"), writer.finish().unwrap()).unwrap();
    let (ours, folder) = (root.with_extension("ours"), root.as_os_str().as_bytes());
    let list = ours.as_os_str().as_bytes();
    // With -e, files that are not in the list are not errors.
    let Some(output) = run("mtree", &root, &[b"-e", b"-f", list, b"-p", folder]) else { return };
    let message = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{message}");
    std::fs::write(root.join("plain"), "PLAIN").unwrap();
    let output = run("mtree", &root, &[b"-e", b"-f", list, b"-p", folder]).unwrap();
    assert!(!output.status.success(), "a changed file is seen by it");
    std::fs::write(root.join("plain"), "plain").unwrap();
    let output = run("mtree", &root, &[b"-c", b"-k", b"type,size,sha256", b"-p", folder]).unwrap();
    let (found, bad) = read(&output.stdout, b"theirs.mtree");
    assert_eq!((found, bad), (expected_entries(NAMES.iter().copied(), &specs(&["sha256"])), 0));
}

#[test]
fn xxhsum_verifies_our_output() {
    let root = folder("xxhsum");
    for (spec, name) in
        [("xxh64", "gnu"), ("xxh128", "gnu"), ("xxh64", "bsd"), ("xxh128", "bsd"), ("xxh32", "bsd")]
    {
        let mut text = Vec::new();
        // xxhsum escapes nothing and reads lines as text.
        for path in NAMES.iter().filter(|path| !path.iter().any(|byte| b"\n\r\\".contains(byte))) {
            append(&entry(path, &specs(&[spec])), format(name).unwrap(), &Style::default(), &mut text)
                .unwrap();
        }
        std::fs::write(root.join("ours"), text).unwrap();
        let Some(output) = run("xxhsum", &root, &[b"-c", b"ours"]) else { return };
        let message = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{spec} {name}: {message}");
    }
}
