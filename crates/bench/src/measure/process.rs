//! Runs a command and measures its cost: wall time, processor time, peak memory.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The cost of one run of a command.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cost {
    /// Wall time in seconds.
    pub seconds: f64,
    /// Processor time in seconds, of the process and all children it waited for; on Windows of the process alone.
    pub processor: f64,
    /// Resident memory of the largest of these processes, in bytes; `None` if it is indistinguishable from this
    /// program's own, which a child inherits until it executes another program.
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
    let floor = own_peak_memory();
    let start = Instant::now();
    let child = command.spawn()?;
    wait(child, start, floor)
}

/// Returns the peak resident memory of this process, in bytes.
fn own_peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok()).unwrap_or(u64::MAX / 1024) * 1024
}

#[cfg(target_os = "linux")]
fn wait(child: std::process::Child, start: Instant, floor: u64) -> io::Result<Cost> {
    use std::os::unix::process::ExitStatusExt;
    let pid = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    let mut status = 0;
    // SAFETY: all-zero bytes are a valid `rusage`, a struct of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers refer to live values; the child belongs to this process and nothing else waits for it.
        if unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) } == pid {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    let time = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    let peak = usage.ru_maxrss as u64 * 1024;
    Ok(Cost {
        seconds,
        processor: time(usage.ru_utime) + time(usage.ru_stime),
        peak_memory: (peak > floor).then_some(peak),
        status: std::process::ExitStatus::from_raw(status).code(),
    })
}

#[cfg(windows)]
fn wait(mut child: std::process::Child, start: Instant, _: u64) -> io::Result<Cost> {
    let status = child.wait()?;
    let seconds = start.elapsed().as_secs_f64();
    let (processor, peak) = super::times::of_child(&child)?;
    Ok(Cost { seconds, processor, peak_memory: Some(peak), status: status.code() })
}

#[cfg(not(any(target_os = "linux", windows)))]
fn wait(mut child: std::process::Child, start: Instant, _: u64) -> io::Result<Cost> {
    let status = child.wait()?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(Cost { seconds, processor: 0.0, peak_memory: None, status: status.code() })
}

/// Returns the processor seconds this thread has used outside the kernel, as `times` and `openssl speed` count them.
#[cfg(target_os = "linux")]
pub(crate) fn thread_user_seconds() -> f64 {
    // SAFETY: all-zero bytes are a valid `rusage`, a struct of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer refers to a live value; the call fails only for other arguments, and then leaves zeros.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    usage.ru_utime.tv_sec as f64 + usage.ru_utime.tv_usec as f64 / 1e6
}

/// Returns the closest equivalent of other systems.
#[cfg(not(target_os = "linux"))]
pub(crate) fn thread_user_seconds() -> f64 {
    #[cfg(unix)]
    {
        super::clock::thread_seconds()
    }
    #[cfg(windows)]
    {
        super::times::of_thread().0
    }
}

/// Returns whether a program of this name is on PATH (or is a path to one).
pub(crate) fn found(program: &str) -> bool {
    if program.contains(std::path::is_separator) {
        return is_runnable(Path::new(program));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| is_runnable(&directory.join(program)))
}

#[cfg(unix)]
fn is_runnable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// Returns whether there is a program with this name, with or without `.exe`.
#[cfg(windows)]
fn is_runnable(path: &Path) -> bool {
    let is_program = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("exe"));
    let mut extended = path.as_os_str().to_owned();
    extended.push(".exe");
    is_program && path.is_file() || Path::new(&extended).is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::clock::thread_seconds;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|w| (*w).to_owned()).collect()
    }

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
    fn user_time_is_at_most_total_processor_time() {
        let (user, all) = (thread_user_seconds(), thread_seconds());
        let mut x = 1u64;
        // Systems that count in ticks need a few of them, more on a busy machine.
        while thread_user_seconds() - user < 0.05 && thread_seconds() - all < 10.0 {
            x = std::hint::black_box(x.wrapping_mul(3));
        }
        let (user, all) = (thread_user_seconds() - user, thread_seconds() - all);
        assert!(user > 0.0 && user < all + 0.01, "{user} of {all}");
    }

    #[test]
    fn missing_program_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let errors = directory.path().join("errors");
        assert!(run(&words(&["/no/such/program"]), "", None, &errors).is_err());
        assert!(run(&[], "", None, &errors).is_err());
        assert!(found("sh") && found("/bin/sh") && !found("no-such-program") && !found("/etc"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_and_processor_time_of_children_are_counted() {
        let directory = tempfile::tempdir().unwrap();
        let errors = directory.path().join("errors");
        // 300 MB in one line, which sort must keep in memory.
        let script = "head -c 300000000 /dev/zero | tr '\\0' x | sort | wc -c";
        let cost = run(&words(&["sh", "-c", script]), "", None, &errors).unwrap();
        // A larger peak of this process would hide that of its children.
        if own_peak_memory() < 250_000_000 {
            assert!(cost.peak_memory.is_some_and(|bytes| bytes > 250_000_000), "{cost:?}");
        } else {
            assert!(cost.peak_memory.is_none_or(|bytes| bytes > 250_000_000), "{cost:?}");
        }
        assert!(cost.processor > 0.01, "{cost:?}");
    }
}
