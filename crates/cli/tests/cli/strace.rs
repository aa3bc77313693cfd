//! Runs of truesum under strace, which fails its system calls, or kills it at them.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

/// Whether strace can trace here; says so if not, and fails where every oracle must be present.
pub fn can_trace() -> bool {
    let works =
        Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status().is_ok_and(|s| s.success());
    if !works {
        assert!(std::env::var("TRUESUM_ORACLES").as_deref() != Ok("all"), "strace does not work here");
        eprintln!("strace does not work here: failing system calls and kills at them were not tried");
    }
    works
}

/// Runs truesum in `folder`; the words for strace say what is injected.
pub fn run(folder: &Path, strace: &[impl AsRef<OsStr>], args: &[&str]) -> Output {
    // Under nohup, what is done about SIGHUP takes fewer calls: they are the same wherever tests run.
    Command::new("env")
        .args(["--default-signal=HUP", "strace", "-f", "-qq", "-o", "/dev/null"])
        .args(strace)
        .arg(env!("CARGO_BIN_EXE_truesum"))
        .args(args)
        .current_dir(folder)
        // Where cargo runs tests, loading looks for libraries in its folders first: calls that are not the program's.
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .expect("strace runs")
}
