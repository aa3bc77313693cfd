//! Exit codes: a table of conditions, and every pair of them.

use crate::program::{ABC, EMPTY, Folder};

/// A condition: lines for the manifest, options, and the exit code if it is combined with a good entry only.
struct Condition {
    name: &'static str,
    line: String,
    words: &'static [&'static str],
    code: i32,
}

fn conditions() -> Vec<Condition> {
    let line = |digest: &str, name: &str| format!("{digest}  {name}\n");
    let condition = |name, line, words, code| Condition { name, line, words, code };
    vec![
        condition("good", line(ABC, "good"), &[], 0),
        condition("mismatch", line(EMPTY, "good"), &[], 1),
        condition("missing", line(ABC, "gone"), &[], 1),
        condition("folder", line(ABC, "folder"), &[], 1),
        condition("outside", line(ABC, "../x"), &[], 1),
        condition("not in the manifest", String::new(), &["--exact"], 1),
        condition("not required", String::new(), &["--require", "other"], 1),
        condition("malformed", "oops\n".to_owned(), &[], 2),
        condition("short digest", "BLAKE2b-8 (good) = 00\n".to_owned(), &[], 2),
        condition("cut digest", line(&ABC[..63], "good"), &[], 2),
        condition("no such manifest", String::new(), &["nowhere.sha256"], 2),
        condition("folder as manifest", String::new(), &["folder"], 2),
        condition("empty manifest", String::new(), &["empty.sha256"], 2),
        condition("manifest without entries", String::new(), &["comments.sha256"], 2),
    ]
}

fn folder() -> Folder {
    let folder = Folder::with(&[
        ("good", "abc"),
        ("empty.sha256", ""),
        ("comments.sha256", "# nothing\n"),
        ("extra", ""),
    ]);
    std::fs::create_dir(folder.path("folder")).unwrap();
    folder
}

#[test]
fn failures_outrank_errors_and_errors_outrank_success() {
    let folder = folder();
    let conditions = conditions();
    let mut pairs = 0;
    for first in &conditions {
        for second in &conditions {
            folder.write("M", format!("{}{}{}", ABC.to_owned() + "  good\n", first.line, second.line));
            let words = [&["check", "M"], first.words, second.words].concat();
            let expected = match (first.code, second.code) {
                (1, _) | (_, 1) => 1,
                (2, _) | (_, 2) => 2,
                _ => 0,
            };
            let ran = folder.run(&words);
            assert_eq!(ran.code, Some(expected), "{} and {}: {}", first.name, second.name, ran.err);
            assert_eq!(folder.run(&[&words[..], &["--status"]].concat()).code, Some(expected));
            let json = folder.run(&[&words[..], &["--json"]].concat());
            let last: serde_json::Value = serde_json::from_str(json.out().lines().last().unwrap()).unwrap();
            assert_eq!(last["exit"], expected, "{} and {}", first.name, second.name);
            pairs += 1;
        }
    }
    assert!(pairs >= 64);
}

#[test]
fn nothing_verified_is_never_success() {
    let folder = folder();
    for condition in conditions().iter().filter(|condition| condition.code == 2) {
        folder.write("M", &condition.line);
        let ran = folder.run(&[&["check", "M"], condition.words].concat());
        assert_eq!(ran.code, Some(2), "{}", condition.name);
        assert!(ran.err.starts_with("truesum: "), "{}: {}", condition.name, ran.err);
    }
}

#[test]
fn wrong_usage_exits_with_two_and_help_with_zero() {
    let folder = folder();
    for words in [
        &["hash", "--no-such-option"][..],
        &["check"],
        &["list"],
        &["list", "colors"],
        &["-a", "sha265", "good"],
        &["--format", "sfvx", "good"],
        &["-l", "7", "-a", "blake2b", "good"],
        &["--tag", "--json", "good"],
        &["--raw", "good", "empty.sha256"],
        &["-j", "0", "good"],
        &["--files-from", "empty.sha256", "good"],
        &["-a", "sha256,blake3", "good"],
        &["check", "--json", "--status", "M"],
        &["--root", "nowhere", "good"],
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.out().as_str()), (Some(2), ""), "{words:?}");
        assert!(!ran.err.is_empty(), "{words:?}");
    }
    for words in [&["--help"][..], &["-h"], &["--version"], &["hash", "--help"], &["check", "-h"]] {
        let ran = folder.run(words);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{words:?}");
        assert!(!ran.out.is_empty());
    }
}

#[test]
fn hash_exit_status_reflects_its_outcome() {
    let folder = folder();
    for (words, code) in [
        (&["good"][..], 0),
        (&["folder"], 0),
        (&["good", "gone"], 1),
        (&["-o", "folder", "good"], 2),
        (&["-o", "nowhere/M", "good"], 2),
        (&["-o", "good/M", "good"], 2),
        (&["-o", "/dev/null", "good"], 2),
    ] {
        assert_eq!(folder.run(words).code, Some(code), "{words:?}");
    }
}

#[test]
fn misspelled_subcommand_is_detected() {
    let folder = folder();
    let ran = folder.run(&["chekc", "M"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("check"), "{}", ran.err);
    folder.write("chekc", "abc");
    assert_eq!(folder.run(&["chekc"]).out(), format!("{ABC}  chekc\n"), "a file of that name is a file");
}
