//! The options of a check. The defaults are the strictest ones: anything that is not permitted is a failure.

use crate::error::Error;
use crate::io::file_id::FileId;
use crate::io::mapping::Mapping;
use crate::io::open::{Root, Special};
use crate::names::Spellings;
use crate::progress::Progress;
use crate::run::config::Config;
use crate::run::order::{Order, ReadMode};
use crate::run::remote::Remote;
use crate::select::Selection;
use crate::verify::place::folder_of_names;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use truesum_fs::name::{self, OsStrExt};
use truesum_hash::{Key, Secret, Spec};
use truesum_manifest::signify::PublicKey;
use truesum_manifest::{self as manifest, Format};

options! {
    /// How manifests and the files in them are read, in every command.
    #[derive(Clone, Debug, Default)]
    pub struct ReadOptions {
        /// The folder in which names are resolved; `None` is each manifest's own folder, and the current folder for
        /// standard input.
        root: Option<PathBuf>,
        /// The store in which names are resolved, if the files are not in a file system. Entries are then read in order,
        /// and no file is searched for under another name.
        remote: Option<Arc<dyn Remote>>,
        /// The file that the manifests apply to, each of which has a single entry, whatever its name.
        data: Option<PathBuf>,
        /// The file of a digest without a name, if the name of the manifest does not show it.
        subject: Option<PathBuf>,
        /// The permitted algorithms: a line with any other is malformed. If empty, any algorithm in
        /// the manifest is permitted.
        algorithms: Vec<Spec>,
        /// The key of keyed digests.
        key: Option<Secret>,
        /// The format of the manifests; `None` detects it.
        format: Option<&'static Format>,
        /// Whether digests are accepted that are too short to verify anything.
        allow_weak: bool,
        /// Whether files outside the root may be read, through links, `..` or absolute names.
        allow_outside: bool,
        /// Whether malformed lines are counted without being failures.
        lenient: bool,
        /// Whether the rules of manifests about files that are not in them ([`truesum_manifest::Rule`]) are ignored.
        ignore_rules: bool,
        /// The selection of the entries to check, and of the files not in the manifest that count.
        select: Selection,
        /// Whether the SHA-256 of each manifest is computed while it is read, for
        /// [`Checked::digest`](crate::Checked::digest).
        digest_manifests: bool,
        /// The types of files that are read.
        special: Special,
        /// The number of threads that read and hash; 0 means one per core.
        threads: usize,
        /// How files are read.
        reads: ReadMode,
        /// Whether files may be mapped.
        mapping: Mapping,
        /// The order of entries.
        order: Order,
        /// Files that are never reported as missing from manifests, because the caller writes to them, as `(device,
        /// inode)`.
        own: Vec<FileId>,
    }
}

options! {
    /// The options of a check.
    #[derive(Clone, Debug, Default)]
    pub struct Options {
        /// How manifests and files are read.
        read: ReadOptions,
        /// Algorithms to compute in the read that verifies an entry, in addition to those of its expected digests. The
        /// digests are in [`Outcome::result`](crate::Outcome::result), after those that were compared. Piece lists are not
        /// used then.
        also: Vec<Spec>,
        /// The key that must have signed each manifest, with minisign or signify, in the manifest or next to it. For a
        /// detached signature among the manifests, its file is verified instead. Applies to manifests that are specified,
        /// not to those found below folders.
        public_key: Option<PublicKey>,
        /// Whether entries with missing files are skipped.
        ignore_missing: bool,
        /// The number of malformed lines of a manifest that are reported individually; the others are
        /// only counted. `None` reports all of them.
        max_malformed_reported: Option<u64>,
        /// The treatment of files that are in no manifest.
        unlisted: Unlisted,
        /// Whether missing files are searched for under other names, among the files that are not in the manifest. Not in
        /// bags, and not for entries with piece digests.
        search: bool,
        /// Whether damage is located. Files with a single piece are then verified by it, which reveals no more about those
        /// that match.
        locate: bool,
        /// The spellings of a name that are accepted if the name itself does not exist.
        spellings: Spellings,
        /// Whether files that only have a different name are accepted.
        moved_passes: bool,
        /// The files that are renamed to their names in the manifest, if any. No file is ever replaced
        /// or moved out of the root.
        renaming: Option<Renaming>,
        /// The part of the selection that is checked in this run.
        limits: RunLimits,
        /// Names in manifests that must be verified.
        required: Vec<PathBuf>,
        /// The minimum number of manifests that a search of folders ([`Verification::below`](crate::Verification::below))
        /// must find: nothing else reveals that a folder is missing together with its manifest.
        expect_manifests: u64,
    }
}

impl ReadOptions {
    /// Returns the folder in which the names of a manifest are resolved.
    pub(crate) fn folder(&self, manifest: &Path) -> PathBuf {
        self.root.clone().unwrap_or_else(|| folder_of_names(manifest))
    }

    /// Returns the root for the names of a manifest that applies to this folder.
    ///
    /// # Errors
    /// Fails if the folder cannot be opened.
    pub(crate) fn root_of(&self, folder: &Path) -> Result<Root, Error> {
        match (&self.remote, &self.data) {
            (Some(_), _) => Ok(Root::Nowhere),
            (None, Some(data)) if data.is_dir() => Root::folder(data, self.allow_outside),
            // A file given by the user is opened by its own name.
            (None, Some(_)) => Ok(Root::Anywhere),
            (None, None) => Root::folder(folder, self.allow_outside),
        }
    }

