//! Files that a run writes: none takes the name of a listed file, and none is found wanting only in the end.

use crate::program::{ABC, EMPTY, Folder, SIGNATURE, after_the_tick, lines, shown, stamp};
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

fn folder() -> Folder {
    Folder::with(&[("a", "abc"), ("M", &lines(&[(ABC, "a"), (EMPTY, "b")]))])
}

#[test]
fn a_dash_is_no_file_to_write() {
    let folder = folder();
    for words in [
        &["hash", "a", "-o", "-"][..],
        &["convert", "M", "-t", "bsd", "-o", "-"],
        &["shard", "plan", "-o", "-", "a"],
        &["shard", "merge", "plan", "-o", "-"],
    ] {
        let ran = folder.run(words);
        assert!(
            ran.code == Some(2) && ran.err.contains("omit -o to write to standard output"),
            "{}",
            ran.err
        );
    }
    assert_eq!(folder.entries(), ["M", "a"]);
    assert_eq!(folder.run(&["hash", "a", "-o", "./-"]).code, Some(0));
    assert_eq!(folder.entries(), ["-", "M", "a"]);
}

#[test]
fn a_list_takes_the_place_of_no_file_of_data() {
    let folder = Folder::with(&[("d/a", "abc"), ("notes", "not a list\n"), ("empty", "")]);
    folder.write("p.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF\0");
    folder.write("x.sfv", b"\xff\xd8\xff\xe0\0\x10JFIF\0");
    // A line that begins as one of JSON.
    folder.write("chance", b"\xff\xfe\0\x01\x02\0\n{\xff\xff\0\0\xff\x01\0\xff\xff\n\0\xff");
    folder.write("M", lines(&[(ABC, "d/a")]));
    assert_eq!(folder.run(&["shard", "plan", "-o", "plan", "d"]).code, Some(0));
    assert_eq!(folder.run(&["shard", "run", "plan", "0"]).code, Some(0));
    for words in [
        &["hash", "d", "-o", "p.jpg"][..],
        &["hash", "-a", "crc32", "-t", "sfv", "d", "-o", "x.sfv"],
        &["convert", "M", "-t", "bsd", "-o", "p.jpg"],
        &["hash", "d", "-o", "p.jpg", "--format-string", "%p\\n"],
        &["hash", "d", "-o", "chance"],
        // regression: any text was replaced.
        &["hash", "d", "-o", "notes"],
        &["hash", "d", "-o", "notes", "--format-string", "%p\\n"],
        &["hash", "d", "-o", "M", "--format-string", "%p\\n"],
        &["hash", "d/a", "-o", "notes", "--raw"],
        &["convert", "M", "-t", "bsd", "-o", "notes"],
        &["convert", "M", "-t", "bsd", "-o", "chance"],
        &["shard", "merge", "plan", "-o", "p.jpg"],
        &["shard", "plan", "-o", "d/a", "d"],
        &["shard", "plan", "-o", "M", "d"],
    ] {
        let ran = folder.run(words);
        assert!(ran.code == Some(2) && ran.err.contains("and is not replaced"), "{words:?}: {ran:?}");
    }
    assert_eq!(folder.read("d/a"), b"abc");
    assert!(folder.read("p.jpg").starts_with(b"\xff\xd8"));
    for words in [
        &["hash", "d", "-o", "empty"][..],
        &["hash", "d", "-o", "notes", "--overwrite"],
        &["convert", "M", "-t", "bsd", "-o", "notes", "--overwrite"],
        &["hash", "d", "-o", "empty", "--json"],
        &["hash", "d", "-t", "torrent", "--overwrite", "-o", "empty"],
        &["hash", "d", "-z", "--overwrite", "-o", "empty"],
        &["convert", "M", "-t", "bsd", "-o", "empty"],
        &["hash", "d", "-o", "empty", "--overwrite", "--format-string", "%s %p\\n"],
        &["hash", "d", "-o", "empty", "--overwrite", "--format-string", "%p\\n"],
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.err);
    }
    for words in [&["shard", "plan", "-o", "plan", "d"][..], &["shard", "plan", "-o", "plan", "d"]] {
        assert_eq!(folder.run(words).code, Some(0));
    }
}

