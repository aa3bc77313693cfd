//! Sequences of changes to trees: `audit` and `diff` report exactly their net effect, and `update` brings the manifest
//! up to date with the tree, except for corrupted files.

use crate::program::Folder;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, UNIX_EPOCH};

/// Returns a generator of pseudorandom numbers below a limit (xorshift).
fn random(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 20) as usize % below
    }
}

const NAMES: [&str; 8] = ["a", "b", "s/a", "s/b", "t/a", "t/c", "d", "u/v/a"];
const TEXTS: [&str; 5] = ["", "x", "y", "xy", "yx"];

/// The contents of a tree by name.
type Tree = BTreeMap<String, String>;

/// Returns statuses and names by the rules of docs/reference/audit.md, naively: each file is compared with each other
/// file.
fn model(listed: &Tree, found: &Tree, is_audit: bool) -> BTreeSet<String> {
    let base = |name: &str| name.rsplit('/').next().unwrap().to_owned();
    let mut message = BTreeSet::new();
    let mut gone: Vec<&String> = listed.keys().filter(|name| !found.contains_key(*name)).collect();
    let mut fresh: Vec<&String> = found.keys().filter(|name| !listed.contains_key(*name)).collect();
    for (name, text) in listed {
        match found.get(name) {
            Some(now) if now == text && is_audit => drop(message.insert(format!("ok\t{name}"))),
            Some(now) if now != text => drop(message.insert(format!("changed\t{name}"))),
            _ => {}
        }
    }
    let by_base = |names: &mut Vec<&String>| names.sort_by_key(|name| (base(name), (*name).clone()));
    by_base(&mut gone);
    by_base(&mut fresh);
    for same_base in [true, false] {
        for old in gone.clone() {
            let fits = |new: &&String| found[*new] == listed[old] && (!same_base || base(new) == base(old));
            if let Some(at) = fresh.iter().position(fits) {
                let new = fresh.remove(at);
                gone.retain(|name| *name != old);
                message.insert(format!("moved\t{new}\t{old}"));
            }
        }
    }
    let (missing, new) = if is_audit { ("missing", "new") } else { ("removed", "added") };
    message.extend(gone.iter().map(|name| format!("{missing}\t{name}")));
    fresh.sort();
    let mut seen: BTreeMap<&String, &String> = BTreeMap::new();
    for name in fresh {
        let text = &found[name];
        let source = listed.iter().find(|(_, old)| *old == text).map(|(source, _)| source);
        message.insert(match (source, seen.get(text)) {
            (Some(source), _) if is_audit => format!("copied\t{name}\t{source}"),
            (None, Some(first)) if is_audit => format!("duplicated\t{name}\t{first}"),
            _ => format!("{new}\t{name}"),
        });
        seen.entry(text).or_insert(name);
    }
    message
}

/// Returns the lines without the note that a move is one of several possible ones.
fn findings(out: &str) -> BTreeSet<String> {
    out.lines().map(|line| line.split("\tone of ").next().unwrap_or(line).to_owned()).collect()
}

#[test]
fn random_changes_report_exactly_their_net_effect() {
    let mut random = random(0x9e37_79b9_7f4a_7c15);
    for round in 0..40 {
        let folder = Folder::with(&[("d/keep", "keep")]);
        let mut now = Tree::from([("keep".to_owned(), "keep".to_owned())]);
        for name in NAMES.iter().take(5) {
            now.insert((*name).to_owned(), TEXTS[random(5)].to_owned());
        }
        let write = |tree: &Tree| {
            std::fs::remove_dir_all(folder.path("d")).unwrap();
            tree.iter().for_each(|(name, text)| folder.write(format!("d/{name}"), text));
        };
        write(&now);
        let before = now.clone();
        let format = ["gnu", "jsonl", "hashdeep"][round % 3];
        assert_eq!(folder.run(&["hash", "-t", format, "-o", "M", "--root", "d", "d"]).code, Some(0));
        std::fs::rename(folder.path("d"), folder.path("old")).unwrap();
        std::fs::create_dir(folder.path("d")).unwrap();
        for _ in 0..=random(8) {
            let names: Vec<String> = now.keys().cloned().collect();
            let (one, other) = (names[random(names.len())].clone(), NAMES[random(8)].to_owned());
            let text = now[&one].clone();
            match random(5) {
                0 => drop(now.insert(other, TEXTS[random(5)].to_owned())),
                1 if now.len() > 1 => drop(now.remove(&one)),
                2 => {
                    now.remove(&one);
                    now.insert(other, text);
                }
                3 => drop(now.insert(other, text)),
                _ => drop(now.insert(one, text.chars().rev().collect())),
            }
        }
        write(&now);
        folder.run(&["hash", "-t", format, "-o", "N", "--root", "d", "d"]);
        for (words, is_audit) in [
            (["audit", "M", "d"], true),
            (["diff", "M", "d"], false),
            (["diff", "M", "N"], false),
            (["diff", "old", "d"], false),
        ] {
            let ran = folder.run(&words);
            let message = findings(&ran.out().replace("corrupt\t", "changed\t"));
            assert_eq!(
                message,
                model(&before, &now, is_audit),
                "round {round}: {words:?}: {before:?} {now:?}"
            );
            assert_eq!(ran.code, Some(i32::from(before != now)), "round {round}: {words:?}");
        }
    }
}

