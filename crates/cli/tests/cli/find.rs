//! `truesum find` and `truesum duplicates`: one scenario per test, exact output and exit status.

use crate::program::{ABC, EMPTY, Folder, OTHER, RunResult, result_of, wait_for};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use truesum_test_support::oracle::missing;

/// MD5 of `abc` (RFC 1321).
const ABC_MD5: &str = "900150983cd24fb0d6963f7d28e17f72";

#[test]
fn find_locates_files_by_digest() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/s/b", "abc"), ("d/c", "other"), ("f", "abc")]);
    let ran = folder.run(&["find", "-a", "sha256", ABC, "d"]);
    let message = "truesum: 1 of 1 digest found; 11 B read (3 files)\n";
    assert_eq!(
        result_of(&ran),
        (format!("found\td/a\t{ABC}\tsha256\nfound\td/s/b\t{ABC}\tsha256\n"), message, Some(0))
    );
    let ran = folder.run(&["find", "--all-algorithms", ABC_MD5, "d/s", "f"]);
    let out = format!("found\td/s/b\t{ABC_MD5}\tmd5\nfound\tf\t{ABC_MD5}\tmd5\n");
    assert_eq!((ran.out(), ran.code), (out, Some(0)), "{}", ran.err);
    assert!(ran.err.contains(
        "algorithms are possible; all of them are computed\nhint: to compute only one, use -a NAME\n"
    ));
    let base64 = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
    let ran = folder.run(&["find", "-q", &format!("sha256-{base64}"), "f"]);
    assert_eq!(result_of(&ran), (format!("found\tf\tsha256-{base64}\tsha256\n"), "", Some(0)));
    let ran = folder.run(&["find", "-0", "-q", "-a", "sha256", ABC, "d"]);
    assert_eq!(result_of(&ran), ("d/a\0d/s/b\0".to_owned(), "", Some(0)));
}

#[test]
fn only_common_algorithms_are_tried_by_default() {
    let folder = Folder::with(&[("d/a", "abc")]);
    let md4 = "a448017aaf21d8525fc10ae87aa6729d";
    let ran = folder.run(&["find", md4, "d"]);
    assert_eq!((ran.out(), ran.code), (format!("absent\t{md4}\n"), Some(1)));
    assert!(ran.err.starts_with("truesum: note: tried only md5; "), "{}", ran.err);
    let hint = format!(
        "less common algorithms were not tried\nhint: to try all algorithms: truesum find --all-algorithms {md4} d\n"
    );
    assert!(ran.err.contains(&hint), "{}", ran.err);
    // regression: algorithms were reported as tried although no file was read.
    let ran = folder.run(&["find", "--size", "9", md4, "d"]);
    assert_eq!((ran.code, ran.err.contains("tried only")), (Some(1), false), "{}", ran.err);
    let ran = folder.run(&["find", "-q", "--all-algorithms", md4, "d"]);
    assert_eq!(result_of(&ran), (format!("found\td/a\t{md4}\tmd4\n"), "", Some(0)));
    let ran = folder.run(&["find", "-q", &format!("md4:{md4}"), "d"]);
    assert_eq!(ran.code, Some(0), "an algorithm that is named");
    let ran = folder.run(&["find", "-q", ABC, "d"]);
    assert_eq!(result_of(&ran), (format!("found\td/a\t{ABC}\tsha256\n"), "", Some(0)));
}

#[test]
fn output_of_cksum_and_sum_is_found() {
    // regression: only checksums that are common in hexadecimal were tried.
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "abcd")]);
    for (text, algorithm) in
        [("1219131554 3 f", "crc"), ("1219131554", "crc"), ("16556     1 f", "bsd"), ("294 1 f", "sysv")]
    {
        let ran = folder.run(&["find", text, "d"]);
        let found = format!("found\td/a\t{text}\t{algorithm}\n");
        assert_eq!((ran.out(), ran.code), (found, Some(0)), "{text}: {}", ran.err);
    }
}

