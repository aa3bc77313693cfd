//! Digests with special properties: in base 32, in either byte order, of samples, and of files created by an attack.

use crate::program::{ABC, Folder, OTHER, result_of};

#[test]
fn base32_matches_rhash_and_reads_back() {
    let folder = Folder::with(&[("a", "abc")]);
    // `printf abc | rhash --sha1 --base32 -` and `rhash --tth -`.
    let ran = folder.run(&["-a", "sha1,tth", "--base32", "--tag", "a"]);
    let expected = "SHA1 (a) = vgmt4nsha2awvor6evyxqugcnsonbwe5\n\
                    TTH (a) = asd4ujseh5m47pdyb46kbtsqtsgdklbhyxomuia\n";
    assert_eq!((ran.out(), ran.code), (expected.to_owned(), Some(0)), "{}", ran.err);
    assert_eq!(folder.run(&["--base32", "-o", "M", "a"]).code, Some(0));
    let checked = folder.run(&["check", "M"]);
    assert_eq!((checked.out().as_str(), checked.code), ("a: OK\n", Some(0)), "{}", checked.err);
    assert_eq!(folder.run(&["-a", "crc32", "--base32", "a"]).code, Some(2));
}

/// SHA-256 of `abc` in the encodings that a manifest cannot use.
const ENCODED: [(&str, &str); 6] = [
    ("base58", "DYu3G8aGTMBW1WrTw76zxQJQU4DHLw9MLyy7peG4LKkY"),
    ("base64url", "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0"),
    ("multibase-base58", "zDYu3G8aGTMBW1WrTw76zxQJQU4DHLw9MLyy7peG4LKkY"),
    ("nix32", "1b8m03r63zqhnjf7l5wnldhh7c134ap5vpj0850ymkq1iyzicy5s"),
    ("z85", "X{b19J@^O(k%W=)u9kv@UMFseMks>qV>imC[=fAb"),
    (
        "bubblebabble",
        "xovil-myhyr-zafeb-cyfev-pibog-cubet-vilap-vimod-fosub-fymyp-fahoc-livon-sotac-bazak-cusob-behep-texax",
    ),
];

#[test]
fn other_encodings_are_identified_and_kept_out_of_manifests() {
    let folder = Folder::with(&[("a", "abc")]);
    for (name, text) in ENCODED {
        let ran = folder.run(&["--encoding", name, "a"]);
        assert_eq!((ran.out(), ran.code), (format!("{text}  a\n"), Some(0)), "{name}: {}", ran.err);
        let tagged = folder.run(&["--encoding", name, "--tag", "a"]);
        assert_eq!(tagged.out(), format!("SHA256 (a) = {text}\n"), "{name}");
        let ran = folder.run(&["identify", text, "a"]);
        assert!(ran.code == Some(0) && ran.out().starts_with("a: sha256 ("), "{name}: {ran:?}");
        let refused = folder.run(&["--encoding", name, "-o", "M", "a"]);
        let message = format!(
            "truesum: --encoding {name}: not available for manifests, because it cannot be read back\n\
             hint: use --encoding hex, base64 or base32, or print lines without -o, -t, --sidecar and --per-directory\n"
        );
        assert_eq!((refused.err, refused.code), (message, Some(2)));
    }
    assert_eq!(folder.run(&["--encoding", "base64", "-o", "M", "a"]).code, Some(0));
    assert_eq!(folder.run(&["check", "M"]).code, Some(0));
    let ran = folder.run(&["--encoding", "z85", "-a", "crc-16/modbus", "a"]);
    assert_eq!(ran.err, "truesum: --encoding z85: not available for crc-16/modbus\n");
    assert_eq!(folder.run(&["--encoding", "base59", "a"]).code, Some(2));
    assert_eq!(folder.run(&["--encoding", "base58", "--json", "a"]).code, Some(2));
}