/// Content and modification time of files by name.
type Stamped = BTreeMap<String, (String, u64)>;

fn texts(tree: &Stamped) -> Tree {
    tree.iter().map(|(name, (text, _))| (name.clone(), text.clone())).collect()
}

/// Writes a tree with its modification times.
fn write_stamped(folder: &Folder, tree: &Stamped) {
    let _ = std::fs::remove_dir_all(folder.path("d"));
    std::fs::create_dir(folder.path("d")).unwrap();
    for (name, (text, time)) in tree {
        folder.write(format!("d/{name}"), text);
        let file = std::fs::File::options().write(true).open(folder.path(format!("d/{name}"))).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(1_000_000_000 + 10 * time)).unwrap();
    }
}

#[test]
fn update_after_random_changes_leaves_only_corrupt_files() {
    let mut random = random(0x2545_f491_4f6c_dd1d);
    let mut rotten = 0;
    for round in 0..40 {
        let folder = Folder::new();
        let mut now = Stamped::from([("keep".to_owned(), ("keep".to_owned(), 0))]);
        for name in NAMES.iter().take(6) {
            now.insert((*name).to_owned(), (TEXTS[random(5)].to_owned(), 0));
        }
        write_stamped(&folder, &now);
        let before = now.clone();
        let format = ["jsonl", "gnu", "hashdeep"][round % 3];
        assert_eq!(folder.run(&["hash", "-t", format, "-o", "M", "--root", "d", "d"]).code, Some(0));
        for clock in 1..=1 + random(8) as u64 {
            let names: Vec<String> = now.keys().cloned().collect();
            let (one, other) = (names[random(names.len())].clone(), NAMES[random(8)].to_owned());
            let (text, time) = now[&one].clone();
            let flipped = || text.bytes().map(|byte| char::from(byte ^ 1)).collect::<String>();
            match random(7) {
                0 => drop(now.insert(other, (TEXTS[random(5)].to_owned(), clock))),
                1 if now.len() > 1 => drop(now.remove(&one)),
                // Corrupted files are not moved: that would be reported as one change, and is tested elsewhere.
                2 if time > 0 || before.values().any(|(known, _)| *known == text) => {
                    now.remove(&one);
                    now.insert(other, (text, time));
                }
                3 => drop(now.insert(other, (text, clock))),
                4 => drop(now.insert(one, (text, clock))),
                // Corruption leaves the time unchanged.
                _ if before.contains_key(&one) => drop(now.insert(one, (flipped(), time))),
                _ => {}
            }
        }
        write_stamped(&folder, &now);
        let timed = format == "jsonl";
        let rot: BTreeSet<&String> = now
            .iter()
            .filter(|(name, (text, time))| {
                let same = |(old, then): &(String, u64)| then == time && old != text;
                timed && before.get(*name).is_some_and(same)
            })
            .map(|(name, _)| name)
            .collect();
        rotten += rot.len();
        let expected: BTreeSet<String> = model(&texts(&before), &texts(&now), true)
            .into_iter()
            .map(|line| match line.strip_prefix("changed\t") {
                Some(name) if rot.contains(&name.to_owned()) => format!("corrupt\t{name}"),
                _ => line,
            })
            .collect();
        let message = findings(&folder.run(&["audit", "M", "d"]).out());
        assert_eq!(message, expected, "round {round}: {before:?} {now:?}");

        // If the manifest has no times, all these files are older than the manifest.
        let refresh = if timed { "--refresh" } else { "--refresh=all" };
        let renaming = ["--rename", "--partial"][random(2)];
        let words = ["update", refresh, "--prune=all", "--allow-empty", renaming, "M", "d"];
        let dry = folder.run(&[&words[..], &["-n"]].concat());
        let old = folder.read("M");
        let ran = folder.run(&words);
        let clean = i32::from(!rot.is_empty());
        let changes = old != folder.read("M");
        assert_eq!((dry.out(), dry.code), (ran.out(), Some(clean.max(i32::from(changes)))), "round {round}");
        assert_eq!(ran.code, Some(clean), "round {round}: {ran:?}");
        let after = folder.run(&["audit", "M", "d"]);
        let expected: String = now
            .keys()
            .map(|name| format!("{}\t{name}\n", if rot.contains(name) { "corrupt" } else { "ok" }))
            .collect();
        assert_eq!((after.out(), after.code), (expected, Some(clean)), "round {round}: {before:?} {now:?}");
        assert!(before != now || old == folder.read("M"), "round {round}: {before:?} {now:?}");
        let again = folder.run(&words);
        assert_eq!((again.out().lines().count(), again.code), (rot.len(), Some(clean)), "round {round}");
    }
    assert!(rotten > 5, "{rotten} files rotted");
}
