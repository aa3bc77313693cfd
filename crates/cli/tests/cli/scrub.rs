//! `truesum scrub`: output, exit statuses, policies, and runs that are killed or overlap.

use crate::program::{Folder, result_of, set_mtime};
use crate::strace::{self, can_trace};
use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Writes a file with this modification time, in seconds.
pub fn write(folder: &Folder, name: &str, text: &str, mtime: u64) {
    folder.write(name, text);
    set_mtime(folder, name, time(mtime));
}

fn time(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::new(seconds, 123_456_789)
}

/// Returns a folder whose files have been recorded.
pub fn recorded(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new();
    files.iter().for_each(|(name, text)| write(&folder, name, text, 1000));
    let ran = folder.run(&["scrub", "-q", "d"]);
    assert_eq!((ran.code, ran.out()), (Some(0), String::new()));
    // A first run is not quiet: a state that was lost must not go unnoticed.
    assert!(ran.err.ends_with("; nothing is wrong\n"), "{}", ran.err);
    folder
}

#[test]
fn scrub_reports_every_status_and_exits_with_1_while_something_is_wrong() {
    let folder = recorded(&[("d/a", "1"), ("d/b", "two"), ("d/c", "3"), ("d/e", "four"), ("d/f", "5")]);
    let ran = folder.run(&["scrub", "--all", "d"]);
    assert_eq!((ran.code, ran.out()), (Some(0), String::new()));
    assert!(
        ran.err
            .starts_with("truesum: 5 files recorded, 5 read (10 B): 5 ok; 100% verified in the last 30 days"),
        "{}",
        ran.err
    );
    assert!(ran.err.ends_with("; nothing is wrong\n"), "{}", ran.err);
    write(&folder, "d/a", "edited", 2000);
    std::fs::rename(folder.path("d/b"), folder.path("d/moved")).unwrap();
    write(&folder, "d/c", "X", 1000);
    std::fs::remove_file(folder.path("d/e")).unwrap();
    write(&folder, "d/f", "old", 500);
    write(&folder, "d/new", "new", 2000);
    let dry = folder.run(&["scrub", "-n", "--all", "d"]);
    let ran = folder.run(&["scrub", "--all", "d"]);
    assert_eq!(
        dry.out().replace("would be ", ""),
        ran.out(),
        "a dry run reports the same and changes nothing"
    );
    let expected = "changed\ta\trecorded\ncorrupt\tc\nrestored\tf\nmissing\te\nmoved\tmoved\tb\trecorded\nnew\tnew\trecorded\n";
    let sorted = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<String>>();
    assert_eq!((ran.code, sorted(&ran.out())), (Some(1), sorted(expected)));
    assert!(
        ran.err.contains(": 1 changed, 1 CORRUPT, 1 RESTORED, 1 MISSING, 1 new, 1 moved; "),
        "{}",
        ran.err
    );
    let ran = folder.run(&["scrub", "-q", "d"]);
    assert_eq!((ran.code, sorted(&ran.out())), (Some(1), sorted("corrupt\tc\nrestored\tf\nmissing\te\n")));
    let accepting = folder.run(&["scrub", "--accept", "restored,missing", "d"]);
    assert_eq!(
        sorted(&accepting.out()),
        sorted("corrupt\tc\nrestored\tf\trecorded\nmissing\te\tentry removed\n")
    );
    write(&folder, "d/c", "3", 1000);
    let ran = folder.run(&["scrub", "d"]);
    assert_eq!((ran.code, ran.out()), (Some(0), "ok\tc\tintact again\n".to_owned()));
}

#[test]
fn accept_none_records_nothing() {
    let folder = recorded(&[("d/a", "1")]);
    write(&folder, "d/a", "edited", 2000);
    write(&folder, "d/new", "2", 2000);
    for _ in 0..2 {
        let ran = folder.run(&["scrub", "-q", "--accept", "none", "d"]);
        assert_eq!((ran.code, ran.out()), (Some(1), "changed\ta\nnew\tnew\n".to_owned()));
    }
    let ran = folder.run(&["scrub", "--accept", "none,new", "d"]);
    assert_eq!(result_of(&ran).2, Some(2));
}

#[test]
fn forgotten_file_is_recorded_again() {
    let folder = recorded(&[("d/a", "1"), ("d/b", "2")]);
    write(&folder, "d/a", "X", 1000);
    assert_eq!(folder.run(&["scrub", "--all", "d"]).code, Some(1));
    let ran = folder.run(&["scrub", "--forget", "c", "d"]);
    let error = "truesum: d/.truesum-state: cannot change: it has no entry for c\n";
    assert_eq!(result_of(&ran), (String::new(), error, Some(2)));
    assert_eq!(folder.run(&["scrub", "--forget", "a", "d"]).code, Some(0));
    let ran = folder.run(&["scrub", "d"]);
    assert_eq!((ran.code, ran.out()), (Some(0), "new\ta\trecorded\n".to_owned()));
}