#[test]
fn find_hints_keep_the_options_of_the_command_line() {
    // regression: the hint dropped --size and --exclude, and treated a file named -d as an option.
    let folder = Folder::with(&[("-d/a", "abc"), ("-d/b", "abcd")]);
    let md4 = "a448017aaf21d8525fc10ae87aa6729d";
    for (words, hint) in [
        (
            &["find", "--size", "3B", "--exclude=b", md4, "./-d"][..],
            format!("to try all algorithms: truesum find --size 3B --exclude=b --all-algorithms {md4} ./-d"),
        ),
        (
            &["find", "-0L", md4, "--", "-d"],
            format!("to try all algorithms: truesum find -0 -L --all-algorithms {md4} ./-d"),
        ),
    ] {
        let ran = folder.run(words);
        assert_eq!(
            ran.err.lines().find_map(|line| line.strip_prefix("hint: ")),
            Some(&hint[..]),
            "{}",
            ran.err
        );
        let words: Vec<&str> = hint.split_once("truesum ").unwrap().1.split(' ').collect();
        let ran = folder.run(&words);
        assert!(ran.code == Some(0) && ran.out().contains("./-d/a"), "{}{}", ran.out(), ran.err);
    }
}

#[test]
fn stdin_is_searched_for_digests() {
    // regression: one candidate that requires the size in advance made all of them fail.
    let folder = Folder::new();
    let ran = folder.feed(&["find", "--all-algorithms", ABC, "-"], b"abc");
    assert_eq!((ran.out(), ran.code), (format!("found\t-\t{ABC}\tsha256\n"), Some(0)), "{}", ran.err);
    let note = "skipped the algorithms that require the size in advance";
    assert!(ran.err.contains(note), "{}", ran.err);
    let ran = folder.feed(&["identify", ABC, "-"], b"abc");
    assert!(ran.out().starts_with("-: sha256 (hex)\n") && ran.code == Some(0), "{ran:?}");
    assert!(ran.err.contains(note), "{}", ran.err);
    for words in [
        ["find", "-q", "git-blob:f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f", "-"].as_slice(),
        &["hash", "-", "-"],
    ] {
        assert_ne!(folder.feed(words, b"abc").code, Some(0), "{words:?}");
    }
    let ran = folder.feed(&["identify", &format!("{ABC_MD5}-1"), "-"], b"abc");
    assert!(ran.err.starts_with("truesum: -: cannot hash: s3-etag requires the size"), "{}", ran.err);
}

#[test]
fn files_with_false_sizes_are_compared_by_content() {
    // regression: /proc reports a size of 0, and such files were skipped as empty.
    let folder = Folder::new();
    folder.write("version", std::fs::read("/proc/version").unwrap());
    let ran = folder.run(&["duplicates", "-q", "/proc/version", "/proc/filesystems", "version"]);
    let out = "first\t/proc/version\ncopy\tversion\t/proc/version\n";
    assert_eq!(result_of(&ran), (out.to_owned(), "", Some(0)));
}

#[test]
fn digests_not_found_are_reported_with_exit_status_one() {
    let folder = Folder::with(&[("d/a", "abc")]);
    let ran = folder.run(&["find", "-a", "sha256", OTHER, ABC, "d"]);
    let message = "truesum: 1 of 2 digests found; 3 B read (1 file)\n";
    let out = format!("found\td/a\t{ABC}\tsha256\nabsent\t{OTHER}\n");
    assert_eq!(result_of(&ran), (out, message, Some(1)));
}

#[test]
fn unreadable_files_make_a_search_inconclusive() {
    let folder = Folder::with(&[("d/a", "abc")]);
    symlink("loop", folder.path("loop")).unwrap();
    let ran = folder.run(&["find", "-a", "sha256", OTHER, "d", "loop"]);
    let message = "truesum: loop: cannot open: Too many levels of symbolic links\n\
                truesum: 0 of 1 digest found; 3 B read (1 file); 1 file or folder could NOT be read, so \"absent\" may be wrong\n";
    assert_eq!(result_of(&ran), (format!("absent\t{OTHER}\n"), message, Some(2)));
    folder.pipe("d/pipe");
    symlink("a", folder.path("d/link")).unwrap();
    let ran = folder.run(&["find", "-v", "-a", "sha256", ABC, "d"]);
    assert_eq!((ran.out(), ran.code), (format!("found\td/a\t{ABC}\tsha256\n"), Some(0)));
    assert!(ran.err.contains("d/pipe: named pipe, not read\n"), "{}", ran.err);
    assert!(ran.err.contains("d/link: symbolic link, not followed\n"), "{}", ran.err);
    let ran = folder.run(&["find", "-q", "-L", "-a", "sha256", ABC, "d"]);
    assert!(ran.out().contains("found\td/link\t"), "{}", ran.out());
}