    /// Returns the options for reading a manifest with this name; the name `-` implies nothing.
    pub fn manifest(&self, name: &[u8], progress: &Progress) -> manifest::Options {
        let path = Path::new(OsStr::from_bytes(name));
        (if name == b"-" {
            manifest::Options::default()
        } else {
            manifest::Options::for_name(&name::of(path))
        })
        .requested(self.algorithms.clone())
        .format(self.format)
        .allow_weak(self.allow_weak)
        .allow_noise(self.lenient)
        .key(self.key.clone())
        .subject(self.data.as_deref().or(self.subject.as_deref()).map(|file| name::of(file).into_owned()))
        .stop(Some(progress.stop_flag()))
    }

    /// Returns the configuration of a run that reads files below this root.
    pub(crate) fn config(&self, root: Root) -> Config {
        let ReadOptions { special, threads, reads, mapping, order, .. } = *self;
        let remote = self.remote.clone();
        Config { root, special, threads, reads, mapping, order, remote, ..Config::default() }
    }
}

impl Options {
    /// Changes how manifests and files are read.
    #[must_use]
    pub fn map_read(self, change: impl FnOnce(ReadOptions) -> ReadOptions) -> Options {
        Options { read: change(self.read), ..self }
    }

    /// Returns the options for reading a manifest with this name.
    pub(crate) fn manifest(&self, name: &[u8], progress: &Progress) -> manifest::Options {
        // Searching for renamed files, checking in parts, and object stores use digests of complete files.
        let locating = !self.search
            && !self.spellings.any()
            && self.renaming.is_none()
            && self.limits.is_all()
            && self.read.remote.is_none()
            && self.also.is_empty();
        let one_piece = locating && self.locate;
        self.read.manifest(name, progress).locating(locating).one_piece(one_piece)
    }
}

impl From<ReadOptions> for Options {
    fn from(read: ReadOptions) -> Options {
        Options { read, ..Options::default() }
    }
}

getters! {
    ReadOptions {
        /// Returns the folder in which names are resolved.
        get_root: Option<&Path> = [root.as_deref()];
        /// Returns the store in which names are resolved.
        get_remote: Option<&Arc<dyn Remote>> = [remote.as_ref()];
        /// Returns the file that the manifests apply to.
        get_data: Option<&Path> = [data.as_deref()];
        /// Returns the selection of entries and files.
        get_select: &Selection = [&select];
        /// Returns the number of threads; 0 means one per core.
        get_threads: usize = [threads];
        /// Returns the order of entries.
        get_order: Order = [order];
        /// Returns whether malformed lines do not count as failures.
        get_lenient: bool = [lenient];
        /// Returns whether files outside the root may be read.
        get_allow_outside: bool = [allow_outside];
        /// Returns whether digests are accepted that are too short to verify anything.
        get_allow_weak: bool = [allow_weak];
        /// Returns the permitted algorithms.
        get_algorithms: &[Spec] = [&algorithms];
        /// Returns the key of keyed digests.
        get_key: Option<&Secret> = [key.as_ref()];
        /// Returns the format of the manifests; `None` if it is detected.
        get_format: Option<&'static Format> = [format];
    }
}

getters! {
    Options {
        /// Returns how manifests and files are read.
        get_read: &ReadOptions = [&read];
        /// Returns the treatment of files that are in no manifest.
        get_unlisted: Unlisted = [unlisted];
        /// Returns whether missing files are searched for under other names.
        get_search: bool = [search];
        /// Returns the spellings of names that are accepted.
        get_spellings: Spellings = [spellings];
        /// Returns whether files that only have a different name are accepted.
        get_moved_passes: bool = [moved_passes];
        /// Returns the part of the selection that is checked in this run.
        get_limits: &RunLimits = [&limits];
        /// Returns the key that must have signed each manifest.
        get_public_key: Option<&PublicKey> = [public_key.as_ref()];
    }
}

getters! {
    RunLimits {
        /// Returns the file that stores when each entry was last read.
        get_state: Option<&Path> = [state.as_deref()];
        /// Returns the maximum number of bytes to read.
        get_max_bytes: Option<u64> = [max_bytes];
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

options! {
    /// The files that are renamed to their names in the manifest, after their content has been found to
    /// match.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Renaming {
        /// Whether files found under other names by [`Options::search`] are renamed; empty files only
        /// if they have the same base name.
        to_match: bool,
        /// Whether files are renamed whose names differ only in case, Unicode normalization or path
        /// separators.
        names: bool,
        /// Whether files are renamed, or this is only reported.
        carried_out: bool,
    }
}

/// The treatment of files that are in no manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Unlisted {
    /// They are not searched for.
    #[default]
    Unrequested,
    /// Files in the deepest folder that contains all files in the manifest are reported, and are
    /// not failures. The search ends early if it would take long.
    Reported,
    /// Everything below the root is searched, and each such file is a failure.
    Refused,
}

options! {
    /// The part of a check that is done in one run. The default is everything.
    #[derive(Clone, Debug, Default)]
    pub struct RunLimits {
        /// The file that stores when each entry was last read.
        state: Option<PathBuf>,
        /// The maximum number of bytes to read, except for the first file.
        max_bytes: Option<u64>,
        /// The time after which no further file is started.
        max_time: Option<Duration>,
    }
}

impl RunLimits {
    /// Returns whether everything is checked and no state is stored.
    pub fn is_all(&self) -> bool {
        self.state.is_none() && self.max_bytes.is_none() && self.max_time.is_none()
    }
}
