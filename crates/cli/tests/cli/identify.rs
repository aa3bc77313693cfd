//! `truesum identify`: the algorithms that a digest may belong to, and which of them matches a file.

use crate::program::{ABC, EMPTY, Folder};

#[test]
fn every_algorithm_is_identified_by_its_digest_of_a_file() {
    let folder = Folder::with(&[("f", "123456789")]);
    for line in folder.run(&["list", "algorithms", "--json"]).out().lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let (name, check) = (row["name"].as_str().unwrap(), row["check"].as_str().unwrap());
        // One of a hundred 16-bit CRCs would match any file by chance.
        let unrequested = !matches!(name, "imohash" | "sha1dc") && !name.starts_with("crc-");
        // If a file is given, sampled digests are tried as well.
        let named =
            if unrequested || name == "imohash" { check.to_uppercase() } else { format!("{name}:{check}") };
        let ran = folder.run(&["identify", &named, "f"]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{name}");
        assert!(ran.out().contains(&format!("f: {name} (hex)")), "{name}: {}", ran.out());
        let ran = folder.run(&["identify", "--all", check]);
        let first = |line: &str| line.split(' ').next() == Some(name);
        assert_eq!(ran.out().lines().any(first), unrequested, "{name}: {}", ran.out());
    }
}

#[test]
fn identify_names_algorithm_and_encoding_of_a_match() {
    let folder = Folder::with(&[("a", "abc"), ("empty", "")]);
    for (digest, file, code, out) in [
        (ABC, "a", 0, "a: sha256 (hex)\n"),
        ("sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", "a", 0, "a: sha256 (base64)\n"),
        ("ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0", "a", 0, "a: sha256 (base64url)\n"),
        ("1b8m03r63zqhnjf7l5wnldhh7c134ap5vpj0850ymkq1iyzicy5s", "a", 0, "a: sha256 (nix32)\n"),
        (
            "90 01 50 98 3c d2 4f b0 d6 96 3f 7d 28 e1 7f 72",
            "a",
            0,
            "a: md5 (hex); no protection against tampering\n",
        ),
        (
            "90:01:50:98:3C:D2:4F:B0:D6:96:3F:7D:28:E1:7F:72",
            "a",
            0,
            "a: md5 (hex); no protection against tampering\n",
        ),
        ("MD5:900150983cd24fb0d6963f7d28e17f72", "a", 0, "a: md5 (hex); no protection against tampering\n"),
        ("4294967295", "empty", 0, "empty: crc (decimal); no protection against tampering\n"),
        (
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "a",
            1,
            "a: does not match (1 candidate tried)\n",
        ),
    ] {
        let ran = folder.run(&["identify", digest, file]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(code), ""), "{digest}");
        // The tree digest of a file with one leaf is ambiguous unless the digest names its algorithm.
        let lines = ran.out().lines().count();
        assert!(
            ran.out().starts_with(out) && (lines == 1 || !digest.contains("256")),
            "{digest}: {}",
            ran.out()
        );
    }
    let multihash = format!("1220{ABC}");
    assert_eq!(folder.run(&["identify", &multihash, "a"]).out(), "a: sha256 (multihash)\n");
    let ran = folder.run(&["identify", EMPTY, "a"]);
    assert_eq!(ran.code, Some(1), "{}", ran.out());
    assert!(ran.out().starts_with("a: does not match ("), "{}", ran.out());
}

#[test]
fn likely_algorithms_are_listed_and_argument_order_is_free() {
    let folder = Folder::with(&[("a", "abc"), (ABC, "abc")]);
    let out = folder.run(&["identify", ABC]).out();
    let names: Vec<&str> = out.lines().map(|line| line.split(' ').next().unwrap_or_default()).collect();
    assert_eq!(names[1..7], ["sha256", "blake3", "sha3-256", "blake2b-256", "sha512-256", "blake2s"]);
    assert_eq!(names.len(), 10);
    assert!(out.ends_with(&format!(" more candidates: truesum identify --all {ABC}\n")), "{out}");
    assert!(folder.run(&["identify", "--all", ABC]).out().lines().count() > 50);
    for words in [["a", ABC], [ABC, "a"]] {
        let ran = folder.run(&[&["identify"][..], &words].concat());
        assert!(ran.out().starts_with("a: sha256 (hex)\n") && ran.code == Some(0), "{ran:?}");
    }
}