#[test]
fn identify_recognizes_btih_by_file_name() {
    let folder = Folder::with(&[("f.bin", "123456789")]);
    // `rhash --btih f.bin`, with `--bt-piece-length=65536`, and in base 32 as in magnet links.
    for (text, algorithm) in [
        (
            "14a6f17ce10298e235bf2f18faa6ce6636575114",
            "btih;name=662e62696e (hex); no protection against tampering",
        ),
        (
            "2c22a5944989e365948bb84d4405c1b2f39d44ce",
            "btih;piece=64KiB;name=662e62696e (hex); no protection against tampering",
        ),
        (
            "urn:btih:14a6f17ce10298e235bf2f18faa6ce6636575114",
            "btih;name=662e62696e (hex); no protection against tampering",
        ),
    ] {
        let ran = folder.run(&["identify", text, "f.bin"]);
        assert!(ran.out().contains(&format!("f.bin: {algorithm}\n")) && ran.code == Some(0), "{ran:?}");
    }
    let named = folder.run(&["-a", "btih;name=662e62696e", "--tag", "f.bin"]);
    assert_eq!(named.out(), "BTIH;NAME=662e62696e (f.bin) = 14a6f17ce10298e235bf2f18faa6ce6636575114\n");
    // regression: it was an error.
    let ran = folder.run(&["list", "algorithms", "btih"]);
    assert!(ran.code == Some(0) && ran.out().contains("info hash of a torrent"), "{ran:?}");
    let ran = folder.run(&["tree", "-a", "btih", "f.bin"]);
    assert!(
        ran.err
            .contains("btih depends on the file name, which must be specified in hexadecimal: btih;name=HEX"),
        "{}",
        ran.err
    );
    assert_eq!((ran.code, folder.run(&["text", "-a", "btih", "x"]).code), (Some(2), Some(2)));
}

#[test]
fn info_hashes_of_all_files_of_a_folder_have_their_names() {
    let folder = Folder::with(&[("d/f.bin", "abc"), ("d/s/g.bin", "abc"), ("d/h", "xyz")]);
    std::fs::hard_link(folder.path("d/f.bin"), folder.path("d/link")).unwrap();
    let named = |name: &str| {
        let hex: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
        let ran = folder.run(&["-a", &format!("btih;name={hex}"), "d/f.bin"]);
        ran.out().split(' ').next().unwrap().to_owned()
    };
    for (format, output) in [("gnu", "d/A.btih"), ("bsd", "d/B"), ("jsonl", "d/C.jsonl"), ("csv", "d/D.csv")]
    {
        let ran = folder.run(&["hash", "-a", "btih", "-t", format, "-o", output, "d"]);
        assert_eq!(ran.code, Some(0), "{format}: {}", ran.err);
        let text = String::from_utf8(folder.read(output)).unwrap();
        for name in ["f.bin", "g.bin", "link"] {
            assert!(text.contains(&named(name)), "{format} {name}: {text}");
        }
        assert!(!text.to_lowercase().contains("name="), "{text}");
        let ran = folder.run(&["check", output]);
        assert_eq!(ran.code, Some(0), "{format}: {}{}", ran.out(), ran.err);
        std::fs::remove_file(folder.path(output)).unwrap();
    }
    assert_eq!(folder.run(&["hash", "-a", "btih", "--sidecar", "d/h"]).code, Some(0));
    assert_eq!(folder.run(&["check", "d/h.btih"]).code, Some(0));
    let pieces = folder.run(&["hash", "-a", "btih;piece=64KiB", "--tag", "d/h"]);
    folder.write("M", pieces.out());
    assert_eq!((pieces.code, folder.run(&["check", "M"]).code), (Some(0), Some(0)), "{}", pieces.out());
}

#[test]
fn xxhash_digests_match_in_either_byte_order() {
    let folder = Folder::with(&[("a", "abc")]);
    // `xxhsum -H3 a`, then with `--little-endian`, which has no mark in this format.
    for (digest, code) in [("78af5f94892f3950", 0), ("50392f89945faf78", 0), ("50392f89945faf79", 1)] {
        folder.write("M", format!("XXH3_{digest}  a\n"));
        assert_eq!(folder.run(&["check", "M"]).code, Some(code), "{digest}");
    }
}

#[test]
fn xxh3_digests_on_standard_output_have_tags() {
    // regression: xxhsum read them as XXH64, and reported intact files as corrupt.
    let folder = Folder::with(&[("a", "abc")]);
    assert_eq!(folder.run(&["hash", "-a", "xxh3", "a"]).out(), "XXH3 (a) = 78af5f94892f3950\n");
    assert_eq!(folder.run(&["hash", "-a", "xxh3", "-t", "gnu", "a"]).out(), "78af5f94892f3950  a\n");
    assert_eq!(folder.run(&["hash", "-a", "xxh64", "a"]).out(), "44bc2cf5ad770999  a\n");
}

