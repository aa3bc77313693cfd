//! `truesum audit` and `truesum diff`: one scenario a test, exact output and exit status.

use crate::program::{ABC, EMPTY, Folder, OTHER, lines, result_of, set_mtime};
use std::time::{Duration, UNIX_EPOCH};

#[test]
fn audit_reports_every_status() {
    let folder = Folder::with(&[
        ("d/same", "abc"),
        ("d/changed", "other"),
        ("d/new-name", "moved"),
        ("d/copy", "abc"),
        ("d/fresh", "nothing listed"),
        ("d/fresh-again", "nothing listed"),
    ]);
    let moved = folder.feed(&["hash", "-"], b"moved").out()[..64].to_owned();
    let list = [(ABC, "same"), (OTHER, "changed"), (&moved[..], "old-name"), (OTHER, "gone")];
    folder.write("M", lines(&list));
    let ran = folder.run(&["audit", "M", "d"]);
    assert_eq!(
        result_of(&ran),
        (
            "changed\tchanged\ncopied\tcopy\tsame\nnew\tfresh\nduplicated\tfresh-again\tfresh\n\
             missing\tgone\nmoved\tnew-name\told-name\nok\tsame\n"
                .to_owned(),
            "truesum: 4 files in the manifest; 1 ok, 1 changed, 1 missing, 1 new, 1 moved, 1 copied, 1 duplicated; 44 B read; DIFFERENCES found\n",
            Some(1)
        )
    );
    let quiet = folder.run(&["audit", "-q", "M", "d"]);
    assert!(!quiet.out().contains("ok\t") && quiet.code == Some(1));
    assert_eq!(result_of(&folder.run(&["audit", "--status", "M", "d"])), (String::new(), "", Some(1)));
}

#[test]
fn audit_of_matching_files_is_equal() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/s/b", "")]);
    folder.write("d/SHA256SUMS", lines(&[(ABC, "./a"), (EMPTY, "s//b")]));
    let ran = folder.run(&["audit", "d/SHA256SUMS"]);
    let summary = "truesum: 2 files in the manifest; 2 ok; 3 B read; equal\n";
    assert_eq!(result_of(&ran), ("ok\ta\nok\ts/b\n".to_owned(), summary, Some(0)));
}

#[test]
fn moved_files_pass_audit_with_moved_ok() {
    let folder = Folder::with(&[("d/b", "abc")]);
    folder.write("M", lines(&[(ABC, "a")]));
    let ran = folder.run(&["audit", "M", "d"]);
    let summary = "truesum: 1 file in the manifest; 1 moved; 3 B read; DIFFERENCES found\n";
    assert_eq!(result_of(&ran), ("moved\tb\ta\n".to_owned(), summary, Some(1)));
    let ran = folder.run(&["audit", "--moved=ok", "M", "d"]);
    let summary = "truesum: 1 file in the manifest; 1 moved; 3 B read; identical except for their names\n";
    assert_eq!(result_of(&ran), ("moved\tb\ta\n".to_owned(), summary, Some(0)));
}

#[test]
fn changed_content_with_same_mtime_is_corrupt() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "abc"), ("d/c", "abc")]);
    let set_mtime = |name: &str, seconds| {
        let file = std::fs::File::options().write(true).open(folder.path(name)).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    };
    ["d/a", "d/b", "d/c"].iter().for_each(|name| set_mtime(name, 1_000_000_000));
    assert_eq!(folder.run(&["hash", "-t", "jsonl", "-o", "M", "--root", "d", "d"]).code, Some(0));
    for name in ["d/a", "d/b", "d/c"] {
        folder.write(name, "abd");
    }
    folder.write("d/c", "abcd");
    set_mtime("d/a", 1_000_000_000);
    set_mtime("d/b", 1_000_000_009);
    set_mtime("d/c", 1_000_000_000);
    for words in [&["audit", "M", "d"][..], &["diff", "M", "d"], &["diff", "d", "M"]] {
        let ran = folder.run(words);
        assert_eq!(
            (ran.out().as_str(), ran.code),
            ("corrupt\ta\nchanged\tb\ncorrupt\tc\n", Some(1)),
            "{words:?}"
        );
        assert!(ran.err.contains("hint: corrupt: the modification time did not change"), "{}", ran.err);
    }
}

