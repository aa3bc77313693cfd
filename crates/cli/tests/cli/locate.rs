//! `truesum check --locate`: a failed file, and what its stored tree says of it.

use crate::bytes::{self, noise};
use crate::program::{Folder, Ran};
use serde_json::{Value, json};

const MIB: usize = 1 << 20;

/// A folder with `data` of five mebibytes and some, listed in `M` by SHA-256, its tree in `data.ftr`.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("data", noise(5 * MIB + 17));
    folder.write("small", "small");
    assert_eq!(folder.run(&["hash", "-o", "M", "data", "small"]).code, Some(0));
    assert_eq!(folder.run(&["tree", "--save", "data"]).code, Some(0));
    folder
}

fn flip(folder: &Folder, name: &str, at: usize) {
    bytes::flip(&folder.path(name), at as u64);
}

/// What follows the digests of the only entry that failed.
fn below(ran: &Ran) -> String {
    assert_eq!(ran.code, Some(1), "{}\n{}", ran.out(), ran.err);
    let lines = ran.out();
    let below = lines.lines().skip_while(|line| !line.contains("  actual   sha256"));
    below.skip(1).take_while(|line| line.starts_with("  ")).map(|line| format!("{line}\n")).collect()
}

/// The record of the entry called `data`.
fn record(ran: &Ran) -> Value {
    let lines = ran.out();
    let mut objects = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    objects.find(|object| object["path"] == "data").unwrap()
}

#[test]
fn damaged_ranges_stand_below_the_failed_line() {
    let folder = folder();
    assert!(
        !folder.run(&["check", "--locate", "M"]).out().contains("ftr"),
        "good files have nothing to locate"
    );
    flip(&folder, "data", 3 * MIB);
    flip(&folder, "data", 5 * MIB + 16);
    let ran = folder.run(&["check", "--locate", "M"]);
    assert_eq!(
        below(&ran),
        "  3145728 1048576 damaged\n  5242880 17 damaged\n  file damaged: 2 damaged ranges, up to 1,048,593 bytes damaged\n"
    );
    assert!(ran.err.contains("tree repair --from COPY"), "{}", ran.err);
    assert!(below(&folder.run(&["check", "--locate", "--map", "M"])).contains(".#"), "a picture");
    let entry = record(&folder.run(&["check", "--locate", "--json", "M"]));
    assert_eq!(entry["located"]["verdict"], "file damaged");
    assert_eq!(entry["located"]["damaged"], json!([[3 * MIB, MIB], [5 * MIB, 17]]));
    assert_eq!(entry["located"]["tree"], "data.ftr");
    assert_eq!(folder.run(&["check", "--locate", "--status", "M"]).code, Some(2));
    let quiet = folder.run(&["check", "--locate", "--quiet", "M"]);
    assert!(below(&quiet).contains("5242880 17 damaged"));
    assert!(!folder.run(&["check", "M"]).out().contains("5242880"), "only when asked");
}

#[test]
fn lengths_that_differ_are_explained() {
    let folder = folder();
    let whole = folder.read("data");
    folder.write("data", &whole[..2 * MIB]);
    let text = below(&folder.run(&["check", "--locate", "M"]));
    assert!(text.contains("  2097152 3145745 missing\n"), "{text}");
    assert!(text.contains("truncated: 3,145,745 bytes are missing at the end"), "{text}");
    folder.write("data", [&whole[..4 * MIB], b"new", &whole[4 * MIB..]].concat());
    let text = below(&folder.run(&["check", "--locate", "M"]));
    assert!(text.contains("shifted: 3 bytes were inserted before offset 4194304"), "{text}");
}

#[test]
fn without_a_tree_there_is_advice_for_next_time() {
    let folder = folder();
    folder.write("small", "other");
    let ran = folder.run(&["check", "--locate", "M"]);
    assert_eq!(below(&ran), "  not located: no stored tree small.ftr\n");
    assert!(ran.err.contains("truesum tree --save FILE"), "{}", ran.err);
    let ran = folder.run(&["check", "--locate", "--json", "M"]);
    assert!(
        ran.out().contains("\"located\":{\"tree\":\"small.ftr\",\"verdict\":\"no tree\"}"),
        "{}",
        ran.out()
    );
    std::fs::remove_file(folder.path("small")).unwrap();
    let ran = folder.run(&["check", "--locate", "M"]);
    assert!(!ran.out().contains("located"), "what is missing is not damaged: {}", ran.out());
}

