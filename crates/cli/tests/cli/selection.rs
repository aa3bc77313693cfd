//! Selections of files, and checks that are divided into several runs: one scenario per test, exact output and exit
//! status.

use crate::program::{ABC, EMPTY, Folder, OTHER, result_of, set_mtime};
use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use truesum_fs::system::guarantees;

fn lines(names: &[&str]) -> String {
    names.iter().map(|name| format!("{ABC}  {name}\n")).collect()
}

#[test]
fn all_lines_of_a_sampled_file_are_checked() {
    // regression: if the sample was empty, only the first line of a file was checked, and --require was satisfied.
    let folder = Folder::with(&[("a", "abc")]);
    let (good, bad) = (crate::program::ABC, crate::program::ABC.replace('b', "c"));
    folder.write("M", format!("{good}  a\n{bad}  ./a\n"));
    let ran = folder.run(&["check", "--require", "a", "--sample", "0.001%", "--sample-seed", "1", "M"]);
    assert_eq!((ran.code, ran.out().lines().next()), (Some(1), Some("a: OK")), "{ran:?}");
    assert!(ran.out().contains("./a: FAILED\n"), "{ran:?}");
}

#[test]
fn partial_check_reports_its_selection() {
    let folder = Folder::with(&[("a.iso", "abc"), ("d/b.iso", "abc"), ("d/c.txt", "abc")]);
    folder.write("M", lines(&["a.iso", "d/b.iso", "d/c.txt"]));
    let ran = folder.run(&["check", "--include", "*.iso", "--exclude", "/a*", "M"]);
    let said = "truesum: 1 file verified; 3 B read; selected: 1 of 3 entries\n";
    assert_eq!(result_of(&ran), ("d/b.iso: OK\n".to_owned(), said, Some(0)));
    let ran = folder.run(&["check", "--only", "d", "--only", "*.iso", "M"]);
    let said = "truesum: 3 files verified; 9 B read\n";
    assert_eq!(result_of(&ran), ("a.iso: OK\nd/b.iso: OK\nd/c.txt: OK\n".to_owned(), said, Some(0)));
}

#[test]
fn only_with_an_unknown_name_is_an_error() {
    let folder = Folder::with(&[("a", "abc"), ("unlisted", "abc")]);
    folder.write("M", lines(&["a"]));
    let ran = folder.run(&["check", "--only", "./a", "--only", "unlisted", "M"]);
    let said = "truesum: note: 1 file in . is not in the manifest (use -v to list it)\n\
                truesum: unlisted: selected with --only, but no entry matches\n\
                truesum: 1 file verified, 1 not in the manifest; 3 B read\n";
    assert_eq!(result_of(&ran), ("a: OK\n".to_owned(), said, Some(2)));
    for words in [&["audit", "--only", "nobody", "M"][..], &["diff", "--only", "nobody", "M", "M"]] {
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(2), "{words:?}: {}", ran.err);
        assert!(ran.err.contains("truesum: nobody: cannot select: no file has this name"), "{}", ran.err);
    }
}

#[test]
fn empty_selection_verifies_nothing() {
    let folder = Folder::with(&[("a", "abc")]);
    folder.write("M", lines(&["a"]));
    let ran = folder.run(&["check", "--newer", "2999-01-01", "M"]);
    let said = "truesum: nothing selected: 1 entry was excluded\n\
                truesum: 0 files verified; 0 B read; selected: 0 of 1 entry\n";
    assert_eq!(result_of(&ran), (String::new(), said, Some(2)));
    assert_eq!(folder.run(&["audit", "--min-size", "1K", "M"]).code, Some(2));
    let ran = folder.run(&["hash", "--min-size", "1K", "a"]);
    assert_eq!(
        result_of(&ran),
        (String::new(), "truesum: no file was selected (1 file excluded)\n", Some(2))
    );
}

