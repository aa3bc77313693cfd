//! The grammar of the command line: global options, unknown commands and repeated options.

use crate::program::{Folder, OTHER};

#[test]
fn option_before_the_command_does_not_make_it_a_file_name() {
    // regression: `truesum -q check SUMS` hashed a folder named check and the manifest, with exit status 0.
    let folder =
        Folder::with(&[("check/notes", "hello"), ("file", "abc"), ("SUMS", &format!("{OTHER}  file\n"))]);
    for words in [
        &["-q", "check", "SUMS"][..],
        &["--json", "check", "SUMS"],
        &["-j", "1", "check", "SUMS"],
        &["-v", "-j1", "--color=never", "check", "SUMS"],
        &["-q", "-c", "SUMS"],
        &["-qc", "SUMS"],
        &["-cq", "SUMS"],
        &["-q", "verify", "SUMS"],
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(1), "{words:?}: {}{}", ran.out(), ran.err);
    }
    for words in [&["-a", "sha256", "check", "SUMS"][..], &["--tag", "check"]] {
        let ran = folder.run(words);
        assert_eq!((ran.out().as_str(), ran.code), ("", Some(2)), "{words:?}");
        assert!(ran.err.contains("the command 'check' must come before its options"), "{}", ran.err);
    }
    assert_eq!(folder.run(&["hash", "-q", "check"]).code, Some(0));
    assert_eq!(folder.run(&["-q", "./check"]).code, Some(0));
}

#[test]
fn unknown_command_is_rejected_before_hashing() {
    let folder = Folder::with(&[("file", "abc")]);
    for (words, hint) in [
        (&["chekc", "file"][..], "a similar command is check"),
        (&["-q", "chekc", "file"], "a similar command is check"),
        (&["no.thing", "file"], "truesum hash FILE..."),
        (&["nothing", "file"], "truesum --help"),
        (&["nothing"], "truesum --help"),
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.out().as_str(), ran.code), ("", Some(2)), "{words:?}");
        assert!(
            ran.err.contains("no such command or file") && ran.err.contains(hint),
            "{words:?}: {}",
            ran.err
        );
    }
    // If the command is named, a missing file is reported and the others are hashed.
    let ran = folder.run(&["hash", "nothing", "file"]);
    assert_eq!((ran.out().lines().count(), ran.code), (1, Some(1)));
}

#[test]
fn repeated_options_never_drop_a_value() {
    // regression: the first of two --files-from was dropped: a manifest of half the files, with exit status 0.
    let folder = Folder::with(&[("a", "abc"), ("b", ""), ("one", "a\n"), ("two", "b\n")]);
    let ran = folder.run(&["hash", "--files-from", "one", "--files-from", "two"]);
    assert_eq!((ran.out().lines().count(), ran.code), (2, Some(0)), "{}", ran.err);
    for words in [
        &["hash", "-o", "M", "-o", "N", "a"][..],
        &["text", "--lines", "one", "--lines", "two"],
        &["hash", "--root", ".", "--root", "..", "a"],
        &["check", "--state", "S", "--state", "T", "M"],
        &["check", "--pubkey", "k", "--pubkey", "l", "M"],
        &["hash", "--key-file", "k", "--key-file", "l", "-a", "hmac-sha256", "a"],
        &["audit", "--html", "x", "--html", "y", "M"],
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.out().as_str(), ran.code), ("", Some(2)), "{words:?}");
        assert!(ran.err.contains("was given more than once"), "{words:?}: {}", ran.err);
    }
    let ran = folder.run(&["hash", "-q", "--quiet", "-q", "a"]);
    assert_eq!(ran.code, Some(0), "flags may be repeated: {}", ran.err);
}

#[test]
fn argument_errors_contain_no_control_characters() {
    let folder = Folder::with(&[("a", "abc")]);
    for words in [
        &["check", "--color", "\x1b]0;x\x07", "a"][..],
        &["hash", "--\x1b[31m", "a"],
        &["\x1b[31m"],
        &["find", "\u{202e}x", "--min-size", "\u{9b}31m"],
        &["help", "\x07"],
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(2), "{words:?}");
        assert!(
            ran.err.chars().all(|c| c == '\n' || !c.is_control() && c != '\u{202e}'),
            "{words:?}: {:?}",
            ran.err
        );
    }
}

#[test]
fn global_options_may_precede_help_and_version() {
    // regression: `-j 2 help` showed the help of hash, `-q help check` that of hash, and `-q --version` was refused.
    let folder = Folder::new();
    let out = |words: &[&str]| {
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.err);
        ran.out()
    };
    let (top, check, tree) = (out(&["help"]), out(&["help", "check"]), out(&["help", "tree", "verify"]));
    assert!(top != check && check != tree);
    for words in
        [&["-j", "2", "help"][..], &["-v", "help"], &["-qj2", "--color=never", "help"], &["-q", "--help"]]
    {
        assert_eq!(out(words), top, "{words:?}");
    }
    for words in [&["-q", "help", "check"][..], &["help", "-q", "check"], &["-j", "2", "help", "check", "-v"]]
    {
        assert_eq!(out(words), check, "{words:?}");
    }
    assert_eq!(out(&["--progress=never", "help", "tree", "verify"]), tree);
    // regression: `-q bag create` moved the option between the two words.
    folder.write("d/data/a", "abc");
    assert_eq!(folder.run(&["-q", "bag", "create", "d"]).err, "");
    assert!(out(&["--json", "-j", "2", "bag", "check", "d"]).starts_with('{'));
    out(&["-j", "2", "tree", "--save", "d/data/a"]);
    out(&["-j", "2", "tree", "verify", "d/data/a.ftr"]);
    let version = out(&["--version"]);
    assert_eq!(out(&["-q", "--version"]), version);
    assert_eq!(out(&["-j", "2", "-V"]), version);
    assert_eq!(out(&["-q", "-v", "--version"]), out(&["--version", "-v"]));
    assert_eq!(out(&["-q", "help", "formats"]), out(&["help", "formats"]));
}
