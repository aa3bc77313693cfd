//! Runs a command and measures its cost: wall time, processor time, peak memory.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use truesum_fs::process::is_program;
use truesum_fs::usage;

/// The cost of one run of a command.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cost {
    /// Wall time in seconds.
    pub seconds: f64,
    /// Processor time in seconds, of the process and its children.
    pub processor: f64,
    /// Resident memory of the largest of these processes, in bytes; `None` if it is unknown.
    pub peak_memory: Option<u64>,
    /// Its exit status, `None` if it was terminated by a signal.
    pub status: Option<i32>,
}

/// Runs `words` in `directory` (the current one if empty), with standard output redirected to `output` if given,
/// standard error to `errors`, and the C locale.
pub(crate) fn run(
    words: &[String],
    directory: &str,
    output: Option<&Path>,
    errors: &Path,
) -> io::Result<Cost> {
    let (program, rest) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command.args(rest).env("LC_ALL", "C").stdin(Stdio::null()).stderr(File::create(errors)?);
    match output {
        Some(path) => command.stdout(File::create(path)?),
        None => command.stdout(Stdio::null()),
    };
    if !directory.is_empty() {
        command.current_dir(directory);
    }
    let usage = usage::run(&mut command)?;
    Ok(Cost {
        seconds: usage.seconds(),
        processor: usage.processor(),
        peak_memory: usage.peak_memory(),
        status: usage.status().code(),
    })
}

/// Returns whether a program of this name is on PATH (or is a path to one).
pub(crate) fn found(program: &str) -> bool {
    if program.contains(std::path::is_separator) {
        return is_program(Path::new(program));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| is_program(&directory.join(program)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|w| (*w).to_owned()).collect()
    }

    #[cfg(unix)]
    #[test]
    fn run_reports_output_status_and_costs() {
        let directory = tempfile::tempdir().unwrap();
        let (out, errors) = (directory.path().join("out"), directory.path().join("errors"));
        let script = "echo to stdout; echo to stderr >&2; pwd; exit 3";
        let cost = run(&words(&["sh", "-c", script]), "/", Some(&out), &errors).unwrap();
        assert_eq!(cost.status, Some(3));
        assert_eq!(std::fs::read_to_string(out).unwrap(), "to stdout\n/\n");
        assert_eq!(std::fs::read_to_string(&errors).unwrap(), "to stderr\n");
        assert!(cost.seconds > 0.0 && cost.processor < 1.0);
        let killed = run(&words(&["sh", "-c", "kill -9 $$"]), "", None, &errors).unwrap();
        assert_eq!(killed.status, None);
    }

    #[test]
    fn missing_program_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let errors = directory.path().join("errors");
        assert!(run(&words(&["/no/such/program"]), "", None, &errors).is_err());
        assert!(run(&[], "", None, &errors).is_err());
        let own = std::env::current_exe().unwrap();
        assert!(found(&own.to_string_lossy()) && !found("no-such-program") && !found("/etc"));
        assert!(found(if cfg!(windows) { "cmd" } else { "sh" }));
    }
}
