//! What is asked of a check. All defaults are the strict ones: what is not asked for is a failure.

use crate::io::open::Special;
use crate::run::config::Order;
use std::path::PathBuf;
use truesum_hash::Spec;
use truesum_manifest::Format;

/// What is asked of a check.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder in which names are looked for; `None` is each manifest's own, and the current one for standard input.
    pub root: Option<PathBuf>,
    /// Algorithms asked for: a line of any other is malformed. Empty: whatever the manifest says.
    pub algorithms: Vec<Spec>,
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
    /// What files mean that no manifest lists.
    pub unlisted: Unlisted,
    /// Names, as manifests have them, that must be verified.
    pub required: Vec<PathBuf>,
    /// Which kinds of file are read.
    pub special: Special,
    /// Threads that read and hash; 0 means one for each core.
    pub threads: usize,
    /// The order of entries.
    pub order: Order,
    /// Files that are not looked for in any list: what the caller writes to, as `(device, inode)`.
    pub own: Vec<(u64, u64)>,
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
