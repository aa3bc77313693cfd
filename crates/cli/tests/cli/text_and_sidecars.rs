//! Digests of texts, manifests in each folder or next to each file, and CRC-32 values in names; one scenario per test.

use crate::program::{ABC, EMPTY, Folder, SIGNATURE, lines, result_of, wait_for_next_tick};
use std::os::unix::fs::symlink;

#[test]
fn text_arguments_are_hashed_verbatim() {
    let folder = Folder::with(&[("lines", "abc\n\nabc\r\nlast")]);
    let ran = folder.run(&["text", "abc", ""]);
    assert_eq!(result_of(&ran), (format!("{ABC}  -\n{EMPTY}  -\n"), "", Some(0)));
    let ran = folder.run(&["text", "-a", "md5", "--tag", "--", "-x"]);
    assert_eq!(
        ran.out(),
        format!("MD5 (-) = {}\n", "e1bce26b26afe1ec92f87ae1bd1bb6bf").replace(
            "e1bce26b26afe1ec92f87ae1bd1bb6bf",
            &folder.feed(&["hash", "-a", "md5", "-"], b"-x").out()[..32]
        )
    );
    let ran = folder.run(&["text", "--raw", "abc"]);
    assert_eq!(ran.out.len(), 32);
    let ran = folder.run(&["text", "--lines", "lines"]);
    let digest = |text: &[u8]| folder.feed(&["hash", "-"], text).out()[..64].to_owned();
    let out = format!(
        "{ABC}  lines:1\n{EMPTY}  lines:2\n{}  lines:3\n{}  lines:4\n",
        digest(b"abc\r"),
        digest(b"last")
    );
    let message = "truesum: note: lines: 1 line ends in CR LF; the CR is hashed as part of the line\n";
    assert_eq!(result_of(&ran), (out, message, Some(0)));
    let ran = folder.feed(&["text", "--lines", "-"], b"abc\n");
    assert_eq!(result_of(&ran), (format!("{ABC}  -:1\n"), "", Some(0)));
    // regression: the template was ignored, and the raw digests were written.
    let template = ["--format-string", "%{md5} %p %s\\n"];
    let ran = folder.run(&[&["text", "abc"], &template[..]].concat());
    assert_eq!(ran.out(), "900150983cd24fb0d6963f7d28e17f72 - 3\n");
    let ran = folder.feed(&[&["text", "--lines", "-"], &template[..]].concat(), b"abc\n");
    assert_eq!(ran.out(), "900150983cd24fb0d6963f7d28e17f72 -:1 3\n");
    // regression: a new document was begun for each text, and none was completed.
    let ran = folder.run(&["text", "abc", "", "-t", "csv"]);
    assert_eq!(ran.out(), format!("path,size,sha256\n\"-\",3,{ABC}\n\"-\",0,{EMPTY}\n"));
    let ran = folder.run(&["text", "abc", "", "-t", "json"]);
    let read: serde_json::Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!(read["files"][1]["digests"]["sha256"], EMPTY);
    let ran = folder.run(&["text", "--lines", "none"]);
    assert_eq!(
        result_of(&ran),
        (String::new(), "truesum: none: cannot open: No such file or directory\n", Some(1))
    );
    for words in [
        &["--lines", "lines", "a"][..],
        &["a", "-o", "M"],
        &["--raw", "a", "b"],
        &["-t", "torrent", "a"],
        &[],
    ] {
        assert_eq!(folder.run(&[&["text"], words].concat()).code, Some(2), "{words:?}");
    }
}

#[test]
fn per_directory_writes_a_manifest_in_each_folder() {
    let folder = Folder::with(&[
        ("d/a", "abc"),
        ("d/s/b", ""),
        ("d/s/t/c", "abc"),
        ("d/z", "abc"),
        ("d/none/sub/x", ""),
    ]);
    let ran = folder.run(&["hash", "--per-directory", "d"]);
    let message = "truesum: 4 manifests named SHA256SUMS written; 5 entries, 9 B\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(0)));
    assert_eq!(folder.read("d/SHA256SUMS"), format!("{ABC}  a\n{ABC}  z\n").as_bytes());
    assert_eq!(folder.read("d/s/SHA256SUMS"), format!("{EMPTY}  b\n").as_bytes());
    assert_eq!(folder.read("d/s/t/SHA256SUMS"), format!("{ABC}  c\n").as_bytes());
    assert!(!folder.path("d/none/SHA256SUMS").exists());
    let ran = folder.run(&["check", "-q", "-r", "d"]);
    assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
    // In the second run, the manifests are not hashed either.
    wait_for_next_tick();
    folder.write("d/z", "");
    let ran = folder.run(&["hash", "--per-directory", "d", "-v"]);
    assert!(ran.err.contains("5 entries, 6 B; 4 manifests of earlier runs not hashed\n"), "{}", ran.err);
    assert_eq!(folder.read("d/SHA256SUMS"), format!("{ABC}  a\n{EMPTY}  z\n").as_bytes());
    let ran = folder.run(&["hash", "--per-directory", "-q", "-a", "sha256,md5", "d/s/t"]);
    assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
    let text = String::from_utf8(folder.read("d/s/t/CHECKSUMS")).unwrap();
    assert_eq!(text.lines().count(), 2, "a manifest of another algorithm is no content either: {text}");
    folder.write("d/s/t/MD5SUMS", "a letter\n");
    let ran = folder.run(&["hash", "--per-directory", "-a", "sha512", "d/s/t"]);
    let message = "truesum: 1 manifest named SHA512SUMS written; 2 entries, 12 B; 2 manifests of earlier runs not hashed\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(0)), "what only has such a name is content");
    assert_eq!(folder.run(&["hash", "--per-directory", "d/a"]).code, Some(2));
    assert_eq!(folder.run(&["hash", "--per-directory"]).code, Some(2));
}