#[test]
fn files_of_other_sizes_are_not_read() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/long", "longer than that"), ("d/b", "abd")]);
    let ran = folder.run(&["find", "-a", "sha256", "--size", "3", ABC, "d"]);
    let message =
        "truesum: 1 of 1 digest found; 6 B read (2 files); 1 file skipped, because its size differs\n";
    assert_eq!(result_of(&ran), (format!("found\td/a\t{ABC}\tsha256\n"), message, Some(0)));
    let ran = folder.run(&["find", "-q", "-a", "sha256", "--size", "16", ABC, "d"]);
    assert_eq!(result_of(&ran), (format!("absent\t{ABC}\n"), "", Some(1)));
}

#[test]
fn files_of_a_manifest_are_found_under_other_names() {
    let folder =
        Folder::with(&[("old/a", "abc"), ("old/b", "bcd"), ("new/x", "bcd"), ("new/long", "much more")]);
    assert_eq!(folder.run(&["hash", "-t", "jsonl", "-o", "M", "--root", "old", "old"]).code, Some(0));
    let ran = folder.run(&["find", "--manifest", "M", "new"]);
    let message =
        "truesum: 1 of 2 listed files found; 3 B read (1 file); 1 file skipped, because its size differs\n";
    assert_eq!(result_of(&ran), ("found\tnew/x\tb\tsha256\nabsent\ta\n".to_owned(), message, Some(1)));
    folder.write("M", format!("{ABC}  a\noops\n"));
    let ran = folder.run(&["find", "-q", "--manifest", "M", "old"]);
    let message = "truesum: M: line 2: not a checksum line\n";
    assert_eq!(result_of(&ran), ("found\told/a\ta\tsha256\n".to_owned(), message, Some(2)));
    assert_eq!(folder.run(&["find", "-q", "--lenient", "--manifest", "M", "old"]).code, Some(0));
    assert_eq!(folder.run(&["find", "-q", "--manifest", "none", "old"]).code, Some(2));
    folder.write("empty", "");
    assert_eq!(
        folder.run(&["find", "-q", "--manifest", "empty", "old"]).code,
        Some(2),
        "nothing to search for"
    );
}

#[test]
fn digests_come_first_and_paths_last() {
    let folder = Folder::with(&[("a", "abc"), (ABC, "abc")]);
    for (words, err) in [
        (&[ABC][..], "truesum: find: no files or folders given\nhint: usage: truesum find DIGEST... DIR\n"),
        (&[ABC, "none"], "truesum: none: no such file or folder\nhint: usage: truesum find DIGEST... DIR\n"),
        (&["-a", "md5", ABC, "a"], &format!("truesum: {ABC}: not a valid digest for md5\n")),
        (
            &["hello?", "a"],
            "truesum: hello?: does not look like a digest\n\
             hint: to list all algorithms and digest lengths: truesum list algorithms --all\n",
        ),
        (
            &[ABC, "hello!", "a"],
            "truesum: hello!: does not look like a digest\n\
             hint: to list all algorithms and digest lengths: truesum list algorithms --all\n",
        ),
    ] {
        let ran = folder.run(&[&["find"], words].concat());
        assert_eq!(result_of(&ran), (String::new(), err, Some(2)), "{words:?}");
    }
    let ran = folder.run(&["find", "-q", "-a", "sha256", ABC, &format!("./{ABC}"), "a"]);
    assert_eq!(ran.out().lines().count(), 2, "{}", ran.out());
}

