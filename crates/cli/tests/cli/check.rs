//! `truesum check`.

use crate::program::{ABC, EMPTY, Folder, OTHER, SIGNATURE, lines, result_of};
use std::os::unix::fs::symlink;

#[test]
fn every_verdict_is_printed() {
    let folder = Folder::with(&[("good", "abc"), ("bad", "abc")]);
    std::fs::create_dir(folder.path("folder")).unwrap();
    folder.write("M", lines(&[(ABC, "good"), (OTHER, "bad"), (ABC, "gone"), (ABC, "folder")]));
    let ran = folder.run(&["check", "M"]);
    assert_eq!(
        ran.out(),
        format!(
            "good: OK\nbad: FAILED\n  expected sha256 {OTHER}\n  actual   sha256 {ABC}\ngone: MISSING\n\
             folder: UNREADABLE (cannot read: not a regular file, but a directory)\n"
        )
    );
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.err.contains("truesum: 1 file verified, 1 FAILED, 1 MISSING, 1 UNREADABLE; 6 B read"),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains("--special"), "no option reads a folder: {}", ran.err);
    let quiet = folder.run(&["-c", "--quiet", "M"]);
    assert!(!quiet.out().contains("good") && quiet.out().contains("bad: FAILED"));
    let status = folder.run(&["check", "--status", "M"]);
    assert_eq!((status.out().as_str(), status.err.as_str(), status.code), ("", "", Some(1)));
    folder.write("M", lines(&[(ABC, "good")]));
    let quiet = folder.run(&["check", "--quiet", "M"]);
    assert_eq!((quiet.out().as_str(), quiet.err.as_str(), quiet.code), ("", "", Some(0)));
}

#[test]
fn json_output_has_every_verdict_and_ends_with_a_summary() {
    let folder = Folder::with(&[("good", "abc"), ("bad", "abc"), ("extra", "")]);
    folder.write("M", lines(&[(ABC, "good"), (OTHER, "bad"), (ABC, "gone")]) + "oops\n");
    let ran = folder.run(&["check", "--json", "M"]);
    assert_eq!(ran.code, Some(1));
    let objects: Vec<serde_json::Value> =
        ran.out().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let message: Vec<String> = objects
        .iter()
        .map(|object| format!("{} {} {}", object["kind"], object["verdict"], object["path"]).replace('"', ""))
        .collect();
    assert_eq!(
        message,
        [
            "entry verified good",
            "entry mismatch bad",
            "entry missing gone",
            "malformed null null",
            "summary null null"
        ]
    );
    assert!(objects.iter().all(|object| object["schema"] == "truesum-check/1"));
    assert_eq!(objects[1]["expected"]["sha256"], OTHER);
    assert_eq!(objects[1]["actual"]["sha256"], ABC);
    assert_eq!((&objects[1]["size"], &objects[1]["line"]), (&3.into(), &2.into()));
    assert_eq!(objects[3]["line"], 4);
    for (name, count) in
        [("verified", 1), ("mismatched", 1), ("missing", 1), ("malformed", 1), ("unlisted", 1)]
    {
        assert_eq!(objects[4][name], count, "{name}");
    }
    assert_eq!(objects[4]["exit"], 1);
    let manifest = folder.run(&["hash", "M"]).out()[..64].to_owned();
    assert_eq!(
        objects[4]["manifest_digests"],
        serde_json::json!([{"path": "M", "sha256": manifest}]),
        "the record names the manifest that was checked"
    );
    let [time, host, version] = ["time", "host", "version"].map(|name| objects[4][name].as_str().unwrap());
    assert!(time.len() == 20 && time.ends_with('Z') && !host.is_empty(), "{time} {host}");
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    let quiet = folder.run(&["check", "-q", "--json", "M"]).out();
    let without_good = |text: &str| -> Vec<String> {
        let mut objects: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        objects.iter_mut().for_each(|object| {
            ["time", "seconds"].iter().for_each(|name| drop(object.as_object_mut().unwrap().remove(*name)));
        });
        objects.iter().filter(|object| object["verdict"] != "verified").map(ToString::to_string).collect()
    };
    assert_eq!(without_good(&quiet), without_good(&ran.out()), "--quiet omits only files that are OK");
    assert_eq!(quiet.lines().count(), 4);
    let exact = folder.run(&["check", "--json", "--exact", "M"]).out();
    assert!(exact.contains("\"kind\":\"unlisted\",\"path\":\"extra\""), "{exact}");
}

#[test]
fn malformed_lines_are_reported_and_fail_unless_lenient() {
    let folder = Folder::with(&[("good", "abc")]);
    folder.write("M", format!("oops\n{ABC}  good\n"));
    for (words, code) in
        [(&[][..], 2), (&["--strict"], 2), (&["--lenient"], 0), (&["--lenient", "--strict"], 2)]
    {
        let ran = folder.run(&[&["check", "M"], words].concat());
        assert_eq!((ran.out().as_str(), ran.code), ("good: OK\n", Some(code)), "{words:?}");
        assert!(ran.err.contains("truesum: M: line 1: not a checksum line"), "{}", ran.err);
    }
    folder.write("M", "oops\n".repeat(50) + &lines(&[(ABC, "good")]));
    let few = folder.run(&["check", "M"]).err;
    assert!(
        few.contains("line 20:") && !few.contains("line 21:") && few.contains("30 more malformed lines"),
        "{few}"
    );
    assert!(folder.run(&["check", "--warn", "M"]).err.contains("line 50:"));
}