#[test]
fn invalid_digests_and_unreadable_files_exit_with_two() {
    let folder = Folder::with(&[("a", "abc")]);
    for (words, err) in [
        (
            &["identify", "$6$salt$hash"][..],
            "truesum: $6$salt$hash: the salted hash of a password, not the digest of a file\n\
             hint: specify the digest of a file, for example its SHA-256 digest\n",
        ),
        (
            &["identify", "900150983cd24fb0d6963f7d28e17f7200"],
            "truesum: 900150983cd24fb0d6963f7d28e17f7200: no algorithm has 17-byte digests\n\
             hint: copy the complete digest: MD5 has 32 digits, SHA-1 40, SHA-256 64, SHA-512 128\n",
        ),
        (
            &["identify", "sha256:900150983cd24fb0d6963f7d28e17f72"],
            "truesum: sha256:900150983cd24fb0d6963f7d28e17f72: not a digest of the specified algorithm\n\
             hint: to identify only the digest: truesum identify 900150983cd24fb0d6963f7d28e17f72\n",
        ),
        (&["identify", ABC, "none"], "truesum: none: cannot open: No such file or directory\n"),
        (
            &["identify", "a"],
            "truesum: a: this is a file, and not a digest\n\
             hint: to check it as a manifest: truesum check a; to compute its digest: truesum hash a\n",
        ),
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.out().as_str(), ran.err.as_str()), (Some(2), "", err), "{words:?}");
    }
}

/// regression: `identify` used only the first of two digests, or joined them to one of SHA-384.
#[test]
fn arguments_with_more_or_less_than_one_digest_are_refused() {
    let folder = Folder::with(&[("a", "abc")]);
    const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
    for (text, reason) in [
        (format!("{ABC} {MD5}"), "several digests, but only one is expected"),
        (format!("{ABC}  {MD5}"), "several digests, but only one is expected"),
        (format!("sha256:{ABC} md5:{MD5}"), "several digests, but only one is expected"),
        (format!("{}…", &ABC[..20]), "the digest is abbreviated"),
        (format!("{MD5}..."), "the digest is abbreviated"),
    ] {
        for words in [&["identify", &text][..], &["identify", &text, "a"], &["find", &text, "a"]] {
            let ran = folder.run(words);
            let refused = ran.err.starts_with(&format!("truesum: {text}: {reason}\nhint: "));
            assert!(ran.code == Some(2) && refused, "{words:?}: {ran:?}");
        }
    }
    let ran = folder.run(&["find", &format!("{ABC}  {MD5}.iso"), "a"]);
    assert_eq!(ran.code, Some(0), "the digits in a name are no digest: {ran:?}");
}

#[test]
fn identify_determines_the_part_size_of_an_upload() {
    let folder = Folder::new();
    let data: Vec<u8> = (0..23u32 << 20).map(|at| (at ^ (at >> 11)) as u8).collect();
    folder.write("up", &data);
    for (part, shown) in [("5MiB", "5MiB"), ("7MiB", "7MiB"), ("10000000", "10000000"), ("16MiB", "16MiB")] {
        let name = format!("s3-etag;part={part}");
        let etag = folder.run(&["-a", &name, "up"]).out();
        let etag = etag.split(' ').next().unwrap();
        let ran = folder.run(&["identify", etag, "up"]);
        let expected = format!("up: s3-etag;part={shown} (hex); no protection against tampering\n");
        assert_eq!((ran.code, ran.out(), ran.err.as_str()), (Some(0), expected, ""), "{etag}");
        // The correct number of parts, but the digest of another file.
        let other = etag.replacen(&etag[..2], if etag.starts_with("00") { "01" } else { "00" }, 1);
        assert_eq!(folder.run(&["identify", &other, "up"]).code, Some(1));
    }
    let etag = folder.run(&["-a", "s3-etag", "up"]).out();
    let ran = folder.run(&["identify", etag.split(' ').next().unwrap(), "up"]);
    assert_eq!(
        (ran.code, ran.out().as_str()),
        (Some(0), "up: s3-etag (hex); no protection against tampering\n")
    );
}

