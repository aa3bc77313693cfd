//! A killed worker: its part is complete or does not exist, whichever system call it is killed at, and the next attempt
//! continues.

use crate::bytes::noise;
use crate::program::Folder;
use crate::strace::{can_trace, run};

#[test]
fn killed_worker_leaves_a_complete_part_or_none() {
    if !can_trace() {
        return;
    }
    let folder = Folder::new();
    folder.write("d/a", "abc");
    folder.write("d/big", noise(200_000));
    let words = ["-a", "sha256-tree", "--bundle-bytes", "128KiB", "d"];
    assert_eq!(folder.run(&[&["shard", "plan", "-q", "-o", "plan"], &words[..]].concat()).out(), "3\n");
    let local = folder.run(&["hash", "-a", "sha256-tree", "--tag", "d"]).out;
    // The result of an uninterrupted worker.
    assert_eq!(folder.run(&["shard", "run", "-q", "plan", "0..3", "-o", "good"]).code, Some(0));
    let good: Vec<Vec<u8>> =
        names(&folder, "good").iter().map(|name| folder.read(format!("good/{name}"))).collect();
    let mut ended = false;
    let (mut whole, mut none) = (0, 0);
    // The first call of each kind, then the second, and so on.
    for at in 1.. {
        let _ = std::fs::remove_dir_all(folder.path("plan.parts"));
        let inject = format!("inject=all:signal=SIGKILL:when={at}");
        let output = run(folder.root(), &["-e", &inject], &["shard", "run", "-q", "-j", "1", "plan", "0..3"]);
        ended = output.status.success();
        for (bundle, expected) in good.iter().enumerate() {
            match names(&folder, "plan.parts").get(bundle) {
                Some(name) => {
                    assert_eq!(&folder.read(format!("plan.parts/{name}")), expected, "killed at call {at}");
                    whole += 1;
                }
                None => none += 1,
            }
        }
        if at % 3 == 0 {
            assert_eq!(folder.run(&["shard", "run", "-q", "plan", "0..3"]).code, Some(0));
            assert_eq!(folder.run(&["shard", "merge", "-q", "--tag", "plan", "-o", "M"]).code, Some(0));
            assert_eq!(folder.read("M"), local);
        }
        if ended {
            break;
        }
    }
    assert!(ended && whole > 5 && none > 5, "{whole} whole, {none} not there");
}

/// Returns the names of the parts in a folder; a file with a temporary name would be listed as well.
fn names(folder: &Folder, of: &str) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder.path(of)) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name.ends_with(".jsonl"));
    names.sort();
    names
}

#[test]
fn worker_ends_with_its_parent() {
    let folder = Folder::new();
    std::fs::File::create(folder.path("sparse")).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(folder.run(&["shard", "plan", "-q", "-o", "plan", "sparse"]).out(), "1\n");
    let line = "\"$0\" shard run -q --die-with-parent plan 0 & exec sleep 0.3";
    let began = std::time::Instant::now();
    let output = std::process::Command::new("sh")
        .args(["-c", line, env!("CARGO_BIN_EXE_truesum")])
        .current_dir(folder.root())
        .output()
        .unwrap();
    // The process also held these streams open, so it has ended, long before it could have read a tebibyte.
    assert!(began.elapsed().as_secs() < 60, "{output:?}");
    assert!(names(&folder, "plan.parts").is_empty());
}
