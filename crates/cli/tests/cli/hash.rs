//! `truesum hash`.

use crate::program::{ABC, EMPTY, Folder, OLD_MANIFEST, result_of};
use std::os::unix::fs::symlink;
use truesum_test_support::thorough_or;

#[test]
fn long_summary_tells_missing_from_unreadable_files() {
    // regression: a file that does not exist was UNREADABLE.
    let folder = Folder::with(&[("a", "abc")]);
    let ran = folder.run(&["hash", "--summary=long", "a", "none"]);
    assert!(ran.code == Some(1) && ran.err.contains("  MISSING"), "{}", ran.err);
    assert!(!ran.err.contains("UNREADABLE"), "{}", ran.err);
}

#[test]
fn files_and_folders_are_listed_in_path_order() {
    let folder = Folder::with(&[("b", "abc"), ("d/x", "abc"), ("d.txt", ""), ("d/.hidden", "")]);
    let expected = format!("{ABC}  ./b\n{EMPTY}  ./d.txt\n{EMPTY}  ./d/.hidden\n{ABC}  ./d/x\n");
    for words in [&["hash", "."][..], &["."], &["-r", "."], &["hash", "--recursive", "."], &["-j", "3", "."]]
    {
        let ran = folder.run(words);
        assert_eq!((ran.out(), ran.code, ran.err.as_str()), (expected.clone(), Some(0), ""), "{words:?}");
    }
    let ran = folder.run(&["d/x", "b"]);
    assert_eq!(ran.out(), format!("{ABC}  d/x\n{ABC}  b\n"), "arguments keep their order");
}

#[test]
fn every_format_option_gives_its_exact_output() {
    const BASE64: &str = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
    const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
    const B2: &str = "cf4ab791c62b8d2b2109c90275287816";
    let folder = Folder::with(&[("a", "abc")]);
    let upper = ABC.to_uppercase();
    for (words, expected) in [
        (&["--tag"][..], format!("SHA256 (a) = {ABC}\n")),
        (&["-z"], format!("{ABC}  a\0")),
        (&["--tag", "-z"], format!("SHA256 (a) = {ABC}\0")),
        (&["--base64"], format!("{BASE64}  a\n")),
        (&["--base64", "--tag"], format!("SHA256 (a) = {BASE64}\n")),
        (&["--uppercase"], format!("{upper}  a\n")),
        (&["--format", "bsd"], format!("SHA256 (a) = {ABC}\n")),
        (&["-a", "md5"], format!("{MD5}  a\n")),
        (&["-a", "sha256,md5,crc32"], format!("{ABC}  a\n{MD5}  a\n352441c2  a\n")),
        (&["-a", "md5", "-a", "sha256", "--tag"], format!("MD5 (a) = {MD5}\nSHA256 (a) = {ABC}\n")),
        (&["-a", "blake2b", "-l", "128", "--tag"], format!("BLAKE2b-128 (a) = {B2}\n")),
        (&["-a", "blake2b-128"], format!("{B2}  a\n")),
        (&["--color", "always"], format!("{ABC}  a\n")),
    ] {
        let ran = folder.run_on(&[&["hash"], words].concat(), b"a");
        assert_eq!((ran.out(), ran.code, ran.err.as_str()), (expected, Some(0), ""), "{words:?}");
    }
    let raw = folder.run(&["hash", "--raw", "a"]).out;
    assert_eq!(raw.iter().map(|byte| format!("{byte:02x}")).collect::<String>(), ABC);
}

#[test]
fn json_lines_have_size_mtime_and_digests() {
    let folder = Folder::with(&[("a", "abc")]);
    let ran = folder.run(&["--json", "-a", "sha256,md5", "a"]);
    let line: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!(line["path"], "a");
    assert_eq!(line["size"], 3);
    assert_eq!(line["digests"]["sha256"], ABC);
    assert!(line["mtime"].as_str().unwrap().ends_with('Z'), "{line}");
    assert_eq!(folder.feed(&["check", "-"], &ran.out).code, Some(0), "what it wrote it checks");
}