#[test]
fn state_is_neither_recorded_nor_used_for_another_folder() {
    let folder = recorded(&[("d/a", "1"), ("e/a", "1")]);
    let ran = folder.run(&["convert", "d/.truesum-state", "-t", "sfv"]);
    assert!(ran.code == Some(2) && !ran.err.contains(" -a "), "a hint that works: {}", ran.err);
    let ran = folder.run(&["convert", "d/.truesum-state", "-t", "sfv", "-a", "crc32"]);
    let message = "truesum: d/.truesum-state: a scrub state file cannot be converted with -a\n\
                hint: to export it as a manifest first: truesum convert d/.truesum-state -t jsonl -o MANIFEST\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(2)));
    let ran = folder.run(&["convert", "d/.truesum-state", "-t", "gnu", "--lossy"]);
    assert_eq!((ran.code, ran.out().lines().count()), (Some(0), 1), "{}", ran.err);
    assert_eq!(folder.run(&["scrub", "--state", "S", "d"]).code, Some(0));
    let ran = folder.run(&["scrub", "--state", "S", "e"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("S: cannot use: it is the state file of another folder, "), "{}", ran.err);
    assert!(
        ran.err.contains("hint: to use another state file: truesum scrub --state FILE e\n"),
        "{}",
        ran.err
    );
    // The state file names the folder.
    for state in ["S", "d/.truesum-state"] {
        assert_eq!(folder.run(&["scrub", "-q", "--all", state]).code, Some(0), "{state}");
        let ran = folder.run(&["scrub", "--status", state]);
        assert!(ran.code == Some(0) && ran.out().contains("1 file"), "{state}: {}{}", ran.out(), ran.err);
    }
    // A state in its folder moves with it; another one belongs to a path.
    std::fs::rename(folder.path("d"), folder.path("m")).unwrap();
    assert_eq!(folder.run(&["scrub", "-q", "--all", "m"]).code, Some(0));
    assert_eq!(folder.run(&["scrub", "--state", "S", "m"]).code, Some(2));
    let ran = folder.run(&["scrub", "S"]);
    assert!(
        ran.code == Some(2) && ran.err.contains("/d: cannot open: No such file or directory"),
        "{}",
        ran.err
    );
    assert_eq!(folder.run(&["scrub", "-q", "--all", "m/.truesum-state"]).code, Some(0));
    let moved = folder.path("m").canonicalize().unwrap();
    let status = folder.run(&["scrub", "--status", "m"]).out();
    assert!(status.starts_with(&format!("folder: {}\n", moved.display())), "{status}");
    let ran = folder.run(&["scrub", "-a", "crc32", "--state", "C", "e"]);
    assert!(ran.err.contains("note: crc32: no protection against tampering\n"), "{}", ran.err);
    let ran = folder.run(&["scrub", "-a", "md5", "m"]);
    assert!(ran.err.contains("its algorithms (sha256) cannot be changed"), "{}", ran.err);
}

#[test]
fn exported_state_is_imported_and_verified() {
    let folder = recorded(&[("d/a", "1"), ("d/b", "2")]);
    assert_eq!(folder.run(&["convert", "d/.truesum-state", "-o", "M.jsonl"]).code, Some(0));
    assert_eq!(folder.run(&["check", "-q", "--root", "d", "M.jsonl"]).code, Some(0));
    std::fs::remove_file(folder.path("d/.truesum-state")).unwrap();
    write(&folder, "d/b", "X", 1000);
    assert_eq!(folder.run(&["scrub", "-q", "--import", "M.jsonl", "--root", "d", "d"]).code, Some(0));
    let again = folder.run(&["scrub", "--import", "M.jsonl", "--root", "d", "d"]);
    assert!(again.code == Some(2) && again.err.contains("the state file already exists"), "{}", again.err);
    let status = folder.run(&["scrub", "--status", "d"]);
    assert!(
        status.code == Some(0) && status.out().contains("  never: 2 files, 2 B, 100%\n"),
        "{}",
        status.out()
    );
    let ran = folder.run(&["scrub", "-q", "--all", "d"]);
    assert_eq!((ran.code, ran.out()), (Some(1), "corrupt\tb\n".to_owned()));
}

#[test]
fn status_and_log_show_failures_and_runs() {
    let folder = recorded(&[("d/a", "1"), ("d/b", "2")]);
    write(&folder, "d/a", "X", 1000);
    folder.run(&["scrub", "--all", "d"]);
    let ran = folder.run(&["scrub", "--status", "d"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out().ends_with("open failures: 1\ncorrupt\ta\n"), "{}", ran.out());
    let metrics = folder.run(&["scrub", "--status", "--prometheus", "d"]).out();
    let root = folder.path("d").canonicalize().unwrap();
    assert!(
        metrics.contains(&format!("truesum_scrub_open_failures{{root=\"{}\"}} 1\n", root.display())),
        "{metrics}"
    );
    let json = folder.run(&["scrub", "--status", "--json", "d"]).out();
    let object: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&object["files"], &object["failures"][0]["path"]), (&2.into(), &"a".into()));
    let log = folder.run(&["scrub", "--log", "d"]).out();
    let exits: Vec<&str> = log.lines().map(|line| line.rsplit('\t').next().unwrap()).collect();
    assert_eq!(exits, ["exit 0", "exit 1"]);
    let json = folder.run(&["scrub", "--json", "d"]).out();
    let objects: Vec<serde_json::Value> =
        json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&objects[0]["standing"], &objects[0]["action"]), (&"corrupt".into(), &"failed".into()));
    assert_eq!(
        (&objects[1]["kind"], &objects[1]["corrupt"], &objects[1]["exit"]),
        (&"summary".into(), &1.into(), &1.into())
    );
}

