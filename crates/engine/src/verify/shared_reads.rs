//! Files that several manifests of a check list: each is read once.
//!
//! Manifests are checked one after the other, and results are reported in that order. So that a file is not read once for
//! each manifest, the manifests are read in advance (`containers/advance.rs`), and the read for the first one also
//! computes the digests for the others. [`Links`] stores these results. A later manifest gets one only if its file, when
//! it is opened, has the same identity, size and times as when it was read. Otherwise, the file is read again.

use crate::job::Job;
use crate::run::links::Links;
use crate::task::Task;
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;
use truesum_fs::name;
use truesum_hash::Spec;

/// The maximum number of manifests: each is a bit of a mask.
pub(crate) const MANIFESTS: usize = 64;

/// The files that several manifests list, and the results of those that were read.
#[derive(Default)]
pub(crate) struct SharedReads {
    links: Links,
    /// The manifests that list a file, as bits, by the hash of its path.
    files: HashMap<u64, u64>,
    /// The algorithms of each manifest.
    specs: Vec<Arc<[Spec]>>,
    state: RandomState,
    /// The number of the manifest that is being checked.
    current: usize,
}

/// The algorithms of the previous job, the manifests that follow as bits, and the algorithms for all of them. Jobs with
/// equal algorithms share one list.
type Previous = Option<(Arc<[Spec]>, u64, Arc<[Spec]>)>;

impl SharedReads {
    /// Adds a manifest, whose entries follow.
    pub(crate) fn add_manifest(&mut self) {
        self.specs.push(Arc::new([]));
    }

    /// Adds an entry of the last manifest, whose names are in the folder with this absolute path.
    pub(crate) fn add_entry(&mut self, folder: &[u8], job: &Job) {
        let last = self.specs.len() - 1;
        if self.specs[last].is_empty() {
            self.specs[last] = job.specs().clone();
        }
        // An entry with other algorithms than the first one is read by itself.
        if self.specs[last] == *job.specs() && !job.expected().is_empty() {
            *self.files.entry(self.key(folder, job.path())).or_default() |= 1 << last;
        }
    }

    /// Keeps only the files that more than one manifest lists.
    pub(crate) fn complete(mut self) -> SharedReads {
        self.files.retain(|_, manifests| manifests.count_ones() > 1);
        self
    }

    /// Returns the hash of the path of a name in a folder; `./a` and `a` are the same name.
    fn key(&self, folder: &[u8], name: &[u8]) -> u64 {
        let mut hasher = self.state.build_hasher();
        let parts = [folder, name].into_iter().flat_map(|path| path.split(|&byte| byte == b'/'));
        parts.filter(|part| !part.is_empty() && *part != b".").for_each(|part| part.hash(&mut hasher));
        hasher.finish()
    }

    /// Returns the number of files that are listed more than once.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    /// Begins with this manifest.
    pub(crate) fn begin(&mut self, at: usize) {
        self.current = at;
    }

    /// Returns the results of the files read so far.
    pub(crate) fn links(&self) -> &Links {
        &self.links
    }

    /// Returns a function that changes the tasks of the current manifest, whose names are in this
    /// folder, so that they also compute the digests for the manifests that follow. `None` if no
    /// file is listed more than once.
    pub(crate) fn widening<'s>(&'s self, folder: &Path) -> Option<impl FnMut(Task) -> Task + Send + use<'s>> {
        let folder = absolute(folder).filter(|_| !self.files.is_empty())?;
        let mut previous = Previous::None;
        Some(move |task| match task {
            Task::File(mut job) => {
                self.widen(&folder, &mut job, &mut previous);
                Task::File(job)
            }
            notice => notice,
        })
    }

    fn widen(&self, folder: &[u8], job: &mut Job, previous: &mut Previous) {
        let key = self.key(folder, job.path());
        let Some(manifests) = self.files.get(&key).filter(|_| !job.expected().is_empty()) else { return };
        let following = manifests & (u64::MAX << self.current) & !(1 << self.current);
        let known = previous.as_ref().filter(|(own, after, _)| *after == following && own == job.specs());
        let all = match known {
            Some((_, _, all)) => all.clone(),
            None => {
                let mut wide = job.clone();
                let later = self.specs.iter().enumerate().filter(|(at, _)| following >> at & 1 == 1);
                later.for_each(|(_, specs)| wide.add_specs(specs));
                *previous = Some((job.specs().clone(), following, wide.specs().clone()));
                wide.specs().clone()
            }
        };
        job.share(key, all, following.count_ones().into());
    }
}

/// Returns the absolute path of a folder.
pub(crate) fn absolute(folder: &Path) -> Option<Vec<u8>> {
    // The folder of a manifest in the current folder has an empty path.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    std::fs::canonicalize(folder).ok().map(|path| name::of(&path).into_owned())
}