#[test]
fn text_whose_lines_have_the_form_of_entries_is_not_replaced() {
    // regression: the output of `git show-ref` and other lists of digests were taken for an older manifest.
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "")]);
    let (sha1, md5) = ("a9993e364706816aba3e25717850c26c9cd0d89d", "900150983cd24fb0d6963f7d28e17f72");
    assert_eq!(folder.run(&["hash", "-o", "GOOD", "d"]).code, Some(0));
    assert_eq!(folder.run(&["shard", "plan", "-o", "plan", "d"]).code, Some(0));
    assert_eq!(folder.run(&["shard", "run", "plan", "0"]).code, Some(0));
    for text in [
        format!("{sha1} refs/heads/main\n{sha1} refs/tags/v1\n"),
        format!("{sha1} two words\n"),
        format!("{md5}  password\n"),
        "invoice 20240101\n".to_owned(),
        format!("MD5  password\n{md5}  x\n"),
    ] {
        folder.write("refs", &text);
        for words in [
            &["hash", "-o", "refs", "d"][..],
            &["hash", "-a", "sha1", "-o", "refs", "d"],
            &["hash", "--root", "d", "-o", "refs", "d/a"],
            &["convert", "GOOD", "-t", "bsd", "-o", "refs"],
            &["shard", "merge", "plan", "-o", "refs"],
        ] {
            let ran = folder.run(words);
            assert!(
                ran.code == Some(2)
                    && ran.err.contains("and is not replaced\nhint: to replace it anyway, use --overwrite"),
                "{words:?}: {ran:?}"
            );
            assert_eq!(folder.read("refs"), text.as_bytes(), "{words:?}");
        }
    }
    // A manifest is one in its own folder, with --root, and after some of its files were removed.
    for words in [&["hash", "-o", "list", "d"][..], &["hash", "--root", "d", "-o", "rooted", "d"]] {
        assert_eq!(folder.run(words).code, Some(0), "{words:?}");
        assert_eq!(folder.run(words).code, Some(0), "{words:?}");
    }
    for _ in 0..2 {
        let ran = folder.run(&["shard", "merge", "plan", "-o", "merged"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    std::fs::remove_file(folder.path("d/a")).unwrap();
    assert_eq!(folder.run(&["hash", "-o", "list", "d"]).code, Some(0));
    // Merged where its files are not: the new manifest has the files of the earlier one.
    std::fs::remove_dir_all(folder.path("d")).unwrap();
    let ran = folder.run(&["shard", "merge", "plan", "-o", "merged"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(folder.run(&["hash", "-o", "list", "GOOD"]).code, Some(2));
    assert_eq!(folder.run(&["hash", "-o", "list", "--overwrite", "GOOD"]).code, Some(0));
}

#[test]
fn a_file_that_is_hashed_is_not_replaced_by_its_manifest_however_it_is_named() {
    let folder = Folder::with(&[("d/x", "precious\n"), ("d/y", "y"), ("a", "abc"), ("names", "d/x\na\n")]);
    let whole = folder.path("d/x");
    for words in [
        &["hash", "-o", "d/x", "d/x", "d/y"][..],
        &["hash", "-o", "./d/x", "d/x", "a"],
        &["hash", "-o", whole.to_str().unwrap(), "d", "d/x"],
        &["hash", "-o", "d/x", "--files-from", "names"],
        &["hash", "-o", "d/x", "--json", "d/y", "d/x"],
    ] {
        let ran = folder.run(words);
        assert!(ran.code != Some(0) && ran.err.contains("is not replaced"), "{words:?}: {ran:?}");
        let ran = folder.run(&[words, &["--overwrite"]].concat());
        assert!(
            ran.code != Some(0) && ran.err.contains("it is one of the input files"),
            "{words:?}: {ran:?}"
        );
        assert_eq!(folder.read("d/x"), b"precious\n", "{words:?}");
    }
    // A manifest is, with what it lists beside it.
    for _ in 0..2 {
        assert_eq!(folder.run(&["hash", "-o", "d/SUMS", "d"]).code, Some(0));
        assert_eq!(
            folder.run(&["hash", "--overwrite", "-o", "d/list", "--format-string", "%p\\n", "d"]).code,
            Some(0)
        );
    }
}

#[test]
fn lines_by_a_template_that_are_no_manifest_are_told_to_be_none() {
    let folder = Folder::with(&[("a", "abc"), ("b", "")]);
    for (name, template, is_manifest) in [
        ("list", "%{sha256}  %p\\n", true),
        ("list", "%{md5}  %p\\n%{sha256}  %p\\n", true),
        ("list", "SHA256 (%p) = %{sha256}\\n", true),
        ("list", "%{sha256} %s %p\\n", true),
        ("list", "%{sha256} %p %s\\n", false),
        ("list", "%{sha256}  %p", false),
        ("list", "%p\\n", false),
        ("list.sha256", "%{md5}  %p\\n", false),
    ] {
        let ran = folder.run(&["hash", "--overwrite", "-o", name, "--format-string", template, "a", "b"]);
        let note = format!("truesum: note: {name}: not written: check could not read these lines\n");
        let said = if is_manifest { "" } else { &note };
        assert_eq!(shown(&ran), (String::new(), said, Some(0)), "{template}");
        assert_eq!(folder.run(&["check", "-q", name]).code == Some(0), is_manifest, "{template}");
    }
    let ran = folder.run(&["hash", "--format-string", "%p\\n", "a"]);
    assert_eq!(
        shown(&ran),
        ("a\n".to_owned(), "", Some(0)),
        "of what goes to standard output nothing is said"
    );
}

#[test]
fn a_page_does_not_take_the_name_of_a_listed_file() {
    let folder = folder();
    for (words, option) in [
        (&["check", "--html", "b", "M"][..], "--html"),
        (&["check", "--locate", "--map-html", "./b", "M"], "--map-html"),
        (&["check", "--state", "b", "M"], "--state"),
        (&["audit", "--html", "b", "M"], "--html"),
    ] {
        let ran = folder.run(words);
        let name = words[words.len() - 2];
        let said = format!("truesum: {option}: {name} is a file in M and is not replaced\n");
        assert_eq!(shown(&ran), (String::new(), &said[..], Some(2)), "{words:?}");
        assert_eq!(folder.entries(), ["M", "a"]);
    }
    symlink(".", folder.path("here")).unwrap();
    assert_eq!(folder.run(&["check", "--html", "here/b", "M"]).code, Some(2));
    // What is listed is not known before of manifests that are found, or come by a pipe.
    let manifest = folder.read("M");
    for ran in [folder.feed(&["check", "-q", "--html", "b", "-"], &manifest), {
        folder.write("d/SHA256SUMS", &manifest);
        folder.run(&["check", "-q", "--html", "d/b", "-r", "d"])
    }] {
        assert!(
            ran.err.contains("b is listed in the manifest but missing: no report is written there\n")
                && ran.code == Some(1),
            "{}",
            ran.err
        );
    }
    assert!(!folder.path("b").exists() && !folder.path("d/b").exists());
    std::fs::remove_dir_all(folder.path("d")).unwrap();
    assert_eq!(folder.run(&["check", "--html", "c", "M"]).out(), "a: OK\nb: MISSING\n");
    assert_eq!(folder.entries(), ["M", "a", "c", "here"]);
}

#[test]
fn two_outputs_are_two_files_and_none_is_standard_output() {
    let folder = folder();
    let ran = folder.run(&["check", "--html", "x", "--state", "./x", "M"]);
    let said = "truesum: --html and --state: the same file is given for both\n";
    assert_eq!(shown(&ran), (String::new(), said, Some(2)));
    let ran = folder.run(&["audit", "--html", "-", "M"]);
    let said = "truesum: --html: cannot be written to standard output\nhint: to write a file of that name: --html ./-\n";
    assert_eq!(shown(&ran), (String::new(), said, Some(2)));
    assert_eq!(folder.entries(), ["M", "a"]);
}

#[test]
fn a_state_that_could_not_be_kept_is_known_before_anything_is_read() {
    let folder = folder();
    let ran = folder.run(&["check", "--state", "none/state", "M"]);
    let said =
        "truesum: none/state: cannot write: No such file or directory\ntruesum: 0 files verified; 0 B read\n";
    assert_eq!(shown(&ran), (String::new(), said, Some(2)));
    symlink("elsewhere", folder.path("state")).unwrap();
    let ran = folder.run(&["check", "--state", "state", "M"]);
    let said = "truesum: state: cannot use: it is a symbolic link and would be replaced: specify the file itself\n\
                truesum: 0 files verified; 0 B read\n";
    assert_eq!(shown(&ran), (String::new(), said, Some(2)));
    assert!(folder.path("state").is_symlink());
}

#[test]
fn a_list_takes_the_place_of_nothing_that_is_packed() {
    let folder = Folder::with(&[("a", "abc")]);
    for bytes in [&b"\x1f\x8b\x08\0\0\0\0\0\0\x03 and more"[..], b"\x28\xb5\x2f\xfd\x04\x88", b"\xfd7zXZ\0"] {
        folder.write("backup.tar.gz", bytes);
        let ran = folder.run(&["hash", "-o", "backup.tar.gz", "a"]);
        assert_eq!((ran.code, &folder.read("backup.tar.gz")[..]), (Some(2), bytes), "{}", ran.err);
    }
}

#[test]
fn what_nobody_could_know_again_takes_the_place_of_an_earlier_one_alone() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "")]);
    let photo = [&b"\xff\xd8\xff\xe0\0\x10JFIF\0"[..], &[7; 84]].concat();
    for (name, bytes) in [("p.jpg", &photo[..]), ("p64", &photo[..64]), ("tar", b"a\0\0\0\x000644\0")] {
        folder.write(name, bytes);
    }
    let names = &["--format-string", "%p\\0"][..];
    for (name, requested) in
        [("p.jpg", &["--raw"][..]), ("p64", &["--raw"]), ("p.jpg", names), ("tar", names)]
    {
        let before = folder.read(name);
        let ran = folder.run(&[&["hash", "-o", name, "d/a"], requested].concat());
        assert!(
            ran.code == Some(2) && ran.err.contains("and is not replaced"),
            "{name} {requested:?}: {ran:?}"
        );
        assert_eq!(folder.read(name), before);
    }
    for _ in 0..2 {
        for (name, requested) in
            [("raw", &["--raw"][..]), ("two", &["--raw", "-a", "md5,crc32"]), ("list", names)]
        {
            let ran = folder.run(&[&["hash", "--overwrite", "-o", name, "d/a"], requested].concat());
            assert_eq!(ran.code, Some(0), "{name}: {}", ran.err);
            let again = folder.run(&[&["hash", "-o", name, "d/a"], requested].concat());
            assert_eq!(again.code, Some(2), "{name}: nobody could know it again");
        }
    }
    assert_eq!((folder.read("two").len(), &folder.read("list")[..]), (20, &b"d/a\0"[..]));
    folder.write("empty", "");
    assert_eq!(folder.run(&["hash", "--raw", "-o", "empty", "d/a"]).code, Some(0));
}

