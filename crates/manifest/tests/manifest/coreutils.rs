//! Compares with GNU coreutils, if they are installed: the lines that `md5sum -c` and `b2sum -c`
//! accept, and the quoting of names.

use proptest::prelude::*;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};
use truesum_manifest::original::coreutils::{Program, Splitter};
use truesum_manifest::path::{Charset, quotef};

/// Returns whether the program is GNU's, and reports a missing oracle if not.
fn is_gnu(program: &str) -> bool {
    let version = Command::new(program).arg("--version").output();
    let gnu = version.is_ok_and(|output| output.stdout.windows(13).any(|part| part == b"GNU coreutils"));
    if !gnu {
        truesum_test_support::oracle::missing(&format!("GNU {program}"));
    }
    gnu
}

fn lines() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let pieces: &[&[u8]] = &[
        b"9dd4e461268c8034f5c8564e155c67a6",
        b"9DD4E461268c8034f5c8564e155c67a6",
        b"9dd4e461",
        b"a6",
        b"g",
        b"  ",
        b" *",
        b" ",
        b"\t",
        b"\r",
        b"\\",
        b"\\n",
        b"\\r",
        b"\\\\",
        b"\\x",
        b"MD5 (",
        b"MD5(",
        b"MD5  (",
        b"MD5",
        b"BLAKE2b (",
        b"BLAKE2b-128 (",
        b"BLAKE2b-8 (",
        b"SHA256 (",
        b"(",
        b")",
        b") = ",
        b")= ",
        b"=",
        b"no",
        b"such/",
        b"#",
        b"\xff",
    ];
    let piece = prop::sample::select(pieces).prop_map(<[u8]>::to_vec);
    let whole: &[&[u8]] = &[
        b"9dd4e461268c8034f5c8564e155c67a6  no",
        b"9dd4e461268c8034f5c8564e155c67a6 no",
        b"\\9dd4e461268c8034f5c8564e155c67a6 *n\\\\o",
        b"MD5 (no) = 9dd4e461268c8034f5c8564e155c67a6",
        b"BLAKE2b-128 (no) = 9dd4e461268c8034f5c8564e155c67a6",
    ];
    let line = prop_oneof![
        2 => prop::collection::vec(piece, 0..7).prop_map(|pieces| pieces.concat()),
        1 => prop::sample::select(whole).prop_map(<[u8]>::to_vec),
    ];
    prop::collection::vec(line, 1..60)
}

/// Returns the numbers (from 1) of the lines that the program reports as improperly formatted.
fn malformed_by_gnu(program: &str, lines: &[Vec<u8>], folder: &std::path::Path) -> Vec<usize> {
    let manifest = folder.join("manifest");
    std::fs::write(&manifest, lines.join(&b'\n')).unwrap();
    let output = Command::new(program)
        .args(["-c", "-w", "manifest"])
        .current_dir(folder)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stderr)
        .lines()
        .filter(|line| line.contains(": improperly formatted"))
        .map(|line| line.split(": ").nth(2).unwrap().parse().unwrap())
        .collect()
}

fn malformed_by_us(program: Program, lines: &[Vec<u8>]) -> Vec<usize> {
    let mut splitter = Splitter::new(program).unwrap();
    let mut improper = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if Splitter::content(line).is_some_and(|line| splitter.split(line).is_none()) {
            improper.push(at + 1);
        }
    }
    improper
}

fn scratch(name: &str) -> std::path::PathBuf {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn md5sum_accepts_the_same_lines() {
    if !is_gnu("md5sum") {
        return;
    }
    let folder = scratch("md5sum");
    proptest!(ProptestConfig::with_cases(200), |(lines in lines())| {
        prop_assert_eq!(malformed_by_us(Program::Sum("md5".parse().unwrap()), &lines), malformed_by_gnu("md5sum", &lines, &folder));
    });
}

#[test]
fn b2sum_accepts_the_same_lines() {
    if !is_gnu("b2sum") {
        return;
    }
    let folder = scratch("b2sum");
    proptest!(ProptestConfig::with_cases(200), |(lines in lines())| {
        prop_assert_eq!(malformed_by_us(Program::B2sum, &lines), malformed_by_gnu("b2sum", &lines, &folder));
    });
}

/// Returns each word as `printf %q` of coreutils prints it.
fn printf_q(words: &[Vec<u8>], locale: &str) -> Vec<Vec<u8>> {
    let output = Command::new("/usr/bin/printf")
        .arg("%q\\0")
        .args(words.iter().map(|word| OsStr::from_bytes(word)))
        .env("LC_ALL", locale)
        .output()
        .unwrap();
    let mut quoted: Vec<Vec<u8>> = output.stdout.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect();
    assert_eq!(quoted.pop(), Some(Vec::new()));
    quoted
}

/// Returns whether the last part of a quoted word is `$'...'`.
fn ends_in_escape(quoted: &str) -> bool {
    let inner = &quoted[..quoted.len() - 1];
    inner.rfind('\'').is_some_and(|at| inner[..at].ends_with('$') && inner[at + 1..].starts_with('\\'))
}

#[test]
fn names_are_quoted_like_gnu() {
    if !is_gnu("/usr/bin/printf") {
        return;
    }
    let special =
        prop::sample::select(&b" \t\n\r\\*()=#;,\"'-/.{}%~?!&<>[]^`|$@+_\x07\x08\x0b\x0c\x1b\x7f"[..]);
    let char = prop_oneof![
        4 => special.prop_map(|byte| vec![byte]),
        2 => (b'0'..=b'z').prop_map(|byte| vec![byte]),
        1 => (128..=255u8).prop_map(|byte| vec![byte]),
        // Letters, marks, spaces, format characters, private-use and unassigned code points, and a
        // noncharacter.
        1 => prop::sample::select(vec![
            '\u{e4}', '\u{308}', '\u{a0}', '\u{ad}', '\u{200b}', '\u{202e}', '\u{2028}', '\u{fdd0}', '\u{feff}', '\u{e000}', '\u{fffd}',
            '\u{1f600}', '\u{85}', '\u{5d0}', '\u{4e2d}', '\u{3000}', '\u{378}',
        ]).prop_map(|c| c.to_string().into_bytes()),
    ];
    let word = prop::collection::vec(char, 0..6).prop_map(|chars| chars.concat());
    // A colon is quoted in messages, but not by printf.
    let word =
        word.prop_map(|word| word.into_iter().map(|byte| if byte == b':' { b'x' } else { byte }).collect());
    proptest!(ProptestConfig::with_cases(100), |(words in prop::collection::vec(word, 1..100))| {
        for (locale, charset) in [("C", Charset::Ascii), ("C.UTF-8", Charset::Utf8)] {
            for (word, quoted) in words.iter().zip(printf_q(&words, locale)) {
                let ours = quotef(word, charset);
                // Coreutils 9.1 scans a word twice if it has an apostrophe and ends in an escape,
                // and keeps state in between. It then puts an empty `''` before the word, or omits
                // the `$` of the first escape.
                if word.contains(&b'\'') && ours.ends_with('\'') && ends_in_escape(&ours) {
                    continue;
                }
                prop_assert_eq!(ours.as_bytes(), &quoted[..], "{:?} {}", word, String::from_utf8_lossy(&quoted));
            }
        }
    });
    assert_eq!(quotef(b"a:b", Charset::Utf8), "'a:b'");
}