#[test]
fn incomplete_audit_is_not_equal() {
    let folder = Folder::with(&[("d/a", "abc"), ("empty", "")]);
    folder.write("M", format!("{}oops\n", lines(&[(ABC, "a")])));
    let ran = folder.run(&["audit", "M", "d"]);
    let message = "truesum: M: line 2: not a checksum line\n\
                truesum: 1 file in the manifest; 1 ok, 1 malformed line; 3 B read; not everything could be compared\n";
    assert_eq!(result_of(&ran), ("ok\ta\n".to_owned(), message, Some(2)));
    assert_eq!(folder.run(&["audit", "--lenient", "M", "d"]).code, Some(0));
    assert_eq!(folder.run(&["audit", "empty", "d"]).code, Some(2));
    assert_eq!(folder.run(&["audit", "none", "d"]).code, Some(2));
    assert_eq!(folder.run(&["audit", "d"]).code, Some(2));
    folder.write("M", lines(&[(ABC, "a"), (OTHER, "a")]));
    let ran = folder.run(&["audit", "M", "d"]);
    assert!(
        ran.err.contains("line 2: a: an earlier entry for the same file has a different sha256 digest"),
        "{}",
        ran.err
    );
    assert_eq!(ran.code, Some(2));
}

#[test]
fn two_manifests_are_compared_without_reading_files() {
    let folder = Folder::new();
    folder.write("A", lines(&[(ABC, "same"), (OTHER, "changed"), (EMPTY, "x/old"), (OTHER, "gone")]));
    folder.write("B", lines(&[(EMPTY, "y/old"), (ABC, "changed"), (ABC, "./same"), (ABC, "more")]));
    let ran = folder.run(&["diff", "A", "B"]);
    let message = "changed\tchanged\nremoved\tgone\nadded\tmore\nmoved\ty/old\tx/old\n";
    assert_eq!(result_of(&ran), (message.to_owned(), "", Some(1)));
    assert_eq!(result_of(&folder.run(&["diff", "A", "A"])), (String::new(), "", Some(0)));
    assert_eq!(result_of(&folder.run(&["diff", "--status", "A", "B"])), (String::new(), "", Some(1)));
    let json = folder.run(&["diff", "--json", "A", "B"]).out();
    let objects: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(objects.len(), 5);
    assert!(objects.iter().all(|object| object["schema"] == "truesum-diff/1"));
    assert_eq!((&objects[0]["standing"], &objects[0]["path"]), (&"changed".into(), &"changed".into()));
    assert_eq!(objects[0]["listed"]["digests"]["sha256"], OTHER);
    assert_eq!(objects[0]["found"]["digests"]["sha256"], ABC);
    assert_eq!(objects[3]["from"]["path"], "x/old");
    let counts = ["ok", "changed", "removed", "added", "moved", "exit"].map(|name| objects[4][name].as_u64());
    assert_eq!(counts, [1, 1, 1, 1, 1, 1].map(Some));
}

#[test]
fn order_of_lines_does_not_affect_a_comparison() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "abc")]);
    let (md5, other) = ("900150983cd24fb0d6963f7d28e17f72", "d41d8cd98f00b204e9800998ecf8427e");
    let by_file =
        |of_a: &str| format!("MD5 (a) = {md5}\nSHA256 (a) = {of_a}\nMD5 (b) = {md5}\nSHA256 (b) = {ABC}\n");
    folder.write("A", by_file(ABC));
    folder.write("B", format!("MD5 (a) = {md5}\nMD5 (b) = {md5}\nSHA256 (b) = {ABC}\nSHA256 (a) = {ABC}\n"));
    folder.write(
        "C",
        format!("MD5 (a) = {md5}\nMD5 (b) = {other}\nSHA256 (a) = {OTHER}\nSHA256 (b) = {ABC}\n"),
    );
    for sides in [["A", "A"], ["A", "B"], ["B", "A"]] {
        let ran = folder.run(&["diff", sides[0], sides[1]]);
        assert_eq!(result_of(&ran), (String::new(), "", Some(0)), "{sides:?}");
    }
    let changed = "changed\ta\nchanged\tb\n";
    for sides in [["A", "C"], ["C", "A"], ["B", "C"]] {
        assert_eq!(folder.run(&["diff", sides[0], sides[1]]).out(), changed, "{sides:?}");
    }
    let audits = ["A", "B"].map(|name| folder.run(&["audit", name, "d"]));
    assert_eq!((audits[0].out(), audits[0].code), (audits[1].out(), audits[1].code));
    assert_eq!(audits[0].err.replace("A", "B"), audits[1].err);
    assert_eq!(audits[0].code, Some(0), "{}", audits[0].err);
}

