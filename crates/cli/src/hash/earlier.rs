//! The manifest that is about to be replaced: whether a file has other content than it records although nothing wrote to the file. Then
//! the new manifest would record corrupt content as good.

use crate::exit::Refusal;
use crate::words::count;
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::BuildHasher;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use truesum::audit::same_time;
use truesum::manifest::path::display_safe;
use truesum::manifest::{Entry, Options, Reader, Time};

/// Files that are named, at most.
const NAMED: usize = 5;

/// What an earlier manifest records, in some forty bytes for each digest.
pub struct Earlier {
    keys: RandomState,
    /// Hashes of digests, and the times of their files if recorded, by hashes of names with algorithms.
    digests: HashMap<u64, (u64, Option<Time>)>,
    /// When the manifest was written.
    written: Time,
    corrupt: u64,
    names: Vec<String>,
}

impl Earlier {
    /// Reads the manifest of this name; `None` if none is there.
    pub fn read(path: &Path) -> Option<Earlier> {
        let file = File::open(path).ok()?;
        let metadata = file.metadata().ok().filter(|file| file.is_file() && file.len() > 0)?;
        let written = Time { seconds: metadata.mtime(), nanos: metadata.mtime_nsec() as u32 };
        let (keys, mut digests) = (RandomState::new(), HashMap::new());
        let options = Options::for_name(path.file_name().unwrap_or_default().as_bytes());
        for line in Reader::new(file, options).filter_map(Result::ok) {
            let Entry { path, mtime, digests: listed, .. } = line.entry;
            let name = path.strip_prefix(b"./").unwrap_or(&path);
            for (spec, digest) in listed {
                digests.insert(keys.hash_one((name, spec)), (keys.hash_one(digest), mtime));
            }
        }
        Some(Earlier { keys, digests, written, corrupt: 0, names: Vec::new() })
    }

    /// Compares an entry of the new manifest with what is recorded of its file.
    pub fn compare(&mut self, entry: &Entry) {
        let name = entry.path.strip_prefix(b"./").unwrap_or(&entry.path);
        let is_corrupt = entry.digests.iter().any(|(spec, digest)| {
            let Some((recorded, time)) = self.digests.get(&self.keys.hash_one((name, spec))) else {
                return false;
            };
            let unmoved = |found: Time| time.map_or(found < self.written, |time| same_time(time, found));
            *recorded != self.keys.hash_one(digest) && entry.mtime.is_some_and(unmoved)
        });
        self.corrupt += u64::from(is_corrupt);
        if is_corrupt && self.names.len() < NAMED {
            self.names.push(display_safe(name));
        }
    }

    /// Returns why the manifest must not be replaced, if so.
    pub fn refusal(&self, path: &Path) -> Option<Refusal> {
        let more = self.corrupt.checked_sub(self.names.len() as u64).filter(|more| *more > 0);
        let more = more.map_or(String::new(), |more| format!(" and {more} more"));
        let text = format!(
            "{}: not written: {} corrupt (no program modified {}, but the content differs): {}{more}",
            display_safe(path.as_os_str().as_bytes()),
            count(self.corrupt, "file is", "files are"),
            if self.corrupt == 1 { "it" } else { "them" },
            self.names.join(", ")
        );
        (self.corrupt > 0).then(|| {
            Refusal::with_hint(
                text,
                "restore them from a copy, or record their current content with --overwrite",
            )
        })
    }
}