#[test]
fn missing_files_may_be_ignored_but_not_all() {
    let folder = Folder::with(&[("good", "abc")]);
    folder.write("M", lines(&[(ABC, "gone"), (ABC, "good")]));
    let ran = folder.run(&["check", "--ignore-missing", "M"]);
    assert_eq!((ran.out().as_str(), ran.code), ("good: OK\n", Some(0)));
    assert!(ran.err.contains("1 missing and ignored"), "{}", ran.err);
    folder.write("M", lines(&[(ABC, "gone")]));
    let ran = folder.run(&["check", "--ignore-missing", "M"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("nothing verified"), "{}", ran.err);
}

#[test]
fn required_file_must_be_verified() {
    let folder = Folder::with(&[("good", "abc")]);
    folder.write("M", lines(&[(ABC, "gone"), (ABC, "good")]));
    assert_eq!(folder.run(&["check", "--ignore-missing", "--require", "good", "M"]).code, Some(0));
    for name in ["gone", "other"] {
        let ran = folder.run(&["check", "--ignore-missing", "--require", name, "M"]);
        assert_eq!(ran.code, Some(1), "{name}");
        assert!(ran.err.contains(&format!("{name}: required but not verified")), "{}", ran.err);
    }
}

#[test]
fn exact_check_notes_links_pipes_and_devices() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/M", &format!("{ABC}  a\n"))]);
    folder.pipe("d/pipe");
    std::os::unix::fs::symlink("a", folder.path("d/link")).unwrap();
    std::os::unix::fs::symlink("gone", folder.path("d/dangling")).unwrap();
    let ran = folder.run(&["check", "--exact", "d/M"]);
    assert!(ran.code == Some(0), "{}", ran.err);
    assert!(
        ran.err.contains("note: 3 links, pipes or devices in d are not in the manifest\n"),
        "{}",
        ran.err
    );
    assert!(!folder.run(&["check", "--exact", "-q", "d/M"]).err.contains("note"));
    assert!(!folder.run(&["check", "d/M"]).err.contains("pipes"));
}