#[test]
fn manifests_without_a_common_algorithm_are_not_compared() {
    let folder = Folder::new();
    folder.write("A", lines(&[(ABC, "a")]));
    folder.write("B", "900150983cd24fb0d6963f7d28e17f72  a\n");
    folder.write("none", "");
    let message = "truesum: 1 file could not be compared, because the two sides have no algorithm in common (sha256 on one side, md5 on the other)\n\
                hint: to compare each manifest with the files: truesum diff MANIFEST DIR\n";
    assert_eq!(result_of(&folder.run(&["diff", "A", "B"])), ("unknown\ta\n".to_owned(), message, Some(2)));
    let message = "truesum: nothing to compare: the manifest has no entries\n\
                hint: to compare the bytes of two files: cmp none none\n";
    assert_eq!(result_of(&folder.run(&["diff", "none", "none"])), (String::new(), message, Some(2)));
}

#[test]
fn file_with_different_size_is_not_read() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "abc")]);
    assert_eq!(folder.run(&["hash", "-t", "jsonl", "-o", "M", "--root", "d", "d"]).code, Some(0));
    folder.write("d/a", "longer");
    folder.write("d/c", "of no listed size");
    let ran = folder.run(&["diff", "-v", "M", "d"]);
    let message = "truesum: 2 files in OLD; 1 ok, 1 changed, 1 added; 3 B read; DIFFERENCES found\n";
    assert_eq!(result_of(&ran), ("changed\ta\nadded\tc\n".to_owned(), message, Some(1)));
    let back = folder.run(&["diff", "d", "M"]);
    assert_eq!(result_of(&back), ("changed\ta\nremoved\tc\n".to_owned(), "", Some(1)));
}

#[test]
fn two_folders_are_compared_by_size_and_content() {
    let folder = Folder::with(&[
        ("a/same", "abc"),
        ("b/same", "abc"),
        ("a/flip", "abc"),
        ("b/flip", "abd"),
        ("a/old", "moved"),
        ("b/s/new", "moved"),
        ("a/gone", "1"),
        ("b/more", "12"),
    ]);
    let ran = folder.run(&["diff", "a", "b"]);
    let message = "changed\tflip\nremoved\tgone\nadded\tmore\nmoved\ts/new\told\n";
    let ran = (ran.out(), ran.code);
    // If the clock is coarse, the times may be equal to the nanosecond, and the file is then reported as corrupt.
    assert_eq!((ran.0.replace("corrupt", "changed"), ran.1), (message.to_owned(), Some(1)));
    assert_eq!(result_of(&folder.run(&["diff", "a", "a"])), (String::new(), "", Some(0)));
}