#[test]
fn gost94_digests_match_in_either_byte_order() {
    let folder = Folder::with(&[("a", "abc")]);
    // `rhash --gost94 --bsd a`, then with `--gost-reverse`; GOST R 34.11-2012 has one byte order.
    let plain = folder.run(&["-a", "gost94,gost12-256", "--tag", "a"]).out();
    let mut lines = plain.lines();
    let (gost94, gost12) = (lines.next().unwrap(), lines.next().unwrap());
    let backwards = |line: &str| {
        let (head, hex) = line.rsplit_once(' ').unwrap();
        let pairs: Vec<&str> = (0..hex.len() / 2).rev().map(|i| &hex[2 * i..2 * i + 2]).collect();
        format!("{head} {}\n", pairs.concat())
    };
    assert!(gost94.contains("= f3134348c44fb1b2a277"), "{gost94}");
    folder.write("M", backwards(gost94));
    let ran = folder.run(&["check", "M"]);
    assert_eq!((ran.out().as_str(), ran.code), ("a: OK\n", Some(0)), "{}", ran.err);
    folder.write("M", backwards(gost12));
    assert_eq!(folder.run(&["check", "M"]).code, Some(1));
}

#[test]
fn sha1_collision_fails_and_sampled_digests_need_a_request() {
    let folder = Folder::with(&[("a", "abc")]);
    let collision = include_bytes!("../../../../testdata/collisions/shattered-1.bin");
    folder.write("attack", collision);
    let ran = folder.run(&["-a", "sha1dc", "a", "attack"]);
    assert_eq!((ran.out(), ran.code), ("a9993e364706816aba3e25717850c26c9cd0d89d  a\n".to_owned(), Some(1)));
    assert!(
        ran.err.contains("attack: cannot hash: sha1dc: the file was made by a collision attack on SHA-1"),
        "{}",
        ran.err
    );
    folder.write("M", "SHA1DC (attack) = f92d74e3874587aaf443d1db961d4e26dde13e9c\n");
    assert_eq!(folder.run(&["check", "M"]).code, Some(1));

    let made = folder.run(&["-a", "imohash", "--tag", "a"]).out();
    folder.write("M", &made);
    let refused = folder.run(&["check", "M"]);
    assert!(
        refused.code == Some(2) && refused.err.contains("imohash covers only three samples of 16 KiB"),
        "{refused:?}"
    );
    for words in [&["check", "--allow-weak", "M"][..], &["audit", "--allow-weak", "M"]] {
        let ran = folder.run(words);
        let why = "M: line 1: a: imohash covers only three samples of 16 KiB";
        assert!(ran.code == Some(2) && ran.out.is_empty() && ran.err.contains(why), "{words:?}: {ran:?}");
    }
    let requested = folder.run(&["check", "-a", "imohash", "M"]);
    assert_eq!((requested.out().as_str(), requested.code), ("a: OK\n", Some(0)), "{}", requested.err);
}

#[test]
fn find_ignores_sampled_digests_and_sha1_attacks_by_default() {
    let folder = Folder::with(&[("d/a", "abc")]);
    let imohash = folder.run(&["-a", "imohash", "d/a"]).out();
    let imohash = imohash.split(' ').next().unwrap();
    assert_eq!(folder.run(&["find", imohash, "d"]).code, Some(1));
    // regression: `identify` did not recognize it even with the file.
    let ran = folder.run(&["identify", imohash, "d/a"]);
    let message = "d/a: imohash (hex); only samples are hashed, so most bytes were not compared\n";
    assert_eq!(result_of(&ran), (message.to_owned(), "", Some(0)));
    let requested = folder.run(&["find", "-a", "imohash", imohash, "d"]);
    assert!(requested.code == Some(0) && requested.out().contains("d/a"), "{requested:?}");

    folder.write("d/attack", include_bytes!("../../../../testdata/collisions/shattered-1.bin"));
    let sha1 = folder.run(&["-a", "sha1", "d/attack"]).out();
    let sha1 = sha1.split(' ').next().unwrap();
    let ran = folder.run(&["identify", sha1, "d/attack"]);
    assert_eq!(
        (ran.out().as_str(), ran.code),
        (
            "d/attack: sha1 (hex); no protection against tampering\nd/attack: aich (hex); no protection against tampering\n",
            Some(0)
        ),
        "{}",
        ran.err
    );
    let ran = folder.run(&["find", sha1, "d"]);
    assert!(
        ran.code == Some(0) && ran.out().contains("d/attack") && !ran.err.contains("attack on"),
        "{ran:?}"
    );
}

