//! `truesum scrub` with limits: what a run reads, and what it leaves for later runs.

use crate::scrub::{recorded, write};

#[test]
fn new_file_is_read_although_modified_ones_use_up_the_limit() {
    // regression: a new file was never read if a file before it was modified before every run.
    let folder = recorded(&[("d/a", "1"), ("d/b", "2")]);
    write(&folder, "d/z", "new", 1000);
    write(&folder, "d/a", "edited", 2000);
    let ran = folder.run(&["scrub", "--max-bytes", "1", "d"]);
    assert!(ran.out().contains("new\tz\trecorded"), "{}{}", ran.out(), ran.err);
}

#[test]
fn run_beyond_its_limit_reads_one_modified_one_new_and_one_due_file() {
    let text = "x".repeat(2000);
    let folder = recorded(&[("d/a", &text), ("d/k", &text), ("d/l", &text)]);
    for (name, mtime) in [("d/a", 2000), ("d/y", 1000), ("d/z", 1000)] {
        write(&folder, name, &"y".repeat(2001), mtime);
    }
    let ran = folder.run(&["scrub", "-n", "--max-bytes", "1kB", "d"]);
    let lines = "changed\ta\twould be recorded\nnew\ty\twould be recorded\n";
    assert_eq!((ran.code, ran.out()), (Some(0), lines.to_owned()), "{}", ran.err);
    assert!(
        ran.err.contains(", 3 read (") && ran.err.contains("; 1 new or modified file left for later runs;"),
        "{}",
        ran.err
    );
    // New files come first if there are no modified ones.
    let folder = recorded(&[("d/k", &text), ("d/l", &text)]);
    write(&folder, "d/a", &text, 1000);
    write(&folder, "d/b", &text, 1000);
    let ran = folder.run(&["scrub", "--max-bytes", "1kB", "d"]);
    assert!(ran.out() == "new\ta\trecorded\n" && ran.err.contains(", 2 read ("), "{}{}", ran.out(), ran.err);
}

#[test]
fn missing_file_is_no_failure_while_the_file_that_it_may_be_waits() {
    // regression: a run with a limit reported files that were moved and not read yet as missing.
    let folder = recorded(&[("d/a", "one"), ("d/b", ""), ("d/z", "1")]);
    std::fs::create_dir(folder.path("d/y")).unwrap();
    for name in ["a", "b"] {
        std::fs::rename(folder.path(format!("d/{name}")), folder.path(format!("d/y/{name}"))).unwrap();
    }
    let run = || {
        let ran = folder.run(&["scrub", "-q", "--max-bytes", "1", "d"]);
        (ran.code, ran.out())
    };
    assert_eq!(run(), (Some(0), String::new()));
    assert_eq!(run(), (Some(0), String::new()));
    std::fs::rename(folder.path("d/y/a"), folder.path("a")).unwrap();
    assert_eq!(run(), (Some(1), "missing\ty/a\n".to_owned()));
    // A file with another modification time is another file.
    write(&folder, "d/x/a", "one", 2000);
    write(&folder, "d/k", "new", 2000);
    assert_eq!(run(), (Some(1), "missing\ty/a\n".to_owned()));
}
