//! `truesum check` for files under other names, for names on the command line, and for manifests below folders: one
//! scenario per test.

use crate::program::{ABC, EMPTY, Folder, OTHER, RunResult, lines, result_of};
use std::os::unix::fs::symlink;

#[test]
fn missing_file_is_found_by_content_and_still_fails() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/s/new", "abc"), ("d/other", "xyz")]);
    folder.write("d/M", lines(&[(ABC, "a"), (ABC, "old"), (OTHER, "gone")]));
    let ran = folder.run(&["check", "--search", "--status", "d/M"]);
    assert_eq!(result_of(&ran), (String::new(), "", Some(1)));
    let ran = folder.run(&["check", "--search", "d/M"]);
    let message = "truesum: note: 1 file in d is not in the manifest (use -v to list it)\n\
                truesum: 1 file verified, 1 MISSING, 1 MOVED, 1 not in the manifest; 9 B read\n";
    assert_eq!(result_of(&ran), ("a: OK\nold: MOVED to s/new\ngone: MISSING\n".to_owned(), message, Some(1)));
    folder.write("d/M", lines(&[(ABC, "a"), (ABC, "old")]));
    assert_eq!(folder.run(&["check", "-q", "--search", "d/M"]).code, Some(1));
    let ran = folder.run(&["check", "--search", "--moved=ok", "d/M"]);
    assert_eq!((ran.out(), ran.code), ("a: OK\nold: MOVED to s/new\n".to_owned(), Some(0)));
    // A file found under another name is not an extra file.
    let ran = folder.run(&["check", "--exact", "--search", "--moved=ok", "d/M"]);
    assert!(ran.err.contains("1 file in d is not in the manifest: other\n"), "{}", ran.err);
    std::fs::remove_file(folder.path("d/other")).unwrap();
    assert_eq!(folder.run(&["check", "--exact", "--search", "--moved=ok", "d/M"]).code, Some(0));
}

#[test]
fn each_file_with_the_same_content_matches_one_entry() {
    let folder = Folder::with(&[("d/x/b", "abc"), ("d/x/z", "abc")]);
    folder.write("d/M", lines(&[(ABC, "a"), (ABC, "b"), (ABC, "c")]));
    let ran = folder.run(&["check", "--search", "d/M"]);
    assert_eq!((ran.out(), ran.code), ("a: MOVED to x/z\nb: MOVED to x/b\nc: MISSING\n".to_owned(), Some(1)));
    // A copy of a file that is in the manifest and exists is not a moved file.
    let folder = Folder::with(&[("d/a", "abc")]);
    folder.write("d/M", lines(&[(ABC, "a"), (ABC, "b")]));
    let ran = folder.run(&["check", "--search", "d/M"]);
    assert_eq!((ran.out(), ran.code), ("a: OK\nb: MISSING\n".to_owned(), Some(1)));
}

#[test]
fn rename_to_match_requires_yes() {
    let folder = Folder::with(&[("d/new", "abc")]);
    folder.write("d/M", lines(&[(ABC, "sub/old")]));
    let words = ["check", "--search", "--rename-to-match", "d/M"];
    let ran = folder.run(&words);
    let message = "truesum: 0 files verified, 1 MOVED; 3 B read\n";
    let out = "sub/old: MOVED to new\nnew: would be renamed to sub/old (use --yes to rename)\n";
    assert_eq!(result_of(&ran), (out.to_owned(), message, Some(1)));
    assert!(folder.path("d/new").exists());
    let ran = folder.run(&[&words[..], &["--yes", "--moved=ok"]].concat());
    let message = "truesum: 0 files verified, 1 MOVED, 1 renamed; 3 B read\n";
    assert_eq!(
        result_of(&ran),
        ("sub/old: MOVED to new\nnew: RENAMED to sub/old\n".to_owned(), message, Some(0))
    );
    assert_eq!(folder.run(&["check", "-q", "d/M"]).code, Some(0));
    assert!(!folder.path("d/new").exists());
    let ran = folder.run(&["check", "--yes", "d/M"]);
    let hint = "truesum: --yes: no renames requested\n\
                hint: to rename moved files: truesum check --search --rename-to-match --yes MANIFEST\n";
    assert_eq!(result_of(&ran), (String::new(), hint, Some(2)));
    assert_eq!(folder.run(&["check", "--rename-to-match", "d/M"]).code, Some(2), "what was not searched");
}

