//! `truesum check --locate`: the damaged ranges of a failed file according to its stored tree.

use crate::bytes::{self, noise};
use crate::program::{Folder, RunResult};
use serde_json::{Value, json};

const MIB: usize = 1 << 20;

/// Returns a folder with `data` of more than five mebibytes, its SHA-256 digest in `M`, and its tree in `data.ftr`.
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

/// Returns the lines after the digests of the only entry that failed.
fn lines_below_failure(ran: &RunResult) -> String {
    assert_eq!(ran.code, Some(1), "{}\n{}", ran.out(), ran.err);
    let lines = ran.out();
    let below = lines.lines().skip_while(|line| !line.contains("  actual   sha256"));
    below.skip(1).take_while(|line| line.starts_with("  ")).map(|line| format!("{line}\n")).collect()
}

/// Returns the JSON record of the entry `data`.
fn record(ran: &RunResult) -> Value {
    let lines = ran.out();
    let mut objects = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    objects.find(|object| object["path"] == "data").unwrap()
}

#[test]
fn damaged_ranges_are_printed_below_the_failed_line() {
    let folder = folder();
    assert!(
        !folder.run(&["check", "--locate", "M"]).out().contains("ftr"),
        "good files have nothing to locate"
    );
    flip(&folder, "data", 3 * MIB);
    flip(&folder, "data", 5 * MIB + 16);
    let ran = folder.run(&["check", "--locate", "M"]);
    assert_eq!(
        lines_below_failure(&ran),
        "  3145728 1048576 damaged\n  5242880 17 damaged\n  file damaged: 2 ranges, up to 1,048,593 bytes\n"
    );
    assert!(ran.err.contains("truesum tree repair --from COPY data.ftr\n"), "{}", ran.err);
    assert!(
        lines_below_failure(&folder.run(&["check", "--locate", "--map", "M"])).contains(".#"),
        "a picture"
    );
    let entry = record(&folder.run(&["check", "--locate", "--json", "M"]));
    assert_eq!(entry["located"]["verdict"], "file damaged");
    assert_eq!(entry["located"]["damaged"], json!([[3 * MIB, MIB], [5 * MIB, 17]]));
    assert_eq!(entry["located"]["tree"], "data.ftr");
    assert_eq!(folder.run(&["check", "--locate", "--status", "M"]).code, Some(2));
    let quiet = folder.run(&["check", "--locate", "--quiet", "M"]);
    assert!(lines_below_failure(&quiet).contains("5242880 17 damaged"));
    assert!(!folder.run(&["check", "M"]).out().contains("5242880"), "only when asked");
}

#[test]
fn truncated_and_shifted_files_are_diagnosed() {
    let folder = folder();
    let whole = folder.read("data");
    folder.write("data", &whole[..2 * MIB]);
    let text = lines_below_failure(&folder.run(&["check", "--locate", "M"]));
    assert!(text.contains("  2097152 3145745 missing\n"), "{text}");
    assert!(text.contains("truncated: 3,145,745 bytes are missing at the end"), "{text}");
    folder.write("data", [&whole[..4 * MIB], b"new", &whole[4 * MIB..]].concat());
    let text = lines_below_failure(&folder.run(&["check", "--locate", "M"]));
    assert!(text.contains("shifted: 3 bytes were inserted before offset 4194304"), "{text}");
}