#[test]
fn extra_files_are_reported_and_fail_an_exact_check() {
    let folder = Folder::with(&[("good", "abc"), ("sub/extra", "")]);
    folder.write("M", lines(&[(ABC, "./good")]));
    let ran = folder.run(&["check", "M"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.err.contains("1 file in . is not in the manifest (use -v to list it)"), "{}", ran.err);
    let named = folder.run(&["check", "-v", "M"]);
    assert!(named.err.contains("1 file in . is not in the manifest: sub/extra"), "{}", named.err);
    let exact = folder.run(&["check", "--exact", "M"]);
    assert_eq!(exact.code, Some(1));
    assert!(exact.err.contains("sub/extra"), "{}", exact.err);
    // A sidecar is not a list of its folder.
    folder.write("good.sha256", lines(&[(ABC, "good")]));
    assert!(!folder.run(&["check", "good.sha256"]).err.contains("not in the manifest"));
    assert_eq!(folder.run(&["check", "--exact", "good.sha256"]).code, Some(1));
    std::fs::remove_file(folder.path("good.sha256")).unwrap();
    // Only an exact check reports files outside the folders of the entries.
    folder.write("N", lines(&[(EMPTY, "sub/extra")]));
    assert!(!folder.run(&["check", "N"]).err.contains("not in the manifest"));
    assert_eq!(folder.run(&["check", "--exact", "N"]).code, Some(1));
    std::fs::remove_file(folder.path("N")).unwrap();
    for i in 0..20 {
        folder.write(format!("e{i:02}"), "");
    }
    let ran = folder.run(&["check", "-v", "M"]);
    assert!(ran.err.contains("21 files") && ran.err.contains("e09 and 11 more"), "{}", ran.err);
    // Two manifests of one folder together cover its files, and neither manifest counts as an extra file.
    folder.write("N", folder.run(&["hash", "--root", ".", "--include", "e*", "."]).out);
    let ran = folder.run(&["check", "--exact", "M", "N"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let out = std::fs::File::create(folder.path("report")).unwrap();
    let status = folder.command().args(["check", "--exact", "M", "N"]).stdout(out).output().unwrap().status;
    assert_eq!(status.code(), Some(0), "nor does the run's own output");
}

#[test]
fn signatures_of_a_manifest_are_not_extra_files() {
    let folder = Folder::with(&[("a", "abc"), ("M", &lines(&[(ABC, "a")]))]);
    for name in ["M.asc", "M.sig", "M.minisig", "M.gpg", "M.sign"] {
        folder.write(name, SIGNATURE);
    }
    folder.write("M.ots", b"\x00OpenTimestamps\x00\x00Proof\x00\xbf\x89\xe2\xe8\x84\xe8\x92\x94\x01");
    let ran = folder.run(&["check", "--exact", "--json", "M"]);
    assert!(ran.out().contains("\"signatures\":6,"), "{}", ran.out());
    for command in [&["check", "--exact", "M"][..], &["audit", "M"], &["diff", "M", "."]] {
        let ran = folder.run(command);
        assert_eq!(ran.code, Some(0), "{command:?}: {}{}", ran.out(), ran.err);
    }
    // regression: the name was sufficient, whatever the file contained.
    for text in [&b"#!/bin/sh\nevil\n"[..], &[0; 5000], b""] {
        folder.write("M.sign", text);
        folder.write(".M.8277fbb51a-4ed446a1.part", text);
        for command in [&["check", "--exact", "M"][..], &["audit", "M"], &["diff", "M", "."]] {
            let ran = folder.run(command);
            assert_eq!(ran.code, Some(1), "{command:?}: {}{}", ran.out(), ran.err);
        }
    }
    folder.write("M.sign", SIGNATURE);
    std::fs::remove_file(folder.path(".M.8277fbb51a-4ed446a1.part")).unwrap();
    // Files with such names elsewhere, and signatures of other files, are extra.
    folder.write("a.asc", "");
    folder.write("d/M.asc", "");
    folder.write("N.sig", "");
    let ran = folder.run(&["check", "--exact", "M"]);
    assert!(
        ran.code == Some(1)
            && ran.err.contains("3 files in . are not in the manifest: N.sig, a.asc, d/M.asc\n"),
        "{}",
        ran.err
    );
    let ran = folder.run(&["audit", "M"]);
    assert_eq!(
        (ran.out().matches("new\t").count(), ran.out().matches("copied\t").count(), ran.code),
        (1, 0, Some(1))
    );
    // A signature that is in the manifest is treated like any other file.
    folder.write("M", lines(&[(ABC, "a"), (OTHER, "M.asc")]));
    assert!(folder.run(&["audit", "M"]).out().contains("changed\tM.asc\n"));
}

#[test]
fn entry_of_a_manifest_that_cannot_be_read_is_not_reported() {
    // regression: the entry was reported as required, and the exit status was that of a failure.
    let folder = Folder::with(&[("a", "abc")]);
    let ran = folder.run(&["check", "SHA256SUMS", "a"]);
    let message = "truesum: SHA256SUMS: cannot open: No such file or directory\n\
                truesum: 0 files verified; 0 B read\n";
    assert_eq!((ran.err.as_str(), ran.code), (message, Some(2)));
}

#[test]
fn folder_argument_is_rejected_with_a_hint() {
    let folder = Folder::with(&[("d/a", "abc")]);
    let ran = folder.run(&["check", "d"]);
    let message = "truesum: d: cannot read: it is a directory\n\
                hint: to check the manifests in the folder: truesum check -r d; to create one: truesum hash -o d/SHA256SUMS d\n\
                truesum: 0 files verified; 0 B read\n";
    assert_eq!((ran.err.as_str(), ran.code), (message, Some(2)));
}

#[test]
fn names_are_relative_to_the_manifest_folder_or_the_root() {
    let folder = Folder::with(&[("tree/a", "abc"), ("here", "abc")]);
    folder.write("tree/M", lines(&[(ABC, "a")]));
    folder.write("sums/M", lines(&[(ABC, "a")]));
    assert_eq!(folder.run(&["check", "tree/M"]).code, Some(0));
    assert_eq!(folder.run(&["check", "sums/M"]).code, Some(1));
    assert_eq!(folder.run(&["check", "--root", "tree", "sums/M"]).code, Some(0));
    assert_eq!(folder.run(&["check", "--root", "nowhere", "sums/M"]).code, Some(2));
    folder.write("sums/M", lines(&[(ABC, "here")]));
    let ran = folder.run(&["check", "sums/M"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("--root ."), "{}", ran.err);
    let stdin = folder.feed(&["check", "-"], lines(&[(ABC, "here")]).as_bytes());
    assert_eq!(
        (stdin.out().as_str(), stdin.code),
        ("here: OK\n", Some(0)),
        "of standard input: the current folder"
    );
}

#[test]
fn names_outside_the_root_are_rejected() {
    let folder = Folder::with(&[("out", "abc"), ("tree/keep", "")]);
    symlink("../out", folder.path("tree/link")).unwrap();
    let absolute = folder.path("out").display().to_string();
    for name in ["../out", "link", absolute.as_str()] {
        folder.write("tree/M", lines(&[(ABC, name)]));
        let ran = folder.run(&["check", "tree/M"]);
        assert_eq!(ran.code, Some(1), "{name}");
        assert!(
            ran.out().contains("leads out of the folder") && ran.err.contains("--allow-outside"),
            "{name}"
        );
        assert_eq!(folder.run(&["check", "--allow-outside", "tree/M"]).code, Some(0), "{name}");
    }
}

#[test]
fn absolute_names_below_the_root_are_accepted() {
    let folder = Folder::with(&[("out", "abc"), ("tree/sub/in", "abc")]);
    symlink("../../out", folder.path("tree/sub/link")).unwrap();
    symlink("tree", folder.path("other")).unwrap();
    let absolute = |name: &str| folder.path(name).display().to_string();
    folder.write("tree/M", lines(&[(ABC, &absolute("tree/sub/in"))]));
    for words in [
        &["check", "--exact", "tree/M"][..],
        &["check", "--exact", "--allow-outside", "tree/M"],
        &["check", "--exact", "other/M"],
        &["check", "--exact", "--root", "tree", "tree/M"],
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(0), "{words:?}: {} {}", ran.out(), ran.err);
        assert_eq!(ran.out(), format!("{}: OK\n", absolute("tree/sub/in")), "{words:?}");
    }
    for name in ["tree/../out", "tree/sub/link"] {
        folder.write("tree/M", lines(&[(ABC, &absolute(name))]));
        let ran = folder.run(&["check", "tree/M"]);
        assert!(
            ran.code == Some(1) && ran.out().contains("leads out of the folder"),
            "{name}: {}",
            ran.out()
        );
    }
    folder.write("tree/M", lines(&[(ABC, &absolute("tree/sub/in"))]));
    let ran = folder.run(&["check", "--root", "tree/sub/..", "tree/M"]);
    assert_eq!(ran.code, Some(0), "{}", ran.out());
}

#[test]
fn non_regular_files_are_rejected_without_special() {
    let folder = Folder::new();
    folder.write("M", lines(&[(EMPTY, "null")]));
    symlink("/dev/null", folder.path("null")).unwrap();
    let words = ["check", "--allow-outside", "M"];
    let ran = folder.run(&words);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.out().contains("character device") && ran.err.contains("--special"),
        "{} {}",
        ran.out(),
        ran.err
    );
    assert_eq!(folder.run(&[&words[..], &["--special"]].concat()).code, Some(0));
    folder.write("M", lines(&[(EMPTY, "-")]));
    let dash = folder.feed(&["check", "M"], b"");
    assert_eq!(dash.code, Some(1), "a dash is a name, not standard input");
    assert!(dash.err.contains("an entry named - has the digest of standard input"), "{}", dash.err);
}

#[test]
fn short_digests_are_rejected_and_weak_ones_reported() {
    let folder = Folder::with(&[("a", "abc")]);
    folder.write("M", folder.run(&["hash", "-a", "blake2b-64", "--tag", "a"]).out);
    assert_eq!(folder.run(&["check", "M"]).code, Some(2));
    let allowed = folder.run(&["check", "--allow-weak", "M"]);
    assert_eq!(allowed.code, Some(0));
    assert!(allowed.err.contains("blake2b-64 (1 entry): no protection against tampering"), "{}", allowed.err);
    folder.write("M", folder.run(&["hash", "-a", "md5", "a"]).out);
    let md5 = folder.run(&["check", "M"]);
    assert_eq!(md5.code, Some(0));
    assert!(md5.err.contains("md5 (1 entry): no protection against tampering"), "{}", md5.err);
    folder.write("M", folder.run(&["hash", "-a", "md5,sha256", "a"]).out);
    let both = folder.run(&["check", "M"]);
    assert!(!both.err.contains("tamper"), "a strong digest beside it is enough: {}", both.err);
    assert_eq!(both.out(), "a: OK\n", "two lines of one file are one entry");
}

#[test]
fn wrongly_guessed_algorithm_gets_a_hint() {
    let folder = Folder::with(&[("a", "abc")]);
    folder.write("M", folder.run(&["hash", "-a", "blake3", "a"]).out);
    let ran = folder.run(&["check", "M"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("but the blake3 digest of the file matches: use -a blake3"), "{}", ran.err);
    assert_eq!(folder.run(&["check", "-a", "blake3", "M"]).code, Some(0));
    for rare in
        ["gost12-512", "kupyna256", "edonr512", "snefru256", "gost94", "groestl256", "lsh256", "kt128"]
    {
        folder.write("M", folder.run(&["hash", "-a", rare, "a"]).out);
        let ran = folder.run(&["check", "M"]);
        assert_eq!(ran.code, Some(1));
        assert!(ran.err.contains(&format!("use -a {rare}")), "{rare}: {}", ran.err);
    }
    // regression: lines of RHash, md5deep and xxhsum had no hint.
    let digest = |algorithm: &str| {
        let out = folder.run(&["hash", "-a", algorithm, "--format", "gnu", "a"]).out();
        out.split(' ').next().unwrap().to_owned()
    };
    let (sha3, xxh) = (digest("sha3-256"), digest("xxh128"));
    for (text, hint) in [
        (format!("; Generated by RHash v1.4.3\n;\na {sha3}\n"), "use -a sha3-256\n"),
        (format!("         3  {sha3}  a\n"), "use -a sha3-256\n"),
        (format!("{xxh}  a\n"), "use -a xxh128 (this does not rule out tampering)\n"),
    ] {
        folder.write("M", &text);
        let ran = folder.run(&["check", "M"]);
        assert!(ran.code == Some(1) && ran.err.contains(hint), "{text}: {}", ran.err);
    }
    folder.write("M", folder.run(&["hash", "-a", "blake3", "a"]).out);
    folder.write("N", lines(&[(OTHER, "a")]));
    let plain = folder.run(&["check", "N"]).err;
    assert!(!plain.contains("hint"), "a file that is damaged is of no algorithm: {plain}");
    folder.write("B3SUMS", folder.read("M"));
    assert_eq!(folder.run(&["check", "B3SUMS"]).code, Some(0), "the manifest's name tells");
    folder.write("M", lines(&[(OTHER, "a")]));
    std::fs::rename(folder.path("M"), folder.path("SHA256SUMS")).unwrap();
    assert!(
        !folder.run(&["check", "SHA256SUMS"]).err.contains("blake3"),
        "where it is known nothing is guessed"
    );
}

#[test]
fn folders_without_a_type_in_mtree_are_not_files() {
    // regression: the folders in a list of bsdtar with !all were unreadable files.
    let folder = Folder::with(&[("a", "abc"), ("d/b", "abc")]);
    let list = format!("#mtree\n.\n./a sha256digest={ABC}\n./d\n./d/b sha256digest={ABC}\n");
    folder.write("x.mtree", &list);
    let ran = folder.run(&["check", "x.mtree"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(0), "a: OK\nd/b: OK\n"), "{}", ran.err);
    // A file or nothing with this name has no digest.
    for name in ["a", "e"] {
        folder.write("x.mtree", format!("{list}./{name}\n"));
        assert_ne!(folder.run(&["check", "x.mtree"]).code, Some(0), "{name}");
    }
    // regression: a folder in place of a file with a type was accepted, too.
    for line in ["./d size=3", "./d type=file", "/set type=file\n./d"] {
        folder.write("x.mtree", format!("{list}{line}\n"));
        assert_eq!(folder.run(&["check", "x.mtree"]).code, Some(1), "{line}");
    }
}

#[test]
fn unknown_digests_are_reported_and_not_dropped_by_convert() {
    let folder = Folder::with(&[("a", "abc")]);
    for manifest in [
        format!("DIST a 3 SHA256 {ABC} FOO 00\n"),
        format!("{{\"files\": [{{\"path\": \"a\", \"sha256\": \"{ABC}\", \"foo\": \"{OTHER}\"}}]}}\n"),
        format!("#mtree\n./a type=file size=3 sha256={ABC} foodigest=00\n"),
        format!("magnet:?xl=3&dn=a&xt=urn:sha256:{ABC}&xt=urn:foo:00\n"),
        // regression: none of these was reported.
        format!("[{{\"path\": \"a\", \"sha256\": \"{ABC}\", \"foohash\": \"abcdef01\"}}]\n"),
        format!("[{{\"path\": \"a\", \"sha256\": \"{ABC}\", \"foo\": [\"{OTHER}\"]}}]\n"),
        format!(
            "{{\"schema\":\"truesum-entry/1\",\"path\":\"a\",\"digests\":{{\"sha256\":\"{ABC}\",\"foo\":\"00\"}}}}\n"
        ),
    ] {
        folder.write("M", &manifest);
        let ran = folder.run(&["check", "M"]);
        assert_eq!(ran.code, Some(0), "{manifest}: {}", ran.err);
        let note = "note: M: 1 digest of an unknown algorithm (foo";
        assert!(ran.err.to_lowercase().contains(&note.to_lowercase()), "{}", ran.err);
        let converted = folder.run(&["convert", "-t", "gnu", "M"]);
        assert_eq!((converted.code, converted.out().as_str()), (Some(2), ""), "{manifest}");
        let lost = converted.err.to_lowercase();
        assert!(lost.contains("the gnu format cannot store the foo"), "{lost}");
        assert_eq!(folder.run(&["convert", "--lossy", "-t", "gnu", "M"]).out(), format!("{ABC}  a\n"));
    }
    // A known algorithm with parameters that it does not have.
    for manifest in [
        format!("DIST a 3 SHA256 {ABC} SHA512;X=1 00\n"),
        format!("DIST a 3 SHA256 {ABC} BLAKE2B-2560 00\n"),
        format!("DIST a 3 SHA256 {ABC} MD5-64 00\n"),
        format!("{{\"files\": [{{\"path\": \"a\", \"sha256\": \"{ABC}\", \"xxh64;seed=x\": \"00\"}}]}}\n"),
        format!("{{\"files\": [{{\"path\": \"a\", \"sha256\": \"{ABC}\", \"keccak256-512\": \"00\"}}]}}\n"),
    ] {
        folder.write("M", &manifest);
        assert_eq!(folder.run(&["check", "M"]).code, Some(2), "{manifest}");
    }
}

#[test]
fn pieces_of_another_algorithm_verify_nothing() {
    let folder = Folder::with(&[("a", &"abc".repeat(20_000))]);
    for (made, list, of) in [
        (&["hash", "-t", "torrent", "-o", "L.torrent", "a"][..], "L.torrent", "sha1"),
        (&["tree", "--save", "--format", "obao4", "a"], "a.obao4", "blake3"),
    ] {
        assert_eq!(folder.run(made).code, Some(0));
        let ran = folder.run(&["check", "-a", "sha256", list]);
        assert_eq!(ran.code, Some(2), "{list}: {}", ran.err);
        assert!(ran.err.contains(&format!("{of} is not one of the specified algorithms")), "{}", ran.err);
        assert_eq!(folder.run(&["check", "-a", of, list]).code, Some(0), "{list}");
    }
}

#[test]
fn blake3_context_is_part_of_the_algorithm_name() {
    let folder = Folder::with(&[("a", "abc")]);
    let derived = folder.run(&["hash", "--tag", "-a", "blake3", "--customization", "a 2026 context", "a"]);
    let tag = "BLAKE3;CONTEXT=61203230323620636f6e74657874 (a) = ";
    let hex = derived.out().strip_prefix(tag).map(str::to_owned);
    // Computed with the reference implementation.
    let own = "564c31b7a2506e8848c685f8889e3708046202bc8c8effa80b3971350c27f0ff\n";
    assert_eq!(hex.as_deref(), Some(own));
    folder.write("M", derived.out());
    let ran = folder.run(&["check", "M"]);
    assert_eq!((ran.code, ran.out().as_str()), (Some(0), "a: OK\n"), "{}", ran.err);
    folder.write("M", derived.out().replace("CONTEXT=61", "CONTEXT=62"));
    assert_eq!(folder.run(&["check", "M"]).code, Some(1));
    folder.write("key", "k".repeat(32));
    let both = folder.run(&["hash", "-a", "blake3;context=61", "--key-file", "key", "a"]);
    assert_eq!(both.code, Some(2), "{}", both.err);
    assert!(both.err.contains("a key and a context cannot be combined"), "{}", both.err);
    let twice = folder.run(&["hash", "-a", "blake3;context=61", "--customization", "b", "a"]);
    assert!(twice.err.contains("the context is specified twice"), "{}", twice.err);
}

#[test]
fn file_name_after_double_dash_is_not_an_option() {
    let folder = Folder::with(&[("-ahaval,5", "abc"), ("-ahaval-5", "other")]);
    let ran = folder.run(&["hash", "--", "-ahaval,5"]);
    assert_eq!(ran.out(), format!("{ABC}  -ahaval,5\n"), "{}", ran.err);
}

#[test]
fn sampled_hashes_count_only_bytes_read() {
    let folder = Folder::with(&[("small", "abc"), ("big", &"x".repeat(200_000))]);
    let ran = folder.run(&["hash", "-a", "imohash", "--tag", "--summary", "json", "-o", "M", "big", "small"]);
    assert!(ran.err.contains("note: imohash covers only parts of a file: three samples"), "{}", ran.err);
    assert!(ran.err.contains("\"bytes\":49155,"), "{}", ran.err);
    let ran = folder.run(&["check", "-a", "imohash", "M"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.err.contains("48 KiB read") && ran.err.contains("only samples are hashed"), "{}", ran.err);
}

#[test]
fn btih_is_computed_for_the_name_in_the_manifest() {
    let folder = Folder::with(&[("a", "abc"), ("b", "abc")]);
    // Computed with RHash 1.4.3.
    let digest = folder.run(&["hash", "-a", "btih;name=61", "a"]).out()[..40].to_owned();
    for (name, manifest) in [("M", format!("BTIH (a) = {digest}\n")), ("M.btih", format!("{digest}  a\n"))] {
        folder.write(name, &manifest);
        for words in [&["check", name][..], &["check", "-a", "btih;name=61", name]] {
            let ran = folder.run(words);
            assert_eq!((ran.code, ran.out().as_str()), (Some(0), "a: OK\n"), "{}", ran.err);
        }
    }
    folder.write("M", format!("BTIH (b) = {digest}\n"));
    assert_eq!(folder.run(&["check", "M"]).code, Some(1), "the name is part of it");
}

#[test]
fn manifest_with_an_entry_for_itself_gets_a_hint() {
    let folder = Folder::with(&[("a", "abc"), ("sub/M", "")]);
    folder.write("sub/M", lines(&[(ABC, "../a"), (EMPTY, "./M")]));
    let ran = folder.run(&["check", "--allow-outside", "sub/M"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("hint: sub/M contains an entry for itself"), "{}", ran.err);
    assert!(!folder.run(&["check", "--allow-outside", "--status", "sub/M"]).err.contains("itself"));
}

#[test]
fn requested_algorithm_must_be_in_the_manifest() {
    let folder = Folder::with(&[("a", "abc")]);
    folder.write("M", folder.run(&["hash", "-a", "md5", "--tag", "a"]).out);
    assert_eq!(folder.run(&["check", "-a", "sha256", "M"]).code, Some(2));
    assert_eq!(folder.run(&["check", "-a", "md5,sha256", "M"]).code, Some(0));
    assert_eq!(folder.run(&["check", "--format", "jsonl", "M"]).code, Some(2));
    assert_eq!(folder.run(&["check", "--format", "bsd", "M"]).code, Some(0));
}

#[test]
fn windows_manifests_are_read() {
    let folder = Folder::with(&[("sub/f", "abc"), ("a", "abc")]);
    let text = format!("\u{feff}{}  sub\\f\r\n{ABC} *a\r\n", ABC.to_uppercase());
    folder.write("utf8", &text);
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    folder.write("utf16", utf16);
    for manifest in ["utf8", "utf16"] {
        let ran = folder.run(&["check", manifest]);
        assert_eq!(
            (ran.out().as_str(), ran.code),
            ("sub\\f: OK\na: OK\n", Some(0)),
            "{manifest}: {}",
            ran.err
        );
    }
}

#[test]
fn size_mismatch_is_reported() {
    let folder = Folder::with(&[("a", "abc")]);
    let line = folder.run(&["hash", "--json", "a"]).out().replace("\"size\":3", "\"size\":4");
    folder.write("M", line);
    let ran = folder.run(&["check", "M"]);
    assert_eq!(
        (ran.out().as_str(), ran.code),
        ("a: FAILED\n  expected size 4\n  actual size   3\n", Some(1))
    );
}

#[test]
fn piece_damage_is_reported_as_ranges_of_the_affected_files() {
    // The SHA-1 of "abc", and of "defg" if a piece has three bytes.
    let pieces =
        [hex(b"a9993e364706816aba3e25717850c26c9cd0d89d"), hex(b"107ecb6890eeee99d9ccc06e711631349a7dd72b")]
            .concat();
    let mut torrent = b"d4:infod5:filesld6:lengthi2e4:pathl1:aeed6:lengthi4e4:pathl1:beee4:name1:s\
        12:piece lengthi3e6:pieces40:"
        .to_vec();
    torrent.extend_from_slice(&pieces);
    torrent.extend_from_slice(b"ee");
    let folder = Folder::with(&[("s/a", "ab"), ("s/b", "cdef")]);
    folder.write("x.torrent", &torrent);
    let ran = folder.run(&["check", "x.torrent"]);
    assert_eq!(
        (ran.out().as_str(), ran.code),
        ("s/a: OK\ns/b: FAILED\n  1 3 damaged\n", Some(1)),
        "{}",
        ran.err
    );
    folder.write("s/b", "xdef");
    let ran = folder.run(&["check", "x.torrent"]);
    let shared = "damaged, or bytes of another file in the same piece are";
    let which = "FAILED (its damaged piece also contains bytes of other files, so this file may be intact)";
    assert_eq!(
        ran.out(),
        format!("s/a: {which}\n  0 2 {shared}\ns/b: FAILED\n  0 1 {shared}\n  1 3 damaged\n")
    );
    let records = folder.run(&["check", "--json", "x.torrent"]).out();
    let record: serde_json::Value = serde_json::from_str(records.lines().nth(1).unwrap()).unwrap();
    assert_eq!(record["verdict"], "mismatch", "{records}");
    assert_eq!(record["damaged"], serde_json::json!([[0, 1], [1, 3]]), "{records}");
    assert!(record["byte"].is_number() && record["line"].is_null(), "a document has no lines: {record}");
    std::fs::remove_file(folder.path("s/b")).unwrap();
    let ran = folder.run(&["check", "x.torrent"]);
    assert!(ran.out().starts_with("s/a: NOT VERIFIED\n  0 2 not verified: "), "{}", ran.out());
    assert!(ran.err.contains("0 files verified, 1 NOT VERIFIED, 1 MISSING"), "{}", ran.err);
}

fn hex(digits: &[u8]) -> Vec<u8> {
    let value = |digit: u8| (digit as char).to_digit(16).unwrap() as u8;
    digits.chunks(2).map(|pair| value(pair[0]) << 4 | value(pair[1])).collect()
}

#[test]
fn entries_without_digest_are_never_counted_as_verified() {
    let folder = Folder::with(&[("a", "abc"), ("b", "abcd"), ("m.csv2", "a,3,\nb,3,\ngone,3,\n")]);
    let ran = folder.run(&["check", "m.csv2"]);
    assert_eq!(
        (ran.out().as_str(), ran.code),
        (
            "a: NOT VERIFIED (no digest in the manifest)\nb: FAILED\n  expected size 3\n  actual size   4\ngone: MISSING\n",
            Some(1)
        )
    );
    assert!(
        ran.err.contains("0 files verified, 1 FAILED, 1 NOT VERIFIED, 1 MISSING; 0 B read"),
        "{}",
        ran.err
    );
    folder.write("m.csv2", "a,3,\n");
    for more in [&["-q"][..], &["--lenient"], &["--status"]] {
        assert_eq!(folder.run(&[&["check", "m.csv2"], more].concat()).code, Some(2), "{more:?}");
    }
    let ran = folder.run(&["check", "m.csv2"]);
    assert!(ran.err.contains("nothing verified: it has no digests for the files that exist"), "{}", ran.err);
    assert_eq!(folder.run(&["check", "--require", "a", "m.csv2"]).code, Some(1));
    // A manifest with digests for all files except itself is complete.
    let digest = "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0";
    folder.write("x.dist-info/RECORD", format!("a,sha256={digest},3\nx.dist-info/RECORD,,\n"));
    let ran = folder.run(&["check", "x.dist-info/RECORD"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out(), ran.err);
    folder.write("x.dist-info/RECORD", format!("a,sha256={digest},3\nb,,\n"));
    assert_eq!(folder.run(&["check", "--root", ".", "x.dist-info/RECORD"]).code, Some(2));
}

#[test]
fn bag_is_checked_by_its_folder_name() {
    let folder = Folder::with(&[
        ("bag/data/a", "abc"),
        ("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"),
    ]);
    let made = folder.run(&["hash", "-t", "bagit", "-o", "bag/manifest-sha256.txt", "bag/data"]);
    assert_eq!(made.code, Some(0), "{}", made.err);
    assert!(folder.read("bag/manifest-sha256.txt").ends_with(b"  data/a\n"));
    let ran = folder.run(&["check", "bag"]);
    assert_eq!((ran.out().as_str(), ran.code), ("data/a: OK\n", Some(0)), "{}", ran.err);
    folder.write("bag/data/more", "x");
    let ran = folder.run(&["check", "bag"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("it is in the payload but not in manifest-sha256.txt"), "{}", ran.err);
    assert!(ran.err.contains("1 file verified, 1 structure error"), "{}", ran.err);
}

/// regression: digests in lists of strings were ignored, and the check passed without them.
#[test]
fn digests_in_json_string_lists_are_not_ignored() {
    let folder = Folder::with(&[("a", "abc")]);
    let entry = format!("{{\"path\":\"a\",\"sha256\":\"{ABC}\"}}");
    for list in [
        format!("{{\"files\":[{entry},\"{OTHER}  b\"]}}"),
        format!("{{\"files\":[{entry}],\"more\":[\"{OTHER}  b\"]}}"),
        format!("{{\"files\":[{entry}],\"more\":[\"x\",\"sha256:{OTHER}\"]}}"),
        format!("{{\"files\":[{entry}],\"more\":[\"SHA256 (b) = {OTHER}\"]}}"),
        format!("{{\"files\":[{entry}],\"more\":[[\"{OTHER} *b\"]]}}"),
        format!("{{\"files\":[{entry}],\"x\":{{\"y\":{{\"z\":[\"{OTHER}  b\"]}}}}}}"),
        format!("{{\"files\":[{entry}],\"SHA256SUMS\":\"{OTHER}  b\"}}"),
        format!("{{\"files\":[\"sha256:{OTHER}\"],\"a\":\"{ABC}\"}}"),
        format!("{{\"a\":\"{ABC}\",\"more\":[\"{OTHER}  b\"]}}"),
        format!("[{entry},\"{OTHER}  b\"]"),
        format!("[{entry},[\"{OTHER}  b\"]]"),
        format!("{{\"files\":[\"{OTHER}  b\"]}}"),
    ] {
        folder.write("list.json", &list);
        let ran = folder.run(&["check", "list.json"]);
        assert_eq!(ran.code, Some(2), "{list}: {ran:?}");
    }
    for list in [
        format!("{{\"files\":[{entry}],\"names\":[\"b\",\"x: y\",\"app.{OTHER}.js\"]}}"),
        format!("{{\"files\":[{entry}],\"commits\":[\"{OTHER} reverted\"]}}"),
        format!("{{\"files\":[{entry}],\"notes\":[\"reverts {OTHER}\",\"md5: was removed\"]}}"),
    ] {
        folder.write("list.json", &list);
        let ran = folder.run(&["check", "list.json"]);
        assert_eq!(ran.code, Some(0), "{list}: {ran:?}");
    }
}

#[test]
fn requested_summary_is_printed_even_with_quiet() {
    // regression: `--summary json -q` printed nothing if every file matched.
    let folder = Folder::with(&[("a", "abc"), ("M", &lines(&[(ABC, "a")]))]);
    let ran = folder.run(&["check", "--summary", "json", "-q", "M"]);
    assert!(ran.code == Some(0) && ran.err.contains("\"kind\":\"summary\""), "{ran:?}");
    let ran = folder.run(&["check", "--summary", "json", "--status", "M"]);
    assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
}

#[test]
fn pipe_in_place_of_a_signature_is_rejected() {
    // regression: opening it waited for a writer, and the run never ended.
    let folder = Folder::with(&[("a", "abc"), ("M", &lines(&[(ABC, "a")]))]);
    folder.pipe("M.minisig");
    let key = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";
    let ran = folder.run(&["check", "--pubkey", key, "M"]);
    assert!(ran.code == Some(1) && ran.err.contains("M.minisig: cannot read: "), "{ran:?}");
}

/// regression: the key was ignored, and a file without a signature was reported as verified.
#[test]
fn public_key_is_rejected_with_a_digest_argument() {
    let folder = Folder::with(&[("a", "abc")]);
    let key = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";
    let ran = folder.run(&["check", "--pubkey", key, ABC, "a"]);
    let message = "truesum: --pubkey: cannot be combined with a digest argument, which is not signed\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(2)));
}

#[test]
fn long_summary_does_not_repeat_the_name_of_a_result() {
    // regression: a line read "not in the manifest  not in the manifest: if it belongs there, ...".
    let folder = Folder::with(&[("a", "bad"), ("extra", "")]);
    folder.write("M", lines(&[(ABC, "a"), (ABC, "gone")]));
    let ran = folder.run(&["check", "--summary=long", "M"]);
    let rows = ran.err.lines().filter_map(|line| line.trim_start().split_once("  "));
    let rows: Vec<(String, String)> =
        rows.map(|(word, advice)| (word.to_lowercase(), advice.trim().to_lowercase())).collect();
    for word in ["failed", "missing", "not in the manifest"] {
        let row =
            rows.iter().find(|(found, _)| found == word).unwrap_or_else(|| panic!("{word}: {}", ran.err));
        assert!(!row.1.starts_with(word), "{}", ran.err);
    }
}
