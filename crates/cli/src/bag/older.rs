//! The digests in the manifests of a bag, which are compared with the files before new manifests are written, so that
//! damaged, lost or modified files are not recorded as good by accident.

use super::parts::{Allowed, BagError, is_journal, manifest_name, plain, refused};
use crate::console::Console;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use truesum::Error;
use truesum::hash::{Digest, Spec};
use truesum::manifest::{Entry, Options, ReadError, Reader, Time, format};
use truesum::open::open_companion;
use truesum::update::Consent;
use truesum::verify::bag::{is_of_payload, is_part};
use truesum_fs::metadata;
use truesum_fs::name::OsStrExt;

/// The digests of one file.
type Digests = Vec<(Spec, Digest)>;

/// The entries of several manifests.
#[derive(Default)]
struct ManifestEntries {
    specs: Vec<Spec>,
    files: HashMap<Vec<u8>, Digests>,
    /// The latest modification time of these manifests.
    written: Option<Time>,
}

/// The entries of all manifests of a bag.
#[derive(Default)]
pub struct RecordedEntries {
    payload: ManifestEntries,
    tags: ManifestEntries,
    /// The files that existed before an interrupted run, and those that it was about to write.
    journal: ManifestEntries,
    /// The names of the payload manifests.
    manifests: Vec<PathBuf>,
    /// The names of the tag manifests.
    tag_manifests: Vec<PathBuf>,
    /// The names of journals.
    pub journals: Vec<PathBuf>,
}

/// The result of comparing a file with its entry in a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileStatus {
    /// The file is not in the manifest.
    New,
    /// The digests match.
    Same,
    /// The digests differ, and the file may be recorded anew.
    Refreshed,
    /// The digests differ.
    Modified,
}

impl RecordedEntries {
    /// Reads all manifests of a folder.
    ///
    /// # Errors
    /// Fails if one cannot be read completely, has no entries, or has an unknown algorithm.
    pub fn read(folder: &Path, console: &mut Console) -> Result<RecordedEntries, BagError> {
        let io = |error| Error::io(folder.as_os_str().as_bytes(), "list", error);
        let mut names = Vec::new();
        for item in fs::read_dir(folder).map_err(io)? {
            names.push(item.map_err(io)?.file_name());
        }
        names.sort();
        let mut older = RecordedEntries::default();
        for name in names {
            let path = folder.join(&name);
            if is_of_payload(&path) {
                older.payload.read(&path, console)?;
                older.manifests.push(path);
            } else if is_part(&path) {
                older.tags.read(&path, console)?;
                older.tag_manifests.push(path);
            } else if is_journal(&name) {
                older.journal.read(&path, console)?;
                older.journals.push(path);
            }
        }
        Ok(older)
    }

    /// Returns the algorithms of the payload manifests.
    pub fn specs(&self) -> impl Iterator<Item = &Spec> {
        self.payload.specs.iter()
    }

    /// Returns the algorithms of the tag manifests.
    pub fn tag_specs(&self) -> impl Iterator<Item = &Spec> {
        self.tags.specs.iter()
    }

    /// Returns the algorithms by which tag files are compared: those of the tag manifests and of the journal.
    pub fn compared_specs(&self) -> impl Iterator<Item = &Spec> {
        self.tags.specs.iter().chain(&self.journal.specs)
    }

    /// Returns whether there is a payload manifest.
    pub fn has_manifest(&self) -> bool {
        !self.manifests.is_empty()
    }

    /// Returns all manifests, of the payload and of the tag files.
    pub fn all_manifests(&self) -> impl Iterator<Item = &PathBuf> {
        self.manifests.iter().chain(&self.tag_manifests)
    }

    /// Returns the number of files in the payload manifests that were not compared yet.
    pub fn remaining(&self) -> u64 {
        self.payload.files.len() as u64
    }

    /// Returns whether an interrupted run left these files, according to its journal.
    pub fn is_interrupted(&self, replaced: &[Entry]) -> bool {
        !self.journal.files.is_empty() && replaced.iter().all(|entry| self.is_in_journal(entry))
    }

    fn is_in_journal(&self, entry: &Entry) -> bool {
        let journal = self.journal.files.get(&entry.path).map_or(&[][..], Vec::as_slice);
        journal.iter().any(|one| agree(std::slice::from_ref(one), entry))
    }

    /// Returns the files that this run will replace and that a tag manifest may contain: the payload manifests, and
    /// `bag-info.txt`.
    pub fn replaced(&self, info: &Path) -> Vec<PathBuf> {
        match self.tags.files.is_empty() && self.manifests.is_empty() {
            true => Vec::new(),
            false => self.manifests.iter().cloned().chain(info.is_file().then(|| info.to_owned())).collect(),
        }
    }

