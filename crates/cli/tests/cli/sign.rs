//! `truesum sign`: signatures that minisign and `check --pubkey` accept, and what is not signed.

use crate::program::Folder;
use std::process::Command;
use truesum_test_support::oracle;

/// A key pair that `minisign -G` wrote: the secret key with the password "secret" (and with the least memory for deriving
/// a key from it), and without.
const PUBLIC: &str = "RWTMw9cJmItWL1acXv8l+LbbtPCj6GKoBjeZdgFvOBUCTKNRlQf3gCxj";
const SECRET: &str = "RWRTY0Iy/VwuFeIESWngr33kIrtk7LQt2vZ+to96FlQoETddLV4AAAgAAAAAAAAAAAEAAAAAkaAyzU9wxY0ASfg8EQ5v/XA2OBiueK7d+IQ8t8we2+iOBA6oKB9Eza79ccG1jcKIQWtMN8x219UA2Hz8A/oVD84lgNsqKKquEVMCWFn7WLWALbOwY5sGpH0dfhmnblgT8opxj0OPbJs=";
const PLAIN: &str = "RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAzMPXCZiLVi+COe5vJjbAhKXQL8DafOQLyoYK3bS4Bqv8szTGnpPmUVacXv8l+LbbtPCj6GKoBjeZdgFvOBUCTKNRlQf3gCxjAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("a", "a\n");
    folder.write("M", "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7  a\n");
    for (name, text) in [("public", PUBLIC), ("secret", SECRET), ("plain", PLAIN)] {
        folder.write(name, format!("untrusted comment: minisign key\n{text}\n"));
    }
    folder
}

#[test]
fn signature_is_accepted_by_check_and_by_minisign() {
    let folder = folder();
    for (key, input) in [("plain", ""), ("secret", "secret\n"), ("secret", "secret\r\nmore")] {
        let ran = folder.feed(&["sign", "M", "--key", key], input.as_bytes());
        assert_eq!((ran.code, &*ran.err), (Some(0), "truesum: M: signature written to M.minisig\n"), "{key}");
        let checked = folder.run(&["check", "--pubkey", "public", "M"]);
        assert_eq!(checked.code, Some(0), "{}", checked.err);
        let minisign = Command::new("minisign")
            .args(["-V", "-m", "M", "-p", "public"])
            .current_dir(folder.path("."))
            .output();
        match minisign {
            Ok(output) => {
                let shown = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(output.status.success() && shown.contains("file:M\thashed"), "{output:?}");
            }
            Err(_) => oracle::missing("minisign"),
        }
        std::fs::remove_file(folder.path("M.minisig")).unwrap();
    }
}

#[test]
fn existing_signature_is_replaced_only_on_request() {
    let folder = folder();
    folder.write("M.minisig", "old");
    let refused = folder.feed(&["sign", "M", "--key", "secret"], b"secret\n");
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("M.minisig") && refused.err.contains("--overwrite"), "{}", refused.err);
    assert_eq!(std::fs::read(folder.path("M.minisig")).unwrap(), b"old");
    assert_eq!(folder.run(&["sign", "M", "--key", "plain", "--overwrite"]).code, Some(0));
    assert_eq!(folder.run(&["check", "--pubkey", "public", "M"]).code, Some(0));
}

#[test]
fn only_manifests_that_can_be_checked_are_signed() {
    let folder = folder();
    let line = "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7  a\n";
    folder.write("malformed", format!("{line}what?\n"));
    folder.write("empty", "");
    folder.write("comment", "# nothing\n");
    folder.write("inside", format!("untrusted comment: x\n{}\n{line}", "RWQ".to_owned() + &"A".repeat(97)));
    std::fs::create_dir(folder.path("folder")).unwrap();
    for name in ["malformed", "empty", "comment", "inside", "folder", "missing"] {
        let ran = folder.run(&["sign", name, "M", "--key", "plain", "--overwrite"]);
        assert_eq!(ran.code, Some(1), "{name}: {}", ran.err);
        assert!(ran.err.starts_with(&format!("truesum: {name}: cannot ")), "{}", ran.err);
        assert!(!folder.path(format!("{name}.minisig")).exists(), "{name}");
        assert!(folder.path("M.minisig").exists(), "the other manifest is signed");
    }
}

