//! The payload of a bag: hashed, compared with the existing manifests, and written to a manifest for each algorithm.

use super::older::{FileStatus, RecordedEntries};
use super::parts::{Allowed, BagError, DATA, Place, manifest_name, named, plain, refused, shown};
use crate::console::Console;
use crate::exit::Refusal;
use crate::output;
use crate::words::count;
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truesum::hash::{Digest, Hasher, Spec};
use truesum::manifest::{Entry, Heading, Time, WriteError, Writer, format};
use truesum::{AtomicFile, Error, FileId, Notice, Outcome, Sink};
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;

/// Receives the files of a payload.
pub struct Payload<'a> {
    place: &'a Place,
    console: &'a mut Console,
    older: &'a mut RecordedEntries,
    allowed: Allowed,
    /// Whether the files are still outside `data`, below which their names will be.
    below: bool,
    manifests: Vec<(Writer<HashingWriter>, PathBuf)>,
    own: Vec<FileId>,
    /// The names of all files, if the bag has a `fetch.txt`.
    names: Option<HashSet<Vec<u8>>>,
    changes: Changes,
    files: u64,
    bytes: u64,
    /// The number of files in the existing manifests.
    listed: u64,
    /// The total size of the files that match the existing manifests.
    listed_bytes: u64,
    /// The number of files that cannot be in the bag.
    unsuitable: u64,
    /// The number of files that differ from the manifests.
    modified: u64,
}

/// The differences from the existing payload manifests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Changes {
    pub added: u64,
    pub refreshed: u64,
    pub removed: u64,
}

/// The manifests, complete and not yet named.
pub struct Listing {
    pub manifests: Vec<Manifest>,
    pub changes: Changes,
    pub files: u64,
    pub bytes: u64,
    /// The number of files in the existing manifests.
    pub listed: u64,
    /// The total size of these files, if all of them exist and match.
    pub listed_bytes: Option<u64>,
    /// The files that hold the manifests.
    pub own: Vec<FileId>,
    /// The names of all files, if the bag has a `fetch.txt`.
    pub names: Option<HashSet<Vec<u8>>>,
}

/// A manifest that is complete and not yet named.
pub struct Manifest {
    pub file: AtomicFile,
    pub target: PathBuf,
    /// Its digests, in the order of the tag manifests.
    pub digests: Vec<Digest>,
}

/// A file that is hashed while it is written.
struct HashingWriter {
    file: AtomicFile,
    hashers: Vec<Hasher>,
}

impl Write for HashingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hashers.iter_mut().for_each(|hasher| hasher.update(&bytes[..written]));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl<'a> Payload<'a> {
    /// Begins a manifest for each of `specs`. Its own digests are computed by `tag_specs`.
    ///
    /// # Errors
    /// Fails if one cannot be written.
    pub fn begin(
        place: &'a Place,
        (specs, tag_specs): (&[Spec], &Arc<[Spec]>),
        below: bool,
        older: &'a mut RecordedEntries,
        allowed: Allowed,
        console: &'a mut Console,
    ) -> Result<Payload<'a>, BagError> {
        let bagit = format("bagit").expect("a row of the table of formats");
        let (mut manifests, mut own) = (Vec::new(), Vec::new());
        for spec in specs {
            let target = place.folder.join(manifest_name(spec)?);
            plain(&target)?;
            let file = output::begin(&target).map_err(|error| named(error, &target))?;
            if let Ok(stat) = Metadata::of(file.file()) {
                own.push(FileId::from(&stat));
            }
            let file = HashingWriter { file, hashers: tag_specs.iter().map(Spec::hasher).collect() };
            manifests.push((Writer::new(file, bagit, &Heading::default()), target));
        }
        let names = (!below && place.folder.join("fetch.txt").exists()).then(HashSet::new);
        let (changes, files, bytes, unsuitable, modified) = (Changes::default(), 0, 0, 0, 0);
        let (listed, listed_bytes) = (older.remaining(), 0);
        Ok(Payload {
            place,
            console,
            older,
            allowed,
            below,
            manifests,
            own,
            names,
            changes,
            files,
            bytes,
            listed,
            listed_bytes,
            unsuitable,
            modified,
        })
    }

    /// Returns the files that are being written, which are not payload.
    pub fn own(&self) -> Vec<FileId> {
        self.own.clone()
    }

    /// Returns the manifests, if everything is in them.
    ///
    /// # Errors
    /// Fails if the run was interrupted, or if something cannot be in a bag or differs from an existing manifest.
    /// Nothing was written then.
    pub fn end(mut self, interrupted: bool) -> Result<Listing, BagError> {
        if interrupted {
            return Err(BagError::Interrupted);
        }
        let folder = &self.place.folder;
        let missing = self.older.missing();
        self.changes.removed = missing.len() as u64;
        let lost = if self.allowed.prune { &[][..] } else { &missing[..] };
        for name in lost {
            self.console.error_of(name, "in the bag's manifest, but missing from the payload");
        }
        let wrong = self.unsuitable + self.modified + lost.len() as u64;
        if wrong > 0 {
            let what = count(wrong, "error", "errors");
            self.console.error(&format!("{}: nothing was written ({what})", shown(folder)));
            if self.unsuitable == 0 {
                self.allowed.advise(self.place, self.modified > 0, !lost.is_empty(), self.console);
            }
            return Err(BagError::Reported);
        }
        if self.files == 0 {
            let hint = match self.below {
                true => "add at least one file to the folder",
                false => "add at least one file to the subfolder data",
            };
            let text = format!("{}: there are no files for the payload", shown(folder));
            return Err(BagError::Refused(Refusal::with_hint(text, hint)));
        }
        let mut manifests = Vec::new();
        for (writer, target) in self.manifests {
            let HashingWriter { file, hashers } = writer.finish().map_err(|why| match why {
                WriteError::Io(error) => Error::io(target.as_os_str().as_bytes(), "write", error).into(),
                WriteError::Refused(why) => refused(&target, &why.to_string()),
            })?;
            let digests = hashers.into_iter().map(Hasher::finish).collect();
            manifests.push(Manifest { file, target, digests });
        }
        let Payload { changes, files, bytes, listed, own, names, .. } = self;
        let listed_bytes = (changes.refreshed + changes.removed == 0).then_some(self.listed_bytes);
        Ok(Listing { manifests, changes, files, bytes, listed, listed_bytes, own, names })
    }

    fn is_own(&self, path: &Path) -> bool {
        let id = Metadata::of_link(path).map(|metadata| metadata.id());
        id.is_ok_and(|id| self.own.contains(&id))
    }

    fn refuse(&mut self, path: &[u8], why: &str) {
        self.unsuitable += 1;
        self.console.error_of(path, why);
    }
}

