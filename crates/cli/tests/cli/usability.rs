//! Usability for someone who has only read `--help`: examples work as typed, and messages say what to do.

use crate::program::{ABC, EMPTY, Folder, RunResult, SIGNATURE, lines, result_of};
use std::os::unix::fs::symlink;
use std::process::Command;
use truesum_fs::system::guarantees;

/// Runs a shell command in a folder, with this program as `truesum`.
fn shell(folder: &Folder, line: &str) -> RunResult {
    let _ = symlink(env!("CARGO_BIN_EXE_truesum"), folder.path(".truesum"));
    let line = format!("truesum() {{ ./.truesum \"$@\"; }}\n{line}");
    let mut command = Command::new("sh");
    command.args(["-c", &line]).current_dir(folder.root()).env("TRUESUM_CONFIG", "");
    command.output().expect("a shell").into()
}

/// Returns the commands in the examples of a help text.
fn examples(help: &str) -> Vec<String> {
    let examples = help.split("Examples:\n").nth(1).expect("examples");
    let commands = examples.lines().take_while(|line| line.starts_with("  "));
    commands.map(|line| line.trim().split("  ").next().unwrap_or_default().to_owned()).collect()
}

/// Preparations for an example: a word that it contains, and the commands that create the file. Absolute paths become
/// names in the folder.
const PREPARATIONS: &[(&str, &str)] = &[
    (" photos.sha256", "truesum -o photos.sha256 photos"),
    ("photos/SHA256SUMS", "truesum -o photos/SHA256SUMS photos"),
    (
        "photos/2023.jsonl",
        "truesum hash --json -o photos/2023.jsonl photos/2023; truesum hash --json -o photos/2024.jsonl photos/2024",
    ),
    (" old.sha256", "truesum -o old.sha256 photos; truesum -o new.sha256 photos"),
    (" A B", "cp -r photos A; cp -r photos B"),
    ("backup", "mkdir backup; cp -r photos backup/photos"),
    (" SHA256SUMS", "truesum -o SHA256SUMS ."),
    (" copy ", "mkdir copy; cp -r photos disk.iso copy"),
    (" archive", "mkdir archive; cp -r photos archive; truesum -o archive/SHA256SUMS archive"),
    (" usr", "cp -r photos usr; truesum -o good.txt usr"),
    (" data", "cp -r photos data"),
];

#[test]
fn help_examples_work_as_typed() {
    for command in ["hash", "check", "audit", "update", "diff"] {
        let help = Folder::new().run(&[command, "--help"]).out();
        let examples = examples(&help);
        assert!(examples.len() > 3, "{command}: {examples:?}");
        for example in examples {
            let folder = Folder::with(&[("disk.iso", "abc"), ("photos/2023/a", "1"), ("photos/2024/b", "2")]);
            let here = example.replace(" /mnt/", " ").replace(" /", " ").replace("ba7816bf...", ABC);
            for (word, before) in PREPARATIONS.iter().filter(|(word, _)| format!("{here} ").contains(word)) {
                let ran = shell(&folder, before);
                assert_eq!(ran.code, Some(0), "{example}: {word}: {}", ran.err);
            }
            let ran = shell(&folder, &here);
            assert_eq!(ran.code, Some(0), "{example}: {}{}", ran.out(), ran.err);
            assert!(!ran.err.contains("NOT"), "{example}: {}", ran.err);
        }
    }
}

#[test]
fn wrong_base_folder_gets_a_hint() {
    let folder = Folder::with(&[("photos/a", "abc"), ("photos/s/b", "")]);
    folder.run(&["-o", "photos.sha256", "photos"]);
    for command in ["audit", "diff", "update"] {
        let ran = folder.run(&[command, "photos.sha256", "photos"]);
        assert_eq!(ran.code, Some(0), "{command}: {}", ran.err);
        let ran = folder.run(&[command, "--root", "photos", "photos.sha256", "photos"]);
        let hint = "the names in the manifest begin with photos/: specify the folder that contains photos/";
        assert_eq!((ran.code, ran.err.contains(hint)), (Some(1), true), "{command}: {}", ran.err);
    }
    let ran = folder.run(&["check", "--root", "photos", "photos.sha256"]);
    assert!(
        ran.err.contains(
            "in the current folder; to check the files there: truesum check --root . photos.sha256\n"
        ),
        "{}",
        ran.err
    );
    folder.write("x/photos/M", folder.read("photos.sha256"));
    folder.write("x/photos/a", "abc");
    let ran = folder.run(&["check", "x/photos/M"]);
    assert!(ran.err.contains("at least one missing file is in the current folder"), "{}", ran.err);
    std::fs::rename(folder.path("photos"), folder.path("elsewhere")).unwrap();
    let ran = folder.run(&["check", "x/photos/M"]);
    assert!(
        ran.err
            .contains("at least one missing file is in the parent folder; to check the files there: truesum check --root x/photos/.. x/photos/M\n"),
        "{}",
        ran.err
    );
}