#[test]
fn excluded_entry_is_not_reported_as_absent() {
    // regression: these were "not in M" with exit status 1, or ended with 1 and no message at all.
    let folder = Folder::with(&[("a", "abc"), ("d/b", "abc")]);
    folder.write("M", lines(&["a", "d/b"]));
    for filter in [&["--exclude", "a"][..], &["--newer", "2999-01-01"], &["--include", "d/*"]] {
        let ran = folder.run(&[&["check"], filter, &["M", "a"]].concat());
        let said = "truesum: a: excluded by the selection options\n\
                    truesum: 0 files verified; 0 B read; selected: 0 of 2 entries\n";
        assert_eq!(result_of(&ran), (String::new(), said, Some(2)), "{filter:?}");
        for words in [&["check", "M"][..], &["convert", "-a", "md5", "M"]] {
            let ran = folder.run(&[words, filter, &["--only", "a"]].concat());
            let said = "truesum: a: selected with --only, but excluded by other selection options\n";
            assert!(ran.code == Some(2) && ran.err.contains(said), "{words:?} {filter:?}: {}", ran.err);
        }
    }
    let ran = folder.run(&["check", "--exclude", "a", "M", "a", "d/b"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(2), "d/b: OK\n"), "{}", ran.err);
    let ran = folder.run(&["audit", "--exclude", "a", "--only", "a", "M"]);
    assert!(ran.err.contains("a: cannot select: excluded by other selection options"), "{}", ran.err);
    // Nothing is known about the entries of a manifest that cannot be read.
    for words in [&["check", "none.sha256", "a"][..], &["check", "--only", "a", "none.sha256"]] {
        let ran = folder.run(words);
        assert!(!ran.err.contains("not in") && !ran.err.contains("no entry"), "{words:?}: {}", ran.err);
        assert_ne!(ran.code, Some(0), "{words:?}");
    }
    // A file that is left for a later run is named.
    let ran = folder.run(&["check", "--max-bytes", "1", "M", "a", "d/b"]);
    assert!(ran.code == Some(1) && ran.err.contains("truesum: d/b: required but not verified\n"), "{ran:?}");
    for words in [&["hash", "--per-directory"][..], &["hash", "-o", "N"]] {
        let ran = folder.run(&[words, &["--newer", "2999-01-01", "d"]].concat());
        let said = "no file was selected (1 file excluded)\n";
        assert!(ran.code == Some(2) && ran.err.contains(said), "{words:?}: {}", ran.err);
    }
}

#[test]
fn entry_is_selected_by_its_name_or_its_file_path() {
    // regression: entries with backslashes or absolute names were verified and then "required but not verified", and were not
    // found by the names in the manifest.
    let folder = Folder::with(&[("d/s/x", "abc"), ("d/y", "abc")]);
    folder.write("d/M", format!("SHA256 (s\\x) = {ABC}\n"));
    let whole = folder.path("d/y").canonicalize().unwrap().into_os_string().into_string().unwrap();
    folder.write("d/A", lines(&[&whole]));
    for (words, out) in [
        (&["check", "d/M", "d/s/x"][..], "s\\x: OK\n"),
        (&["check", "d/M", "s\\x"], "s\\x: OK\n"),
        (&["check", "d/M", "--only", "s\\x"], "s\\x: OK\n"),
        (&["check", "d/M", "--only", "s/x"], "s\\x: OK\n"),
        (&["check", "d/M", "--require", "s/x"], "s\\x: OK\n"),
        (&["check", "d/A", "d/y"], &format!("{whole}: OK\n")),
        (&["check", "d/A", "--only", &whole], &format!("{whole}: OK\n")),
        (&["audit", "d/M", "--only", "s\\x"], "ok\ts/x\n"),
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.out().as_str(), ran.code), (out, Some(0)), "{words:?}: {}", ran.err);
        assert!(!ran.err.contains("required") && !ran.err.contains("no entry"), "{words:?}: {}", ran.err);
    }
}

#[test]
fn file_path_in_a_bag_selects_its_entry() {
    // regression: the name was resolved in the parent folder, and reported as "not in bag".
    let folder = Folder::with(&[
        ("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"),
        ("bag/data/a", "abc"),
        ("bag/manifest-sha256.txt", &lines(&["data/a"])),
    ]);
    for name in ["bag/data/a", "./bag/data/a", "data/a"] {
        let ran = folder.run(&["check", "bag", name]);
        assert_eq!((ran.out().as_str(), ran.code), ("data/a: OK\n", Some(0)), "{name}: {}", ran.err);
    }
}

#[test]
fn exceeding_max_bytes_is_noted() {
    let folder = Folder::new();
    folder.write("a", "x".repeat(5000));
    folder.run(&["-o", "M", "a"]);
    let ran = folder.run(&["check", "--max-bytes", "1KiB", "M"]);
    let said = "note: this run read 4.9 KiB, which is more than --max-bytes (1.0 KiB), because each run reads at least one complete file\n";
    assert!(ran.code == Some(0) && ran.err.contains(said), "{}", ran.err);
    let ran = folder.run(&["check", "--max-bytes", "5KiB", "M"]);
    assert!(!ran.err.contains("--max-bytes"), "{}", ran.err);
}

