//! Output files: none replaces a file in a manifest, and unwritable ones are detected before anything is read.

use crate::program::{ABC, EMPTY, Folder, SIGNATURE, lines, result_of, set_mtime, wait_for_next_tick};
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};
use truesum_fs::system::guarantees;

fn folder() -> Folder {
    Folder::with(&[("a", "abc"), ("M", &lines(&[(ABC, "a"), (EMPTY, "b")]))])
}

#[test]
fn dash_is_not_an_output_file() {
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
fn manifest_does_not_replace_data_files() {
    let folder = Folder::with(&[("d/a", "abc"), ("notes", "not a list\n"), ("empty", "")]);
    folder.write("p.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF\0");
    folder.write("x.sfv", b"\xff\xd8\xff\xe0\0\x10JFIF\0");
    // A line that starts like JSON.
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
        assert!(ran.code == Some(2) && ran.err.contains("so it is not replaced"), "{words:?}: {ran:?}");
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
fn text_that_resembles_entries_is_not_replaced() {
    // regression: the output of `git show-ref` and other lists of digests were treated as an older manifest.
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
                    && ran.err.contains("so it is not replaced\nhint: to replace it anyway, use --overwrite"),
                "{words:?}: {ran:?}"
            );
            assert_eq!(folder.read("refs"), text.as_bytes(), "{words:?}");
        }
    }
    // A manifest is recognized in its own folder, with --root, and after some of its files were removed.
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
    // If the files no longer exist, the new manifest has the same names as the earlier one.
    std::fs::remove_dir_all(folder.path("d")).unwrap();
    let ran = folder.run(&["shard", "merge", "plan", "-o", "merged"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(folder.run(&["hash", "-o", "list", "GOOD"]).code, Some(2));
    assert_eq!(folder.run(&["hash", "-o", "list", "--overwrite", "GOOD"]).code, Some(0));
}

#[test]
fn hashed_file_is_never_replaced_by_its_manifest() {
    let folder = Folder::with(&[("d/x", "precious\n"), ("d/y", "y"), ("a", "abc"), ("names", "d/x\na\n")]);
    let whole = folder.path("d/x");
    for words in [
        &["hash", "-o", "d/x", "d/x", "d/y"][..],
        &["hash", "-o", "./d/x", "d/x", "d/y"],
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
    // A manifest in the same folder is replaced.
    for _ in 0..2 {
        assert_eq!(folder.run(&["hash", "-o", "d/SUMS", "d"]).code, Some(0));
        assert_eq!(
            folder.run(&["hash", "--overwrite", "-o", "d/list", "--format-string", "%p\\n", "d"]).code,
            Some(0)
        );
    }
}

#[test]
fn template_output_that_check_cannot_read_is_noted() {
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
        let note = format!(
            "truesum: note: {name}: truesum check cannot read lines written with this template, so the file is not a manifest\n"
        );
        let said = if is_manifest { "" } else { &note };
        assert_eq!(result_of(&ran), (String::new(), said, Some(0)), "{template}");
        assert_eq!(folder.run(&["check", "-q", name]).code == Some(0), is_manifest, "{template}");
    }
    let ran = folder.run(&["hash", "--format-string", "%p\\n", "a"]);
    assert_eq!(
        result_of(&ran),
        ("a\n".to_owned(), "", Some(0)),
        "of what goes to standard output nothing is said"
    );
}

#[test]
fn report_does_not_replace_a_file_in_the_manifest() {
    let folder = folder();
    for (words, option) in [
        (&["check", "--html", "b", "M"][..], "--html"),
        (&["check", "--locate", "--map-html", "./b", "M"], "--map-html"),
        (&["check", "--state", "b", "M"], "--state"),
        (&["audit", "--html", "b", "M"], "--html"),
    ] {
        let ran = folder.run(words);
        let name = words[words.len() - 2];
        let said = format!("truesum: {option}: {name} is listed in M, so it is not replaced\n");
        assert_eq!(result_of(&ran), (String::new(), &said[..], Some(2)), "{words:?}");
        assert_eq!(folder.entries(), ["M", "a"]);
    }
    symlink(".", folder.path("here")).unwrap();
    assert_eq!(folder.run(&["check", "--html", "here/b", "M"]).code, Some(2));
    // The entries of manifests that are found by a search, or read from a pipe, are not known before the check.
    let manifest = folder.read("M");
    for ran in [folder.feed(&["check", "-q", "--html", "b", "-"], &manifest), {
        folder.write("d/SHA256SUMS", &manifest);
        folder.run(&["check", "-q", "--html", "d/b", "-r", "d"])
    }] {
        assert!(
            ran.err.contains("b, because the manifest lists a missing file with this name\n")
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
fn two_outputs_must_differ_and_not_be_stdout() {
    let folder = folder();
    let ran = folder.run(&["check", "--html", "x", "--state", "./x", "M"]);
    let said = "truesum: --html and --state: the same file was specified for both\n";
    assert_eq!(result_of(&ran), (String::new(), said, Some(2)));
    let ran = folder.run(&["audit", "--html", "-", "M"]);
    let said =
        "truesum: --html: cannot write to standard output\nhint: to write to a file named '-': --html ./-\n";
    assert_eq!(result_of(&ran), (String::new(), said, Some(2)));
    assert_eq!(folder.entries(), ["M", "a"]);
}

#[test]
fn unwritable_state_file_is_detected_before_reading() {
    let folder = folder();
    let ran = folder.run(&["check", "--state", "none/state", "M"]);
    let said =
        "truesum: none/state: cannot write: No such file or directory\ntruesum: 0 files verified; 0 B read\n";
    assert_eq!(result_of(&ran), (String::new(), said, Some(2)));
    symlink("elsewhere", folder.path("state")).unwrap();
    let ran = folder.run(&["check", "--state", "state", "M"]);
    let said = "truesum: state: cannot use: it is a symbolic link and would be replaced; specify the file itself\n\
                truesum: 0 files verified; 0 B read\n";
    assert_eq!(result_of(&ran), (String::new(), said, Some(2)));
    assert!(folder.path("state").is_symlink());
}

#[test]
fn manifest_does_not_replace_compressed_files() {
    let folder = Folder::with(&[("a", "abc")]);
    for bytes in [&b"\x1f\x8b\x08\0\0\0\0\0\0\x03 and more"[..], b"\x28\xb5\x2f\xfd\x04\x88", b"\xfd7zXZ\0"] {
        folder.write("backup.tar.gz", bytes);
        let ran = folder.run(&["hash", "-o", "backup.tar.gz", "a"]);
        assert_eq!((ran.code, &folder.read("backup.tar.gz")[..]), (Some(2), bytes), "{}", ran.err);
    }
}

#[test]
fn unrecognizable_output_replaces_only_an_earlier_one() {
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
            ran.code == Some(2) && ran.err.contains("so it is not replaced"),
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
fn converted_manifest_replaces_no_file_it_lists() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "")]);
    folder.write("d/M", lines(&[(ABC, "a"), (EMPTY, "b")]));
    symlink("a", folder.path("d/link")).unwrap();
    for output in ["d/a", "./d/../d/a", "d/link"] {
        let ran = folder.run(&["convert", "d/M", "-t", "bsd", "-o", output]);
        assert!(
            ran.code == Some(2) && ran.err.contains(": not replaced: it is listed in d/M"),
            "{}",
            ran.err
        );
        assert_eq!(folder.read("d/a"), b"abc");
    }
    // Under other names, of which some are in a folder that does not exist.
    folder.write("d/sub/other", "abc");
    std::fs::hard_link(folder.path("d/a"), folder.path("d/sub/hard")).unwrap();
    for name in ["link", "sub/hard", "sub/../a", "./sub/.././sub/hard"] {
        folder.write("d/L", lines(&[(ABC, "none/a"), (ABC, "none/b"), (ABC, "sub/other"), (ABC, name)]));
        let ran = folder.run(&["convert", "d/L", "-t", "bsd", "-o", "d/a"]);
        assert!(ran.code == Some(2) && ran.err.contains("it is listed in d/L"), "{name}: {}", ran.err);
    }
    for output in ["d/M", "d/N", "d/N"] {
        assert_eq!(folder.run(&["convert", "d/M", "-t", "bsd", "-o", output]).code, Some(0));
    }
}

#[test]
fn inputs_of_a_run_are_never_replaced() {
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
fn hard_link_to_the_output_is_reported() {
    // regression: it was left out of the manifest without a message.
    let folder = Folder::with(&[("d/a", "abc"), ("d/M", &lines(&[(ABC, "a")]))]);
    std::fs::hard_link(folder.path("d/M"), folder.path("d/link")).unwrap();
    let ran = folder.run(&["hash", "-o", "d/M", "d"]);
    let said = "truesum: note: link: hard link to this run's own output, not hashed\n";
    assert_eq!(result_of(&ran), (String::new(), said, Some(0)));
    let ran = folder.run(&["hash", "-q", "-o", "d/M", "d"]);
    assert_eq!((ran.err.as_str(), ran.code), ("", Some(0)));
    std::fs::hard_link(folder.path("d/M"), folder.path("d/other")).unwrap();
    let mut command = folder.command();
    command.args(["hash", "d"]);
    let output = std::fs::File::options().write(true).truncate(true).open(folder.path("d/M")).unwrap();
    let ran: crate::program::RunResult = command.stdout(output).output().unwrap().into();
    let said = "truesum: note: d/other: hard link to this run's own output, not hashed\n";
    assert_eq!((ran.err.as_str(), ran.code), (said, Some(0)));
}

#[test]
fn requested_summary_that_cannot_be_written_fails() {
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
fn quiet_suppresses_notes_in_every_hash_mode() {
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

#[test]
fn manifest_replaces_only_files_with_nothing_but_checksums() {
    // regression: a file was replaced if one of its lines looked like an entry.
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
        ("x.mtree", format!("#mtree\n./a type=file sha256digest={ABC}\n./l type=link link=a\n")),
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
            assert!(ran.code == Some(2) && ran.err.contains("so it is not replaced"), "{words:?}: {ran:?}");
            assert!(ran.err.ends_with("hint: to replace it anyway, use --overwrite\n"), "{words:?}: {ran:?}");
            assert_eq!(folder.read(name), text.as_bytes(), "{words:?}");
        }
        let ran = folder.run(&["hash", "--overwrite", "-o", name, "a"]);
        assert_eq!(ran.code, Some(0), "{name}: {}", ran.err);
    }
    // A sparse disk image.
    let folder = Folder::with(&[("a", "abc")]);
    std::fs::File::create(folder.path("disk")).unwrap().set_len(1 << 40).unwrap();
    let ran = folder.run(&["hash", "-o", "disk", "a"]);
    assert!(ran.code == Some(2) && ran.err.contains("is not a manifest, so it is not replaced"), "{ran:?}");
    // What truesum writes is replaced, in every format.
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "")]);
    for format in truesum::manifest::FORMATS.iter().filter(|format| {
        !matches!(format.writing(), truesum::manifest::Writing::No) && format.name() != "ascmhl"
    }) {
        let name = if format.name() == "bagit" { "manifest-sha256.txt" } else { format.name() };
        for _ in 0..2 {
            let ran = folder.run(&["hash", "-q", "-t", format.name(), "-o", name, "d"]);
            assert_eq!(result_of(&ran), (String::new(), "", Some(0)), "{}", format.name());
        }
    }
}