#[test]
fn per_directory_does_not_replace_other_files() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/SHA256SUMS", "a letter\n"), ("e/b", "abc")]);
    let ran = folder.run(&["hash", "--per-directory", "d", "e"]);
    let message = "truesum: d/SHA256SUMS: not replaced: the existing file is not a manifest, or not in the format that its name implies\n";
    assert!(ran.err.starts_with(message) && ran.code == Some(1), "{}", ran.err);
    assert_eq!(folder.read("d/SHA256SUMS"), b"a letter\n");
    assert!(folder.path("e/SHA256SUMS").exists());
    symlink("../d/a", folder.path("e/link.sha256")).unwrap();
    folder.write("e/link", "");
    let ran = folder.run(&["hash", "--sidecar", "e/link"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(folder.read("d/a"), b"abc");
}

#[test]
fn sidecar_writes_a_manifest_per_file_and_skips_sidecars() {
    let folder = Folder::with(&[("d/x.iso", "abc"), ("d/s/y", "")]);
    let ran = folder.run(&["hash", "--sidecar", "-a", "sha256,md5", "d"]);
    let message = "truesum: 4 manifests written; 4 entries, 3 B\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(0)));
    assert_eq!(folder.read("d/x.iso.sha256"), format!("{ABC}  x.iso\n").as_bytes());
    assert_eq!(folder.read("d/s/y.md5"), b"d41d8cd98f00b204e9800998ecf8427e  y\n");
    let ran = folder.run(&["hash", "--sidecar", "-a", "sha256,md5", "d"]);
    let message = "truesum: 4 manifests written; 4 entries, 3 B; 4 manifests of earlier runs not hashed\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(0)));
    let ran = folder.run(&["check", "-q", "--sidecars", "d"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // regression: signatures of manifests were hashed, but hash -o leaves them out.
    for per in ["--sidecar", "--per-directory"] {
        let folder = Folder::with(&[("d/x", "abc")]);
        for words in [&["-o", "d/SHA256SUMS", "d"][..], &["--sidecar", "d/x"], &["-o", "d/B3SUMS", "d/x"]] {
            assert_eq!(folder.run(&[&["hash", "-q"], words].concat()).code, Some(0), "{words:?}");
        }
        for name in ["d/SHA256SUMS.asc", "d/x.sha256.minisig", "d/B3SUMS.sig", "d/x.sig"] {
            folder.write(name, SIGNATURE);
        }
        folder.write("d/MD5SUMS.asc", "notes");
        let ran = folder.run(&["hash", per, "d"]);
        let said = "; 3 manifests of earlier runs not hashed; 3 signatures of manifests not hashed\n";
        assert!(ran.code == Some(0) && ran.err.ends_with(said), "{per}: {}", ran.err);
        assert!(ran.err.contains(" written; 3 entries, "), "{per}: {}", ran.err);
    }
    // A file with the name of a sidecar that is not a manifest is kept.
    folder.write("d/x.iso.sha256", "notes on x.iso\n");
    let ran = folder.run(&["hash", "--sidecar", "d/x.iso"]);
    let message = "truesum: d/x.iso.sha256: not replaced: the existing file is not a manifest, or not in the format that its name implies\n";
    assert!(ran.err.starts_with(message) && ran.code == Some(1), "{}", ran.err);
    assert_eq!(folder.read("d/x.iso.sha256"), b"notes on x.iso\n");
    let ran = folder.run(&["hash", "--sidecar", "-q", "-t", "sfv", "d/x.iso"]);
    assert_eq!((ran.code, folder.read("d/x.iso.sfv").ends_with(b"x.iso 352441C2\n")), (Some(0), true));
}

#[test]
fn embed_add_puts_the_crc32_in_the_name() {
    let folder = Folder::with(&[
        ("d/nine.txt", "123456789"),
        ("d/right [CBF43926]", "123456789"),
        ("d/[00000000]", "x"),
    ]);
    let ran = folder.run(&["embed", "add", "d"]);
    let message = "truesum: 1 file to be renamed; 1 already named correctly; 1 failed; 19 B read\n";
    let out = "d/[00000000]: FAILED\n  the name contains 00000000, but the CRC-32 of the file is 8CDC1683\n\
               d/nine.txt: would be renamed to nine [CBF43926].txt (use --yes to rename)\nd/right [CBF43926]: OK\n";
    assert_eq!(result_of(&ran), (out.to_owned(), message, Some(1)));
    std::fs::remove_file(folder.path("d/[00000000]")).unwrap();
    let ran = folder.run(&["embed", "add", "--yes", "d"]);
    let message = "truesum: 1 file renamed; 1 already named correctly; 18 B read\n";
    let out = "d/nine.txt: RENAMED to nine [CBF43926].txt\nd/right [CBF43926]: OK\n";
    assert_eq!(result_of(&ran), (out.to_owned(), message, Some(0)));
    assert_eq!(folder.run(&["embed", "check", "-q", "d"]).code, Some(0));
    // A file with the target name is not replaced.
    folder.write("d/nine.txt", "123456789");
    folder.write("d/nine [CBF43926].txt", "other");
    let ran = folder.run(&["embed", "add", "--yes", "d/nine.txt"]);
    let message = "truesum: d/nine.txt: cannot rename: a file with the new name already exists\ntruesum: 0 files renamed; 1 failed; 9 B read\n";
    assert_eq!(
        result_of(&ran),
        ("d/nine.txt: NOT RENAMED to nine [CBF43926].txt\n".to_owned(), message, Some(1))
    );
    assert_eq!(folder.read("d/nine [CBF43926].txt"), b"other");
    assert_eq!(folder.run(&["embed", "add"]).code, Some(2));
    assert_eq!(folder.run(&["hash", "--yes", "d"]).code, Some(2));
}

#[test]
fn embed_dry_run_reports_existing_target() {
    let folder = Folder::with(&[("a.mkv", "abc"), ("a [352441C2].mkv", "other")]);
    let ran = folder.run(&["embed", "add", "a.mkv"]);
    let out = "a.mkv: would NOT be renamed to a [352441C2].mkv: a file with the new name already exists\n";
    assert_eq!((ran.out().as_str(), ran.code), (out, Some(1)), "{}", ran.err);
}

#[test]
fn embed_dry_run_shows_exactly_the_renames_carried_out() {
    // regression: renames of links, and to names that are too long, were shown but then failed.
    let long = "x".repeat(250);
    let setup = || {
        let folder =
            Folder::with(&[("d/a.mkv", "abc"), ("d/e", "abc"), ("d/e [352441C2]", "abc"), ("f", "abc")]);
        folder.write(format!("d/{long}"), "abc");
        std::os::unix::fs::symlink("f", folder.path("link")).unwrap();
        folder
    };
    for words in [&["d"][..], &["link"], &["f", "link"], &["f", "./f"], &["-L", "d", "f"]] {
        let (shown, carried_out) = (setup(), setup());
        let before = shown.entries();
        let shown = (shown.run(&[&["embed", "add"], words].concat()), shown.entries());
        assert_eq!(shown.1, before, "{words:?}");
        let carried_out = carried_out.run(&[&["embed", "add", "--yes"], words].concat());
        assert_eq!(shown.0.code, carried_out.code, "{words:?}: {}{}", shown.0.err, carried_out.err);
        let renames = |text: String, word: &str| text.matches(word).count();
        for (would, does) in
            [(": would be renamed to", ": RENAMED to"), (": would NOT be renamed", ": NOT RENAMED")]
        {
            let (would, does) = (renames(shown.0.out(), would), renames(carried_out.out(), does));
            assert_eq!(would, does, "{words:?}: {}{}", shown.0.out(), carried_out.out());
        }
    }
}

#[test]
fn pipes_in_place_of_companion_files_never_block() {
    // regression: some of these commands opened the pipe and waited for its writer.
    let folder = Folder::with(&[("a", "abc"), ("d/p", "x"), ("d/M.sha256", &lines(&[(ABC, "b")]))]);
    for name in ["p", "a.ftr", "a.ftr.part", "x.torrent", "ascmhl/0001_x.mhl"] {
        std::fs::create_dir_all(folder.path("ascmhl")).unwrap();
        folder.pipe(name);
    }
    for words in [
        &["check", "d/M.sha256", "d/p"][..],
        &["tree", "--save", "a"],
        &["tree", "verify", "a"],
        &["tree", "prove", "--range", "0..1", "a"],
        &["tree", "repair", "--from", "a", "x.torrent", "a"],
        &["tree", "repair", "--from", "p", "a.ftr", "a"],
        &["hash", "-t", "ascmhl", "-o", "ascmhl/0001_x.mhl", "d"],
        &["hash", "-o", "p", "a"],
        &["shard", "merge", "-o", "out", "p", "p"],
        &["shard", "run", "p", "0", "-o", "part"],
    ] {
        let ran = folder.run(words);
        assert!(ran.code.is_some_and(|code| code > 0), "{words:?}: {ran:?}");
    }
}