#[test]
fn renaming_stops_if_stdout_fails() {
    let folder = Folder::with(&[("d/new", "abc"), ("e/nine", "123456789"), ("e/ten", "1234567890")]);
    folder.write("d/M", lines(&[(ABC, "old")]));
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let words = ["check", "--search", "--rename-to-match", "--yes", "d/M"];
    let output = folder.command().args(words).stdout(full()).output().unwrap();
    let ran = RunResult::from(output);
    assert_eq!((ran.code, folder.path("d/new").exists()), (Some(1), true), "{}", ran.err);
    let output = folder.command().args(["embed", "add", "--yes", "e"]).stdout(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let renamed = std::fs::read_dir(folder.path("e")).unwrap();
    let marked = renamed.filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains('['));
    assert_eq!(marked.count(), 1, "the first that could not be reported is the last");
}

#[test]
fn rename_replaces_nothing_and_stays_in_the_folder() {
    let folder = Folder::with(&[("d/new", "abc"), ("d/empty", ""), ("out/x", "")]);
    symlink("../out", folder.path("d/way")).unwrap();
    folder.write("d/M", lines(&[(ABC, "../out/old"), (EMPTY, "void")]));
    let words = ["check", "--search", "--rename-to-match", "--yes", "d/M"];
    let ran = folder.run(&words);
    // A file found for a name outside the folder is not renamed. Every empty file matches any other.
    let out = "../out/old: MOVED to new\nvoid: MOVED to empty\nnew: NOT RENAMED to ../out/old\n";
    assert_eq!((ran.out(), ran.code), (out.to_owned(), Some(1)));
    let ran = folder.run(&[&words[..], &["--allow-outside"]].concat());
    assert!(ran.out().contains("new: NOT RENAMED to ../out/old\n"), "{}", ran.out());
    assert!(ran.err.contains("new: cannot rename: its new name is outside the folder"), "{}", ran.err);
    folder.write("d/M", lines(&[(ABC, "way/old"), (OTHER, "s")]));
    let ran = folder.run(&[&words[..], &["--allow-outside"]].concat());
    assert!(ran.out().contains("new: NOT RENAMED to way/old\n"), "{}", ran.out());
    assert!(folder.path("d/new").exists() && !folder.path("out/old").exists());
    // The folder in the new name is a file.
    folder.write("d/file", "listed");
    folder.write("d/M", lines(&[(ABC, "file/old")]));
    let ran = folder.run(&words);
    assert!(ran.out().contains("new: NOT RENAMED to file/old\n"), "{}", ran.out());
    assert_eq!(folder.read("d/file"), b"listed");
}