#[test]
fn lossy_conversion_does_not_replace_its_own_input() {
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
fn unwritable_output_gives_one_error_and_no_wrong_hint() {
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
    let ran: crate::program::RunResult = command.stdout(log).output().unwrap().into();
    let said = "truesum: /dev/stdout: cannot write: this run uses the file as standard output\n";
    assert_eq!(result_of(&ran), (String::new(), said, Some(2)));
    assert_eq!(folder.read("log"), b"x\n");
}

#[test]
fn very_deep_folder_gets_a_manifest_and_loses_no_file() {
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
    if !guarantees().writes_below_long_paths() {
        let ran = folder.run(&["hash", "-q", "--per-directory", "deep"]);
        assert!(ran.code == Some(1) && ran.err.ends_with("/SHA256SUMS: cannot write: File name too long\n"));
        let ran = folder.run(&["hash", "-q", "deep"]);
        assert_eq!((ran.out().lines().count(), ran.err.as_str(), ran.code), (2, "", Some(0)));
        return;
    }
    for _ in 0..2 {
        let ran = folder.run(&["hash", "-q", "--per-directory", "deep"]);
        assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
        let text = std::fs::read_to_string(here.join("SHA256SUMS")).unwrap();
        // regression: a file with the name of a manifest was treated as one, and left out.
        let names: Vec<&str> = text.lines().map(|line| &line[66..]).collect();
        assert_eq!(names, ["MD5SUMS", "f"]);
        let ran = folder.run(&["hash", "-q", "--sidecar", "deep"]);
        assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
        // regression: sidecars got sidecars.
        assert!(here.join("f.sha256").exists() && !here.join("f.sha256.sha256").exists());
    }
    std::fs::write(here.join("SHA256SUMS"), "no manifest\n").unwrap();
    let ran = folder.run(&["hash", "-q", "--per-directory", "deep"]);
    assert!(ran.code == Some(1) && ran.err.contains("SHA256SUMS: not replaced"), "{}", ran.err);
}

#[test]
fn failed_run_names_the_unfinished_tree() {
    let folder = Folder::with(&[("a", "abc")]);
    let limited = |words: &str| {
        let mut command = std::process::Command::new("bash");
        let program = env!("CARGO_BIN_EXE_truesum");
        let limit = format!("trap '' XFSZ; ulimit -f 4; exec {program} tree --save {words} big");
        let ran: crate::program::RunResult =
            command.args(["-c", &limit]).current_dir(folder.root()).output().unwrap().into();
        ran
    };
    folder.write("big", vec![7; 16 << 20]);
    let ran = limited("--granule 64KiB");
    let said = "truesum: note: the unfinished tree is in big.ftr.part: use --resume to continue it, or remove the file\n";
    assert!(ran.code == Some(2) && ran.err.ends_with(said), "{ran:?}");
    assert!(folder.path("big.ftr.part").exists());
    let ran = folder.run(&["tree", "--save", "--granule", "64KiB", "--resume", "big"]);
    assert_eq!((ran.code, folder.path("big.ftr.part").exists()), (Some(0), false), "{}", ran.err);
}

#[test]
fn overwrite_replaces_a_damaged_manifest_but_no_hashed_file() {
    // regression: a manifest with a damaged line could only be replaced after it was removed.
    let folder = Folder::with(&[("s/a", "precious"), ("s/b", "b"), ("s/M", "an old manifest\n")]);
    let ran = folder.run(&["hash", "-o", "s/M", "s"]);
    assert!(ran.code == Some(2) && ran.err.ends_with("use --overwrite\n"), "{ran:?}");
    let ran = folder.run(&["hash", "--overwrite", "-o", "s/M", "s"]);
    assert_eq!((ran.code, folder.run(&["check", "-q", "s/M"]).code), (Some(0), Some(0)), "{}", ran.err);
    // regression: a file that was to be hashed was replaced by the manifest, which did not contain it.
    std::os::unix::fs::symlink("s/a", folder.path("link")).unwrap();
    for output in ["s/a", "link"] {
        let ran = folder.run(&["hash", "--overwrite", "-o", output, "s/a", "s/b"]);
        assert_eq!((ran.code, folder.read("s/a")), (Some(2), b"precious".to_vec()), "{output}: {}", ran.err);
    }
}

#[test]
fn torrent_replaces_an_earlier_one_only_if_unmodified_files_match() {
    // regression: pieces were not compared, so a corrupt file was recorded as good.
    let long: String = (0..90_000).map(|at| char::from(b'a' + (at % 23) as u8)).collect();
    let past = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for protocol in ["v1", "v2", "hybrid"] {
        let folder = Folder::with(&[("set/a", "abc"), ("set/b", &long), ("set/c", "x")]);
        let names = ["set/a", "set/b", "set/c"];
        names.iter().for_each(|name| set_mtime(&folder, name, past));
        let create = ["torrent", "create", "--protocol", protocol, "-o", "x.torrent", "set"];
        assert_eq!(folder.run(&create).code, Some(0));
        assert_eq!(folder.run(&create).code, Some(0), "{protocol}: nothing changed");
        // Additional files shift the pieces, or become part of them.
        for name in ["set/aa", "set/z"] {
            folder.write(name, "new");
            let ran = folder.run(&create);
            assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{protocol} {name}");
            assert_eq!(folder.run(&["torrent", "check", "-q", "x.torrent"]).code, Some(0));
        }
        let torrent = folder.read("x.torrent");
        for new in [false, true] {
            folder.write("set/b", long.replacen("abc", "abd", 1));
            set_mtime(&folder, "set/b", past);
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
    // An edit of one file: files that share no piece with it are verified.
    let folder = Folder::with(&[("set/a", &long), ("set/b", &long[..65_536]), ("set/c", "x")]);
    ["set/a", "set/b", "set/c"].iter().for_each(|name| set_mtime(&folder, name, past));
    let create = ["torrent", "create", "--protocol", "v2", "-o", "x.torrent", "set"];
    assert_eq!(folder.run(&create).code, Some(0));
    wait_for_next_tick();
    folder.write("set/b", "edited");
    let ran = folder.run(&create);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn ordinary_text_that_resembles_entries_is_not_replaced() {
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
fn text_that_names_folders_or_devices_is_not_a_manifest() {
    // regression: a folder or a device counted as one of the files in a list, and the text was replaced.
    let folder = Folder::with(&[("src/x", "x"), ("a", "hi"), ("linux/x", "x")]);
    let git = format!("{} .\n", "0123456789".repeat(4));
    for text in [
        "linux 20240101\nfreebsd 20231212\n",
        "20240101 src\n20240116 src\n",
        "12345678\tsrc\n",
        "/dev/null 1A2B3C4D\n",
        &git,
        // Nothing in it is a digest, and its signature would be lost.
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
fn bag_manifest_name_requires_its_algorithm() {
    // regression: the manifest that was written failed its own check.
    let folder = Folder::with(&[("a", "abc")]);
    let ran = folder.run(&["hash", "-o", "manifest-md5.txt", "a"]);
    let said = "truesum: manifest-md5.txt: this is the name of a bag manifest with md5 digests\n\
                hint: use -a md5, or another name\n";
    assert_eq!(result_of(&ran), (String::new(), said, Some(2)));
    assert_eq!(folder.run(&["hash", "-a", "md5", "-o", "manifest-md5.txt", "a"]).code, Some(0));
    assert_eq!(folder.run(&["check", "manifest-md5.txt"]).code, Some(0));
}

#[test]
fn settings_file_in_use_is_not_replaced() {
    let folder = Folder::with(&[("a", "abc"), ("c", "algorithm = \"md5\"\n")]);
    let ran = folder.run(&["hash", "--config", "c", "--overwrite", "-o", "c", "a"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("it is an input of this run"), "{}", ran.err);
}

#[test]
fn name_that_resembles_a_range_is_escaped() {
    // regression: the check read the line as the first bytes of `x`, and never read the named file.
    let folder = Folder::with(&[("x offset 0-2", "abc"), ("x", "abc")]);
    assert_eq!(folder.run(&["hash", "-o", "SHA256SUMS", "x offset 0-2"]).code, Some(0));
    assert_eq!(folder.read("SHA256SUMS"), format!("\\{ABC}  x offset 0-2\n").as_bytes());
    folder.write("x offset 0-2", "abd");
    let ran = folder.run(&["check", "SHA256SUMS"]);
    assert!(ran.out().starts_with("x offset 0-2: FAILED\n"), "{}", ran.out());
    assert_eq!(ran.code, Some(1), "{}", ran.err);
}
