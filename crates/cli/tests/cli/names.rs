//! Names of every kind can be written and checked, and never send control sequences to a terminal.

use crate::program::{Folder, RunResult};

/// Names that have caused problems in tools, each with one peculiarity.
pub const NAMES: &[&[u8]] = &[
    b"x",
    b" lead",
    b"trail ",
    b"two  blanks",
    b"new\nline",
    b"end\n",
    b"cr\rmid",
    b"crend\r",
    b"back\\slash",
    b"back\\nslash",
    b"*star",
    b"-dash",
    b"--help",
    b"#hash",
    b";semi",
    b"quo\"te",
    b"quo'te",
    b"%s%n%d",
    b"tab\tx",
    b"\xffbad\xfeutf8",
    "u\u{308}nfd".as_bytes(),
    "repl\u{fffd}x".as_bytes(),
    "rtl\u{202e}x".as_bytes(),
    b"esc\x1b[31mx",
    b"comma,x",
    b"(paren) = x",
    &[b'n'; 255],
    b"sub dir/x y",
    b"@at",
    b"\\",
    b"SHA256 (x) = y",
    b"a:b",
    b"~tilde",
    b"$(id)",
    b"d41d8cd98f00b204e9800998ecf8427e",
    b"-",
    b"cr\r",
    b"%41",
    b"\xffbad",
    b"\xef\xbb\xbfbom",
    b"a) = b",
    b"d41d8cd98f00b204e9800998ecf8427e  a",
];

fn assert_harmless(ran: &RunResult, name: &[u8]) {
    for text in [ran.out(), ran.err.clone()] {
        let acts = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!text.contains(acts), "{}: {text:?}", name.escape_ascii());
    }
}

#[test]
fn every_name_works_in_every_format() {
    for format in ["gnu", "bsd", "gnu-z", "bsd-z", "jsonl"] {
        for name in NAMES {
            let folder = Folder::new();
            folder.write([&b"tree/"[..], name].concat(), "data");
            let ran = folder.run(&["hash", "--format", format, "-o", "tree/M", "tree"]);
            assert_eq!(ran.code, Some(0), "{format} {}: {}", name.escape_ascii(), ran.err);
            let ran = folder.run(&["check", "tree/M"]);
            assert_eq!(ran.code, Some(0), "{format} {}: {} {}", name.escape_ascii(), ran.out(), ran.err);
            assert_harmless(&ran, name);
            folder.write([&b"tree/"[..], name].concat(), "dAta");
            let ran = folder.run(&["check", "tree/M"]);
            assert_eq!(ran.code, Some(1), "{format} {}", name.escape_ascii());
            assert_harmless(&ran, name);
            std::fs::remove_file(folder.path([&b"tree/"[..], name].concat())).unwrap();
            assert_harmless(&folder.run(&["check", "tree/M"]), name);
            assert_harmless(&folder.run_on(&["hash", "--"], name), name);
        }
    }
}

#[test]
fn json_preserves_every_byte_of_a_name() {
    use data_encoding::BASE64;
    for name in NAMES {
        let folder = Folder::new();
        folder.write([&b"t/"[..], name].concat(), "data");
        folder.run(&["hash", "--root", "t", "-o", "t.M", "t"]);
        for words in [&["hash", "--json", "--root", "t", "t"], &["check", "--json", "--root", "t", "t.M"]] {
            let ran = folder.run(words);
            let line: serde_json::Value =
                serde_json::from_str(ran.out().lines().next().unwrap_or_default()).unwrap();
            let bytes = match line["path_base64"].as_str() {
                Some(text) => BASE64.decode(text.as_bytes()).unwrap(),
                None => line["path"].as_str().unwrap().as_bytes().to_vec(),
            };
            assert_eq!(&bytes, name, "{words:?}");
        }
    }
}

#[test]
fn folder_with_redundant_slashes_at_its_end_has_the_same_names() {
    // regression: the walk drops these slashes, and the first byte of each name, or none of the folder, was cut off.
    let folder = Folder::with(&[("w/1x", "one"), ("w/sub/2y", "two"), ("e/1x", "one"), ("e/sub/2y", "two")]);
    assert_eq!(folder.run(&["hash", "-o", "M", "--root", "w", "w/1x", "w/sub/2y"]).code, Some(0));
    for slashes in ["", "/", "//", "/.//", "/./", "///"] {
        let (one, other) = (format!("w{slashes}"), format!("e{slashes}"));
        for words in [
            &["audit", "M", &one][..],
            &["diff", "M", &one],
            &["diff", &other, &one],
            &["check", "--exact", "--root", &one, "M"],
            &["update", "-n", "M", &one],
        ] {
            let ran = folder.run(words);
            assert_eq!(ran.code, Some(0), "{words:?}: {}{}", ran.out(), ran.err);
        }
        let ran = folder.run(&["duplicates", &one, &other]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    std::fs::rename(folder.path("w/1x"), folder.path("w/moved")).unwrap();
    for root in ["w//", "w/.//"] {
        let ran = folder.run(&["check", "--search", "--root", root, "M"]);
        assert!(ran.out().contains("moved"), "{}{}", ran.out(), ran.err);
    }
}