#[test]
fn known_digest_sets_match_by_content() {
    let folder =
        Folder::with(&[("d/one", "abc"), ("d/two", ""), ("d/three", "other"), ("d/one-again", "abc")]);
    folder.write("good", lines(&[(ABC, "x/named otherwise"), (OTHER, "y")]));
    folder.write("more.md5", "d41d8cd98f00b204e9800998ecf8427e  empty\n");
    let ran = folder.run(&["audit", "-k", "good", "d"]);
    let summary = "truesum: 2 of 4 files known; 11 B read and compared with 2 entries\n";
    assert_eq!(result_of(&ran), ("known\td/one\nknown\td/one-again\n".to_owned(), summary, Some(1)));
    let ran = folder.run(&["audit", "-k", "good", "--unknown", "d"]);
    assert_eq!(result_of(&ran), ("unknown\td/three\nunknown\td/two\n".to_owned(), summary, Some(1)));
    let ran = folder.run(&["audit", "-k", "good", "-k", "more.md5", "--unknown", "d"]);
    let summary = "truesum: 3 of 4 files known; 11 B read and compared with 3 entries; md5: no protection against tampering\n";
    assert_eq!(result_of(&ran), ("unknown\td/three\n".to_owned(), summary, Some(1)));
    let ran = folder.run(&["audit", "-k", "good", "--digests", "d/one"]);
    assert_eq!((ran.out(), ran.code), (format!("known\td/one\tsha256:{ABC}\n"), Some(0)));
    let json = folder.run(&["audit", "-k", "good", "--json", "d/one"]).out();
    let objects: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (&objects[0]["standing"], &objects[0]["found"]["digests"]["sha256"]),
        (&"known".into(), &ABC.into())
    );
    assert_eq!((&objects[1]["known"], &objects[1]["exit"]), (&1.into(), &0.into()));
    // If an entry has several digests, all of them must match.
    folder.write("both", format!("SHA256 (a) = {ABC}\nMD5 (a) = d41d8cd98f00b204e9800998ecf8427e\n"));
    assert_eq!(folder.run(&["audit", "-q", "-k", "both", "d/one", "d/two"]).out(), "");
    assert_eq!(folder.run(&["audit", "-k", "none", "d"]).code, Some(2));
    folder.write("bad", format!("{}oops\n", lines(&[(ABC, "a")])));
    assert_eq!(folder.run(&["audit", "-k", "bad", "d/one"]).code, Some(2));
    assert_eq!(folder.run(&["audit", "--lenient", "-k", "bad", "d/one"]).code, Some(0));
    assert_eq!(folder.run(&["audit", "--unknown", "d"]).code, Some(2));
}

#[test]
fn digest_sets_without_paths_only_identify_known_files() {
    let folder = Folder::with(&[("d/one", "abc"), ("d/two", "other"), ("d/NSRLFile.txt", "abc")]);
    let md5 = "900150983cd24fb0d6963f7d28e17f72";
    let nsrl = format!(
        "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"\r\n\
         \"A9993E364706816ABA3E25717850C26C9CD0D89D\",\"{md5}\",\"352441C2\",\"one\",3,1,\"1\",\"\"\r\n"
    );
    let mut encase = b"HASH\r\n\xff\0\x02\0\0\0\x01\0\0\0\x01".to_vec();
    encase.resize(0x480, 0);
    encase.extend_from_slice(b"\x90\x01\x50\x98\x3c\xd2\x4f\xb0\xd6\x96\x3f\x7d\x28\xe1\x7f\x72\0\0");
    folder.write("set.txt", nsrl);
    folder.write("set.hash", encase);
    folder.write("set.hdb", format!("{md5}:3:Unwanted\n"));
    for set in ["set.txt", "set.hash", "set.hdb"] {
        let ran = folder.run(&["audit", "-k", set, "d"]);
        let message = ("known\td/NSRLFile.txt\nknown\td/one\n".to_owned(), Some(1));
        assert_eq!((ran.out(), ran.code), message, "{set}: {}", ran.err);
        // A name in such a set is not a file in the folder.
        let ran = folder.run(&["check", "--root", "d", set]);
        assert_eq!((ran.out().as_str(), ran.code), ("", Some(2)), "{set}: {}", ran.err);
        assert!(ran.err.contains("truesum audit --known SET FOLDER"), "{}", ran.err);
    }
}

