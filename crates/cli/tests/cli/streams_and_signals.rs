//! Failing output, closed pipes, and signals. No test depends on timing.

use crate::program::{ABC, Folder, OLD_MANIFEST, RunResult, wait_for};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, Write};
use std::process::{Child, Command, Stdio};

#[test]
fn full_device_is_reported_as_an_error() {
    let folder = Folder::with(&[("a", "abc")]);
    folder.write("M", format!("{ABC}  a\n"));
    for words in [&["a"][..], &["check", "M"], &["check", "--json", "M"], &["list", "formats"], &["man"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let ran: RunResult =
            folder.command().args(words).stdout(full).stderr(Stdio::piped()).output().unwrap().into();
        assert_eq!(ran.code, Some(2), "{words:?}");
        assert!(ran.err.contains("standard output: cannot write: No space left on device"), "{}", ran.err);
    }
}

#[test]
fn closed_pipe_ends_the_run_silently() {
    let folder = Folder::with(&[("a", "abc")]);
    folder.write("M", format!("{ABC}  a\n"));
    for words in [&["a"][..], &["check", "M"], &["list", "algorithms"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran: RunResult =
            folder.command().args(words).stdout(writer).stderr(Stdio::piped()).output().unwrap().into();
        assert_eq!((ran.signal, ran.err.as_str()), (Some(13), ""), "{words:?}");
    }
}

#[test]
fn closed_stream_is_an_error_only_if_it_is_used() {
    let folder = Folder::with(&[("a", "abc"), ("sub/b", "b")]);
    folder.write("M", format!("{ABC}  a\n"));
    for (line, code, out, err) in [
        ("hash a <&-", 0, ABC, ""),
        ("check M <&-", 0, "", ""),
        ("hash - <&-", 1, "", "-: cannot read: Bad file descriptor"),
        ("hash a - <&-", 1, ABC, "-: cannot read: Bad file descriptor"),
        ("hash - 0>/dev/null", 1, "", "-: cannot read: Bad file descriptor"),
        ("hash - <sub", 1, "", "-: cannot read: Is a directory"),
        ("hash /dev/stdin <&-", 1, "", "/dev/stdin: cannot "),
        ("hash --files-from - <&-", 2, "", "-: cannot read: Bad file descriptor"),
        ("check - <&-", 2, "", "-: cannot read: Bad file descriptor"),
        ("check --expect d41d8cd98f00b204e9800998ecf8427e - <&-", 1, "UNREADABLE", ""),
        ("hash a >&-", 2, "", "standard output: cannot write: Bad file descriptor"),
        ("check -v M >&-", 2, "", "standard output: cannot write: Bad file descriptor"),
        ("list algorithms >&-", 2, "", "standard output: cannot write: Bad file descriptor"),
        ("hash a 1<M", 2, "", "standard output: cannot write: Bad file descriptor"),
        ("hash a 2>&-", 0, ABC, ""),
        ("hash a nope 2>&-", 1, ABC, ""),
        ("hash nope 2>/dev/full", 1, "", ""),
        ("hash a - <&- >&- 2>&-", 2, "", ""),
    ] {
        let program = env!("CARGO_BIN_EXE_truesum");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &format!("exec \"$0\" {line}"), program]).current_dir(folder.root());
        let ran: RunResult = shell.stdin(Stdio::null()).output().unwrap().into();
        let shown = format!("{line}: {}{}", ran.out(), ran.err);
        assert_eq!(ran.code, Some(code), "{shown}");
        assert!(ran.out().contains(out) && ran.err.contains(err), "{shown}");
        assert!(!ran.out().contains("e3b0c442"), "the digest of nothing: {shown}");
    }
}

