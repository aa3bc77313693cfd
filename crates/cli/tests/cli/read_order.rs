//! The order in which files are read, and how often, according to the system calls.

use crate::program::Folder;
use crate::strace::{self, can_trace};
use std::collections::BTreeMap;

/// Returns the files below a folder `data` that a command reads, once for each uninterrupted sequence of reads, and the
/// bytes read of each.
fn reads(folder: &Folder, args: &[&str]) -> (Vec<String>, BTreeMap<String, u64>) {
    // Not in the folder: some commands read everything in it.
    let trace = tempfile::NamedTempFile::new().unwrap();
    let options = ["-y", "-o", trace.path().to_str().unwrap(), "-e", "trace=read,pread64"];
    let ran = strace::run(folder.root(), &options, args);
    // An audit reports the manifests themselves as new.
    let is_expected = ran.status.success() || args[0] == "audit" && ran.status.code() == Some(1);
    assert!(is_expected, "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    let (mut order, mut bytes) = (Vec::<String>::new(), BTreeMap::<String, u64>::new());
    // The file of a call whose result is in a later line, by thread.
    let mut pending = BTreeMap::new();
    for line in String::from_utf8_lossy(&std::fs::read(trace.path()).unwrap()).lines() {
        let thread = line.split(' ').next().unwrap();
        let count = line.rsplit_once("= ").and_then(|(_, count)| count.parse::<u64>().ok()).unwrap_or(0);
        if line.contains(" resumed>") {
            if let Some(name) = pending.remove(thread) {
                *bytes.entry(name).or_default() += count;
            }
            continue;
        }
        let Some((_, rest)) = line.split_once("/data/") else { continue };
        let Some((name, rest)) = rest.split_once('>') else { continue };
        if order.last().is_none_or(|last| last != name) {
            order.push(name.to_owned());
        }
        if rest.contains("<unfinished ...>") {
            pending.insert(thread, name.to_owned());
        } else {
            *bytes.entry(name.to_owned()).or_default() += count;
        }
    }
    (order, bytes)
}

/// Returns a folder with a bag whose payload is large files, which are read in several calls, between small ones.
fn bag() -> Folder {
    let folder = Folder::new();
    for at in 0..5 {
        folder.write(format!("bag/data/{at}-large"), vec![at; 3 << 20]);
        folder.write(format!("bag/data/{at}-small"), vec![at; 50_000]);
    }
    let made = folder.run(&["bag", "create", "-q", "-a", "md5,sha256", "bag"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    for format in ["gnu", "jsonl"] {
        let args = ["hash", "-q", "-a", "md5", "-t", format, "-o", format, "bag/data"];
        assert_eq!(folder.run(&args).code, Some(0));
    }
    folder
}

#[test]
fn sequential_commands_read_one_file_after_the_other() {
    if !can_trace() {
        return;
    }
    let folder = bag();
    let (order, bytes) = reads(&folder, &["hash", "-q", "-j", "2", "-a", "md5", "bag/data"]);
    assert!(order.len() > bytes.len(), "otherwise, this test would not show anything: {order:?}");
    let names: Vec<String> = bytes.into_keys().collect();
    let convert = ["convert", "-a", "sha1", "-t", "jsonl", "gnu"];
    for command in [
        &["hash", "-q", "-a", "md5", "bag/data"][..],
        &["hash", "-q", "-a", "crc32,sha512", "bag/data"],
        &["check", "-q", "gnu"],
        &["check", "-q", "bag/manifest-md5.txt"],
        &["audit", "-q", "jsonl"],
        &["update", "-q", "--refresh", "jsonl"],
        &convert,
        &["scrub", "-q", "--state", "state", "bag/data"],
    ] {
        for option in [&["--sequential"][..], &["-j", "1"], &["--sequential", "-j", "4"]] {
            let _ = std::fs::remove_file(folder.path("state"));
            let (order, _) = reads(&folder, &[command, option].concat());
            // A scrub reads files in an order of its own.
            let mut sorted = order.clone();
            sorted.sort();
            assert_eq!(sorted, names, "{command:?} {option:?}");
            assert!(order == names || command[0] == "scrub", "{command:?} {option:?}: {order:?}");
        }
    }
}

#[test]
fn file_in_several_manifests_is_read_once() {
    if !can_trace() {
        return;
    }
    let folder = bag();
    let made = folder.run(&["hash", "-q", "-a", "sha512", "-o", "more.sha512", "bag/data"]);
    assert_eq!(made.code, Some(0));
    for args in [
        &["bag", "check", "bag"][..],
        &["check", "bag"],
        &["check", "gnu", "more.sha512", "jsonl"],
        &["check", "gnu", "more.sha512", "--sequential"],
        &["check", "bag/manifest-md5.txt", "bag/manifest-sha256.txt", "more.sha512"],
    ] {
        let (_, bytes) = reads(&folder, args);
        assert_eq!(bytes.len(), 10, "{args:?}");
        for (name, count) in bytes {
            let size = if name.ends_with("large") { 3 << 20 } else { 50_000 };
            assert_eq!(count, size, "{args:?} {name}");
        }
    }
}

#[test]
fn files_are_read_in_the_requested_order_and_reported_in_the_usual_one() {
    if !can_trace() {
        return;
    }
    let folder = Folder::new();
    for (name, len) in [("b", 200_000), ("a", 5), ("d", 70_000), ("c", 300_000)] {
        folder.write(format!("data/{name}"), vec![7; len]);
        // Before, the data may have no position on the disk.
        std::fs::File::open(folder.path(format!("data/{name}"))).unwrap().sync_all().unwrap();
    }
    let root = truesum_fs::open::Root::folder(folder.path("data"), false).unwrap();
    let mut placed = ["a", "b", "c", "d"];
    placed.sort_by_key(|name| root.placement(name.as_bytes()));
    assert_eq!(folder.run(&["hash", "-q", "-t", "jsonl", "-o", "data.jsonl", "data"]).code, Some(0));
    for command in [
        &["hash", "-q", "data"][..],
        &["check", "data.jsonl"],
        &["audit", "data.jsonl"],
        &["scrub", "--state", "state", "data"],
    ] {
        let plain = folder.run(command);
        for (order, expected) in [
            ("manifest", ["a", "b", "c", "d"]),
            ("given", ["a", "b", "c", "d"]),
            ("size", ["c", "b", "d", "a"]),
            ("physical", placed),
        ] {
            let args = [command, &["--sequential", "--order", order]].concat();
            let _ = std::fs::remove_file(folder.path("state"));
            assert_eq!(reads(&folder, &args).0, expected, "{args:?}");
            if command[0] != "scrub" {
                let ran = folder.run(&args);
                assert_eq!((ran.code, ran.out()), (plain.code, plain.out()), "{args:?}");
            }
        }
    }
    let ran = folder.run(&["hash", "--order", "random", "data"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
}
