//! `truesum bench`: passes the command line and signals to the benchmark crate and converts its
//! outcome to an exit status.

use crate::console::Console;
use crate::exit::Exit;
use crate::output::{Output, cannot_write};
use crate::values::color::Color;
use std::io::{self, Write};
use truesum::manifest::path::display_safe;
use truesum::{Error, Progress};
use truesum_bench::args::Bench;
use truesum_bench::command::{self, Outcome};
use truesum_fs::name::OsStrExt;
use truesum_fs::signals::Signals;

/// Runs the command.
pub fn run(args: &Bench) -> Exit {
    let mut console = Console::new(Color::Auto);
    let progress = Progress::default();
    let signals = Signals::install(progress.stop_signal()).unwrap_or_default();
    let words: Vec<String> = std::env::args_os().map(|word| display_safe(word.as_bytes())).collect();
    let mut results = Results { output: Output::stdout(), failed: None };
    let outcome = command::run(args, &words.join(" "), &progress.stop_flag(), &mut results);
    let Results { output, failed } = results;
    let name = output.name();
    if let Some(error) = failed {
        return cannot_write(&Error::io(&name, "write", error), &mut console);
    }
    let exit = match outcome {
        Ok(Outcome::Done) => Exit::Done,
        Ok(Outcome::Differs) => Exit::Failed,
        Ok(Outcome::Interrupted) => Exit::Signal(signals.ended_by().unwrap_or(2)),
        Err(error) => {
            console.error(&error.to_string());
            Exit::NotAsRequested
        }
    };
    match output.finish() {
        Ok(()) => exit,
        Err(error) => exit.max(cannot_write(&error, &mut console)),
    }
}

/// Standard output, with the first error in writing to it. The benchmark's own error contains only
/// text.
struct Results {
    output: Output,
    failed: Option<io::Error>,
}

impl Write for Results {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.output.write(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(error) => {
                let copy = io::Error::from(error.kind());
                self.failed.get_or_insert(error);
                Err(copy)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
