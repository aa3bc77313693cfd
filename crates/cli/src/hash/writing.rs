//! What `truesum hash` writes of each file: a line of a manifest or bytes, or why there is none.

use crate::console::Console;
use crate::hash::plan::Form;
use crate::options::Tell;
use crate::output::Output;
use crate::words::visible;
use std::io;
use truesum::manifest::path::display_safe;
use truesum::manifest::{Entry, Time, append};
use truesum::{Error, Notice, Outcome, Sink};

/// Writes outcomes.
pub struct Writing<'a> {
    pub console: &'a mut Console,
    pub output: Output,
    pub form: Form,
    pub tell: Tell,
    /// What the user named: that one of these was passed over is worth a word.
    pub named: Vec<Vec<u8>>,
    pub lines: Vec<u8>,
    /// Files whose entry the format cannot hold.
    pub refused: u64,
    /// Links not followed.
    pub links: u64,
}

impl Sink for Writing<'_> {
    fn pause(&mut self) -> io::Result<()> {
        self.output.pause()
    }

    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        let Outcome { job, result } = outcome;
        let found = match result {
            Ok(found) => found,
            Err(error) => {
                let path = job.open.unwrap_or(job.name);
                self.console.failure(&Error { path, ..error });
                return Ok(());
            }
        };
        self.lines.clear();
        match self.form {
            Form::Raw => {
                found.digests.iter().for_each(|digest| self.lines.extend_from_slice(digest.as_bytes()))
            }
            Form::Entries(format, style) => {
                let (seconds, nanos) = found.mtime;
                let entry = Entry {
                    path: job.name,
                    size: Some(found.size),
                    mtime: Some(Time { seconds, nanos }),
                    digests: job.specs.iter().cloned().zip(found.digests).collect(),
                    elapsed: Some(found.time),
                };
                if let Err(why) = append(&entry, format, &style, &mut self.lines) {
                    self.refused += 1;
                    self.console
                        .error_of(&entry.path, &format!("cannot be written as {}: {why}", format.name));
                    return Ok(());
                }
                if self.output.is_terminal && format.terminator == b'\n' {
                    self.lines = visible(&self.lines);
                }
            }
        }
        let Writing { console, output, lines, .. } = self;
        if output.is_terminal { console.around(|| output.write(lines)) } else { output.write(lines) }
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        match notice {
            Notice::Failed(error) => self.console.failure(&error),
            _ if !self.tell.notes => {}
            Notice::Link(path) => {
                self.links += 1;
                if self.tell.verbose {
                    self.console.note(&format!("{}: symbolic link, not followed", display_safe(&path)));
                }
            }
            Notice::Dangling(path) => {
                self.console.note(&format!("{}: symbolic link to nothing", display_safe(&path)));
            }
            Notice::Special(path, kind) => {
                self.console.note(&format!("{}: {kind}, not read (--special does)", display_safe(&path)));
            }
            Notice::Own(path) => {
                if self.tell.verbose || self.named.contains(&path) {
                    self.console.note(&format!("{}: this run's own output, not hashed", display_safe(&path)));
                }
            }
            Notice::Malformed(_) => {}
        }
        Ok(())
    }
}
