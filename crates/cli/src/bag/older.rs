//! The existing manifests of a bag, which are read before new ones are written: every file in them
//! must exist and have the recorded digest. Completing a bag therefore never accepts files that
//! were damaged or lost.

use super::parts::{Stop, manifest_name, plain, refused};
use crate::console::Console;
use crate::words::count;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use truesum::Error;
use truesum::hash::{Digest, Spec};
use truesum::manifest::{Entry, Options, ReadError, Reader, format};
use truesum::verify::bag::{is_of_payload, is_part};

/// The digests of one file.
type Digests = Vec<(Spec, Digest)>;

/// The content of one kind of manifests.
#[derive(Default)]
struct Listed {
    specs: Vec<Spec>,
    files: HashMap<Vec<u8>, Digests>,
}

/// The content of all payload manifests and all tag manifests.
#[derive(Default)]
pub struct Older {
    payload: Listed,
    tags: Listed,
    /// Number of payload files in the manifests.
    listed: u64,
}

impl Older {
    /// Reads all manifests of a folder.
    ///
    /// # Errors
    /// Fails if a manifest cannot be read completely or has an unknown algorithm.
    pub fn read(folder: &Path, console: &mut Console) -> Result<Older, Stop> {
        let io = |error| Error::io(folder.as_os_str().as_bytes(), "list", error);
        let mut names = Vec::new();
        for item in fs::read_dir(folder).map_err(io)? {
            names.push(item.map_err(io)?.file_name());
        }
        names.sort();
        let mut older = Older::default();
        for name in names {
            let path = folder.join(&name);
            if is_of_payload(&path) {
                older.payload.read(path, console)?;
            } else if is_part(&path) {
                older.tags.read(path, console)?;
            }
        }
        older.listed = older.payload.files.len() as u64;
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

    /// Returns the number of `files` that were not in the manifests, as text.
    pub fn added(&self, files: u64) -> String {
        count(files.saturating_sub(self.listed), "file", "files")
    }

    /// Returns whether a payload file matches the manifests; a file that is in none of them does.
    pub fn agrees(&mut self, found: &Entry) -> bool {
        let listed = self.payload.files.remove(&found.path);
        listed.is_none_or(|listed| agree(&listed, found))
    }

    /// Returns the payload files in the manifests that were not found.
    pub fn missing(&self) -> Vec<Vec<u8>> {
        let mut missing: Vec<_> = self.payload.files.keys().cloned().collect();
        missing.sort();
        missing
    }

    /// Returns the tag files that do not match the tag manifests, except those that every run
    /// writes.
    pub fn changed_tags(&self, found: &[Entry]) -> Vec<Vec<u8>> {
        let ours = |name: &[u8]| name == b"bag-info.txt" || is_of_payload(Path::new(OsStr::from_bytes(name)));
        let same = |name: &[u8], listed: &Digests| {
            found.iter().find(|entry| entry.path == name).is_some_and(|entry| agree(listed, entry))
        };
        let changed = self.tags.files.iter().filter(|(name, listed)| !ours(name) && !same(name, listed));
        let mut changed: Vec<_> = changed.map(|(name, _)| name.clone()).collect();
        changed.sort();
        changed
    }
}

/// Returns whether the file has every digest in the manifests.
fn agree(listed: &Digests, found: &Entry) -> bool {
    listed.iter().all(|(spec, digest)| {
        found.digests.iter().any(|(other, found)| other == spec && spec.agree(digest, found))
    })
}

impl Listed {
    fn read(&mut self, path: PathBuf, console: &mut Console) -> Result<(), Stop> {
        plain(&path)?;
        let name = path.file_name().unwrap_or_default().as_bytes();
        let options = Options { format: format("bagit"), ..Options::for_name(name) };
        let io = |error| Stop::Failed(Error::io(path.as_os_str().as_bytes(), "read", error));
        let mut bad = false;
        let mut spec = None;
        for line in Reader::new(File::open(&path).map_err(io)?, options) {
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
            return Err(refused(&path, "a manifest with malformed lines is not replaced"));
        }
        // An empty manifest contains no digests to compare, and its name may contain an unknown
        // algorithm.
        if let Some(spec) = spec {
            let wanted = manifest_name(&spec)?;
            let plain = name.strip_prefix(b"tag").unwrap_or(name);
            if plain != wanted.as_bytes() {
                return Err(refused(
                    &path,
                    &format!("{spec} digests, whose manifest must be named {wanted}"),
                ));
            }
            if !self.specs.contains(&spec) {
                self.specs.push(spec);
            }
        }
        Ok(())
    }
}
