//! Programs for package archives and sets of files: apt, dpkg, pip, par2, and sha256sum with NUL.

use super::{NAMES, expected_entries, folder, read, run, specs};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use truesum_test_support::oracle::missing;

/// Returns the names that contain none of these bytes.
fn names_without(bytes: &'static [u8]) -> Vec<&'static [u8]> {
    NAMES.iter().copied().filter(|name| !name.iter().any(|byte| bytes.contains(byte))).collect()
}

/// Builds a Debian package named `p` and returns its bytes.
fn package(root: &Path) -> Option<Vec<u8>> {
    let content = root.with_extension("content");
    std::fs::create_dir_all(content.join("DEBIAN")).unwrap();
    let control = "Package: p\nVersion: 1\nArchitecture: all\nMaintainer: x <x@y>\nDescription: x\n";
    std::fs::write(content.join("DEBIAN/control"), control).unwrap();
    let built = root.with_extension("deb");
    let output =
        run("dpkg-deb", root, &[b"-b", content.as_os_str().as_bytes(), built.as_os_str().as_bytes()])?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(std::fs::read(built).unwrap())
}

#[test]
fn apt_release_files_are_read() {
    let root = folder("apt-release");
    let all = [
        &b"-o"[..],
        b"APT::FTPArchive::Release::Default-Patterns=false",
        b"-o",
        b"APT::FTPArchive::Release::Patterns::=*",
        b"release",
        b".",
    ];
    let Some(output) = run("apt-ftparchive", &root, &all) else { return };
    let (mut found, bad) = read(&output.stdout, b"Release");
    // A field ends at a blank, so that no reader can find a name that contains one. Such a line is
    // bad here, with three exceptions: the words before the name look like those of an upload, the
    // blank is at the start or end of the name, or the line is the first of two.
    let names = names_without(b" \t\n");
    for broken in [&b"0-1"[..], b"x", b"trail", b"lead", b"new"] {
        found.remove(broken);
    }
    let expected = expected_entries(names.iter().copied(), &specs(&["md5", "sha1", "sha256", "sha512"]));
    for (name, digests) in &expected {
        assert_eq!(found.get(name), Some(digests), "{}", name.escape_ascii());
    }
    assert_eq!(found.keys().collect::<BTreeSet<_>>(), expected.keys().collect());
    assert!(bad > 0, "names with blanks");
}

#[test]
fn apt_packages_and_sources_are_read() {
    let root = folder("apt-packages");
    let Some(package) = package(&root) else { return };
    // A line end ends its field. The names have the suffix `.deb`, so that no field ends with a
    // blank.
    let names: Vec<Vec<u8>> = names_without(b"\n").iter().map(|name| [name, &b".deb"[..]].concat()).collect();
    for name in &names {
        std::fs::write(root.join(OsStr::from_bytes(name)), &package).unwrap();
    }
    let Some(output) = run("apt-ftparchive", &root, &[b"packages", b"."]) else { return };
    let (found, bad) = read(&output.stdout, b"Packages");
    assert_eq!((found.keys().collect::<BTreeSet<_>>(), bad), (names.iter().collect(), 0));
    let specs = specs(&["md5", "sha1", "sha256", "sha512"]);
    let digests: BTreeSet<String> =
        specs.iter().map(|spec| format!("{spec}:{}", spec.digest(&package).to_hex())).collect();
    assert!(found.values().all(|found| found.iter().cloned().collect::<BTreeSet<_>>() == digests));
}

#[test]
fn dpkg_source_control_files_are_read() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dpkg-source");
    let _ = std::fs::remove_dir_all(&root);
    let debian = root.join("p-1/debian");
    std::fs::create_dir_all(debian.join("source")).unwrap();
    for (name, text) in [
        (
            "changelog",
            "p (1) unstable; urgency=low\n\n  * x\n\n -- x <x@y>  Mon, 23 Nov 2026 09:08:16 +0000\n",
        ),
        (
            "control",
            "Source: p\nMaintainer: x <x@y>\nSection: misc\nPriority: optional\nStandards-Version: 4.6.0\n\n\
             Package: p\nArchitecture: all\nDescription: x\n",
        ),
        ("source/format", "3.0 (native)\n"),
        ("rules", "#!/usr/bin/make -f\n"),
    ] {
        std::fs::write(debian.join(name), text).unwrap();
    }
    let Some(output) = run("dpkg-source", &root, &[b"-b", b"p-1"]) else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let specs = specs(&["md5", "sha1", "sha256", "sha512"]);
    let holds = |text: &[u8], list: &[u8], files: &[&str], least: usize| {
        let (found, bad) = read(text, list);
        let names: BTreeSet<&[u8]> = found.keys().map(Vec::as_slice).collect();
        assert_eq!((names, bad), (files.iter().map(|name| name.as_bytes()).collect(), 0));
        for (name, digests) in &found {
            let content = std::fs::read(root.join(OsStr::from_bytes(name))).unwrap();
            let all: Vec<String> =
                specs.iter().map(|spec| format!("{spec}:{}", spec.digest(&content).to_hex())).collect();
            assert!(
                digests.len() >= least && digests.iter().all(|digest| all.contains(digest)),
                "{digests:?}"
            );
        }
    };
    let packed =
        std::fs::read_dir(&root).unwrap().filter_map(|file| file.ok()?.file_name().into_string().ok());
    let packed = packed.into_iter().find(|name| name.starts_with("p_1.tar.")).unwrap();
    holds(&std::fs::read(root.join("p_1.dsc")).unwrap(), b"p_1.dsc", &[&packed], 3);
    let Some(output) = run("dpkg-genchanges", &root.join("p-1"), &[b"-S"]) else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    holds(&output.stdout, b"p_1_source.changes", &["p_1.dsc", &packed], 3);
    let Some(output) = run("apt-ftparchive", &root, &[b"sources", b"."]) else { return };
    holds(&output.stdout, b"Sources", &["p_1.dsc", &packed], 4);
}

