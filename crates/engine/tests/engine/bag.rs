//! Bags: valid according to RFC 8493, or what is wrong with them.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use truesum::hash::Spec;
use truesum::manifest::path::display_safe;
use truesum::{Conclusion, Event, Options, Progress, Verification};

fn digest(name: &str, content: &[u8]) -> String {
    name.parse::<Spec>().unwrap().digest(content).to_hex()
}

/// Makes a valid bag of two files.
fn bag(folder: &Path, version: &str) {
    std::fs::create_dir_all(folder.join("data/sub")).unwrap();
    let put = |name: &str, content: &str| std::fs::write(folder.join(name), content).unwrap();
    put("data/a", "abc");
    put("data/sub/b c", "defg");
    let declaration = format!("BagIt-Version: {version}\nTag-File-Character-Encoding: UTF-8\n");
    put("bagit.txt", &declaration);
    put("bag-info.txt", "Payload-Oxum: 7.2\n");
    for algorithm in ["sha256", "md5"] {
        let (a, b) = (digest(algorithm, b"abc"), digest(algorithm, b"defg"));
        put(&format!("manifest-{algorithm}.txt"), &format!("{a}  data/a\n{b}  data/sub/b c\n"));
    }
    let tags = ["bagit.txt", "bag-info.txt", "manifest-sha256.txt", "manifest-md5.txt"].map(|name| {
        let content = std::fs::read(folder.join(name)).unwrap();
        format!("{}  {name}\n", digest("sha256", &content))
    });
    put("tagmanifest-sha256.txt", &tags.concat());
}

/// Returns the verdict of a check and the faults it reports.
fn check(folder: &Path) -> (Conclusion, Vec<String>, u64) {
    let options = Options::default();
    let progress = Progress::default();
    let mut verification = Verification::new(&options, &progress);
    let mut reported = Vec::new();
    verification
        .manifests(&[folder], &mut |event| {
            match event {
                Event::Failed(error) => {
                    reported.push(format!("{}: {}", display_safe(error.name()), error.reason()))
                }
                Event::Doubtful(doubt) => {
                    reported.push(format!("doubt {}: {}", display_safe(doubt.name()), doubt.reason()))
                }
                Event::Malformed(_, line) => reported.push(line.to_string()),
                Event::Entry(_, outcome) if outcome.verdict() != truesum::Verdict::Verified => {
                    reported.push(format!("{} {:?}", outcome.name().display(), outcome.verdict()));
                }
                _ => {}
            }
            Ok(())
        })
        .unwrap();
    (verification.report().verdict(), reported, verification.report().counts().verified())
}

#[test]
fn complete_and_intact_bag_is_verified() {
    for version in ["1.0", "0.97"] {
        let folder = tempfile::tempdir().unwrap();
        bag(folder.path(), version);
        assert_eq!(check(folder.path()), (Conclusion::Verified, Vec::new(), 8));
    }
}

