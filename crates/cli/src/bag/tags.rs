//! The tag files of a bag, which are those outside its payload, and the manifests of these.

use super::moving::{MARKER, is_moved};
use super::parts::{BagError, DATA, Place, is_journal, refused};
use super::payload::unsuitable;
use crate::console::Console;
use crate::notices::report;
use crate::options::Reporting;
use crate::progress::Line;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use truesum::hash::{Digest, Spec};
use truesum::manifest::{Entry, Heading, Time, Writer, format};
use truesum::scrub::is_default_state;
use truesum::verify::bag::is_part;
use truesum::{Error, Notice, Outcome, Sink, is_temporary};
use truesum_fs::name::OsStrExt;

/// Returns the tag files and folders that this command does not write.
///
/// # Errors
/// Fails if the folder cannot be listed.
pub fn others(folder: &Path) -> Result<Vec<PathBuf>, BagError> {
    let io = |error| Error::io(folder.as_os_str().as_bytes(), "list", error);
    let mut others = Vec::new();
    for item in fs::read_dir(folder).map_err(io)? {
        let name = item.map_err(io)?.file_name();
        let path = folder.join(&name);
        let ours = name == DATA || name == "bag-info.txt" || is_part(&path) || is_journal(&name);
        // A killed run may have left a temporary file.
        // The state of `scrub` changes in every run.
        let ours = ours || is_default_state(&path);
        if !(ours || is_temporary(name.as_bytes()) || name == MARKER && is_moved(folder)) {
            others.push(path);
        }
    }
    others.sort();
    Ok(others)
}

/// Receives the tag files.
pub struct Tags<'a> {
    place: &'a Place,
    console: &'a mut Console,
    found: TagFiles,
    wrong: bool,
}

impl<'a> Tags<'a> {
    pub fn new(place: &'a Place, console: &'a mut Console) -> Tags<'a> {
        Tags { place, console, found: TagFiles::default(), wrong: false }
    }

    /// Returns the files.
    ///
    /// # Errors
    /// Fails if a file could not be read or cannot be in a bag, or if the run was interrupted.
    pub fn end(self, interrupted: bool) -> Result<TagFiles, BagError> {
        match (interrupted, self.wrong) {
            (true, _) => Err(BagError::Interrupted),
            (_, true) => Err(BagError::Reported),
            _ => Ok(self.found),
        }
    }
}

/// Tag files with their digests.
#[derive(Clone, Default)]
pub struct TagFiles {
    pub entries: Vec<Entry>,
}

impl TagFiles {
    /// Adds a file that is yet to be written.
    pub fn add(&mut self, name: &[u8], specs: &[Spec], digests: Vec<Digest>) {
        let digests = specs.iter().cloned().zip(digests).collect();
        self.entries.push(Entry { path: name.to_vec(), digests, ..Entry::default() });
    }

    /// Returns the manifest of the algorithm at this position.
    ///
    /// # Errors
    /// Fails if it cannot contain one of the names.
    pub fn manifest(&mut self, at: usize) -> Result<Vec<u8>, BagError> {
        self.entries.sort_by(|one, other| one.path.cmp(&other.path));
        let bagit = format("bagit").expect("a row of the table of formats");
        let mut writer = Writer::new(Vec::new(), bagit, &Heading::default());
        for entry in &self.entries {
            let one = Entry { mtime: None, digests: vec![entry.digests[at].clone()], ..entry.clone() };
            writer.write(&one).map_err(|why| {
                refused(Path::new(OsStr::from_bytes(&entry.path)), &format!("cannot be in a bag: {why}"))
            })?;
        }
        Ok(std::mem::take(writer.get_mut()))
    }
}

impl Sink for Tags<'_> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        let Outcome { job, result } = outcome;
        let found = match result {
            Ok(found) => found,
            Err(error) => {
                self.wrong = true;
                self.console.failure(&error);
                return Ok(());
            }
        };
        let fault = self.place.link_fault(job.path(), "").or_else(|| unsuitable(job.name()));
        if let Some(why) = fault {
            self.wrong = true;
            self.console.error_of(job.path(), why);
            return Ok(());
        }
        let (seconds, nanos) = found.mtime();
        let mtime = Some(Time { seconds, nanos });
        let digests = job.specs().iter().cloned().zip(found.into_digests()).collect();
        self.found.entries.push(Entry { path: job.into_name(), mtime, digests, ..Entry::default() });
        Ok(())
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        self.wrong |= matches!(notice, Notice::Failed(_));
        // Anything that cannot be in a bag is reported.
        let reporting = Reporting { line: Line::Hidden, notes: true, verbose: true, threads: 0 };
        report(&notice, reporting, ("not read", "not hashed"), self.console);
        Ok(())
    }
}