#[test]
fn update_without_a_folder_adds_only_below_listed_folders() {
    let folder = Folder::with(&[("photos/a", "abc"), ("film", "f")]);
    folder.run(&["-o", "photos.sha256", "photos"]);
    folder.write("photos/b", "");
    folder.write("photos.sha256.asc", SIGNATURE);
    let ran = folder.run(&["update", "photos.sha256"]);
    let said = "truesum: 1 file in the old manifest; 1 ok, 1 added; 67 B read; photos.sha256 written; up to date\n\
                truesum: note: the signature of photos.sha256 was not added to the manifest\n\
                truesum: note: 1 file was not added, because it is outside the folder that contains all files in the manifest; to add it: truesum update photos.sha256 .\n\
                truesum: note: photos.sha256.asc is a signature of the old manifest: sign the new one\n";
    assert_eq!(result_of(&ran), ("added\tphotos/b\n".to_owned(), said, Some(0)));
    std::fs::rename(folder.path("photos/a"), folder.path("a")).unwrap();
    let ran = folder.run(&["update", "-n", "--rename", "photos.sha256"]);
    assert!(ran.out().starts_with("renamed\ta\tphotos/a\n"), "what moved out is found: {}", ran.out());
    let ran = folder.run(&["update", "photos.sha256", "."]);
    assert_eq!(ran.out(), "added\ta\tphotos/a\nadded\tfilm\nmissing\tphotos/a\n");
}

#[test]
fn signatures_are_skipped_with_a_note_on_verifying_them() {
    let pgp = "-----BEGIN PGP SIGNATURE-----\n\nabcd\n-----END PGP SIGNATURE-----\n";
    let folder =
        Folder::with(&[("d/SHA256SUMS", &lines(&[(ABC, "a")])), ("d/a", "abc"), ("d/SHA256SUMS.asc", pgp)]);
    folder.write("d/gone.sha256.sig", b"\x88\x02\x04\0");
    let ran = folder.run(&["check", "-r", "d"]);
    for name in ["SHA256SUMS.asc", "gone.sha256.sig"] {
        let note =
            format!("truesum: note: d/{name}: signature file, not verified (see truesum help signatures)\n");
        assert!(ran.err.contains(&note) && ran.code == Some(0), "{}", ran.err);
    }
    assert!(!folder.run(&["check", "-q", "-r", "d"]).err.contains("signature"));
    let clear = format!("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{ABC}  a\n{pgp}");
    folder.write("e/SHA256SUMS.asc", clear);
    folder.write("e/a", "abc");
    assert_eq!(folder.run(&["check", "-r", "e"]).out(), "e/a: OK\n", "what is signed in itself is a list");
    let ran = folder.run(&["check", "d/SHA256SUMS"]);
    let hint = "hint: d/SHA256SUMS has a detached signature that was not verified; to verify it: gpg --verify d/SHA256SUMS.asc d/SHA256SUMS\n";
    assert!(ran.err.contains(hint) && ran.code == Some(0), "{}", ran.err);
    assert!(!folder.run(&["check", "-q", "d/SHA256SUMS"]).err.contains("signature"));
    assert_eq!(folder.run(&["check", "d/SHA256SUMS.asc"]).code, Some(2), "what is named is not passed over");
    let ran = folder.run(&["help", "signatures"]);
    assert!(ran.out().contains("truesum check --pubkey KEY.pub") && ran.code == Some(0));
}

#[test]
fn file_with_more_than_a_signature_is_not_skipped() {
    let pgp = "-----BEGIN PGP SIGNATURE-----\n\nabcd\n-----END PGP SIGNATURE-----\n";
    let wrong = lines(&[(EMPTY, "a")]);
    let folder = Folder::with(&[("a", "abc")]);
    for (name, text) in [
        ("x.sha256.asc", format!("{pgp}{wrong}").into_bytes()),
        ("x.sha256.sig", [b"\x88\x02\x04\0", wrong.as_bytes()].concat()),
        // A message that contains the manifest, compressed.
        ("x.sha256.gpg", b"\xa3\x01\x9b\xc0\0\x7f\0".to_vec()),
        ("x.sha256.gpg", b"\x01\x02\x03\0".to_vec()),
    ] {
        folder.write(name, &text);
        let ran = folder.run(&["check", "-r", "."]);
        assert!(ran.code.is_some_and(|code| code > 0) && ran.err.contains(name), "{name}: {ran:?}");
        std::fs::remove_file(folder.path(name)).unwrap();
    }
}