#[test]
fn every_bag_fault_fails_and_is_named() {
    type Corrupt = fn(&Path);
    fn put(folder: &Path, name: &str, content: &str) {
        std::fs::write(folder.join(name), content).unwrap();
    }
    let cases: [(Corrupt, &str); 25] = [
        (|bag| put(bag, "data/a", "abd"), "data/a Mismatch"),
        (|bag| std::fs::remove_file(bag.join("data/a")).unwrap(), "data/a Missing"),
        (|bag| put(bag, "data/more", ""), "it is in the payload but not in manifest-sha256.txt"),
        (|bag| put(bag, "bag-info.txt", "Payload-Oxum: 7.2\nx: y\n"), "bag-info.txt Mismatch"),
        (
            |bag| put(bag, "bag-info.txt", "Payload-Oxum: 8.2\n"),
            "Payload-Oxum is 8.2 (bytes.files), but the payload has 7.2",
        ),
        (
            |bag| put(bag, "manifest-md5.txt", "900150983cd24fb0d6963f7d28e17f72  data/a\n"),
            "not in manifest-md5.txt",
        ),
        (
            |bag| put(bag, "fetch.txt", "http://a 3 data/../../a\n"),
            "line 1: the name is outside the payload folder",
        ),
        (|bag| put(bag, "fetch.txt", "http://a 3 data/z\n"), "line 1: the file is not in a payload manifest"),
        (|bag| symlink("none", bag.join("fetch.txt")).unwrap(), "No such file"),
        (|bag| symlink("a", bag.join("data/link")).unwrap(), "data/link: it is in the payload but not in"),
        (|bag| symlink("none", bag.join("data/link")).unwrap(), "data/link: it is in the payload but not in"),
        (|bag| symlink("sub", bag.join("data/link")).unwrap(), "data/link: it is in the payload but not in"),
        (
            |bag| assert!(Command::new("mkfifo").arg(bag.join("data/p")).status().unwrap().success()),
            "data/p: it is in the payload but not in",
        ),
        (
            |bag| put(bag, "data/a.ftr", "\u{89}FTR\r\n\u{1a}\n"),
            "data/a.ftr: it is in the payload but not in",
        ),
        (
            |bag| put(bag, "bag-info.txt", "Payload-Oxum 7.2\n"),
            "a line without a label: \"Payload-Oxum 7.2\"",
        ),
        (
            |bag| put(bag, "manifest-sha1.txt", "a9993e364706816aba3e25717850c26c9cd0d89d  ../a\n"),
            "line 1: the name is not in the payload folder (data/)",
        ),
        (
            |bag| {
                let mut text = std::fs::read_to_string(bag.join("manifest-md5.txt")).unwrap();
                text += &format!("{}  data/../bagit.txt\n", digest("md5", b"x"));
                put(bag, "manifest-md5.txt", &text);
                std::fs::remove_file(bag.join("data/a")).unwrap();
            },
            "line 3: the name is not in the payload folder (data/)",
        ),
        (
            |bag| put(bag, "bag-info.txt", "Payload-Oxum: 7.2\npayload-oxum: 7.2\n"),
            "Payload-Oxum occurs more than once",
        ),
        (
            |bag| put(bag, "bagit.txt", "BagIt-Version : 1.0\nTag-File-Character-Encoding: UTF-8\n"),
            "expected exactly two lines: BagIt-Version and Tag-File-Character-Encoding",
        ),
        (
            |bag| put(bag, "bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\nx: y\n"),
            "expected exactly two lines: BagIt-Version and Tag-File-Character-Encoding",
        ),
        (
            |bag| put(bag, "bagit.txt", "BagIt-Version: 2.0\nTag-File-Character-Encoding: UTF-8\n"),
            "unsupported BagIt-Version \"2.0\"; expected 0.93 to 1.0",
        ),
        (
            |bag| put(bag, "bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-7\n"),
            "expected UTF-8",
        ),
        (|bag| put(bag, "bagit.txt", "hello\n"), "no BagIt-Version"),
        (
            |bag| {
                std::fs::remove_file(bag.join("manifest-md5.txt")).unwrap();
                std::fs::remove_file(bag.join("manifest-sha256.txt")).unwrap();
            },
            "the bag has no payload manifest",
        ),
        (|bag| std::fs::remove_dir_all(bag.join("data")).unwrap(), "the bag has no data folder"),
    ];
    for (corrupt, message) in cases {
        let folder = tempfile::tempdir().unwrap();
        bag(folder.path(), "1.0");
        corrupt(folder.path());
        let (conclusion, reported, _) = check(folder.path());
        assert_eq!(conclusion, Conclusion::Failed, "{message}: {reported:?}");
        assert!(reported.iter().any(|line| line.contains(message)), "{message}: {reported:?}");
    }
}