#[test]
fn missing_tree_gets_advice() {
    let folder = folder();
    folder.write("small", "other");
    let ran = folder.run(&["check", "--locate", "M"]);
    assert_eq!(
        lines_below_failure(&ran),
        "  damage not located, because there is no stored tree small.ftr\n"
    );
    assert!(
        ran.err.contains(
            "truesum tree --save COPY; then locate the damage: truesum tree verify COPY.ftr small\n"
        ),
        "{}",
        ran.err
    );
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
fn trees_are_found_in_a_separate_folder() {
    let folder = folder();
    std::fs::create_dir_all(folder.path("sub")).unwrap();
    std::fs::create_dir_all(folder.path("trees/sub")).unwrap();
    std::fs::rename(folder.path("data"), folder.path("sub/data")).unwrap();
    std::fs::rename(folder.path("data.ftr"), folder.path("trees/sub/data.ftr")).unwrap();
    folder.run(&["hash", "-o", "M", "sub/data"]);
    flip(&folder, "sub/data", 0);
    let text = lines_below_failure(&folder.run(&["check", "--locate", "--trees", "trees", "M"]));
    assert!(text.contains("  0 1048576 damaged\n"), "{text}");
    assert!(
        lines_below_failure(&folder.run(&["check", "--locate", "M"])).contains("no stored tree sub/data.ftr")
    );
    assert_eq!(folder.run(&["check", "--locate", "--trees", "nowhere", "M"]).code, Some(2));
    assert_eq!(folder.run(&["check", "--trees", "trees", "M"]).code, Some(2));
    // A tree outside the folder that the check may read is not used.
    std::fs::rename(folder.path("trees"), folder.path("hidden")).unwrap();
    std::fs::create_dir(folder.path("trees")).unwrap();
    std::os::unix::fs::symlink("../hidden/sub", folder.path("trees/sub")).unwrap();
    let text = lines_below_failure(&folder.run(&["check", "--locate", "--trees", "trees", "M"]));
    assert!(text.contains("damage not located: ") && text.contains("leads out of the folder"), "{text}");
}

#[test]
fn damaged_or_outdated_trees_are_distinguished_from_damaged_files() {
    let folder = folder();
    let (data, tree) = (folder.read("data"), folder.read("data.ftr"));
    flip(&folder, "data", MIB);
    let see = || {
        let text = lines_below_failure(&folder.run(&["check", "--locate", "M"]));
        (text, record(&folder.run(&["check", "--locate", "--json", "M"]))["located"].clone())
    };
    // Damage in an entry of the tree's row.
    flip(&folder, "data.ftr", 8192);
    let (text, located) = see();
    assert!(text.contains("cannot tell whether the file or the tree is damaged"), "{text}");
    assert_eq!(located["verdict"], "cannot tell");
    // Damage in both superblocks.
    flip(&folder, "data.ftr", 100);
    flip(&folder, "data.ftr", 4196);
    let (text, located) = see();
    assert!(text.starts_with("  damage not located: the stored tree is damaged: "), "{text}");
    assert_eq!(located["verdict"], "tree damaged");
    folder.write("data.ftr", "something else");
    let (text, located) = see();
    assert!(text.contains("damage not located: not a stored tree"), "{text}");
    assert_eq!(located["verdict"], "cannot tell");
    // If the tree matches the damaged file, the manifest and the tree disagree. A file that is not a tree is not
    // replaced.
    assert_eq!(folder.run(&["tree", "--save", "data"]).code, Some(2));
    std::fs::remove_file(folder.path("data.ftr")).unwrap();
    folder.run(&["tree", "--save", "data"]);
    let (text, located) = see();
    assert!(text.contains("intact according to data.ftr: the file matches its stored tree"), "{text}");
    assert_eq!(located["verdict"], "intact");
    assert!(located["reason"].as_str().unwrap().contains("disagree"));
    // If the manifest contains the tree's digest, a tree of another file is recognized.
    folder.write("good", data);
    let lines = folder.run(&["tree", "good"]).out().replace("good", "data");
    folder.write("M", lines);
    let ran = folder.run(&["check", "--locate", "M"]);
    assert!(
        ran.out().contains("  damage not located, because the digest in data.ftr is not in the manifest: the tree belongs to another version"),
        "{}",
        ran.out()
    );
    assert_eq!(ran.code, Some(1));
    folder.write("data.ftr", tree);
    let ran = folder.run(&["check", "--locate", "M"]);
    assert!(ran.out().contains("  1048576 1048576 damaged\n"), "{}", ran.out());
}

#[test]
fn map_page_contains_all_failed_files() {
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
    assert!(text.contains("damage not located, because there is no stored tree small.ftr"), "{text}");
    let ran = folder.run(&["check", "--locate", "--map-html", "nowhere/page.html", "M"]);
    assert!(ran.code == Some(1) && ran.err.contains("nowhere/page.html"), "{}", ran.err);
}

/// Returns a folder with `data` and its outboard, which other programs can read too.
fn outboard() -> Folder {
    let folder = Folder::new();
    folder.write("data", noise(3 * MIB + 17));
    let ran = folder.run(&["tree", "--save", "--format", "obao4", "data"]);
    assert!(ran.out().starts_with("BLAKE3 (data) = ") && ran.code == Some(0), "{} {}", ran.out(), ran.err);
    folder
}

#[test]
fn outboard_locates_damage_and_repairs_its_file() {
    let folder = outboard();
    assert_eq!(folder.run(&["check", "data.obao4"]).out(), "data: OK\n");
    folder.write("copy", folder.read("data"));
    flip(&folder, "data", MIB + 5);
    let ran = folder.run(&["check", "--locate", "data.obao4"]);
    assert_eq!(
        (ran.out().as_str(), ran.code),
        ("data: FAILED\n  1048576 16384 damaged\n  file damaged: 1 range, up to 16,384 bytes\n", Some(1))
    );
    assert!(ran.err.contains("truesum tree repair --from COPY data.obao4\n"), "{}", ran.err);
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
    // A different file with the same name.
    let other = noise(folder.read("data").len()).iter().map(|byte| !byte).collect::<Vec<u8>>();
    folder.write("data", &other);
    let planned = folder.run(&["tree", "repair", "--dry-run", "--from", "copy", "data.obao4"]);
    assert!(planned.err.contains("more than half (to allow that, use --most)"), "{}", planned.err);
    let refused = folder.run(&["tree", "repair", "--from", "copy", "data.obao4"]);
    assert_eq!((refused.out().as_str(), refused.code), ("", Some(2)), "{}", refused.err);
    assert!(
        refused.err.contains("it may be a different file\nhint: if this is the right file, use --most"),
        "{}",
        refused.err
    );
    assert_eq!(folder.read("data"), other);
    assert_eq!(folder.run(&["tree", "repair", "--most", "--from", "copy", "data.obao4"]).code, Some(0));
    // An outboard never replaces a file.
    assert_eq!(folder.run(&["tree", "--save", "--format", "obao4", "data"]).code, Some(2));
}

#[test]
fn file_of_an_outboard_may_have_any_name() {
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
    // An outboard whose own name does not show its file.
    std::fs::rename(folder.path("data.obao4"), folder.path("nodes")).unwrap();
    let ran = folder.run(&["check", "--format", "obao4", "nodes"]);
    assert!(
        ran.code == Some(2) && ran.err.contains("neither the list nor its name specifies the file"),
        "{}",
        ran.err
    );
    let ran = folder.run(&["check", "--format", "obao4", "--data", "sub/data", "nodes"]);
    assert_eq!((ran.out().as_str(), ran.code), ("sub/data: OK\n", Some(0)), "{}", ran.err);
    // Random bytes that look like JSON lines.
    let chance = b"\xff\xfe\0\x01\x02\0\n{\xff\xff\0\0\xff\x01\0\xff\xff\n\0\xff";
    folder.write("chance", [chance, &noise(100_000)[..]].concat());
    assert_eq!(folder.run(&["tree", "--save", "--format", "obao4", "chance"]).code, Some(0));
    let ran = folder.run(&["check", "--locate", "chance.obao4", "chance"]);
    assert_eq!((ran.out().as_str(), ran.code), ("chance: OK\n", Some(0)), "{}", ran.err);
    // One data file is not enough for several entries.
    folder.write("a", "a");
    folder.write("b", "b");
    folder.run(&["hash", "-o", "M", "a", "b"]);
    let ran = folder.run(&["check", "--data", "a", "M"]);
    assert!(ran.code == Some(2) && ran.err.contains("an entry for a different file"), "{}", ran.err);
}

/// Writes `set.torrent` for `copies/set`.
fn torrent_of_copies(folder: &Folder, format: &str) {
    let mut command = folder.command();
    command.args(["hash", "-t", format, "-o", "../set.torrent", "--root", ".", "set"]);
    let made: RunResult = command.current_dir(folder.path("copies")).output().unwrap().into();
    assert_eq!(made.code, Some(0), "{}", made.err);
}

#[test]
fn repair_rejects_one_file_for_two_entries() {
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
fn locate_rejects_a_manifest_that_can_be_read_only_once() {
    let folder = Folder::with(&[("a", "abc")]);
    folder.pipe("list");
    let ran = folder.run(&["check", "--locate", "list", "a"]);
    let message = "truesum: --locate: list can be read only once, so its format cannot be detected first\n\
                hint: specify the data file with --data FILE, or the folder of the files with --root DIR\n";
    assert_eq!((ran.out().as_str(), ran.err.as_str(), ran.code), ("", message, Some(2)));
    let list = format!("{}  a\n", crate::program::ABC);
    let ran = folder.feed(&["check", "--locate", "-", "a"], list.as_bytes());
    assert_eq!((ran.out().as_str(), ran.code), ("", Some(2)), "{}", ran.err);
    let ran = folder.feed(&["check", "--locate", "--data", "a"], list.as_bytes());
    assert_eq!((ran.out().as_str(), ran.code), ("a: OK\n", Some(0)), "{}", ran.err);
}

#[test]
fn outboard_of_a_single_block_file_is_noted_as_empty() {
    for (format, length) in [("obao", 1024), ("obao4", 16 << 10)] {
        let folder = Folder::new();
        for (name, more, notes) in [("short", 0, 1), ("long", 1, 0)] {
            folder.write(name, vec![7; length + more]);
            let ran = folder.run(&["tree", "--save", "--format", format, name]);
            let message = format!(
                "note: {name} is so short that {name}.{format} contains no hash; the file can be verified only with its BLAKE3 digest\n"
            );
            assert_eq!((ran.err.matches(&message).count(), ran.code), (notes, Some(0)), "{}", ran.err);
            // Without hashes, no change to the file can be located.
            folder.write(name, vec![8; length + more]);
            let ran = folder.run(&["check", "--locate", &format!("{name}.{format}")]);
            assert_eq!(ran.code, Some(1 + notes as i32), "{}", ran.err);
        }
    }
}

#[test]
fn repair_reports_the_given_file_name() {
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
fn manifest_without_file_size_is_noted() {
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
fn impossible_repairs_are_reported_with_their_cause() {
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

#[test]
fn hint_names_the_file_and_is_printed_once() {
    // regression: it had placeholders for names that are known.
    let folder = Folder::with(&[("d/it's", "abc"), ("d/b", "abd"), ("d/c", "abe")]);
    folder.run(&["tree", "--save", "d/it's", "d/b"]);
    folder.run(&["hash", "-o", "d/M", "d"]);
    for name in ["it's", "b", "c"] {
        folder.write(format!("d/{name}"), "ABC");
    }
    let ran = folder.run(&["check", "--locate", "d/M"]);
    let hints: Vec<&str> = ran.err.lines().filter_map(|line| line.strip_prefix("hint: ")).collect();
    let repair = "to repair the damaged ranges from an intact copy: truesum tree repair --from COPY d/b.ftr";
    let save =
        "store its tree: truesum tree --save COPY; then locate the damage: truesum tree verify COPY.ftr d/c";
    assert!(hints[0] == repair && hints[1].ends_with(save) && hints.len() == 2, "{hints:?}");
    std::fs::create_dir(folder.path("t")).unwrap();
    std::fs::rename(folder.path("d/it's.ftr"), folder.path("t/it's.ftr")).unwrap();
    let ran = folder.run(&["check", "--locate", "--trees", "t", "--only", "it's", "d/M"]);
    assert!(ran.err.contains("--from COPY 't/it'\\''s.ftr' 'd/it'\\''s'\n"), "{}", ran.err);
}

#[test]
fn parity_file_is_reported_with_the_command_that_uses_it() {
    // regression: only a copy was suggested, although the parity file could repair the file.
    let folder = folder();
    folder.run(&["tree", "--save", "--parity", "20%", "data"]);
    flip(&folder, "data", 3 * MIB);
    let ran = folder.run(&["check", "--locate", "M"]);
    let hint = "hint: to repair the damaged ranges from the parity file: truesum tree repair data.ftr\n";
    assert!(ran.err.contains(hint), "{}", ran.err);
    let entry = record(&folder.run(&["check", "--locate", "--json", "M"]));
    let parity = json!({"file": "data.ftr.parity", "usable": true, "missing_blocks": 0});
    assert_eq!(entry["located"]["parity"], parity);
    // regression: a parity file that cannot be used was mentioned only in JSON.
    folder.write("data.ftr.parity", "x");
    let ran = folder.run(&["check", "--locate", "M"]);
    assert!(ran.out().contains("  data.ftr.parity: cannot "), "{}", ran.out());
}