#[test]
fn trees_are_found_in_a_folder_of_their_own() {
    let folder = folder();
    std::fs::create_dir_all(folder.path("sub")).unwrap();
    std::fs::create_dir_all(folder.path("trees/sub")).unwrap();
    std::fs::rename(folder.path("data"), folder.path("sub/data")).unwrap();
    std::fs::rename(folder.path("data.ftr"), folder.path("trees/sub/data.ftr")).unwrap();
    folder.run(&["hash", "-o", "M", "sub/data"]);
    flip(&folder, "sub/data", 0);
    let text = below(&folder.run(&["check", "--locate", "--trees", "trees", "M"]));
    assert!(text.contains("  0 1048576 damaged\n"), "{text}");
    assert!(below(&folder.run(&["check", "--locate", "M"])).contains("no stored tree sub/data.ftr"));
    assert_eq!(folder.run(&["check", "--locate", "--trees", "nowhere", "M"]).code, Some(2));
    assert_eq!(folder.run(&["check", "--trees", "trees", "M"]).code, Some(2));
    // A tree is not looked for outside what a check may read.
    std::fs::rename(folder.path("trees"), folder.path("hidden")).unwrap();
    std::fs::create_dir(folder.path("trees")).unwrap();
    std::os::unix::fs::symlink("../hidden/sub", folder.path("trees/sub")).unwrap();
    let text = below(&folder.run(&["check", "--locate", "--trees", "trees", "M"]));
    assert!(text.contains("cannot tell") && text.contains("leads out of the folder"), "{text}");
}

#[test]
fn damaged_trees_and_trees_of_another_state_are_told_from_damaged_files() {
    let folder = folder();
    let (data, tree) = (folder.read("data"), folder.read("data.ftr"));
    flip(&folder, "data", MIB);
    let see = || {
        let text = below(&folder.run(&["check", "--locate", "M"]));
        (text, record(&folder.run(&["check", "--locate", "--json", "M"]))["located"].clone())
    };
    // An entry of the row.
    flip(&folder, "data.ftr", 8192);
    let (text, located) = see();
    assert!(text.contains("cannot tell whether the file or the tree is damaged"), "{text}");
    assert_eq!(located["verdict"], "cannot tell");
    // Both superblocks.
    flip(&folder, "data.ftr", 100);
    flip(&folder, "data.ftr", 4196);
    let (text, located) = see();
    assert!(text.starts_with("  tree damaged: the stored tree is damaged: "), "{text}");
    assert_eq!(located["verdict"], "tree damaged");
    folder.write("data.ftr", "something else");
    let (text, located) = see();
    assert!(text.contains("cannot tell: not a stored tree"), "{text}");
    assert_eq!(located["verdict"], "cannot tell");
    // The tree of the file as it is: then it is the manifest that disagrees. No other file is replaced by it.
    assert_eq!(folder.run(&["tree", "--save", "data"]).code, Some(2));
    std::fs::remove_file(folder.path("data.ftr")).unwrap();
    folder.run(&["tree", "--save", "data"]);
    let (text, located) = see();
    assert!(text.contains("intact according to data.ftr: the file matches its stored tree"), "{text}");
    assert_eq!(located["verdict"], "intact");
    assert!(located["reason"].as_str().unwrap().contains("disagree"));
    // A manifest that holds the tree's digest knows whose tree it is.
    folder.write("good", data);
    let lines = folder.run(&["tree", "good"]).out().replace("good", "data");
    folder.write("M", lines);
    let ran = folder.run(&["check", "--locate", "M"]);
    assert!(
        ran.out().contains("  not located: data.ftr belongs to another version of the file"),
        "{}",
        ran.out()
    );
    assert_eq!(ran.code, Some(1));
    folder.write("data.ftr", tree);
    let ran = folder.run(&["check", "--locate", "M"]);
    assert!(ran.out().contains("  1048576 1048576 damaged\n"), "{}", ran.out());
}

#[test]
fn a_page_holds_all_files_that_failed() {
    let folder = folder();
    let page = || {
        let ran = folder.run(&["check", "--locate", "--quiet", "--map-html", "page.html", "M"]);
        (String::from_utf8(folder.read("page.html")).unwrap(), ran.code)
    };
    let (text, code) = page();
    assert!(text.contains("No file failed.") && code == Some(0), "{text}");
    flip(&folder, "data", 3 * MIB);
    folder.write("small", "other");
    let (text, code) = page();
    assert_eq!(code, Some(1));
    assert!(text.contains(">3,145,728</a></td><td>1,048,576</td><td>damaged</td>"), "{text}");
    assert!(text.contains("not located: no stored tree small.ftr"), "{text}");
    let ran = folder.run(&["check", "--locate", "--map-html", "nowhere/page.html", "M"]);
    assert!(ran.code == Some(1) && ran.err.contains("nowhere/page.html"), "{}", ran.err);
}