#[test]
fn old_manifest_survives_a_full_disk() {
    let folder = Folder::new();
    let names: Vec<String> = (0..600).map(|i| format!("tree/file-with-quite-a-long-name-{i:04}")).collect();
    for name in &names {
        folder.write(name, name);
    }
    let disk = folder.path("disk");
    std::fs::create_dir(&disk).unwrap();
    let mount = |command: &str, words: &[&str]| {
        let status =
            std::process::Command::new(command).args(words).arg(&disk).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    if !mount("mount", &["-t", "tmpfs", "-o", "size=16k", "tmpfs"]) {
        return truesum_test_support::oracle::missing("root, to mount a small disk");
    }
    let first = folder.run(&["hash", "--allow-outside", "-o", "disk/M", &names[0]]);
    let old = folder.read("disk/M");
    let second = folder.run(&["hash", "--allow-outside", "-o", "disk/M", "tree"]);
    let new = folder.read("disk/M");
    let left = std::fs::read_dir(&disk).unwrap().count();
    assert!(mount("umount", &[]));
    assert_eq!((first.code, second.code), (Some(0), Some(2)), "{} {}", first.err, second.err);
    assert!(second.err.contains("No space left"), "{}", second.err);
    assert_eq!((old == new, left), (true, 1), "the old manifest, and nothing beside it");
}

/// Starts a run that reads standard input, and waits until it reads.
fn start_reading(folder: &Folder, words: &[&str]) -> Child {
    let mut command = folder.command();
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // More than a pipe can hold: when all of it is written, the program is reading.
    child.stdin.as_mut().unwrap().write_all(&vec![0; 1 << 20]).unwrap();
    child
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[test]
fn signal_ends_the_run_and_keeps_the_old_manifest() {
    for (number, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        if is_ignored(number) {
            continue;
        }
        let folder = Folder::with(&[("M", OLD_MANIFEST)]);
        let child = start_reading(&folder, &["-o", "M", "-"]);
        signal(&child, number);
        let ran = wait_for(child);
        assert_eq!(ran.code, Some(code), "{}", ran.err);
        assert!(ran.err.contains("interrupted") && ran.err.contains("M was not written"), "{}", ran.err);
        assert_eq!(folder.read("M"), OLD_MANIFEST.as_bytes());
        assert_eq!(folder.entries(), ["M"], "no temporary file is left");
    }
}

/// Returns whether this process was started with the signal ignored, as `nohup` does with SIGHUP; its children inherit
/// that.
fn is_ignored(signal: Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    let mask = u64::from_str_radix(mask.trim(), 16).unwrap();
    mask >> (signal.as_raw() - 1) & 1 == 1
}

#[test]
fn second_signal_ends_the_run_immediately() {
    let folder = Folder::new();
    let mut child = start_reading(&folder, &["-"]);
    signal(&child, Signal::INT);
    signal(&child, Signal::INT);
    // Standard input stays open: only the signal can end it. If two signals are merged into one, another one is needed.
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => drop(kill_process(Pid::from_child(&child), Signal::INT)),
        }
    };
    assert_eq!(status.code(), Some(130));
}

