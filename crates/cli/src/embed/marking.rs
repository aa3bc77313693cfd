//! Adds the CRC-32 of files to their names: `name [CBF43926].mkv`. Without `--yes`, the new names are only printed.

use crate::console::Console;
use crate::notices::report;
use crate::options::Reporting;
use crate::output::Output;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use truesum::embedded_crc::{mark, marked};
use truesum::manifest::path::display_safe;
use truesum::{Error, Notice, Outcome, Sink, rename_beside};

/// Prints the new name of each file, or renames it.
pub struct Marking<'a> {
    pub console: &'a mut Console,
    pub output: Output,
    pub carried_out: bool,
    /// The level of notes on skipped files.
    pub reporting: Reporting,
    /// Number of files to which the CRC-32 was or would be added.
    pub marked: u64,
    /// Number of files whose names contain their CRC-32.
    pub right: u64,
    /// Number of files whose names contain another CRC-32, or that could not be renamed.
    pub wrong: u64,
}

impl Sink for Marking<'_> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        let Outcome { job, result } = outcome;
        let found = match result {
            Ok(found) => found,
            Err(error) => {
                self.console.failure(&error);
                return Ok(());
            }
        };
        let crc32 = found.digests()[0].clone();
        let shown = display_safe(&job.name);
        let line = match mark(&job.name) {
            Some(carried) if carried == crc32 => {
                self.right += 1;
                format!("{shown}: OK\n")
            }
            Some(carried) => {
                self.wrong += 1;
                let (is, carried) = (crc32.to_hex_upper(), carried.to_hex_upper());
                format!("{shown}: FAILED\n  the name contains {carried}, the file has {is}\n")
            }
            None => {
                let base = marked(&job.name, &crc32);
                let new = display_safe(&base);
                let taken = std::fs::symlink_metadata(
                    Path::new(OsStr::from_bytes(job.path())).with_file_name(OsStr::from_bytes(&base)),
                );
                if taken.is_ok() && !self.carried_out {
                    self.wrong += 1;
                    let line =
                        format!("{shown}: would NOT be renamed to {new}: a file of that name exists\n");
                    return self.console.around(|| self.output.write(line.as_bytes()));
                }
                let done = self.carried_out.then(|| rename_beside(&job, &found, &base));
                self.marked += u64::from(!matches!(done, Some(Err(_))));
                match done {
                    None => format!("{shown}: would be renamed to {new} (use --yes to rename)\n"),
                    Some(Ok(())) => format!("{shown}: RENAMED to {new}\n"),
                    Some(Err(error)) => {
                        self.wrong += 1;
                        self.console.failure(&Error { path: job.name, ..error });
                        format!("{shown}: NOT RENAMED to {new}\n")
                    }
                }
            }
        };
        let Marking { console, output, carried_out, .. } = self;
        console.around(|| output.write(line.as_bytes()))?;
        // Each rename is printed before the next one is carried out.
        if *carried_out { output.pause() } else { Ok(()) }
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        report(&notice, self.reporting, ("not read", "not hashed"), self.console);
        Ok(())
    }

    fn pause(&mut self) -> io::Result<()> {
        self.output.pause()
    }
}