#[test]
fn output_of_cksum_sum_and_openssl_is_a_digest() {
    // regression: only the first number was recognized, and `check` refused it.
    let folder = Folder::with(&[("a b", "abc")]);
    for words in [
        &["check", "1219131554 3 a b", "a b"][..],
        &["check", "1219131554 3 a b"],
        &["check", "1219131554", "a b"],
        &["check", "crc:1219131554", "a b"],
        &["check", "-a", "crc", "1219131554", "a b"],
        &["check", "bsd:16556", "a b"],
        &["check", "RIPEMD-160(a b)= 8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"],
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.out().as_str(), ran.code), ("a b: OK\n", Some(0)), "{words:?}: {}", ran.err);
    }
    for words in [&["check", "1219131555 3 a b"][..], &["check", "1219131555", "a b"]] {
        assert_eq!(folder.run(words).code, Some(1), "{words:?}");
    }
    // regression: the size was ignored, a number of 8 digits was hexadecimal, and only the first line was compared.
    for words in [&["check", "1219131554 4 a b"][..], &["check", "-a", "crc", "1219131554 4", "a b"]] {
        let ran = folder.run(words);
        assert!(ran.code == Some(1) && ran.out().contains("expected size 4\n"), "{words:?}: {ran:?}");
    }
    folder.write("t", "16");
    assert_eq!(folder.run(&["check", "69083669 2 t"]).code, Some(0));
    let ran = folder.run(&["check", &format!("{ABC}  a b\n{ABC}  t"), "a b"]);
    assert!(ran.code == Some(2) && ran.err.contains("several lines"), "{ran:?}");
    let ran = folder.run(&["check", "16556 1 a b", "a b"]);
    assert!(ran.code == Some(2) && ran.err.contains("hint: specify the algorithm: bsd:16556 or"), "{ran:?}");
    for (text, algorithm) in [
        ("1219131554 3 a b", "crc (decimal)"),
        ("1219131554 3", "crc (decimal)"),
        ("16556     1 a b", "bsd (decimal)"),
        ("RIPEMD-160(a b)= 8eb208f7e05d987a9b044a8e98c6b087f15a0bfc", "ripemd160 (hex)"),
    ] {
        let ran = folder.run(&["identify", text, "a b"]);
        assert!(ran.code == Some(0) && ran.out().contains(algorithm), "{text}: {ran:?}");
    }
    folder.write("a", "abc");
    let ran = folder.run(&["identify", "1219131554", "3", "a", "a"]);
    assert!(ran.err.contains("hint: truesum identify '1219131554 3 a' a\n"), "{}", ran.err);
}

#[test]
fn line_with_the_name_of_a_file_is_compared_with_it() {
    // regression: the hint was to repeat the line and add the name.
    let folder = Folder::with(&[("a", "abc"), ("b", "abd")]);
    let ran = folder.run(&["check", &format!("{ABC}  a")]);
    assert_eq!((ran.out().as_str(), ran.code), ("a: OK\n", Some(0)), "{}", ran.err);
    assert_eq!(folder.run(&["check", &format!("{ABC} *b")]).code, Some(1));
    let ran = folder.run(&["check", &format!("{ABC}  gone")]);
    assert!(ran.code == Some(2) && ran.err.contains("without a file"), "{ran:?}");
    // regression: there was no hint, and a wrong letter was taken for the name of a file.
    let ran = folder.run(&["a", ABC]);
    assert!(ran.err.contains(&format!("the digest: truesum check {ABC} a\n")), "{}", ran.err);
    let ran = folder.run(&["check", &ABC.replacen("01", "g1", 1), "a"]);
    let why = "check: character 11 of the digest is the letter g, which is not a hexadecimal digit\n";
    assert!(ran.code == Some(2) && ran.err.contains(why), "{ran:?}");
}