#[test]
fn a_converted_manifest_takes_the_place_of_no_file_that_it_lists() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "")]);
    folder.write("d/M", lines(&[(ABC, "a"), (EMPTY, "b")]));
    symlink("a", folder.path("d/link")).unwrap();
    for output in ["d/a", "./d/../d/a", "d/link"] {
        let ran = folder.run(&["convert", "d/M", "-t", "bsd", "-o", output]);
        assert!(ran.code == Some(2) && ran.err.contains(": not replaced: it is in d/M"), "{}", ran.err);
        assert_eq!(folder.read("d/a"), b"abc");
    }
    for output in ["d/M", "d/N", "d/N"] {
        assert_eq!(folder.run(&["convert", "d/M", "-t", "bsd", "-o", output]).code, Some(0));
    }
}

#[test]
fn what_a_run_reads_no_output_replaces() {
    let folder = Folder::with(&[
        ("d/a", "abc"),
        ("key", "00112233"),
        ("names", "d/a\n"),
        ("names0", "d/a\0"),
        ("d/.gitignore", "*.log\n"),
    ]);
    symlink("key", folder.path("other")).unwrap();
    std::fs::hard_link(folder.path("names"), folder.path("same")).unwrap();
    for (words, kept) in [
        (&["hash", "-a", "hmac-sha256", "--key-file", "key", "-o", "key", "d"][..], "key"),
        (&["hash", "-a", "hmac-sha256", "--key-file", "key", "-o", "other", "d"], "key"),
        (&["hash", "-a", "hmac-sha256", "--key-file", "key", "--key-hex", "-o", "key", "d"], "key"),
        (&["hash", "-a", "hmac-sha256", "--key-file", "key", "--raw", "-o", "key", "d/a"], "key"),
        (&["hash", "--files-from", "names", "-o", "names"], "names"),
        (&["hash", "--files-from", "names", "-o", "same"], "names"),
        (&["hash", "--files-from", "names", "--json", "-o", "names"], "names"),
        (&["hash", "--files0-from", "names0", "-o", "names0"], "names0"),
        (&["shard", "plan", "--files-from", "names", "-o", "names"], "names"),
        (&["hash", "--gitignore", "d", "-o", "d/.gitignore"], "d/.gitignore"),
    ] {
        let before = folder.read(kept);
        let ran = folder.run(words);
        assert!(ran.code == Some(2) && ran.err.contains("replace"), "{words:?}: {ran:?}");
        assert_eq!(folder.read(kept), before, "{words:?}");
    }
    assert_eq!(folder.run(&["hash", "--files-from", "names", "-o", "M"]).code, Some(0));
    assert_eq!(
        folder.run(&["hash", "--files-from", "names", "-o", "M"]).code,
        Some(0),
        "a list is made anew"
    );
}

#[test]
fn a_manifest_that_would_record_corrupt_content_as_good_is_not_written() {
    // regression: `hash -o` over an older manifest of the same files recorded what had rotted without a word.
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    for words in [
        &["hash", "-o", "d/SHA256SUMS", "d"][..],
        &["hash", "--json", "-o", "d/SHA256SUMS", "d"],
        &["hash", "--per-directory", "-a", "sha256", "d"],
        &["hash", "--sidecar", "-a", "sha256", "d"],
    ] {
        let folder = Folder::with(&[("d/a", "abc"), ("d/b", "abc")]);
        ["d/a", "d/b"].iter().for_each(|name| stamp(&folder, name, time));
        assert_eq!(folder.run(words).code, Some(0), "{words:?}");
        assert_eq!(folder.run(words).code, Some(0), "{words:?}: nothing changed");
        folder.write("d/a", "abd");
        stamp(&folder, "d/a", time);
        let manifest = if words.contains(&"--sidecar") { "d/a.sha256" } else { "d/SHA256SUMS" };
        let before = folder.read(manifest);
        let ran = folder.run(words);
        assert!(ran.code == Some(2) || ran.code == Some(1), "{words:?}: {}", ran.err);
        assert!(
            ran.err.contains("1 file is corrupt (no program modified it, but the content differs): a"),
            "{words:?}: {}",
            ran.err
        );
        assert_eq!(folder.read(manifest), before, "{words:?}");
        // An edit is one: its time shows it.
        folder.write("d/a", "abe");
        stamp(&folder, "d/a", std::time::SystemTime::now());
        assert_eq!(folder.run(words).code, Some(0), "{words:?}");
        stamp(&folder, "d/a", time);
        folder.write("d/a", "abf");
        stamp(&folder, "d/a", time);
        let ran = folder.run(&[words, &["--overwrite"]].concat());
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.err);
    }
}

