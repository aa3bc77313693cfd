//! Results of independent programs for the same modified folders as `audit` and `check --exact`: hashdeep, cfv,
//! bagit.py, rclone and chkbit. If a program deliberately uses other names for its verdicts, its test explains them.

use crate::peers::run_tool;
use crate::program::{Folder, set_mtime};
use std::collections::BTreeSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use truesum_test_support::oracle::missing;

const FILES: usize = 13;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    Add,
    Delete,
    Rename,
    /// A copy with another name.
    Twin,
    Write,
    Touch,
    /// Different bits, with the same size and time as before.
    Flip,
}

use Change::{Add, Delete, Flip, Rename, Touch, Twin, Write};

/// No change, each change alone, and all at once, twice.
fn scenarios() -> Vec<Vec<Change>> {
    let each = [Add, Delete, Rename, Twin, Write, Touch, Flip];
    let mut all = vec![Vec::new()];
    all.extend(each.map(|change| vec![change]));
    all.push(each.to_vec());
    all.push([Rename, Add, Flip, Delete, Write].into_iter().chain(each).collect());
    all
}

fn name(file: usize) -> String {
    ["", "d/", "d/e/"][file % 3].to_owned() + &format!("f{file}")
}

/// No two files have the same content: their first byte differs.
fn content(file: usize, seed: usize) -> Vec<u8> {
    let mut state = (seed * FILES + file + 1) as u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 16
    };
    let length = random() % 3000;
    [file as u8].into_iter().chain((0..length).map(|_| random() as u8)).collect()
}

