//! The options of a check. The defaults are the strictest ones: anything that is not permitted is a failure.

use crate::error::Error;
use crate::io::file_id::FileId;
use crate::io::mapping::Mapping;
use crate::io::open::{Root, Special};
use crate::names::Spellings;
use crate::progress::Progress;
use crate::run::config::Config;
use crate::run::order::Order;
use crate::run::remote::Remote;
use crate::select::Selection;
use crate::verify::place::folder_of_names;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use truesum_fs::name::OsStrExt;
use truesum_hash::{Key, Secret, Spec};
use truesum_manifest::signify::PublicKey;
use truesum_manifest::{self as manifest, Format};

/// The options of a check.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder in which names are resolved; `None` is each manifest's own folder, and the current folder for
    /// standard input.
    pub root: Option<PathBuf>,
    /// The store in which names are resolved, if the files are not in a file system. Entries are then read in order,
    /// and no file is searched for under another name.
    pub remote: Option<Arc<dyn Remote>>,
    /// The file that the manifests apply to, each of which has a single entry, whatever its name.
    pub data: Option<PathBuf>,
    /// The permitted algorithms: a line with any other is malformed. Empty: any algorithm in the manifest.
    pub algorithms: Vec<Spec>,
    /// Algorithms to compute in the read that verifies an entry, in addition to those of its expected digests. The
    /// digests are in [`Outcome::result`](crate::Outcome::result), after those that were compared. Piece lists are not
    /// used then.
    pub also: Vec<Spec>,
    /// The key of keyed digests.
    pub key: Option<Secret>,
    /// The key that must have signed each manifest, with minisign or signify, in the manifest or next to it. For a
    /// detached signature among the manifests, its file is verified instead. Applies to manifests that are specified,
    /// not to those found below folders.
    pub public_key: Option<PublicKey>,
    /// The format of the manifests; `None` detects it.
    pub format: Option<&'static Format>,
    /// Whether digests are accepted that are too short to verify anything.
    pub allow_weak: bool,
    /// Whether files outside the root may be read, through links, `..` or absolute names.
    pub allow_outside: bool,
    /// Whether entries with missing files are skipped.
    pub ignore_missing: bool,
    /// Whether malformed lines are counted without being failures.
    pub lenient: bool,
    /// The number of malformed lines of a manifest that are reported individually; the others are
    /// only counted. `None` reports all of them.
    pub malformed_told: Option<u64>,
    /// The treatment of files that are in no manifest.
    pub unlisted: Unlisted,
    /// Whether missing files are searched for under other names, among the files that are not in the manifest. Not in
    /// bags, and not for entries with piece digests.
    pub search: bool,
    /// Whether damage is located. Files with a single piece are then verified by it, which reveals no more about those
    /// that match.
    pub locate: bool,
    /// The spellings of a name that are accepted if the name itself does not exist.
    pub spellings: Spellings,
    /// Whether files that only have a different name are accepted.
    pub moved_passes: bool,
    /// The files that are renamed to their names in the manifest, if any. No file is ever replaced
    /// or moved out of the root.
    pub renaming: Option<Renaming>,
    /// The selection of the entries to check, and of the files not in the manifest that count.
    pub select: Selection,
    /// The part of the selection that is checked in this run.
    pub limits: RunLimits,
    /// Names in manifests that must be verified.
    pub required: Vec<PathBuf>,
    /// The minimum number of manifests that a search of folders ([`Verification::below`](crate::Verification::below))
    /// must find: nothing else reveals that a folder is missing together with its manifest.
    pub expect_manifests: u64,
    /// Whether the SHA-256 of each manifest is computed while it is read, for
    /// [`Checked::digest`](crate::Checked::digest).
    pub digest_manifests: bool,
    /// The types of files that are read.
    pub special: Special,
    /// The number of threads that read and hash; 0 means one per core.
    pub threads: usize,
    /// Whether files may be mapped.
    pub mapping: Mapping,
    /// The order of entries.
    pub order: Order,
    /// Files that are never reported as missing from manifests, because the caller writes to them, as `(device,
    /// inode)`.
    pub own: Vec<FileId>,
}