#[test]
fn manifests_of_folders_are_compared_with_those_of_the_folders_above() {
    // regression: `hash --per-directory` recorded corrupt content as good, and replaced the only manifest that knew better.
    let stage = |algorithm: &str| {
        let folder = Folder::with(&[("d/a", "abc"), ("d/s/b", "abc"), ("d/s/t/c", "abc")]);
        ["d/a", "d/s/b", "d/s/t/c"].iter().for_each(|name| stamp(&folder, name, old()));
        let words = ["hash", "-q", "--tag", "-a", algorithm, "-o", "d/SHA256SUMS", "d"];
        assert_eq!(folder.run(&words).code, Some(0));
        folder
    };
    for algorithm in ["sha256", "md5"] {
        for argument in ["d", "./d", "d/s"] {
            let folder = stage(algorithm);
            let above = folder.read("d/SHA256SUMS");
            folder.write("d/s/b", "abd");
            stamp(&folder, "d/s/b", old());
            let ran = folder.run(&["hash", "--per-directory", "-a", "sha256", argument]);
            let said = "s/SHA256SUMS: not written: 1 file is corrupt according to ";
            assert!(ran.code == Some(1) && ran.err.contains(said), "{algorithm} {argument}: {}", ran.err);
            assert_eq!(folder.read("d/SHA256SUMS"), above, "{algorithm} {argument}");
            assert!(!folder.path("d/s/SHA256SUMS").exists(), "{algorithm} {argument}");
            assert!(folder.path("d/s/t/SHA256SUMS").exists(), "{algorithm} {argument}");
            folder.write("d/s/b", "abc");
            stamp(&folder, "d/s/b", old());
            let ran = folder.run(&["hash", "--per-directory", "-a", "sha256", argument]);
            assert_eq!(ran.code, Some(0), "{algorithm} {argument}: {}", ran.err);
            assert!(!ran.err.contains("not in the new one"), "{algorithm} {argument}: {}", ran.err);
        }
    }
    let folder = stage("sha256");
    std::fs::remove_file(folder.path("d/s/b")).unwrap();
    let ran = folder.run(&["hash", "--per-directory", "d"]);
    let said = "d/SHA256SUMS: 1 entry of the earlier manifest is not in the new one (first: s/b)\n";
    assert!(ran.code == Some(0) && ran.err.contains(said), "{}", ran.err);
    folder.write("d/SHA256SUMS", "a letter\n");
    let ran = folder.run(&["hash", "--per-directory", "d/s"]);
    let said = "note: d/SHA256SUMS: files were not compared with it, because it is not a manifest\n";
    assert!(ran.code == Some(0) && ran.err.contains(said), "{}", ran.err);
}

#[test]
fn a_hard_link_to_the_output_is_reported() {
    // regression: it was left out of the manifest without a word.
    let folder = Folder::with(&[("d/a", "abc"), ("d/M", &lines(&[(ABC, "a")]))]);
    std::fs::hard_link(folder.path("d/M"), folder.path("d/link")).unwrap();
    let ran = folder.run(&["hash", "-o", "d/M", "d"]);
    let said = "truesum: note: link: hard link to this run's own output, not hashed\n";
    assert_eq!(shown(&ran), (String::new(), said, Some(0)));
    let ran = folder.run(&["hash", "-q", "-o", "d/M", "d"]);
    assert_eq!((ran.err.as_str(), ran.code), ("", Some(0)));
    std::fs::hard_link(folder.path("d/M"), folder.path("d/other")).unwrap();
    let mut command = folder.command();
    command.args(["hash", "d"]);
    let output = std::fs::File::options().write(true).truncate(true).open(folder.path("d/M")).unwrap();
    let ran: crate::program::Ran = command.stdout(output).output().unwrap().into();
    let said = "truesum: note: d/other: hard link to this run's own output, not hashed\n";
    assert_eq!((ran.err.as_str(), ran.code), (said, Some(0)));
}

#[test]
fn a_requested_summary_that_cannot_be_written_fails() {
    // regression: `--summary json 2> /dev/full` ended with exit status 0.
    let folder = Folder::with(&[("a", "abc"), ("M", &lines(&[(ABC, "a")]))]);
    let run = |words: &[&str]| {
        let mut command = folder.command();
        command.args(words);
        command.stderr(std::fs::File::options().write(true).open("/dev/full").unwrap());
        command.output().unwrap().status.code()
    };
    for words in [&["check", "M"][..], &["hash", "a"], &["audit", "M"]] {
        for ending in ["json", "short", "long"] {
            assert_eq!(run(&[words, &["--summary", ending]].concat()), Some(2), "{words:?} {ending}");
        }
        assert_eq!(run(words), Some(0), "{words:?}: nothing was requested on standard error");
        assert_eq!(run(&[words, &["--summary", "none"]].concat()), Some(0), "{words:?}");
    }
    folder.write("a", "abd");
    assert_eq!(run(&["check", "M", "--summary", "json"]), Some(1), "a failed file takes precedence");
}

#[test]
fn quiet_silences_the_notes_of_every_way_to_hash() {
    // regression: `hash -q --per-directory` and `--sidecar` printed what -q promises to suppress.
    for words in [&[][..], &["--per-directory"], &["--sidecar"]] {
        let folder = Folder::with(&[("d/a", "abc")]);
        symlink("nothing", folder.path("d/dangling")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(folder.path("d/pipe")).status().unwrap().success());
        let quiet = folder.run(&[&["hash", "-q"], words, &["d"]].concat());
        assert_eq!((quiet.err.as_str(), quiet.code), ("", Some(0)), "{words:?}");
        let noted = folder.run(&[&["hash", "--overwrite"], words, &["d"]].concat());
        assert!(
            noted.err.contains("dangling: broken symbolic link") && noted.err.contains("pipe"),
            "{}",
            noted.err
        );
    }
}

/// A time long before any run.
fn old() -> std::time::SystemTime {
    std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000)
}

