//! Little memory: whatever the limit, a run is correct or reports that there is not enough memory.

use crate::program::{ABC, Folder, RunResult};
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

/// Runs a command with this limit on its address space, in KiB.
fn run_with_memory_limit(folder: &Folder, limit: u64, words: &[&str]) -> RunResult {
    run_with_ulimit(folder, &format!("-v {limit}"), words)
}

/// Runs a command with this limit of the shell's `ulimit`.
fn run_with_ulimit(folder: &Folder, limit: &str, words: &[&str]) -> RunResult {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("ulimit {limit} && exec \"$@\""), "sh"]).args(words);
    shell.current_dir(folder.root()).stdin(Stdio::null()).output().unwrap().into()
}

#[test]
fn run_with_little_memory_is_correct_or_fails() {
    let folder = Folder::new();
    for number in 0..40 {
        folder.write(format!("m/{number}"), vec![number as u8; 3000 * number]);
    }
    let noise = |i: u32| (i.wrapping_mul(2_654_435_761) >> 23) as u8;
    folder.write("big", (0..9_000_000).map(noise).collect::<Vec<u8>>());
    std::fs::File::create(folder.path("sparse")).unwrap().set_len(3 << 20).unwrap();
    for name in ["truesum", "sha256sum", "b3sum"] {
        symlink(env!("CARGO_BIN_EXE_truesum"), folder.path(name)).unwrap();
    }
    assert_eq!(folder.run(&["m", "big", "-o", "SUMS"]).code, Some(0));
    let loads = |limit| run_with_memory_limit(&folder, limit, &["./truesum", "--version"]).code == Some(0);
    let least = (1..).map(|step| step << 10).find(|&limit| loads(limit)).unwrap();
    let lines: [&[&str]; 10] = [
        &["./truesum", "hash", "m", "big"],
        &["./truesum", "hash", "-j", "8", "m"],
        &["./truesum", "hash", "--tag", "-a", "sha256,md5,blake3,crc32", "big", "sparse"],
        &["./truesum", "hash", "-o", "NEW", "m", "big"],
        &["./truesum", "check", "SUMS"],
        &["./truesum", "tree", "big"],
        &["./truesum", "tree", "--save", "-a", "sha256-tree", "big"],
        &["./sha256sum", "big", "sparse"],
        &["./sha256sum", "-c", "SUMS"],
        &["./b3sum", "big"],
    ];
    for words in lines {
        let whole = run_with_memory_limit(&folder, 8 << 20, words);
        assert_eq!(whole.code, Some(0), "{words:?}: {}", whole.err);
        let failed = if words[0] == "./truesum" { 2 } else { 1 };
        // Around the size at which the program can be loaded; further steps are larger.
        for step in [0, 128, 256, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12_288, 24_576, 49_152]
        {
            let ran = run_with_memory_limit(&folder, least + step, words);
            let shown =
                format!("{words:?} with {least} + {step} KiB: {:?} {:?} {}", ran.code, ran.signal, ran.err);
            assert!(ran.code == Some(0) || (ran.code == Some(failed) && step < 12_288), "{shown}");
            if ran.code == Some(0) {
                assert_eq!(ran.out(), whole.out(), "{shown}");
            } else {
                assert!(ran.err.contains("memory") && ran.err.lines().count() == 1, "{shown}");
            }
        }
    }
    let left: Vec<String> = folder
        .entries()
        .into_iter()
        .filter(|name| name.ends_with(".part") && name.starts_with('.'))
        .collect();
    assert_eq!(left, [""; 0], "no temporary file is left");
}

/// regression: each file took a second before it failed.
#[test]
fn exhausted_file_descriptors_fail_fast_and_name_the_limit() {
    let folder = Folder::new();
    let names: Vec<String> = (0..30).map(|number| format!("file{number}")).collect();
    names.iter().for_each(|name| folder.write(name, name));
    let words: Vec<&str> =
        [env!("CARGO_BIN_EXE_truesum"), "hash"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let mut failed = 0;
    for limit in 5..12 {
        let began = std::time::Instant::now();
        let ran = run_with_ulimit(&folder, &format!("-n {limit}"), &words);
        if ran.code == Some(0) {
            assert_eq!(ran.out().lines().count(), names.len(), "{ran:?}");
            continue;
        }
        failed += 1;
        assert_eq!(ran.code, Some(1), "{limit}: {ran:?}");
        assert!(ran.err.contains("Too many open files\n") && ran.err.contains("ulimit -n 4096"), "{ran:?}");
        assert!(began.elapsed().as_secs() < names.len() as u64 / 2, "{limit}: {:?}", began.elapsed());
    }
    assert!(failed > 0);
}

/// regression: workers opened more files than their share of the descriptors, and the walk failed for want of one.
#[test]
fn small_limit_of_descriptors_suffices_for_many_folders() {
    let folder = Folder::new();
    for number in 0..400 {
        ["a", "b", "c"].iter().for_each(|name| folder.write(format!("t/{number}/{name}"), "abc"));
    }
    for (limit, threads) in [(24, "2"), (48, "8"), (64, "2"), (256, "8")] {
        let words = [env!("CARGO_BIN_EXE_truesum"), "hash", "-j", threads, "t"];
        let ran = run_with_ulimit(&folder, &format!("-n {limit}"), &words);
        assert_eq!((ran.code, ran.out().lines().count()), (Some(0), 1200), "{limit}: {}", ran.err);
    }
}

/// regression: the program crashed with a stack overflow.
#[test]
fn small_stack_is_sufficient() {
    let folder = Folder::with(&[("a", "abc"), ("M", &format!("{ABC}  a\n"))]);
    for limit in [64, 100, 160, 400, 1024] {
        for words in [&["hash", "a"][..], &["check", "M"], &["find", ABC, "."], &["--help"], &["tree", "a"]] {
            let words = [&[env!("CARGO_BIN_EXE_truesum")], words].concat();
            let ran = run_with_ulimit(&folder, &format!("-s {limit}"), &words);
            assert_eq!(ran.code, Some(0), "{limit}: {words:?}: {ran:?}");
        }
    }
}

/// Runs a command for the manifest M with this many entries, whose files do not exist. Returns its peak memory in bytes
/// after it has read all entries, when it reads standard input or writes its results.
fn peak_memory(words: &[&str], entries: u64) -> u64 {
    let folder = Folder::new();
    let mut manifest = String::new();
    for at in 0..entries {
        let digest = at.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let album = at / 1000;
        writeln!(manifest, "{digest:064x}  photos/album{album:03}/image-{at:08}.jpeg").unwrap();
    }
    folder.write("M", manifest);
    let mut command = folder.command();
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    if words.contains(&"-") {
        // More than a pipe can store.
        child.stdin.as_mut().unwrap().write_all(&vec![0; 1 << 20]).unwrap();
    } else {
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().strip_suffix(" kB").unwrap().parse().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    peak << 10
}

#[test]
fn search_needs_little_memory_per_entry() {
    // regression: `find` needed 340 bytes per entry, and `check --search` 200. A name and a digest are 67 bytes.
    // Far apart, because the constant part depends on how much was read ahead.
    const FEW: u64 = 200_000;
    const MANY: u64 = 900_000;
    for words in [&["find", "--manifest", "M", "-"][..], &["check", "--search", "M"]] {
        let each = (peak_memory(words, MANY) - peak_memory(words, FEW)) / (MANY - FEW);
        assert!(each <= 150, "{words:?}: {each} bytes per entry");
    }
}