#[test]
fn unusual_names_are_found_and_escaped() {
    let folder = Folder::new();
    folder.write(b"d/line\nfeed", "abc");
    folder.write(b"d/not\xffutf8", "abc");
    let ran = folder.run(&["find", "-q", "-a", "sha256", ABC, "d"]);
    let out =
        format!("found\t'd/line'$'\\n''feed'\t{ABC}\tsha256\nfound\t'd/not'$'\\377''utf8'\t{ABC}\tsha256\n");
    assert_eq!(result_of(&ran), (out, "", Some(0)));
    let ran = folder.run(&["find", "-q0", "-a", "sha256", ABC, "d"]);
    assert_eq!(ran.out, b"d/line\nfeed\0d/not\xffutf8\0");
}

#[test]
fn find_json_has_an_object_per_finding() {
    let folder = Folder::with(&[("d/a", "abc")]);
    let ran = folder.run(&["find", "--json", "-a", "sha256", ABC, EMPTY, "d", "none"]);
    let objects: Vec<serde_json::Value> =
        ran.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = objects.iter().map(|object| object["kind"].as_str().unwrap()).collect();
    assert_eq!((kinds, ran.code), (vec!["found", "failed", "absent", "summary"], Some(2)));
    assert!(objects.iter().all(|object| object["schema"] == "truesum-find/1"));
    assert_eq!((&objects[0]["path"], &objects[0]["wanted"]), (&"d/a".into(), &ABC.into()));
    assert_eq!((&objects[0]["digests"]["sha256"], &objects[0]["size"]), (&ABC.into(), &3.into()));
    assert_eq!(objects[2]["wanted"], EMPTY);
    let counts = ["wanted", "found", "files", "failed", "exit"].map(|name| objects[3][name].as_u64());
    assert_eq!(counts, [2, 1, 1, 1, 2].map(Some));
}

#[test]
fn copies_are_distinguished_from_hard_links() {
    let folder = Folder::with(&[
        ("d/a", "same"),
        ("d/s/b", "same"),
        ("d/c", "else"),
        ("d/empty", ""),
        ("d/void", ""),
        ("d/one", "linked alone"),
    ]);
    std::fs::hard_link(folder.path("d/a"), folder.path("d/link")).unwrap();
    std::fs::hard_link(folder.path("d/one"), folder.path("d/two")).unwrap();
    symlink("a", folder.path("d/symbolic")).unwrap();
    let before = folder.entries();
    let ran = folder.run(&["duplicates", "d"]);
    let message = "truesum: 4 files: 1 copy in 1 group, 4 B wasted; 2 hard links; 2 files below the minimum size; 12 B read (3 files)\n";
    let out = "first\td/a\nlink\td/link\td/a\ncopy\td/s/b\td/a\n".to_owned();
    assert_eq!(result_of(&ran), (out.clone(), message, Some(0)));
    assert_eq!(folder.entries(), before);
    // Overlapping arguments reach the same names, which are not hard links.
    let ran = folder.run(&["duplicates", "-q", "d", "d/s", "./d/s/b"]);
    assert_eq!(result_of(&ran), (out, "", Some(0)));
    let ran = folder.run(&["duplicates", "-q", "-0", "d"]);
    assert_eq!(result_of(&ran), ("d/a\0d/s/b\0\0".to_owned(), "", Some(0)));
    let ran = folder.run(&["duplicates", "-q", "--min-size", "0", "d"]);
    assert!(ran.out().ends_with("first\td/empty\ncopy\td/void\td/empty\n"), "{}", ran.out());
    let message =
        "truesum: 4 files: no copies; 2 hard links; 2 files below the minimum size; 0 B read (0 files)\n";
    let ran = folder.run(&["duplicates", "d/c", "d/one"]);
    assert_eq!((ran.out(), ran.code), (String::new(), Some(0)), "{message}");
}

