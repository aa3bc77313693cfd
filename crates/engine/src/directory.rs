//! Computes one digest of a complete directory tree, and proofs that an object belongs to it
//! (`docs/spec/directory.md`).
//!
//! The tree is walked once, its files are hashed in parallel with [`crate::run()`], and then every folder and file is
//! examined again. There is a digest only if nothing failed and nothing changed in the meantime.

mod gather;
mod git;
mod go;
pub mod kind;
mod merkle;
mod nar;
mod object;
mod options;
pub mod prove;

pub use kind::{Directory, Encoding, Kind};
pub use options::Options;

use crate::error::Error;
use crate::progress::Progress;
use gather::gather;
use object::{Object, ObjectType};
use std::path::Path;

/// Computes the digest of a tree.
///
/// ```
/// use truesum::directory::{Encoding, Kind, Options, digest};
///
/// # if cfg!(windows) { return Ok(()) } // Git's digest covers executable permissions.
/// let tree = tempfile::tempdir()?;
/// std::fs::write(tree.path().join("a"), "123456789")?;
/// let kind = Kind::Git("sha1".parse()?);
/// let found = digest(&tree, &Options::new(kind.clone()), &Default::default(), &mut |error| panic!("{error}"));
/// let text = kind.text(&found.unwrap(), Encoding::Usual);
/// assert_eq!(text, "be491553ce22b0c0eebc0562ec993edac82f6832");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Returns `None` if anything failed or changed, which was reported before, or if the run was stopped.
pub fn digest(
    path: impl AsRef<Path>,
    options: &Options,
    progress: &Progress,
    on_event: &mut dyn FnMut(Error),
) -> Option<Directory> {
    let gathered = gather(path.as_ref(), options, progress, on_event)?;
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
                on_event(error);
                return None;
            }
        },
    };
    if !gathered.is_unchanged(on_event) {
        return None;
    }
    let count = |is: fn(&ObjectType) -> bool| {
        gathered.objects.iter().filter(|object| is(&object.what)).count() as u64
    };
    let is_file = gathered.is_file();
    Some(Directory {
        digest,
        is_file,
        files: count(|what| matches!(what, ObjectType::File)),
        // Do not count the tree itself.
        folders: count(|what| matches!(what, ObjectType::Folder)) - u64::from(!is_file),
        links: count(|what| matches!(what, ObjectType::Link(_))),
        bytes: gathered
            .objects
            .iter()
            .filter(|object| matches!(object.what, ObjectType::File))
            .map(Object::size)
            .fold(0, u64::saturating_add),
        left_out: gathered.left_out,
    })
}