#[test]
fn audit_of_a_bag_suggests_check() {
    let folder = Folder::with(&[("bag/bagit.txt", "BagIt-Version: 1.0\n"), ("bag/data/a", "abc")]);
    let message = "truesum: audit: bag is a bag (it contains bagit.txt)\n\
                hint: to verify the complete bag: truesum check bag\n";
    assert_eq!(result_of(&folder.run(&["audit", "bag"])), (String::new(), message, Some(2)));
    folder.write("bag/manifest-sha256.txt", lines(&[(ABC, "data/a")]));
    assert_eq!(
        folder.run(&["audit", "bag/manifest-sha256.txt", "bag"]).out(),
        "new\tbagit.txt\nok\tdata/a\n"
    );
}

#[test]
fn comparison_by_weak_digest_is_reported() {
    let folder = Folder::with(&[("d/a", "abc"), ("M", "CRC32 (a) = 352441c2\n")]);
    assert_eq!(folder.run(&["hash", "-a", "imohash", "-o", "S", "--root", "d", "d/a"]).code, Some(0));
    let ran = folder.run(&["diff", "M", "d"]);
    assert_eq!(
        result_of(&ran),
        (String::new(), "truesum: note: compared with crc32: no protection against tampering\n", Some(0))
    );
    assert_eq!(result_of(&folder.run(&["diff", "--status", "M", "d"])), (String::new(), "", Some(0)));
    // A new difference is reported; the other file is still equal only by a weak digest.
    folder.write("d/b", "");
    let ran = folder.run(&["diff", "M", "d"]);
    let message = "truesum: note: compared with crc32: no protection against tampering\n";
    assert_eq!(result_of(&ran), ("added\tb\n".to_owned(), message, Some(1)));
    std::fs::remove_file(folder.path("d/b")).unwrap();
    folder.write("d/a", "xyz");
    assert_eq!(result_of(&folder.run(&["diff", "M", "d"])), ("changed\ta\n".to_owned(), "", Some(1)));
    folder.write("d/a", "abc");
    let ran = folder.run(&["audit", "-a", "imohash", "S", "d"]);
    let message = "truesum: 1 file in the manifest; 1 ok; 3 B read; imohash: only samples are hashed, so most bytes were not compared; equal\n";
    assert_eq!(result_of(&ran), ("ok\ta\n".to_owned(), message, Some(0)));
}

#[test]
fn two_folders_are_compared_with_a_key() {
    let folder = Folder::with(&[("d/a", "abc"), ("e/a", "abc"), ("K", "an unmistakable key of 32 bytes!")]);
    let ran = folder.run(&["diff", "-a", "blake3", "--key-file", "K", "d", "e"]);
    assert_eq!((ran.out().as_str(), ran.code), ("", Some(0)), "{}", ran.err);
    folder.write("e/a", "abd");
    assert_eq!(folder.run(&["diff", "-a", "hmac-md5", "--key-file", "K", "d", "e"]).out(), "changed\ta\n");
}