#[test]
fn named_files_and_folders_are_filtered_like_others() {
    // regression: --include and --exclude were ignored for files named on the command line.
    let folder =
        Folder::with(&[("a.txt", "abc"), ("b.bin", "abcd"), ("d/c.txt", "abc"), (".gitignore", "*")]);
    let note = "truesum: note: 2 arguments were excluded by the selection options\n";
    let ran = folder.run(&["hash", "--exclude", "*.bin", "--exclude", "/d", "a.txt", "./b.bin", "d/"]);
    assert_eq!(result_of(&ran), (format!("{ABC}  a.txt\n"), note, Some(0)));
    let ran = folder.run(&["hash", "--gitignore", "a.txt"]);
    assert_eq!(result_of(&ran), (format!("{ABC}  a.txt\n"), "", Some(0)));
    let none = "truesum: no file was selected (1 file excluded)\n";
    let ran = folder.run(&["hash", "--include", "*.bin", "a.txt"]);
    assert_eq!(result_of(&ran), (String::new(), none, Some(2)));
    let ran = folder.run(&["find", "-a", "sha256", "--exclude", "b*", ABC, "a.txt", "b.bin"]);
    let said = "truesum: 1 of 1 digest found; 3 B read (1 file); 1 file excluded\n";
    assert_eq!(result_of(&ran), (format!("found\ta.txt\t{ABC}\tsha256\n"), said, Some(0)));
    let ran = folder.run(&["find", "-q", "-a", "sha256", "--exclude", "a*", ABC, "a.txt"]);
    assert_eq!(result_of(&ran), (format!("absent\t{ABC}\n"), none, Some(2)));
    let ran = folder.run(&["duplicates", "-q", "--exclude", "d", "a.txt", "d/c.txt", "d"]);
    assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
    let ran = folder.run(&["duplicates", "-q", "--exclude", "*.txt", "a.txt"]);
    assert_eq!(result_of(&ran), (String::new(), none, Some(2)));
}

#[test]
fn required_names_are_normalized() {
    // regression: --require ./a was not satisfied by the entry a.
    let folder = Folder::with(&[("a", "abc"), ("d/b", "abc")]);
    folder.write("M", lines(&["a", "./d/b"]));
    assert_eq!(folder.run(&["check", "--require", "./a", "--require", "d//b", "M"]).code, Some(0));
    let ran = folder.run(&["check", "-q", "--require", "./c", "M"]);
    let said = "truesum: c: required but not verified\ntruesum: 2 files verified; 6 B read\n";
    assert_eq!(result_of(&ran), (String::new(), said, Some(1)));
}