/// A folder with `data` and its outboard, which other programs read too.
fn outboard() -> Folder {
    let folder = Folder::new();
    folder.write("data", noise(3 * MIB + 17));
    let ran = folder.run(&["tree", "--save", "--format", "obao4", "data"]);
    assert!(ran.out().starts_with("BLAKE3 (data) = ") && ran.code == Some(0), "{} {}", ran.out(), ran.err);
    folder
}

#[test]
fn a_list_of_pieces_says_where_its_file_is_damaged_and_mends_it() {
    let folder = outboard();
    assert_eq!(folder.run(&["check", "data.obao4"]).out(), "data: OK\n");
    folder.write("copy", folder.read("data"));
    flip(&folder, "data", MIB + 5);
    let ran = folder.run(&["check", "--locate", "data.obao4"]);
    assert_eq!(
        (ran.out().as_str(), ran.code),
        (
            "data: FAILED\n  1048576 16384 damaged\n  file damaged: 1 damaged range, up to 16,384 bytes damaged\n",
            Some(1)
        )
    );
    assert!(ran.err.contains("truesum tree repair --from COPY LIST"), "{}", ran.err);
    let entry = record(&folder.run(&["check", "--locate", "--json", "data.obao4"]));
    assert_eq!(entry["located"]["list"], "data.obao4");
    assert_eq!(entry["located"]["verdict"], "file damaged");
    assert_eq!(entry["located"]["damaged"], json!([[MIB, 16384]]));
    assert_eq!(entry["located"]["by"], "blake3");
    let map = folder.run(&["check", "--locate", "--map", "data.obao4"]).out();
    assert!(map.contains(".#"), "{map}");
    let tried = folder.run(&["tree", "repair", "--dry-run", "--from", "copy", "data.obao4"]);
    assert_eq!(
        (tried.out().as_str(), tried.code),
        ("1048576 16384 would be repaired: 4096 bytes to write\n", Some(1))
    );
    let done = folder.run(&["tree", "repair", "--from", "copy", "data.obao4"]);
    assert_eq!((done.out().as_str(), done.code), ("1048576 16384 repaired: 4096 bytes written\n", Some(0)));
    assert!(done.err.contains("data: repaired and verified; every byte matches"), "{}", done.err);
    let again = folder.run(&["tree", "repair", "--from", "copy", "data.obao4"]);
    assert!(again.err.contains("data: intact, nothing to repair") && again.code == Some(0), "{}", again.err);
    // Another file of that name.
    let other = noise(folder.read("data").len()).iter().map(|byte| !byte).collect::<Vec<u8>>();
    folder.write("data", &other);
    let planned = folder.run(&["tree", "repair", "--dry-run", "--from", "copy", "data.obao4"]);
    assert!(planned.err.contains("more than half: use --most to allow that"), "{}", planned.err);
    let refused = folder.run(&["tree", "repair", "--from", "copy", "data.obao4"]);
    assert_eq!((refused.out().as_str(), refused.code), ("", Some(2)), "{}", refused.err);
    assert!(
        refused.err.contains("it may be a different file\nhint: if it is the right file, use --most"),
        "{}",
        refused.err
    );
    assert_eq!(folder.read("data"), other);
    assert_eq!(folder.run(&["tree", "repair", "--most", "--from", "copy", "data.obao4"]).code, Some(0));
    // An outboard is not written over anything.
    assert_eq!(folder.run(&["tree", "--save", "--format", "obao4", "data"]).code, Some(2));
}