#[test]
fn sigusr1_prints_a_status_line() {
    let folder = Folder::new();
    let mut child = start_reading(&folder, &["-"]);
    signal(&child, Signal::USR1);
    let mut line = String::new();
    std::io::BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("truesum: ") && line.contains("iB, "), "{line}");
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn digests_are_printed_before_later_files_are_read() {
    let folder = Folder::with(&[("a", "abc")]);
    let mut command = folder.command();
    command.args(["-j", "1", "a", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    // Standard input is still open, so this line was not held back until its end.
    out.read_line(&mut line).unwrap();
    assert_eq!(line, format!("{ABC}  a\n"));
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn interrupted_check_reports_what_it_did() {
    let folder = Folder::with(&[("a", "abc")]);
    let mut child = start_reading_manifest(&folder);
    signal(&child, Signal::INT);
    drop(child.stdin.take());
    let ran = wait_for(child);
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    assert!(ran.err.contains("interrupted"), "{}", ran.err);
}

#[test]
fn repeated_signal_does_not_prevent_the_report() {
    // regression: `timeout` sends a signal to the process and then to its group, and the second one ended it at once.
    for _ in 0..20 {
        let folder = Folder::with(&[("a", "abc")]);
        let child = start_reading_manifest(&folder);
        signal(&child, Signal::TERM);
        std::thread::sleep(std::time::Duration::from_millis(1));
        signal(&child, Signal::TERM);
        let ran = wait_for(child);
        assert!(ran.code == Some(143) && ran.err.contains("interrupted"), "{ran:?}");
    }
}

/// Starts a check that reads its manifest from standard input, and waits until it reads.
fn start_reading_manifest(folder: &Folder) -> Child {
    let mut command = folder.command();
    command.args(["check", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let lines = format!("{ABC}  a\n").repeat(20_000);
    child.stdin.as_mut().unwrap().write_all(lines.as_bytes()).unwrap();
    child
}

/// Waits until a child has installed its SIGINT handler.
fn wait_until_handled(child: &Child) {
    let handled = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(mask.trim(), 16).unwrap() >> (Signal::INT.as_raw() - 1) & 1 == 1
    };
    wait_until("SIGINT is handled", handled);
}

#[test]
fn first_signal_ends_a_run_that_waits_for_input() {
    let folder = Folder::with(&[("a", "abc"), ("M", OLD_MANIFEST)]);
    folder.pipe("fifo");
    let lines: [&[&str]; 11] = [
        &["-"],
        &["-j", "1", "-"],
        &["-a", "blake3,md5", "--tag", "-o", "M", "-"],
        &["a", "-"],
        &["--special", "fifo"],
        &["--files-from", "-"],
        &["--files-from", "fifo"],
        &["check", "-"],
        &["check", "fifo"],
        &["diff", "-", "M"],
        &["check", "--expect", "900150983cd24fb0d6963f7d28e17f72", "-"],
    ];
    for words in lines {
        for (first, then) in [(b"".as_slice(), 0), (b"a", 0), (b"a", 30)] {
            let mut command = folder.command();
            command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let mut input = child.stdin.take().unwrap();
            wait_until_handled(&child);
            input.write_all(first).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(then));
            signal(&child, Signal::INT);
            // The writing end is still open.
            let ran = wait_for(child);
            assert_eq!(ran.code, Some(130), "{words:?}: {}", ran.err);
            assert!(ran.err.contains("interrupted"), "{words:?}: {}", ran.err);
            assert!(!ran.err.contains("anceled"), "{words:?}: {}", ran.err);
            drop(input);
        }
    }
    assert_eq!(folder.read("M"), OLD_MANIFEST.as_bytes());
}

#[test]
fn applets_die_by_the_signal_while_waiting() {
    use std::os::unix::process::CommandExt;
    let folder = Folder::new();
    for (program, words) in [("sha256sum", &["-"][..]), ("cksum", &["-c"]), ("b3sum", &[])] {
        let mut command = folder.command();
        command.arg0(program).args(words).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        // Shells start background processes with SIGINT ignored.
        signal(&child, Signal::TERM);
        let ran = wait_for(child);
        assert_eq!(ran.signal, Some(15), "{program}: {:?}", ran.code);
        drop(input);
    }
}

#[test]
fn die_with_parent_ends_the_run_with_its_parent() {
    let folder = Folder::new();
    // A hole that takes minutes to hash.
    std::fs::File::create(folder.path("hole")).unwrap().set_len(1 << 40).unwrap();
    for (options, ends) in [("--die-with-parent", true), ("--progress=never", false)] {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", "\"$@\" hole >/dev/null 2>&1 & echo $!; wait", "sh"])
            .arg(env!("CARGO_BIN_EXE_truesum"));
        shell.args(["-a", "sha256", options]).current_dir(folder.root()).stdout(Stdio::piped());
        let mut shell = shell.spawn().unwrap();
        let mut line = String::new();
        std::io::BufReader::new(shell.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let run = Pid::from_raw(line.trim().parse().unwrap()).unwrap();
        // The program has requested the signal once it has opened the file.
        let opened = || {
            let files = std::fs::read_dir(format!("/proc/{run}/fd")).into_iter().flatten().flatten();
            files.filter_map(|file| std::fs::read_link(file.path()).ok()).any(|file| file.ends_with("hole"))
        };
        wait_until("the file is open", opened);
        shell.kill().unwrap();
        shell.wait().unwrap();
        // If no process waits for it, it remains as a zombie.
        let gone = || {
            let stat = std::fs::read_to_string(format!("/proc/{run}/stat")).unwrap_or_default();
            stat.rsplit(") ").next().is_none_or(|state| state.is_empty() || state.starts_with('Z'))
        };
        if ends {
            wait_until("it no longer exists", gone);
        } else {
            assert!(!gone(), "nobody asked it to end");
            kill_process(run, Signal::KILL).unwrap();
        }
    }
}

/// Waits until a condition holds, and fails after a time limit.
fn wait_until(what: &str, came: impl Fn() -> bool) {
    let begin = std::time::Instant::now();
    while !came() {
        assert!(begin.elapsed().as_secs() < 60, "in a minute this did not come: {what}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn contradicting_arguments_are_rejected_before_any_work() {
    let folder = Folder::with(&[("a", "abc"), ("b", "b")]);
    let other = ABC.replace('a', "b");
    let ran = folder.run(&["check", "--expect", &other, "--expect", ABC, "a"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    std::fs::create_dir(folder.path("trees")).unwrap();
    std::fs::create_dir(folder.path("c")).unwrap();
    folder.write("c/a", "other");
    let ran = folder.run(&["tree", "--save", "-o", "trees", "a", "c/a"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert_eq!(std::fs::read_dir(folder.path("trees")).unwrap().count(), 0);
}

#[test]
fn outputs_replace_nothing_the_run_is_about() {
    let folder = Folder::with(&[("a", "abc"), ("b", "b")]);
    // A typing mistake: the output is a content file, not an old manifest.
    let ran = folder.run(&["-o", "a", "a", "b"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("not a manifest"), "{}", ran.err);
    assert_eq!(folder.read("a"), b"abc");
    for _ in 0..2 {
        assert_eq!(folder.run(&["-o", "SUMS", "a", "b", "."]).code, Some(0), "its own manifest it replaces");
    }
    assert_eq!(folder.run(&["tree", "--save", "a"]).code, Some(0));
    let tree = folder.read("a.ftr");
    for (option, target) in [("--map-html", "a"), ("--map-svg", "a"), ("--map-html", "a.ftr")] {
        let ran = folder.run(&["tree", "verify", option, target, "a.ftr"]);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        assert_eq!((folder.read("a"), folder.read("a.ftr")), (b"abc".to_vec(), tree.clone()));
    }
    folder.write("M", format!("{ABC}  b\n"));
    let listed = folder.read("M");
    for target in ["M", "b"] {
        folder.run(&["check", "--locate", "--map-html", target, "M"]);
        assert_eq!((folder.read("M"), folder.read("b")), (listed.clone(), b"b".to_vec()));
    }
    for option in ["--map-html", "--map-svg"] {
        for _ in 0..2 {
            let ran = folder.run(&["tree", "verify", option, "page", "a.ftr"]);
            assert_eq!(ran.code, Some(0), "an earlier page is replaced: {}", ran.err);
        }
        std::fs::remove_file(folder.path("page")).unwrap();
    }
}

#[test]
fn output_that_is_a_standard_stream_is_not_replaced() {
    let folder = Folder::with(&[("a", "abc"), ("log", "before\n")]);
    let log = std::fs::File::options().append(true).open(folder.path("log")).unwrap();
    for target in ["/dev/stdout", "log"] {
        let mut command = folder.command();
        let output = command.args(["-o", target, "a"]).stdout(log.try_clone().unwrap()).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
    }
    assert_eq!(folder.read("log"), b"before\n");
}

#[test]
fn signal_ends_the_wait_for_a_manifest_from_a_pipe() {
    // regression: the manifest was reported as unreadable ("Operation canceled"), and `shard plan` waited forever.
    let folder = Folder::with(&[("d/a", "abc"), ("M", &format!("{ABC}  d/a\n"))]);
    let pipe = folder.pipe("p");
    for words in [
        &["audit", "p", "d"][..],
        &["audit", "M", "p", "d"],
        &["audit", "-k", "p", "d"],
        &["diff", "p", "d"],
        &["diff", "M", "p"],
        &["find", "--manifest", "p", "d"],
        &["check", "p"],
        &["check", "--locate", "p", "none"],
        &["shard", "plan", "-o", "plan", "--manifest", "p"],
    ] {
        for (sent, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
            let child =
                folder.command().args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            // Opening the pipe for writing blocks until the program has opened it for reading.
            let writer = std::fs::File::options().write(true).open(&pipe).unwrap();
            signal(&child, sent);
            let ran = wait_for(child);
            drop(writer);
            assert_eq!(ran.code, Some(code), "{words:?}: {}", ran.err);
            assert!(!ran.err.contains("cannot"), "{words:?}: {}", ran.err);
        }
    }
}