#[test]
fn truncated_file_does_not_escape_a_size_filter() {
    let folder = Folder::with(&[("a", ""), ("b", "abc"), ("c", "abc")]);
    set_mtime(&folder, "b", UNIX_EPOCH + Duration::from_secs(5));
    let entry = |name: &str, size: u64| {
        format!(
            "{{\"schema\":\"truesum-entry/1\",\"path\":\"{name}\",\"size\":{size},\"digests\":{{\"sha256\":\"{ABC}\"}}}}\n"
        )
    };
    folder.write("M", [entry("a", 3), entry("b", 3), entry("c", 3), entry("gone", 3)].concat());
    let ran = folder.run(&["check", "-q", "--min-size", "2", "--newer", "1970-01-02", "M"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out().starts_with("a: FAILED\n  expected size 3\n  actual size   0\n"), "{}", ran.out());
    assert!(
        ran.out().ends_with("gone: MISSING\n"),
        "of which nothing is known but that it is listed: {}",
        ran.out()
    );
    assert!(ran.err.ends_with("selected: 3 of 4 entries\n"), "{}", ran.err);
}

#[test]
fn hash_selects_by_size_and_time() {
    let folder = Folder::with(&[("old", "abc"), ("new", "abc"), ("small", "")]);
    let now = SystemTime::now();
    set_mtime(&folder, "old", now - Duration::from_secs(30 * 86_400));
    let names = |words: &[&str]| {
        let ran = folder.run(&[&["hash"], words, &["old", "new", "small"]].concat());
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.err);
        ran.out().lines().map(|line| line[66..].to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(names(&["--newer", "7d"]), "new small");
    assert_eq!(names(&["--older", "7d"]), "old");
    assert_eq!(names(&["--newer", "old", "--min-size", "1"]), "new");
    assert_eq!(names(&["--max-size", "0B"]), "small");
    assert_eq!(names(&["--older", "2999-01-01T00:00:00+14:00"]), "old new small");
    for words in [
        &["--newer", "soon"][..],
        &["--newer", "-7d"],
        &["--newer", "1d", "--older", "2d"],
        &["--min-size", "2", "--max-size", "1"],
    ] {
        assert_eq!(folder.run(&[&["hash", "old"], words].concat()).code, Some(2), "{words:?}");
    }
}

#[test]
fn partial_audit_is_equal_within_its_selection() {
    let folder =
        Folder::with(&[("d/a.txt", "abc"), ("d/b.bin", "changed"), ("d/skip/new", "x"), ("d/c.txt", "abc")]);
    folder.write("M", format!("{}{OTHER}  b.bin\n{OTHER}  skip/gone\n", lines(&["a.txt"])));
    let ran = folder.run(&["audit", "--include", "*.txt", "--exclude", "skip", "M", "d"]);
    let said = "truesum: 1 file in the manifest; 1 ok, 1 copied; 6 B read; not selected: 2 in the manifest and 2 in the folder; DIFFERENCES found\n";
    assert_eq!(result_of(&ran), ("ok\ta.txt\ncopied\tc.txt\ta.txt\n".to_owned(), said, Some(1)));
    std::fs::remove_file(folder.path("d/c.txt")).unwrap();
    let ran = folder.run(&["audit", "--max-size", "3", "--only", "a.txt", "M", "d"]);
    let said = "truesum: 1 file in the manifest; 1 ok; 3 B read; not selected: 2 in the manifest and 2 in the folder; the selected files are equal\n";
    assert_eq!(result_of(&ran), ("ok\ta.txt\n".to_owned(), said, Some(0)));
    let ran = folder.run(&["audit", "--json", "--only", "a.txt", "M", "d"]);
    assert!(ran.out().contains("\"part\":true,\"left_out\":{\"listed\":2,\"found\":2}"), "{}", ran.out());
}

#[test]
fn partial_diff_is_noted() {
    // regression: a diff with a selection did not say that it compared only a part, nor that a folder was excluded.
    let folder = Folder::with(&[("a/f", "abc"), ("a/sub/x", "1"), ("b/f", "abc"), ("b/sub/x", "2")]);
    for side in ["a", "b"] {
        assert_eq!(folder.run(&["hash", "-o", &format!("{side}/M"), "--root", side, side]).code, Some(0));
    }
    let note = "truesum: note: not selected: 1 in OLD and 1 in NEW\n";
    for words in [&["diff", "--exclude", "sub", "a/M", "b/M"][..], &["diff", "--only", "f", "a/M", "b/M"]] {
        assert_eq!(result_of(&folder.run(words)), (String::new(), note, Some(0)), "{words:?}");
    }
    let words = ["diff", "--exclude", "sub/", "--exclude", "M", "a", "b"];
    let note = "truesum: note: not selected: 2 in OLD and 2 in NEW\n";
    assert_eq!(result_of(&folder.run(&words)), (String::new(), note, Some(0)));
    let ran = folder.run(&[&words[..], &["-v"]].concat());
    let said = "not selected: 2 in OLD and 2 in NEW; the selected files are equal\n";
    assert!(ran.err.ends_with(said), "{}", ran.err);
    let ran = folder.run(&[&words[..], &["--json"]].concat());
    assert!(ran.out().contains("\"part\":true,\"left_out\":{\"listed\":2,\"found\":2}"), "{}", ran.out());
    assert_eq!(folder.run(&["diff", "a", "a"]).err, "");
    // regression: files beside the folder that was named counted as "not selected".
    let folder = Folder::with(&[("c/f", "abc"), ("c/sub/x", "abc"), ("beside", "1")]);
    folder.write("M", lines(&["c/f", "c/sub/x"]));
    assert_eq!(result_of(&folder.run(&["diff", "M", "c"])), (String::new(), "", Some(0)));
}

#[test]
fn excluding_a_folder_excludes_its_named_files() {
    // regression: --exclude FOLDER/ did not apply to a named file in that folder.
    let folder = Folder::with(&[("build/a", "abc"), ("src/a", "abc"), ("list", "build/a\nsrc/a\n")]);
    let note = "truesum: note: 1 argument was excluded by the selection options\n";
    for words in [
        &["hash", "--exclude", "build/", "build/a", "src/a"][..],
        &["hash", "--exclude", "b*", "./build/a", "src/a"],
        &["hash", "--exclude", "build", "--files-from", "list"],
    ] {
        let ran = folder.run(words);
        assert_eq!(result_of(&ran), (format!("{ABC}  src/a\n"), note, Some(0)), "{words:?}");
    }
    // The folders in an absolute name, and those above the current folder, are not filtered.
    let whole = folder.path("build/a");
    assert_eq!(folder.run(&["hash", "--exclude", "build", whole.to_str().unwrap()]).code, Some(0));
    assert_eq!(folder.run(&["hash", "--exclude", ".*", "build/../src/a"]).code, Some(0));
}

#[test]
fn diff_includes_a_file_if_one_side_matches_the_filter() {
    let folder = Folder::with(&[("a/big", "0123456789"), ("b/big", "0"), ("a/small", "1"), ("b/small", "2")]);
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    ["a/big", "b/big"].iter().for_each(|name| set_mtime(&folder, name, time));
    let ran = folder.run(&["diff", "--min-size", "5", "a", "b"]);
    assert_eq!((ran.out().as_str(), ran.code), ("corrupt\tbig\n", Some(1)), "of one time");
}

#[test]
fn sample_is_reproducible_by_seed_and_reported_as_partial() {
    let names: Vec<String> = (0..200).map(|i| format!("f{i:03}")).collect();
    let folder = Folder::new();
    names.iter().for_each(|name| folder.write(name, "abc"));
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    folder.write("M", lines(&all));
    let sample = |words: &[&str]| folder.run(&[&["check", "M"], words].concat());
    let ran = sample(&["--sample", "10%", "--sample-seed", "1"]);
    let picked: Vec<String> = ran.out().lines().map(|line| line[..4].to_owned()).collect();
    let number = picked.len();
    assert!((5..40).contains(&number), "{number}");
    let read = 3 * number;
    let said = format!(
        "truesum: {number} files verified; {read} B read; selected: {number} of 200 entries (sample of 10 %, seed 1)\n"
    );
    assert_eq!((ran.err.as_str(), ran.code), (said.as_str(), Some(0)));
    assert_eq!(sample(&["--sample", "10%", "--sample-seed", "1"]).out(), ran.out());
    let without_seed: BTreeSet<Vec<u8>> = (0..4).map(|_| sample(&["--sample", "10%"]).out).collect();
    assert!(without_seed.len() > 1, "a sample that never changes leaves the rest unread for ever");
    // Only damage to files in the sample fails the run.
    folder.write(&picked[0], "bad");
    assert_eq!(sample(&["--sample", "10%", "--sample-seed", "1"]).code, Some(1));
    for share in ["0%", "101%", "5", "-5%", "nan%"] {
        assert_eq!(sample(&[&format!("--sample={share}")]).code, Some(2), "{share}");
    }
}

#[test]
fn sample_contains_at_least_one_entry() {
    let folder = Folder::with(&[("a", "abc"), ("b", "abc"), ("c", "abc")]);
    folder.write("M", lines(&["a", "b", "c"]));
    for seed in 0..5 {
        let ran = folder.run(&["check", "--sample", "0.0001%", "--sample-seed", &seed.to_string(), "M"]);
        let said = format!(
            "truesum: 1 file verified; 3 B read; selected: 1 of 3 entries (sample of 0.0001 %, seed {seed})\n"
        );
        assert_eq!((ran.err.as_str(), ran.code), (said.as_str(), Some(0)));
    }
    let ran = folder.run(&["check", "--json", "--sample", "0.0001%", "--sample-seed", "1", "M"]);
    let last: serde_json::Value = serde_json::from_str(ran.out().lines().last().unwrap()).unwrap();
    assert_eq!((&last["left_out"], &last["part"]), (&2.into(), &true.into()));
    assert_eq!(last["sample"], serde_json::json!({"percent": 0.0001, "seed": 1}));
}

#[test]
fn bounded_runs_eventually_read_every_file() {
    const BOUND: u64 = 4500;
    let folder = Folder::new();
    let mut sizes: Vec<u64> = Vec::new();
    // For each file, the night by which it must be read again after it was last read or added.
    let mut due: Vec<usize> = Vec::new();
    let mut nights_read = BTreeSet::new();
    for night in 0..40 {
        // Thirteen files, one of them larger than the limit; then up to two more each night until the twentieth.
        let more = if night == 0 {
            13
        } else if night < 20 {
            night % 3
        } else {
            0
        };
        for _ in 0..more {
            let size = [1000, 10, 2500, 7000, 0, 1700][sizes.len() % 6];
            folder.write(format!("f{:03}", sizes.len()), vec![b'x'; size as usize]);
            sizes.push(size);
            due.push(usize::MAX);
        }
        // Two consecutive nights read more than the limit together.
        let within = |sizes: &[u64]| night + 2 * sizes.iter().sum::<u64>().div_ceil(BOUND) as usize + 1;
        let all = within(&sizes);
        due.iter_mut().filter(|due| **due == usize::MAX).for_each(|due| *due = all);
        let names: Vec<String> = (0..sizes.len()).map(|i| format!("f{i:03}")).collect();
        let mut words = vec!["hash", "-o", "M"];
        words.extend(names.iter().map(String::as_str));
        assert_eq!(folder.run(&words).code, Some(0));
        let ran = folder.run(&["check", "--state", "S", "--max-bytes", "4500B", "M"]);
        assert_eq!(ran.code, Some(0), "night {night}: {}", ran.err);
        let read: Vec<usize> = ran.out().lines().map(|line| line[1..4].parse().unwrap()).collect();
        let bytes: u64 = read.iter().map(|&i| sizes[i]).sum();
        assert!(bytes <= BOUND || read.len() == 1, "night {night}: {bytes}");
        for i in read {
            due[i] = all;
            nights_read.insert(i);
        }
        if let Some(late) = due.iter().position(|&due| due < night) {
            panic!(
                "f{late:03} waits in night {night} and had to be read in night {} at the latest",
                due[late]
            );
        }
    }
    assert_eq!(nights_read.len(), sizes.len());
    let ran = folder.run(&["check", "--state", "S", "M"]);
    assert_eq!(ran.code, Some(0));
    assert!(!ran.err.contains("selected:"), "all at once is no part: {}", ran.err);
}

#[test]
fn failed_file_is_reported_every_run_until_it_is_good() {
    let folder = Folder::with(&[("a", "bad"), ("b", "abc"), ("c", "abc")]);
    folder.write("M", lines(&["a", "b", "c"]));
    let night = || folder.run(&["check", "--state", "S", "--max-bytes", "3B", "M"]);
    assert_eq!(night().code, Some(1));
    let said = "truesum: a: failed in an earlier run and was not read in this one\n\
                hint: to check such a file again now, use --only NAME and the same --state FILE\n\
                truesum: 1 file verified, 1 FAILED in an earlier run; 3 B read; selected: 1 of 3 entries, 2 left for later runs (1 not checked in any run so far)\n";
    assert_eq!(result_of(&night()), ("b: OK\n".to_owned(), said, Some(1)));
    folder.write("a", "abc");
    assert_eq!(folder.run(&["check", "--state", "S", "--only", "a", "M"]).code, Some(0));
    let said =
        "truesum: 1 file verified; 3 B read; selected: 1 of 3 entries, 2 others checked in earlier runs\n";
    assert_eq!(result_of(&night()), ("c: OK\n".to_owned(), said, Some(0)));
}

#[test]
fn state_file_is_not_other_data_and_belongs_to_one_manifest() {
    let folder = Folder::with(&[("a", "abc"), ("diary", "dear diary\n")]);
    folder.write("M", lines(&["a"]));
    let ran = folder.run(&["check", "--state", "diary", "M"]);
    assert_eq!(
        (ran.code, ran.err.contains("diary: cannot use: it is not a state file")),
        (Some(2), true),
        "{}",
        ran.err
    );
    assert_eq!(std::fs::read(folder.path("diary")).unwrap(), b"dear diary\n");
    assert_eq!(folder.run(&["check", "--state", "M", "M"]).code, Some(2));
    assert_eq!(folder.run(&["check", "--state", "S", "M", "M"]).code, Some(2));
    assert_eq!(folder.run(&["check", "--state", "none/S", "M"]).code, Some(2));
    assert_eq!(folder.run(&["check", "--sample", "5%", "--state", "S", "M"]).code, Some(2));
    assert!(!folder.path("S").exists());
}

#[test]
fn number_of_files_checked_in_earlier_runs_agrees_with_its_noun() {
    // regression: "1 others checked".
    let folder = Folder::with(&[("a", "abc"), ("b", "abc")]);
    folder.write("M", lines(&["a", "b"]));
    let night = || folder.run(&["check", "--state", "S", "--max-bytes", "3B", "M"]);
    assert_eq!((night().code, night().code), (Some(0), Some(0)));
    let third = night();
    assert!(third.err.contains("selected: 1 of 2 entries, 1 other checked in earlier runs"), "{}", third.err);
}

#[test]
fn no_file_is_started_after_max_time() {
    let folder = Folder::with(&[("a", "abc"), ("b", "abc")]);
    folder.write("M", lines(&["a", "b"]));
    let ran = folder.run(&["check", "--max-time", "0s", "M"]);
    let said = "truesum: note: without --state, the next run starts with the same files\n\
                truesum: 1 file verified; 3 B read; selected: 1 of 2 entries, 1 left for later runs\n";
    assert_eq!(result_of(&ran), ("a: OK\n".to_owned(), said, Some(0)));
    let ran = folder.run(&["check", "--max-time", "1h", "M"]);
    assert_eq!((ran.out().as_str(), ran.code), ("a: OK\nb: OK\n", Some(0)));
    assert!(!ran.err.contains("selected:"), "{}", ran.err);
}

#[test]
fn conversion_of_a_selection_is_noted() {
    let folder = Folder::new();
    folder.write("M", lines(&["a", "d/b", "d/c"]));
    let ran = folder.run(&["convert", "M", "-t", "gnu", "--only", "d", "--exclude", "c"]);
    let said = "truesum: note: selected: 1 of 3 entries\n";
    assert_eq!(result_of(&ran), (format!("{ABC}  d/b\n"), said, Some(0)));
    for (words, why) in [
        (&["--only", "e"][..], "truesum: e: selected with --only, but no entry matches\n"),
        (&["--include", "*.iso"], "truesum: nothing selected: 3 entries were excluded\n"),
    ] {
        let ran = folder.run(&[&["convert", "M", "-t", "bsd"], words].concat());
        assert_eq!(result_of(&ran), (String::new(), why, Some(2)), "{words:?}");
    }
    assert_eq!(
        folder.run(&["convert", "M", "-t", "bsd", "--min-size", "1"]).code,
        Some(0),
        "no size is listed"
    );
}

#[test]
fn summary_option_sets_the_length_of_the_summary() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "")]);
    folder.write("M", format!("{}{OTHER}  b\n", lines(&["a"])));
    let end = |words: &[&str]| {
        let err = folder.run(words).err;
        // Time and speed differ in each run.
        let masked = |line: &str| match line.split_once(" in 0.") {
            Some((before, _)) => format!("{before} in TIME"),
            None => line.to_owned(),
        };
        err.lines().map(masked).collect::<Vec<_>>().join("\n")
    };
    let check = ["check", "-q", "--root", "d", "M", "--summary"];
    let short = "truesum: 1 file verified, 1 FAILED; 3 B read";
    assert_eq!(end(&[&check[..], &["none"]].concat()), "");
    assert_eq!(end(&[&check[..], &["short"]].concat()), short);
    let digest = &folder.run(&["hash", "M"]).out()[..64];
    let failed = "the content does not match: restore the file from a copy; if its tree was stored, --locate shows which bytes differ";
    let long =
        format!("{short}\n  checked  M, SHA-256 {digest}\n  read     3 B in TIME\n  FAILED   {failed}");
    assert_eq!(end(&[&check[..], &["long"]].concat()), long);
    let object: serde_json::Value = serde_json::from_str(&end(&[&check[..], &["json"]].concat())).unwrap();
    assert_eq!(
        (&object["kind"], &object["mismatched"], &object["part"]),
        (&"summary".into(), &1.into(), &false.into())
    );
    let long = end(&["audit", "-q", "--summary=long", "--max-size", "0B", "M", "d"]);
    let said = format!(
        "truesum: 1 file in the manifest; 1 changed; 0 B read; not selected: 1 in the manifest and 0 in the folder; DIFFERENCES found\n  \
         compared  M, SHA-256 {digest}\n  read      0 B in TIME\n  left out  1 in the manifest and 0 in the folder\n  \
         changed   the file was modified: restore it from a copy, or, if the change was intended, accept it with truesum update --refresh"
    );
    assert_eq!(long, said);
    let long = end(&["hash", "-o", "N", "--summary=long", "--min-size", "1", "d"]);
    let said =
        "truesum: 1 file, 3 B in TIME\n  digests   sha256\n  listed    1 file in N\n  left out  1 file";
    assert_eq!(long, said);
    let object = folder.run(&["hash", "--summary=json", "--min-size", "1", "d"]).err;
    let object: serde_json::Value = serde_json::from_str(&object).unwrap();
    assert_eq!((&object["schema"], &object["left_out"]["files"]), (&"truesum-hash/1".into(), &1.into()));
}

