//! The conditions for entries of all formats, and the names and keys that digests depend on.

use crate::entry::{Entry, PieceList, SIZE_LIMIT};
use crate::format::Options;
use crate::line::{Line, LineError, ReadError, Reason};
use crate::path::NAME_LIMIT;
use truesum_hash::{Key, Spec};

/// Checks the conditions for entries of all formats, and adds the name and the key that the digests
/// need.
pub(super) fn checked(line: Line, options: &Options) -> Result<Line, ReadError> {
    let Line { at, mut entry } = line;
    let fault = fault(&entry, options)
        .or_else(|| under_name(&mut entry).err())
        .or_else(|| under_key(&mut entry, options).err());
    match fault {
        Some(reason) => Err(ReadError::Line(LineError { at, reason: reason.of(&entry.path) })),
        None => Ok(Line { at, entry }),
    }
}

/// Returns the reason why an entry is not acceptable in any format, or not with these options.
fn fault(entry: &Entry, options: &Options) -> Option<Reason> {
    if entry.path.is_empty() {
        Some(Reason::EmptyName)
    } else if entry.path.contains(&0) {
        Some(Reason::Nul)
    } else if entry.path.len() > NAME_LIMIT {
        Some(Reason::NameTooLong)
    } else if entry.size.is_some_and(|size| size > SIZE_LIMIT) {
        Some(Reason::Size)
    } else if !entry.pieces.is_empty() && !options.allow_pieces {
        Some(Reason::Pieces)
    } else if let Some(spec) = unrequested(entry, options) {
        Some(Reason::NotRequested(spec))
    } else if entry.digests.is_empty() && entry.pieces.is_empty() && !options.allow_undigested {
        Some(Reason::EmptyDigest)
    } else {
        None
    }
}

/// Returns the algorithm of an entry's pieces if the entry has nothing else and other algorithms
/// were requested.
fn unrequested(entry: &Entry, options: &Options) -> Option<Spec> {
    let requested = |list: &PieceList| options.requested.contains(list.spec());
    let alone =
        !options.requested.is_empty() && entry.digests.is_empty() && !entry.pieces.iter().any(requested);
    entry.pieces.first().filter(|_| alone).map(|list| list.spec().clone())
}

/// Adds the file's name to digests that depend on it.
fn under_name(entry: &mut Entry) -> Result<(), Reason> {
    let name = entry.path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    for (spec, _) in entry.digests.iter_mut().filter(|(spec, _)| spec.lacks_name()) {
        *spec = spec.for_file(name).map_err(Reason::Algorithm)?;
    }
    Ok(())
}

/// Adds the key to digests that need one.
fn under_key(entry: &mut Entry, options: &Options) -> Result<(), Reason> {
    for (spec, _) in entry.digests.iter_mut().filter(|(spec, _)| spec.lacks_key()) {
        *spec = match &options.key {
            Some(key) => spec.clone().with_key(Key::Secret(key.clone())).map_err(Reason::Algorithm)?,
            None if options.allow_keyless => continue,
            None => return Err(Reason::Key(spec.clone())),
        };
    }
    Ok(())
}