#[test]
fn corrupt_content_is_found_by_the_algorithm_of_the_earlier_manifest() {
    // regression: `hash -a blake3 -o M` recorded damaged content as good over a manifest of SHA-256 digests.
    for (before, after, manifest) in [
        (&["-a", "sha256", "-o", "d/M"][..], &["-a", "blake3", "-o", "d/M"][..], "d/M"),
        (&["-a", "sha256,md5", "-o", "d/M"], &["--json", "-a", "crc32", "-o", "d/M"], "d/M"),
        (&["-a", "blake3", "--customization", "test", "--tag", "-o", "d/M"], &["-o", "d/M"], "d/M"),
        (&["--json", "--per-directory"], &["--json", "-a", "blake3", "--per-directory"], "d/checksums.jsonl"),
        (
            &["--allow-outside", "-o", "other/M"],
            &["-a", "blake3", "--allow-outside", "-o", "other/M"],
            "other/M",
        ),
        (
            &["-a", "hmac-sha256", "--key-file", "key", "-o", "d/M"],
            &["-a", "hmac-md5", "--key-file", "key", "-o", "d/M"],
            "d/M",
        ),
    ] {
        let folder = Folder::with(&[("d/a", "abc"), ("d/b", "abc"), ("other/x", ""), ("key", "secret key")]);
        ["d/a", "d/b"].iter().for_each(|name| stamp(&folder, name, old()));
        let run = |words: &[&str]| folder.run(&[&["hash", "-q"], words, &["d"]].concat());
        let ran = run(before);
        assert_eq!(ran.code, Some(0), "{before:?}: {}", ran.err);
        let ran = run(after);
        assert_eq!(shown(&ran), (String::new(), "", Some(0)), "{after:?}: nothing changed");
        let new = folder.read(manifest);
        let ran = run(&[before, &["--overwrite"]].concat());
        assert_eq!(ran.code, Some(0), "{before:?}: {}", ran.err);
        let recorded = folder.read(manifest);
        assert_ne!(recorded, new);
        folder.write("d/a", "abd");
        stamp(&folder, "d/a", old());
        let ran = run(after);
        assert!(ran.code == Some(1) || ran.code == Some(2), "{after:?}: {}", ran.err);
        assert!(ran.err.contains("1 file is corrupt"), "{after:?}: {}", ran.err);
        assert_eq!(folder.read(manifest), recorded, "{after:?}");
        let ran = run(&[after, &["--overwrite"]].concat());
        assert_eq!(ran.code, Some(0), "{after:?}: {}", ran.err);
    }
}

#[test]
fn corrupt_content_is_found_however_the_earlier_manifest_spells_names() {
    let folder = Folder::with(&[("d/a", "abd"), ("d/b", "")]);
    ["d/a", "d/b"].iter().for_each(|name| stamp(&folder, name, old()));
    symlink("d", folder.path("link")).unwrap();
    for name in ["d/a", "link/a", "d/../link/./a"] {
        let whole = folder.path(name).into_os_string().into_string().unwrap();
        for spelled in [whole.as_str(), "./a", "../d/a"] {
            folder.write("d/M", lines(&[(ABC, spelled)]));
            let ran = folder.run(&["hash", "-o", "d/M", "d"]);
            assert!(ran.code == Some(2) && ran.err.contains("1 file is corrupt"), "{spelled}: {}", ran.err);
        }
    }
}

#[test]
fn a_name_with_backslashes_is_compared_with_the_file_that_it_names() {
    // regression: the entry was not compared, and was reported as missing from the new manifest.
    let folder = Folder::with(&[("d/s/x", "abc")]);
    stamp(&folder, "d/s/x", old());
    for words in [&["hash", "-o", "d/SHA256SUMS", "d"][..], &["hash", "--per-directory", "d"]] {
        folder.write("d/s/x", "abc");
        stamp(&folder, "d/s/x", old());
        folder.write("d/SHA256SUMS", format!("SHA256 (s\\x) = {ABC}\n"));
        let ran = folder.run(words);
        assert!(ran.code == Some(0) && !ran.err.contains("earlier manifest"), "{words:?}: {}", ran.err);
        folder.write("d/SHA256SUMS", format!("SHA256 (s\\x) = {ABC}\n"));
        folder.write("d/s/x", "abd");
        stamp(&folder, "d/s/x", old());
        let ran = folder.run(words);
        assert!(ran.code != Some(0) && ran.err.contains("1 file is corrupt"), "{words:?}: {}", ran.err);
    }
}

#[test]
fn entries_that_could_not_be_compared_are_reported() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "abc"), ("key", "secret key")]);
    ["d/a", "d/b"].iter().for_each(|name| stamp(&folder, name, old()));
    let keyed = ["hash", "-q", "-a", "hmac-sha256", "--key-file", "key", "-o", "d/M", "d"];
    assert_eq!(folder.run(&keyed).code, Some(0));
    let ran = folder.run(&["hash", "-o", "d/M", "d"]);
    let said = "truesum: note: d/M: 2 entries of the earlier manifest could not be compared (hmac-sha256)\n";
    assert_eq!(shown(&ran), (String::new(), said, Some(0)));
    // A merge computes nothing.
    assert_eq!(folder.run(&["shard", "plan", "-q", "-a", "md5", "-o", "plan", "d/a", "d/b"]).code, Some(0));
    assert_eq!(folder.run(&["shard", "run", "-q", "plan", "0"]).code, Some(0));
    let ran = folder.run(&["shard", "merge", "plan", "-o", "d/M"]);
    let said = "truesum: 2 files, 6 B, of 1 part, listed in d/M\n\
                truesum: note: d/M: 2 entries of the earlier manifest could not be compared (sha256)\n";
    assert_eq!(shown(&ran), (String::new(), said, Some(0)));
    folder.write("d/a", "abd");
    stamp(&folder, "d/a", old());
    std::fs::remove_dir_all(folder.path("plan.parts")).unwrap();
    assert_eq!(folder.run(&["shard", "plan", "-q", "-a", "md5", "-o", "plan", "d/a", "d/b"]).code, Some(0));
    assert_eq!(folder.run(&["shard", "run", "-q", "plan", "0"]).code, Some(0));
    let ran = folder.run(&["shard", "merge", "-q", "plan", "-o", "d/M"]);
    assert!(ran.code == Some(2) && ran.err.contains("1 file is corrupt"), "{}", ran.err);
    assert_eq!(folder.run(&["shard", "merge", "-q", "--overwrite", "plan", "-o", "d/M"]).code, Some(0));
}

#[test]
fn entries_that_the_new_manifest_does_not_have_are_reported() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "abc"), ("d/c", "abc")]);
    assert_eq!(shown(&folder.run(&["hash", "-o", "d/M", "d"])), (String::new(), "", Some(0)));
    std::fs::remove_file(folder.path("d/b")).unwrap();
    let ran = folder.run(&["hash", "-o", "d/M", "--exclude", "c", "d"]);
    let said = "truesum: note: d/M: 2 entries of the earlier manifest are not in the new one (first: b)\n";
    assert_eq!(shown(&ran), (String::new(), said, Some(0)));
    assert_eq!(shown(&folder.run(&["hash", "-o", "d/M", "d"])), (String::new(), "", Some(0)));
    let ran = folder.run(&["hash", "-q", "-o", "d/M", "d/a"]);
    assert_eq!(shown(&ran), (String::new(), "", Some(0)));
}