#[test]
fn name_spellings_match_only_on_request() {
    let folder = Folder::with(&[("d/ReadMe", "abc"), ("d/Sub/e\u{301}", "abc"), ("d/x\\y", "abc")]);
    folder.write("d/M", lines(&[(ABC, "README"), (ABC, "Sub/\u{e9}")]));
    let ran = folder.run(&["check", "d/M"]);
    let hint = "hint: ReadMe exists, and its name differs from README only in letter case or Unicode normalization: accept it with --match-case=no or --normalize, or rename it with --fix-names\n";
    assert_eq!((ran.out(), ran.code), ("README: MISSING\nSub/\u{e9}: MISSING\n".to_owned(), Some(1)));
    assert!(ran.err.contains(hint), "{}", ran.err);
    let ran = folder.run(&["check", "--match-case=no", "d/M"]);
    assert_eq!(ran.out(), "README: OK (as ReadMe)\nSub/\u{e9}: MISSING\n");
    let ran = folder.run(&["check", "-q", "--match-case=no", "--normalize", "d/M"]);
    assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
    folder.write("d/ReadMe", "abd");
    let ran = folder.run(&["check", "-q", "--match-case=no", "--normalize", "d/M"]);
    assert!(ran.out().starts_with("README: FAILED (as ReadMe)\n") && ran.code == Some(1), "{}", ran.out());
    // If two files match, the name is ambiguous.
    folder.write("d/readme", "abc");
    let ran = folder.run(&["check", "-q", "--match-case=no", "--normalize", "d/M"]);
    assert_eq!((ran.out(), ran.code), ("README: MISSING\n".to_owned(), Some(1)));
}

#[test]
fn fix_names_renames_only_verified_files() {
    let folder = Folder::with(&[("d/ReadMe", "abc"), ("d/x\\y", "abc"), ("d/Bad", "other")]);
    folder.write("d/M", lines(&[(ABC, "README"), (ABC, "x/y"), (ABC, "BAD")]));
    let ran = folder.run(&["check", "--fix-names", "d/M"]);
    let out = "README: MOVED to ReadMe\nx/y: MOVED to x\\y\nBAD: MISSING\n\
               ReadMe: would be renamed to README (use --yes to rename)\nx\\y: would be renamed to x/y (use --yes to rename)\n";
    assert_eq!((ran.out(), ran.code), (out.to_owned(), Some(1)), "{}", ran.err);
    let ran = folder.run(&["check", "-q", "--match-case=no", "--fix-names", "--yes", "d/M"]);
    let out = "BAD: FAILED (as Bad)\n";
    assert!(ran.out().contains(out) && ran.out().ends_with("x\\y: RENAMED to x/y\n"), "{}", ran.out());
    assert!(
        folder.path("d/README").exists() && folder.path("d/x/y").exists() && folder.path("d/Bad").exists()
    );
}

#[test]
fn json_shows_entries_found_under_other_names() {
    let folder = Folder::with(&[("d/ReadMe", "abc"), ("d/new", "bcd")]);
    let bcd = folder.feed(&["hash", "-"], b"bcd").out()[..64].to_owned();
    folder.write("d/M", lines(&[(ABC, "README"), (&bcd, "old")]));
    let ran =
        folder.run(&["check", "--json", "--search", "--match-case=no", "--rename-to-match", "--yes", "d/M"]);
    let objects: Vec<serde_json::Value> =
        ran.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = objects.iter().map(|object| object["kind"].as_str().unwrap()).collect();
    assert_eq!((kinds, ran.code), (vec!["entry", "entry", "rename", "summary"], Some(1)));
    assert_eq!(
        (&objects[0]["verdict"], &objects[0]["found_as"]["path"]),
        (&"verified".into(), &"ReadMe".into())
    );
    assert_eq!((&objects[1]["verdict"], &objects[1]["found_as"]["path"]), (&"moved".into(), &"new".into()));
    assert_eq!((&objects[1]["expected"]["sha256"], &objects[1]["line"]), (&bcd.into(), &2.into()));
    assert_eq!((&objects[2]["from"]["path"], &objects[2]["to"]["path"]), (&"new".into(), &"old".into()));
    assert_eq!((&objects[2]["done"], &objects[3]["moved"]), (&true.into(), &1.into()));
    assert_eq!((&objects[3]["renamed"], &objects[3]["missing"]), (&1.into(), &0.into()));
}

