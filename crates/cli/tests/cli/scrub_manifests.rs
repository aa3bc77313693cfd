//! `truesum scrub --manifests`: collections of manifests and bags.

use crate::program::{Folder, RunResult, set_mtime};
use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, UNIX_EPOCH};

/// Writes a file with this modification time, in seconds.
pub fn write(folder: &Folder, name: &str, text: &str, mtime: u64) {
    folder.write(name, text);
    set_mtime(folder, name, UNIX_EPOCH + Duration::new(mtime, 123_456_789));
}

/// Writes a manifest of these files in its folder.
pub fn list(folder: &Folder, manifest: &str, files: &[&str], mtime: u64) {
    let (parent, name) = manifest.rsplit_once('/').unwrap();
    let algorithm = name.to_lowercase().replace("sums", "");
    let paths: Vec<String> = files.iter().map(|file| format!("{parent}/{file}")).collect();
    let words = ["hash", "-q", "-a", &algorithm, "--format", "gnu"];
    let words: Vec<&str> = words.into_iter().chain(paths.iter().map(String::as_str)).collect();
    let ran = folder.run(&words);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    write(folder, manifest, &ran.out().replace(&format!("{parent}/"), ""), mtime);
}

/// Returns a collection: a folder with `SHA256SUMS`, one with manifests of two algorithms, and a bag.
pub fn collection() -> Folder {
    let folder = Folder::new();
    for name in ["plain/a", "plain/b", "plain/c", "two/x", "two/y", "bag/data/p", "bag/data/q"] {
        write(&folder, &format!("d/{name}"), &format!("content of {name}"), 1000);
    }
    write(&folder, "d/unlisted", "in no manifest", 1000);
    list(&folder, "d/plain/SHA256SUMS", &["a", "b", "c"], 1000);
    list(&folder, "d/two/MD5SUMS", &["x", "y"], 1000);
    list(&folder, "d/two/SHA256SUMS", &["x"], 1000);
    let ran = folder.run(&["bag", "create", "-q", "-a", "sha256", "d/bag"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    folder
}

/// The files that are in the manifests of [`collection`].
const LISTED: u64 = 10;

pub fn scrub(folder: &Folder, words: &[&str]) -> RunResult {
    folder.run(&[&["scrub", "--manifests"], words, &["d"]].concat())
}

pub fn sorted(text: &str) -> BTreeSet<String> {
    text.lines().map(str::to_owned).collect()
}

pub fn assert_ran(ran: &RunResult, code: i32, lines: &[&str]) {
    assert_eq!((ran.code, sorted(&ran.out())), (Some(code), sorted(&lines.join("\n"))), "{}", ran.err);
}

/// Returns a collection all of whose files have been verified.
pub fn verified() -> Folder {
    let folder = collection();
    assert_ran(&scrub(&folder, &["--all"]), 0, &[]);
    folder
}

pub const CHANGED: &str = "differ from the recorded ones, which the file matches";

#[test]
fn listed_files_are_verified_once_with_all_digests() {
    let folder = collection();
    let first = scrub(&folder, &["--all"]);
    assert_ran(&first, 0, &[]);
    let text = format!("truesum: {LISTED} files recorded, {LISTED} read");
    assert!(first.err.starts_with(&text), "each file is read once: {}", first.err);
    let exported = folder.run(&["convert", "d/.truesum-state", "-t", "jsonl"]);
    let exported = exported.out();
    assert_eq!(
        exported.lines().filter(|line| line.contains("\"path\"")).count() as u64,
        LISTED,
        "{exported}"
    );
    let x = exported.lines().find(|line| line.contains("two/x")).unwrap();
    assert!(x.contains("\"md5\"") && x.contains("\"sha256\""), "{x}");
    assert!(!exported.contains("unlisted"), "{exported}");
    let status = folder.run(&["scrub", "--status", "d"]);
    assert_eq!(status.code, Some(0));
    // Three manifests, the bag, and its manifest and tag manifest.
    assert!(status.out().contains("manifests and bags: 6\n"), "{}", status.out());
    assert!(status.out().contains("verified in the last 30 days: 100%\n"), "{}", status.out());
    let json = folder.run(&["scrub", "--status", "--json", "d"]);
    assert!(json.out().contains("\"manifests\":6"), "{}", json.out());
    let metrics = folder.run(&["scrub", "--status", "--prometheus", "d"]);
    assert!(metrics.out().contains("truesum_scrub_open_failures{"), "{}", metrics.out());
    assert_eq!(folder.run(&["scrub", "--log", "d"]).out().lines().count(), 1);
    let page = folder.run(&["scrub", "--status", "--html", "page.html", "d"]);
    assert_eq!(page.code, Some(0), "{}", page.err);
    assert!(String::from_utf8(folder.read("page.html")).unwrap().contains("Manifests and bags"));
}

#[test]
fn silent_damage_is_found_within_the_days_and_never_accepted() {
    const DAYS: u64 = 5;
    for damaged in ["plain/b", "bag/data/q", "two/y"] {
        let folder = verified();
        let within = format!("{DAYS}d");
        let words = ["-q", "--within", &within, "--accept", "new,modified,moved,restored,missing"];
        write(&folder, &format!("d/{damaged}"), &format!("cOntent of {damaged}"), 1000);
        let line = format!("corrupt\t{damaged}");
        let days: Vec<bool> = (0..3 * DAYS)
            .map(|_| {
                let ran = scrub(&folder, &words);
                let is_found = ran.out().lines().any(|found| found == line);
                assert_eq!(ran.code, Some(i32::from(is_found)), "{damaged}: {}", ran.out());
                is_found
            })
            .collect();
        let first = days.iter().position(|found| *found).expect("it is found");
        assert!((first as u64) < DAYS, "{damaged}: found after {first} days");
        assert!(days[first..].iter().all(|found| *found), "{damaged}: {days:?}");
        let status = folder.run(&["scrub", "--status", "d"]);
        assert!(status.code == Some(1) && status.out().contains(&line), "{}", status.out());
        write(&folder, &format!("d/{damaged}"), &format!("content of {damaged}"), 1000);
        assert_ran(&scrub(&folder, &words[1..]), 0, &[&format!("ok\t{damaged}\tintact again")]);
    }
}

#[test]
fn first_runs_read_a_share_of_the_files() {
    let folder = collection();
    let mut read = 0;
    for _ in 0..5 {
        let ran = scrub(&folder, &["--within", "5d", "--json"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let out = ran.out();
        let (_, rest) = out.rsplit_once("\"read\":").unwrap();
        let now: u64 = rest.split(',').next().unwrap().parse().unwrap();
        assert!(now > 0 && now < LISTED, "{now}");
        read += now;
    }
    assert!(read >= LISTED, "{read}");
    let status = folder.run(&["scrub", "--status", "--within", "5d", "d"]);
    assert!(status.out().contains("verified in the last 5 days: 100%\n"), "{}", status.out());
}

#[test]
fn deleted_or_invalid_manifest_is_reported_in_every_run_until_it_is_back_or_forgotten() {
    let folder = verified();
    let manifest = folder.read("d/plain/SHA256SUMS");
    let accept = ["-q", "--accept", "new,modified,moved,restored,missing"];
    fs::remove_file(folder.path("d/plain/SHA256SUMS")).unwrap();
    for _ in 0..3 {
        assert_ran(&scrub(&folder, &accept), 1, &["missing\tplain/SHA256SUMS"]);
    }
    let json = scrub(&folder, &["--json"]).out();
    let object =
        "\"kind\":\"manifest\",\"standing\":\"missing\",\"action\":\"failed\",\"path\":\"plain/SHA256SUMS\"";
    assert!(json.contains(object), "{json}");
    let status = folder.run(&["scrub", "--status", "d"]);
    assert!(
        status.code == Some(1) && status.out().contains("missing\tplain/SHA256SUMS\n"),
        "{}",
        status.out()
    );
    // Its files are still verified.
    write(&folder, "d/plain/a", "damaged", 1000);
    assert_ran(&scrub(&folder, &accept), 1, &["corrupt\tplain/a", "missing\tplain/SHA256SUMS"]);
    write(&folder, "d/plain/a", "content of plain/a", 1000);
    write(&folder, "d/plain/SHA256SUMS", "not a manifest\n", 2000);
    for _ in 0..2 {
        let ran = scrub(&folder, &accept);
        let out = ran.out();
        assert!(out.starts_with("unreadable\tplain/SHA256SUMS\tcannot "), "{out}");
        assert_eq!((ran.code, out.lines().count()), (Some(1), 1), "{out}");
    }
    folder.write("d/plain/SHA256SUMS", &manifest);
    assert_ran(&scrub(&folder, &[]), 0, &["ok\tplain/SHA256SUMS\tintact again"]);
    fs::remove_dir_all(folder.path("d/bag")).unwrap();
    let files = ["bag-info.txt", "bagit.txt", "data/p", "data/q", "manifest-sha256.txt"];
    let missing =
        |files: &[&str]| files.iter().map(|file| format!("missing\tbag/{file}")).collect::<Vec<_>>();
    let mut lines = missing(&files);
    // The folder, its tag manifest, and its manifest, which is also a file in the tag manifest.
    lines.extend(["missing\tbag".to_owned()]);
    lines.extend(missing(&["tagmanifest-sha256.txt"]));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    for _ in 0..2 {
        assert_ran(&scrub(&folder, &accept), 1, &lines);
    }
    assert_eq!(folder.run(&["scrub", "--forget", "bag", "d"]).code, Some(0));
    assert_ran(&scrub(&folder, &[]), 0, &[]);
    fs::remove_file(folder.path("d/two/SHA256SUMS")).unwrap();
    assert_ran(&scrub(&folder, &["-q"]), 1, &["missing\ttwo/SHA256SUMS"]);
    assert_eq!(folder.run(&["scrub", "--forget", "two/SHA256SUMS", "d"]).code, Some(0));
    assert_ran(&scrub(&folder, &["--all"]), 0, &[]);
}

#[test]
fn bag_that_is_not_complete_is_reported_in_every_run() {
    let folder = verified();
    folder.write("d/bag/data/extra", "not in the manifest");
    for _ in 0..2 {
        let ran = scrub(&folder, &["-q"]);
        assert!(
            ran.code == Some(1) && ran.out().starts_with("unreadable\tbag\tcannot verify: "),
            "{}",
            ran.out()
        );
    }
    fs::remove_file(folder.path("d/bag/data/extra")).unwrap();
    assert_ran(&scrub(&folder, &[]), 0, &["ok\tbag\tintact again"]);
}

#[test]
fn edited_manifest_is_never_accepted_while_its_files_did_not_change() {
    let folder = verified();
    let good = String::from_utf8(folder.read("d/plain/SHA256SUMS")).unwrap();
    let lines: Vec<&str> = good.lines().collect();
    let digest_of = |at: usize| lines[at].split(' ').next().unwrap();
    let accept = ["--accept", "new,modified,moved,restored,missing"];
    let why = format!("\tplain/SHA256SUMS\tcannot accept: its digests of plain/a {CHANGED}");
    // The status depends on whether the manifest was modified, as for any other file.
    for (mtime, status) in [(1000, "corrupt"), (2000, "changed"), (500, "restored")] {
        write(&folder, "d/plain/SHA256SUMS", &good.replace(digest_of(0), digest_of(1)), mtime);
        for _ in 0..3 {
            assert_ran(&scrub(&folder, &accept), 1, &[&format!("{status}{why}")]);
        }
        let state = folder.run(&["scrub", "--status", "d"]);
        assert!(state.code == Some(1), "{}", state.out());
        assert!(state.out().contains(&format!("{status}\tplain/SHA256SUMS\n")), "{}", state.out());
        write(&folder, "d/plain/SHA256SUMS", &good, 1000);
        assert_ran(&scrub(&folder, &accept), 0, &["ok\tplain/SHA256SUMS\tintact again"]);
    }
    // An entry vanishes, and its file is still there. It is still verified.
    write(&folder, "d/plain/SHA256SUMS", &[lines[0], lines[2], ""].join("\n"), 2000);
    let gone = "changed\tplain/SHA256SUMS\tcannot accept: it no longer lists plain/b";
    for _ in 0..3 {
        assert_ran(&scrub(&folder, &accept), 1, &[gone]);
    }
    write(&folder, "d/plain/b", "cOntent of plain/b", 1000);
    assert_ran(&scrub(&folder, &["--all"]), 1, &["corrupt\tplain/b", gone]);
    write(&folder, "d/plain/b", "content of plain/b", 1000);
    assert_ran(&scrub(&folder, &[]), 1, &["ok\tplain/b\tintact again", gone]);
    assert_eq!(folder.run(&["scrub", "--forget", "plain/b", "d"]).code, Some(0));
    assert_ran(&scrub(&folder, &[]), 0, &["ok\tplain/SHA256SUMS\tintact again"]);
}

#[test]
fn manifest_of_a_corrupt_file_does_not_make_it_intact() {
    let folder = verified();
    write(&folder, "d/plain/b", "cOntent of plain/b", 1000);
    list(&folder, "d/plain/SHA256SUMS", &["a", "b", "c"], 2000);
    let accept = ["-q", "--accept", "new,modified,moved,restored,missing"];
    for _ in 0..6 {
        assert_ran(&scrub(&folder, &accept), 1, &["corrupt\tplain/b"]);
    }
    // Neither does deleting it together with its entry.
    fs::remove_file(folder.path("d/plain/b")).unwrap();
    list(&folder, "d/plain/SHA256SUMS", &["a", "c"], 3000);
    assert_ran(&scrub(&folder, &accept), 1, &["missing\tplain/b"]);
}

#[test]
fn updates_of_files_and_manifests_are_accepted_by_the_policy() {
    let folder = verified();
    write(&folder, "d/plain/b", "edited", 2000);
    let stale = "changed\tplain/b\tcannot accept: plain/SHA256SUMS has other digests of it";
    assert_ran(&scrub(&folder, &["--accept", "modified"]), 1, &[stale]);
    list(&folder, "d/plain/SHA256SUMS", &["a", "b", "c"], 2000);
    assert_ran(&scrub(&folder, &["--accept", "none"]), 1, &["changed\tplain/b"]);
    assert_ran(&scrub(&folder, &[]), 0, &["changed\tplain/b\trecorded"]);
    assert_ran(&scrub(&folder, &["--all"]), 0, &[]);
    // New entries and new manifests.
    write(&folder, "d/plain/new", "new", 3000);
    list(&folder, "d/plain/SHA256SUMS", &["a", "b", "c", "new"], 3000);
    write(&folder, "d/late/z", "z", 3000);
    list(&folder, "d/late/MD5SUMS", &["z"], 3000);
    let new = ["new\tlate/MD5SUMS", "new\tlate/z", "new\tplain/new"];
    assert_ran(&scrub(&folder, &["--accept", "none"]), 1, &["new\tlate/MD5SUMS", "new\tplain/new"]);
    assert_ran(
        &scrub(&folder, &[]),
        0,
        &new.map(|line| format!("{line}\trecorded")).each_ref().map(|line| &line[..]),
    );
    assert_ran(&scrub(&folder, &["--all"]), 0, &[]);
    // A listed file that is missing is a failure whatever is accepted.
    let (old, renamed) = (folder.path("d/plain/a"), folder.path("d/plain/renamed"));
    fs::rename(&old, &renamed).unwrap();
    assert_ran(&scrub(&folder, &["--accept", "new,moved,missing"]), 1, &["missing\tplain/a"]);
    list(&folder, "d/plain/SHA256SUMS", &["b", "c", "new", "renamed"], 4000);
    assert_ran(&scrub(&folder, &[]), 0, &["moved\tplain/renamed\tplain/a\trecorded"]);
    fs::remove_file(folder.path("d/plain/c")).unwrap();
    list(&folder, "d/plain/SHA256SUMS", &["b", "new", "renamed"], 5000);
    assert_ran(&scrub(&folder, &[]), 1, &["missing\tplain/c"]);
    assert_ran(&scrub(&folder, &["--accept", "missing"]), 0, &["missing\tplain/c\tentry removed"]);
    assert_ran(&scrub(&folder, &["--all"]), 0, &[]);
    // An update of a bag.
    write(&folder, "d/bag/data/p", "edited", 5000);
    write(&folder, "d/bag/data/r", "added", 5000);
    assert_eq!(folder.run(&["bag", "update", "-q", "--refresh=all", "d/bag"]).code, Some(0));
    let ran = scrub(&folder, &[]);
    let lines = ["changed\tbag/data/p\trecorded", "new\tbag/data/r\trecorded"];
    assert!(ran.code == Some(0) && lines.iter().all(|line| ran.out().contains(line)), "{}", ran.out());
    assert_ran(&scrub(&folder, &["--all"]), 0, &[]);
}

#[test]
fn updates_that_a_limit_leaves_for_later_are_accepted_later() {
    let folder = verified();
    for name in ["a", "b", "c"] {
        write(&folder, &format!("d/plain/{name}"), &format!("{name} was edited"), 2000);
    }
    list(&folder, "d/plain/SHA256SUMS", &["a", "b", "c"], 2000);
    let dry = scrub(&folder, &["-n"]);
    let expected = ["a", "b", "c"].map(|name| format!("changed\tplain/{name}\trecorded"));
    assert_ran(
        &dry,
        0,
        &expected
            .each_ref()
            .map(|line| line.replace("recorded", "would be recorded"))
            .each_ref()
            .map(|line| &line[..]),
    );
    let mut lines = BTreeSet::new();
    for _ in 0..LISTED {
        let ran = scrub(&folder, &["--max-bytes", "1"]);
        assert_eq!(ran.code, Some(0), "{}", ran.out());
        lines.extend(sorted(&ran.out()));
    }
    assert_eq!(lines, BTreeSet::from(expected));
    assert_ran(&scrub(&folder, &["--all"]), 0, &[]);
}

#[test]
fn different_digests_of_a_file_in_two_manifests_are_a_failure_in_every_run() {
    let folder = verified();
    let other = String::from_utf8(folder.read("d/plain/SHA256SUMS")).unwrap();
    let other = other.lines().next().unwrap().replace("  a", "  two/x");
    write(&folder, "d/all.sha256", &format!("{other}\n"), 2000);
    let why = format!("changed\tall.sha256\tcannot accept: its digests of two/x {CHANGED}");
    assert_ran(&scrub(&folder, &[]), 1, &[&why]);
    for _ in 0..3 {
        assert_ran(&scrub(&folder, &["-q"]), 1, &[&why]);
    }
    assert_eq!(folder.run(&["check", "-q", "-r", "d"]).code, Some(1));
    // The file shows which of them is wrong, also if nothing was recorded before.
    fs::remove_file(folder.path("d/.truesum-state")).unwrap();
    assert_ran(&scrub(&folder, &["-q"]), 1, &[&why]);
    for _ in 0..2 {
        assert_ran(&scrub(&folder, &["-q", "--all"]), 1, &[&why]);
    }
    fs::remove_file(folder.path("d/all.sha256")).unwrap();
    assert_eq!(folder.run(&["scrub", "--forget", "all.sha256", "d"]).code, Some(0));
    assert_ran(&scrub(&folder, &["--all"]), 0, &[]);
}

#[test]
fn run_without_failures_means_that_check_passes_whatever_happened_to_files_and_manifests() {
    let folder = Folder::new();
    let mut seed = 0x2545_f491_4f6c_dd1du64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let files = |at: &str| -> Vec<String> {
        let names = fs::read_dir(folder.path(format!("d/{at}"))).unwrap();
        let names = names.map(|item| item.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name != "SHA256SUMS").collect();
        names.sort();
        names
    };
    let relist = |at: &str, mtime: u64| {
        let names = files(at);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        list(&folder, &format!("d/{at}/SHA256SUMS"), &names, mtime);
    };
    for at in ["a", "b"] {
        ["0", "1", "2"].iter().for_each(|name| write(&folder, &format!("d/{at}/{name}"), at, 1000));
        relist(at, 1000);
    }
    let words = ["-q", "--all", "--accept", "new,modified,moved,restored,missing"];
    let (mut is_intact, mut intact) = (scrub(&folder, &words).code == Some(0), 0);
    assert!(is_intact);
    // The name and content of a file that was damaged without a change of its time.
    let mut damaged: Option<(String, Vec<u8>, u64)> = None;
    let steps = truesum_test_support::thorough_or(400, 60);
    for step in 0..steps {
        let (at, now) = (["a", "b"][random(2) as usize], 2000 + step * 10);
        let names = files(at);
        let name = format!("d/{at}/{}", names[random(names.len() as u64) as usize]);
        let is_damaged = damaged.as_ref().is_some_and(|(other, ..)| *other == name);
        match (random(9), &damaged) {
            (0, _) => write(&folder, &name, &format!("edited {step}"), now),
            (1, _) => {
                write(&folder, &name, &format!("updated {step}"), now);
                relist(at, now);
            }
            (2, None) if is_intact => {
                let mtime = fs::metadata(folder.path(&name)).unwrap().modified().unwrap();
                let mtime = mtime.duration_since(UNIX_EPOCH).unwrap().as_secs();
                damaged = Some((name.clone(), folder.read(&name), mtime));
                write(&folder, &name, &format!("damaged {step}"), mtime);
            }
            (2 | 3, Some((name, content, mtime))) => {
                write(&folder, name, std::str::from_utf8(content).unwrap(), *mtime);
                damaged = None;
            }
            (4, _) => relist(at, now),
            (5, _) => relist(at, 1000),
            (6, _) => {
                write(&folder, &format!("d/{at}/new{step}"), &format!("new {step}"), now);
                relist(at, now);
            }
            (7, _) if !is_damaged && names.len() > 2 => {
                fs::remove_file(folder.path(&name)).unwrap();
                relist(at, now);
            }
            (8, _) if !is_damaged => {
                fs::rename(folder.path(&name), folder.path(format!("d/{at}/moved{step}"))).unwrap();
                relist(at, now);
            }
            _ => {}
        }
        let ran = scrub(&folder, &words);
        is_intact = ran.code == Some(0);
        intact += u64::from(is_intact);
        if is_intact {
            let check = folder.run(&["check", "-q", "-r", "d"]);
            assert_eq!((check.code, damaged.as_ref()), (Some(0), None), "step {step}: {}", check.out());
        } else {
            assert_eq!(ran.code, Some(1), "step {step}: {}", ran.err);
            // What is open is forgotten now and then, so that there is something intact to damage.
            let status = folder.run(&["scrub", "--status", "d"]).out();
            let open = status.lines().filter_map(|line| line.split_once('\t')).map(|(_, name)| name);
            let options: Vec<&str> = open.flat_map(|name| ["--forget", name]).collect();
            if random(6) == 0 && damaged.is_none() {
                let ran = folder.run(&[&["scrub"], &options[..], &["d"]].concat());
                assert_eq!(ran.code, Some(0), "step {step}: {}", ran.err);
                ["a", "b"].iter().for_each(|at| relist(at, now + 1));
                is_intact = scrub(&folder, &words).code == Some(0);
            }
        }
    }
    assert!(intact > steps / 10 && intact < steps, "{intact} of {steps} runs found nothing wrong");
}

#[test]
fn state_of_one_kind_is_not_used_for_the_other() {
    let folder = verified();
    let state = folder.read("d/.truesum-state");
    let ran = folder.run(&["scrub", "d"]);
    let message = "truesum: d/.truesum-state: cannot use for all files: it is the state file of a collection of manifests\n\
                hint: to verify the collection: truesum scrub --manifests d\n";
    assert_eq!((ran.code, ran.err.as_str()), (Some(2), message));
    assert!(folder.read("d/.truesum-state") == state, "it is unchanged");
    let ran = folder.run(&["scrub", "-q", "--state", "tree", "d"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = folder.run(&["scrub", "--manifests", "--state", "tree", "d"]);
    assert!(ran.code == Some(2) && ran.err.contains("cannot use for manifests"), "{}", ran.err);
    let ran = folder.run(&["scrub", "--manifests", "--status", "--state", "tree", "d"]);
    assert!(ran.code == Some(2) && ran.err.contains("cannot use for manifests"), "{}", ran.err);
    let empty = Folder::with(&[("d/a", "no manifest")]);
    let ran = scrub(&empty, &[]);
    assert!(ran.code == Some(2) && ran.err.contains("no manifest was found"), "{}", ran.err);
    assert!(!empty.path("d/.truesum-state").exists());
}

#[test]
fn second_run_at_the_same_time_is_refused() {
    let folder = Folder::new();
    folder.write("d/big", vec![7; 3 << 20]);
    list(&folder, "d/SHA256SUMS", &["big"], 1000);
    let mut first = folder.command();
    let first = first.args(["scrub", "--manifests", "-q", "--all", "--rate", "1MiB/s", "d"]);
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !folder.path("d/.truesum-state").metadata().is_ok_and(|state| state.len() > 0) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = scrub(&folder, &[]);
    assert!(second.code == Some(2) && second.err.contains("another truesum process"), "{}", second.err);
    assert_eq!(first.wait().unwrap().code(), Some(0));
}

#[test]
fn killed_runs_lose_no_failure_and_leave_a_usable_state() {
    let folder = Folder::new();
    for at in 0..20 {
        let names: Vec<String> = (0..50).map(|file| file.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        names
            .iter()
            .for_each(|name| write(&folder, &format!("d/{at}/{name}"), &format!("file {name}"), 1000));
        list(&folder, &format!("d/{at}/SHA256SUMS"), &names, 1000);
    }
    assert_eq!(scrub(&folder, &["-q", "--all"]).code, Some(0));
    let rounds = truesum_test_support::thorough_or(20, 6);
    let mut reported = BTreeSet::new();
    for round in 0..rounds {
        write(&folder, &format!("d/{round}/7"), "fiXe 7", 1000);
        if round % 2 == 0 {
            fs::remove_file(folder.path(format!("d/{}/SHA256SUMS", 19 - round))).unwrap();
        }
        let out = fs::File::create(folder.path("out")).unwrap();
        let mut child = folder.command();
        let child =
            child.args(["scrub", "--manifests", "-q", "--all", "d"]).stdout(out).stderr(Stdio::null());
        let mut child = child.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(3 + 29 * round % 150));
        child.kill().unwrap();
        child.wait().unwrap();
        let text = String::from_utf8(folder.read("out")).unwrap();
        reported.extend(text.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(str::to_owned));
        let status = folder.run(&["scrub", "--status", "d"]);
        assert!(status.code.is_some_and(|code| code < 2), "{}", status.err);
        for line in &reported {
            assert!(status.out().contains(line.as_str()), "round {round}: {line} was lost");
        }
    }
    let ran = scrub(&folder, &["-q", "--all"]);
    assert_eq!((ran.code, ran.out().lines().count() as u64), (Some(1), rounds + rounds.div_ceil(2)));
}

#[test]
fn later_manifest_does_not_make_a_damaged_file_intact_before_its_first_read() {
    // Regression: a file that had never been read was taken to be as in a manifest made after the damage.
    let folder = Folder::new();
    let names = ["a", "b", "c", "d", "e", "f"];
    names.iter().for_each(|name| write(&folder, &format!("d/l/{name}"), name, 1000));
    list(&folder, "d/l/SHA256SUMS", &names, 1000);
    assert_eq!(scrub(&folder, &["-q"]).code, Some(0));
    for name in names {
        write(&folder, &format!("d/l/{name}"), "X", 1000);
    }
    list(&folder, "d/l/MD5SUMS", &names, 2000);
    let ran = scrub(&folder, &["--all"]);
    assert_eq!(ran.code, Some(1));
    for name in names {
        assert!(ran.out().contains(&format!("corrupt\tl/{name}\n")), "{}", ran.out());
    }
}

#[test]
fn forgotten_manifest_leaves_failures_of_files_in_other_manifests() {
    // Regression: a corrupt file was removed although a manifest that was added later lists it.
    let folder = Folder::new();
    write(&folder, "d/l/a", "a", 1000);
    list(&folder, "d/l/SHA256SUMS", &["a"], 1000);
    assert_eq!(scrub(&folder, &["-q", "--all"]).code, Some(0));
    write(&folder, "d/l/a", "X", 1000);
    assert_eq!(scrub(&folder, &["-q", "--all"]).code, Some(1));
    list(&folder, "d/l/MD5SUMS", &["a"], 2000);
    assert_eq!(scrub(&folder, &["-q", "--all"]).code, Some(1));
    fs::remove_file(folder.path("d/l/SHA256SUMS")).unwrap();
    assert_eq!(folder.run(&["scrub", "--forget", "l/SHA256SUMS", "d"]).code, Some(0));
    let ran = scrub(&folder, &["--all"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.out().contains("corrupt\tl/a\n"), "{}", ran.out());
}

#[test]
fn state_files_are_not_in_manifests_and_bags() {
    // Regression: `update` and `hash` listed the state, which changes in every run.
    let folder = Folder::with(&[("d/a", "a"), ("d/SHA256SUMS", "")]);
    let ran = folder.run(&["hash", "-o", "d/SHA256SUMS", "--overwrite", "d/a"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(scrub(&folder, &["-q", "--all"]).code, Some(0));
    folder.write("d/b", "b");
    assert_eq!(folder.run(&["update", "d/SHA256SUMS"]).code, Some(0));
    let listed = String::from_utf8(folder.read("d/SHA256SUMS")).unwrap();
    assert!(listed.contains("  b\n") && !listed.contains("truesum-state"), "{listed}");
    assert_eq!(folder.run(&["check", "--exact", "d/SHA256SUMS"]).code, Some(0));
    let ran = folder.run(&["hash", "-v", "d"]);
    assert!(!ran.out().contains("truesum-state"), "{}", ran.out());
    assert!(ran.err.contains("d/.truesum-state: state file of truesum scrub, not hashed"), "{}", ran.err);
    // A file with the name of a state is not one.
    folder.write("e/.truesum-state", "content");
    assert!(folder.run(&["hash", "e"]).out().contains("e/.truesum-state\n"));
    // In a bag, the state is not a tag file.
    folder.write("bag/p", "p");
    assert_eq!(folder.run(&["bag", "create", "-q", "--in-place", "bag"]).code, Some(0));
    assert_eq!(folder.run(&["scrub", "-q", "--manifests", "--all", "bag"]).code, Some(0));
    assert_eq!(folder.run(&["bag", "update", "bag"]).code, Some(0));
    assert_eq!(folder.run(&["scrub", "-q", "--manifests", "--all", "bag"]).code, Some(0));
    let tags = String::from_utf8(folder.read("bag/tagmanifest-sha512.txt")).unwrap_or_default();
    assert!(!tags.contains("truesum-state"), "{tags}");
}
