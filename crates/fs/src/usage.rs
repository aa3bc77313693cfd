//! Processor time and memory used by threads, by this process and by commands.

pub use crate::sys::accounting::Usage;
use crate::sys::usage;
use std::io;
use std::process::Command;

/// Runs a command to its end.
///
/// # Errors
/// Fails if the command cannot be started, or if its cost cannot be queried.
pub fn run(command: &mut Command) -> io::Result<Usage> {
    usage::run(command)
}

/// Returns the seconds that this thread has worked since an arbitrary point in time: its processor time, or the wall
/// clock on Windows, where processor times advance in steps of 16 ms.
pub fn thread_seconds() -> f64 {
    usage::thread_seconds()
}

/// Returns the processor seconds that this thread has used outside the kernel, if the system distinguishes them from those
/// in the kernel.
pub fn thread_user_seconds() -> f64 {
    usage::thread_user_seconds()
}

/// Returns the processor seconds that all threads of this process have used.
pub fn process_seconds() -> f64 {
    usage::process_seconds()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    const WORKS: &str = "TRUESUM_TEST_WORKS";

    /// The child of the next test: uses half a second of processor time and 100 MB.
    #[test]
    fn child_that_works() {
        if std::env::var_os(WORKS).is_some() {
            let memory = black_box(vec![1_u8; 100_000_000]);
            let start = process_seconds();
            let mut x = u64::from(memory[5_000]);
            while process_seconds() - start < 0.5 {
                x = black_box(x.wrapping_mul(3));
            }
            std::process::exit(3);
        }
    }

    #[test]
    fn cost_of_a_command_is_measured() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["usage::tests::child_that_works", "--exact", "--nocapture"]).env(WORKS, "1");
        let usage = run(command.stdout(std::process::Stdio::null())).unwrap();
        assert_eq!(usage.status().code(), Some(3), "{usage:?}");
        assert!(usage.processor() >= 0.5 && usage.seconds() >= 0.5, "{usage:?}");
        assert!(usage.processor() < usage.seconds() * 8.0 + 0.1, "{usage:?}");
        // The peak of other tests in this process may hide that of the child.
        assert!(usage.peak_memory().is_none_or(|bytes| bytes >= 100_000_000), "{usage:?}");
    }

    #[test]
    fn missing_program_is_an_error() {
        assert!(run(&mut Command::new("/no/such/program")).is_err());
    }

    #[test]
    fn times_grow_with_work() {
        let (thread, user, process) = (thread_seconds(), thread_user_seconds(), process_seconds());
        let mut x = 1_u64;
        // Systems that count in ticks need a few of them.
        while thread_user_seconds() - user < 0.05 {
            x = black_box(x.wrapping_mul(3));
        }
        assert!(thread_seconds() - thread >= 0.03);
        assert!(process_seconds() - process >= 0.03);
    }

    #[test]
    fn thread_seconds_have_a_fine_resolution() {
        let start = thread_seconds();
        let mut x = 1_u64;
        let step = loop {
            x = black_box(x.wrapping_mul(3));
            let step = thread_seconds() - start;
            if step > 0.0 {
                break step;
            }
        };
        assert!(step < 0.004, "{step}");
    }
}