#[test]
fn a_manifest_replaces_no_file_that_holds_anything_but_checksums() {
    // regression: one line that looks like an entry was enough for a file to be replaced.
    let digest = format!("{ABC}  a\n");
    let lock = "{\"lockfileVersion\":3,\"packages\":{\"node_modules/a\":{\"version\":\"1.0.0\",\"resolved\":\"https://r/a.tgz\",\
                \"integrity\":\"sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==\"}}}\n";
    let cargo = format!(
        "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"r\"\nchecksum = \"{ABC}\"\n"
    );
    for (name, text) in [
        ("README", format!("How to verify\n\n{digest}\nGood luck.\n")),
        ("README", format!("{digest}Good luck.\n")),
        ("package-lock.json", lock.to_owned()),
        ("Cargo.lock", cargo),
        ("requirements.txt", format!("a==1.0 --hash=sha256:{ABC}\n")),
        ("table.csv", format!("path,size,sha256,owner\na,3,{ABC},Ada\n")),
        ("x.torrent", "d8:announce5:x://y4:infod6:lengthi3e4:name5:other12:piece lengthi16384e6:pieces20:aaaaaaaaaaaaaaaaaaaaee".to_owned()),
    ] {
        let folder = Folder::with(&[("a", "abc"), ("M", &digest)]);
        folder.write(name, &text);
        assert_eq!(folder.run(&["shard", "plan", "-q", "-o", "plan", "a"]).code, Some(0));
        assert_eq!(folder.run(&["shard", "run", "-q", "plan", "0"]).code, Some(0));
        for words in [
            &["hash", "-o", name, "a"][..],
            &["hash", "-o", name, "a", name],
            &["convert", "M", "-t", "bsd", "-o", name],
            &["shard", "merge", "plan", "-o", name],
        ] {
            // The name makes it a torrent, which cannot contain two files of the current folder.
            if name == "x.torrent" && words.len() > 4 && words[0] == "hash" {
                continue;
            }
            let ran = folder.run(words);
            assert!(ran.code == Some(2) && ran.err.contains("and is not replaced"), "{words:?}: {ran:?}");
            assert!(ran.err.ends_with("hint: to replace it anyway, use --overwrite\n"), "{words:?}: {ran:?}");
            assert_eq!(folder.read(name), text.as_bytes(), "{words:?}");
        }
        let ran = folder.run(&["hash", "--overwrite", "-o", name, "a"]);
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.err);
    }
    // A disk image, whose first line ends with it.
    let folder = Folder::with(&[("a", "abc")]);
    std::fs::File::create(folder.path("disk")).unwrap().set_len(1 << 40).unwrap();
    let ran = folder.run(&["hash", "-o", "disk", "a"]);
    assert!(ran.code == Some(2) && ran.err.contains("is not a manifest, and is not replaced"), "{ran:?}");
    // What truesum writes is replaced, in every format.
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "")]);
    for format in truesum::manifest::FORMATS
        .iter()
        .filter(|format| !matches!(format.writing, truesum::manifest::Writing::No) && format.name != "ascmhl")
    {
        let name = if format.name == "bagit" { "manifest-sha256.txt" } else { format.name };
        for _ in 0..2 {
            let ran = folder.run(&["hash", "-q", "-t", format.name, "-o", name, "d"]);
            assert_eq!(shown(&ran), (String::new(), "", Some(0)), "{}", format.name);
        }
    }
}

#[test]
fn a_lossy_conversion_does_not_replace_its_own_input() {
    let folder = Folder::with(&[("a", "abc"), ("b", "")]);
    assert_eq!(folder.run(&["hash", "--json", "-o", "M", "a", "b"]).code, Some(0));
    let before = folder.read("M");
    symlink("M", folder.path("link")).unwrap();
    for words in [
        &["convert", "--lossy", "M", "-t", "gnu", "-o", "M"][..],
        &["convert", "--lossy", "M", "-t", "gnu", "-o", "./link"],
        &["convert", "--only", "a", "M", "-t", "jsonl", "-o", "M"],
    ] {
        let ran = folder.run(words);
        assert!(
            ran.code == Some(2) && ran.err.contains("not replaced: it is the input"),
            "{words:?}: {ran:?}"
        );
        assert_eq!(folder.read("M"), before, "{words:?}");
    }
    let ran = folder.run(&["convert", "--lossy", "M", "-t", "gnu", "-o", "M", "--overwrite"]);
    assert_eq!((ran.code, folder.read("M")), (Some(0), lines(&[(ABC, "a"), (EMPTY, "b")]).into_bytes()));
    assert_eq!(folder.run(&["convert", "M", "-t", "bsd", "-o", "M"]).code, Some(0), "nothing is lost");
}

#[test]
fn an_output_that_cannot_be_written_is_one_error_without_advice_that_fails() {
    let folder = Folder::with(&[("a", "abc"), ("M", &lines(&[(ABC, "a")])), ("log", "x\n")]);
    folder.pipe("pipe");
    assert_eq!(folder.run(&["shard", "plan", "-q", "-o", "plan", "a"]).code, Some(0));
    assert_eq!(folder.run(&["shard", "run", "-q", "plan", "0"]).code, Some(0));
    for output in ["/dev/full", "/dev/stdout", "pipe", "/", "none/M", "/proc/version/M"] {
        for words in [
            &["hash", "a", "-o", output][..],
            &["hash", "--raw", "a", "-o", output],
            &["convert", "M", "--from-algorithm", "sha256", "-t", "bsd", "-o", output],
            &["shard", "merge", "plan", "-o", output],
        ] {
            let ran = folder.run(words);
            assert!(ran.code == Some(2) && ran.out.is_empty(), "{words:?}: {ran:?}");
            assert_eq!(ran.err.lines().count(), 1, "{words:?}: {}", ran.err);
            assert!(
                ran.err.starts_with("truesum: ") && ran.err.contains(": cannot "),
                "{words:?}: {}",
                ran.err
            );
        }
    }
    // regression: --overwrite was suggested, which does not help.
    let mut command = folder.command();
    command.args(["hash", "a", "-o", "/dev/stdout"]);
    let log = std::fs::File::options().append(true).open(folder.path("log")).unwrap();
    let ran: crate::program::Ran = command.stdout(log).output().unwrap().into();
    let said = "truesum: /dev/stdout: cannot write: it is the standard output of this run\n";
    assert_eq!(shown(&ran), (String::new(), said, Some(2)));
    assert_eq!(folder.read("log"), b"x\n");
}