#[test]
fn pasted_digest_is_compared() {
    let folder = Folder::with(&[("a", "abc")]);
    let upper = ABC.to_uppercase();
    let tagged = format!("sha256:{ABC}");
    let spaced = format!("  {ABC}\n");
    let sri = "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
    let sri_of_sha3 = "sha3-256-Ophdp0/iJbIEXBcta9OQvYVfCG4+nVJbRr/iRRFDFTI=";
    for digest in [ABC, upper.as_str(), tagged.as_str(), spaced.as_str(), sri, sri_of_sha3] {
        let ran = folder.run(&["check", "--expect", digest, "a"]);
        assert_eq!((ran.out().as_str(), ran.code), ("a: OK\n", Some(0)), "{digest}");
    }
    // As printed by `nix-hash --to-base32`; an encoding that manifests do not use requires the algorithm name.
    let nix = "1b8m03r63zqhnjf7l5wnldhh7c134ap5vpj0850ymkq1iyzicy5s";
    assert_eq!(folder.run(&["check", "--expect", &format!("sha256:{nix}"), "a"]).out(), "a: OK\n");
    assert_eq!(folder.run(&["check", "-a", "sha256", "--expect", nix, "a"]).out(), "a: OK\n");
    assert_eq!(folder.run(&["check", "-a", "md5", "--expect", nix, "a"]).code, Some(2));
    for encoding in ["base58", "z85", "bubblebabble", "multibase-base64url"] {
        let ran = folder.run(&["hash", "--encoding", encoding, "a"]);
        let digest = format!("sha256:{}", ran.out().split(' ').next().unwrap());
        assert_eq!(folder.run(&["check", "--expect", &digest, "a"]).out(), "a: OK\n", "{digest}");
    }
    let ran = folder.run(&["check", "--expect", OTHER, "a"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out().contains(OTHER) && ran.out().contains(ABC) && !ran.err.contains("hint"));
    let blake3 = folder.run(&["hash", "-a", "blake3", "a"]).out();
    let ran = folder.run(&["check", "--expect", &blake3[..64], "a"]);
    assert!(ran.code == Some(1) && ran.err.contains("use -a blake3"), "{}", ran.err);
    assert_eq!(folder.feed(&["check", "--expect", ABC, "-"], b"abc").code, Some(0));
    assert_eq!(folder.run(&["check", "--expect", ABC, "gone"]).code, Some(1));
    for digest in ["", "ba78", "nonsense", "md5:ba78", "sha9:00", "sha256-ungWv48B", "sha9-ungWv48B"] {
        assert_eq!(folder.run(&["check", "--expect", digest, "a"]).code, Some(2), "{digest}");
    }
    assert_eq!(folder.run(&["check", "--expect", ABC, "a", "./a"]).out(), "a: OK\n./a: OK\n");
    folder.write("other", "");
    assert_eq!(folder.run(&["check", "--expect", ABC, "a", "other"]).code, Some(1));
}

#[test]
fn digest_after_a_label_is_compared() {
    // regression: `Hash : DIGEST`, which PowerShell prints, and labels on web pages were unknown algorithms.
    let folder = Folder::with(&[("a", "abc"), ("b", "abd")]);
    let upper = ABC.to_uppercase();
    for label in
        ["Hash      :", "SHA256 Checksum:", "SHA 256:", "sha-256 hash =", "Checksum (SHA-256):", "File hash:"]
    {
        let text = format!("{label} {upper}");
        for words in [&["check", "--expect", &text, "a"][..], &["check", &text, "a"], &["check", "a", &text]]
        {
            let ran = folder.run(words);
            assert_eq!((ran.code, ran.out().as_str()), (Some(0), "a: OK\n"), "{words:?}: {}", ran.err);
        }
        assert_eq!(folder.run(&["check", &text, "b"]).code, Some(1), "{text}");
    }
    let sha3 = "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532";
    for label in ["SHA3 256 checksum:", "SHA3-256 hash ="] {
        let ran = folder.run(&["check", &format!("{label} {sha3}"), "a"]);
        assert_eq!((ran.code, ran.out().as_str()), (Some(0), "a: OK\n"), "{label}: {}", ran.err);
        assert_eq!(folder.run(&["check", &format!("{label} {ABC}"), "a"]).code, Some(1), "{label}");
    }
    for text in [format!("SHA512 checksum: {ABC}"), format!("hash: {}", &ABC[1..])] {
        assert_eq!(folder.run(&["check", "--expect", &text, "a"]).code, Some(2), "{text}");
    }
}

#[test]
fn digest_in_groups_is_one_digest() {
    let folder = Folder::with(&[("f", "abc"), ("forged", "abcd")]);
    let upper = ABC.to_uppercase();
    let groups = |digits: usize, between: &str| {
        let groups: Vec<&str> = (0..64).step_by(digits).map(|at| &upper[at..at + digits]).collect();
        groups.join(between)
    };
    for (digits, between) in
        [2, 4, 8, 16, 32].into_iter().flat_map(|digits| [" ", "  ", "\t"].map(|it| (digits, it)))
    {
        if (digits, between) == (32, "  ") {
            // This has the form of a line in a manifest: an MD5 digest and a file name.
            continue;
        }
        let text = groups(digits, between);
        let ran = folder.run(&["check", "-q", "--expect", &text, "f"]);
        assert_eq!((ran.code, ran.out().as_str()), (Some(0), ""), "{text}: {}", ran.err);
        let ran = folder.run(&["check", "-q", "--expect", &text, "forged"]);
        assert!(ran.code == Some(1) && ran.out().contains("expected sha256"), "{text}: {ran:?}");
        let named = folder.run(&["check", "-q", "--expect", &format!("SHA256: {text}"), "f"]);
        assert_eq!(named.code, Some(0), "{text}: {}", named.err);
    }
    // Neither a CRC-32 nor another digest followed by a name.
    let ran = folder.run(&["check", "--expect", "352441C2 00000000 00000000", "f"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(2), ""), "{}", ran.err);
}

#[test]
fn several_or_truncated_digests_are_rejected() {
    const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
    let folder = Folder::with(&[("a", "abc")]);
    for (expected, code) in [
        (&format!("{ABC} {MD5}")[..], 2),
        (&format!("sha256:{ABC} {MD5}"), 2),
        // regression: an MD5 digest that was pasted twice was compared with SHA-256.
        (&format!("{MD5} {MD5}"), 2),
        (&format!("sha1={MD5}"), 2),
        (&format!("sha1:{MD5}"), 2),
        ("BA7816BF 8F01CFEA 414140DE 5DAE2223 B00361A3 96177A9C B410FF61 F20015AD", 0),
        ("90 01 50 98 3C D2 4F B0  D6 96 3F 7D 28 E1 7F 72", 0),
        ("9001 5098 3CD2 4FB0  D696 3F7D 28E1 7F72", 0),
    ] {
        let ran = folder.run(&["check", "--expect", expected, "a"]);
        assert_eq!(ran.code, Some(code), "{expected}: {ran:?}");
    }
}

#[test]
fn hint_for_a_pasted_digest_works_when_it_is_pasted() {
    const SM3: &str = "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0";
    let folder = Folder::with(&[("f", "abc")]);
    let hint = |words: &[&str]| {
        let ran = folder.run(words);
        assert_ne!(ran.code, Some(0), "{words:?}: {ran:?}");
        let hint = ran.err.lines().find_map(|line| line.strip_prefix("hint: "));
        hint.unwrap_or_else(|| panic!("{words:?}: no hint in {}", ran.err)).to_owned()
    };
    // regression: the name of the algorithm was lost, so the digest was compared with SHA-256.
    for line in [format!("SM3(f)= {SM3} (x)"), format!("SM3 (f) = {SM3} (x)"), format!("sm3 {SM3} (x)")] {
        let message = hint(&["check", &line, "f"]);
        let command = message.split_once("truesum ").expect("a command").1;
        let ran = folder.run(&command.split(' ').collect::<Vec<_>>());
        assert_eq!((ran.out().as_str(), ran.code), ("f: OK\n", Some(0)), "{line}: {message}");
    }
    let message = hint(&["check", &format!("SM3(f)= {SM3} (x)")]);
    assert!(message.ends_with(&format!(": truesum check SM3:{SM3} FILE")), "{message}");
    let message = hint(&["identify", &format!("SM3(f)= {SM3} (x)")]);
    assert_eq!(message, format!("to identify only the digest: truesum identify SM3:{SM3}"));
    let ran = folder.run(&["check", "--expect", &format!("SM3:{SM3} (x)"), "f"]);
    assert!(ran.code == Some(0) && ran.err.contains("checksum line is for the file (x)\n"), "{ran:?}");
    // regression: the command in the hint repeated the name and the text behind the digest, and failed.
    let message = hint(&["check", "crc:1219131554 g", "f"]);
    assert_eq!(message, "to list the possible algorithms: truesum identify 1219131554");
    let message = hint(&["check", &format!("sha256:{}", &ABC[..63]), "f"]);
    assert!(message.starts_with("copy the complete digest"), "{message}");
    // regression: the number of characters included the name of the file.
    for line in [format!("SM3 (f) = {}", &SM3[1..]), format!("SM3(f)= {}", &SM3[1..])] {
        let ran = folder.run(&["check", &line, "f"]);
        assert!(
            ran.err.contains("wrong digest length for sm3 (63 characters, not 64)\n"),
            "{line}: {}",
            ran.err
        );
        assert!(hint(&["check", &line, "f"]).starts_with("copy the complete digest"), "{line}");
    }
    // regression: the corrected digest had the name of an algorithm with another length.
    let typed = ABC.replacen('0', "O", 1);
    for (text, corrected) in [
        (format!("sha1:{typed}"), ABC.to_owned()),
        (format!("SHA1 (f) = {typed}"), ABC.to_owned()),
        (format!("SHA256 (f) = {typed}"), format!("SHA256:{ABC}")),
    ] {
        let message = hint(&["check", &text, "f"]);
        assert_eq!(message, format!("if a digit was meant, the corrected digest is {corrected}"), "{text}");
    }
    // regression: `identify` reported only that the file does not match the digest in base64.
    for words in [&["identify", &typed, "f"][..], &["identify", &format!("sha256:{typed}"), "f"]] {
        assert_eq!(hint(words), hint(&["check", words[1], "f"]), "{words:?}");
        assert!(folder.run(words).err.contains("is the letter O, which is not a hexadecimal digit\n"));
    }
    // regression: in these places, it was taken for base64 or for the name of a file.
    let line = format!("{typed}  f");
    for words in
        [&["identify", &typed][..], &["find", &typed, "."], &["check", &line], &["check", &line, "f"]]
    {
        assert!(hint(words).ends_with(&format!("digest is {ABC}")), "{words:?}");
    }
}

/// Regression: only the first digest was compared, and everything after it was taken for the name of another file.
#[test]
fn pasted_line_with_more_than_a_digest_and_a_name_is_refused() {
    let folder = Folder::with(&[("f", "abc")]);
    let other = "000150983cd24fb0d6963f7d28e17f72";
    for (text, why) in [
        (format!("{ABC}  {other}"), "several digests"),
        (format!("{ABC} *{other}"), "several digests"),
        (format!("sha256:{ABC} md5:{other}"), "several digests"),
        (format!("{ABC}  f {other}  g"), "several digests"),
        (format!("{ABC}  MD5 (f) = {other}"), "several digests"),
        (format!("{ABC} 4 f"), "more than a digest and a name: 4 f"),
        (format!("{ABC} sha512 4 f"), "more than a digest and a name: sha512 4 f"),
        (format!("{ABC} ?SHA512*f"), "more than a digest and a name: ?SHA512*f"),
    ] {
        let ran = folder.run(&["check", &text, "f"]);
        assert!(ran.code == Some(2) && ran.err.contains(why), "{text}: {}", ran.err);
    }
    folder.write(other, "abc");
    assert_eq!(folder.run(&["check", &format!("{ABC}  {other}"), other]).code, Some(0));
    assert_eq!(
        folder.run(&["check", &format!("{ABC}  {ABC}"), "f"]).code,
        Some(0),
        "a file named by its digest"
    );
}

#[test]
fn pasted_line_in_any_form_is_compared_or_explained() {
    let folder = Folder::with(&[("f", "abc")]);
    // regression: these were refused or taken for the name of a manifest.
    for text in [
        format!("sha256:{ABC}  f"),
        format!("\"{ABC}  f\""),
        format!("\\{ABC}  f"),
        format!("{ABC}\tf"),
        format!("sha256-{ABC}  f"),
        "bsd:16556 1 f".to_owned(),
    ] {
        let ran = folder.run(&["check", &text]);
        assert_eq!((ran.out().as_str(), ran.code), ("f: OK\n", Some(0)), "{text}: {}", ran.err);
    }
    assert_eq!(folder.run(&["check", &format!("sha256-{ABC}"), "f"]).code, Some(0));
    let fed = folder.feed(&["check", &format!("{ABC}  -")], b"abc");
    assert_eq!((fed.out().as_str(), fed.code), ("-: OK\n", Some(0)), "{}", fed.err);
    let wrong = ABC.replacen("01", "g1", 1);
    for text in [
        format!("\\{wrong}  f"),
        format!("\"{wrong}  f\""),
        format!("{wrong},"),
        format!("({wrong})"),
        format!("0x{wrong}"),
        format!("sha256-{wrong}"),
        format!("{wrong}\tf"),
    ] {
        let ran = folder.run(&["check", &text, "f"]);
        let why = "check: character 11 of the digest is the letter g, which is not a hexadecimal digit\n";
        assert!(ran.code == Some(2) && ran.err.contains(why), "{text}: {ran:?}");
    }
    for (text, why) in [
        (format!("{}  f", &ABC[..62]), "no algorithm has a digest of 62 hexadecimal digits"),
        (format!("{}...{}  f", &ABC[..8], &ABC[60..]), "the digest is abbreviated"),
    ] {
        let ran = folder.run(&["check", &text]);
        assert!(ran.code == Some(2) && ran.err.contains(why), "{text}: {ran:?}");
    }
}

#[test]
fn digest_of_another_length_of_an_algorithm_is_explained() {
    // regression: only the default length of each algorithm was tried.
    let folder = Folder::with(&[("f", "abc")]);
    for algorithm in ["blake2b-256", "blake2b-160", "shake256-256"] {
        let digest = folder.run(&["-a", algorithm, "f"]).out();
        let ran = folder.run(&["check", digest.split(' ').next().unwrap(), "f"]);
        assert!(ran.code == Some(1) && ran.err.contains(&format!("use -a {algorithm}")), "{ran:?}");
    }
}

#[test]
fn keyed_digest_is_refused_without_a_key() {
    let folder = Folder::with(&[("f", "abc")]);
    // regression: the hasher without a key panicked.
    for words in [
        &["identify", &format!("hmac-sha256:{ABC}"), "f"][..],
        &["identify", &format!("HMAC-SHA2-256(f)= {ABC}"), "f"],
        &["find", &format!("hmac-sha256:{ABC}"), "."],
        &["find", &format!("kmac128:{ABC}"), "."],
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(2), "{words:?}: {ran:?}");
        assert!(ran.err.contains(" needs a key\n"), "{words:?}: {ran:?}");
    }
}