/// Returns why a file of this name cannot be in a bag, whose manifests are UTF-8.
pub fn unsuitable(name: &[u8]) -> Option<&'static str> {
    std::str::from_utf8(name).is_err().then_some("cannot be in a bag: its name is not UTF-8")
}

impl Sink for Payload<'_> {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        let Outcome { job, result } = outcome;
        let found = match result {
            Ok(found) => found,
            Err(error) => {
                self.unsuitable += 1;
                self.console.failure(&error);
                return Ok(());
            }
        };
        if self.place.follow
            && let Some(why) = self.place.link_fault(job.path(), DATA)
        {
            self.refuse(job.path(), why);
            return Ok(());
        }
        let name = if self.below { [b"data/", job.name()].concat() } else { job.name().to_vec() };
        if let Some(why) = unsuitable(&name) {
            self.refuse(&name, why);
            return Ok(());
        }
        let (size, mtime) = (found.size(), found.mtime());
        let mtime = Some(Time { seconds: mtime.0, nanos: mtime.1 });
        let digests = job.specs().iter().cloned().zip(found.into_digests()).collect();
        let entry = Entry { path: name, size: Some(size), mtime, digests, ..Entry::default() };
        match self.older.payload(&entry, self.allowed) {
            FileStatus::New => self.changes.added += 1,
            FileStatus::Same => self.listed_bytes += size,
            FileStatus::Refreshed => self.changes.refreshed += 1,
            FileStatus::Modified => {
                self.modified += 1;
                self.console.error_of(&entry.path, "does not match the bag's manifest");
                return Ok(());
            }
        }
        for at in 0..self.manifests.len() {
            let one = Entry { mtime: None, digests: vec![entry.digests[at].clone()], ..entry.clone() };
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
        if let Some(names) = &mut self.names {
            names.insert(entry.path);
        }
        Ok(())
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        let (path, why) = match notice {
            Notice::Failed(error) => {
                self.unsuitable += 1;
                self.console.failure(&error);
                return Ok(());
            }
            Notice::Own(_) | Notice::Malformed(_) => return Ok(()),
            Notice::Link(path) | Notice::Dangling(path) => {
                // Files that are still to be moved to the payload are next to it.
                let within = if self.below { "" } else { DATA };
                let fault = self.place.link_fault(path.as_os_str().as_bytes(), within);
                let why = fault.unwrap_or(match self.below {
                    true => {
                        "cannot be in a bag: it is a symbolic link (replace it with a copy of its target, \
                         or move the files to a subfolder named data and use --follow without --in-place)"
                    }
                    false => "cannot be in a bag: it is a symbolic link (use --follow to include its target)",
                });
                (path, why)
            }
            Notice::Special(path, _) => (path, "cannot be in a bag: it is not a regular file"),
            Notice::State(path) => (
                path,
                "cannot be in a bag: it is a state file of truesum scrub, which changes in every run; keep it elsewhere with --state",
            ),
            Notice::Temporary(path) if self.is_own(&path) => return Ok(()),
            Notice::Temporary(path) => (
                path,
                "cannot be in a bag: it is a temporary file left by truesum; delete it if no other truesum process is running",
            ),
        };
        self.refuse(path.as_os_str().as_bytes(), why);
        Ok(())
    }
}