#[test]
fn suspicious_bag_entries_are_noted_without_failing() {
    fn link(bag: &Path) {
        symlink("/etc", bag.join("link")).unwrap();
    }
    type Corrupt = fn(&Path);
    fn add_tag(bag: &Path, entry: &str) {
        let manifest = bag.join("tagmanifest-sha256.txt");
        let text = std::fs::read_to_string(&manifest).unwrap() + entry + "\n";
        std::fs::write(manifest, text).unwrap();
    }
    let cases: [(Corrupt, Option<&str>); 11] = [
        // regression: entries of the payload in a tag manifest were accepted without a word.
        (
            |bag| add_tag(bag, &format!("{}  data/a", digest("sha256", b"abc"))),
            Some(
                "/tagmanifest-sha256.txt: 1 entry does not belong in a tag manifest, which must not list payload files or tag manifests",
            ),
        ),
        (
            |bag| add_tag(bag, &format!("{0}  ./data/a\n{0}  data\\a", digest("sha256", b"abc"))),
            Some("/tagmanifest-sha256.txt: 2 entries do not belong in a tag manifest"),
        ),
        (
            |bag| {
                std::fs::write(bag.join("tagmanifest-md5.txt"), "").unwrap();
                let entry = |name: &str| {
                    let content = std::fs::read(bag.join(name)).unwrap();
                    format!("{}  {name}\n", digest("md5", &content))
                };
                let text = ["bagit.txt", "manifest-md5.txt", "manifest-sha256.txt"].map(entry).concat();
                std::fs::write(bag.join("tagmanifest-md5.txt"), &text).unwrap();
                add_tag(bag, &format!("{}  tagmanifest-md5.txt", digest("sha256", text.as_bytes())));
            },
            Some("/tagmanifest-sha256.txt: 1 entry does not belong in a tag manifest"),
        ),
        (
            |bag| std::fs::write(bag.join("manifest_sha1.txt"), "x").unwrap(),
            Some("/manifest_sha1.txt: named like"),
        ),
        (
            |bag| std::fs::write(bag.join("Manifest-sha1.TXT"), "x").unwrap(),
            Some("/Manifest-sha1.TXT: named like"),
        ),
        (
            |bag| {
                std::fs::rename(bag.join("tagmanifest-sha256.txt"), bag.join("tagmanifest-sha256.tx"))
                    .unwrap()
            },
            Some("/tagmanifest-sha256.tx: named like"),
        ),
        (link, Some("/link: not a regular file, and not in any tag manifest")),
        (
            |bag| {
                std::fs::write(bag.join("bag-info.txt"), "Payload-Oxun: 9.9\n").unwrap();
                std::fs::remove_file(bag.join("tagmanifest-sha256.txt")).unwrap();
            },
            Some("unknown label \"Payload-Oxun\", which resembles Payload-Oxum"),
        ),
        (|bag| std::fs::write(bag.join("notes"), "x").unwrap(), None),
        (|bag| std::fs::write(bag.join("manifest.json"), "x").unwrap(), None),
        (
            |bag| {
                std::fs::write(bag.join("fetch.txt"), "http://a 3 data/a\nhttp://a - data/sub/b c\n").unwrap()
            },
            None,
        ),
    ];
    for (corrupt, message) in cases {
        let folder = tempfile::tempdir().unwrap();
        bag(folder.path(), "1.0");
        corrupt(folder.path());
        let (conclusion, reported, _) = check(folder.path());
        assert_eq!(
            (conclusion, reported.len()),
            (Conclusion::Verified, message.iter().len()),
            "{message:?}: {reported:?}"
        );
        assert!(message.is_none_or(|message| reported[0].contains(message)), "{message:?}: {reported:?}");
    }
}