#[cfg(unix)]
#[test]
fn escaped_line_is_compared_with_the_file_it_names() {
    let folder = Folder::with(&[("a\nb", "abc"), ("c", "abc")]);
    for line in [format!("\\{ABC}  a\\nb"), format!("\\SHA256 (a\\nb) = {ABC}")] {
        for words in [&["check", &line][..], &["check", &line, "c"]] {
            let ran = folder.run(words);
            assert_eq!((ran.out().lines().count(), ran.code), (1, Some(0)), "{words:?}: {ran:?}");
        }
    }
    assert_eq!(folder.run(&["check", &format!("\\{}  a\\nb", ABC.replacen("ba", "bb", 1))]).code, Some(1));
}

#[test]
fn pasted_texts_of_other_formats_are_compared() {
    // regression: each was taken as the name of a file that does not exist, or refused with a hint that failed.
    let folder = Folder::with(&[("a.txt", "abc"), ("b.txt", "abd")]);
    let base32 = "XJ4BNP4PAHH6UQKBIDPF3LRCEOYAGYNDSYLXVHFUCD7WD4QACWWQ====";
    for text in [
        "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=",
        base32,
        "bafkreif2pall7dybz7vecqka3zo24irdwabwdi4wc55jznaq75q7eaavvu",
        "a.txt 352441C2",
    ] {
        let ran = folder.run(&["check", "--allow-weak", text, "a.txt"]);
        assert_eq!((ran.out().as_str(), ran.code), ("a.txt: OK\n", Some(0)), "{text}: {}", ran.err);
        let ran = folder.run(&["check", "--allow-weak", "--expect", text, "a.txt"]);
        assert_eq!((ran.out().as_str(), ran.code), ("a.txt: OK\n", Some(0)), "{text}: {}", ran.err);
        let ran = folder.run(&["check", "--allow-weak", "--expect", text, "b.txt"]);
        assert_eq!(ran.code, Some(1), "{text}: {}", ran.err);
    }
}

