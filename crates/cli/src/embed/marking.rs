//! Adds the CRC-32 of files to their names: `name [CBF43926].mkv`. Without `--yes`, the new names are only printed.

use crate::console::Console;
use crate::notices::report;
use crate::options::Reporting;
use crate::output::Output;
use crate::values::path::folder_of;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use truesum::embedded_crc::{mark, marked};
use truesum::manifest::path::display_safe;
use truesum::{Cause, Error, Job, Notice, Outcome, Sink, rename_in_folder, test_rename_in_folder};
use truesum_fs::name::OsStrExt;

/// Prints the new name of each file, or renames it.
pub struct Renamer<'a> {
    pub console: &'a mut Console,
    pub output: Output,
    pub carried_out: bool,
    /// The level of notes on skipped files.
    pub reporting: Reporting,
    /// The new paths of files that would be renamed, if nothing is renamed yet.
    pub planned: HashSet<PathBuf>,
    /// Number of files to which the CRC-32 was or would be added.
    pub marked: u64,
    /// Number of files whose names contain their CRC-32.
    pub right: u64,
    /// Number of files whose names contain another CRC-32, or that could not be renamed.
    pub wrong: u64,
}

/// Returns the path of a file named `base` in the folder of a job's file.
fn new_path(job: &Job, base: &[u8]) -> PathBuf {
    let folder = folder_of(Path::new(OsStr::from_bytes(job.path())));
    std::fs::canonicalize(&folder).unwrap_or(folder).join(OsStr::from_bytes(base))
}

impl Sink for Renamer<'_> {
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
        let shown = display_safe(job.name());
        let line = match mark(job.name()) {
            Some(carried) if carried == crc32 => {
                self.right += 1;
                format!("{shown}: OK\n")
            }
            Some(carried) => {
                self.wrong += 1;
                let (is, carried) = (crc32.to_hex_upper(), carried.to_hex_upper());
                format!(
                    "{shown}: FAILED\n  the name contains {carried}, but the CRC-32 of the file is {is}\n"
                )
            }
            None => {
                let base = marked(job.name(), &crc32);
                let new = display_safe(&base);
                let rename = if self.carried_out { rename_in_folder } else { test_rename_in_folder };
                let result = match self.carried_out || self.planned.insert(new_path(&job, &base)) {
                    true => rename(&job, &found, &base),
                    // The first rename would take the file away.
                    false => Err(Error::new(
                        job.name(),
                        "rename",
                        Cause::Other("the file was specified twice".to_owned()),
                    )),
                };
                match (result, self.carried_out) {
                    (Ok(()), true) => {
                        self.marked += 1;
                        format!("{shown}: RENAMED to {new}\n")
                    }
                    (Ok(()), false) => {
                        self.marked += 1;
                        format!("{shown}: would be renamed to {new} (use --yes to rename)\n")
                    }
                    (Err(error), true) => {
                        self.wrong += 1;
                        self.console.failure(&error.with_name(job.name()));
                        format!("{shown}: NOT RENAMED to {new}\n")
                    }
                    (Err(error), false) => {
                        self.wrong += 1;
                        format!("{shown}: would NOT be renamed to {new}: {}\n", error.reason())
                    }
                }
            }
        };
        let Renamer { output, carried_out, .. } = self;
        output.write(line.as_bytes())?;
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