#[test]
fn before_bagit_1_0_each_file_needs_only_one_manifest() {
    for (version, conclusion) in [("0.97", Conclusion::Verified), ("1.0", Conclusion::Failed)] {
        let folder = tempfile::tempdir().unwrap();
        bag(folder.path(), version);
        std::fs::remove_file(folder.path().join("tagmanifest-sha256.txt")).unwrap();
        let part = format!("{}  data/a\n", digest("md5", b"abc"));
        std::fs::write(folder.path().join("manifest-md5.txt"), part).unwrap();
        assert_eq!(check(folder.path()).0, conclusion, "{version}");
    }
}

#[test]
fn folder_that_is_no_bag_is_not_a_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let (conclusion, reported, _) = check(folder.path());
    assert_eq!(conclusion, Conclusion::NothingVerified);
    assert!(reported[0].contains("it is a directory"), "{reported:?}");
}

#[test]
fn tag_files_are_read_in_the_encoding_of_the_bag() {
    let utf16 = |text: &str, little: bool| -> Vec<u8> {
        let bytes = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
        text.encode_utf16().flat_map(bytes).collect()
    };
    let latin1 = |text: &str| -> Vec<u8> { text.chars().map(|c| u8::try_from(c as u32).unwrap()).collect() };
    type Encode<'e> = &'e dyn Fn(&str) -> Vec<u8>;
    let encodings: [(&str, Encode<'_>); 5] = [
        ("ISO-8859-1", &latin1),
        ("windows-1252", &latin1),
        ("UTF-16", &|text| utf16(&format!("\u{feff}{text}"), true)),
        ("UTF-16", &|text| utf16(text, false)),
        ("UTF-16LE", &|text| utf16(text, true)),
    ];
    for (name, encode) in encodings {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, content: &[u8]| std::fs::write(dir.path().join(name), content).unwrap();
        std::fs::create_dir(dir.path().join("data")).unwrap();
        put("data/\u{e9}", b"abc");
        put("bagit.txt", format!("BagIt-Version: 1.0\nTag-File-Character-Encoding: {name}\n").as_bytes());
        put("bag-info.txt", &encode("Contact-Name: \u{e4}\nPayload-Oxum: 3.1\n"));
        put("fetch.txt", &encode("http://a 3 data/\u{e9}\n"));
        let list = format!("{}  data/\u{e9}\n", digest("sha256", b"abc"));
        put("manifest-sha256.txt", &encode(&list));
        assert_eq!(check(dir.path()), (Conclusion::Verified, Vec::new(), 1), "{name}");
        // The manifest alone is read in the same encoding.
        let (conclusion, reported, _) = check(&dir.path().join("manifest-sha256.txt"));
        assert_eq!((conclusion, reported), (Conclusion::Verified, Vec::new()), "{name}");
        put("bag-info.txt", &encode("Payload-Oxum: 4.1\n"));
        assert_eq!(check(dir.path()).0, Conclusion::Failed, "{name}");
        put("data/\u{e9}", b"abd");
        assert_eq!(check(dir.path()).0, Conclusion::Failed, "{name}");
    }
}

#[test]
fn bags_made_by_bagit_py_are_verified() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["plain", "two  words", "per%cent", "new\nline", "umlaut \u{e4}", "sub/deep"] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, name).unwrap();
    }
    let code = "import sys\ntry: import bagit\nexcept ImportError: sys.exit(77)\n\
                bagit.make_bag('.', {'Contact-Name': 'x'}, checksums=['md5', 'sha256', 'sha512'])";
    let made = Command::new("python3").args(["-c", code]).current_dir(folder.path()).output();
    match made {
        Ok(made) if made.status.success() => {}
        Ok(made) if made.status.code() != Some(77) => panic!("{}", String::from_utf8_lossy(&made.stderr)),
        _ => {
            return truesum_test_support::oracle::missing("bagit (Python)");
        }
    }
    let (conclusion, reported, verified) = check(folder.path());
    assert_eq!((conclusion, reported), (Conclusion::Verified, Vec::new()));
    assert!(verified >= 18, "{verified}");
}
