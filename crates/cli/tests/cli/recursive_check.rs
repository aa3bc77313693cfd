//! `truesum check --recursive`: files covered by several manifests, and files that are only named like a manifest.

use crate::program::{ABC, EMPTY, Folder, OTHER, lines, result_of};
use std::os::unix::fs::symlink;

#[test]
fn file_in_a_nested_manifest_is_not_extra() {
    let folder = Folder::with(&[
        ("d/a", "abc"),
        ("d/SHA256SUMS", &lines(&[(ABC, "a")])),
        ("d/s/b", ""),
        ("d/s/SHA256SUMS", &lines(&[(EMPTY, "b")])),
    ]);
    let ran = folder.run(&["check", "-r", "--exact", "d"]);
    assert_eq!(
        result_of(&ran),
        (
            "d/a: OK\nd/s/b: OK\n".to_owned(),
            "truesum: 2 files verified with 2 manifests; 3 B read\n",
            Some(0)
        )
    );
    let ran = folder.run(&["check", "-r", "d"]);
    assert_eq!(
        result_of(&ran),
        (
            "d/a: OK\nd/s/b: OK\n".to_owned(),
            "truesum: 2 files verified with 2 manifests; 3 B read\n",
            Some(0)
        )
    );
    folder.write("d/s/c", "");
    let ran = folder.run(&["check", "-r", "--exact", "d"]);
    let said = "truesum: 1 file in d is not in the manifest: s/c\ntruesum: 2 files verified with 2 manifests, 1 not in the manifest; 3 B read\n";
    assert_eq!(
        result_of(&ran),
        ("d/a: OK\nd/s/b: OK\n".to_owned(), said, Some(1)),
        "once, though it lies below both"
    );
}

