//! Runs truesum under strace, which injects failing system calls and signals.

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

/// Runs truesum in `folder`; `strace` specifies the injection.
pub fn run(folder: &Path, strace: &[impl AsRef<OsStr>], args: &[&str]) -> Output {
    // With nohup, fewer system calls are made for SIGHUP, so that they are the same wherever tests run.
    Command::new("env")
        .args(["--default-signal=HUP", "strace", "-f", "-qq", "-o", "/dev/null"])
        .args(strace)
        .arg(env!("CARGO_BIN_EXE_truesum"))
        .args(args)
        .current_dir(folder)
        // When cargo runs tests, the loader searches cargo's folders for libraries first, with additional system calls.
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .expect("strace runs")
}
