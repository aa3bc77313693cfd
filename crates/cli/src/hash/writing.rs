//! Writes the output of `truesum hash`: an entry or raw digest for each file, or the reason why
//! there is none, and the beginning and end of the manifest.

use crate::console::Console;
use crate::earlier::EarlierManifest;
use crate::hash::plan::{Form, Torrent, heading, no_pieces};
use crate::notices::report;
use crate::options::Reporting;
use crate::output::Output;
use crate::tasks::digests_by;
use std::io;
use std::path::Path;
use std::sync::Arc;
use truesum::hash::Spec;
use truesum::manifest::path::display_safe;
use truesum::manifest::template::Template;
use truesum::manifest::{Entry, PieceLayout, PieceList, Rule, Time, Unrepresentable, WriteError, Writer};
use truesum::update::SIGNATURES;
use truesum::verify::place_of;
use truesum::{Kind, Notice, Outcome, Root, Sink, Special, Task};
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;

/// Writes the outcomes of files.
pub struct Writing<'a> {
    pub console: &'a mut Console,
    pub output: Output,
    /// The template for each file, if entries are not written.
    pub template: Option<&'a Template>,
    /// Formats the manifest; `None` if raw digests or lines of a template are written.
    pub writer: Option<Writer<Vec<u8>>>,
    pub reporting: Reporting,
    /// The names given by the user. If one of them is skipped, a note is printed.
    pub named: Vec<Vec<u8>>,
    /// Whether the file to be replaced is one of these, in any spelling, or may be in a list of
    /// names.
    pub names_output: bool,
    /// The folder that names are relative to, if it is not the current folder.
    pub root: Option<&'a Path>,
    /// The manifest that is written, and the number of its signatures that were skipped.
    pub signed: Option<&'a Path>,
    pub signatures: u64,
    /// The manifest that is replaced, if it is compared.
    pub earlier: Option<EarlierManifest>,
    /// Number of algorithms whose digests are written. Additional algorithms of a job are only
    /// compared.
    pub requested: Arc<[Spec]>,
    pub lines: Vec<u8>,
    /// Number of files whose entries the format cannot store.
    pub refused: u64,
    /// Entries that wait for the digests of their pieces, if the format has pieces.
    pub waiting: Option<Vec<Entry>>,
    /// The folder that names must not leave, if links may lead out of it; and the number of names
    /// that do.
    pub bounds: Option<Root>,
    pub led_out: u64,
    /// Number of links that were not followed.
    pub links: u64,
    /// Number of temporary files of truesum that were skipped.
    pub temporary: u64,
    /// Whether the file to be replaced was found as one of the named input files.
    pub found_own: bool,
}

/// Returns the writer for this form; `None` if it is not a manifest.
pub fn writer(
    form: Form,
    specs: &[Spec],
    torrent: Option<&Torrent>,
    rules: &[Rule],
) -> Option<Writer<Vec<u8>>> {
    match form {
        Form::Raw | Form::Template => None,
        Form::Entries(format, style) => {
            Some(Writer::new(Vec::new(), format, &heading(style, specs, torrent, rules)))
        }
    }
}

/// Returns the first file that a torrent cannot contain because of its name, and the reason, before
/// any file is read.
pub fn first_unstorable(
    tasks: &[Task],
    cut: PieceLayout,
    mut writer: Writer<Vec<u8>>,
) -> Option<(Vec<u8>, Unrepresentable)> {
    tasks.iter().find_map(|task| {
        let Task::File(job) = task else { return None };
        let pieces = no_pieces(cut);
        let entry = Entry { path: job.name().to_vec(), size: Some(0), pieces, ..Entry::default() };
        match writer.write(&entry) {
            Err(WriteError::Refused(why)) => Some((entry.path, why)),
            _ => None,
        }
    })
}