#[test]
fn json_lines_are_found_by_schema_and_torrents_are_counted() {
    // regression: a search of folders skipped both silently.
    let folder = Folder::with(&[("d/a", "abc"), ("d/log.jsonl", "{\"schema\":\"other/1\"}\n")]);
    assert_eq!(
        folder.run(&["hash", "-t", "jsonl", "-o", "d/list.jsonl", "--root", "d", "d/a"]).code,
        Some(0)
    );
    let ran = folder.run(&["check", "-r", "--exact", "d/list.jsonl", "d"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    std::fs::remove_file(folder.path("d/log.jsonl")).unwrap();
    let ran = folder.run(&["check", "-r", "d"]);
    let said = "truesum: 1 file verified with 1 manifest; 3 B read\n";
    assert_eq!(result_of(&ran), ("d/a: OK\n".to_owned(), said, Some(0)));
    folder.write("d/x.torrent", "d4:infode");
    let ran = folder.run(&["check", "-r", "d"]);
    assert!(ran.err.contains("note: 1 manifest was not checked, because"), "{}", ran.err);
    assert!(ran.err.contains("to check it: truesum check d/x.torrent\n"), "{}", ran.err);
}

#[test]
fn indexes_of_repositories_are_counted() {
    // regression: in a Debian repository the only message was that there is no manifest.
    let folder = Folder::with(&[("d/dists/sid/Release", "SHA256:\n"), ("d/main/Packages", "Package: a\n")]);
    let ran = folder.run(&["check", "-r", "d"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("note: 2 manifests were not checked, because"), "{}", ran.err);
    assert!(ran.err.contains("to check one: truesum check d/dists/sid/Release\n"), "{}", ran.err);
}

#[test]
fn unexpected_files_beside_the_listed_folder_are_explained() {
    // regression: files next to a folder were unexpected without a hint on how to look only into the folder.
    let folder = Folder::with(&[("d/p/a", "abc"), ("d/x", ""), ("d/l.sha256", &lines(&[(ABC, "p/a")]))]);
    let ran = folder.run(&["check", "--exact", "d/l.sha256"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let hint = "to look for other files only there: truesum audit d/l.sha256 d/p\n";
    assert!(ran.err.contains(hint), "{}", ran.err);
    assert_eq!(folder.run(&["audit", "d/l.sha256", "d/p"]).code, Some(0));
    // regression: the command did not work for these.
    for words in [&["--root", "d", "d/l.sha256"][..], &["-a", "sha256", "d/l.sha256"]] {
        let ran = folder.run(&[&["check", "--exact"][..], words].concat());
        assert!(ran.code == Some(1) && !ran.err.contains("truesum audit"), "{}", ran.err);
    }
    folder.write("d/l.sha256", lines(&[(ABC, "./p/a")]));
    let ran = folder.run(&["check", "--exact", "d/l.sha256"]);
    assert!(ran.err.contains(hint), "{}", ran.err);
    folder.write("d/l.sha256", lines(&[(ABC, "p/a")]));
    folder.write("d/p/b", "");
    let ran = folder.run(&["check", "--exact", "d/l.sha256"]);
    assert!(!ran.err.contains("truesum audit"), "{}", ran.err);
    folder.write("d/b", "");
    std::fs::remove_file(folder.path("d/p/b")).unwrap();
    folder.write("d/l.sha256", lines(&[(ABC, "p/a"), (ABC, "c")]));
    let ran = folder.run(&["check", "--exact", "d/l.sha256"]);
    assert!(!ran.err.contains("truesum audit"), "{}", ran.err);
}

#[test]
fn file_named_like_a_manifest_is_verified_or_reported() {
    // regression: `check -r` skipped all of these without a message, with exit status 0.
    let good = |names: &[&str]| {
        let line = |name: &&str| {
            format!(
                "{{\"schema\":\"truesum-entry/1\",\"path\":\"{name}\",\"digests\":{{\"sha256\":\"{ABC}\"}}}}\n"
            )
        };
        names.iter().map(line).collect::<String>()
    };
    let setup = || Folder::with(&[("d/a", "abc"), ("d/b", "abc"), ("d/SHA256SUMS", &lines(&[(ABC, "a")]))]);
    for (text, said) in [
        (String::new(), "d/l.jsonl: nothing verified: it contains no entries\n"),
        (
            good(&["a", "b"]).replacen("truesum-entry", "truesum-emtry", 1),
            "d/l.jsonl: line 1: unsupported schema",
        ),
        (good(&["a"]).replacen("truesum-entry", "truesum-emtry", 1), "d/l.jsonl: line 1: unsupported schema"),
        (good(&["a", "b"]).replacen("{\"schema", "\0\0\0\0\0", 1), "d/l.jsonl: line 1: "),
        (
            good(&["a"]).replacen("{\"schema\":\"truesum-entry/1\",\"path\"", &"\0".repeat(36), 1),
            "d/l.jsonl: ",
        ),
    ] {
        let folder = setup();
        folder.write("d/l.jsonl", &text);
        let ran = folder.run(&["check", "-r", "d"]);
        assert!(ran.code == Some(2) && ran.err.contains(&format!("truesum: {said}")), "{text:?}: {ran:?}");
    }
    let folder = setup();
    folder.pipe("d/p.jsonl");
    folder.pipe("d/p.torrent");
    symlink("gone", folder.path("d/q.ndjson")).unwrap();
    symlink("SHA256SUMS", folder.path("d/r.jsonl")).unwrap();
    let ran = folder.run(&["check", "-r", "d"]);
    for said in [
        "truesum: d/p.jsonl: cannot use: it has the name of a manifest, but it is a named pipe\n",
        "truesum: d/p.torrent: cannot use: it has the name of a manifest, but it is a named pipe\n",
        "truesum: d/q.ndjson: cannot use: it has the name of a manifest, but it is a broken symbolic link\n",
        "truesum: note: d/r.jsonl: symbolic link, not followed; to check it: truesum check d/r.jsonl\n",
    ] {
        assert!(ran.code == Some(2) && ran.err.contains(said), "{said}: {}", ran.err);
    }
    // Compressed manifests are checked, unless only their contents show that they are manifests.
    let folder = setup();
    let gzip = |name: &str| {
        assert!(std::process::Command::new("gzip").arg(folder.path(name)).status().unwrap().success());
    };
    folder.write("d/b.sha256", lines(&[(ABC, "b")]));
    gzip("d/b.sha256");
    folder.write("d/l.jsonl", good(&["b"]));
    gzip("d/l.jsonl");
    folder.write("d/log.jsonl", "{\"schema\":\"other/1\"}\n");
    let ran = folder.run(&["check", "-r", "d"]);
    assert_eq!((ran.out().as_str(), ran.code), ("d/a: OK\nd/b: OK\n", Some(0)), "{}", ran.err);
    for said in [
        "note: 1 compressed JSON Lines file was not checked, because --recursive does not decompress such files; to check it: truesum check d/l.jsonl.gz\n",
        "note: 1 JSON Lines file was not checked, because it contains no entries in truesum's format (d/log.jsonl)\n",
    ] {
        assert!(ran.err.contains(said), "{said}: {}", ran.err);
    }
    assert_eq!(folder.run(&["check", "d/l.jsonl.gz"]).code, Some(0));
}

#[test]
fn manifest_with_another_name_is_reported() {
    // regression: `check -r` skipped all of these without a message.
    let gnu = lines(&[(ABC, "a")]);
    for (name, text) in [
        ("sums.txt", gnu.as_str()),
        ("hashes", &gnu),
        ("sha256.txt", &gnu),
        ("list.csv", &format!("path,sha256\na,{ABC}\n")),
        ("x.mtree", &format!("#mtree\na type=file sha256digest={ABC}\n")),
    ] {
        let folder = Folder::with(&[("d/a", "abc"), ("d/SHA256SUMS", &gnu), (&format!("d/{name}"), text)]);
        let ran = folder.run(&["check", "-r", "d"]);
        let note = format!(
            "note: 1 file that looks like a manifest was not checked, because --recursive does not check files with such \
             names; to check it: truesum check d/{name}\n"
        );
        assert!(ran.code == Some(0) && ran.err.contains(&note), "{name}: {ran:?}");
        assert_eq!(folder.run(&["check", "-q", &format!("d/{name}")]).code, Some(0), "{name}");
    }
    // Other files with such names.
    let folder =
        Folder::with(&[("d/a", "abc"), ("d/SHA256SUMS", &gnu), ("d/summary.txt", "In sum: 3 files.\n")]);
    folder.write("d/sales.csv", "day,sum\n1,20\n");
    folder.write("d/md5sum", "\x7fELF\0\0");
    folder.write("d/hashing.md", "# Hashing\n\nSHA-256 is a hash function.\n");
    let ran = folder.run(&["check", "-r", "d"]);
    assert!(ran.code == Some(0) && !ran.err.contains("looks like"), "{ran:?}");
}

#[test]
fn selection_without_entries_still_reports_the_manifests() {
    // regression: `check -r --only nope` reported that no manifest was found.
    let folder = Folder::with(&[("d/a", "abc"), ("d/SHA256SUMS", &lines(&[(ABC, "a")]))]);
    let ran = folder.run(&["check", "-r", "--only", "nope", "d"]);
    let said = "truesum: nope: selected with --only, but no entry matches\n\
                truesum: 0 files verified with 1 manifest; 0 B read; selected: 0 of 1 entry\n";
    assert_eq!(result_of(&ran), (String::new(), said, Some(2)));
    let ran = folder.run(&["check", "-r", "--newer", "2999-01-01", "d"]);
    let said = "truesum: nothing selected: 1 entry was excluded\n\
                truesum: 0 files verified with 1 manifest; 0 B read; selected: 0 of 1 entry\n";
    assert_eq!(result_of(&ran), (String::new(), said, Some(2)));
}

#[test]
fn fewer_manifests_than_expected_fail() {
    // regression: if a folder was missing together with its manifest, nothing was reported, with exit status 0.
    let folder = Folder::with(&[("d/a/x", "abc"), ("d/a/SHA256SUMS", &lines(&[(ABC, "x")]))]);
    let expecting = |number| folder.run(&["check", "-r", "--expect-manifests", number, "d"]);
    assert_eq!(expecting("1").code, Some(0));
    let said = "truesum: 1 file verified with 1 manifest, 2 manifests MISSING; 3 B read\n";
    assert_eq!(result_of(&expecting("3")), ("d/a/x: OK\n".to_owned(), said, Some(1)));
    let none = folder.run(&["check", "-r", "--expect-manifests", "1", "d/a/x"]);
    assert_ne!(none.code, Some(0));
}

#[test]
fn unusable_file_named_like_a_manifest_is_reported() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/a.sha256", &lines(&[(ABC, "a")])), ("d/z.sha256/b", "")]);
    symlink("a.sha256", folder.path("d/latest.sha256")).unwrap();
    let ran = folder.run(&["check", "-r", "d"]);
    let said = "truesum: note: d/latest.sha256: symbolic link, not followed; to check it: truesum check d/latest.sha256\n\
                truesum: note: 1 file in d is not in the manifest (use -v to list it)\n\
                truesum: 1 file verified with 1 manifest, 1 not in the manifest; 3 B read\n";
    assert_eq!(result_of(&ran), ("d/a: OK\n".to_owned(), said, Some(0)), "a folder is a folder");
    // regression: the summary did not count it.
    folder.write("d/x.torrent", "");
    let json = folder.run(&["check", "-r", "--json", "d"]);
    let summary: serde_json::Value = serde_json::from_str(json.out().lines().last().unwrap()).unwrap();
    assert_eq!((&summary["manifests"], &summary["skipped_manifests"]), (&1.into(), &2.into()), "{summary}");
    std::fs::remove_file(folder.path("d/x.torrent")).unwrap();
    folder.pipe("d/p.sha256");
    symlink("gone", folder.path("d/q.sha256")).unwrap();
    let ran = folder.run(&["check", "-q", "-r", "d"]);
    let said = "truesum: d/p.sha256: cannot use: it has the name of a manifest, but it is a named pipe\n\
                truesum: d/q.sha256: cannot use: it has the name of a manifest, but it is a broken symbolic link\n\
                truesum: 1 file verified with 1 manifest; 3 B read\n";
    assert_eq!(result_of(&ran), (String::new(), said, Some(2)));
}

#[test]
fn manifest_of_another_root_does_not_cover_a_file() {
    let folder = Folder::with(&[
        ("d/a", "abc"),
        ("d/M", &lines(&[(ABC, "a")])),
        ("e/a", "abc"),
        ("e/M", &lines(&[(OTHER, "b")])),
    ]);
    let ran = folder.run(&["check", "-q", "--exact", "d/M", "e/M"]);
    assert!(ran.err.contains("truesum: 1 file in e is not in the manifest: a\n"), "{}", ran.err);
}

#[test]
fn bag_in_a_searched_folder_is_checked_as_a_bag() {
    let folder = Folder::with(&[
        ("d/bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"),
        ("d/bag/data/a", "abc"),
        ("d/bag/manifest-sha256.txt", &lines(&[(ABC, "data/a")])),
        ("d/a", "abc"),
        ("d/manifest-sha256.txt", &lines(&[(ABC, "a")])),
    ]);
    let ran = folder.run(&["check", "-r", "d"]);
    assert_eq!(result_of(&ran).0, "d/bag/data/a: OK\nd/a: OK\n", "{}", ran.err);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // A payload file named like a manifest is not a damaged manifest.
    folder.write("d/bag/data/a.jsonl", "");
    folder.write("d/bag/manifest-sha256.txt", lines(&[(ABC, "data/a"), (EMPTY, "data/a.jsonl")]));
    let ran = folder.run(&["check", "-r", "d"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    std::fs::remove_file(folder.path("d/bag/data/a.jsonl")).unwrap();
    folder.write("d/bag/manifest-sha256.txt", lines(&[(ABC, "data/a")]));
    // A file that is in the payload but not in a manifest.
    folder.write("d/bag/data/b", "");
    let ran = folder.run(&["check", "-r", "d"]);
    assert!(ran.code == Some(1) && ran.err.contains("data/b"), "{}", ran.err);
    std::fs::remove_file(folder.path("d/bag/data/b")).unwrap();
    std::fs::remove_file(folder.path("d/bag/manifest-sha256.txt")).unwrap();
    let ran = folder.run(&["check", "-r", "d"]);
    assert!(ran.code != Some(0) && ran.err.contains("the bag has no payload manifest"), "{}", ran.err);
}

#[test]
fn failed_manifests_are_named_in_the_summary() {
    let folder = Folder::with(&[
        ("d/a", "abc"),
        ("d/SHA256SUMS", &lines(&[(ABC, "a")])),
        ("d/s/a", "abc"),
        ("d/s/SHA256SUMS", &lines(&[(EMPTY, "a"), (ABC, "gone"), (OTHER, "a")])),
    ]);
    for words in [&["check", "-r", "d"][..], &["check", "d/SHA256SUMS", "d/s/SHA256SUMS"]] {
        let ran = folder.run(words);
        assert_eq!(ran.out().lines().filter(|line| *line == "d/s/a: FAILED").count(), 2, "{}", ran.out());
        assert!(ran.err.contains("truesum: d/s/SHA256SUMS: 2 FAILED, 1 MISSING\n"), "{}", ran.err);
        assert!(!ran.err.contains("d/SHA256SUMS:"), "{}", ran.err);
    }
    for words in [&["check", "-r", "d/s", "--status"][..], &["check", "--json", "-r", "d"]] {
        assert!(!folder.run(words).err.contains("2 FAILED, 1"), "{words:?}");
    }
}

/// Creates a bag with one file in `d/NAME`.
fn bag(folder: &Folder, name: &str) {
    let write = |file: &str, text: &str| folder.write(format!("d/{name}/{file}"), text);
    write("bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    write("data/a", "abc");
    write("readme", "of the bag");
    write("manifest-sha256.txt", &lines(&[(ABC, "data/a")]));
}

#[test]
fn exact_check_accepts_files_of_bags() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/SHA256SUMS", &lines(&[(ABC, "a")]))]);
    bag(&folder, "one");
    bag(&folder, "two");
    let ran = folder.run(&["check", "-r", "--exact", "d"]);
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (Some(0), "truesum: 3 files verified with 3 manifests; 9 B read\n")
    );
    folder.write("d/three", "");
    let ran = folder.run(&["check", "-r", "--exact", "d"]);
    assert!(
        ran.code == Some(1) && ran.err.contains("1 file in d is not in the manifest: three"),
        "{}",
        ran.err
    );
}

#[test]
fn bag_metadata_must_be_regular_files_in_the_bag() {
    let whole = |change: &dyn Fn(&Folder), said: &str| {
        let folder = Folder::new();
        bag(&folder, "one");
        bag(&folder, "two");
        change(&folder);
        for words in [&["check", "d/one"][..], &["check", "-r", "d"]] {
            let ran = folder.run(words);
            assert!(!matches!(ran.code, Some(0) | None), "{said}: {words:?}: {}", ran.err);
            assert!(ran.err.contains(said), "{said}: {words:?}: {}", ran.err);
        }
    };
    for name in ["bagit.txt", "manifest-sha256.txt", "bag-info.txt", "fetch.txt"] {
        let pipe = |folder: &Folder| {
            let _ = std::fs::remove_file(folder.path(format!("d/one/{name}")));
            folder.pipe(&format!("d/one/{name}"));
        };
        whole(&pipe, &format!("d/one/{name}: cannot verify: it is not a regular file"));
    }
    let dangling = |folder: &Folder| {
        std::fs::remove_file(folder.path("d/one/bagit.txt")).unwrap();
        symlink("gone", folder.path("d/one/bagit.txt")).unwrap();
    };
    whole(&dangling, "d/one/bagit.txt: cannot read");
    let elsewhere = |folder: &Folder| {
        std::fs::rename(folder.path("d/one/data"), folder.path("d/elsewhere")).unwrap();
        symlink("../elsewhere", folder.path("d/one/data")).unwrap();
    };
    whole(&elsewhere, "d/one: cannot verify: the bag has no data folder");
}

#[test]
fn bag_info_is_read_with_any_line_ending() {
    for (text, code, said) in [
        ("Contact-Name: x\rPayload-Oxum: 3.1\r", 0, ""),
        (
            "Contact-Name: x\rPayload-Oxum: 4.1\r",
            1,
            "Payload-Oxum is 4.1 (bytes.files), but the payload has 3.1",
        ),
        ("Contact-Name: x\r\nPayload-Oxum: 4.1\r\n", 1, "Payload-Oxum is 4.1"),
        ("\u{feff}Payload-Oxum: 3.1\n", 0, ""),
        ("\u{feff}Payload-Oxum: 3.2\n", 1, "Payload-Oxum is 3.2"),
        ("Payload\u{2010}Oxum: 3.2\n", 0, "which resembles Payload-Oxum"),
    ] {
        let folder = Folder::new();
        bag(&folder, "b");
        folder.write("d/b/bag-info.txt", text);
        let ran = folder.run(&["check", "d/b"]);
        assert!(ran.code == Some(code) && ran.err.contains(said), "{text:?}: {ran:?}");
    }
}

#[test]
fn bag_manifest_of_unknown_algorithm_is_rejected() {
    let folder = Folder::new();
    bag(&folder, "b");
    folder.write("d/b/manifest-foo.txt", lines(&[(ABC, "data/a")]));
    let ran = folder.run(&["check", "d/b"]);
    let said = "d/b/manifest-foo.txt: cannot verify: the algorithm in its name is unknown";
    assert!(ran.code == Some(1) && ran.err.contains(said), "{ran:?}");
}

#[test]
fn named_folder_without_a_manifest_is_an_error() {
    // regression: exit status 0, although nothing in the second folder was checked.
    let folder = Folder::with(&[("d/a", "abc"), ("d/SHA256SUMS", &lines(&[(ABC, "a")])), ("e/f/a", "abc")]);
    let ran = folder.run(&["check", "-r", "d", "e"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(2), "d/a: OK\n"), "{}", ran.err);
    assert!(
        ran.err.contains("e: cannot check: no manifest in this folder or its subfolders\n"),
        "{}",
        ran.err
    );
    assert_eq!(folder.run(&["check", "-r", "d", "."]).code, Some(0));
}

#[test]
fn entries_after_many_other_lines_are_checked() {
    // regression: only the first 64 KiB of JSON lines were examined, and damage after them was not detected.
    let folder = Folder::with(&[("d/a", "abc")]);
    assert_eq!(folder.run(&["hash", "--json", "-o", "l", "--root", "d", "d"]).code, Some(0));
    let entries = folder.read("l");
    for others in [4_000, 64 << 10, (128 << 10) - 10] {
        let mut text = b"{\"schema\":\"other/1\"}\n".repeat(others / 22);
        text.resize(others - 1, b' ');
        text.push(b'\n');
        text.extend_from_slice(&entries);
        folder.write("d/l.jsonl", &text);
        folder.write("d/a", "abd");
        let ran = folder.run(&["check", "-r", "d"]);
        assert!(ran.code == Some(1) && ran.out().contains("d/a: FAILED"), "{others}: {ran:?}");
        folder.write("d/a", "abc");
        let ran = folder.run(&["check", "-r", "d"]);
        assert_ne!(ran.code, Some(0), "{others}: malformed lines are reported: {}", ran.err);
    }
}

#[test]
fn manifest_below_overlapping_folders_counts_once() {
    // regression: `check -r d d ./d --expect-manifests 3` counted one manifest three times.
    let folder = Folder::with(&[("d/a", "abc"), ("d/SHA256SUMS", &lines(&[(ABC, "a")]))]);
    for (expected, code) in [("1", 0), ("2", 1)] {
        let ran = folder.run(&["check", "-r", "d", "d", "./d", "--expect-manifests", expected, "-q"]);
        assert_eq!(ran.code, Some(code), "{expected}: {}", ran.err);
    }
}

#[test]
fn manifest_below_overlapping_folders_is_checked_once() {
    // regression: `check -r A A/b` verified and counted the manifests of A/b twice.
    let list = lines(&[(ABC, "a")]);
    let files = [("d/a", "abc"), ("d/s/a", "abc"), ("d/s/SHA256SUMS", &list), ("d/SHA256SUMS", &list)];
    let folder = Folder::with(&files);
    folder.write("d/s/x.torrent", "");
    symlink("SHA256SUMS", folder.path("d/s/x.sha256")).unwrap();
    for (words, out) in [
        (&["d", "d/s"][..], "d/SHA256SUMS d/s/SHA256SUMS"),
        (&["d/s", "d"], "d/s/SHA256SUMS d/SHA256SUMS"),
        (&["d", "./d/s", "d/../d"], "d/SHA256SUMS d/s/SHA256SUMS"),
        (&["d/s/SHA256SUMS", "d"], "d/s/SHA256SUMS d/SHA256SUMS"),
        (&["d", "d/s/SHA256SUMS"], "d/SHA256SUMS d/s/SHA256SUMS"),
    ] {
        let ran = folder.run(&[&["check", "-r", "--format-string", "%{manifest} "], words].concat());
        assert_eq!(ran.out().trim_end(), out, "{words:?}: {}", ran.err);
        assert!(ran.err.contains("2 files verified with 2 manifests"), "{words:?}: {}", ran.err);
        assert_eq!(ran.err.matches("symbolic link, not followed").count(), 1, "{words:?}: {}", ran.err);
        assert_eq!(ran.err.matches("note: 1 manifest was not checked").count(), 1, "{words:?}: {}", ran.err);
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.err);
    }
    // The same manifest in another folder describes other files.
    let folder = Folder::with(&[("d/a", "abc"), ("e/a", "abd"), ("d/SHA256SUMS", &list)]);
    std::fs::hard_link(folder.path("d/SHA256SUMS"), folder.path("e/SHA256SUMS")).unwrap();
    let ran = folder.run(&["check", "-r", "d", "e"]);
    assert!(ran.out().starts_with("d/a: OK\ne/a: FAILED\n") && ran.code == Some(1), "{ran:?}");
    // A file that the search ignores is used as a manifest if it is named.
    folder.write("d/list", lines(&[(ABC, "a")]));
    let ran = folder.run(&["check", "-r", "d", "d/list"]);
    assert!(ran.err.contains("2 files verified with 2 manifests"), "{}", ran.err);
}
