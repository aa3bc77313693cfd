//! `truesum check app.apk` and `truesum check image.iso`: the results for files that contain their own digest.

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
    let message = "truesum: note: app.apk is signed, but the signature was not verified\n\
                hint: to verify it: apksigner verify --print-certs app.apk\n\
                truesum: 1 file verified; 8.1 KiB read\n";
    assert_eq!(result_of(&ran), ("app.apk: OK\n".to_owned(), message, Some(0)));
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
    let message = "truesum: cut.apk: cannot verify: it is truncated or damaged (the ZIP archive has no end of central directory record)\n";
    assert!(ran.err.starts_with(message), "{}", ran.err);
    assert_eq!((ran.code, &*ran.out()), (Some(2), ""));
    // If one of several is refused, the whole check fails.
    assert_eq!(folder.run(&["check", "-q", "app.apk", "cut.apk"]).code, Some(2));
    assert_eq!(folder.run(&["check", "-q", "app.apk", "bad.apk"]).code, Some(1));
    let ran = folder.run(&["check", "--only", "app.apk", "app.apk"]);
    assert!(ran.err.contains("checked as a unit") && ran.code == Some(2), "{}", ran.err);
}

/// Returns an ISO 9660 image of a megabyte with the MD5 digest and the sums of fragments that isomd5sum implants.
fn image() -> Vec<u8> {
    let md5 = |bytes: &[u8]| "md5".parse::<truesum::hash::Spec>().unwrap().digest(bytes);
    let (sectors, at, end) = (512u32, 16 * 2048 + 883, (512 - 15) * 2048);
    let mut image: Vec<u8> = (0..sectors * 2048).map(|i| (i % 251) as u8).collect();
    image[16 * 2048..17 * 2048].fill(0);
    image[16 * 2048..][..7].copy_from_slice(b"\x01CD001\x01");
    image[16 * 2048 + 80..][..4].copy_from_slice(&sectors.to_le_bytes());
    image[at..at + 512].fill(b' ');
    let piece = 32 << 10;
    let of_fragment = |number: usize| (number * (end / 21)).div_ceil(piece) * piece + piece;
    let sums: String = (1..=20)
        .flat_map(|number| md5(&image[..of_fragment(number).min(end)]).as_bytes()[..3].to_vec())
        .map(|byte| format!("{byte:x}").remove(0))
        .collect();
    let digest = md5(&image[..end]).to_hex();
    let text = format!(
        "ISO MD5SUM = {digest};SKIPSECTORS = 15;RHLISOSTATUS=0;FRAGMENT SUMS = {sums};FRAGMENT COUNT = 20;"
    );
    image[at..at + text.len()].copy_from_slice(text.as_bytes());
    image
}

#[test]
fn image_is_verified_by_its_implanted_digest() {
    let folder = Folder::with(&[]);
    let mut image = image();
    std::fs::write(folder.root().join("a.iso"), &image).unwrap();
    image[500_000] ^= 1;
    std::fs::write(folder.root().join("bad.iso"), &image).unwrap();
    image[16 * 2048 + 883] = b' ';
    std::fs::write(folder.root().join("plain.iso"), &image).unwrap();

    let ran = folder.run(&["check", "a.iso"]);
    assert_eq!((&*ran.out(), ran.code), ("a.iso: OK\n", Some(0)), "{}", ran.err);
    assert!(ran.err.contains("md5"), "the note about MD5: {}", ran.err);
    // regression: nothing showed that damage in these bytes is not detected.
    let mut appended = std::fs::read(folder.root().join("a.iso")).unwrap();
    appended.extend([1; 100]);
    std::fs::write(folder.root().join("appended.iso"), appended).unwrap();
    let ran = folder.run(&["check", "appended.iso"]);
    assert_eq!((&*ran.out(), ran.code), ("appended.iso: OK\n", Some(0)), "{}", ran.err);
    let note = "appended.iso: the implanted digest does not cover 512 bytes at offset 33651 (which contain it), 30720 bytes \
        at offset 1017856 (the skipped sectors at the end of the volume), 100 bytes at offset 1048576 (after the volume)";
    assert!(ran.err.contains(note), "{}", ran.err);
    let ran = folder.run(&["check", "--json", "appended.iso"]);
    assert!(ran.out().contains("\"uncovered\":[[33651,512],[1017856,30720],[1048576,100]]"), "{}", ran.out());
    let ran = folder.run(&["check", "bad.iso"]);
    assert_eq!(ran.code, Some(1));
    let out = ran.out();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[..2], ["bad.iso: FAILED", "  491520 32768 damaged"], "{out}");
    assert!(lines[2].starts_with("  expected implanted-md5 ") && lines.len() == 4, "{out}");
    let ran = folder.run(&["check", "--json", "bad.iso"]);
    assert!(ran.out().contains("\"damaged\":[[491520,32768]]"), "{}", ran.out());
    let ran = folder.run(&["check", "plain.iso"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("an ISO 9660 image without an implanted MD5 digest"), "{}", ran.err);
}