#[test]
fn prune_keeps_digests_of_files_moved_out_of_the_folder() {
    let list = lines(&[(ABC, "d/a"), (EMPTY, "d/b")]);
    let folder = Folder::with(&[("M", &list), ("a", "abc"), ("d/b", "")]);
    let ran = folder.run(&["update", "--prune", "M"]);
    assert_eq!(folder.read("M"), list.as_bytes(), "{ran:?}");
    assert!(ran.out().contains("moved") && ran.err.contains("--rename"), "{ran:?}");
    let ran = folder.run(&["update", "--prune", "--rename", "M"]);
    assert_eq!((folder.read("M"), ran.code), (lines(&[(ABC, "a"), (EMPTY, "d/b")]).into_bytes(), Some(0)));
    // If all files moved, the message does not blame a disk that is not mounted.
    let folder = Folder::with(&[("M", &lines(&[(ABC, "d/a")])), ("a", "abc")]);
    std::fs::create_dir(folder.path("d")).unwrap();
    let ran = folder.run(&["update", "--prune", "M"]);
    assert_eq!(folder.read("M"), lines(&[(ABC, "d/a")]).as_bytes());
    assert!(!ran.err.contains("holds no file"), "{ran:?}");
}

#[test]
fn partial_check_is_noted_even_with_quiet() {
    let folder = Folder::with(&[("a", "abc"), ("b", ""), ("M", &lines(&[(ABC, "a"), (EMPTY, "b")]))]);
    let ran = folder.run(&["check", "-q", "--only", "a", "M"]);
    assert_eq!(result_of(&ran), (String::new(), "truesum: note: selected: 1 of 2 entries\n", Some(0)));
    let ran = folder.run(&["check", "-q", "--sample", "1%", "--sample-seed", "1", "M"]);
    assert!(
        ran.err.starts_with("truesum: note: selected: 1 of 2 entries (sample of 1 %, seed 1)"),
        "{}",
        ran.err
    );
    let ran = folder.run(&["check", "--status", "--only", "a", "M"]);
    assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
    assert_eq!(result_of(&folder.run(&["check", "-q", "M"])), (String::new(), "", Some(0)));
}

#[test]
fn digests_are_accepted_in_common_spellings() {
    let folder = Folder::with(&[("a", "abc")]);
    let bytes: Vec<&str> = (0..32).map(|at| &ABC[2 * at..2 * at + 2]).collect();
    let [colons, hyphens] = [":", "-"].map(|between| bytes.join(between).to_uppercase());
    for text in [
        format!("0x{ABC}"),
        format!("sha256=0X{ABC}"),
        format!("SHA-256 = {ABC}"),
        format!("\"{ABC}\""),
        format!("'sha256:{ABC}'"),
        format!("SHA256:{colons}"),
        colons,
        hyphens,
    ] {
        let ran = folder.run(&["--expect", &text, "a"]);
        assert_eq!((ran.out().as_str(), ran.code), ("a: OK\n", Some(0)), "{text}: {}", ran.err);
    }
    for text in [format!("md5={ABC}"), format!("0x{}", &ABC[1..]), format!("0x{ABC}x"), format!("\"{ABC}")] {
        assert_eq!(folder.run(&["check", "--expect", &text, "a"]).code, Some(2), "{text}");
    }
    let ran = folder.run(&["hash", "--expect", ABC, "a"]);
    let hint = format!("hint: truesum check {ABC} a\n");
    assert!(ran.err.ends_with(&hint) && ran.code == Some(2), "{}", ran.err);
}

