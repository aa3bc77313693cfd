//! Keyed digests: the sources of the key, the algorithm names in manifests, and checks without the key.

use crate::program::{ABC, Folder, RunResult};
use std::io::{Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

/// RFC 4231, test case 2.
const KEY: &str = "Jefe";
const MESSAGE: &str = "what do ya want for nothing?";
const TAG: &str = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";

/// Returns a folder with the message in `a` and the key in `K`, which only its owner may read.
fn folder() -> Folder {
    let folder = Folder::with(&[("a", MESSAGE), ("b", "abc"), ("K", KEY), ("K.hex", "4a656665\n")]);
    for name in ["K", "K.hex"] {
        std::fs::set_permissions(folder.path(name), PermissionsExt::from_mode(0o600)).unwrap();
    }
    folder
}

#[test]
fn hmac_key_is_read_from_file_or_descriptor() {
    let folder = folder();
    let expected = format!("HMAC-SHA256 (a) = {TAG}\n");
    for key in [&["--key-file", "K"][..], &["--key-file", "K.hex", "--key-hex"]] {
        let ran = folder.run(&[&["-a", "hmac-sha256", "--tag"], key, &["a"]].concat());
        assert_eq!((ran.out(), ran.err.as_str(), ran.code), (expected.clone(), "", Some(0)), "{key:?}");
    }
    let ran = folder.feed(&["-a", "HMAC-SHA256", "--key-fd", "0", "--tag", "a"], KEY.as_bytes());
    assert_eq!((ran.out(), ran.err.as_str()), (expected, ""));
}

#[test]
fn output_shows_that_a_key_was_used_but_never_the_key() {
    let folder = folder();
    folder.write("K32", "an unmistakable key of 32 bytes!");
    std::fs::set_permissions(folder.path("K32"), PermissionsExt::from_mode(0o600)).unwrap();
    for form in ["--tag", "--json"] {
        let ran = folder.run(&["-a", "blake3,blake2b-256,hmac-sha1", "--key-file", "K32", form, "-v", "a"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let all = ran.out() + &ran.err;
        assert!(!all.contains("unmistakable") && !all.contains("756e6d6973"), "{all}");
        for word in ["blake3;keyed", "blake2b-256;keyed", "hmac-sha1"] {
            assert!(all.to_lowercase().contains(word), "{word}: {all}");
        }
    }
}

#[test]
fn keyed_manifest_verifies_only_with_its_key() {
    let folder = folder();
    let made = ["-a", "hmac-sha256,sha256", "--key-file", "K", "--tag", "-o", "M", "a", "b"];
    assert_eq!(folder.run(&made).code, Some(0));
    let checked = folder.run(&["check", "--key-file", "K", "M"]);
    assert_eq!((checked.out().as_str(), checked.code), ("a: OK\nb: OK\n", Some(0)), "{}", checked.err);

    let without = folder.run(&["check", "M"]);
    assert_eq!(without.code, Some(2), "{}", without.err);
    assert!(without.err.contains("truesum: M: line 1: hmac-sha256 needs a key\n"), "{}", without.err);
    assert_eq!(
        without.err.matches("specify the key with --key-file FILE or --key-fd N").count(),
        1,
        "{}",
        without.err
    );

    folder.write("other", "jefe");
    let other = folder.run(&["check", "-q", "--key-file", "other", "M"]);
    assert_eq!((other.out().matches(": FAILED\n").count(), other.code), (2, Some(1)), "{}", other.err);
}

#[test]
fn untagged_lines_use_the_requested_keyed_algorithm() {
    let folder = folder();
    folder.write("M", format!("{TAG}  a\n"));
    let good = |words: &[&str]| {
        let ran = folder.run(words);
        assert_eq!((ran.out().as_str(), ran.code), ("a: OK\n", Some(0)), "{words:?}: {}", ran.err);
    };
    good(&["check", "-a", "hmac-sha256", "--key-file", "K", "M"]);
    good(&["check", "--expect", TAG, "-a", "hmac-sha256", "--key-file", "K", "a"]);
    good(&["check", "--expect", &format!("hmac-sha256:{TAG}"), "--key-file", "K", "a"]);
    let ran = folder.run(&["check", "--expect", &format!("hmac-sha256:{TAG}"), "a"]);
    assert!(ran.code == Some(2) && ran.err.contains("--key-file FILE"), "{}", ran.err);
    folder.write("K32", "12345678901234567890123456789012");
    let plain = folder.run(&["-a", "blake3", "--key-file", "K32", "a"]);
    folder.write("x.b3", plain.out());
    let ran = folder.run(&["check", "-a", "blake3", "--key-file", "K32", "x.b3"]);
    assert_eq!((ran.out().as_str(), ran.code), ("a: OK\n", Some(0)), "{}", ran.err);
    assert_eq!(folder.run(&["check", "x.b3"]).code, Some(1), "the plain digest is another");

    // A tag that does not mention a key stands for a digest without one.
    let hex = plain.out();
    let hex = hex.split(' ').next().unwrap();
    folder.write("tags", format!("BLAKE3 (a) = {hex}\n"));
    let ran = folder.run(&["check", "-a", "blake3", "--key-file", "K32", "tags"]);
    assert!(ran.code == Some(2) && ran.out.is_empty(), "{ran:?}");
    let why = "tags: line 1: a: blake3 is not one of the specified algorithms";
    assert!(ran.err.contains(why), "{}", ran.err);
    folder.write("tags", format!("BLAKE3;KEYED (a) = {hex}\n"));
    let ran = folder.run(&["check", "-a", "blake3", "--key-file", "K32", "tags"]);
    assert_eq!((ran.out().as_str(), ran.code), ("a: OK\n", Some(0)), "{}", ran.err);
}

#[test]
fn invalid_or_unusable_keys_and_seeds_are_rejected() {
    let folder = folder();
    folder.write("empty", "");
    folder.write("odd", "abc");
    folder.write("huge", vec![b'k'; (64 << 10) + 1]);
    let refused = |words: &[&str], why: &str| {
        let ran: RunResult = folder.run(words);
        assert!(ran.code == Some(2) && ran.out.is_empty(), "{words:?}: {ran:?}");
        assert!(ran.err.contains(why), "{words:?}: {}", ran.err);
    };
    refused(&["-a", "hmac-sha256", "a"], "truesum: hmac-sha256 needs a key\n");
    refused(&["-a", "kmac128", "a"], "specify the key with --key-file FILE or --key-fd N");
    refused(
        &["--key-file", "K", "a"],
        "truesum: sha256 takes no key\nhint: to list keyed algorithms, such as hmac-sha256:",
    );
    // regression: the hint named hmac-crc32, which does not exist.
    refused(
        &["-a", "crc32", "--key-file", "K", "a"],
        "truesum: crc32 takes no key\nhint: to list keyed algorithms, such as hmac-sha256:",
    );
    // With a key, unkeyed digests, which anyone can compute, are not accepted.
    let key = ["--key-file", "K"];
    let made = folder.run(&["-a", "hmac-sha256,sha256", "--tag", key[0], key[1], "a"]);
    folder.write("BOTH", made.out);
    assert_eq!(
        folder.run(&["check", key[0], key[1], "BOTH"]).code,
        Some(0),
        "one digest under the key is enough"
    );
    folder.write("PLAIN", folder.run(&["--tag", "a"]).out);
    for command in ["check", "audit"] {
        let ran = folder.run(&[command, key[0], key[1], "PLAIN"]);
        assert!(
            ran.code != Some(0) && ran.err.contains("none of its digests is keyed"),
            "{command}: {ran:?}"
        );
    }
    let requested = folder.run(&["check", "-a", "sha256", key[0], key[1], "PLAIN"]);
    assert!(requested.code == Some(0) || requested.err.contains("takes no key"), "{requested:?}");
    refused(
        &["find", "--key-file", "K", ABC, "."],
        "truesum: a key was specified, but none of the algorithms takes a key\nhint: specify an algorithm that takes a key",
    );
    refused(&["-a", "hmac-md5", "--key-file", "gone", "a"], "gone: cannot read the key: No such file");
    refused(&["-a", "hmac-md5", "--key-file", "empty", "a"], "empty: the key is empty");
    refused(&["-a", "hmac-md5", "--key-file", "odd", "--key-hex", "a"], "odd: the key is not hexadecimal");
    refused(
        &["-a", "hmac-md5", "--key-file", "huge", "a"],
        "huge: longer than 65536 bytes, so it cannot be a key",
    );
    refused(
        &["-a", "hmac-md5", "--key-fd", "77", "a"],
        "truesum: --key-fd 77: cannot read the key: Bad file descriptor\n",
    );
    refused(
        &["-a", "hmac-md5", "--key-fd", "1", "a"],
        "truesum: --key-fd 1: the key cannot be read from standard output, because truesum writes to it\n\
         hint: specify the key with --key-fd 3 3<FILE or --key-file FILE\n",
    );
    refused(
        &["-a", "hmac-md5", "--key-fd", "2", "a"],
        "--key-fd 2: the key cannot be read from standard error",
    );
    refused(&["-a", "hmac-md5", "--key-hex", "a"], "--key-hex requires --key-file or --key-fd");
    refused(&["-a", "blake3", "--key-file", "K", "a"], "blake3 requires a key of 32 bytes, not 4");
    refused(&["-a", "siphash", "--key-file", "K", "a"], "siphash-2-4 requires a key of 16 bytes, not 4");
    refused(&["check", "-a", "hmac-md5", "M"], "hmac-md5 needs a key");
    refused(
        &["duplicates", "-a", "hmac-md5", "a", "b"],
        "hmac-md5 needs a key, which this command does not accept",
    );
    refused(&["-a", "md5", "--seed", "1", "a"], "--seed: none of the algorithms takes a seed");
    refused(
        &["-a", "md5", "--customization", "x", "a"],
        "--customization: none of the algorithms takes a customization string",
    );
    refused(
        &["-a", "cshake128;custom=78", "--customization", "y", "a"],
        "truesum: --customization: cshake128;custom=78 already contains this parameter\n\
         hint: use either --customization or the parameter in the algorithm name\n",
    );
    refused(
        &["-a", "xxh64;seed=7", "--seed", "8", "a"],
        "truesum: --seed: xxh64;seed=7 already contains this parameter\n\
         hint: use either --seed or the parameter in the algorithm name\n",
    );
    refused(&["-a", "xxh64;seed=0", "--seed", "8", "a"], "--seed: xxh64 already contains this parameter");
    refused(&["-a", "xxh32", "--seed", "4294967296", "a"], "--seed: xxh32: the seed must fit in 32 bits");
}

#[test]
fn world_readable_key_and_trailing_newline_are_noted() {
    let folder = folder();
    folder.write("K", "Jefe\n");
    std::fs::set_permissions(folder.path("K"), PermissionsExt::from_mode(0o640)).unwrap();
    let ran = folder.run(&["-a", "hmac-sha256", "--key-file", "K", "a"]);
    assert_eq!(ran.code, Some(0));
    assert!(
        ran.err.contains("K: other users can read this key file (to prevent this, use chmod 600)"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("K: the trailing newline is part of the key"), "{}", ran.err);
    let quiet = folder.run(&["-q", "-a", "hmac-sha256", "--key-file", "K", "a"]);
    assert_eq!(quiet.err, "");
}

#[test]
fn seeds_and_customizations_are_in_tags_and_verify() {
    let folder = folder();
    for (words, tag) in [
        (&["-a", "xxh64,xxh3", "--seed", "7"][..], "XXH64;SEED=7"),
        (&["-a", "xxh64;seed=7"], "XXH64;SEED=7"),
        (
            &["-a", "cshake128", "--customization", "Email Signature"],
            "CSHAKE128;CUSTOM=456d61696c205369676e6174757265",
        ),
        (&["-a", "kt128", "--customization", "x"], "KT128;CUSTOM=78"),
        (&["-a", "kmac128", "--customization", "x", "--key-file", "K"], "KMAC128;CUSTOM=78"),
    ] {
        let ran = folder.run(&[words, &["--tag", "-o", "M", "a", "b"]].concat());
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.err);
        let text = String::from_utf8(folder.read("M")).unwrap();
        assert!(text.starts_with(&format!("{tag} (a) = ")), "{text}");
        let key = words.iter().position(|word| *word == "--key-file").map_or(&[][..], |at| &words[at..]);
        let ran = folder.run(&[&["check"], key, &["M"]].concat());
        assert_eq!((ran.out().as_str(), ran.code), ("a: OK\nb: OK\n", Some(0)), "{text}{}", ran.err);
    }
}

#[test]
fn conversion_keeps_keyed_digests_without_the_key() {
    let folder = folder();
    let made = folder.run(&["-a", "hmac-sha256", "--key-file", "K", "--tag", "-o", "M", "a"]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    let ran = folder.run(&["convert", "M", "-t", "jsonl"]);
    assert!(ran.code == Some(0) && ran.out().contains(TAG), "{ran:?}");
    folder.write("plain", format!("{ABC}  b\n"));
    let plain = folder.run(&["check", "--key-file", "K", "plain"]);
    assert_eq!((plain.out().as_str(), plain.code), ("", Some(2)), "anybody could have made it");
}

#[test]
fn key_descriptor_is_read_from_its_position_and_may_be_a_socket() {
    let folder = folder();
    folder.write("late", format!("skip{KEY}"));
    let mut file = std::fs::File::open(folder.path("late")).unwrap();
    file.seek(SeekFrom::Start(4)).unwrap();
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    ours.write_all(KEY.as_bytes()).unwrap();
    drop(ours);
    for input in [OwnedFd::from(file), OwnedFd::from(theirs)] {
        let mut command = folder.command();
        command.args(["-a", "hmac-sha256", "--key-fd", "0", "--tag", "a"]).stdin(Stdio::from(input));
        let ran: RunResult = command.output().unwrap().into();
        assert_eq!(
            (ran.out(), ran.err.as_str(), ran.code),
            (format!("HMAC-SHA256 (a) = {TAG}\n"), "", Some(0))
        );
    }
}

#[test]
fn stdin_cannot_be_both_key_and_data() {
    let folder = folder();
    let made = folder.run(&["-a", "hmac-sha256", "--key-file", "K", "--tag", "-o", "M", "a"]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    for key in [&["--key-fd", "0"][..], &["--key-file", "/dev/stdin"]] {
        for words in [
            &["-a", "hmac-sha256"][..],
            &["-a", "hmac-sha256", "-"],
            &["-a", "hmac-sha256", "a", "/dev/stdin"],
            &["-a", "hmac-sha256", "--files-from", "-"],
            &["check"],
            &["check", "-"],
            &["check", "-a", "hmac-sha256", "--expect", TAG, "-"],
        ] {
            let ran = folder.feed(&[words, key].concat(), KEY.as_bytes());
            let err = "truesum: standard input cannot be both the key and the data\n\
                       hint: specify the key with --key-file FILE or --key-fd 3 3<FILE\n";
            assert_eq!(
                (ran.out().as_str(), ran.err.as_str(), ran.code),
                ("", err, Some(2)),
                "{words:?} {key:?}"
            );
        }
        let ran = folder.feed(&[&["check", "M"], key].concat(), KEY.as_bytes());
        assert_eq!((ran.out().as_str(), ran.code), ("a: OK\n", Some(0)), "{}", ran.err);
    }
    // A file that is also standard input, by its own name.
    let mut command = folder.command();
    command.args(["-a", "hmac-sha256", "--key-file", "K", "-"]);
    let ran: RunResult =
        command.stdin(std::fs::File::open(folder.path("K")).unwrap()).output().unwrap().into();
    assert!(ran.code == Some(2) && ran.err.contains("both the key and the data"), "{ran:?}");
}

#[test]
fn keyed_manifest_can_be_audited_updated_and_compared() {
    let folder = folder();
    folder.write("d/a", MESSAGE);
    folder.write("d/M", format!("HMAC-SHA256 (a) = {TAG}\n"));
    let ran = folder.run(&["audit", "--key-file", "K", "d/M"]);
    assert_eq!((ran.out().as_str(), ran.code), ("ok\ta\n", Some(0)), "{}", ran.err);
    let ran = folder.run(&["diff", "--key-file", "K", "d/M", "d/M"]);
    assert_eq!((ran.out().as_str(), ran.code), ("", Some(0)), "{}", ran.err);
    let ran = folder.run(&["find", "--key-file", "K", "-a", "hmac-sha256", TAG, "d"]);
    assert_eq!((ran.out(), ran.code), (format!("found\td/a\t{TAG}\thmac-sha256\n"), Some(0)), "{}", ran.err);
    let ran = folder.run(&["find", "-a", "hmac-sha256", TAG, "d"]);
    assert!(
        ran.err.contains("hmac-sha256 needs a key\nhint: specify the key with --key-file")
            && ran.code == Some(2),
        "{}",
        ran.err
    );
    folder.write("d/b", MESSAGE);
    let ran = folder.run(&["update", "--key-file", "K", "d/M"]);
    assert_eq!((ran.out().as_str(), ran.code), ("added\tb\ta\n", Some(0)), "{}", ran.err);
    assert_eq!(folder.read("d/M"), format!("HMAC-SHA256 (a) = {TAG}\nHMAC-SHA256 (b) = {TAG}\n").as_bytes());
    let ran = folder.run(&["audit", "d/M"]);
    assert!(ran.err.contains("needs a key") && ran.code != Some(0), "{}", ran.err);
}

#[test]
fn update_rejects_a_key_that_matches_no_entry() {
    let folder = folder();
    folder.write("W", "wrong");
    std::fs::set_permissions(folder.path("W"), PermissionsExt::from_mode(0o600)).unwrap();
    let old = format!("HMAC-SHA256 (a) = {TAG}\n");
    for name in ["d/a", "d/b"] {
        folder.write(name, MESSAGE);
    }
    folder.write("d/M", &old);
    std::thread::sleep(std::time::Duration::from_millis(20));
    folder.write("d/M", &old);
    let why = "truesum: d/M: not written: no keyed line matches the given key, which is probably not the key of the manifest\n\
               hint: specify the key of the manifest with --key-file";
    for more in [&[][..], &["--quick=date"], &["--refresh=all"], &["--quick=date", "--refresh"]] {
        let ran = folder.run(&[&["update", "--key-file", "W"], more, &["d/M"]].concat());
        assert_eq!(ran.code, Some(1), "{more:?}: {}", ran.err);
        assert!(ran.err.contains(why), "{more:?}: {}", ran.err);
        assert_eq!(folder.read("d/M"), old.as_bytes(), "{more:?}");
    }
    let ran = folder.run(&["update", "--quick=date", "--key-file", "K", "d/M"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(folder.run(&["check", "--key-file", "K", "d/M"]).out(), "a: OK\nb: OK\n");
}