#[test]
fn file_mounted_twice_is_not_a_copy_of_itself() {
    // regression: on FUSE, a file that two arguments lead to was reported as a copy of itself, and its only copy was
    // removed.
    let folder = Folder::with(&[("f/sub/a", "hello"), ("f/copy", "hello"), ("m/none", "")]);
    std::fs::remove_file(folder.path("m/none")).unwrap();
    symlink("m", folder.path("lm")).unwrap();
    let mounted = Command::new("bindfs").args([folder.path("f"), folder.path("m")]).status();
    if !mounted.is_ok_and(|status| status.success()) {
        return missing("bindfs, or FUSE");
    }
    let single = "first\tm/copy\ncopy\tm/sub/a\tm/copy\n";
    let found: Vec<_> = [&["m", "m"][..], &["m", "./m"], &["m", "m/sub"], &["m", "lm"], &["-L", "m"]]
        .map(|words| folder.run(&[&["duplicates", "-q"], words].concat()).out())
        .into();
    let alone = folder.run(&["duplicates", "-q", "m/sub/a", "./m/sub/a", "lm/sub/a"]).out();
    assert!(Command::new("fusermount3").arg("-u").arg(folder.path("m")).status().unwrap().success());
    assert_eq!((found, alone.as_str()), (vec![single.to_owned(); 5], ""));
}

#[test]
fn folder_mounted_within_itself_has_no_copies() {
    // regression: files that a bind mount shows twice in one walk were reported as copies.
    let folder = Folder::with(&[("d/a", "same"), ("d/b/none", "")]);
    let script = "mount --bind d d/b && exec \"$0\" duplicates -q d";
    let program = folder.command().get_program().to_owned();
    let ran = Command::new("unshare")
        .args(["-rm", "sh", "-c", script])
        .arg(program)
        .current_dir(folder.path("."))
        .output();
    match ran {
        Ok(ran) if ran.status.success() => assert_eq!(String::from_utf8_lossy(&ran.stdout), ""),
        _ => missing("unshare, or permission to mount"),
    }
}

#[test]
fn large_files_are_compared_by_prefix_before_content() {
    let folder = Folder::new();
    let text = |begin: u8, end: u8| {
        let mut text = vec![7; 100_000];
        (text[0], text[99_999]) = (begin, end);
        text
    };
    for (name, begin, end) in [("a", 1, 1), ("b", 1, 1), ("c", 2, 1), ("d", 1, 2), ("e", 3, 3)] {
        folder.write(format!("d/{name}"), text(begin, end));
    }
    let ran = folder.run(&["duplicates", "d"]);
    let message = "truesum: 5 files: 1 copy in 1 group, 98 KiB wasted; 293 KiB read (3 files)\n";
    assert_eq!((ran.out(), ran.code), ("first\td/a\ncopy\td/b\td/a\n".to_owned(), Some(0)));
    assert_eq!(ran.err, message);
}

#[test]
fn unreadable_files_are_reported_by_duplicates() {
    let folder = Folder::with(&[("d/a", "same"), ("d/b", "same")]);
    let ran = folder.run(&["duplicates", "d", "none"]);
    let message = "truesum: none: cannot open: No such file or directory\n\
                truesum: 2 files: 1 copy in 1 group, 4 B wasted; 8 B read (2 files); 1 file or folder could NOT be read\n";
    assert_eq!(result_of(&ran), ("first\td/a\ncopy\td/b\td/a\n".to_owned(), message, Some(1)));
    let ran = folder.run(&["duplicates", "-a", "crc32", "d"]);
    assert!(
        ran.err.contains("note: compared by crc32 only: different files can have the same digest\n"),
        "{}",
        ran.err
    );
    assert_eq!(folder.run(&["duplicates", "-"]).code, Some(2));
    let ran = folder.run(&["duplicates", "--json", "d", "none"]);
    let objects: Vec<serde_json::Value> =
        ran.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = objects.iter().map(|object| object["kind"].as_str().unwrap()).collect();
    assert_eq!((kinds, ran.code), (vec!["failed", "group", "summary"], Some(1)));
    assert_eq!((&objects[1]["copies"][1]["path"], &objects[1]["size"]), (&"d/b".into(), &4.into()));
    assert_eq!(objects[2]["wasted"], 4);
}

#[test]
fn closed_output_ends_a_search_by_sigpipe() {
    let folder = Folder::new();
    for number in 0..20_000 {
        folder.write(format!("d/{number}"), "abc");
    }
    for words in [&["find", "-q", "-a", "sha256", ABC, "d"][..], &["duplicates", "-q", "d"]] {
        let mut command = folder.command();
        let mut child = command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ran = wait_for(child);
        assert_eq!((ran.signal, ran.err.as_str()), (Some(libc::SIGPIPE), ""), "{words:?}");
    }
}