#[test]
fn messages_do_not_mislead() {
    let drive = format!("{ABC}  C:\\x\\a\n");
    let key = "0123456789abcdef";
    let noise: Vec<u8> = (1..2000u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8 | 1).collect();
    let folder = Folder::with(&[("a", "abc"), ("M", &drive), ("key", key)]);
    folder.write("noise", noise);
    let ran = folder.run(&["check", "M"]);
    assert!(
        ran.err.contains("hint: to find the files by size and digest: truesum check --search --moved=ok "),
        "{}",
        ran.err
    );
    assert_eq!(folder.run(&["check", "--search", "--moved=ok", "M"]).code, Some(0), "as the hint says");
    // Absolute names of another machine, names in another encoding, and names in other folders.
    folder.write("\u{fc}.txt", "abd");
    for (name, content) in [
        ("/nowhere/x/a", "abc"),
        ("../x/a", "abc"),
        ("dist/a", "abc"),
        ("dist\\a", "abc"),
        ("\u{e4}.txt", "abd"),
    ] {
        let digest =
            folder.run(&["hash", if content == "abc" { "a" } else { "\u{fc}.txt" }]).out()[..64].to_owned();
        folder.write("P", format!("{digest}  {name}\n"));
        let ran = folder.run(&["check", "P"]);
        let hint = "hint: to find the files by size and digest: truesum check --search --moved=ok P";
        assert!(ran.err.contains(hint) && ran.code == Some(1), "{name}: {}", ran.err);
        assert_eq!(folder.run(&["check", "--search", "--moved=ok", "P"]).code, Some(0), "{name}");
        folder.write("P", format!("{}  {name}\n", "0".repeat(64)));
        assert_eq!(folder.run(&["check", "--search", "--moved=ok", "P"]).code, Some(1), "{name}");
    }
    // Most programs mean ZIP's CRC-32 by `crc` in hexadecimal.
    assert_eq!(folder.run(&["check", "--expect", "crc:352441c2", "a"]).code, Some(0));
    assert_eq!(folder.run(&["check", "--expect", "cksum:48aa78a2", "a"]).code, Some(0));
    assert_eq!(
        result_of(&folder.run(&["hash", "-t", "bsd", "-o", "o.bsd", "a"])),
        (String::new(), "", Some(0))
    );
    for command in ["check", "audit"] {
        let ran = folder.run(&[command, "noise"]);
        assert!(ran.err.contains("noise: not a manifest (binary data)"), "{}", ran.err);
    }
    folder.run(&["hash", "--key-file", "key", "-a", "hmac-sha256", "-o", "K", "a"]);
    for words in [&["check", "K"][..], &["audit", "K", "."], &["diff", "K", "."]] {
        let ran = folder.run(words);
        assert!(
            ran.err.contains("hint: specify the key with --key-file")
                && !ran.err.contains("truesum list formats"),
            "{}",
            ran.err
        );
        assert_eq!(ran.code, Some(2), "{}", ran.err);
    }
    // A truncated manifest is still recognized as one.
    folder.write("cut.json", format!("{{\"files\":[{{\"path\":\"a\",\"sha256\":\"{ABC}\"}}"));
    let ran = folder.run(&["check", "cut.json"]);
    assert!(ran.err.contains("nothing verified") && !ran.err.contains("truesum list formats"), "{}", ran.err);
    // For a file that is not a manifest, one message is enough.
    folder.write("words", "no line of these is one\n".repeat(1000));
    let ran = folder.run(&["convert", "-t", "jsonl", "words"]);
    let said = "truesum: words: line 1: not a checksum line\n\
                truesum: words: not converted: it has 1000 malformed lines and no entries\n\
                hint: if it is a manifest, specify its format: --from FORMAT\n";
    assert_eq!(result_of(&ran), (String::new(), said, Some(2)));
    let ran = folder.run(&["check", "--pubkey", "nothing", "M"]);
    assert!(ran.err.contains("hint: specify a key file, or the 56 characters of the key"), "{}", ran.err);
}

#[test]
fn links_that_lead_outside_are_noted_when_hashed() {
    let folder = Folder::with(&[("d/a", "abc"), ("out", "")]);
    symlink("../out", folder.path("d/link")).unwrap();
    let ran = folder.run(&["hash", "-L", "-o", "d/M", "d"]);
    let note = "truesum: note: 1 name leads outside the folder through symbolic links; truesum check rejects such names without --allow-outside\n";
    assert_eq!(result_of(&ran), (String::new(), note, Some(0)));
    assert_eq!(folder.run(&["check", "d/M"]).code, Some(1));
    assert_eq!(folder.run(&["check", "--allow-outside", "d/M"]).code, Some(0));
    let note = if guarantees().follows_links_inside() { "" } else { note };
    assert_eq!(result_of(&folder.run(&["hash", "-L", "-o", "M", "d"])), (String::new(), note, Some(0)));
}

#[test]
fn names_of_other_programs_are_rejected_with_a_hint() {
    let folder = Folder::with(&[("a", "abc")]);
    for (name, how) in
        [("xxh64sum", "-a xxh64"), ("shasum", "-a NAME"), ("sha3sum", "-a NAME"), ("md4sum", "-a md4")]
    {
        symlink(env!("CARGO_BIN_EXE_truesum"), folder.path(name)).unwrap();
        let ran: RunResult = Command::new(folder.path(name)).arg(folder.path("a")).output().unwrap().into();
        assert_eq!((ran.out().as_str(), ran.code), ("", Some(1)));
        assert!(
            ran.err.contains(&format!("{name}: truesum is not a drop-in replacement for this program")),
            "{}",
            ran.err
        );
        assert!(
            ran.err.contains(&format!("hint: to compute digests: truesum hash {how} FILE...")),
            "{}",
            ran.err
        );
    }
}

