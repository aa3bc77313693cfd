//! The files of a bag beside its payload, and the manifests of these.

use super::moving::{MARKER, is_moved};
use super::parts::{DATA, Stop, manifest_name, refused};
use super::payload::unfit;
use crate::console::Console;
use crate::notices::report;
use crate::options::Tell;
use crate::progress::Line;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use truesum::hash::Spec;
use truesum::manifest::{Entry, Heading, Writer, format};
use truesum::verify::bag::is_part;
use truesum::{Error, Notice, Outcome, Sink};

/// What lies in the bag beside the payload and is not written by each run.
///
/// # Errors
/// The folder cannot be listed.
pub fn others(folder: &Path) -> Result<Vec<PathBuf>, Stop> {
    let io = |error| Error::io(folder.as_os_str().as_bytes(), "list", error);
    let mut others = Vec::new();
    for item in fs::read_dir(folder).map_err(io)? {
        let name = item.map_err(io)?.file_name();
        let path = folder.join(&name);
        let ours = name == DATA || name == "bag-info.txt" || is_part(&path);
        if !(ours || name == MARKER && is_moved(folder)) {
            others.push(path);
        }
    }
    others.sort();
    Ok(others)
}

/// What this run has written so far.
pub fn written(folder: &Path, specs: &[Spec]) -> Vec<PathBuf> {
    let manifests = specs.iter().filter_map(|spec| manifest_name(spec).ok());
    manifests.chain(["bag-info.txt".to_owned()]).map(|name| folder.join(name)).collect()
}

/// Takes what the run finds.
pub struct Tags<'a> {
    console: &'a mut Console,
    found: Found,
    wrong: bool,
}

impl<'a> Tags<'a> {
    /// Adds to what was found so far.
    pub fn new(found: Found, console: &'a mut Console) -> Tags<'a> {
        Tags { console, found, wrong: false }
    }

    /// What was found.
    ///
    /// # Errors
    /// Something could not be read, or the run was interrupted. If something was `written`, the bag lacks its tag manifests.
    pub fn end(self, interrupted: bool, written: bool) -> Result<Found, Stop> {
        match (interrupted, self.wrong) {
            (true, _) => Err(Stop::Interrupted(written)),
            (_, true) => {
                if written {
                    self.console.hint(
                        "the payload manifests are written; run the same command again to complete the bag",
                    );
                }
                Err(Stop::Told)
            }
            _ => Ok(self.found),
        }
    }
}

/// The files beside the payload.
#[derive(Default)]
pub struct Found {
    pub entries: Vec<Entry>,
}

impl Found {
    /// Adds one that is still to be written.
    pub fn add(&mut self, name: &[u8], text: &[u8], specs: &[Spec]) {
        let digests = specs.iter().map(|spec| (spec.clone(), spec.digest(text))).collect();
        self.entries.push(Entry { path: name.to_vec(), digests, ..Entry::default() });
    }

    /// The manifest of the algorithm at this place.
    ///
    /// # Errors
    /// A name cannot stand in it.
    pub fn manifest(&mut self, at: usize) -> Result<Vec<u8>, Stop> {
        self.entries.sort_by(|one, other| one.path.cmp(&other.path));
        let bagit = format("bagit").expect("a row of the table of formats");
        let mut writer = Writer::new(Vec::new(), bagit, &Heading::default());
        for entry in &self.entries {
            let one = Entry { digests: vec![entry.digests[at].clone()], ..entry.clone() };
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
        match result {
            Err(error) => {
                self.wrong = true;
                self.console.failure(&error);
            }
            Ok(_) if unfit(&job.name).is_some() => {
                self.wrong = true;
                self.console.error_of(&job.name, unfit(&job.name).unwrap_or_default());
            }
            Ok(found) => {
                let digests = job.specs.iter().cloned().zip(found.into_digests()).collect();
                self.found.entries.push(Entry { path: job.name, digests, ..Entry::default() });
            }
        }
        Ok(())
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        self.wrong |= matches!(notice, Notice::Failed(_));
        // Whatever cannot be in a bag is named.
        let tell = Tell { line: Line::Hidden, notes: true, verbose: true, threads: 0 };
        report(&notice, tell, ("not read", "not hashed"), self.console);
        Ok(())
    }
}
