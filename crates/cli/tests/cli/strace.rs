//! Runs of truesum under strace, which fails its system calls, or kills it at them.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

/// Returns whether strace can trace here, and reports a missing oracle if not.
pub fn can_trace() -> bool {
    let works =
        Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status().is_ok_and(|s| s.success());
    if !works {
        truesum_test_support::oracle::missing("strace");
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
