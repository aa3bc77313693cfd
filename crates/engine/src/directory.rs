//! One digest of a whole tree of files, and the proof that one object belongs to it (`docs/spec/directory.md`).
//!
//! A tree is walked once, its files are hashed many at a time by [`crate::run()`], and then every folder and file is looked at
//! again: there is a digest only if nothing failed and nothing moved meanwhile.

mod gather;
mod git;
mod go;
pub mod kind;
mod merkle;
mod nar;
pub mod prove;

pub use kind::{Encoding, Kind};

use crate::error::Error;
use crate::io::mapping::Mapping;
use crate::progress::Progress;
use crate::walk;
use gather::{Object, What, gather};
use std::path::Path;
use truesum_hash::Digest;

/// Which digest of a tree, of which of its files, and how they are read.
#[derive(Debug)]
pub struct Options {
    /// Which digest.
    pub kind: Kind,
    /// What of the tree counts. Links are never followed and special files never read, whatever this says of them.
    pub walk: walk::Options,
    /// Threads that read and hash; 0 means one for each core.
    pub threads: usize,
    /// Whether files may be mapped.
    pub mapping: Mapping,
}

impl Options {
    /// This digest of everything in a tree, on all cores.
    pub fn new(kind: Kind) -> Options {
        Options { kind, walk: walk::Options::default(), threads: 0, mapping: Mapping::Never }
    }
}

/// The digest of a tree, and what it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    /// The digest; [`Kind::text`] writes it.
    pub digest: Digest,
    /// Whether it is that of a file alone, which was given in place of a tree.
    pub is_file: bool,
    /// Regular files.
    pub files: u64,
    /// Folders below the tree itself.
    pub folders: u64,
    /// Symbolic links.
    pub links: u64,
    /// Bytes of the files.
    pub bytes: u64,
}

/// The digest of a tree.
///
/// ```
/// use truesum::directory::{Encoding, Kind, Options, digest};
///
/// let tree = tempfile::tempdir()?;
/// std::fs::write(tree.path().join("a"), "123456789")?;
/// let kind = Kind::Git("sha1".parse()?);
/// let found = digest(&tree, &Options::new(kind.clone()), &Default::default(), &mut |error| panic!("{error}"));
/// let text = kind.text(&found.unwrap(), Encoding::Usual);
/// assert_eq!(text, "be491553ce22b0c0eebc0562ec993edac82f6832");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// `None` where anything failed or changed, which was told before, or where it was stopped.
pub fn digest(
    path: impl AsRef<Path>,
    options: &Options,
    progress: &Progress,
    tell: &mut dyn FnMut(Error),
) -> Option<Directory> {
    let gathered = gather(path.as_ref(), options, progress, tell)?;
    let digest = match &options.kind {
        Kind::Truesum { spec, modes } => merkle::Entries::new(&gathered, spec, *modes).digest(),
        Kind::Go { prefix } => go::digest(&gathered, prefix.as_deref()),
        Kind::Git(hash) => git::digest(&gathered, hash, git::Rules { executable: 0o100, empty: false }),
        Kind::SoftwareHeritage => {
            let sha1 = "sha1".parse().expect("a row of the table");
            git::digest(&gathered, &sha1, git::Rules { executable: 0o111, empty: true })
        }
        Kind::Nar => match nar::digest(&gathered, options, progress) {
            Ok(digest) => digest?,
            Err(error) => {
                tell(error);
                return None;
            }
        },
    };
    if !gathered.is_unchanged(tell) {
        return None;
    }
    let count =
        |is: fn(&What) -> bool| gathered.objects.iter().filter(|object| is(&object.what)).count() as u64;
    let is_file = gathered.is_file();
    Some(Directory {
        digest,
        is_file,
        files: count(|what| matches!(what, What::File)),
        // But the tree itself.
        folders: count(|what| matches!(what, What::Folder)) - u64::from(!is_file),
        links: count(|what| matches!(what, What::Link(_))),
        bytes: gathered
            .objects
            .iter()
            .filter(|object| matches!(object.what, What::File))
            .map(Object::size)
            .sum(),
    })
}
