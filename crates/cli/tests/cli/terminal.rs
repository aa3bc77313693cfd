//! Output to a terminal: every command runs with a terminal as standard output and standard error.

#![allow(unsafe_code)]

use crate::program::{ABC, Folder};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Runs with these words and returns what the terminal receives.
fn on_terminal(folder: &Folder, words: &[&[u8]]) -> Vec<u8> {
    let (mut main, mut other) = (-1, -1);
    let null = std::ptr::null_mut();
    // SAFETY: both numbers are written; no name, settings or size are passed.
    assert_eq!(unsafe { libc::openpty(&mut main, &mut other, null, null.cast(), null.cast()) }, 0);
    // SAFETY: the call above opened both descriptors, and nothing else owns them.
    let (main, other) = unsafe { (OwnedFd::from_raw_fd(main), OwnedFd::from_raw_fd(other)) };
    let mut command = folder.command();
    command.env("TERM", "xterm");
    command.args(words.iter().map(|word| OsStr::from_bytes(word)));
    command.stdout(other.try_clone().unwrap()).stderr(other);
    let mut child = command.spawn().unwrap();
    drop(command);
    let (mut seen, mut buffer, mut main) = (Vec::new(), [0; 4096], File::from(main));
    // The terminal reports EIO once no process has it open.
    while let Ok(read @ 1..) = main.read(&mut buffer) {
        seen.extend_from_slice(&buffer[..read]);
    }
    child.wait().unwrap();
    seen
}

/// regression: names printed by `hash -t csv`, `tree`, `convert -t bsd`, `text --lines` and `hash -t dfxml`, and
/// arguments in error messages, reached the terminal unescaped.
#[test]
fn raw_names_never_reach_a_terminal() {
    for evil in [
        &b"\x1b]0;PWNED\x07"[..],
        b"\x1b[31mPWNED",
        "\u{9b}31mPWNED".as_bytes(),
        b"\x9b31mPWNED",
        b"PW\nNED",
        "\u{202e}PWNED".as_bytes(),
    ] {
        let folder = Folder::new();
        let below = |end: &[u8]| [b"f/", evil, end].concat();
        folder.write(below(b""), "abc");
        folder.write(below(b"2"), "abc");
        std::os::unix::fs::symlink("gone", folder.path(below(b"L"))).unwrap();
        assert_eq!(folder.run(&["hash", "-o", "M", "--root", "f", "f"]).code, Some(0));
        std::fs::remove_file(folder.path(below(b"2"))).unwrap();
        let (name, other) = (below(b""), below(b"none"));
        let option = [b"--", evil].concat();
        let runs: &[&[&[u8]]] = &[
            &[b"hash", b"f"],
            &[b"hash", b"-t", b"csv", b"f"],
            &[b"hash", b"-t", b"dfxml", b"f"],
            &[b"hash", b"-t", b"sri", b"f"],
            &[b"hash", b"--format-string", b"%p %f\\n", b"f"],
            &[b"text", b"--lines", &name],
            &[b"hash", b"--include", evil, b"--include", &[b"[", evil].concat(), b"f"],
            &[b"hash", b"-a", evil, b"f"],
            &[b"hash", &other],
            &[b"check", b"--color", b"always", b"--root", b"f", b"M"],
            &[b"check", b"--root", b"f", b"--format-string", b"%p %{verdict}\\n", b"M"],
            &[b"check", b"--expect", evil, &name],
            &[b"audit", b"--format-string", b"%p\\n", b"M", b"f"],
            &[b"diff", b"M", b"f"],
            &[b"find", ABC.as_bytes(), b"f"],
            &[b"duplicates", b"f"],
            &[b"tree", &name],
            &[b"directory", b"f"],
            &[b"convert", b"M", b"-t", b"bsd"],
            &[b"convert", b"M", b"-t", evil],
            &[b"list", b"formats", evil],
            &[&option],
            &[b"hash", &option],
            &[evil],
        ];
        for words in runs {
            let seen = on_terminal(&folder, words);
            let shown = String::from_utf8_lossy(&seen);
            assert!(!seen.is_empty(), "{words:?}");
            if evil == b"PW\nNED" {
                assert!(!shown.lines().any(|line| line.starts_with("NED")), "{words:?}: {shown}");
                continue;
            }
            let raw = seen.windows(evil.len()).any(|window| window == evil);
            assert!(!raw, "{words:?}: {shown:?}");
        }
    }
}

/// Names are escaped only on a terminal: files and pipes receive the bytes of the names.
#[test]
fn files_and_pipes_receive_raw_names() {
    let folder = Folder::with(&[("\u{1b}[2J\u{202e}x", "abc")]);
    let row = "\"\u{1b}[2J\u{202e}x\",3,";
    let ran = folder.run(&["hash", "-t", "csv", "\u{1b}[2J\u{202e}x"]);
    assert!(ran.out().contains(row), "{ran:?}");
    let seen = on_terminal(&folder, &[b"hash", b"-t", b"csv", "\u{1b}[2J\u{202e}x".as_bytes()]);
    let seen = String::from_utf8(seen).unwrap();
    assert!(seen.contains("\"\\u{1b}[2J\\u{202e}x\",3,"), "{seen:?}");
}

/// Colors still reach the terminal, from `check` and from the argument parser.
#[test]
fn colors_reach_a_terminal() {
    let folder = Folder::with(&[("a", "abc"), ("M", &format!("{ABC}  a\n"))]);
    for words in
        [&[&b"check"[..], b"--color", b"always", b"M"][..], &[b"check", b"--color=always", b"--exatc", b"M"]]
    {
        let seen = on_terminal(&folder, words);
        assert!(seen.windows(2).any(|two| two == b"\x1b["), "{words:?}: {:?}", OsString::from_vec(seen));
    }
}