#[test]
fn the_file_of_a_list_may_have_any_name() {
    let folder = outboard();
    std::fs::create_dir(folder.path("sub")).unwrap();
    std::fs::rename(folder.path("data"), folder.path("sub/other")).unwrap();
    assert!(folder.run(&["check", "data.obao4"]).out().contains("MISSING"));
    let good = "data: OK (as sub/other)\n";
    let ran = folder.run(&["check", "--locate", "data.obao4", "sub/other"]);
    assert_eq!((ran.out().as_str(), ran.code), (good, Some(0)), "{}", ran.err);
    std::fs::rename(folder.path("sub/other"), folder.path("sub/data")).unwrap();
    let ran = folder.run(&["check", "--locate", "data.obao4", "sub"]);
    assert_eq!((ran.out().as_str(), ran.code), ("data: OK\n", Some(0)), "{}", ran.err);
    // A list whose own name says nothing.
    std::fs::rename(folder.path("data.obao4"), folder.path("nodes")).unwrap();
    let ran = folder.run(&["check", "--format", "obao4", "nodes"]);
    assert!(
        ran.code == Some(2) && ran.err.contains("neither the list nor its name specifies the file"),
        "{}",
        ran.err
    );
    let ran = folder.run(&["check", "--format", "obao4", "--data", "sub/data", "nodes"]);
    assert_eq!((ran.out().as_str(), ran.code), ("sub/data: OK\n", Some(0)), "{}", ran.err);
    // Bytes by chance look like lines of JSON.
    let chance = b"\xff\xfe\0\x01\x02\0\n{\xff\xff\0\0\xff\x01\0\xff\xff\n\0\xff";
    folder.write("chance", [chance, &noise(100_000)[..]].concat());
    assert_eq!(folder.run(&["tree", "--save", "--format", "obao4", "chance"]).code, Some(0));
    let ran = folder.run(&["check", "--locate", "chance.obao4", "chance"]);
    assert_eq!((ran.out().as_str(), ran.code), ("chance: OK\n", Some(0)), "{}", ran.err);
    // Of several files one is none of all.
    folder.write("a", "a");
    folder.write("b", "b");
    folder.run(&["hash", "-o", "M", "a", "b"]);
    let ran = folder.run(&["check", "--data", "a", "M"]);
    assert!(ran.code == Some(2) && ran.err.contains("an entry for a different file"), "{}", ran.err);
}

/// Writes `set.torrent` of `copies/set`.
fn torrent_of_copies(folder: &Folder, format: &str) {
    let mut command = folder.command();
    command.args(["hash", "-t", format, "-o", "../set.torrent", "--root", ".", "set"]);
    let made: Ran = command.current_dir(folder.path("copies")).output().unwrap().into();
    assert_eq!(made.code, Some(0), "{}", made.err);
}

#[test]
fn one_file_for_two_entries_is_not_mended() {
    let folder = Folder::new();
    let (good, mut bad) = (noise(600_000), noise(600_000));
    bad[300_000] ^= 1;
    folder.write("copies/set/a", &good);
    folder.write("copies/set/b", &bad);
    torrent_of_copies(&folder, "torrent");
    folder.write("set/a", &good);
    std::fs::hard_link(folder.path("set/a"), folder.path("set/b")).unwrap();
    for mode in [
        &["tree", "repair", "--from", "copies", "set.torrent"][..],
        &["tree", "repair", "--most", "--from", "copies", "set.torrent"],
    ] {
        let ran = folder.run(mode);
        assert!(ran.code == Some(1) && ran.err.contains("is the same file"), "{:?} {}", ran.code, ran.err);
        assert_eq!(folder.read("set/a"), good);
    }
    std::fs::remove_file(folder.path("set/b")).unwrap();
    std::os::unix::fs::symlink("a", folder.path("set/b")).unwrap();
    let ran = folder.run(&["tree", "repair", "--from", "copies", "set.torrent"]);
    assert!(ran.code != Some(0), "{}", ran.err);
    assert_eq!(folder.read("set/a"), good);
}

#[test]
fn a_list_that_can_be_read_but_once_is_not_looked_at_before_it_is_read() {
    let folder = Folder::with(&[("a", "abc")]);
    folder.pipe("list");
    let ran = folder.run(&["check", "--locate", "list", "a"]);
    let said = "truesum: --locate: list can be read only once, so its format cannot be detected first\n\
                hint: specify the data file with --data FILE, or the folder of the files with --root DIR\n";
    assert_eq!((ran.out().as_str(), ran.err.as_str(), ran.code), ("", said, Some(2)));
    let list = format!("{}  a\n", crate::program::ABC);
    let ran = folder.feed(&["check", "--locate", "-", "a"], list.as_bytes());
    assert_eq!((ran.out().as_str(), ran.code), ("", Some(2)), "{}", ran.err);
    let ran = folder.feed(&["check", "--locate", "--data", "a"], list.as_bytes());
    assert_eq!((ran.out().as_str(), ran.code), ("a: OK\n", Some(0)), "{}", ran.err);
}