#[test]
fn damaged_state_and_missing_folder_are_errors_with_a_hint() {
    let folder = recorded(&[("d/a", "1")]);
    let mut state = folder.read("d/.truesum-state");
    let len = state.len();
    state[len - 40] ^= 1;
    folder.write("d/.truesum-state", &state);
    let ran = folder.run(&["scrub", "d"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.starts_with("truesum: d/.truesum-state: cannot verify: the state file is damaged in block "),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("hint: to start again from an exported manifest: rm d/.truesum-state && truesum scrub --import MANIFEST --root d d\n"), "{}", ran.err);
    // Only the run is added to its history.
    assert!(folder.read("d/.truesum-state").starts_with(&state), "the damaged state is kept");
    let ran = folder.run(&["scrub", "none"]);
    assert_eq!(
        result_of(&ran),
        (String::new(), "truesum: none: cannot open: No such file or directory\n", Some(2))
    );
    assert!(!folder.path("none").exists());
}

#[test]
fn second_run_at_the_same_time_is_refused() {
    let folder = Folder::new();
    folder.write("d/big", vec![7; 3 << 20]);
    let mut first = folder.command();
    let first =
        first.args(["scrub", "-q", "--rate", "1MiB/s", "d"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut first = first.spawn().unwrap();
    while !folder.path("d/.truesum-state").metadata().is_ok_and(|state| state.len() > 0) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = folder.run(&["scrub", "d"]);
    assert_eq!(second.code, Some(2), "{}", second.err);
    assert!(second.err.contains("cannot lock: another truesum process is using it"), "{}", second.err);
    assert_eq!(folder.run(&["scrub", "--status", "d"]).code, Some(0), "the state can be read");
    assert_eq!(first.wait().unwrap().code(), Some(0));
}

#[test]
fn killed_runs_lose_no_failure_and_leave_a_usable_state() {
    let folder = Folder::new();
    (0..2000).for_each(|at| write(&folder, &format!("d/{}/{at}", at % 20), &format!("file {at}"), 1000));
    assert_eq!(folder.run(&["scrub", "-q", "d"]).code, Some(0));
    let rounds = truesum_test_support::thorough_or(30, 6);
    let mut reported = BTreeSet::new();
    for round in 0..rounds {
        write(&folder, &format!("d/{}/{round}", round % 20), &format!("fiXe {round}"), 1000);
        let mut child = folder.command();
        let out = std::fs::File::create(folder.path("out")).unwrap();
        let mut child =
            child.args(["scrub", "-q", "--all", "d"]).stdout(out).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(3 + 17 * round % 150));
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
    let ran = folder.run(&["scrub", "-q", "--all", "d"]);
    assert_eq!((ran.code, ran.out().lines().count() as u64), (Some(1), rounds));
}

#[test]
fn folder_with_redundant_slashes_is_the_same_folder() {
    // regression: with two slashes at the end, the first byte of every name was cut off, and all files were new.
    let folder = recorded(&[("d/1x", "one"), ("d/2x", "two")]);
    write(&folder, "d/2x", "TWO", 1000);
    for name in ["d//", "d/.//", "./d///", ".//d/."] {
        let ran = folder.run(&["scrub", "-q", "--all", name]);
        assert_eq!((ran.code, ran.out()), (Some(1), "corrupt\t2x\n".to_owned()), "{name}");
    }
}

#[test]
#[cfg(unix)]
fn moves_are_recognized_if_a_link_has_the_former_name() {
    // regression: the missing file seemed to exist, because the link was followed, and a corrupt one was new.
    let folder = recorded(&[("d/z/x", "content"), ("d/other", "1")]);
    std::fs::rename(folder.path("d/z"), folder.path("d/real")).unwrap();
    std::os::unix::fs::symlink("real", folder.path("d/z")).unwrap();
    write(&folder, "d/real/x", "CONTENT", 1000);
    let ran = folder.run(&["scrub", "-q", "d"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out(), ran.err);
    assert!(ran.out().contains("moved-modified\treal/x\tz/x"), "{}", ran.out());
}

#[test]
fn missing_files_are_not_accepted_while_new_ones_are_left_for_later() {
    // regression: the entries of moved files were removed before the files were read, and corrupt ones were then new.
    let text = "x".repeat(50_000);
    let folder =
        recorded(&[("d/a", &text), ("d/b", &text.replace('x', "y")), ("d/c", &text.replace('x', "z"))]);
    std::fs::create_dir(folder.path("d/new")).unwrap();
    for name in ["a", "b", "c"] {
        std::fs::rename(folder.path(format!("d/{name}")), folder.path(format!("d/new/{name}"))).unwrap();
    }
    write(&folder, "d/new/c", &text.replace('x', "?"), 1000);
    let mut found = String::new();
    for _ in 0..4 {
        let ran =
            folder.run(&["scrub", "--accept", "new,modified,moved,missing", "--max-bytes", "50kB", "d"]);
        found += &ran.out();
    }
    assert!(found.contains("moved-modified\tnew/c\tc"), "{found}");
    assert!(!found.contains("new\tnew/c"), "{found}");
}

#[test]
fn files_left_for_later_are_read_in_their_turn() {
    // regression: a file whose size changed was never read if another one was modified before every run.
    let text = "x".repeat(60_000);
    let folder = recorded(&[("d/a", &text), ("d/b", &text), ("d/c", &text)]);
    write(&folder, "d/c", "short", 1000);
    let mut found = String::new();
    for run in 0..4 {
        write(&folder, "d/a", &"x".repeat(60_001 + run), 2000 + run as u64);
        found += &folder.run(&["scrub", "--max-bytes", "60kB", "d"]).out();
    }
    assert!(found.contains("corrupt\tc"), "{found}");
}

#[test]
fn empty_folder_gets_no_state() {
    // regression: the mount point of a file system that was not mounted got a state, and nothing was wrong.
    let folder = Folder::new();
    std::fs::create_dir(folder.path("d")).unwrap();
    let ran = folder.run(&["scrub", "-q", "d"]);
    let message = "truesum: d: cannot scrub: no file was found; is the file system mounted?\n";
    assert_eq!((ran.code, ran.err.as_str()), (Some(2), message));
    assert!(!folder.path("d/.truesum-state").exists());
}

#[test]
#[cfg(unix)]
fn full_disk_leaves_the_state_as_it_was() {
    // regression: the record of the run was written over the beginning of the results that did not fit.
    // The largest file is read first.
    let text = |at: u32| if at == 0 { "largest".to_owned() } else { at.to_string() };
    let files: Vec<(String, String)> = (0..1500).map(|at| (format!("d/{at}"), text(at))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&name[..], &text[..])).collect();
    let folder = recorded(&files);
    write(&folder, "d/0", "damaged", 1000);
    let len = folder.path("d/.truesum-state").metadata().unwrap().len();
    let program = env!("CARGO_BIN_EXE_truesum");
    let limited = format!("trap '' XFSZ; ulimit -f {}; exec {program} scrub -q --all d", len / 1024 + 2);
    let mut shell = std::process::Command::new("bash");
    let ran: crate::program::RunResult =
        shell.args(["-c", &limited]).current_dir(folder.root()).output().unwrap().into();
    assert_eq!((ran.code, ran.out()), (Some(2), "corrupt\t0\n".to_owned()), "{}", ran.err);
    assert!(ran.err.contains("d/.truesum-state: cannot write: File too large"), "{}", ran.err);
    assert!(folder.path("d/.truesum-state").metadata().unwrap().len() < len + 500, "only the run is added");
    let status = folder.run(&["scrub", "--status", "d"]);
    assert_eq!((status.code, &status.err[..]), (Some(0), ""));
    let ran = folder.run(&["scrub", "-q", "--all", "d"]);
    assert_eq!((ran.code, ran.out()), (Some(1), "corrupt\t0\n".to_owned()));
}

#[test]
fn result_is_written_while_the_next_file_is_read() {
    // regression: results were delivered only after all large files of a batch, and not written during long reads.
    let folder = Folder::new();
    ["d/a", "d/b"].iter().for_each(|name| folder.write(name, vec![7; 8 << 20]));
    let mut run = folder.command();
    // Files whose algorithm has no lanes are read one after the other.
    run.args(["scrub", "-q", "-a", "crc32", "--rate", "2MiB/s", "-j", "1", "d"]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let began = std::time::Instant::now();
    loop {
        std::thread::sleep(Duration::from_millis(100));
        let status = folder.run(&["scrub", "--status", "d"]).out();
        if status.contains("recorded: 1 file,") {
            break;
        }
        assert!(run.try_wait().unwrap().is_none(), "the run ended: {status}");
        assert!(began.elapsed() < Duration::from_secs(40), "{status}");
    }
    run.kill().unwrap();
    run.wait().unwrap();
}

#[test]
fn missing_files_are_recorded_together() {
    // regression: each missing file was written to the disk separately, which took minutes.
    if !can_trace() {
        return;
    }
    let files: Vec<String> = (0..400).map(|at| format!("d/{at}")).collect();
    let all: Vec<(&str, &str)> = files.iter().map(|name| (&name[..], &name[..])).collect();
    let folder = recorded(&all);
    files[1..].iter().for_each(|name| std::fs::remove_file(folder.path(name)).unwrap());
    let trace = folder.path("trace");
    let options = ["-o", trace.to_str().unwrap(), "-e", "trace=fsync,fdatasync"];
    let ran = strace::run(folder.root(), &options, &["scrub", "-q", "d"]);
    assert_eq!((ran.status.code(), ran.stdout.iter().filter(|&&byte| byte == b'\n').count()), (Some(1), 399));
    let calls = String::from_utf8(folder.read("trace")).unwrap().matches("sync(").count();
    assert!((2..20).contains(&calls), "{calls} calls");
}

#[test]
fn dry_run_cannot_change_the_state_and_hint_names_it() {
    // regression: --forget and --import ignored -n, and the hint lacked --state.
    let folder = recorded(&[("d/a", "1")]);
    folder.write("M", "c4ca4238a0b923820dcc509a6f75849b  a\n");
    for (option, value) in [("--forget", "a"), ("--import", "M")] {
        let ran = folder.run(&["scrub", "-n", option, value, "--state", "d/.truesum-state", "d"]);
        let expected = format!("truesum: scrub: --dry-run cannot be combined with {option}\n");
        assert_eq!(result_of(&ran), (String::new(), &expected[..], Some(2)));
    }
    let mut state = folder.read("d/.truesum-state");
    let last = state.len() - 1;
    state[last] ^= 1;
    folder.write("S", state);
    let ran = folder.run(&["scrub", "--state", "S", "d"]);
    assert!(
        ran.err.ends_with("rm S && truesum scrub --state S --import MANIFEST --root d d\n"),
        "{}",
        ran.err
    );
}

#[test]
fn page_shows_failures_folders_and_runs() {
    let folder = recorded(&[("d/f<1>", "1"), ("d/old/x", "22"), ("d/new/y", "333")]);
    write(&folder, "d/f<1>", "X", 1000);
    let ran = folder.run(&["scrub", "--quiet", "--all", "--html", "d/page.html", "d"]);
    assert_eq!((ran.code, ran.out()), (Some(1), "corrupt\tf<1>\n".to_owned()), "{}", ran.err);
    let page = String::from_utf8(folder.read("d/page.html")).unwrap();
    for part in
        ["<title>FAILED: archive ", "<code>f&lt;1&gt;</code>", "<code>old/</code>", "<code>new/</code>"]
    {
        assert!(page.contains(part), "{part} is not in {page}");
    }
    assert_eq!(page.matches("<tr><td>20").count(), 2, "{page}");
    for word in ["<script", "http:", "https:", "url(", "src="] {
        assert!(!page.contains(word), "{word}");
    }
    // It is not part of the archive, and is replaced by the next run.
    write(&folder, "d/f<1>", "1", 1000);
    let ran = folder.run(&["scrub", "--html", "d/page.html", "d"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        !ran.out().contains("page.html") && ran.err.contains("3 files recorded"),
        "{}{}",
        ran.out(),
        ran.err
    );
    assert!(folder.read("d/page.html").windows(14).any(|part| part == b"<title>Intact:"));
    let ran = folder.run(&["scrub", "--status", "--html", "s.html", "d"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(folder.read("s.html").len() > 4000);
    // Other files are never replaced.
    for (name, error) in [("d/new/y", "not replaced"), ("d/.truesum-state", "the same file")] {
        let ran = folder.run(&["scrub", "--html", name, "d"]);
        assert_eq!(ran.code, Some(2), "{name}");
        assert!(ran.err.contains(error), "{}", ran.err);
    }
}

/// Starts a run that is interrupted while it reads a large new file, after the small ones.
#[cfg(unix)]
fn interrupt(folder: &Folder) {
    folder.write("d/zbig", vec![b'z'; 600_000]);
    let run = format!("timeout -s INT 1.5 {} scrub -q --rate 100KB/s d", env!("CARGO_BIN_EXE_truesum"));
    let ended = std::process::Command::new("sh")
        .args(["-c", &run])
        .current_dir(folder.path("."))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(!ended.success());
    std::fs::remove_file(folder.path("d/zbig")).unwrap();
}

#[test]
fn page_shows_damaged_ranges_of_corrupt_files_with_a_stored_tree() {
    let text = "x".repeat(300_000);
    let folder = Folder::new();
    ["d/a", "d/b", "d/c"].iter().for_each(|name| write(&folder, name, &text, 1000));
    for name in ["d/a", "d/c"] {
        assert_eq!(folder.run(&["tree", "--save", name]).code, Some(0));
    }
    assert_eq!(folder.run(&["scrub", "-q", "d"]).code, Some(0));
    let damaged = [&text[..150_000], "?", &text[150_001..]].concat();
    ["d/a", "d/b"].iter().for_each(|name| write(&folder, name, &damaged, 1000));
    assert_eq!(folder.run(&["scrub", "-q", "--all", "--html", "p.html", "d"]).code, Some(1));
    let page = String::from_utf8(folder.read("p.html")).unwrap();
    let (_, ranges) = page.split_once("<h2>Damaged ranges</h2>").expect("a section");
    assert!(ranges.contains("<h3>a</h3>") && ranges.contains("file damaged: 1 range"), "{ranges}");
    assert_eq!(ranges.matches("<h3>").count(), 1, "{ranges}");
    // Nothing is read with --status.
    folder.run(&["scrub", "--status", "--html", "s.html", "d"]);
    assert!(!String::from_utf8(folder.read("s.html")).unwrap().contains("Damaged ranges"));
}

#[test]
#[cfg(unix)]
fn new_file_of_an_interrupted_run_is_no_proof_of_a_move() {
    // regression: a missing file was paired with itself, and a corrupt one that was moved twice was accepted.
    let folder = recorded(&[("d/f1", "1"), ("d/f2", "two")]);
    write(&folder, "d/n", "new", 2000);
    std::fs::rename(folder.path("d/f2"), folder.path("d/m1")).unwrap();
    write(&folder, "d/m1", "TWO", 1000);
    interrupt(&folder);
    std::fs::remove_file(folder.path("d/n")).unwrap();
    std::fs::rename(folder.path("d/m1"), folder.path("d/m2")).unwrap();
    for accepted in ["new,modified,moved", "new,modified,moved,missing", "new,modified,moved,missing"] {
        let ran = folder.run(&["scrub", "--all", "--accept", accepted, "d"]);
        assert_eq!(ran.code, Some(1), "{}", ran.out());
        assert!(ran.out().contains("moved-modified\tm2\tf2"), "{}", ran.out());
        assert!(!ran.out().lines().any(|line| line.starts_with("moved\t")), "{}", ran.out());
    }
}

#[test]
fn imported_state_outlives_a_run_that_fails() {
    // regression: the first run after an import removed the state if no file was found, and the next one accepted all.
    let folder = recorded(&[("d/f1", "1"), ("d/f2", "two")]);
    let written = folder.run(&["hash", "--json", "--root", "d", "-o", "m.jsonl", "d/f1", "d/f2"]);
    assert_eq!(written.code, Some(0), "{}", written.err);
    let ran = folder.run(&["scrub", "--import", "m.jsonl", "--root", "d", "--state", "s", "d"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    std::fs::rename(folder.path("d"), folder.path("elsewhere")).unwrap();
    std::fs::create_dir(folder.path("d")).unwrap();
    assert_eq!(folder.run(&["scrub", "-q", "--state", "s", "d"]).code, Some(2));
    std::fs::remove_dir(folder.path("d")).unwrap();
    std::fs::rename(folder.path("elsewhere"), folder.path("d")).unwrap();
    write(&folder, "d/f2", "TWO", 1000);
    let ran = folder.run(&["scrub", "-q", "--all", "--state", "s", "d"]);
    assert_eq!((ran.code, ran.out()), (Some(1), "corrupt\tf2\n".to_owned()), "{}", ran.err);
}

#[test]
fn restored_file_remains_so_after_it_was_missing() {
    // regression: a restored file that was missing in one run was accepted as modified in the next one.
    let folder = recorded(&[("d/a", "1"), ("d/f", "new version")]);
    write(&folder, "d/f", "old", 500);
    assert_eq!(folder.run(&["scrub", "-q", "d"]).out(), "restored\tf\n");
    std::fs::rename(folder.path("d/f"), folder.path("f")).unwrap();
    assert_eq!(folder.run(&["scrub", "-q", "d"]).out(), "missing\tf\n");
    std::fs::rename(folder.path("f"), folder.path("d/f")).unwrap();
    write(&folder, "d/f", "old", 3000);
    let ran = folder.run(&["scrub", "-q", "d"]);
    assert_eq!((ran.code, ran.out()), (Some(1), "restored\tf\n".to_owned()));
}

/// Runs the program without the privilege of root to list and read everything.
#[cfg(target_os = "linux")]
fn run_unprivileged(folder: &Folder, words: &[&str]) -> (Option<i32>, String) {
    std::fs::create_dir_all(folder.path("locked")).unwrap();
    set_mode(folder, "locked", 0);
    let is_privileged = std::fs::read_dir(folder.path("locked")).is_ok();
    set_mode(folder, "locked", 0o755);
    let program = env!("CARGO_BIN_EXE_truesum");
    let mut command = match is_privileged {
        true => std::process::Command::new("setpriv"),
        false => std::process::Command::new(program),
    };
    if is_privileged {
        command.args(["--bounding-set=-dac_override,-dac_read_search", program]);
    }
    let ran = command.args(words).current_dir(folder.path(".")).output().unwrap();
    (ran.status.code(), String::from_utf8(ran.stdout).unwrap())
}

#[cfg(target_os = "linux")]
fn set_mode(folder: &Folder, name: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_is_accepted_that_an_unreadable_file_or_folder_could_explain() {
    // regression: a corrupt file moved out of an unreadable folder was new, and its entry was removed later; an
    // unreadable new file did not keep the entry of the file that it had been.
    let accept = ["--accept", "new,modified,moved,missing"];
    let folder = recorded(&[("d/a", "1"), ("d/sub/x", "two"), ("d/sub/z", "3")]);
    std::fs::rename(folder.path("d/sub/x"), folder.path("d/y")).unwrap();
    write(&folder, "d/y", "TWO", 1000);
    set_mode(&folder, "d/sub", 0);
    let (code, out) = run_unprivileged(&folder, &[&["scrub"], &accept[..], &["d"]].concat());
    assert_eq!((code, out.contains("unreadable\t")), (Some(1), true), "{out}");
    set_mode(&folder, "d/sub", 0o755);
    for _ in 0..2 {
        let (code, out) = run_unprivileged(&folder, &[&["scrub", "--all"], &accept[..], &["d"]].concat());
        assert_eq!((code, out.contains("moved-modified\ty\tsub/x")), (Some(1), true), "{out}");
    }
    let folder = recorded(&[("d/a", "1"), ("d/f", "two")]);
    std::fs::rename(folder.path("d/f"), folder.path("d/m")).unwrap();
    write(&folder, "d/m", "TWO", 1000);
    set_mode(&folder, "d/m", 0);
    let (code, out) = run_unprivileged(&folder, &[&["scrub"], &accept[..], &["d"]].concat());
    assert_eq!((code, out.contains("unreadable\t")), (Some(1), true), "{out}");
    set_mode(&folder, "d/m", 0o644);
    let (code, out) = run_unprivileged(&folder, &[&["scrub"], &accept[..], &["d"]].concat());
    assert_eq!((code, out.contains("moved-modified\tm\tf")), (Some(1), true), "{out}");
}

/// Returns the value of an attribute of a file.
fn attribute(folder: &Folder, name: &str, attribute: &str) -> Option<String> {
    let file = std::fs::File::open(folder.path(name)).unwrap();
    let value = truesum_fs::xattr::get(&file, attribute).unwrap();
    value.map(|value| String::from_utf8(value).unwrap())
}

/// Sets an attribute of a file.
fn set_attribute(folder: &Folder, name: &str, attribute: &str, value: &str) {
    let file = std::fs::File::open(folder.path(name)).unwrap();
    truesum_fs::xattr::set(&file, attribute, value.as_bytes()).unwrap();
}

/// Returns whether the folder for temporary files has extended attributes. Otherwise, the test shows nothing.
fn has_attributes() -> bool {
    let folder = Folder::with(&[("a", "")]);
    let file = std::fs::File::open(folder.path("a")).unwrap();
    let has = truesum_fs::xattr::set(&file, "user.truesum.test", b"1").is_ok();
    if !has {
        let temporary = std::env::temp_dir();
        println!("skipped: {} is on a file system without extended attributes", temporary.display());
        let ran = folder.run(&["scrub", "--xattr", "."]);
        assert!(ran.code == Some(2) && ran.err.contains("extended attributes"), "{}", ran.err);
    }
    has
}

const DIGEST: &str = "user.shatag.sha256";
const TIME: &str = "user.shatag.ts";

#[test]
fn attributes_are_those_of_cshatag_and_corrupt_files_keep_them() {
    if !has_attributes() {
        return;
    }
    let folder = Folder::new();
    let abc = crate::program::ABC;
    write(&folder, "d/a", "abc", 1_560_177_334);
    write(&folder, "d/b", "two", 1_560_177_334);
    write(&folder, "d/sub/c", "three", 1_560_177_334);
    let ran = folder.run(&["scrub", "--xattr", "-n", "d"]);
    let new = "new\ta\twould be recorded\nnew\tb\twould be recorded\nnew\tsub/c\twould be recorded\n";
    assert_eq!((ran.code, ran.out().as_str()), (Some(0), new), "{}", ran.err);
    assert_eq!(attribute(&folder, "d/a", DIGEST), None);
    let ran = folder.run(&["scrub", "--xattr", "d"]);
    assert_eq!((ran.code, ran.out()), (Some(0), new.replace("would be ", "")), "{}", ran.err);
    // The values that cshatag writes for this file.
    assert_eq!(attribute(&folder, "d/a", DIGEST).as_deref(), Some(abc));
    assert_eq!(attribute(&folder, "d/a", TIME).as_deref(), Some("1560177334.123456789"));
    assert!(!folder.path("d/.truesum-state").exists());
    let ran = folder.run(&["scrub", "--xattr", "d"]);
    assert_eq!((ran.code, ran.out()), (Some(0), String::new()));
    assert_eq!(ran.err, "truesum: 3 files read (11 B): 3 ok; nothing is wrong\n");
    // An edit, damage without an edit, and a file whose time alone changed.
    write(&folder, "d/a", "edited", 1_560_177_400);
    write(&folder, "d/b", "TWO", 1_560_177_334);
    set_mtime(&folder, "d/sub/c", time(1_560_177_500));
    let stored = attribute(&folder, "d/b", DIGEST);
    for expected in ["modified\ta\trecorded\ncorrupt\tb\n", "corrupt\tb\n"] {
        let ran = folder.run(&["scrub", "--xattr", "d"]);
        assert_eq!((ran.code, ran.out().as_str()), (Some(1), expected), "{}", ran.err);
        assert_eq!(attribute(&folder, "d/b", DIGEST), stored);
        assert_eq!(attribute(&folder, "d/a", TIME).as_deref(), Some("1560177400.123456789"));
        assert_eq!(attribute(&folder, "d/sub/c", TIME).as_deref(), Some("1560177500.123456789"));
    }
    write(&folder, "d/b", "two", 1_560_177_334);
    let ran = folder.run(&["scrub", "--xattr", "-q", "d"]);
    assert_eq!((ran.code, ran.out(), ran.err.as_str()), (Some(0), String::new(), ""));
}

#[test]
fn attributes_of_other_programs_are_read_and_unusable_ones_accept_nothing() {
    if !has_attributes() {
        return;
    }
    let folder = Folder::new();
    let abc = crate::program::ABC;
    for (name, time, expected) in [
        // shatag writes floating-point numbers.
        ("shatag", Some("1560177334.1234567"), ""),
        ("digits", Some("1560177334.123456700"), ""),
        ("untimed", None, ""),
    ] {
        write(&folder, &format!("d/{name}"), "abc", 1_560_177_334);
        set_attribute(&folder, &format!("d/{name}"), DIGEST, abc);
        time.into_iter().for_each(|time| set_attribute(&folder, &format!("d/{name}"), TIME, time));
        let ran = folder.run(&["scrub", "--xattr", "--include", name, "d"]);
        assert_eq!((ran.code, ran.out().as_str()), (Some(0), expected), "{name}: {}", ran.err);
    }
    let other = abc.replace('b', "c");
    for (name, time, line) in [
        ("same", Some("1560177334.123456789"), "corrupt"),
        ("rounded", Some("1560177334.1234567"), "corrupt"),
        ("unknown", None, "corrupt"),
        ("damaged", Some("x"), "corrupt"),
        ("earlier", Some("1560177333.123456789"), "modified"),
    ] {
        let path = format!("d/{name}");
        write(&folder, &path, "abc", 1_560_177_334);
        set_attribute(&folder, &path, DIGEST, &other);
        time.into_iter().for_each(|time| set_attribute(&folder, &path, TIME, time));
        let ran = folder.run(&["scrub", "--xattr", "--include", name, "d"]);
        assert!(ran.out().starts_with(&format!("{line}\t{name}")), "{name}: {}{}", ran.out(), ran.err);
        let is_kept = attribute(&folder, &path, DIGEST).as_deref() == Some(&other);
        assert_eq!(
            (ran.code, is_kept),
            (Some(u8::from(line == "corrupt").into()), line == "corrupt"),
            "{name}"
        );
    }
    // regression: such a value was "Numerical result out of range", or the file was reported as corrupt.
    for (name, value) in [("long", "a".repeat(300)), ("short", "abc".to_owned())] {
        let path = format!("d/{name}");
        write(&folder, &path, "abc", 1_560_177_334);
        set_attribute(&folder, &path, DIGEST, &value);
        let ran = folder.run(&["scrub", "--xattr", "--include", name, "d"]);
        let why = format!("{path}: cannot use its attributes: user.shatag.sha256 is not a SHA-256 digest");
        assert!(ran.code == Some(1) && ran.out().is_empty() && ran.err.contains(&why), "{ran:?}");
    }
    let ran = folder.run(&["scrub", "--xattr", "--state", "s", "d"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    std::fs::create_dir(folder.path("empty")).unwrap();
    // regression: the state file of a run without --xattr was recorded like a file of the user.
    write(&folder, "own/a", "abc", 1_560_177_334);
    assert_eq!(folder.run(&["scrub", "own"]).code, Some(0));
    assert_eq!(folder.run(&["scrub", "--xattr", "own"]).out(), "new\ta\trecorded\n");
    let ran = folder.run(&["scrub", "--xattr", "empty"]);
    assert!(ran.code == Some(2) && ran.err.contains("no file was found"), "{}", ran.err);
}

#[test]
fn corrupt_file_is_not_a_missing_one_with_the_same_size_and_time() {
    // regression: once the corruption was recorded, the missing file was reported as moved to it.
    let folder = Folder::new();
    for name in ["d/f1", "d/f2"] {
        write(&folder, name, name, 1_560_177_334);
    }
    assert_eq!(folder.run(&["scrub", "-q", "--all", "d"]).code, Some(0));
    write(&folder, "d/f1", "d/fX", 1_560_177_334);
    std::fs::remove_file(folder.path("d/f2")).unwrap();
    for _ in 0..3 {
        let ran = folder.run(&["scrub", "-q", "--all", "d"]);
        let out = ran.out();
        let mut lines: Vec<&str> = out.lines().collect();
        lines.sort_unstable();
        assert_eq!((&lines[..], ran.code), (&["corrupt\tf1", "missing\tf2"][..], Some(1)), "{}", ran.err);
    }
}

#[test]
fn damaged_file_that_was_renamed_and_touched_is_not_accepted_as_a_missing_and_a_new_one() {
    // regression: once its time had changed, `--accept missing` removed the entry of the file.
    let folder = recorded(&[("d/f1", "one"), ("d/f2", "two")]);
    std::fs::rename(folder.path("d/f2"), folder.path("d/m")).unwrap();
    write(&folder, "d/m", "TWO", 1000);
    let accepting = ["scrub", "-q", "--accept", "new,modified,moved,missing", "d"];
    for (mtime, line) in [(1000, "moved-modified\tm\tf2\n"), (5000, "missing\tf2\n")] {
        set_mtime(&folder, "d/m", time(mtime));
        let ran = folder.run(&accepting);
        assert_eq!(ran.code, Some(1), "{}", ran.out());
        assert!(ran.out().contains(line), "{}", ran.out());
    }
    std::fs::remove_file(folder.path("d/m")).unwrap();
    let ran = folder.run(&accepting);
    assert!(ran.code == Some(1) && ran.out().contains("missing\tf2\n"), "{}", ran.out());
}

#[test]
fn status_shows_the_period_of_the_last_run() {
    let folder = recorded(&[("d/f1", "one")]);
    assert!(folder.run(&["scrub", "--status", "d"]).out().contains("in the last 30 days"));
    assert_eq!(folder.run(&["scrub", "-q", "--within", "90d", "d"]).code, Some(0));
    assert_eq!(folder.run(&["scrub", "-q", "--all", "d"]).code, Some(0));
    let status = |options: &[&str]| folder.run(&[&["scrub", "--status", "d"], options].concat()).out();
    assert!(status(&[]).contains("in the last 90 days"), "{}", status(&[]));
    assert!(status(&["--within", "7d"]).contains("in the last 7 days"));
    assert!(status(&["--json"]).contains("\"within_days\":90"), "{}", status(&["--json"]));
}