#[test]
fn json_manifests_are_deterministic() {
    let folder = Folder::with(&[("d/b", "b"), ("d/a/x", "x"), ("d/a.txt", "a")]);
    for (name, threads) in [("M1", "1"), ("M2", "2")] {
        assert_eq!(folder.run(&["hash", "--json", "--jobs", threads, "-o", name, "d"]).code, Some(0));
    }
    let printed = folder.run(&["hash", "--json", "d"]).out;
    assert_eq!(folder.read("M1"), printed, "durations and order of completion do not show");
    assert_eq!(folder.read("M2"), printed);
}

#[test]
fn stdin_is_hashed_if_no_file_is_given() {
    let folder = Folder::new();
    for words in [&[][..], &["hash"], &["-"], &["-a", "sha256"]] {
        let ran = folder.feed(words, b"abc");
        assert_eq!((ran.out(), ran.code), (format!("{ABC}  -\n"), Some(0)), "{words:?}");
    }
}

#[test]
fn manifest_has_relative_names_and_can_be_moved() {
    let folder = Folder::with(&[("tree/a", "abc"), ("tree/sub/b", "")]);
    for target in ["tree", "./tree/", "tree/sub/.."] {
        assert_eq!(folder.run(&["hash", "-o", "tree/M", target]).code, Some(0));
        let text = String::from_utf8(folder.read("tree/M")).unwrap();
        assert_eq!(text, format!("{ABC}  a\n{EMPTY}  sub/b\n"), "{target}");
    }
    std::fs::rename(folder.path("tree"), folder.path("moved")).unwrap();
    let ran = folder.run(&["check", "moved/M"]);
    assert_eq!((ran.out().as_str(), ran.code), ("a: OK\nsub/b: OK\n", Some(0)));
}

