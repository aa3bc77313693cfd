//! The files of a bag outside its payload, and their manifests.

use super::moving::{MARKER, is_moved};
use super::parts::{DATA, Stop, manifest_name, refused};
use super::payload::unfit;
use crate::console::Console;
use crate::notices::report;
use crate::options::Reporting;
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

/// Returns the files of the bag outside the payload that are not written by every run.
///
/// # Errors
/// Fails if the folder cannot be listed.
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

/// Returns the paths of the files that this run has written so far.
pub fn written(folder: &Path, specs: &[Spec]) -> Vec<PathBuf> {
    let manifests = specs.iter().filter_map(|spec| manifest_name(spec).ok());
    manifests.chain(["bag-info.txt".to_owned()]).map(|name| folder.join(name)).collect()
}

/// A sink for the files outside the payload.
pub struct Tags<'a> {
    console: &'a mut Console,
    found: Found,
    wrong: bool,
}

impl<'a> Tags<'a> {
    /// Creates a sink that adds to the files found so far.
    pub fn new(found: Found, console: &'a mut Console) -> Tags<'a> {
        Tags { console, found, wrong: false }
    }

    /// Returns the files that were found.
    ///
    /// # Errors
    /// Fails if a file could not be read, or if the run was interrupted. If anything was `written`,
    /// the bag lacks its tag manifests.
    pub fn end(self, interrupted: bool, written: bool) -> Result<Found, Stop> {
        match (interrupted, self.wrong) {
            (true, _) => Err(Stop::Interrupted(written)),
            (_, true) => {
                if written {
                    self.console.hint(
                        "the payload manifests are written; run the same command again to complete the bag",
                    );
                }
                Err(Stop::Reported)
            }
            _ => Ok(self.found),
        }
    }
}

/// The files outside the payload.
#[derive(Default)]
pub struct Found {
    pub entries: Vec<Entry>,
}

impl Found {
    /// Adds a file that is not written yet.
    pub fn add(&mut self, name: &[u8], text: &[u8], specs: &[Spec]) {
        let digests = specs.iter().map(|spec| (spec.clone(), spec.digest(text))).collect();
        self.entries.push(Entry { path: name.to_vec(), digests, ..Entry::default() });
    }

    /// Returns the tag manifest for the algorithm with this index.
    ///
    /// # Errors
    /// Fails if a name cannot be in a manifest.
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
        // Report everything that cannot be in a bag.
        let reporting = Reporting { line: Line::Hidden, notes: true, verbose: true, threads: 0 };
        report(&notice, reporting, ("not read", "not hashed"), self.console);
        Ok(())
    }
}