impl Writing<'_> {
    /// Writes the entries that wait for these pieces.
    ///
    /// # Errors
    /// Fails if the output cannot be written, or if the format does not allow the entries.
    pub fn pieces(&mut self, pieces: Vec<Vec<PieceList>>) -> io::Result<()> {
        let (Some(entries), Some(writer)) = (self.waiting.take(), &mut self.writer) else { return Ok(()) };
        for (entry, pieces) in entries.into_iter().zip(pieces) {
            let mut entry = Entry { pieces, ..entry };
            self.earlier.iter_mut().for_each(|earlier| earlier.compare(&entry));
            entry.digests.truncate(self.requested.len());
            writer.write(&entry).map_err(|error| match error {
                WriteError::Io(error) => error,
                WriteError::Refused(why) => io::Error::other(why),
            })?;
        }
        Ok(())
    }

    /// Writes the end of the manifest.
    ///
    /// # Errors
    /// Fails if the output cannot be written, or if the format does not allow the entries.
    pub fn finish(&mut self) -> io::Result<()> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        self.lines = writer.finish().map_err(|error| match error {
            WriteError::Io(error) => error,
            WriteError::Refused(why) => io::Error::other(why),
        })?;
        self.hand_out(b"")
    }

    /// Returns whether the path has the name of a signature of the manifest that is written.
    fn is_signature(&self, path: &Path) -> bool {
        let own = self.signed.and_then(Path::file_name).map_or(&b""[..], |name| name.as_bytes());
        let end = path.file_name().and_then(|name| name.as_bytes().strip_prefix(own));
        end.is_some_and(|end| SIGNATURES.iter().any(|known| known.as_bytes() == end))
    }

    /// Returns whether this file, which is the same one as the output, has another name than the output.
    fn is_link_to_output(&self, name: &Path) -> bool {
        let path = self.root.map_or_else(|| name.to_owned(), |root| root.join(name));
        let has_links =
            || Metadata::of_link(&path).is_ok_and(|file| file.kind().is_file() && file.links() > 1);
        match (place_of(&path), self.output.path().as_deref().and_then(place_of)) {
            (Some(place), Some(output)) => place != output && has_links(),
            _ => false,
        }
    }

    /// Writes the pending lines, which belong to the entry with this name.
    fn hand_out(&mut self, name: &[u8]) -> io::Result<()> {
        self.output.write_entry(&self.lines, name)
    }
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
                self.console.failure(&error.with_name(job.path()));
                return Ok(());
            }
        };
        self.lines.clear();
        // Absolute names are counted separately.
        let leads_out = |root: &Root| {
            let opened = root.open(job.name(), Special::Refuse);
            !job.name().starts_with(b"/") && opened.is_err_and(|error| error.kind() == Kind::OutsideRoot)
        };
        self.led_out += u64::from(self.bounds.as_ref().is_some_and(leads_out));
        match &mut self.writer {
            None if self.template.is_none() => {
                found.digests().iter().for_each(|digest| self.lines.extend_from_slice(digest.as_bytes()));
                self.hand_out(b"")
            }
            writer => {
                let (seconds, nanos) = found.mtime();
                let mut entry = Entry {
                    path: job.name().to_vec(),
                    size: Some(found.size()),
                    mtime: Some(Time { seconds, nanos }),
                    digests: digests_by(&self.requested, &job, found.into_digests()),
                    ..Entry::default()
                };
                if let Some(waiting) = &mut self.waiting {
                    waiting.push(entry);
                    return Ok(());
                }
                self.earlier.iter_mut().for_each(|earlier| earlier.compare(&entry));
                entry.digests.truncate(self.requested.len());
                let Some(writer) = writer else {
                    self.template.iter().for_each(|template| template.render(&entry, &mut self.lines));
                    return self.hand_out(&entry.path);
                };
                match writer.write(&entry) {
                    Ok(()) => std::mem::swap(&mut self.lines, writer.get_mut()),
                    Err(WriteError::Io(error)) => return Err(error),
                    Err(WriteError::Refused(why)) => {
                        self.refused += 1;
                        self.console.error_of(&entry.path, &format!("cannot be written: {why}"));
                        return Ok(());
                    }
                }
                self.hand_out(&entry.path)
            }
        }
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        let safe = |path: &Path| display_safe(path.as_os_str().as_bytes());
        match notice {
            Notice::Failed(error) => self.console.failure(&error),
            Notice::Own(path) if self.is_signature(&path) => self.signatures += 1,
            Notice::Own(path) => {
                let named = self.named.iter().any(|name| name == path.as_os_str().as_bytes());
                self.found_own |= named || self.names_output;
                if self.reporting.notes && self.is_link_to_output(&path) {
                    let link = safe(&path);
                    self.console.note(&format!("{link}: hard link to this run's own output, not hashed"));
                } else if self.reporting.notes && (self.reporting.verbose || named) {
                    self.console.note(&format!("{}: this run's own output, not hashed", safe(&path)));
                }
            }
            Notice::Link(_)
            | Notice::Dangling(_)
            | Notice::Special(..)
            | Notice::Temporary(_)
            | Notice::State(_)
            | Notice::Malformed(_) => {
                self.links += u64::from(matches!(notice, Notice::Link(_)));
                self.temporary += u64::from(matches!(notice, Notice::Temporary(_)));
                report(&notice, self.reporting, ("not read", "not hashed"), self.console);
                if matches!(notice, Notice::Special(..)) && self.reporting.notes {
                    self.console.hint("to read devices and pipes, use --special");
                }
            }
        }
        Ok(())
    }
}