#[test]
fn two_digests_are_found_in_one_read() {
    let folder = Folder::with(&[("a", "abc")]);
    let ran = folder.run(&["find", ABC, ABC_MD5, "a"]);
    assert_eq!(ran.out(), format!("found\ta\t{ABC}\tsha256\nfound\ta\t{ABC_MD5}\tmd5\n"));
    assert!(
        ran.err.ends_with(
            "truesum: 2 of 2 digests found; 3 B read (1 file); md5: no protection against tampering\n"
        ),
        "{}",
        ran.err
    );
}

#[test]
fn empty_manifest_or_folder_is_reported() {
    let folder = Folder::with(&[("EMPTY", "# nothing\n"), ("K", &format!("{ABC}  a\n"))]);
    std::fs::create_dir(folder.path("none")).unwrap();
    let ran = folder.run(&["find", "--manifest", "EMPTY", "."]);
    let message = "truesum: nothing to search for: the manifest has no entries\ntruesum: 0 of 0 listed files found; 0 B read (0 files)\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(2)));
    let ran = folder.run(&["audit", "-k", "K", "none"]);
    let message =
        "truesum: no files to compare\ntruesum: 0 of 0 files known; 0 B read and compared with 1 entry\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(2)));
}

#[test]
fn symbolic_link_is_not_counted_as_a_copy() {
    let folder = Folder::with(&[("d/b", "abc"), ("d/c", "abc")]);
    std::fs::hard_link(folder.path("d/b"), folder.path("d/e")).unwrap();
    symlink("b", folder.path("d/a")).unwrap();
    symlink("b", folder.path("d/z")).unwrap();
    let ran = folder.run(&["duplicates", "-L", "d"]);
    let message = "truesum: 2 files: 1 copy in 1 group, 3 B wasted; 1 hard link; 6 B read (2 files)\n";
    assert_eq!(
        result_of(&ran),
        ("first\td/b\nlink\td/e\td/b\ncopy\td/c\td/b\n".to_owned(), message, Some(0))
    );
}

/// Returns a file with this QuickXorHash: its 160 bits are XORed in at chosen positions.
fn forged(digest: &[u8; 20]) -> Vec<u8> {
    let (mut wanted, len) = (*digest, 160u64);
    for (at, byte) in len.to_le_bytes().into_iter().enumerate() {
        wanted[12 + at] ^= byte;
    }
    let mut file = vec![0; 160];
    for (at, byte) in wanted.into_iter().enumerate() {
        file[8 * at * 131 % 160] = byte;
    }
    file
}

#[test]
fn weak_checksum_does_not_match_a_digest_of_a_cryptographic_hash() {
    // regression: a SHA-1 digest matched a file forged for QuickXorHash, with exit status 0, and a hint suggested -a
    // quickxor.
    let digest = "a9993e364706816aba3e25717850c26c9cd0d89d";
    let bytes: Vec<u8> =
        (0..20).map(|at| u8::from_str_radix(&digest[2 * at..2 * at + 2], 16).unwrap()).collect();
    let folder = Folder::new();
    folder.write("d/forged", forged(&bytes.try_into().unwrap()));
    assert!(folder.run(&["hash", "-a", "quickxor", "d/forged"]).code == Some(0));
    let ran = folder.run(&["find", digest, "d"]);
    assert_eq!((ran.out(), ran.code), (format!("absent\t{digest}\n"), Some(1)), "{}", ran.err);
    let ran = folder.run(&["check", "--expect", digest, "d/forged"]);
    assert!(ran.code == Some(1) && !ran.err.contains("quickxor"), "{}", ran.err);
    let ran = folder.run(&["identify", digest, "d/forged"]);
    assert!(ran.out().contains("quickxor (hex); no protection against tampering"), "{}", ran.out());
    let ran = folder.run(&["find", "-a", "quickxor", digest, "d"]);
    assert!(
        ran.code == Some(0) && ran.err.contains("quickxor: no protection against tampering"),
        "{}",
        ran.err
    );
}

