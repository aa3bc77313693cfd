//! The payload of a bag: hashes it, compares it with the existing manifests, and writes a manifest
//! for each algorithm.

use super::older::Older;
use super::parts::{Stop, manifest_name, named, plain, refused, shown};
use crate::console::Console;
use crate::exit::Refusal;
use crate::output;
use crate::words::count;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use truesum::hash::Spec;
use truesum::manifest::{Entry, Heading, WriteError, Writer, format};
use truesum::{AtomicFile, FileId, Notice, Outcome, Sink};

/// A sink for the files of the payload.
pub struct Payload<'a> {
    folder: PathBuf,
    console: &'a mut Console,
    older: &'a mut Older,
    /// Whether names get the prefix `data/`, because the files have not been moved there yet.
    below: bool,
    manifests: Vec<(Writer<AtomicFile>, PathBuf)>,
    own: Vec<FileId>,
    files: u64,
    bytes: u64,
    /// Number of files that cannot be in a bag or do not match.
    wrong: u64,
}

/// The complete manifests, which do not have their final names yet.
pub struct Listing {
    pub manifests: Vec<(AtomicFile, PathBuf)>,
    pub files: u64,
    pub bytes: u64,
    /// The temporary files that contain the manifests.
    pub own: Vec<FileId>,
}

impl<'a> Payload<'a> {
    /// Begins a manifest for each of these algorithms.
    ///
    /// # Errors
    /// Fails if one cannot be written.
    pub fn begin(
        folder: &Path,
        specs: &[Spec],
        below: bool,
        older: &'a mut Older,
        console: &'a mut Console,
    ) -> Result<Payload<'a>, Stop> {
        let bagit = format("bagit").expect("a row of the table of formats");
        let (mut manifests, mut own) = (Vec::new(), Vec::new());
        for spec in specs {
            let target = folder.join(manifest_name(spec)?);
            plain(&target)?;
            let file = output::begin(&target).map_err(|error| named(error, &target))?;
            if let Ok(stat) = rustix::fs::fstat(file.file()) {
                own.push(FileId::from(&stat));
            }
            manifests.push((Writer::new(file, bagit, &Heading::default()), target));
        }
        let folder = folder.to_owned();
        Ok(Payload { folder, console, older, below, manifests, own, files: 0, bytes: 0, wrong: 0 })
    }

    /// Returns the files that are being written, which are not payload.
    pub fn own(&self) -> Vec<FileId> {
        self.own.clone()
    }

    /// Returns the manifests, if they are complete.
    ///
    /// # Errors
    /// Fails if the run was interrupted, or if a file cannot be in a bag or does not match. Nothing
    /// was written in this case.
    pub fn end(self, interrupted: bool) -> Result<Listing, Stop> {
        if interrupted {
            return Err(Stop::Interrupted(false));
        }
        let missing = self.older.missing();
        for name in &missing {
            self.console.error_of(name, "in the manifest but not in the payload");
        }
        let wrong = self.wrong + missing.len() as u64;
        if wrong > 0 {
            let what = count(wrong, "fault", "faults");
            self.console.error(&format!("{}: {what}: nothing was written", shown(&self.folder)));
            return Err(Stop::Reported);
        }
        if self.files == 0 {
            let hint = "a bag needs at least one payload file";
            let text = format!("{}: there are no files", shown(&self.folder));
            return Err(Stop::Refused(Refusal::with_hint(text, hint)));
        }
        let mut manifests = Vec::new();
        for (writer, target) in self.manifests {
            let file = writer.finish().map_err(|why| refused(&target, &why.to_string()))?;
            manifests.push((file, target));
        }
        Ok(Listing { manifests, files: self.files, bytes: self.bytes, own: self.own })
    }

    fn is_own(&self, path: &Path) -> bool {
        let id = std::fs::symlink_metadata(path).map(|metadata| FileId::from(&metadata));
        id.is_ok_and(|id| self.own.contains(&id))
    }

    fn refuse(&mut self, path: &[u8], why: &str) {
        self.wrong += 1;
        self.console.error_of(path, why);
    }
}

/// Returns why a bag cannot contain this name; names in bags are text.
pub fn unfit(name: &[u8]) -> Option<&'static str> {
    std::str::from_utf8(name).is_err().then_some("cannot be in a bag: its name is not UTF-8")
}

impl Sink for Payload<'_> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        let Outcome { job, result } = outcome;
        let found = match result {
            Ok(found) => found,
            Err(error) => {
                self.wrong += 1;
                self.console.failure(&error);
                return Ok(());
            }
        };
        let name = if self.below { [b"data/", &job.name[..]].concat() } else { job.name };
        if let Some(why) = unfit(&name) {
            self.refuse(&name, why);
            return Ok(());
        }
        let size = found.size();
        let digests = job.specs.iter().cloned().zip(found.into_digests()).collect();
        let entry = Entry { path: name, size: Some(size), digests, ..Entry::default() };
        if !self.older.agrees(&entry) {
            self.refuse(&entry.path, "does not match the bag's manifest");
            return Ok(());
        }
        for at in 0..self.manifests.len() {
            let one = Entry { digests: vec![entry.digests[at].clone()], ..entry.clone() };
            match self.manifests[at].0.write(&one) {
                Ok(()) => {}
                Err(WriteError::Io(error)) => return Err(error),
                Err(WriteError::Refused(why)) => {
                    self.refuse(&entry.path, &format!("cannot be in a bag: {why}"));
                    return Ok(());
                }
            }
        }
        self.files += 1;
        self.bytes += size;
        Ok(())
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        let (path, why) = match notice {
            Notice::Failed(error) => {
                self.wrong += 1;
                self.console.failure(&error);
                return Ok(());
            }
            Notice::Own(_) | Notice::Malformed(_) => return Ok(()),
            Notice::Link(path) | Notice::Dangling(path) => {
                (path, "cannot be in a bag: it is a symbolic link (use --follow to include its target)")
            }
            Notice::Special(path, _) => (path, "cannot be in a bag: it is not a regular file"),
            Notice::Temporary(path) if self.is_own(&path) => return Ok(()),
            Notice::Temporary(path) => {
                (path, "a temporary file of truesum, which can be removed if no other run is active")
            }
        };
        self.refuse(path.as_os_str().as_bytes(), why);
        Ok(())
    }
}
