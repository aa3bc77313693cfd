//! `truesum check app.apk`: the results for Android packages.

use crate::program::{Folder, result_of};

const DIGEST: &str = "f2c66122e1a77046cedfc3c24ff41897119e1fb5ff4f35180fc89ffc2257835a";

fn folder() -> Folder {
    let package = std::fs::read("../../testdata/apk/sha256.apk").unwrap();
    let folder = Folder::with(&[]);
    let mut bad = package.clone();
    bad[40] ^= 1;
    for (name, bytes) in [("app.apk", &package), ("bad.apk", &bad), ("cut.apk", &package[..8000].to_vec())] {
        std::fs::write(folder.root().join(name), bytes).unwrap();
    }
    folder
}

#[test]
fn apk_digests_are_verified_and_its_signature_is_not() {
    let ran = folder().run(&["check", "app.apk"]);
    let said = "truesum: note: app.apk is signed, but the signature was not verified\n\
                hint: to verify it: apksigner verify --print-certs app.apk\n\
                truesum: 1 file verified; 8.1 KiB read\n";
    assert_eq!(result_of(&ran), ("app.apk: OK\n".to_owned(), said, Some(0)));
}

#[test]
fn corrupt_apk_fails_and_names_its_digests() {
    let ran = folder().run(&["check", "bad.apk"]);
    assert_eq!(ran.code, Some(1));
    let out = ran.out();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "bad.apk: FAILED");
    assert_eq!(lines[1], format!("  expected apk-v2-sha256 {DIGEST}"));
    assert!(lines[2].starts_with("  actual   apk-v2-sha256 ") && !lines[2].ends_with(DIGEST), "{out}");
    assert_eq!((lines[3], lines.len()), (&*format!("  expected apk-v3-sha256 {DIGEST}"), 5));
    assert!(!ran.err.contains("contains an entry for itself"), "{}", ran.err);
}

#[test]
fn json_names_apk_digests() {
    let ran = folder().run(&["check", "--json", "app.apk"]);
    let out = ran.out();
    let digests = format!("{{\"apk-v2-sha256\":\"{DIGEST}\",\"apk-v3-sha256\":\"{DIGEST}\"}}");
    assert!(
        out.contains(&format!(",\"byte\":4096,\"expected\":{digests},\"actual\":{digests},\"size\":8334,")),
        "{out}"
    );
    assert_eq!(ran.code, Some(0));
}

#[test]
fn apk_that_cannot_be_verified_is_reported_with_its_cause() {
    let folder = folder();
    let ran = folder.run(&["check", "cut.apk"]);
    let said = "truesum: cut.apk: cannot verify: it is truncated or damaged (the ZIP archive does not end with an end record)\n";
    assert!(ran.err.starts_with(said), "{}", ran.err);
    assert_eq!((ran.code, &*ran.out()), (Some(2), ""));
    // If one of several is refused, the whole check fails.
    assert_eq!(folder.run(&["check", "-q", "app.apk", "cut.apk"]).code, Some(2));
    assert_eq!(folder.run(&["check", "-q", "app.apk", "bad.apk"]).code, Some(1));
    let ran = folder.run(&["check", "--only", "app.apk", "app.apk"]);
    assert!(ran.err.contains("checked as a unit") && ran.code == Some(2), "{}", ran.err);
}