#[test]
fn known_file_must_match_every_recorded_property() {
    // regression: sizes in sets were ignored, so that a forged file of another size was known.
    let folder = Folder::with(&[("d/a", "abc"), ("d/b", "abc")]);
    let md5 = "900150983cd24fb0d6963f7d28e17f72";
    for (size, code) in [(3, 0), (4, 1)] {
        folder.write("set", format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n{size},{md5},x\n"));
        assert_eq!(folder.run(&["audit", "-k", "set", "d"]).code, Some(code), "{size}");
    }
}

#[test]
fn ambiguous_move_is_not_reported_as_moved() {
    // regression: one of several equal files was reported as moved, although another one may have been.
    let moves = |new: &[&str], old: &[&str]| {
        let folder = Folder::new();
        folder.write("d/other", "x");
        new.iter().for_each(|name| folder.write(format!("d/{name}"), "abc"));
        let entries: Vec<_> = old.iter().map(|name| (ABC, *name)).collect();
        folder.write("M", lines(&entries));
        // All files were renamed after the manifest was written.
        set_mtime(&folder, "M", UNIX_EPOCH + Duration::from_secs(1_000_000_000));
        folder.run(&["audit", "M", "d"]).out().replace("new\tother\n", "")
    };
    assert_eq!(moves(&["c"], &["a"]), "moved\tc\ta\n");
    assert_eq!(moves(&["c", "e"], &["a"]), "moved\tc\ta\tone of 2 possible moves\ncopied\te\ta\n");
    assert_eq!(moves(&["c"], &["a", "b"]), "missing\tb\nmoved\tc\ta\tone of 2 possible moves\n");
    let both = "moved\tc\ta\tone of 2 possible moves\nmoved\te\tb\tone of 2 possible moves\n";
    assert_eq!(moves(&["c", "e"], &["a", "b"]), both);
    // A file that keeps its folder or its base name is more likely than others.
    assert_eq!(moves(&["c", "s/e"], &["a"]), "moved\tc\ta\ncopied\ts/e\ta\n");
    assert_eq!(moves(&["s/a", "s/b"], &["a", "b"]), "moved\ts/a\ta\nmoved\ts/b\tb\n");
    let folder = Folder::with(&[("d/c", "abc"), ("d/e", "abc"), ("M", &lines(&[(ABC, "a"), (ABC, "b")]))]);
    let ran = folder.run(&["audit", "--json", "M", "d"]);
    assert_eq!(ran.out().matches("\"from\":{\"path\":\"a\"},\"candidates\":2,").count(), 1, "{}", ran.out());
}

#[test]
fn folder_without_files_of_the_manifest_is_no_success() {
    // regression: audit and update reported success although the folder, such as an empty mount point, has none of them.
    let folder = Folder::with(&[("a", "abc"), ("S", &lines(&[(ABC, "a")]))]);
    std::fs::create_dir(folder.path("empty")).unwrap();
    for words in
        [&["audit", "S", "empty"][..], &["update", "S", "empty"], &["update", "--prune", "S", "empty"]]
    {
        let ran = folder.run(words);
        assert!(ran.code == Some(2) && ran.err.contains("nothing was compared"), "{words:?}: {ran:?}");
        assert_eq!(folder.read("S"), lines(&[(ABC, "a")]).as_bytes(), "{words:?}");
    }
}

#[test]
fn weak_algorithm_that_was_not_compared_alone_is_not_reported() {
    // regression: the note named an algorithm that only one side has.
    let folder = Folder::with(&[("a", "abc")]);
    for (name, algorithms) in
        [("both", "md5,sha256"), ("sha", "sha256"), ("md", "md5"), ("more", "md5,blake3")]
    {
        assert_eq!(folder.run(&["hash", "-a", algorithms, "-t", "bsd", "-o", name, "a"]).code, Some(0));
    }
    for (one, other, is_weak) in [
        ("both", "sha", false),
        ("both", "both", false),
        ("both", "md", true),
        ("md", "both", true),
        ("both", "more", true),
    ] {
        let ran = folder.run(&["diff", one, other]);
        assert_eq!(
            (ran.code, ran.err.contains("compared with md5")),
            (Some(0), is_weak),
            "{one} {other}: {}",
            ran.err
        );
    }
}

#[test]
fn files_with_piece_digests_are_compared_by_their_pieces() {
    let folder =
        Folder::with(&[("set/a", "abcdefgh"), ("set/b", "ijkl"), ("set/c", "mn"), ("d/set/a", "abcdefgh")]);
    let create = ["torrent", "create", "--protocol=v1", "--piece-size=16KiB", "-o", "old.torrent", "set"];
    assert_eq!(folder.run(&create).code, Some(0));
    let pieces = |name: &str, range: &str, text: &[u8]| {
        let digest = folder.feed(&["hash", "-a", "md5", "-"], text).out()[..32].to_owned();
        format!("{digest}  {name} offset {range}\n")
    };
    let rows =
        [pieces("set/a", "0-3", b"abcd"), pieces("set/a", "4-7", b"efgh"), pieces("set/b", "0-3", b"ijkl")];
    folder.write("old.md5", rows.concat());
    folder.write("fewer.md5", rows[..2].concat());
    let changed = rows[1].replace(&rows[1][..32], &rows[0][..32]);
    folder.write("changed.md5", [&rows[0], &changed, &rows[2]].map(String::as_str).concat());
    let wide = pieces("set/a", "0-1", b"ab") + &pieces("set/a", "2-7", b"cdefgh") + &rows[2];
    folder.write("wide.md5", wide);

    // A torrent has one piece for the three files, which differs if one of them does.
    for (words, out, code) in [
        (&["audit", "--only=set/*", "old.torrent"][..], "ok\tset/a\nok\tset/b\nok\tset/c\n", 0),
        (&["audit", "--only=set/*", "old.md5"], "ok\tset/a\nok\tset/b\nnew\tset/c\n", 1),
        (&["diff", "old.torrent", "set"], "", 0),
        (&["diff", "old.md5", "old.md5"], "", 0),
        (&["diff", "old.md5", "fewer.md5"], "removed\tset/b\n", 1),
        (&["diff", "old.md5", "changed.md5"], "changed\tset/a\n", 1),
        (&["diff", "old.md5", "wide.md5"], "unknown\tset/a\n", 2),
        (&["diff", "old.torrent", "old.torrent"], "", 0),
        (&["diff", "old.torrent", "old.md5"], "unknown\tset/a\nunknown\tset/b\nremoved\tset/c\n", 1),
    ] {
        let ran = folder.run(words);
        assert_eq!((ran.out().as_str(), ran.code), (out, Some(code)), "{words:?} {}", ran.err);
    }
    let ran = folder.run(&["audit", "--only=set/*", "old.torrent"]);
    assert!(ran.err.contains("sha1: no protection against tampering"), "{}", ran.err);

    folder.write("set/a", "abcdEfgh");
    std::fs::remove_file(folder.path("set/c")).unwrap();
    for (words, out) in [
        (["audit", "--only=set/*", "old.md5"], "changed\tset/a\nok\tset/b\n"),
        (["diff", "old.md5", "set"], "changed\tset/a\n"),
    ] {
        let ran = folder.run(&words);
        assert_eq!((ran.out().as_str(), ran.code), (out, Some(1)), "{words:?} {}", ran.err);
    }
    // The only piece of the torrent also has bytes of the missing file.
    let ran = folder.run(&["audit", "--only=set/*", "old.torrent"]);
    let out = "unknown\tset/a\nunknown\tset/b\nmissing\tset/c\n";
    assert_eq!((ran.out().as_str(), ran.code), (out, Some(1)), "{}", ran.err);
}

#[test]
fn alternative_digests_of_an_artifact_are_accepted() {
    let folder = Folder::with(&[("a.jar", "abc")]);
    let metadata = |main: &str, other: &str| {
        format!(
            "<verification-metadata><components><component><artifact name=\"a.jar\"><sha256 value=\"{main}\">\
             <also-trust value=\"{other}\"/></sha256></artifact></component></components></verification-metadata>"
        )
    };
    for (main, other, code) in [(ABC, OTHER, 0), (OTHER, ABC, 0), (OTHER, EMPTY, 1)] {
        folder.write("m.xml", metadata(main, other));
        for words in [["check", "m.xml"], ["audit", "m.xml"]] {
            let ran = folder.run(&words);
            assert_eq!(ran.code, Some(code), "{words:?} {main} {other}: {} {}", ran.out(), ran.err);
        }
    }
    // regression: an alternative in one manifest was accepted although another manifest has only the other digest.
    folder.write("m.xml", metadata(OTHER, ABC));
    folder.write("strict.sha256", format!("{OTHER}  a.jar\n"));
    for words in [["audit", "m.xml", "strict.sha256"], ["audit", "strict.sha256", "m.xml"]] {
        let ran = folder.run(&words);
        assert_eq!(ran.code, Some(1), "{words:?}: {} {}", ran.out(), ran.err);
        assert!(ran.out().contains("changed\ta.jar\n"), "{words:?}: {}", ran.out());
    }
    // Other formats have only one digest of an algorithm.
    let ran = folder.run(&["convert", "-o", "SHA256SUMS", "m.xml"]);
    assert!(ran.code != Some(0) && ran.err.contains("alternative digest"), "{}", ran.err);
}