#[test]
fn unusual_names_are_found_and_renamed() {
    let folder = Folder::new();
    folder.write(b"d/not\xffutf8", "abc");
    folder.write("d/M", format!("\\{ABC}  line\\nfeed\n"));
    let ran = folder.run(&["check", "-q", "--search", "--rename-to-match", "--yes", "d/M"]);
    let out = "'line'$'\\n''feed': MOVED to 'not'$'\\377''utf8'\n'not'$'\\377''utf8': RENAMED to 'line'$'\\n''feed'\n";
    assert_eq!((ran.out(), ran.code), (out.to_owned(), Some(1)));
    assert_eq!(folder.read(b"d/line\nfeed"), b"abc");
}

#[test]
fn files_are_verified_by_the_crc32_in_their_names() {
    let folder = Folder::with(&[
        ("d/nine [CBF43926].txt", "123456789"),
        ("d/s/(cbf43926)", "12345678"),
        ("d/plain", ""),
    ]);
    let ran = folder.run(&["embed", "check", "d"]);
    let message = "truesum: 1 file verified, 1 FAILED, 1 without a digest in the name; 17 B read; \
                crc32 (2 entries): no protection against tampering\n";
    let out = "d/nine [CBF43926].txt: OK\nd/s/(cbf43926): FAILED\n  expected crc32 cbf43926\n  actual   crc32 9ae0daaf\n";
    assert_eq!(result_of(&ran), (out.to_owned(), message, Some(1)));
    let ran = folder.run(&["embed", "check", "d/plain"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.starts_with("truesum: nothing verified: no file name contains a digest\nhint: "),
        "{}",
        ran.err
    );
    assert_eq!(folder.run(&["embed", "check", "-q", "d/nine [CBF43926].txt"]).code, Some(0));
    assert_eq!(folder.run(&["embed", "check"]).code, Some(2));
    assert_eq!(folder.run(&["embed", "check", "none"]).code, Some(1));
}

#[test]
fn files_of_stores_are_verified_by_the_digests_in_their_names() {
    let annex = |size: u64, ending: &str| format!("o/x/SHA256E-s{size}--{ABC}{ending}");
    let folder = Folder::with(&[
        (&annex(3, ".tar.gz"), "abc"),
        (&format!("o/blobs/sha256/{ABC}"), "abc"),
        ("o/WORM-s3-m1--a", "abc"),
    ]);
    let ran = folder.run(&["embed", "check", "-q", "o"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let ran = folder.run(&["embed", "check", "o"]);
    assert!(
        ran.err.starts_with("truesum: 2 files verified, 1 without a digest in the name; 6 B read"),
        "{}",
        ran.err
    );
    // Each byte of the content and the size count.
    folder.write(annex(4, ""), "abc");
    folder.write(format!("o/blobs/sha256/{ABC}"), "abd");
    let ran = folder.run(&["embed", "check", "o"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("1 file verified, 2 FAILED"), "{}", ran.err);
}

#[test]
fn recursive_check_verifies_all_manifests_below_a_folder() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/s/b", ""), ("d/plain.txt", "no manifest")]);
    folder.write("d/a.sha256", lines(&[(ABC, "a")]));
    folder.write("d/s/SHA256SUMS", lines(&[(EMPTY, "b")]));
    let ran = folder.run(&["check", "--recursive", "d"]);
    let message = "truesum: note: 1 file in d is not in the manifest (use -v to list it)\n\
                truesum: 2 files verified, 1 not in the manifest; 3 B read\n";
    // Files in the manifests of nested folders are not extra files.
    assert_eq!((ran.out(), ran.code), ("d/a: OK\nd/s/b: OK\n".to_owned(), Some(0)), "{} {message}", ran.err);
    folder.write("d/s/x.md5", "\0broken");
    let ran = folder.run(&["check", "-q", "--sidecars", "d"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    let empty = Folder::with(&[("d/a", "abc")]);
    let ran = empty.run(&["check", "-r", "d"]);
    let message = "truesum: nothing verified: no manifest found\n";
    assert!(ran.err.starts_with(message) && ran.code == Some(2), "{}", ran.err);
}