#[test]
fn entry_is_found_by_any_path_to_its_file() {
    // regression: `check SHA256SUMS ../d/a` reported that the entry was not in the manifest.
    let folder = Folder::with(&[("d/s/a", "abc"), ("d/b", ""), ("d/k/x", ""), ("o", "")]);
    symlink("s", folder.path("d/latest")).unwrap();
    let list = |name: &str| folder.write("d/SHA256SUMS", format!("{ABC}  {name}\n{EMPTY}  b\n"));
    let check = |at: &str, manifest: &str, name: &str| {
        let mut command = folder.command();
        let ran = command.current_dir(folder.path(at)).args(["check", manifest, name]).output().unwrap();
        (String::from_utf8(ran.stdout).unwrap(), ran.status.code())
    };
    let at = folder.root().canonicalize().unwrap().join("d/s//a");
    for entry in ["s/a", "s//a", "./s/a", "s/./a", "latest/a"] {
        list(entry);
        for given in
            ["s/a", "s//a", "./s/./a", "../d/s/a", "..//d//s/a", "s/../s/a", "latest/a", at.to_str().unwrap()]
        {
            let (out, code) = check("d", "SHA256SUMS", given);
            if entry == "latest/a" && !guarantees().follows_links_inside() {
                assert!(code == Some(1) && !out.contains("OK"), "{given}: {out}");
                continue;
            }
            assert_eq!(
                (out.as_str(), code),
                (format!("{entry}: OK\n").as_str(), Some(0)),
                "{entry}: {given}"
            );
        }
        let (out, code) = check("d/k", "../SHA256SUMS", "../../d/s/a");
        if entry == "latest/a" && !guarantees().follows_links_inside() {
            continue;
        }
        assert_eq!((out, code), (format!("{entry}: OK\n"), Some(0)), "{entry}");
    }
    assert_eq!(check("d", "SHA256SUMS", "../o"), (String::new(), Some(1)));
}