#[test]
fn pasted_line_with_a_size_or_several_digests_is_refused() {
    // regression: only the first digest was compared, with exit status 0.
    let folder = Folder::with(&[("a.txt", "abc")]);
    for line in [
        "ed2k://|file|a.txt|4|a448017aaf21d8525fc10ae87aa6729d|/",
        "magnet:?xt=urn:md5:900150983cd24fb0d6963f7d28e17f72&xt=urn:sha1:XGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5&dn=a.txt",
    ] {
        for words in [&["check", line, "a.txt"][..], &["check", line], &["check", "--expect", line, "a.txt"]]
        {
            let ran = folder.run(words);
            let is_refused = ran.err.contains(": this line has a size or several digests\nhint: ");
            assert!(ran.code == Some(2) && is_refused, "{words:?}: {}", ran.err);
            let hint = format!("hint: to compare all of them: printf '%s\\n' '{line}' | truesum check -\n");
            assert!(words.contains(&"--expect") || ran.err.ends_with(&hint), "{words:?}: {}", ran.err);
        }
        let ran = folder.feed(&["check", "-"], line.as_bytes());
        assert_eq!(ran.code, Some(1), "{line}: {}", ran.err);
    }
}

#[test]
fn digest_from_a_pipe_belongs_to_the_only_file() {
    let folder = Folder::with(&[("a", "abc"), ("b", "abd")]);
    for (name, code) in [("a", 0), ("b", 1)] {
        let ran = folder.feed(&["check", "-", name], ABC.as_bytes());
        assert_eq!(ran.code, Some(code), "{name}: {}", ran.err);
    }
    let ran = folder.feed(&["check", "-"], ABC.as_bytes());
    assert_eq!(ran.code, Some(2), "{}", ran.err);
}