#[test]
fn a_folder_deeper_than_a_path_can_be_has_its_manifest_and_loses_no_file() {
    use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};
    let folder = Folder::new();
    std::fs::create_dir(folder.path("deep")).unwrap();
    let name = "d".repeat(200);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let mut at = openat(CWD, folder.path("deep"), flags, Mode::empty()).unwrap();
    for _ in 0..25 {
        mkdirat(&at, &name, Mode::RWXU).unwrap();
        at = openat(&at, &name, flags, Mode::empty()).unwrap();
    }
    let here = std::path::PathBuf::from(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&at)));
    for (file, text) in [("f", "abc"), ("MD5SUMS", "no manifest\n")] {
        std::fs::write(here.join(file), text).unwrap();
    }
    for _ in 0..2 {
        let ran = folder.run(&["hash", "-q", "--per-directory", "deep"]);
        assert_eq!(shown(&ran), (String::new(), "", Some(0)));
        let text = std::fs::read_to_string(here.join("SHA256SUMS")).unwrap();
        // regression: a file with the name of a manifest was taken for one, and left out.
        let names: Vec<&str> = text.lines().map(|line| &line[66..]).collect();
        assert_eq!(names, ["MD5SUMS", "f"]);
        let ran = folder.run(&["hash", "-q", "--sidecar", "deep"]);
        assert_eq!(shown(&ran), (String::new(), "", Some(0)));
        // regression: sidecars got sidecars.
        assert!(here.join("f.sha256").exists() && !here.join("f.sha256.sha256").exists());
    }
    std::fs::write(here.join("SHA256SUMS"), "no manifest\n").unwrap();
    let ran = folder.run(&["hash", "-q", "--per-directory", "deep"]);
    assert!(ran.code == Some(1) && ran.err.contains("SHA256SUMS: not replaced"), "{}", ran.err);
}

#[test]
fn a_failed_run_names_the_unfinished_tree_that_it_leaves() {
    let folder = Folder::with(&[("a", "abc")]);
    let limited = |words: &str| {
        let mut command = std::process::Command::new("bash");
        let program = env!("CARGO_BIN_EXE_truesum");
        let limit = format!("trap '' XFSZ; ulimit -f 4; exec {program} tree --save {words} big");
        let ran: crate::program::Ran =
            command.args(["-c", &limit]).current_dir(folder.root()).output().unwrap().into();
        ran
    };
    folder.write("big", vec![7; 16 << 20]);
    let ran = limited("--granule 64KiB");
    let said = "truesum: note: the unfinished tree is kept in big.ftr.part: add --resume to continue it, or remove it\n";
    assert!(ran.code == Some(2) && ran.err.ends_with(said), "{ran:?}");
    assert!(folder.path("big.ftr.part").exists());
    let ran = folder.run(&["tree", "--save", "--granule", "64KiB", "--resume", "big"]);
    assert_eq!((ran.code, folder.path("big.ftr.part").exists()), (Some(0), false), "{}", ran.err);
}

#[test]
fn overwrite_replaces_a_damaged_manifest_of_the_folder_but_no_named_file() {
    // regression: a manifest with a damaged line could only be replaced after it was removed.
    let folder = Folder::with(&[("s/a", "precious"), ("s/b", "b"), ("s/M", "an old manifest\n")]);
    let ran = folder.run(&["hash", "-o", "s/M", "s"]);
    assert!(ran.code == Some(2) && ran.err.ends_with("use --overwrite\n"), "{ran:?}");
    let ran = folder.run(&["hash", "--overwrite", "-o", "s/M", "s"]);
    assert_eq!((ran.code, folder.run(&["check", "-q", "s/M"]).code), (Some(0), Some(0)), "{}", ran.err);
    // regression: a file that was to be hashed became the manifest that did not list it.
    std::os::unix::fs::symlink("s/a", folder.path("link")).unwrap();
    for output in ["s/a", "link"] {
        let ran = folder.run(&["hash", "--overwrite", "-o", output, "s/a", "s/b"]);
        assert_eq!((ran.code, folder.read("s/a")), (Some(2), b"precious".to_vec()), "{output}: {}", ran.err);
    }
}

#[test]
fn a_torrent_replaces_an_earlier_one_only_if_unmodified_files_match_it() {
    // regression: pieces were not compared, so a corrupt file was recorded as good.
    let long: String = (0..90_000).map(|at| char::from(b'a' + (at % 23) as u8)).collect();
    let past = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for protocol in ["v1", "v2", "hybrid"] {
        let folder = Folder::with(&[("set/a", "abc"), ("set/b", &long), ("set/c", "x")]);
        let names = ["set/a", "set/b", "set/c"];
        names.iter().for_each(|name| stamp(&folder, name, past));
        let create = ["torrent", "create", "--protocol", protocol, "-o", "x.torrent", "set"];
        assert_eq!(folder.run(&create).code, Some(0));
        assert_eq!(folder.run(&create).code, Some(0), "{protocol}: nothing changed");
        // Additional files shift the pieces, or become a part of them.
        for name in ["set/aa", "set/z"] {
            folder.write(name, "new");
            let ran = folder.run(&create);
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{protocol} {name}");
            assert_eq!(folder.run(&["torrent", "check", "-q", "x.torrent"]).code, Some(0));
        }
        let torrent = folder.read("x.torrent");
        for new in [false, true] {
            folder.write("set/b", long.replacen("abc", "abd", 1));
            stamp(&folder, "set/b", past);
            if new {
                folder.write("set/0", "new");
            }
            let ran = folder.run(&create);
            assert_eq!(ran.code, Some(2), "{protocol}: {}", ran.err);
            assert!(ran.err.contains("x.torrent: not written: "), "{protocol}: {}", ran.err);
            assert!(ran.err.contains("with --overwrite\n"), "{protocol}: {}", ran.err);
            assert_eq!(folder.read("x.torrent"), torrent);
        }
        let overwrite = [&create[..], &["--overwrite"]].concat();
        assert_eq!(folder.run(&overwrite).code, Some(0));
    }
    // An edit of one file: those that share no piece with it are verified.
    let folder = Folder::with(&[("set/a", &long), ("set/b", &long[..65_536]), ("set/c", "x")]);
    ["set/a", "set/b", "set/c"].iter().for_each(|name| stamp(&folder, name, past));
    let create = ["torrent", "create", "--protocol", "v2", "-o", "x.torrent", "set"];
    assert_eq!(folder.run(&create).code, Some(0));
    after_the_tick();
    folder.write("set/b", "edited");
    let ran = folder.run(&create);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn only_a_time_after_the_manifest_and_not_in_the_future_shows_that_a_file_was_edited() {
    // regression: a corrupt file whose time was in the future, equal to the manifest's or in the same tick was recorded
    // as good by every command that replaces a manifest without times.
    let future = SystemTime::UNIX_EPOCH + Duration::from_secs(2_114_380_800);
    for (words, manifest) in [
        (&["hash", "-o", "d/SHA256SUMS", "d"][..], "d/SHA256SUMS"),
        (&["hash", "--per-directory", "-a", "sha256", "d"], "d/SHA256SUMS"),
        (&["hash", "--sidecar", "-a", "sha256", "d"], "d/a.sha256"),
        (&["torrent", "create", "-o", "x.torrent", "d"], "x.torrent"),
    ] {
        let folder = Folder::with(&[("d/a", "abc")]);
        let refused = |time: SystemTime, why: &str| {
            stamp(&folder, "d/a", time);
            let ran = folder.run(words);
            assert!(ran.code == Some(2) || ran.code == Some(1), "{words:?} {why}: {}", ran.err);
            assert!(ran.err.contains("not written: 1 file "), "{words:?} {why}: {}", ran.err);
        };
        stamp(&folder, "d/a", future);
        assert_eq!(folder.run(words).code, Some(0), "{words:?}");
        folder.write("d/a", "abd");
        refused(future, "in the future");
        let dated = std::fs::metadata(folder.path(manifest)).unwrap().modified().unwrap();
        refused(dated, "equal");
        refused(dated + Duration::from_millis(9), "in the same tick");
        let past = SystemTime::now() - Duration::from_secs(60);
        stamp(&folder, manifest, past);
        stamp(&folder, "d/a", past + Duration::from_millis(5_011));
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(0), "{words:?} edited: {}", ran.err);
    }
}