#[test]
fn of_a_file_of_one_piece_an_outboard_has_no_digest_and_that_is_said() {
    for (format, length) in [("obao", 1024), ("obao4", 16 << 10)] {
        let folder = Folder::new();
        for (name, more, notes) in [("short", 0, 1), ("long", 1, 0)] {
            folder.write(name, vec![7; length + more]);
            let ran = folder.run(&["tree", "--save", "--format", format, name]);
            let said = format!(
                "note: {name} is so short that {name}.{format} contains no hash: only its BLAKE3 digest verifies it\n"
            );
            assert_eq!((ran.err.matches(&said).count(), ran.code), (notes, Some(0)), "{}", ran.err);
            // Whatever it is changed to: of nothing nothing is verified.
            folder.write(name, vec![8; length + more]);
            let ran = folder.run(&["check", "--locate", &format!("{name}.{format}")]);
            assert_eq!(ran.code, Some(1 + notes as i32), "{}", ran.err);
        }
    }
}

#[test]
fn a_file_that_is_given_is_called_so_where_it_is_mended() {
    let folder = outboard();
    folder.write("copies/data", folder.read("data"));
    std::fs::rename(folder.path("data"), folder.path("other")).unwrap();
    let repair = |copy: &str, file: &str| folder.run(&["tree", "repair", "--from", copy, "data.obao4", file]);
    let ran = repair("copies", "none");
    assert_eq!(
        (ran.err.as_str(), ran.code),
        ("truesum: none: cannot open: No such file or directory\n", Some(1))
    );
    for copy in ["copies", "copies/data"] {
        flip(&folder, "other", MIB + 5);
        let ran = repair(copy, "other");
        assert!(ran.err.contains("truesum: other: repaired and verified"), "{}", ran.err);
        assert_eq!(ran.code, Some(0));
    }
}

#[test]
fn that_a_list_does_not_tell_the_length_is_said() {
    let folder = Folder::new();
    let mut file = noise(3 * 4096 + 104);
    let (mut padded, mut node) = (file.clone(), Vec::new());
    padded.resize(4 * 4096, 0);
    for block in padded.chunks(4096) {
        node.extend(folder.feed(&["hash", "--raw", "-"], block).out);
    }
    node.resize(4096, 0);
    folder.write("data.merkle", node);
    let note = "note: data: its size is not in the manifest, so trailing zeros in the last block were not verified\n";
    for length in [file.len(), file.len() + 8, file.len() + 3] {
        file.resize(length, 0);
        folder.write("data", &file);
        let ran = folder.run(&["check", "--only", "data", "data.merkle"]);
        assert!(ran.code == Some(0) && ran.err.contains(note), "{length}: {}", ran.err);
        let ran = folder.run(&["check", "--json", "data.merkle"]);
        assert!(ran.code == Some(0) && !ran.out().contains("expected_size"), "{}", ran.out());
    }
    folder.write("copy", &file);
    flip(&folder, "data", 9);
    let ran = folder.run(&["tree", "repair", "--from", "copy", "data.merkle"]);
    assert!(ran.code == Some(0) && ran.err.contains(note), "{}", ran.err);
}

#[test]
fn what_cannot_be_mended_is_named_as_it_is_found() {
    let folder = outboard();
    folder.write("copy", folder.read("data"));
    folder.write("d/M", crate::program::lines(&[(crate::program::ABC, "a")]));
    std::fs::create_dir(folder.path("e")).unwrap();
    let ran = folder.run(&["tree", "repair", "--from", "copy", "data.obao4", "e"]);
    assert_eq!(
        (ran.code, &ran.err[..]),
        (Some(1), "truesum: e/data: cannot open: No such file or directory\n")
    );
    std::fs::rename(folder.path("data.obao4"), folder.path("e/data.obao4")).unwrap();
    let ran = folder.run(&["tree", "repair", "--from", "copy", "e/data.obao4"]);
    assert_eq!(
        (ran.code, &ran.err[..]),
        (Some(1), "truesum: e/data: cannot open: No such file or directory\n")
    );
    let ran = folder.run(&["tree", "repair", "--from", "copy", "e/data.obao4", "gone"]);
    assert_eq!(
        (ran.code, &ran.err[..]),
        (Some(1), "truesum: gone: cannot open: No such file or directory\n")
    );
    let ran = folder.run(&["tree", "repair", "--from", "copy", "d/M"]);
    assert!(ran.code == Some(2) && ran.err.contains("it has digests of complete files only"), "{}", ran.err);
}