#[test]
fn wrong_password_and_other_keys_are_refused() {
    let folder = folder();
    let end = PLAIN.len() - 20;
    let other = if PLAIN.as_bytes()[end] == b'A' { "B" } else { "A" };
    folder.write("damaged", format!("untrusted comment: x\n{}{other}{}\n", &PLAIN[..end], &PLAIN[end + 1..]));
    folder.write("signify", format!("untrusted comment: x\n{}\n", "RWRCSwAA".repeat(17)));
    for (key, input, why) in [
        ("secret", "wrong\n", "wrong password"),
        ("secret", "", "wrong password"),
        ("damaged", "", "the key is damaged"),
        ("public", "", "not a secret key of minisign"),
        ("signify", "", "not a secret key of minisign"),
        ("a", "", "not a secret key of minisign"),
        ("missing", "", "No such file or directory"),
    ] {
        let ran = folder.feed(&["sign", "M", "--key", key], input.as_bytes());
        assert_eq!(ran.code, Some(2), "{key}: {}", ran.err);
        assert!(ran.err.contains(&format!("--key {key}: ")) && ran.err.contains(why), "{key}: {}", ran.err);
        assert!(!folder.path("M.minisig").exists());
    }
}

#[test]
fn time_stamps_are_named_with_their_command_and_never_count_as_verified() {
    let folder = folder();
    folder.write("M.ots", b"\x00OpenTimestamps\x00\x00Proof\x00\xbf\x89\xe2\xe8\x84\xe8\x92\x94\x01\x08");
    let ran = folder.run(&["check", "M"]);
    let hint = "hint: M has a time stamp that was not verified; to verify it: ots verify M.ots -f M\n";
    assert!(ran.code == Some(0) && ran.err.contains(hint), "{}", ran.err);
    let ran = folder.run(&["check", "M.ots"]);
    assert!(ran.code != Some(0) && ran.err.contains("ots verify M.ots -f M"), "{}", ran.err);
    let ran = folder.run(&["identify", "M.ots"]);
    let expected = "truesum: M.ots: this is a time stamp, and not a digest\n\
                    hint: to verify it: ots verify M.ots -f M\n";
    assert_eq!((ran.code, ran.err.as_str()), (Some(2), expected));
    // A request lists the digest of a file, but not as a manifest does.
    let request = b"\x30\x10\x02\x01\x01\x30\x0b\x30\x03\x06\x01\x2a\x04\x04abcd";
    folder.write("M.tsq", request);
    let ran = folder.run(&["check", "M.tsq"]);
    let command = "openssl ts -verify -queryfile M.tsq -in M.tsr -CAfile CA.pem";
    assert!(ran.code != Some(0) && ran.err.contains(command), "{}", ran.err);
    for (from, to) in [("a", "d/a"), ("M", "d/SHA256SUMS"), ("M.ots", "d/SHA256SUMS.ots")] {
        folder.write(to, folder.read(from));
    }
    folder.write("d/SHA256SUMS.tsq", request);
    let ran = folder.run(&["check", "-r", "d"]);
    assert_eq!((ran.code, ran.out()), (Some(0), "d/a: OK\n".to_owned()), "{}", ran.err);
}

#[test]
fn hint_for_a_folder_works_when_pasted() {
    let folder = folder();
    folder.write("d/it's/x", "x");
    let ran = folder.run(&["sign", "d/it's", "--key", "plain"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let commands = ran.err.split_once("hint: to sign a manifest of the folder: ").expect("a hint").1;
    let program = env!("CARGO_BIN_EXE_truesum");
    let mut shell = Command::new("sh");
    shell.current_dir(folder.root()).args(["-c", &commands.replace("truesum ", &format!("{program} "))]);
    assert!(shell.output().unwrap().status.success(), "{commands}");
    let checked = folder.run(&["check", "--pubkey", "public", "d/it's/SHA256SUMS"]);
    assert_eq!(checked.code, Some(0), "{}", checked.err);
}
