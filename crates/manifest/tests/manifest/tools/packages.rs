//! Programs of distributions and packagers: BusyBox, dpkg, and Python's wheel.

use super::{NAMES, entry, expected_entries, folder, read, run, specs};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use truesum_manifest::{Heading, Style, Writer, append, format};
use truesum_test_support::oracle::missing;

/// Returns the names that contain none of these bytes.
fn names_without(bytes: &'static [u8]) -> impl Iterator<Item = &'static [u8]> + Clone {
    NAMES.iter().copied().filter(move |name| !name.iter().any(|byte| bytes.contains(byte)))
}

#[test]
fn busybox_verifies_our_output_and_its_output_is_read() {
    let root = folder("busybox");
    // BusyBox escapes nothing, and takes a name that starts with a dash for an option. A name that ends like a piece has
    // the mark of an escaped name.
    let names = names_without(b"\n\r\\").filter(|name| !name.starts_with(b"-") && *name != b"x offset 0-1");
    for (applet, spec) in
        [("md5sum", "md5"), ("sha1sum", "sha1"), ("sha256sum", "sha256"), ("sha512sum", "sha512")]
    {
        let mut ours = Vec::new();
        for path in names.clone() {
            append(&entry(path, &specs(&[spec])), format("gnu").unwrap(), &Style::default(), &mut ours)
                .unwrap();
        }
        std::fs::write(root.join("ours"), &ours).unwrap();
        let Some(output) = run("busybox", &root, &[applet.as_bytes(), b"-c", b"ours"]) else { return };
        assert!(output.status.success(), "{applet}: {}", String::from_utf8_lossy(&output.stdout));
        let args: Vec<&[u8]> = std::iter::once(applet.as_bytes()).chain(names.clone()).collect();
        let output = run("busybox", &root, &args).unwrap();
        assert_eq!(
            read(&output.stdout, b"SUMS"),
            (expected_entries(names.clone(), &specs(&[spec])), 0),
            "{applet}"
        );
    }
}

#[test]
fn dpkg_packages_list_is_read() {
    let root = folder("dpkg");
    let package = root.with_extension("package");
    std::fs::create_dir_all(package.join("DEBIAN")).unwrap();
    let control = "Package: p\nVersion: 1\nArchitecture: all\nMaintainer: x <x@y>\nDescription: x\n";
    std::fs::write(package.join("DEBIAN/control"), control).unwrap();
    let built = root.with_extension("deb");
    let args = [b"-b", package.as_os_str().as_bytes(), built.as_os_str().as_bytes()];
    let Some(output) = run("dpkg-deb", &root, &args) else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let package = std::fs::read(built).unwrap();
    // A line end ends its field, and thus the name.
    let names: Vec<Vec<u8>> = names_without(b"\n").map(|name| [name, b".deb"].concat()).collect();
    for name in &names {
        std::fs::write(root.join(OsStr::from_bytes(name)), &package).unwrap();
    }
    let Some(output) = run("dpkg-scanpackages", &root, &[b"-m", b"."]) else { return };
    let (found, bad) = read(&output.stdout, b"Packages");
    assert_eq!((found.keys().collect::<BTreeSet<_>>(), bad), (names.iter().collect(), 0));
    let specs = specs(&["md5", "sha1", "sha256"]);
    let digests: BTreeSet<String> =
        specs.iter().map(|spec| format!("{spec}:{}", spec.digest(&package).to_hex())).collect();
    assert!(found.values().all(|found| found.iter().cloned().collect::<BTreeSet<_>>() == digests));
}

/// Packs the folder `a-1` with the `RECORD` next to it, and runs `wheel unpack`, which verifies
/// each file. Then runs `wheel pack` on the folder, and writes the resulting `RECORD` to `theirs`.
const WHEEL: &str = r#"
import os, subprocess, sys, zipfile
try: import wheel
except ImportError: sys.exit(77)
with zipfile.ZipFile("a-1-py3-none-any.whl", "w") as packed:
    for folder, _, names in os.walk("a-1"):
        for name in names:
            path = os.path.join(folder, name)
            packed.write(path, os.path.relpath(path, "a-1"))
    packed.write("RECORD", "a-1.dist-info/RECORD")
wheel = [sys.executable, "-m", "wheel"]
subprocess.run(wheel + ["unpack", "-d", "out", "a-1-py3-none-any.whl"], check=True)
subprocess.run(wheel + ["pack", "-d", "out", "a-1"], check=True)
with zipfile.ZipFile("out/a-1-py3-none-any.whl") as packed, open("theirs", "wb") as theirs:
    theirs.write(packed.read("a-1.dist-info/RECORD"))
"#;

#[test]
fn wheel_accepts_our_record_and_its_record_is_read() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wheel");
    let _ = std::fs::remove_dir_all(&root);
    let about: [(&[u8], &[u8]); 2] = [
        (b"a-1.dist-info/WHEEL", b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
        (b"a-1.dist-info/METADATA", b"Metadata-Version: 2.1\nName: a\nVersion: 1\n"),
    ];
    // Names in an archive are text, and a record is a single line.
    let files: Vec<(&[u8], &[u8])> =
        names_without(b"\n\r\xff").map(|name| (name, name)).chain(about).collect();
    let specs = specs(&["sha256"]);
    let mut writer = Writer::new(Vec::new(), format("recordcsv").unwrap(), &Heading::default());
    for (name, content) in &files {
        let path = root.join("a-1").join(OsStr::from_bytes(name));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        let digests = specs.iter().map(|spec| (spec.clone(), spec.digest(content))).collect();
        let size = Some(content.len() as u64);
        writer.write(&truesum_manifest::Entry { size, digests, ..entry(name, &specs) }).unwrap();
    }
    let mut ours = writer.finish().unwrap();
    ours.extend_from_slice(b"a-1.dist-info/RECORD,,\n");
    std::fs::write(root.join("RECORD"), ours).unwrap();
    let Some(output) = run("python3", &root, &[b"-c", WHEEL.as_bytes()]) else { return };
    if output.status.code() == Some(77) {
        return missing("wheel (Python)");
    }
    let message = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{message}");
    let (mut found, bad) = read(&std::fs::read(root.join("theirs")).unwrap(), b"RECORD");
    // The line for RECORD itself has no digest.
    assert!(bad <= 1, "{bad}");
    found.remove(&b"a-1.dist-info/RECORD"[..]);
    for (name, content) in &files {
        let digest = format!("sha256:{}", specs[0].digest(content).to_hex());
        assert_eq!(found.get(*name), Some(&vec![digest]), "{}", name.escape_ascii());
    }
    assert_eq!(found.len(), files.len());
}
