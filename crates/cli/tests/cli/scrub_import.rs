//! `truesum scrub --import`: the names and rules of manifests.

use crate::program::{Folder, RunResult, result_of, set_mtime};
use std::time::{Duration, UNIX_EPOCH};

/// Writes a file with this modification time, in seconds.
fn write(folder: &Folder, name: &str, text: &str, mtime: u64) {
    folder.write(name, text);
    set_mtime(folder, name, UNIX_EPOCH + Duration::from_secs(mtime));
}

/// Runs the command of the hint, and returns its result.
fn follow_hint(folder: &Folder, ran: &RunResult) -> RunResult {
    let hint =
        ran.err.lines().find_map(|line| line.strip_prefix("hint: ")).unwrap_or_else(|| panic!("{}", ran.err));
    let (_, command) = hint.split_once(": truesum ").unwrap_or_else(|| panic!("{hint}"));
    let words: Vec<&str> = command.split(' ').collect();
    folder.run(&words)
}

#[test]
fn names_are_relative_to_the_folder_of_the_manifest() {
    // regression: they were relative to the tree, so a corrupt file matched no entry and was recorded as new.
    for (options, output, failure) in [
        (&["-o"][..], "a3.sha256", "changed\tg1\n"),
        (&["--json", "-o"], "a3.jsonl", "corrupt\tg1\n"),
        (&["--json", "-o"], "a3/a3.jsonl", "corrupt\tg1\n"),
    ] {
        let folder = Folder::new();
        write(&folder, "a3/g1", "one", 1000);
        write(&folder, "a3/sub/g2", "two", 1000);
        assert_eq!(folder.run(&[&["hash"], options, &[output, "a3"]].concat()).code, Some(0));
        write(&folder, "a3/g1", "0ne", 1000);
        let ran = folder.run(&["scrub", "--import", output, "--state", "S", "a3"]);
        assert_eq!(result_of(&ran), (String::new(), "truesum: note: S: 2 files imported\n", Some(0)));
        let ran = folder.run(&["scrub", "-q", "--all", "--state", "S", "a3"]);
        let lines: String = ran
            .out()
            .lines()
            .filter(|line| !line.contains("a3.jsonl"))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!((ran.code, &lines[..]), (Some(1), failure), "{}", ran.err);
    }
}

#[test]
fn manifest_in_a_subfolder_is_imported_for_the_tree() {
    let folder = Folder::new();
    write(&folder, "d/sub/a", "one", 1000);
    assert_eq!(folder.run(&["hash", "--json", "-o", "d/sub/M.jsonl", "d/sub"]).code, Some(0));
    write(&folder, "d/sub/a", "0ne", 1000);
    assert_eq!(folder.run(&["scrub", "-q", "--import", "d/sub/M.jsonl", "d"]).code, Some(0));
    let ran = folder.run(&["scrub", "-q", "--all", "--accept", "none", "d"]);
    let mut lines: Vec<String> = ran.out().lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(
        (ran.code, &lines[..]),
        (Some(1), &["corrupt\tsub/a".to_owned(), "new\tsub/M.jsonl".to_owned()][..])
    );
}

#[test]
fn names_that_are_not_in_the_tree_are_refused_with_a_command_that_works() {
    for (place, root) in [("lists", "a3"), ("lists", "."), ("a3", "."), (".", "a3")] {
        let folder = Folder::new();
        folder.write("lists/other", "");
        write(&folder, "a3/g1", "one", 1000);
        let manifest = format!("{place}/M.jsonl");
        assert_eq!(folder.run(&["hash", "--json", "--root", root, "-o", "M", "a3/g1"]).code, Some(0));
        std::fs::rename(folder.path("M"), folder.path(&manifest)).unwrap();
        let ran = folder.run(&["scrub", "--import", &manifest, "--state", "S", "a3"]);
        assert_eq!((ran.code, folder.path("S").exists()), (Some(2), false), "{place} {root}: {}", ran.err);
        assert!(ran.err.contains("M.jsonl: cannot import names: "), "{}", ran.err);
        let ran = follow_hint(&folder, &ran);
        assert_eq!(
            result_of(&ran),
            (String::new(), "truesum: note: S: 1 file imported\n", Some(0)),
            "{place} {root}"
        );
        write(&folder, "a3/g1", "0ne", 1000);
        let ran = folder.run(&["scrub", "-q", "--all", "--accept", "modified", "--state", "S", "a3"]);
        assert!(ran.code == Some(1) && ran.out().contains("corrupt\tg1\n"), "{}{}", ran.out(), ran.err);
    }
}