#[test]
fn list_formats_shows_one_format_in_full() {
    let folder = Folder::new();
    let ran = folder.run(&["list", "formats", "GNU"]);
    assert!(
        ran.out().starts_with("name           gnu\n") && ran.out().contains("truesum hash -t gnu"),
        "{}",
        ran.out()
    );
    assert_eq!(folder.run(&["list", "formats", "--json", "sfv"]).out().lines().count(), 1);
    assert_eq!(folder.run(&["list", "formats", "nothing"]).code, Some(2));
    assert!(folder.run(&["help", "format"]).out().starts_with("A manifest is"));
}

#[test]
fn json_of_comparisons_counts_entries_without_tamper_protection() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "")]);
    folder.run(&["hash", "-a", "md5", "-o", "M", "d/a"]);
    for command in ["audit", "diff", "update"] {
        let words = if command == "update" {
            vec![command, "-n", "--json", "M"]
        } else {
            vec![command, "--json", "M", "."]
        };
        let ran = folder.run(&words);
        let last = ran.out().lines().last().unwrap_or_default().to_owned();
        assert!(last.contains("\"not_tamper_evident\":1,"), "{command}: {last}");
    }
}

#[test]
fn binary_data_is_not_a_json_lines_manifest() {
    let folder = Folder::new();
    // regression: every line of a disk image that contains a line starting with a brace was reported as malformed.
    folder.write("disk.iso", b"\x7f\x01\xfe data\n{abc\0def\xff\nmore\n".repeat(1000));
    let ran = folder.run(&["check", "disk.iso", "whatever"]);
    assert!(ran.code == Some(2) && !ran.err.contains("JSON"), "{}", ran.err);
    // A damaged manifest is still recognized as one.
    let mut text = folder.run(&["hash", "--json", "disk.iso"]).out();
    text.push_str("{\"schema\": \0}\n");
    folder.write("M", text);
    let ran = folder.run(&["check", "M"]);
    assert!(ran.out() == "disk.iso: OK\n" && ran.err.contains("M: line 2: "), "{ran:?}");
}

#[test]
fn pasted_digests_are_accepted_everywhere() {
    let folder = Folder::with(&[("f", "abc")]);
    let etag = folder.run(&["-a", "s3-etag;part=5MiB", "f"]).out();
    let mut forms: Vec<String> = vec![
        format!("SHA256 (f) = {ABC}"),
        format!("{ABC}  f"),
        format!("{ABC} *f"),
        format!("{ABC},"),
        format!("<{ABC}>"),
        format!("\"sha256:{ABC}\";"),
        format!("{} {}", &ABC[..32], &ABC[32..]),
    ];
    if let Some(etag) = etag.split(' ').next().filter(|etag| etag.contains('-')) {
        forms.push(etag.to_owned());
        assert_eq!(folder.run(&["check", "-a", "s3-etag", "f", etag]).code, Some(0));
    }
    for form in &forms {
        for words in [&["check", "f", form][..], &["check", "--expect", form, "f"], &["identify", form, "f"]]
        {
            let ran = folder.run(words);
            assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.err);
        }
    }
    for words in [
        &["check", "f", "sum_HEX"][..],
        &["check", "--expect", "sum_HEX", "f"],
        &["identify", "sum_HEX", "f"],
    ] {
        let words: Vec<String> = words.iter().map(|word| word.replace("HEX", ABC)).collect();
        let ran = folder.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let hint = format!("truesum {} ", if words[0] == "identify" { "identify" } else { "check" });
        assert!(
            ran.code == Some(2) && ran.err.contains(&hint) && ran.err.contains(&format!(" {ABC}")),
            "{}",
            ran.err
        );
    }
}

#[test]
fn recursive_check_hint_works() {
    let folder = Folder::with(&[("g/a", "abc")]);
    let sums = folder.run(&["hash", "g"]).out();
    folder.write("g/SHA256SUMS", sums);
    let ran = folder.run(&["check", "-r", "g"]);
    // regression: the hint was `--root .`, which --recursive excludes.
    let hint = "hint: at least one missing file is in the current folder; to check the files there: truesum check --root . g/SHA256SUMS\n";
    assert!(ran.err.contains(hint), "{}", ran.err);
    assert_eq!(folder.run(&["check", "--root", ".", "g/SHA256SUMS"]).code, Some(0));
}