/// Returns a folder whose `bag/data` was listed as MD5 sums, with times and as a bag, with a copy in `kept`.
fn listed(seed: usize) -> Folder {
    let folder = Folder::new();
    for file in 0..FILES {
        for below in ["bag/data", "kept"] {
            let path = format!("{below}/{}", name(file));
            folder.write(&path, content(file, seed));
            set_mtime(&folder, &path, UNIX_EPOCH + Duration::from_secs(1_000_000_000 + file as u64));
        }
    }
    folder.write("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    for words in [
        &["hash", "-a", "md5", "-o", "sums.md5", "--root", "bag/data", "bag/data"][..],
        &["hash", "-t", "jsonl", "-o", "times", "--root", "bag/data", "bag/data"],
        &["hash", "-t", "bagit", "-o", "bag/manifest-sha256.txt", "bag/data"],
    ] {
        let ran = folder.run(words);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    folder
}

/// Statuses and names, as printed by `audit -q`.
type Verdicts = BTreeSet<(String, String)>;

/// Makes the changes, each to a separate file; returns the expected results of a program that knows the times.
fn changed(folder: &Folder, seed: usize, changes: &[Change]) -> Verdicts {
    let mut verdicts_found = Verdicts::new();
    for (at, change) in changes.iter().enumerate() {
        let old = name((seed * 3 + at * 5) % FILES);
        let fresh = format!("d/{change:?}{at}");
        let (path, beside) = (format!("bag/data/{old}"), format!("bag/data/{fresh}"));
        let before = std::fs::metadata(folder.path(&path)).unwrap().modified().unwrap();
        let mut data = folder.read(&path);
        let status = match change {
            Add => {
                folder.write(&beside, format!("nobody listed {at}"));
                Some(("new", fresh))
            }
            Delete => {
                std::fs::remove_file(folder.path(&path)).unwrap();
                Some(("missing", old))
            }
            Rename => {
                std::fs::rename(folder.path(&path), folder.path(&beside)).unwrap();
                Some(("moved", fresh))
            }
            Twin => {
                folder.write(&beside, data);
                Some(("copied", fresh))
            }
            Write => {
                data.extend_from_slice(b"more");
                folder.write(&path, data);
                Some(("changed", old))
            }
            Touch => {
                set_mtime(folder, &path, SystemTime::now());
                None
            }
            Flip => {
                *data.last_mut().unwrap() ^= 0x40;
                folder.write(&path, data);
                set_mtime(folder, &path, before);
                Some(("corrupt", old))
            }
        };
        verdicts_found.extend(status.map(|(status, name)| (status.to_owned(), name)));
    }
    verdicts_found
}

/// Returns the results of `audit`, after verifying that they match the changes and that `check --exact` agrees.
fn verdicts(folder: &Folder, done: &Verdicts) -> Verdicts {
    let ran = folder.run(&["audit", "-q", "times", "bag/data"]);
    let out = ran.out();
    let verdicts_found: Verdicts = out
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .map(|columns| (columns[0].to_owned(), columns[1].to_owned()))
        .collect();
    assert_eq!(&verdicts_found, done, "{}", ran.err);
    let code = Some(i32::from(!verdicts_found.is_empty()));
    assert_eq!(ran.code, code, "{}", ran.err);
    let ran = folder.run(&["check", "-q", "--exact", "--root", "bag/data", "sums.md5"]);
    assert_eq!(ran.code, code, "{}", ran.err);
    let out = ran.out();
    let ending = |what: &str| -> BTreeSet<String> {
        out.lines().filter_map(|line| line.strip_suffix(what).map(str::to_owned)).collect()
    };
    assert_eq!(ending(": FAILED"), with_status(&verdicts_found, &["changed", "corrupt"]));
    // `check --exact` reports a moved file as a missing one and an extra one.
    assert_eq!(ending(": MISSING").len(), with_status(&verdicts_found, &["missing", "moved"]).len());
    let extra = with_status(&verdicts_found, &["new", "moved", "copied"]).len();
    assert!(extra == 0 || ran.err.contains(&format!(", {extra} not in the manifest;")), "{}", ran.err);
    verdicts_found
}

/// Returns the names with these statuses.
fn with_status(verdicts_found: &Verdicts, standings: &[&str]) -> BTreeSet<String> {
    let some = verdicts_found.iter().filter(|(status, _)| standings.contains(&&status[..]));
    some.map(|(_, name)| name.clone()).collect()
}

/// Returns the names in the manifest whose files do not exist, including those of moved files, according to the folder
/// itself.
fn missing_names(folder: &Folder) -> BTreeSet<String> {
    (0..FILES).map(name).filter(|name| !folder.path(format!("bag/data/{name}")).exists()).collect()
}

struct ToolOutput {
    code: Option<i32>,
    out: String,
    err: String,
}

/// Returns the output of another program, or `None` if the program (or the interpreter of a Python script) is not
/// installed.
fn tool_output(folder: &Folder, program: &str, words: &[&str]) -> Option<ToolOutput> {
    let output = run_tool(folder, program, words)?;
    if output.status.code() == Some(127) {
        missing(program);
        return None;
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some(ToolOutput { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) })
}

/// hashdeep does not distinguish copies: both a copy and a moved file are "moved". It matches by content alone, so a
/// changed file is a new one and a known one that was not found. It ignores times: corrupt is changed.
#[test]
fn audit_counts_match_hashdeep() {
    for (seed, changes) in scenarios().iter().enumerate() {
        let folder = listed(seed);
        let Some(known) = tool_output(&folder, "hashdeep", &["-r", "-l", "bag/data"]) else { return };
        folder.write("known", known.out);
        let verdicts_found = verdicts(&folder, &changed(&folder, seed, changes));
        let theirs =
            tool_output(&folder, "hashdeep", &["-r", "-l", "-a", "-vvv", "-k", "known", "bag/data"]).unwrap();
        let count = |label: &str| -> usize {
            let line = theirs.out.lines().find_map(|line| line.trim_start().strip_prefix(label));
            line.unwrap_or_else(|| panic!("{label} {}", theirs.out)).trim().parse().unwrap()
        };
        let number = |standings: &[&str]| with_status(&verdicts_found, standings).len();
        let differing = number(&["changed", "corrupt"]);
        assert_eq!(
            [
                count("Files matched:"),
                count("Files moved:"),
                count("New files found:"),
                count("Known files not found:")
            ],
            [
                FILES - differing - number(&["missing", "moved"]),
                number(&["moved", "copied"]),
                number(&["new"]) + differing,
                number(&["missing"]) + differing
            ],
            "{changes:?} {}",
            theirs.out
        );
        assert_eq!(theirs.code, Some(i32::from(!verdicts_found.is_empty())), "{changes:?} {}", theirs.out);
    }
}

/// cfv ignores the content of files that are not in the manifest: moved and copied files are "not verified", as for
/// `check --exact`, and the old name of a moved file is not found.
#[test]
fn audit_matches_cfv() {
    for (seed, changes) in scenarios().iter().enumerate() {
        let folder = listed(seed);
        let verdicts_found = verdicts(&folder, &changed(&folder, seed, changes));
        let words = ["-uu", "-p", "bag/data", "-f", "../../sums.md5"];
        let Some(theirs) = tool_output(&folder, "cfv", &words) else { return };
        let text = theirs.out + &theirs.err;
        let lines = |what: &str| -> BTreeSet<String> {
            let names = text
                .lines()
                .filter_map(|line| line.split_once(" : "))
                .filter(|(_, message)| message.starts_with(what));
            names.map(|(name, _)| name.to_owned()).collect()
        };
        let ours = [
            with_status(&verdicts_found, &["changed", "corrupt"]),
            missing_names(&folder),
            with_status(&verdicts_found, &["new", "moved", "copied"]),
        ];
        assert_eq!(
            [lines("crc does not match"), lines("No such file"), lines("not verified")],
            ours,
            "{changes:?} {text}"
        );
        // Its exit status has one bit for each kind.
        let bits = ours.iter().zip([2, 8, 32]).map(|(names, bit)| if names.is_empty() { 0 } else { bit });
        assert_eq!(theirs.code, Some(bits.sum()), "{changes:?} {text}");
    }
}

/// bagit.py reads no payload once the bag is incomplete, and then names only missing and extra files; truesum also
/// names those that differ. For both, a moved file is one of each.
#[test]
fn bag_validity_matches_bagit_py() {
    for (seed, changes) in scenarios().iter().enumerate() {
        let folder = listed(seed);
        let verdicts_found = verdicts(&folder, &changed(&folder, seed, changes));
        let Some(theirs) = tool_output(&folder, "bagit.py", &["--validate", "--quiet", "bag"]) else {
            return;
        };
        let ours = folder.run(&["check", "-q", "bag"]);
        assert_eq!(theirs.code, Some(i32::from(!verdicts_found.is_empty())), "{changes:?} {}", theirs.err);
        assert_eq!(ours.code, theirs.code, "{changes:?} {} {}", ours.err, theirs.err);
        let (missing, extra) =
            (missing_names(&folder), with_status(&verdicts_found, &["new", "moved", "copied"]));
        let told_of = |name: &String, how: &str| theirs.err.contains(&format!("data/{name} {how}"));
        for file in (0..FILES).map(name).chain(extra.iter().cloned()) {
            assert_eq!(
                told_of(&file, "exists in manifest but was not found"),
                missing.contains(&file),
                "{}",
                theirs.err
            );
            assert_eq!(
                told_of(&file, "exists on filesystem but is not in"),
                extra.contains(&file),
                "{}",
                theirs.err
            );
            assert_eq!(ours.out().contains(&format!("data/{file}: MISSING\n")), missing.contains(&file));
            assert_eq!(ours.err.contains(&format!("bag/data/{file}: cannot verify")), extra.contains(&file));
            let differs = with_status(&verdicts_found, &["changed", "corrupt"]).contains(&file);
            assert_eq!(ours.out().contains(&format!("data/{file}: FAILED\n")), differs);
            if missing.is_empty() && extra.is_empty() {
                assert_eq!(told_of(&file, "sha256 validation failed"), differs, "{}", theirs.err);
            }
        }
    }
}

/// rclone compares by name, both with a saved copy and with our MD5 sums: a moved file is missing and extra, a copy is
/// extra.
#[test]
fn differences_match_rclone() {
    for (seed, changes) in scenarios().iter().enumerate() {
        let folder = listed(seed);
        let verdicts_found = verdicts(&folder, &changed(&folder, seed, changes));
        let common = ["--config", "/dev/null", "--combined", "-"];
        for comparing in [&["check", "kept", "bag/data"][..], &["checksum", "md5", "sums.md5", "bag/data"]] {
            let words = [comparing, &common[..]].concat();
            let Some(theirs) = tool_output(&folder, "rclone", &words) else { return };
            let marked = |mark: &str| -> BTreeSet<String> {
                theirs.out.lines().filter_map(|line| line.strip_prefix(mark).map(str::to_owned)).collect()
            };
            assert_eq!(
                [marked("* "), marked("+ "), marked("- ")],
                [
                    with_status(&verdicts_found, &["changed", "corrupt"]),
                    missing_names(&folder),
                    with_status(&verdicts_found, &["new", "moved", "copied"])
                ],
                "{changes:?} {words:?} {}",
                theirs.err
            );
            assert_eq!(marked("= ").len(), FILES - marked("* ").len() - marked("+ ").len());
            assert_eq!(
                theirs.code,
                Some(i32::from(!verdicts_found.is_empty())),
                "{changes:?} {}",
                theirs.err
            );
        }
    }
}

/// chkbit distinguishes damage (the modification time matches) from an update (it is later) like truesum. It does not
/// report missing files, treats moved and copied files as new, and its exit status only shows damage.
#[test]
fn damage_and_updates_match_chkbit() {
    for (seed, changes) in scenarios().iter().enumerate() {
        let folder = listed(seed);
        let Some(made) = tool_output(&folder, "chkbit", &["-u", "-q", "--plain", "bag/data"]) else { return };
        assert_eq!(made.code, Some(0), "{} {}", made.out, made.err);
        let done = changed(&folder, seed, changes);
        let theirs = tool_output(&folder, "chkbit", &["--plain", "bag/data"]).unwrap();
        // chkbit stores its index among the files, where truesum would report it as new.
        for below in ["", "d/", "d/e/"] {
            std::fs::remove_file(folder.path(format!("bag/data/{below}.chkbit"))).unwrap();
        }
        let verdicts_found = verdicts(&folder, &done);
        let plain = ["\u{1b}[31m", "\u{1b}[0m", "\u{1b}[0K"]
            .iter()
            .fold(theirs.out, |text, code| text.replace(code, ""));
        let lines = |mark: &str| -> BTreeSet<String> {
            plain.lines().filter_map(|line| line.strip_prefix(mark).map(str::to_owned)).collect()
        };
        let ours = [&["corrupt"][..], &["changed"], &["new", "moved", "copied"]]
            .map(|what| with_status(&verdicts_found, what));
        let code = Some(i32::from(!ours[0].is_empty()));
        let marks = ["DMG bag/data/", "upd bag/data/", "new bag/data/"];
        assert_eq!(marks.map(lines), ours, "{changes:?} {plain} {}", theirs.err);
        assert_eq!(theirs.code, code, "{changes:?} {plain} {}", theirs.err);
    }
}