#[test]
fn pip_hash_output_is_read() {
    let root = folder("pip");
    // pip takes only names that are text, and prints spaces in place of a tab.
    let names: Vec<&[u8]> =
        names_without(b"\n\r\t\xff").into_iter().filter(|name| !name.starts_with(b"-")).collect();
    for algorithm in ["sha256", "sha384", "sha512"] {
        let args: Vec<&[u8]> = [&b"-m"[..], b"pip", b"hash", b"-a", algorithm.as_bytes()]
            .into_iter()
            .chain(names.iter().copied())
            .collect();
        let Some(output) = run("python3", &root, &args) else { return };
        if output.stdout.is_empty() {
            return missing("pip (Python)");
        }
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let expected = expected_entries(names.iter().copied(), &specs(&[algorithm]));
        assert_eq!(read(&output.stdout, b"hashes"), (expected, 0), "{algorithm}");
    }
}

#[test]
fn par2_files_are_read() {
    let root = folder("par2");
    // par2 splits names at backslashes, and takes a name that starts with a dash for an option.
    let names: Vec<&[u8]> =
        NAMES.iter().copied().filter(|name| !name.starts_with(b"-") && !name.contains(&b'\\')).collect();
    let beside = root.with_extension("set");
    let _ = std::fs::remove_dir_all(&beside);
    std::fs::create_dir_all(&beside).unwrap();
    let set = beside.join("set.par2");
    let folder = root.as_os_str().as_bytes();
    let fixed =
        [&b"create"[..], b"-q", b"-q", b"-s4", b"-c1", b"-B", folder, set.as_os_str().as_bytes(), b"--"];
    let args: Vec<&[u8]> = fixed.into_iter().chain(names.iter().copied()).collect();
    let Some(output) = run("par2", &root, &args) else { return };
    let message = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{message}");
    let (found, bad) = read(&std::fs::read(&set).unwrap(), b"set.par2");
    assert_eq!((found, bad), (expected_entries(names.into_iter(), &specs(&["md5"])), 0));
}

#[test]
fn nul_terminated_coreutils_output_is_read() {
    let root = folder("nul");
    for (program, list, spec) in
        [("md5sum", &b"SUMS"[..], "md5"), ("sha256sum", b"SUMS", "sha256"), ("b2sum", b"B2SUMS", "blake2b")]
    {
        for tag in [&[&b"--tag"[..]][..], &[]] {
            let fixed = [&b"--zero"[..]].into_iter().chain(tag.iter().copied()).chain([&b"--"[..]]);
            let args: Vec<&[u8]> = fixed.chain(NAMES.iter().copied()).collect();
            let Some(output) = run(program, &root, &args) else { return };
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let expected = expected_entries(NAMES.iter().copied(), &specs(&[spec]));
            assert_eq!(read(&output.stdout, list), (expected, 0), "{program} {tag:?}");
        }
    }
}
