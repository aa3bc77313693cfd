//! `truesum check --content-addressed`: files of stores that name them by their digest.

use crate::program::{ABC, Folder};

#[test]
fn files_of_a_store_are_verified_and_all_others_are_listed() {
    let blob = format!("store/blobs/sha256/{ABC}");
    let folder =
        Folder::with(&[(&blob[..], "abc"), ("store/files/md5/90/0150983cd24fb0d6963f7d28e17f72", "abc")]);
    let run = |place: &str| folder.run(&["check", "--content-addressed", place]);
    assert_eq!(run("store").code, Some(0), "{}", run("store").err);
    // The layout may begin above the given folder.
    assert_eq!(run("store/blobs/sha256").code, Some(0));
    folder.write("store/index.json", "{}");
    let ran = run("store");
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("store/index.json: not checked"), "{}", ran.err);
    // regression: the files that every OCI image layout has were errors.
    folder.write("store/oci-layout", "{}");
    let ran = run("store");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("2 files verified, 2 without a digest in the name"), "{}", ran.err);
    folder.write("store/files/index.json", "{}");
    assert_eq!(run("store").code, Some(2));
    std::fs::remove_file(folder.path("store/files/index.json")).unwrap();
    // A CRC-32 in a name is not the name of a file in a store.
    folder.write("store/a [352441C2].mkv", "abc");
    assert!(run("store").err.contains("a [352441C2].mkv: not checked"));
    folder.write(&blob, "abd");
    let ran = run("store");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.out().contains(&format!("{blob}: FAILED")), "{}", ran.out());
    let folder = Folder::with(&[("store/a", "abc")]);
    assert_eq!(folder.run(&["check", "--content-addressed", "store"]).code, Some(2));
    assert_eq!(folder.run(&["check", "--content-addressed"]).code, Some(2));
}

#[test]
fn lines_of_a_file_are_one_entry_in_any_order() {
    let folder = Folder::with(&[("a", "abc"), ("b", "abc")]);
    let (md5, sha256) = ("900150983cd24fb0d6963f7d28e17f72", ABC);
    let lines = [format!("{md5}  a"), format!("{md5}  b"), format!("{sha256}  a"), format!("{sha256}  b")];
    for order in [[0, 1, 2, 3], [0, 2, 1, 3], [3, 0, 2, 1], [2, 3, 0, 1]] {
        folder.write("list", order.map(|at| lines[at].clone()).join("\n"));
        let ran = folder.run(&["check", "list"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert_eq!(ran.out().lines().count(), 2, "{}", ran.out());
        assert!(
            ran.err.contains("2 files verified; 6 B read") && !ran.err.contains("tampering"),
            "{}",
            ran.err
        );
    }
}