#[test]
fn format_names_ignore_case_and_get_suggestions() {
    let folder = Folder::with(&[("a", "abc")]);
    assert_eq!(folder.run(&["-t", "BSD", "a"]).out(), format!("SHA256 (a) = {ABC}\n"));
    for (name, expected) in [
        ("jsonlines", "'jsonl'"),
        ("metalink", "'metalink"),
        ("xml", "'dfxml' or 'metalink4'"),
        ("md5sum", "'gnu'"),
        ("coreutils", "'gnu'"),
        ("hashdep", "'hashdeep'"),
    ] {
        let ran = folder.run(&["-t", name, "a"]);
        let expected = format!("unknown format (did you mean {expected}");
        assert!(ran.code == Some(2) && ran.err.contains(&expected), "{name}: {}", ran.err);
        assert!(ran.err.matches('\'').count() <= 8, "{}", ran.err);
    }
}

#[test]
fn update_renames_only_to_an_unambiguous_file() {
    let folder = Folder::with(&[("u/f1", "abc"), ("u/g", "g"), ("other/f1copy", "abc")]);
    let sums = folder.run(&["hash", "u"]).out();
    folder.write("SHA256SUMS", &sums);
    std::fs::rename(folder.path("u/f1"), folder.path("u/f2")).unwrap();
    // regression: the entry was renamed to other/f1copy, which comes first by name.
    let ran = folder.run(&["update", "--rename", "SHA256SUMS"]);
    assert!(ran.out().starts_with("renamed\tu/f2\tu/f1\n"), "{ran:?}");
    folder.write("SHA256SUMS", &sums);
    std::fs::rename(folder.path("u/f2"), folder.path("u/f3")).unwrap();
    folder.write("u/f4", "abc");
    let ran = folder.run(&["update", "--rename", "SHA256SUMS"]);
    assert!(!ran.out().contains("renamed") && ran.out().contains("missing\tu/f1"), "{ran:?}");
    assert!(ran.err.contains("the name of 1 missing file was not updated: several files"), "{}", ran.err);
    // A file that existed before the manifest was written does not replace a deleted one.
    std::fs::remove_file(folder.path("u/f3")).unwrap();
    std::fs::remove_file(folder.path("u/f4")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(50));
    folder.write("SHA256SUMS", &sums);
    let ran = folder.run(&["update", "--rename", "--prune", "SHA256SUMS"]);
    assert!(ran.out().contains("removed\tu/f1") && !ran.out().contains("other"), "{ran:?}");
}