#[test]
fn json_has_a_row_for_each_candidate() {
    let folder = Folder::with(&[("a", "abc")]);
    let rows = |words: &[&str]| -> Vec<serde_json::Value> {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        ran.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let (all, matching) = (rows(&["identify", "--json", ABC]), rows(&["identify", "--json", ABC, "a"]));
    for rows in [&all, &matching] {
        assert_eq!((&rows[0]["algorithm"], &rows[0]["digest"]), (&"sha256".into(), &ABC.into()));
        assert_eq!((&rows[0]["encoding"], &rows[0]["tamper_evident"]), (&"hex".into(), &true.into()));
    }
    assert!(matching.len() < all.len() && matching.iter().all(|row| all.contains(row)));
}

#[test]
fn catalogue_crcs_are_tried_if_a_file_is_given() {
    let folder = Folder::with(&[("f", "123456789")]);
    // The catalogue's own check value of CRC-16/IBM-3740.
    let ran = folder.run(&["identify", "29b1", "f"]);
    assert!(
        ran.out().contains("f: crc-16/ibm-3740 (hex); no protection against tampering\n")
            && ran.code == Some(0),
        "{ran:?}"
    );
    for text in ["0x29b1", "10673"] {
        assert!(folder.run(&["identify", text, "f"]).out().contains("f: crc-16/ibm-3740 ("), "{text}");
    }
    assert_eq!(folder.run(&["identify", "0xcbf43926", "f"]).code, Some(0), "the usual one too");
    let ran = folder.run(&["identify", "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]);
    let message = "truesum: h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=: this is the digest of a Go module, not of a file\n\
                hint: to compare a directory with it: truesum directory --expect h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU= PATH\n";
    assert_eq!((ran.err.as_str(), ran.code), (message, Some(2)));
}

#[test]
fn tree_and_service_digests_are_identified_with_the_file() {
    let folder = Folder::with(&[("a", &"abc".repeat(50_000))]);
    for name in [
        "sha256-tree",
        "mtsum-md5",
        "mtsum-v1.0-sha256",
        "fsverity;block=1KiB",
        "hdfs-md5-crc32c;block=1MiB",
        "s3-sha256",
        "btih;name=61",
    ] {
        for base64 in [false, true] {
            let words = ["hash", "-a", name, if base64 { "--base64" } else { "--zero" }, "a"];
            let digest = folder.run(&words).out().split_whitespace().next().unwrap_or_default().to_owned();
            let ran = folder.run(&["identify", &digest, "a"]);
            if base64 && name.starts_with("btih") {
                continue;
            }
            assert_eq!(ran.code, Some(0), "{name} {digest}: {}{}", ran.out(), ran.err);
            assert!(ran.out().contains(name), "{name}: {}", ran.out());
        }
    }
    // Azure puts the lowest byte of its CRC first.
    let crc = folder.run(&["hash", "-a", "crc64nvme", "a"]).out();
    let mut bytes = data_encoding::HEXLOWER.decode(&crc.as_bytes()[..16]).unwrap();
    bytes.reverse();
    let ran = folder.run(&["identify", &data_encoding::BASE64.encode(&bytes), "a"]);
    assert!(ran.out().contains("crc64nvme"), "{}", ran.out());
}

/// regression: the base64 encoding was treated as an MD5 digest and FAILED, and the hexadecimal one was rejected.
#[test]
fn check_accepts_multipart_upload_digests() {
    let folder = Folder::with(&[("small", "abc")]);
    folder.write("up", vec![7; 20 << 20]);
    for (part, parts) in [("8MiB", 3), ("16MiB", 2), ("5MiB", 4)] {
        let hex = folder.run(&["-a", &format!("s3-etag;part={part}"), "up"]).out();
        let hex = hex.split(' ').next().unwrap();
        let base64 = folder.run(&["-a", &format!("s3-etag;part={part}"), "--base64", "up"]).out();
        let base64 = base64.split(' ').next().unwrap();
        assert!(
            hex.ends_with(&format!("-{parts}")) && base64.ends_with(&format!("=-{parts}")),
            "{hex} {base64}"
        );
        for digest in [hex, base64, &format!("\"{hex}\""), &format!("s3-etag:{hex}")] {
            let ran = folder.run(&["check", "--expect", digest, "up"]);
            assert_eq!((ran.out().as_str(), ran.code), ("up: OK\n", Some(0)), "{digest}: {}", ran.err);
        }
        let other = hex.replacen(&hex[..2], if hex.starts_with("00") { "01" } else { "00" }, 1);
        let ran = folder.run(&["check", "--expect", &other, "up"]);
        assert!(ran.code == Some(1) && ran.err.contains("s3-etag;part=SIZE"), "{}", ran.err);
        assert_eq!(folder.run(&["check", "--expect", hex, "small"]).code, Some(1));
        assert_eq!(folder.run(&["check", "--expect", hex, "missing"]).code, Some(1));
        let ran = folder.feed(&["check", "--expect", hex, "-"], &[7; 9]);
        assert!(ran.code == Some(2) && ran.err.contains("part size"), "{}", ran.err);
    }
}