#[test]
fn entries_outside_of_the_tree_are_refused() {
    let folder = Folder::new();
    write(&folder, "d/a", "one", 1000);
    write(&folder, "e/b", "two", 1000);
    assert_eq!(folder.run(&["hash", "-o", "M", "d", "e"]).code, Some(0));
    let ran = folder.run(&["scrub", "--import", "M", "d"]);
    assert!(ran.code == Some(2) && !folder.path("d/.truesum-state").exists(), "{}", ran.err);
    assert!(
        ran.err.starts_with("truesum: M: cannot import names: e/b is not in d; names are relative to .\n"),
        "{}",
        ran.err
    );
    assert_eq!(folder.run(&["convert", "--only", "d", "-t", "jsonl", "M", "-o", "NEW"]).code, Some(0));
    assert_eq!(folder.run(&["scrub", "-q", "--import", "NEW", "d"]).code, Some(0));
    let ran = folder.run(&["scrub", "--root", "d", "d"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
}

#[test]
fn rules_are_made_relative_to_the_tree_or_refused() {
    let folder = Folder::with(&[("d/a", "1"), ("d/cache/c", "2"), ("d/x.tmp", "3")]);
    let ran = folder.run(&["hash", "-o", "M", "--exclude", "/cache", "--exclude", "*.tmp", "d"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = folder.run(&["scrub", "--import", "M", "d"]);
    assert!(ran.err.ends_with("note: rules: exclude /cache, exclude *.tmp\n"), "{}", ran.err);
    let ran = folder.run(&["scrub", "--all", "d"]);
    assert_eq!((ran.code, ran.out()), (Some(0), String::new()), "{}", ran.err);
    std::fs::remove_file(folder.path("d/.truesum-state")).unwrap();
    let text = [b"# truesum: exclude **/old/x\n".to_vec(), folder.read("M")].concat();
    folder.write("M", text);
    let ran = folder.run(&["scrub", "--import", "M", "d"]);
    assert!(
        ran.code == Some(2) && ran.err.contains("its rules are relative to another folder"),
        "{}",
        ran.err
    );
    assert!(!folder.path("d/.truesum-state").exists());
    assert_eq!(
        folder.run(&["scrub", "-q", "--set-rules", "--exclude", "/cache", "--import", "M", "d"]).code,
        Some(0)
    );
}

#[test]
fn changed_file_without_a_recorded_time_gets_a_hint_until_it_is_forgotten() {
    for state in [&[][..], &["--state", "S"]] {
        let folder = Folder::new();
        write(&folder, "d/-a b", "one", 1000);
        write(&folder, "d/c", "two", 1000);
        assert_eq!(folder.run(&["hash", "-o", "M", "d"]).code, Some(0));
        assert_eq!(folder.run(&[&["scrub", "-q", "--import", "M", "d"], state].concat()).code, Some(0));
        write(&folder, "d/-a b", "0ne", 1000);
        for _ in 0..2 {
            let ran = folder.run(&[&["scrub", "-q", "--all", "d"], state].concat());
            assert_eq!((ran.code, ran.out()), (Some(1), "changed\t-a b\n".to_owned()));
            let option = if state.is_empty() { "" } else { "--state S " };
            let hint = format!(
                "hint: changed: the entry has no modification time, so an edit cannot be distinguished from corruption; \
                 if the current content is correct: truesum scrub {option}--forget './-a b' d\n"
            );
            assert!(ran.err.starts_with(&hint), "{}", ran.err);
        }
        let forgotten = folder.run(&[&["scrub"], state, &["--forget", "./-a b", "d"]].concat());
        assert_eq!(forgotten.code, Some(0), "{}", forgotten.err);
        let ran = folder.run(&[&["scrub", "-q", "--all", "d"], state].concat());
        assert_eq!((ran.code, result_of(&ran).1), (Some(0), ""));
    }
}

#[test]
fn files_of_a_manifest_without_sizes_count_towards_the_limit() {
    // regression: all files were read, because the size of each was unknown and counted as 0.
    let folder = Folder::new();
    for name in ["d/a", "d/b", "d/c", "d/d", "d/e", "d/f"] {
        write(&folder, name, &name.repeat(10_000), 1_560_177_334);
    }
    assert_eq!(folder.run(&["-o", "l.sha256", "d"]).code, Some(0));
    assert_eq!(folder.run(&["scrub", "-q", "--import", "l.sha256", "d"]).code, Some(0));
    let ran = folder.run(&["scrub", "--max-bytes", "60000", "d"]);
    assert!(ran.code == Some(0) && ran.err.contains(" 2 read (59 KiB)"), "{}", ran.err);
}