#[test]
fn torrent_replaces_no_manifest_and_convert_notes_dropped_entries() {
    let folder = Folder::with(&[("a", "abc"), ("b", "b"), ("c", "c")]);
    folder.run(&["-o", "SHA256SUMS", "a", "b", "c"]);
    let before = folder.read("SHA256SUMS");
    let ran = folder.run(&["torrent", "create", "-o", "SHA256SUMS", "a"]);
    assert!(ran.code == Some(2) && ran.err.contains("--overwrite"), "{}", ran.err);
    assert_eq!(folder.read("SHA256SUMS"), before);
    folder.run(&["-o", "one.jsonl", "--json", "a"]);
    let ran = folder.run(&["convert", "--lossy", "-o", "SHA256SUMS", "one.jsonl"]);
    let note = "SHA256SUMS: 2 entries of the earlier manifest are not in the new one (first: b)\n";
    assert!(ran.code == Some(0) && ran.err.contains(note), "{}", ran.err);
    let ran = folder.run(&["torrent", "create", "--overwrite", "-o", "SHA256SUMS", "a"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn diff_names_piece_digests_without_common_algorithm() {
    let folder = Folder::with(&[("photos/a", "abc")]);
    folder.run(&["torrent", "create", "-o", "photos.torrent", "photos"]);
    folder.write("SHA256SUMS", lines(&[(ABC, "photos/a")]));
    let ran = folder.run(&["diff", "photos.torrent", "SHA256SUMS"]);
    let said = "1 file could not be compared, because the two sides have no algorithm in common (piece digests on one side, sha256 on the other)\n\
                hint: to verify the pieces: truesum check MANIFEST\n";
    assert!(ran.err.contains(said), "{}", ran.err);
}

#[test]
fn converted_manifest_has_the_names_of_the_verified_files() {
    let folder = Folder::with(&[("2024/a", "abc"), ("x.sfv", "2024\\a 352441C2\n")]);
    let ran = folder.run(&["convert", "-a", "sha256", "x.sfv", "-o", "SHA256SUMS"]);
    assert!(ran.code == Some(0) && ran.err.contains("1 name is written with / instead of \\"), "{}", ran.err);
    assert_eq!(folder.read("SHA256SUMS"), lines(&[(ABC, "2024/a")]).as_bytes());
}

#[test]
fn quiet_check_prints_nothing_about_deferred_files() {
    let folder = Folder::with(&[("a", "abc"), ("b", ""), ("M", &lines(&[(ABC, "a"), (EMPTY, "b")]))]);
    let ran = folder.run(&["check", "-q", "--state", "s", "--max-bytes", "1", "M"]);
    assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
    let ran = folder.run(&["check", "-q", "--max-bytes", "1X", "M"]);
    assert!(ran.err.contains("KiB, MiB, GiB, TiB (or K, M, G, T), kB, MB, GB or TB"), "{}", ran.err);
    let ran = folder.run(&["tree", "--save", "--granule", "4KiB", "a"]);
    assert!(ran.code == Some(2) && ran.err.contains("expected 64KiB to 64MiB"), "{}", ran.err);
}

/// Each guess was typed by someone who had only read `--help`, and got no hint.
#[test]
fn wrong_guess_names_the_right_command() {
    let folder = Folder::with(&[("d/a", "abc"), ("a", "abc"), ("digest", &format!("{ABC}\n"))]);
    let line = format!("{ABC}  a");
    for (words, hint) in [
        (&["bag", "d"][..], "truesum bag create d; truesum bag update d; truesum bag check d"),
        (&["bagit", "d"], "truesum bag create d"),
        (&["dup", "d"], "truesum duplicates d"),
        (&["duplicates", "-r", "d"], "truesum duplicates d"),
        (&["torrent", "info", "x.torrent"], "truesum convert x.torrent"),
        (&["--verify", "M"], "truesum check M"),
        (&["hash", "--bsd", "a"], "truesum hash -t bsd a"),
        (&["hash", "--sfv", "a"], "truesum hash -t sfv a"),
        (&["hash", "--md4", "a"], "truesum hash -a md4 a"),
        (&["hash", "-f", "bsd", "a"], "truesum hash --format bsd a"),
        (&["help", "signing"], "truesum help signatures"),
        (
            &["identify", &ABC[..31]],
            "copy the complete digest: MD5 has 32 digits, SHA-1 40, SHA-256 64, SHA-512 128",
        ),
        (
            &["check", "-a", "sha512", ABC, "a"],
            &format!("to list the possible algorithms: truesum identify {ABC}"),
        ),
        (&["check", "digest"], &format!("to compare a file with this digest: truesum check {ABC} FILE")),
        (
            &["check", "--expect", &line],
            &format!("- is standard input; to check that file instead: truesum check {ABC} a"),
        ),
        (
            &["check", "--state", "S", "d"],
            "to create one: truesum -o d/SHA256SUMS d; then check it: truesum check --state FILE d/SHA256SUMS",
        ),
    ] {
        let ran = folder.run(words);
        assert!(ran.err.contains(&format!("hint: {hint}\n")), "{words:?}: {}", ran.err);
        assert_ne!(ran.code, Some(0), "{words:?}");
    }
}

#[test]
fn names_in_a_manifest_from_a_pipe_are_relative_to_the_cwd() {
    // regression: with `<(...)` every file was missing, because names were resolved in /dev/fd.
    let folder = Folder::with(&[("a", "abc"), ("SHA256SUMS", &lines(&[(ABC, "a")]))]);
    for line in ["cat SHA256SUMS | truesum check /dev/stdin", "bash -c './.truesum check <(cat SHA256SUMS)'"]
    {
        let ran = shell(&folder, line);
        assert_eq!((ran.out().as_str(), ran.code), ("a: OK\n", Some(0)), "{line}: {}", ran.err);
    }
}

#[test]
fn file_that_a_manifest_beside_it_lists_is_checked_with_that_manifest() {
    let folder = Folder::with(&[("a", "abc\n"), ("b", "b\n")]);
    assert_eq!(folder.run(&["hash", "-o", "SHA256SUMS", "a"]).code, Some(0));
    let hint = "hint: to check a with the manifest that lists it: truesum check SHA256SUMS a\n";
    let ran = folder.run(&["check", "a"]);
    assert!(ran.code == Some(2) && ran.err.contains(hint), "{}", ran.err);
    // regression: the options for the file were repeated, and the command in the hint failed.
    let ran = folder.run(&["check", "-a", "md5", "a"]);
    assert!(ran.code == Some(2) && ran.err.contains(hint), "{}", ran.err);
    let ran = folder.run(&["check", "b"]);
    assert!(ran.code == Some(2) && !ran.err.contains("lists it"), "{}", ran.err);
    // regression: only eight of the files with a suffix of manifests were searched.
    (0..20).for_each(|number| folder.write(format!("{number}.json"), "{}"));
    let ran = folder.run(&["check", "a"]);
    assert!(ran.code == Some(2) && ran.err.contains(hint), "{}", ran.err);
    let key = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";
    let ran = folder.run(&["check", "--pubkey", key, "a"]);
    let hint = format!(
        "hint: to check a with the manifest that lists it: truesum check --pubkey {key} SHA256SUMS a\n"
    );
    assert!(ran.code == Some(1) && ran.err.contains(&hint), "{}", ran.err);
}

/// regression: names of a manifest that was not read, because its signature is invalid, were reported as not in it.
#[test]
fn manifest_without_valid_signature_tells_nothing_about_its_entries() {
    let folder = Folder::with(&[("a", "abc\n")]);
    assert_eq!(folder.run(&["hash", "-o", "SHA256SUMS", "a"]).code, Some(0));
    let key = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";
    let ran = folder.run(&["check", "--pubkey", key, "SHA256SUMS", "a"]);
    assert!(ran.code == Some(1) && !ran.err.contains("not in SHA256SUMS"), "{}", ran.err);
}

/// regression: the formats' own messages about absolute names hid that only `-o` was in another folder.
/// regression: everything was read before the manifest was refused.
#[test]
fn files_outside_the_folder_of_the_manifest_are_refused_before_reading() {
    let folder = Folder::with(&[("photos/a", "abc\n"), ("m/x", ""), ("names", "photos/a\n")]);
    let base = folder.path("m");
    for format in ["gnu", "metalink4", "sfv", "jsonl"] {
        let ran = folder.run(&["hash", "-t", format, "-o", "m/out", "photos"]);
        let said = format!(
            "m/out: not written: photos is outside {}, the folder that the names in the manifest are relative to\n\
             hint: to make names relative to another folder, use --root DIR with both hash and check; to write absolute paths, use --allow-outside\n",
            base.display()
        );
        assert!(ran.code.is_some_and(|code| code != 0) && ran.err.ends_with(&said), "{format}: {}", ran.err);
        assert_eq!(ran.err.lines().count(), 2, "{format}: {}", ran.err);
    }
    // regression: what is missing and standard input were called outside.
    let ran = folder.run(&["hash", "-o", "m/out", "missing"]);
    assert!(!ran.err.contains("outside") && ran.err.contains("missing"), "{}", ran.err);
    let ran = folder.run(&["hash", "-o", "m/in", "-"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // Names in a list are not known before.
    let ran = folder.run(&["hash", "--files-from", "names", "-o", "m/out"]);
    assert!(ran.code == Some(2) && ran.err.contains("1 file is outside "), "{}", ran.err);
    let ran = folder.run(&["hash", "-t", "torrent", "-o", "m/out", "photos"]);
    assert!(ran.err.contains("to make them relative to another folder, use --root DIR"), "{}", ran.err);
}

#[test]
fn dangling_link_is_named_as_the_reason_for_a_missing_file() {
    // regression: the hint said that the name differs from itself in letter case.
    let folder = Folder::with(&[("M", &format!("{ABC}  link\n"))]);
    symlink("nowhere", folder.path("link")).unwrap();
    let ran = folder.run(&["check", "M"]);
    assert_eq!(ran.code, Some(1));
    // Elsewhere, a link is refused before its target is looked up.
    if cfg!(all(target_os = "linux", not(truesum_fs = "portable"))) {
        let hint = "hint: link is a symbolic link to nowhere, which does not exist\n";
        assert!(ran.err.contains(hint), "{}", ran.err);
    }
}

#[test]
fn text_that_is_no_digest_is_not_taken_for_one_of_an_unknown_algorithm() {
    // regression: the hint was to specify the algorithm.
    let folder = Folder::with(&[("a", "abc")]);
    for text in ["not-a-digest", "xyz", "sha256:xyz"] {
        let ran = folder.run(&["check", "--expect", text, "a"]);
        let is_named =
            ran.err.contains("': not a digest\nhint: a digest is written in hexadecimal or base64");
        assert!(ran.code == Some(2) && is_named, "{text}: {}", ran.err);
    }
}

#[test]
fn json_without_intact_files_ends_with_a_summary() {
    let folder = Folder::with(&[("d/a", "abc")]);
    folder.write("M", format!("{ABC}  d/a\n"));
    assert_eq!(folder.run(&["scrub", "-q", "d"]).code, Some(0));
    for words in [
        &["check", "M"][..],
        &["audit", "M"],
        &["update", "-n", "M"],
        &["diff", "M", "M"],
        &["scrub", "--all", "d"],
    ] {
        let ran = folder.run(&[words, &["-q", "--json"]].concat());
        let lines: Vec<serde_json::Value> =
            ran.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let kinds: Vec<&str> = lines.iter().map(|line| line["kind"].as_str().unwrap()).collect();
        assert_eq!((kinds, ran.code), (vec!["summary"], Some(0)), "{words:?}: {}{}", ran.out(), ran.err);
    }
}