#[test]
fn root_sets_the_base_of_names() {
    let folder = Folder::with(&[("tree/a", "abc"), ("out/keep", "")]);
    assert_eq!(folder.run(&["hash", "--root", "tree", "-o", "out/M", "tree"]).code, Some(0));
    assert_eq!(folder.read("out/M"), format!("{ABC}  a\n").as_bytes());
    assert_eq!(folder.run(&["hash", "--root", "tree", "tree"]).out(), format!("{ABC}  a\n"));
    // regression: the manifest that was written failed its own check.
    let before = folder.read("out/M");
    let ran = folder.run(&["hash", "-o", "out/M", "tree"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("tree is outside") && ran.err.contains("--root DIR"), "{}", ran.err);
    assert_eq!(folder.read("out/M"), before);
    let ran = folder.run(&["hash", "--allow-outside", "-o", "out/M", "tree"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let absolute = folder.path("tree/a").canonicalize().unwrap();
    assert_eq!(folder.read("out/M"), format!("{ABC}  {}\n", absolute.display()).as_bytes());
}

#[test]
fn own_output_is_never_hashed() {
    let folder = Folder::with(&[("a", "abc"), ("M", OLD_MANIFEST)]);
    for _ in 0..2 {
        assert_eq!(folder.run(&["-o", "M", "."]).code, Some(0));
        assert_eq!(folder.read("M"), format!("{ABC}  a\n").as_bytes());
    }
    std::fs::remove_file(folder.path("M")).unwrap();
    let out = std::fs::File::create(folder.path("redirected")).unwrap();
    assert!(folder.command().arg(".").stdout(out).status().unwrap().success());
    assert_eq!(folder.read("redirected"), format!("{ABC}  ./a\n").as_bytes());
    folder.write("M", OLD_MANIFEST);
    let ran = folder.run(&["-o", "M", "M", "a"]);
    assert!(ran.err.contains("own output"), "a file named by the user is not passed over without a word");
}

#[test]
fn incomplete_manifest_is_not_written() {
    let folder = Folder::with(&[("a", "abc"), ("z", ""), ("d/x", "")]);
    symlink("nowhere", folder.path("d/broken")).unwrap();
    std::fs::create_dir(folder.path("empty")).unwrap();
    let before = folder.entries();
    for (words, code, why, hint) in [
        (&["a", "nope", "z"][..], 1, "1 file or folder would be missing from it", "--partial"),
        (&["--allow-empty", "nope"], 1, "1 file or folder would be missing from it", "--partial"),
        (&["-q", "nope", "empty"], 1, "1 file or folder would be missing from it", "--partial"),
        (&["--partial", "nope"], 1, "there are no files", "--allow-empty"),
        (&["empty"], 2, "there are no files", "--allow-empty"),
        (&["--exclude", "x", "d"], 2, "no file was selected (1 file excluded)", "--allow-empty"),
        (&["--files-from", "/dev/null"], 2, "there are no files", "--allow-empty"),
    ] {
        for (old, kept) in [(None, "not written"), (Some(OLD_MANIFEST), "not replaced")] {
            old.inspect(|old| folder.write("M", old));
            let ran = folder.run(&[&["hash", "-o", "M"], words].concat());
            assert_eq!(ran.code, Some(code), "{words:?} {}", ran.err);
            assert_eq!(ran.err.matches(&format!("truesum: M: {kept}: {why}\n")).count(), 1, "{}", ran.err);
            assert!(ran.err.contains(hint), "{}", ran.err);
            match old {
                Some(old) => assert_eq!(folder.read("M"), old.as_bytes(), "{words:?}"),
                None => assert_eq!(folder.entries(), before, "{words:?}"),
            }
        }
        std::fs::remove_file(folder.path("M")).unwrap();
    }
}

#[test]
fn partial_or_empty_manifest_is_written_on_request() {
    let folder = Folder::with(&[("a", "abc"), ("z", ""), ("M", OLD_MANIFEST)]);
    let ran = folder.run(&["hash", "-o", "M", "--partial", "a", "nope", "z"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("nope: cannot open: No such file or directory"), "{}", ran.err);
    assert!(ran.err.contains("1 file or folder is missing from M"), "{}", ran.err);
    assert_eq!(folder.read("M"), format!("{ABC}  a\n{EMPTY}  z\n").as_bytes());
    let ran = folder.run(&["hash", "-o", "M", "--allow-empty", "--files-from", "/dev/null"]);
    assert_eq!((ran.code, folder.read("M")), (Some(0), Vec::new()), "{}", ran.err);
    assert_eq!(
        folder.run(&["hash", "--partial", "a"]).code,
        Some(2),
        "without -o there is nothing to replace"
    );
}

#[test]
fn entry_the_format_cannot_store_counts_as_missing() {
    let folder = Folder::with(&[("a", "abc"), ("line\nend", "abc"), ("M", OLD_MANIFEST)]);
    let words = ["hash", "-a", "crc32", "--format", "sfv", "-o", "M", "a", "line\nend"];
    let ran = folder.run(&words);
    assert_eq!((ran.code, folder.read("M")), (Some(1), OLD_MANIFEST.as_bytes().to_vec()), "{}", ran.err);
    assert!(ran.err.contains("cannot be written"), "{}", ran.err);
    let ran = folder.run(&[&words[..], &["--partial"]].concat());
    assert_eq!(
        (ran.code, folder.read("M")),
        (Some(1), b"; Generated by truesum\n;\na 352441C2\n".to_vec()),
        "{}",
        ran.err
    );
}

#[test]
fn manifest_name_determines_its_format() {
    // regression: `hash -a crc32 -o x.sfv` wrote BSD lines.
    let folder = Folder::with(&[("a", "abc")]);
    for (words, name, text) in [
        (&["-a", "crc32"][..], "x.sfv", "a 352441C2\n"),
        (&[], "y.sfv", "a 352441C2\n"),
        (&["-a", "md5"], "x.md5", "900150983cd24fb0d6963f7d28e17f72  a\n"),
        (&["-a", "crc32", "-t", "bsd"], "z.sfv", "CRC32 (a) = 352441c2\n"),
    ] {
        let ran = folder.run(&[&["hash", "-o", name, "a"], words].concat());
        assert_eq!((ran.err.as_str(), ran.code), ("", Some(0)), "{name}");
        let written = String::from_utf8(folder.read(name)).unwrap();
        assert!(written.ends_with(text), "{name}: {written}");
        assert_eq!(folder.run(&["check", "-q", name]).code, Some(0), "{name}");
    }
    let ran = folder.run(&["hash", "-a", "sha256", "-o", "w.sfv", "a"]);
    let message = "truesum: sfv: sha256 cannot be stored in this format\nhint: the file name implies this format; to write another format, use -t bsd or -t jsonl\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(2)));
    assert!(!folder.path("w.sfv").exists());
}

#[test]
fn every_written_manifest_passes_check() {
    let folder = Folder::with(&[("a", "abc"), ("b", "")]);
    let listed = folder.run(&["list", "algorithms", "--json"]).out();
    let names = listed.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    for row in names {
        let algorithm = row["name"].as_str().unwrap();
        for name in &["M", "SHA256SUMS", "x.sfv", "x.md5"][..thorough_or(4, 1)] {
            let format = if *name == "x.sfv" { &["--tag"][..] } else { &[] };
            let made = folder.run(&[&["hash", "-a", algorithm, "-o", name, "a", "b"], format].concat());
            assert_eq!(made.code, Some(0), "{algorithm} {name}: {}", made.err);
            // A sampled digest verifies nothing unless its algorithm is requested.
            let requested = if row["status"] == "sampled" { &["-a", algorithm][..] } else { &[] };
            let ran = folder.run(&[&["check", name], requested].concat());
            assert_eq!(
                (ran.out().as_str(), ran.code),
                ("a: OK\nb: OK\n", Some(0)),
                "{algorithm} {name}: {}",
                ran.err
            );
        }
    }
    for (format, digests) in
        [("sfv", "crc32"), ("hashdeep", "md5,sha256"), ("jsonl", "blake3"), ("bsd", "blake3")]
    {
        for name in ["M", "SHA256SUMS", "x.sfv"] {
            let made = folder.run(&["hash", "-t", format, "-a", digests, "-o", name, "a", "b"]);
            assert_eq!(made.code, Some(0), "{format} {name}: {}", made.err);
            let ran = folder.run(&["check", name]);
            assert_eq!(
                (ran.out().as_str(), ran.code),
                ("a: OK\nb: OK\n", Some(0)),
                "{format} {name}: {}",
                ran.err
            );
        }
    }
}

#[test]
fn format_headings_are_written_once() {
    let folder = Folder::with(&[("a", "abc"), ("b", "abc")]);
    let text = folder.run(&["hash", "-t", "hashdeep", "-a", "md5,sha256", "a", "b"]).out();
    assert_eq!((text.matches("%%%% HASHDEEP-1.0").count(), text.lines().count()), (1, 4), "{text}");
    let text = folder.run(&["hash", "-t", "torrent", "a"]).out();
    assert!(text.starts_with("d4:infod6:lengthi3e4:name1:a12:piece lengthi16384e"), "{text}");
}

#[test]
fn names_are_read_from_lists() {
    let folder = Folder::with(&[("a", "abc"), ("new\nline", ""), ("d/x", "")]);
    let lines = format!("{EMPTY}  d/x\n{ABC}  a\n");
    assert_eq!(folder.feed(&["--files-from", "-"], b"d\n\na\n").out(), lines);
    folder.write("list", "d\na");
    assert_eq!(folder.run(&["hash", "--files-from", "list"]).out(), lines);
    let ran = folder.feed(&["--files0-from", "-"], b"new\nline\0a\0");
    assert_eq!(ran.out(), format!("\\{EMPTY}  new\\nline\n{ABC}  a\n"));
    assert_eq!(folder.run(&["--files-from", "nope"]).code, Some(2));
    assert_eq!(folder.run(&["--files-from", "d"]).code, Some(2), "a folder cannot be read as a list");
    let ran = folder.run(&["-o", "M", "--files-from", "d"]);
    assert_eq!(
        (ran.code, folder.path("M").exists()),
        (Some(2), false),
        "nor does a manifest stand for half a list"
    );
    assert_eq!(folder.feed(&["--files0-from", "-"], b"a\0\0").code, Some(1), "an empty name is no file");
}

#[test]
fn include_and_exclude_select_files() {
    let folder = Folder::with(&[("a.txt", ""), ("b.bin", ""), ("d/c.txt", ""), ("d/skip/e.txt", "")]);
    let names = |words: &[&str]| -> Vec<String> {
        let ran = folder.run(&[&["hash"], words, &["."]].concat());
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.err);
        ran.out().lines().map(|line| line[68..].to_owned()).collect()
    };
    assert_eq!(names(&["--include", "*.txt"]), ["a.txt", "d/c.txt", "d/skip/e.txt"]);
    assert_eq!(names(&["--exclude", "*.txt"]), ["b.bin"]);
    assert_eq!(names(&["--exclude", "skip"]), ["a.txt", "b.bin", "d/c.txt"]);
    assert_eq!(names(&["-x", "--include", "*.bin"]), ["b.bin"]);
    folder.write("d/.gitignore", "skip/\n");
    assert_eq!(names(&["--gitignore", "--include", "*.txt"]), ["a.txt", "d/c.txt"]);
    assert_eq!(folder.run(&["--include", "[", "."]).code, Some(2));
}

#[test]
fn links_and_special_files_are_reported_and_read_on_request() {
    let folder = Folder::with(&[("d/a", "abc"), ("outside", "")]);
    symlink("../outside", folder.path("d/link")).unwrap();
    symlink("nothing", folder.path("d/dangling")).unwrap();
    symlink("..", folder.path("d/loop")).unwrap();
    let fifo = folder.pipe("d/fifo");
    let ran = folder.run(&["d"]);
    assert_eq!((ran.out(), ran.code), (format!("{ABC}  d/a\n"), Some(0)));
    for note in ["d/dangling: broken symbolic link", "d/fifo: named pipe", "2 symbolic links"] {
        assert!(ran.err.contains(note), "{note}: {}", ran.err);
    }
    assert_eq!(folder.run(&["--quiet", "d"]).err, "");
    std::fs::remove_file(fifo).unwrap();
    let ran = folder.run(&["--follow", "d"]);
    assert!(ran.out().contains("  d/link\n"), "{}", ran.out());
    assert!(ran.err.contains("loop"), "a folder within itself ends the walk there: {}", ran.err);
    // regression: a broken link was left out of the manifest, and the run succeeded.
    std::fs::remove_file(folder.path("d/loop")).unwrap();
    let ran = folder.run(&["--follow", "-q", "-o", "M", "d"]);
    assert!(ran.err.contains("d/dangling: cannot follow: broken symbolic link"), "{}", ran.err);
    assert!(ran.code == Some(1) && !folder.path("M").exists(), "{}", ran.err);
    assert_eq!(folder.run(&["/dev/null"]).code, Some(1));
    assert_eq!(folder.run(&["--special", "/dev/null"]).out(), format!("{EMPTY}  /dev/null\n"));
}

#[test]
fn input_without_files_is_noted() {
    // regression: an empty list of names gave neither output nor a message.
    let folder = Folder::with(&[("list", "")]);
    std::fs::create_dir(folder.path("d")).unwrap();
    for words in [&["d"][..], &["--files-from", "list"]] {
        let ran = folder.run(words);
        assert_eq!(
            (ran.code, ran.err.as_str()),
            (Some(0), "truesum: note: there are no files\n"),
            "{words:?}"
        );
        assert_eq!(folder.run(&[&["-q"], words].concat()).err, "", "{words:?}");
    }
}

#[test]
fn unordered_output_has_the_same_lines() {
    let folder = Folder::new();
    for i in 0..200 {
        folder.write(format!("f{i:03}"), format!("{i}"));
    }
    let sorted = |words: &[&str]| {
        let mut lines: Vec<String> = folder.run(words).out().lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&["--unordered", "."]), sorted(&["."]));
}

#[test]
fn verbose_shows_how_much_was_read() {
    let folder = Folder::with(&[("a", "abc")]);
    let ran = folder.run(&["-v", "a"]);
    assert!(ran.err.contains("1 file, 3 B in "), "{}", ran.err);
}

#[test]
fn torrent_is_complete_deterministic_and_matches_mktorrent() {
    let long: String = (0..90_000).map(|at| char::from(b'a' + (at % 23) as u8)).collect();
    let folder = Folder::with(&[
        ("set/a", &long[..70_000]),
        ("set/empty", ""),
        ("set/sub/b c", "x"),
        ("set/z", &long),
    ]);
    let url = "http://example.org/announce";
    let words = ["torrent", "create", "--announce", url, "--piece-size", "32KiB", "-o", "x.torrent", "set"];
    let ran = folder.run(&words);
    assert_eq!((ran.out().as_str(), ran.code), ("", Some(0)), "{}", ran.err);
    let ours = folder.read("x.torrent");
    assert_eq!(folder.run(&words).code, Some(0));
    assert_eq!(folder.read("x.torrent"), ours, "the same files give the same bytes");
    let ran = folder.run(&["torrent", "check", "x.torrent"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out(), ran.err);
    // Names are relative to the parent of the shared folder, wherever the torrent is written.
    let elsewhere =
        ["torrent", "create", "--announce", url, "--piece-size", "32KiB", "-o", "set/../set/y.torrent"];
    let ran = folder.run(&[&elsewhere[..], &["--exclude", "*.torrent", "./set/"]].concat());
    assert_eq!((ran.code, folder.read("set/y.torrent") == ours), (Some(0), true), "{}", ran.err);
    std::fs::remove_file(folder.path("set/y.torrent")).unwrap();
    let ran = folder.run(&["torrent", "check", "-q", "--root", ".", "x.torrent"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out(), ran.err);
    let ran = folder.run(&["torrent", "check", "set/a"]);
    let message = "truesum: set/a: not a torrent\nhint: to check it as a manifest: truesum check set/a\n";
    assert_eq!((ran.code, ran.err.as_str()), (Some(2), message));
    let theirs = std::process::Command::new("mktorrent")
        .args(["-d", "-l", "15", "-a", url, "-o", "y.torrent", "set"])
        .current_dir(folder.root())
        .output();
    if theirs.is_err() {
        return truesum_test_support::oracle::missing("mktorrent");
    }
    // mktorrent writes its own name before the dictionary `info`.
    let info = |text: &[u8]| {
        let at = text.windows(6).position(|part| part == b"4:info").unwrap();
        text[at..].to_vec()
    };
    assert_eq!(info(&ours), info(&folder.read("y.torrent")));
}

#[test]
fn impossible_torrent_is_rejected_before_reading_or_writing() {
    let folder =
        Folder::with(&[("set/a", "abc"), ("set/b", "abc"), ("other", "abc"), ("x.torrent", "as it was")]);
    for (words, code, message) in [
        (&["set", "other"][..], 1, "other: cannot be included in this torrent"),
        (&["set/a", "other/none"], 1, "cannot open"),
        (&["set", "none"], 1, "not replaced"),
        (&["-a", "sha256", "set"], 2, "sha256 cannot be stored in this format"),
        (&["--partial", "set"], 2, "whose pieces span files"),
    ] {
        let ran = folder.run(&[&["hash", "-t", "torrent", "--overwrite", "-o", "x.torrent"], words].concat());
        assert_eq!(ran.code, Some(code), "{words:?}: {}", ran.err);
        assert!(ran.err.contains(message), "{words:?}: {}", ran.err);
        assert_eq!(folder.read("x.torrent"), b"as it was");
    }
    let ran =
        folder.run(&["torrent", "create", "--overwrite", "-o", "x.torrent", "--piece-size", "1000", "set"]);
    assert_eq!((ran.code, ran.err.contains("a power of two")), (Some(2), true), "{}", ran.err);
    assert_eq!(folder.read("x.torrent"), b"as it was");
    // regression: nothing was written, with exit status 0.
    std::fs::create_dir(folder.path("empty")).unwrap();
    for words in [&["hash", "-t", "torrent", "empty"][..], &["torrent", "create", "empty"]] {
        let ran = folder.run(words);
        assert_eq!((ran.out().as_str(), ran.code), ("", Some(2)), "{words:?}: {}", ran.err);
    }
    // regression: the hint was to run the command in another folder, but torrent create works.
    let ran = folder.run(&["hash", "-t", "torrent", "-o", "y.torrent", "."]);
    let hint = "hint: to create a torrent of the folder: truesum torrent create -o y.torrent .\n";
    assert!(ran.code == Some(1) && ran.err.contains(hint), "{}", ran.err);
    assert_eq!(folder.run(&["torrent", "create", "-o", "y.torrent", "."]).code, Some(0));
    // No part of the torrent is written to standard output if a file is missing.
    let ran = folder.run(&["hash", "-t", "torrent", "set", "none"]);
    assert_eq!((ran.out().as_str(), ran.code), ("", Some(1)));
}

#[test]
fn manifest_name_of_another_algorithm_is_noted() {
    let folder = Folder::with(&[("a", "abc")]);
    for (words, message) in [
        (
            &["-a", "sha256", "-o", "MD5SUMS", "a"][..],
            "note: MD5SUMS contains sha256 digests; to match its name, use -a md5\n",
        ),
        (
            &["-a", "sha256", "-o", "x.iso.sha1", "--tag", "a"],
            "note: x.iso.sha1 contains sha256 digests; to match its name, use -a sha1\n",
        ),
        (&["-o", "y.sfv", "-t", "sfv", "a"], ""),
        (&["-o", "z.sfv", "-t", "bsd", "a"], ""),
        (&["-o", "SHA256SUMS", "a"], ""),
        (&["-o", "SHA512SUMS", "-a", "md5,sha512", "a"], ""),
        (&["-o", "list.txt", "a"], ""),
        (&["-q", "-o", "v.sfv", "a"], ""),
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.err);
        assert!(
            if message.is_empty() { ran.err.is_empty() } else { ran.err.contains(message) },
            "{words:?}: {}",
            ran.err
        );
    }
}

#[test]
fn name_of_the_manifest_determines_the_algorithm() {
    // regression: `hash -o SHA512SUMS` wrote SHA-256 digests.
    let folder = Folder::with(&[("a", "abc")]);
    let md5 = "900150983cd24fb0d6963f7d28e17f72";
    for (words, text) in [
        (&["-o", "MD5SUMS"][..], format!("{md5}  a\n")),
        (&["-o", "a.md5", "--tag"], format!("MD5 (a) = {md5}\n")),
        // A file about tigers.
        (&["-o", "tiger.txt"], format!("SHA256 (a) = {ABC}\n")),
        (&["-o", "list.txt"], format!("{ABC}  a\n")),
        // It has several meanings; and this one reads only samples.
        (&["-o", "x.crc"], format!("SHA256 (a) = {ABC}\n")),
        (&["-o", "x.imohash"], format!("SHA256 (a) = {ABC}\n")),
    ] {
        let ran = folder.run(&[words, &["a"]].concat());
        assert_eq!((ran.code, folder.read(words[1])), (Some(0), text.into_bytes()), "{words:?}: {}", ran.err);
        assert_eq!(folder.run(&["check", words[1]]).code, Some(0), "{words:?}");
    }
    let ran = folder.run(&["-t", "hashdeep", "-o", "x.sha1", "a"]);
    assert!(ran.code == Some(0) && ran.err.contains("contains md5 digests"), "{}", ran.err);
}

#[test]
fn every_base32_manifest_passes_check() {
    let folder = Folder::with(&[("a", "abc")]);
    for format in [
        "gnu",
        "bsd",
        "csv",
        "json-map",
        "dfxml",
        "metalink4",
        "jsonl",
        "hashdeep",
        "rhash-simple",
        "openssl",
    ] {
        for algorithm in ["sha1", "sha256", "blake3", "tiger"] {
            let output = format!("{format}.{algorithm}");
            let made = folder.run(&["hash", "--base32", "-t", format, "-a", algorithm, "-o", &output, "a"]);
            if made.code == Some(0) {
                let ran = folder.run(&["check", "-q", &output]);
                assert_eq!(ran.code, Some(0), "{format} {algorithm}: {}", ran.err);
            } else {
                assert_eq!(made.code, Some(2), "{format} {algorithm}: {}", made.err);
            }
        }
    }
}

#[test]
fn manifest_mtime_precedes_reading_its_files() {
    // regression: the manifest was dated at the end of the run, so an edit during the run seemed older than the
    // manifest.
    let folder = Folder::with(&[
        ("d/a", "abc"),
        ("d/s/b", "abc"),
        ("old.md5", "900150983cd24fb0d6963f7d28e17f72  a\n"),
    ]);
    let fifo = std::process::Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap();
    assert!(fifo.success());
    let date = |name: &str| std::fs::metadata(folder.path(name)).unwrap().modified().unwrap();
    for (words, manifest) in [
        (&["hash", "-o", "M", "d", "--special", "pipe"][..], "M"),
        (&["hash", "--per-directory", "-a", "sha256", "d"], "d/SHA256SUMS"),
    ] {
        let before = std::time::SystemTime::now();
        let mut run = folder.command().args(words).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(100));
        let middle = std::time::SystemTime::now();
        if manifest == "M" {
            std::fs::write(folder.path("pipe"), "x").unwrap();
        }
        assert!(run.wait().unwrap().success());
        let tick = std::time::Duration::from_millis(20);
        assert!(date(manifest) > before - tick && date(manifest) < middle, "{manifest}");
    }
    assert_eq!(folder.run(&["convert", "old.md5", "-t", "bsd", "-o", "new.md5"]).code, Some(0));
    assert_eq!(date("new.md5"), date("old.md5"), "what it says is as old as before");
}
