//! Processor time and memory (wait4(2), getrusage(2), clock_gettime(2)).
#![allow(unsafe_code)]

use crate::sys::accounting::Usage;
use rustix::time::{ClockId, clock_gettime};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};
use std::time::Instant;

/// The unit of `ru_maxrss` in bytes.
const MEMORY_UNIT: u64 = if cfg!(target_os = "macos") { 1 } else { 1024 };

/// Runs a command to its end.
pub fn run(command: &mut Command) -> io::Result<Usage> {
    let floor = inherited_peak();
    let start = Instant::now();
    let child = command.spawn()?;
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
    let peak = usage.ru_maxrss as u64 * MEMORY_UNIT;
    Ok(Usage {
        status: ExitStatus::from_raw(status),
        seconds: start.elapsed().as_secs_f64(),
        processor: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        peak_memory: (peak > floor).then_some(peak),
    })
}

/// Returns the memory that the system may report as a child's peak because it was this process until it executed its
/// program.
fn inherited_peak() -> u64 {
    if !cfg!(target_os = "linux") {
        return 0;
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok()).unwrap_or(u64::MAX / 1024) * 1024
}

fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 / 1e6
}

/// Returns the processor seconds of this thread.
pub fn thread_seconds() -> f64 {
    read(ClockId::ThreadCPUTime)
}

/// Returns the processor seconds that this thread has used outside the kernel.
#[cfg(not(target_os = "macos"))]
pub fn thread_user_seconds() -> f64 {
    // SAFETY: all-zero bytes are a valid `rusage`, a struct of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer refers to a live value; the call fails only for other arguments, and then leaves zeros.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    seconds(usage.ru_utime)
}

/// Returns the processor seconds of this thread: macOS counts those outside the kernel only for a process.
#[cfg(target_os = "macos")]
pub fn thread_user_seconds() -> f64 {
    thread_seconds()
}

/// Returns the processor seconds of this process.
pub fn process_seconds() -> f64 {
    read(ClockId::ProcessCPUTime)
}

fn read(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn memory_and_processor_time_of_grandchildren_are_counted() {
        // 300 MB in one line, which sort must keep in memory.
        let script = "head -c 300000000 /dev/zero | tr '\\0' x | sort | wc -c";
        let usage = run(Command::new("sh").args(["-c", script]).stdout(std::process::Stdio::null())).unwrap();
        // A larger peak of this process would hide that of its children.
        if inherited_peak() < 250_000_000 {
            assert!(usage.peak_memory.is_some_and(|bytes| bytes > 250_000_000), "{usage:?}");
        } else {
            assert!(usage.peak_memory.is_none_or(|bytes| bytes > 250_000_000), "{usage:?}");
        }
        assert!(usage.processor > 0.01, "{usage:?}");
    }
}
