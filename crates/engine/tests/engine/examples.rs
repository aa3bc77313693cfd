//! The programs in `examples/` work when used like a user's own programs.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// SHA-256 of `123456789`.
const DIGEST: &str = "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225";

/// They are built together with the tests, next to the tests' directory.
fn example(name: &str) -> Command {
    let test = std::env::current_exe().unwrap();
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let program: PathBuf = test.parent().unwrap().with_file_name("examples").join(name);
    assert!(
        program.exists(),
        "{} is built by cargo build --examples, and by cargo test without --test",
        program.display()
    );
    Command::new(program)
}

#[test]
fn verify_example_reports_only_fully_verified_manifests() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), "123456789").unwrap();
    let good = format!("{DIGEST}  a\n");
    let other = good.replacen('1', "2", 1);
    for (manifest, message) in [
        (good.clone(), "a: Verified\nverified\n"),
        (String::new(), "not verified\n"),
        ("garbage\n\u{1}\u{2}\n".to_owned(), "not verified\n"),
        (format!("{good}garbage\n"), "a: Verified\nnot verified\n"),
        (other, "a: Mismatch\nnot verified\n"),
    ] {
        let path = folder.path().join("SHA256SUMS");
        std::fs::write(&path, &manifest).unwrap();
        let output = example("verify_manifest").arg(&path).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), message, "{manifest:?}");
        assert_eq!(output.status.success(), message.ends_with("Verified\nverified\n"), "{manifest:?}");
    }
    let gone = example("verify_manifest").arg(folder.path().join("none")).output().unwrap();
    assert!(!gone.status.success() && gone.stdout.is_empty());
}

#[test]
fn hash_examples_give_digests_of_files_and_streams() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a");
    std::fs::write(&file, "123456789").unwrap();
    let output = example("hash_many").arg(&file).arg(folder.path().join("none")).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with(DIGEST) && text.lines().count() == 1, "{text}");
    assert!(!output.status.success() && !output.stderr.is_empty(), "one file is not there");
    let mut stream = example("hash_stream").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    stream.stdin.take().unwrap().write_all(b"123456789").unwrap();
    let output = stream.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), DIGEST);
}
