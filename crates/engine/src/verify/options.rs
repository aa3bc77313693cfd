//! What is asked of a check. All defaults are the strict ones: what is not asked for is a failure.

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
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use truesum_hash::{Key, Secret, Spec};
use truesum_manifest::signify::PublicKey;
use truesum_manifest::{self as manifest, Format};

/// What is asked of a check.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder in which names are looked for; `None` is each manifest's own, and the current one for standard input.
    pub root: Option<PathBuf>,
    /// Where the names are looked for instead, if the files lie in no file system. Entries are then read one after the other by
    /// their names, and nothing is looked for under another.
    pub remote: Option<Arc<dyn Remote>>,
    /// The file that the manifests are of, each with a single entry, whatever that calls it.
    pub data: Option<PathBuf>,
    /// Algorithms asked for: a line of any other is malformed. Empty: whatever the manifest says.
    pub algorithms: Vec<Spec>,
    /// The key under which digests are that need one.
    pub key: Option<Secret>,
    /// The key that must have signed each manifest: by minisign or signify, in the manifest or beside it. A detached signature
    /// among the manifests is verified of its file instead. Asked of manifests that are named, not of those found below folders.
    pub public_key: Option<PublicKey>,
    /// The format of the manifests; `None` recognises it.
    pub format: Option<&'static Format>,
    /// Accept digests that are too short to verify anything.
    pub allow_weak: bool,
    /// Read files outside the root, by links, `..` or absolute names.
    pub allow_outside: bool,
    /// Pass over entries whose files are not there.
    pub ignore_missing: bool,
    /// Count malformed lines without failing for them.
    pub lenient: bool,
    /// How many malformed lines of a manifest are told one by one; the others are only counted. `None` tells all.
    pub malformed_told: Option<u64>,
    /// What files mean that no manifest lists.
    pub unlisted: Unlisted,
    /// Whether a listed file that is not there is looked for under other names, among the files that are not listed. Not in
    /// bags, and not what is listed by digests of pieces.
    pub search: bool,
    /// Whether it is asked where damage is: files of one piece are then judged by that, which says no more of those that are good.
    pub locate: bool,
    /// Which spellings of a name are that name, where it is not there as it is listed.
    pub spellings: Spellings,
    /// Whether files pass that only have another name.
    pub moved_passes: bool,
    /// Which files get the names they are listed under. Nothing is ever replaced, nor moved out of the root.
    pub renaming: Option<Renaming>,
    /// Which entries are checked, and which files not listed count.
    pub select: Selection,
    /// How much of that is checked at a time.
    pub turn: Turn,
    /// Names, as manifests have them, that must be verified.
    pub required: Vec<PathBuf>,
    /// The number of manifests that a search of folders ([`Verification::below`](crate::Verification::below)) must find at least:
    /// a folder that is missing with its manifest is missed by nothing else.
    pub expect_manifests: u64,
    /// Take the SHA-256 of each manifest as it is read, for [`Checked::digest`](crate::Checked::digest).
    pub digest_manifests: bool,
    /// Which kinds of file are read.
    pub special: Special,
    /// Threads that read and hash; 0 means one for each core.
    pub threads: usize,
    /// Whether files may be mapped.
    pub mapping: Mapping,
    /// The order of entries.
    pub order: Order,
    /// Files that are not looked for in any list: what the caller writes to, as `(device, inode)`.
    pub own: Vec<FileId>,
}

impl Options {
    /// The folder in which the names of a manifest are looked for.
    pub(crate) fn folder(&self, manifest: &Path) -> PathBuf {
        self.root.clone().unwrap_or_else(|| folder_of_names(manifest))
    }

    /// Where the names of a manifest lead that speaks of this folder.
    ///
    /// # Errors
    /// It is not a folder that can be opened.
    pub(crate) fn leading(&self, folder: &Path) -> Result<Root, Error> {
        match (&self.remote, &self.data) {
            (Some(_), _) => Ok(Root::Nowhere),
            // A file that was named is opened as it was.
            (None, Some(_)) => Ok(Root::Anywhere),
            (None, None) => Root::folder(folder, self.allow_outside),
        }
    }

    /// How a manifest of this name is read; `-` is a name that tells nothing.
    pub(crate) fn reading(&self, name: &[u8], progress: &Progress) -> manifest::Options {
        // What is looked for elsewhere, what is read in turns and what lies elsewhere goes by digests of whole files.
        let locating = !self.search
            && !self.spellings.any()
            && self.renaming.is_none()
            && self.turn.is_all()
            && self.remote.is_none();
        manifest::Options {
            asked: self.algorithms.clone(),
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

    /// How files below this root are read.
    pub(crate) fn config(&self, root: Root) -> Config {
        let Options { special, threads, mapping, order, .. } = *self;
        let remote = self.remote.clone();
        Config { root, special, threads, mapping, order, own: Vec::new(), remote }
    }
}

/// Algorithms to compute, with the key where they were named for lines under one.
pub(crate) fn under(specs: Vec<Spec>, key: Option<&Secret>) -> Vec<Spec> {
    let keyed = |spec: Spec| match key {
        Some(key) if spec.lacks_key() => spec.clone().with_key(Key::Secret(key.clone())).unwrap_or(spec),
        _ => spec,
    };
    specs.into_iter().map(keyed).collect()
}

/// Which files get the names they are listed under, each only once it was found to be what is listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Renaming {
    /// Those found under other names by [`Options::search`]; of empty files only those that keep the last part of their name.
    pub to_match: bool,
    /// Those whose names differ by case, Unicode form or slashes only.
    pub names: bool,
    /// Whether it is done, or only told.
    pub carried_out: bool,
}

/// What files mean that no manifest lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Unlisted {
    /// They are not looked for.
    #[default]
    Unasked,
    /// Those around the listed files are told, and are no failure. The search ends where it would take long.
    Told,
    /// All below the root are looked for, and each is a failure.
    Refused,
}

/// How much is checked at a time. The default is everything.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// Where it is kept when each entry was read last.
    pub state: Option<PathBuf>,
    /// Bytes that are read at most, but for the first file.
    pub max_bytes: Option<u64>,
    /// After how long no more file is begun.
    pub max_time: Option<Duration>,
}

impl Turn {
    /// Whether everything is checked, and nothing kept.
    pub fn is_all(&self) -> bool {
        self.state.is_none() && self.max_bytes.is_none() && self.max_time.is_none()
    }
}