#[test]
fn argument_that_may_be_digest_or_path_is_rejected() {
    // regression: if a file had the name of one of two digests, it was used as the place to search, and that digest was
    // never searched for.
    let folder = Folder::with(&[("d/a", "abc"), (OTHER, "content")]);
    let ran = folder.run(&["find", ABC, OTHER, "d"]);
    assert_eq!((ran.out().as_str(), ran.code), ("", Some(2)));
    assert!(ran.err.contains("ambiguous: both a possible digest and an existing file"), "{}", ran.err);
    // The hint is a command that can be pasted: it searches for both digests.
    let hint = ran
        .err
        .lines()
        .find_map(|line| line.strip_prefix("hint: ")?.split_once("truesum "))
        .expect("a hint")
        .1;
    let mut shell = std::process::Command::new("sh");
    shell.current_dir(folder.root()).args(["-c", &format!("{} {hint}", env!("CARGO_BIN_EXE_truesum"))]);
    let pasted: RunResult = shell.output().unwrap().into();
    assert_eq!(
        (pasted.out(), pasted.code),
        (format!("found\td/a\t{ABC}\tsha256\nabsent\tsha256:{OTHER}\n"), Some(1)),
        "{hint}"
    );
    assert_eq!(folder.run(&["find", ABC, &format!("./{OTHER}"), "d"]).code, Some(0));
    assert_eq!(folder.run(&["find", ABC, &format!("sha256:{OTHER}"), "d"]).code, Some(1));
    // regression: a folder was rejected whose name consists of hexadecimal digits. The last argument is never a digest.
    folder.write("fd/a", "abc");
    let ran = folder.run(&["find", ABC, "fd"]);
    assert_eq!((ran.out(), ran.code), (format!("found\tfd/a\t{ABC}\tsha256\n"), Some(0)), "{}", ran.err);
    let ran = folder.run(&["find", ABC, OTHER]);
    let said = format!(
        "truesum: {OTHER}: ambiguous: both a possible digest and an existing file (./{OTHER})\n\
         hint: to search the file: truesum find {ABC} ./{OTHER}\n"
    );
    assert_eq!((ran.code, ran.err), (Some(2), said));
}

#[test]
fn special_file_hint_names_an_option_of_the_command() {
    // regression: every command suggested `hash --special` and `check --special`.
    let folder = Folder::with(&[("d/a", "abc"), ("M", &format!("{ABC}  d/p\n"))]);
    folder.pipe("d/p");
    let hint = "hint: to read devices and pipes, use --special\n";
    for (words, has_hint) in [
        (&["find", ABC, "d/p"][..], false),
        (&["duplicates", "d", "d/p"], false),
        (&["audit", "-k", "M", "d/p"], false),
        (&["shard", "plan", "-o", "plan", "d/p"], false),
        (&["hash", "d/p"], true),
        (&["check", "M"], true),
    ] {
        let ran = folder.run(words);
        assert!(ran.code != Some(0) && ran.err.contains(hint) == has_hint, "{words:?}: {}", ran.err);
        assert!(has_hint || !ran.err.contains("--special"), "{words:?}: {}", ran.err);
    }
}

#[test]
fn files_of_torrents_are_found_by_their_piece_tree() {
    // regression: entries of a hybrid torrent were reported to have no digest of a complete file.
    let folder = Folder::with(&[("d/a", "abc"), ("e/x", "abc"), ("e/y", "other")]);
    folder.write("d/big", [7; 40_000]);
    folder.write("e/z", [7; 40_000]);
    folder.write("d/empty", "");
    folder.write("e/zero", "");
    for protocol in ["v2", "hybrid"] {
        let words =
            ["torrent", "create", "--protocol", protocol, "--piece-size", "16KiB", "-o", "T.torrent", "d"];
        assert_eq!(folder.run(&words).code, Some(0));
        let ran = folder.run(&["find", "--manifest", "T.torrent", "e"]);
        let found = "found\te/x\td/a\tbt2-pieces-root\nfound\te/z\td/big\tbt2-pieces-root\n\
                     found\te/zero\td/empty\tsha256\n";
        assert_eq!((ran.out().as_str(), ran.code), (found, Some(0)), "{protocol}: {}", ran.err);
        std::fs::remove_file(folder.path("T.torrent")).unwrap();
    }
}