impl Options {
    /// Returns the folder in which the names of a manifest are resolved.
    pub(crate) fn folder(&self, manifest: &Path) -> PathBuf {
        self.root.clone().unwrap_or_else(|| folder_of_names(manifest))
    }

    /// Returns the root for the names of a manifest that applies to this folder.
    ///
    /// # Errors
    /// Fails if the folder cannot be opened.
    pub(crate) fn leading(&self, folder: &Path) -> Result<Root, Error> {
        match (&self.remote, &self.data) {
            (Some(_), _) => Ok(Root::Nowhere),
            // A file given by the user is opened by its own name.
            (None, Some(_)) => Ok(Root::Anywhere),
            (None, None) => Root::folder(folder, self.allow_outside),
        }
    }

    /// Returns the options for reading a manifest with this name; the name `-` implies nothing.
    pub(crate) fn reading(&self, name: &[u8], progress: &Progress) -> manifest::Options {
        // Searching for renamed files, checking in parts, and object stores use digests of complete files.
        let locating = !self.search
            && !self.spellings.any()
            && self.renaming.is_none()
            && self.limits.is_all()
            && self.remote.is_none()
            && self.also.is_empty();
        manifest::Options {
            requested: self.algorithms.clone(),
            format: self.format,
            allow_weak: self.allow_weak,
            allow_noise: self.lenient,
            key: self.key.clone(),
            locating,
            one_piece: locating && self.locate,
            subject: self.data.as_deref().map(|data| data.as_os_str().as_bytes().to_vec()),
            stop: Some(progress.stop_flag()),
            ..if name == b"-" { manifest::Options::default() } else { manifest::Options::for_name(name) }
        }
    }

    /// Returns the configuration of a run that reads files below this root.
    pub(crate) fn config(&self, root: Root) -> Config {
        let Options { special, threads, mapping, order, .. } = *self;
        let remote = self.remote.clone();
        Config { root, special, threads, mapping, order, own: Vec::new(), remote }
    }
}

/// Returns the algorithms to compute, with the key if they were requested for keyed digests.
pub(crate) fn under(specs: Vec<Spec>, key: Option<&Secret>) -> Vec<Spec> {
    let keyed = |spec: Spec| match key {
        Some(key) if spec.lacks_key() => spec.clone().with_key(Key::Secret(key.clone())).unwrap_or(spec),
        _ => spec,
    };
    specs.into_iter().map(keyed).collect()
}

/// The files that are renamed to their names in the manifest, after their content has been found to
/// match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Renaming {
    /// Whether files found under other names by [`Options::search`] are renamed; empty files only
    /// if they have the same base name.
    pub to_match: bool,
    /// Whether files are renamed whose names differ only in case, Unicode normalization or path
    /// separators.
    pub names: bool,
    /// Whether files are renamed, or this is only reported.
    pub carried_out: bool,
}

/// The treatment of files that are in no manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Unlisted {
    /// They are not searched for.
    #[default]
    Unrequested,
    /// Files in the deepest folder that contains all files in the manifest are reported, and are
    /// not failures. The search ends early if it would take long.
    Told,
    /// Everything below the root is searched, and each such file is a failure.
    Refused,
}

/// The part of a check that is done in one run. The default is everything.
#[derive(Clone, Debug, Default)]
pub struct RunLimits {
    /// The file that stores when each entry was last read.
    pub state: Option<PathBuf>,
    /// The maximum number of bytes to read, except for the first file.
    pub max_bytes: Option<u64>,
    /// The time after which no further file is started.
    pub max_time: Option<Duration>,
}

impl RunLimits {
    /// Returns whether everything is checked and no state is stored.
    pub fn is_all(&self) -> bool {
        self.state.is_none() && self.max_bytes.is_none() && self.max_time.is_none()
    }
}
