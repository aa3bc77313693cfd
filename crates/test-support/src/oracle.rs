//! Programs and privileges that a test compares with or needs, and that may be missing on a machine.
//!
//! A comparison with a program that is not installed is impossible, and must never look as if it had been made:
//! [`missing`] fails the test if `TRUESUM_ORACLES=all` is set, as in continuous integration, and otherwise reports it
//! visibly.

use std::io::Write;

/// Reports that `name` is missing, so that the calling test makes no comparison with it.
///
/// The report goes to standard error past the test harness, which hides the output of passing tests, and is appended to
/// the file named by `TRUESUM_SKIPPED`, from which the test command prints its summary.
///
/// # Panics
/// Panics if `TRUESUM_ORACLES` is `all`.
#[track_caller]
pub fn missing(name: &str) {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let message = format!("skipped in {test}: {name} is missing");
    assert!(std::env::var_os("TRUESUM_ORACLES").is_none_or(|which| which != "all"), "{message}");
    writeln!(std::io::stderr(), "{message}").expect("standard error is open");
    if let Some(path) = std::env::var_os("TRUESUM_SKIPPED") {
        let mut file = std::fs::File::options()
            .create(true)
            .append(true)
            .open(path)
            .expect("TRUESUM_SKIPPED is writable");
        writeln!(file, "{message}").expect("TRUESUM_SKIPPED is writable");
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    /// Runs the other test of this module in a separate process.
    fn run(all: bool) -> std::process::Output {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "oracle::tests::test_without_its_oracle", "--ignored"])
            .env_remove("TRUESUM_SKIPPED");
        match all {
            true => command.env("TRUESUM_ORACLES", "all"),
            false => command.env_remove("TRUESUM_ORACLES"),
        };
        command.output().unwrap()
    }

    #[test]
    #[ignore = "run by the test below"]
    fn test_without_its_oracle() {
        super::missing("no-such-program");
    }

    #[test]
    fn missing_oracle_is_reported_and_fails_if_all_are_required() {
        let lax = run(false);
        assert!(lax.status.success());
        assert!(String::from_utf8_lossy(&lax.stderr).contains("no-such-program is missing"));
        assert!(!run(true).status.success());
    }
}