    /// Compares a file of the payload with the payload manifests, and removes its entry. A tag manifest that lists it,
    /// although it should not, must agree as well, because its line is lost.
    pub fn payload(&mut self, found: &Entry, allowed: Allowed) -> FileStatus {
        if let Some(listed) = self.tags.files.remove(&found.path)
            && !agree(&listed, found)
        {
            self.payload.files.remove(&found.path);
            return self.tags.modified(found, allowed.refresh);
        }
        let Some(listed) = self.payload.files.remove(&found.path) else { return FileStatus::New };
        match agree(&listed, found) {
            true => FileStatus::Same,
            false => self.payload.modified(found, allowed.refresh),
        }
    }

    /// Returns the files of the payload that are in a manifest and were not compared, because they do not exist.
    pub fn missing(&self) -> Vec<Vec<u8>> {
        let in_tags = self.tags.files.keys().filter(|name| name.starts_with(b"data/"));
        let mut missing: Vec<_> = self.payload.files.keys().chain(in_tags).cloned().collect();
        missing.sort();
        missing.dedup();
        missing
    }

    /// Compares the tag files with the tag manifests, and returns those that differ, sorted. A file that an interrupted
    /// run wrote matches its journal. `None` means that the file does not exist.
    pub fn changed_tags(&self, found: &[Entry], allowed: Allowed) -> Vec<(Vec<u8>, Option<FileStatus>)> {
        let found: HashMap<&[u8], &Entry> = found.iter().map(|entry| (&entry.path[..], entry)).collect();
        // Tag manifests are not compared with each other: all of them are rewritten.
        let is_compared = |name: &[u8]| {
            let path = Path::new(OsStr::from_bytes(name));
            !name.starts_with(b"data/") && (name.contains(&b'/') || is_of_payload(path) || !is_part(path))
        };
        let mut changed: Vec<_> = Vec::new();
        for (name, listed) in self.tags.files.iter().filter(|(name, _)| is_compared(name)) {
            let Some(entry) = found.get(&name[..]) else {
                changed.push((name.clone(), None));
                continue;
            };
            if !agree(listed, entry) && !self.is_in_journal(entry) {
                changed.push((name.clone(), Some(self.tags.modified(entry, allowed.refresh))));
            }
        }
        changed.sort_by(|one, other| one.0.cmp(&other.0));
        changed
    }
}

/// Returns whether every listed digest was found.
fn agree(listed: &[(Spec, Digest)], found: &Entry) -> bool {
    listed.iter().all(|(spec, digest)| {
        found.digests.iter().any(|(other, found)| other == spec && spec.agree(digest, found))
    })
}

impl ManifestEntries {
    /// Returns the standing of a file that differs from its entry. Only a modification time later than that of the
    /// manifests, and not in the future, shows that the file was edited.
    fn modified(&self, found: &Entry, refresh: Consent) -> FileStatus {
        let edited = found
            .mtime
            .is_some_and(|time| self.written.is_none_or(|written| truesum::audit::is_edited(written, time)));
        match refresh {
            Consent::All => FileStatus::Refreshed,
            Consent::Safe if edited => FileStatus::Refreshed,
            Consent::Safe | Consent::Withheld => FileStatus::Modified,
        }
    }

    fn read(&mut self, path: &Path, console: &mut Console) -> Result<(), BagError> {
        plain(path)?;
        let name = path.file_name().unwrap_or_default().as_bytes();
        let name = name.strip_prefix(b".truesum-").unwrap_or(name);
        let options = Options::for_name(name).format(format("bagit"));
        let io = |error| BagError::Failed(Error::io(path.as_os_str().as_bytes(), "read", error));
        let mut bad = false;
        let mut spec = None;
        let file = open_companion(path)?;
        let metadata = file.metadata().map_err(io)?;
        self.written = self.written.max(Some(metadata::modified(&metadata)));
        for line in Reader::new(file, options) {
            match line {
                Ok(line) => {
                    let Entry { path, digests, .. } = line.entry;
                    let name = path.strip_prefix(b"./").unwrap_or(&path).to_vec();
                    spec = spec.or_else(|| digests.first().map(|(spec, _)| spec.clone()));
                    self.files.entry(name).or_default().extend(digests);
                }
                Err(ReadError::Line(error)) => {
                    bad = true;
                    console.error_of(path.as_os_str().as_bytes(), &error.to_string());
                }
                Err(ReadError::Io(error)) => return Err(io(error)),
            }
        }
        if bad {
            return Err(refused(path, "not replaced, because the manifest has malformed lines"));
        }
        let spec = spec.ok_or_else(|| refused(path, "not replaced, because the manifest has no entries"))?;
        let wanted = manifest_name(&spec)?;
        let plain = name.strip_prefix(b"tag").unwrap_or(name);
        if plain != wanted.as_bytes() {
            let prefix = if name.starts_with(b"tag") { "tag" } else { "" };
            return Err(refused(
                path,
                &format!("contains {spec} digests, so it must be named {prefix}{wanted}"),
            ));
        }
        if !self.specs.contains(&spec) {
            self.specs.push(spec);
        }
        Ok(())
    }
}