#[test]
fn ordinary_text_is_not_replaced_although_its_lines_look_like_entries() {
    // regression: each of these was replaced by a manifest, with a note on entries that were lost.
    let folder = Folder::with(&[
        ("a", "abc"),
        ("birthdays.txt", "Ada Lovelace 18151210\nAlan Turing 19120623\n"),
        ("numbers", "first 12345678\n"),
    ]);
    for name in ["birthdays.txt", "numbers"] {
        let text = folder.read(name);
        let ran = folder.run(&["hash", "-o", name, "a"]);
        assert!(ran.code == Some(2) && ran.err.contains("may be ordinary text"), "{name}: {ran:?}");
        assert_eq!(folder.read(name), text, "{name}");
    }
    folder.write("list", format!("{ABC}  a\n"));
    assert_eq!(folder.run(&["hash", "-o", "list", "a"]).code, Some(0));
}

#[test]
fn corrupt_files_are_found_in_an_earlier_manifest_that_spells_their_names_otherwise() {
    // regression: with another --root, no name of the earlier manifest was found, and rotten content was recorded.
    let folder = Folder::with(&[("s/a", "good")]);
    for (first, second) in [
        (&["hash", "-o", "S", "s"][..], &["hash", "--root", "s", "-o", "S", "s"][..]),
        (&["hash", "--root", "s", "-o", "S", "s"], &["hash", "-o", "S", "s"]),
        (&["hash", "-o", "s/S", "s/a"], &["hash", "--root", ".", "-o", "s/S", "s/a"]),
    ] {
        folder.write("s/a", "good");
        let time = std::fs::metadata(folder.path("s/a")).unwrap().modified().unwrap();
        after_the_tick();
        assert_eq!(folder.run(first).code, Some(0), "{first:?}");
        folder.write("s/a", "rott");
        stamp(&folder, "s/a", time);
        let ran = folder.run(second);
        assert_eq!(ran.code, Some(2), "{second:?}: {}", ran.err);
        assert!(ran.err.contains("1 file is corrupt"), "{second:?}: {}", ran.err);
        std::fs::remove_file(folder.path(if first.contains(&"s/S") { "s/S" } else { "S" })).unwrap();
    }
}

#[test]
fn text_that_names_folders_or_devices_is_no_manifest() {
    // regression: a folder or a device counted as one of the files in a list, and the text was replaced.
    let folder = Folder::with(&[("src/x", "x"), ("a", "hi"), ("linux/x", "x")]);
    let git = format!("{} .\n", "0123456789".repeat(4));
    for text in [
        "linux 20240101\nfreebsd 20231212\n",
        "20240101 src\n20240116 src\n",
        "12345678\tsrc\n",
        "/dev/null 1A2B3C4D\n",
        &git,
        // Nothing in it is a digest, and a signature would be lost.
        "#mtree\n/set type=file uid=0 mode=0644\netc type=dir\n    shadow mode=0600 gid=42\n..\n",
        &format!("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{ABC}  a\n{SIGNATURE}"),
    ] {
        folder.write("T", text);
        let ran = folder.run(&["hash", "-o", "T", "a"]);
        assert_eq!(ran.code, Some(2), "{text}: {}", ran.err);
        assert_eq!(folder.read("T"), text.as_bytes(), "{text}");
        assert!(ran.err.contains("--overwrite"), "{text}: {}", ran.err);
    }
}

#[test]
fn the_name_of_a_manifest_in_a_bag_takes_only_digests_that_it_names() {
    // regression: the manifest was written, and its check failed.
    let folder = Folder::with(&[("a", "abc")]);
    let ran = folder.run(&["hash", "-o", "manifest-md5.txt", "a"]);
    let said = "truesum: manifest-md5.txt: the name of a bag's manifest with md5 digests\n\
                hint: use -a md5, or another name\n";
    assert_eq!(shown(&ran), (String::new(), said, Some(2)));
    assert_eq!(folder.run(&["hash", "-a", "md5", "-o", "manifest-md5.txt", "a"]).code, Some(0));
    assert_eq!(folder.run(&["check", "manifest-md5.txt"]).code, Some(0));
}

#[test]
fn the_settings_in_use_are_not_replaced() {
    let folder = Folder::with(&[("a", "abc"), ("c", "algorithm = \"md5\"\n")]);
    let ran = folder.run(&["hash", "--config", "c", "--overwrite", "-o", "c", "a"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("it is an input of this run"), "{}", ran.err);
}

#[test]
fn a_name_that_ends_like_a_piece_is_written_so_that_it_is_read_as_a_name() {
    // regression: the check read it as the first bytes of `x`, and never read the file that was named.
    let folder = Folder::with(&[("x offset 0-2", "abc"), ("x", "abc")]);
    assert_eq!(folder.run(&["hash", "-o", "SHA256SUMS", "x offset 0-2"]).code, Some(0));
    assert_eq!(folder.read("SHA256SUMS"), format!("\\{ABC}  x offset 0-2\n").as_bytes());
    folder.write("x offset 0-2", "abd");
    let ran = folder.run(&["check", "SHA256SUMS"]);
    assert!(ran.out().starts_with("x offset 0-2: FAILED\n"), "{}", ran.out());
    assert_eq!(ran.code, Some(1), "{}", ran.err);
}