#[test]
fn globs_with_a_slash_match_relative_and_printed_paths() {
    // regression: `hash --exclude sub/c .` did not exclude ./sub/c, because the glob was compared with the complete path.
    let folder =
        Folder::with(&[("d/c", "abc"), ("d/sub/c", "abc"), ("d/sub/e", "abc"), ("d/x/sub/c", "abc")]);
    let absolute = folder.path("d").into_os_string().into_string().unwrap();
    let found = |args: &[&str], prefix: &str| -> Vec<String> {
        let ran = folder.run(args);
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
        ran.out().lines().map(|line| line.split("  ").nth(1).unwrap().replace(prefix, "")).collect()
    };
    for (named, prefix) in [("d", "d/"), ("d/", "d/"), ("./d", "./d/"), (&absolute, &*format!("{absolute}/"))]
    {
        // The last one is the path as it is printed.
        for glob in ["sub/c", "/sub/c", "./sub/c", "sub/[c]", &format!("{prefix}sub/c")] {
            assert_eq!(
                found(&["hash", "--exclude", glob, named], prefix),
                ["c", "sub/e", "x/sub/c"],
                "{named} {glob}"
            );
            assert_eq!(found(&["hash", "--include", glob, named], prefix), ["sub/c"], "{named} {glob}");
        }
        assert_eq!(found(&["hash", "--exclude", "**/sub/c", named], prefix), ["c", "sub/e"]);
    }
    let inside = folder
        .command()
        .current_dir(folder.path("d"))
        .args(["hash", "--exclude", "sub/c", "."])
        .output()
        .unwrap();
    let inside = String::from_utf8(inside.stdout).unwrap();
    assert!(!inside.contains("  ./sub/c") && inside.contains("  ./x/sub/c"), "{inside}");
    // Names in a manifest are relative to its folder.
    assert_eq!(folder.run(&["hash", "-o", "d/M", "d"]).code, Some(0));
    for words in [&["--exclude", "sub/c"][..], &["--exclude", "./sub/c"], &["--exclude", "/sub/c"]] {
        let ran = folder.run(&[&["check"], words, &["d/M"]].concat());
        assert_eq!(ran.out(), "c: OK\nsub/e: OK\nx/sub/c: OK\n", "{}", ran.err);
    }
    for only in ["sub/c", "./sub/c", "sub/[c]"] {
        let ran = folder.run(&["check", "--only", only, "d/M"]);
        assert_eq!(ran.out(), "sub/c: OK\n", "{only}: {}", ran.err);
    }
}
