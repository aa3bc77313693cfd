//! Results of independent programs in the same folders: cfv for files under other names, rhash for CRC-32 in names,
//! fdupes and rdfind for duplicates.

use crate::program::Folder;
use std::collections::BTreeSet;
use std::process::{Command, Output};
use truesum_test_support::oracle::missing;

/// Returns the output of another program, or `None` if it is not installed, which is reported.
pub fn run_tool(folder: &Folder, program: &str, words: &[&str]) -> Option<Output> {
    let output =
        Command::new(program).args(words).current_dir(folder.root()).env("LC_ALL", "C.UTF-8").output();
    if output.is_err() {
        missing(program);
    }
    output.ok()
}

fn files(folder: &Folder) -> BTreeSet<(String, Vec<u8>)> {
    fn below(path: &std::path::Path, root: &std::path::Path, found: &mut BTreeSet<(String, Vec<u8>)>) {
        for entry in std::fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                below(&path, root, found);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                found.insert((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    let mut found = BTreeSet::new();
    below(folder.root(), folder.root(), &mut found);
    found
}

fn folder_of_renamed_files() -> Folder {
    let folder =
        Folder::with(&[("right", "one"), ("wrong name", "two"), ("other", "not listed"), ("third", "three")]);
    let mut list = String::new();
    for (text, name) in [("one", "right"), ("two", "two"), ("three", "THIRD"), ("four", "gone")] {
        list +=
            &format!("{}  {name}\n", &folder.feed(&["hash", "-a", "md5", "-"], text.as_bytes()).out()[..32]);
    }
    folder.write("list.md5", list);
    folder
}

#[test]
fn renames_match_cfv() {
    let (ours, theirs) = (folder_of_renamed_files(), folder_of_renamed_files());
    let Some(output) = run_tool(&theirs, "cfv", &["-s", "-n", "-f", "list.md5"]) else { return };
    let message =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(127) {
        return missing("cfv");
    }
    let ran = ours.run(&["check", "--search", "--rename-to-match", "--yes", "list.md5"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(files(&ours), files(&theirs), "{message}");
}

#[test]
fn case_insensitive_matches_equal_cfv() {
    let (ours, theirs) = (folder_of_renamed_files(), folder_of_renamed_files());
    let Some(output) = run_tool(&theirs, "cfv", &["-i", "-v", "-f", "list.md5"]) else { return };
    let message =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let ran = ours.run(&["check", "--match-case=no", "list.md5"]);
    assert!(ran.out().contains("THIRD: OK (as third)\n"), "{}", ran.out());
    assert!(message.contains("2 OK") && ran.err.contains("2 files verified"), "{message} {}", ran.err);
}

#[test]
fn embedded_crc32_is_compatible_with_rhash() {
    let make = || Folder::with(&[("nine.txt", "123456789"), (".hidden", "x"), ("a.tar.gz", "y")]);
    let (ours, theirs) = (make(), make());
    // rhash does not rename a file without an extension.
    let names = ["nine.txt", "a.tar.gz"];
    let Some(output) = run_tool(&theirs, "rhash", &[&["-C", "--embed-crc"], &names[..]].concat()) else {
        return;
    };
    assert!(output.status.success(), "{output:?}");
    let ran = ours.run(&[&["embed", "add", "--yes"], &names[..]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(files(&ours), files(&theirs));
    let marked: Vec<String> = ours.entries().into_iter().filter(|name| name.contains('[')).collect();
    let words: Vec<&str> =
        ["--check-embedded"].into_iter().chain(marked.iter().map(String::as_str)).collect();
    // The exit status of rhash does not show failures.
    let failed =
        || String::from_utf8_lossy(&run_tool(&ours, "rhash", &words).unwrap().stdout).contains(" ERR");
    assert!(!failed());
    assert_eq!(ours.run(&["embed", "check", "-q", "."]).code, Some(0));
    ours.write("nine [CBF43926].txt", "damaged");
    assert!(failed());
    assert_eq!(ours.run(&["embed", "check", "-q", "."]).code, Some(1));
}

/// Returns a folder of files with many contents, some with the same beginning, some hard-linked.
fn copies() -> Folder {
    let folder = Folder::new();
    for number in 0..200u32 {
        let content = number.wrapping_mul(2_654_435_761) >> 26;
        let mut text = vec![content as u8 % 3; 5000 * (content as usize % 4)];
        text.extend_from_slice(format!("end {}", content % 20).as_bytes());
        folder.write(format!("d{}/{number}", number % 7), text);
    }
    folder.write("empty/a", "");
    folder.write("empty/b", "");
    std::fs::hard_link(folder.path("d0/0"), folder.path("d1/linked")).unwrap();
    folder
}

/// Returns our groups: one name of each copy, without further hard links.
fn groups(folder: &Folder) -> BTreeSet<BTreeSet<String>> {
    let ran = folder.run(&["duplicates", "-q", "-0", "."]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let out = ran.out();
    let groups = out.split("\0\0").filter(|group| !group.is_empty());
    groups.map(|group| group.split('\0').map(str::to_owned).collect()).collect()
}

#[test]
fn duplicates_match_fdupes() {
    let folder = copies();
    // `-n` excludes empty files.
    let Some(output) = run_tool(&folder, "fdupes", &["-r", "-n", "-q", "."]) else { return };
    let text = String::from_utf8(output.stdout).unwrap();
    let groups_of = |text: &str| -> BTreeSet<BTreeSet<String>> {
        let groups = text.split("\n\n").map(str::trim).filter(|group| !group.is_empty());
        groups.map(|group| group.lines().map(str::to_owned).collect()).collect()
    };
    // fdupes prints one name of a file with two; which one depends on the order of the folder.
    let theirs = groups_of(&text.replace("./d1/linked", "./d0/0"));
    assert!(theirs.len() > 10);
    assert_eq!(groups(&folder), theirs);
}

#[test]
fn duplicates_and_wasted_bytes_match_rdfind() {
    let folder = copies();
    let Some(output) = run_tool(&folder, "rdfind", &["-dryrun", "true", "."]) else { return };
    assert!(output.status.success());
    let results = String::from_utf8(folder.read("results.txt").clone()).ok();
    let text = String::from_utf8(output.stdout).unwrap();
    std::fs::remove_file(folder.path("results.txt")).ok();
    let ran = folder.run(&["duplicates", "--json", "."]);
    let summary: serde_json::Value = serde_json::from_str(ran.out().lines().last().unwrap()).unwrap();
    let files: usize = groups(&folder).iter().map(BTreeSet::len).sum();
    let message = format!("It seems like you have {files} files that are not unique");
    assert!(text.contains(&message), "{message}: {text} {results:?}");
    assert_eq!(summary["copies"].as_u64(), Some(files as u64 - summary["groups"].as_u64().unwrap()));
}
