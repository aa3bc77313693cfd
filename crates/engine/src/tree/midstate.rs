//! The states of plain digests computed together with an unfinished tree (`.ftr.flat`), so that the SHA-256 of a
//! terabyte need not start over.
//!
//! The file is written completely at each checkpoint and renamed into place. A file that does not match in every
//! respect is ignored, and the digest is computed from the beginning.

use crate::error::Error;
use crate::io::open::read_companion;
use crate::io::write::{AtomicFile, is_internal};
use crate::pieces::UNIT;
use crate::tree::header::crc32c;
use crate::tree::store::{Hints, with_suffix};
use std::io::Write;
use std::path::{Path, PathBuf};
use truesum_fs::name::OsStrExt;
use truesum_hash::{Hasher, Spec};

const MAGIC: [u8; 12] = *b"\x89FTM\r\n\x1a\n\x02\0\0\0";

fn name(target: &Path) -> PathBuf {
    with_suffix(target, ".flat")
}

/// Saves the hashers for the tree `target`, each with the number of units it has processed. Algorithms whose state
/// cannot be saved are omitted.
pub(crate) fn write(target: &Path, hashers: &[(Hasher, u64)], size: u64, hints: &Hints) -> Result<(), Error> {
    let kept: Vec<(String, Vec<u8>)> =
        hashers.iter().filter_map(|(hasher, _)| Some((hasher.spec().to_string(), hasher.save()?))).collect();
    if kept.is_empty() {
        return Ok(());
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend((kept.len() as u32).to_le_bytes());
    bytes.extend(identity(size, hints));
    let units: Vec<u64> =
        hashers.iter().filter(|(hasher, _)| hasher.save().is_some()).map(|(_, units)| *units).collect();
    for ((name, state), units) in kept.iter().zip(units) {
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend(name.as_bytes());
        bytes.extend((units * UNIT).to_le_bytes());
        bytes.extend((state.len() as u32).to_le_bytes());
        bytes.extend(state);
    }
    bytes.extend(crc32c(&bytes));
    let path = name(target);
    let mut file = AtomicFile::create_internal(&path, &MAGIC)?;
    file.write_all(&bytes).map_err(|error| Error::io(path.as_os_str().as_bytes(), "write", error))?;
    file.commit()
}

fn identity(size: u64, hints: &Hints) -> Vec<u8> {
    [&hints.to_bytes()[..], &size.to_le_bytes()].concat()
}

/// Returns the hashers to continue with, and the number of units each has processed: 0 if nothing was saved.
pub(crate) fn read(target: &Path, specs: &[Spec], size: u64, hints: &Hints) -> Vec<(Hasher, u64)> {
    let kept = read_companion(&name(target)).ok().and_then(|bytes| parse(&bytes, &identity(size, hints)));
    let kept = kept.unwrap_or_default();
    let go_on = |spec: &Spec| {
        let (_, fed, state) = kept.iter().find(|(name, _, _)| *name == spec.to_string())?;
        // A state is accepted only at unit boundaries and not beyond the end of the file.
        let hasher = spec.restore(state).ok()?;
        let whole = fed.is_multiple_of(UNIT) && *fed <= size && hasher.message_len() == Some(*fed);
        whole.then_some((hasher, fed / UNIT))
    };
    specs.iter().map(|spec| go_on(spec).unwrap_or_else(|| (spec.hasher_for_size(size), 0))).collect()
}

/// Parses name, processed bytes and state of each digest.
fn parse(bytes: &[u8], identity: &[u8]) -> Option<Vec<(String, u64, Vec<u8>)>> {
    let (bytes, crc) = bytes.split_at_checked(bytes.len().checked_sub(4)?)?;
    let rest = bytes.strip_prefix(&MAGIC).filter(|_| crc32c(bytes) == crc)?;
    let (count, rest) = rest.split_first_chunk()?;
    let mut rest = rest.strip_prefix(identity)?;
    let mut kept = Vec::new();
    let mut take = |len: usize| {
        let (taken, after) = rest.split_at_checked(len)?;
        rest = after;
        Some(taken)
    };
    for _ in 0..u32::from_le_bytes(*count) {
        let len = u16::from_le_bytes(take(2)?.try_into().ok()?);
        let name = String::from_utf8(take(usize::from(len))?.to_vec()).ok()?;
        let fed = u64::from_le_bytes(take(8)?.try_into().ok()?);
        let len = u32::from_le_bytes(take(4)?.try_into().ok()?);
        let state = take(len as usize).filter(|state| state.len() >= 8)?.to_vec();
        kept.push((name, fed, state));
    }
    rest.is_empty().then_some(kept)
}

/// Removes the saved states.
pub(crate) fn remove(target: &Path) {
    // The file may not exist. If it cannot be removed, it matches no later build and is ignored.
    if is_internal(&name(target), &MAGIC) {
        let _ = std::fs::remove_file(name(target));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_midstates_resume_and_damaged_ones_do_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("x.ftr");
        let specs: Vec<Spec> = ["sha256", "md5", "crc32"].map(|name| name.parse().expect("a row")).into();
        let unit = vec![7; UNIT as usize];
        let fed: Vec<(Hasher, u64)> = specs
            .iter()
            .map(|spec| {
                let mut hasher = spec.hasher();
                hasher.update(&unit);
                (hasher, 1)
            })
            .collect();
        let hints = Hints { mtime: 1, ctime: 2, inode: 3, device: 4 };
        write(&target, &fed, 5 << 20, &hints).expect("written");
        let units = |hints: &Hints, size| -> Vec<u64> {
            read(&target, &specs, size, hints).into_iter().map(|(_, units)| units).collect()
        };
        // The state of a CRC is internal to a library, so it starts over.
        assert_eq!(units(&hints, 5 << 20), [1, 1, 0]);
        for other in [
            Hints { mtime: 0, ..hints },
            Hints { ctime: 0, ..hints },
            Hints { inode: 0, ..hints },
            Hints { device: 0, ..hints },
        ] {
            assert_eq!(units(&other, 5 << 20), [0, 0, 0]);
        }
        assert_eq!(units(&hints, 6 << 20), [0, 0, 0]);
        let mut hasher = read(&target, &specs, 5 << 20, &hints).swap_remove(0).0;
        hasher.update(b"more");
        assert_eq!(hasher.finish(), specs[0].digest(&[&unit[..], b"more"].concat()));
        let bytes = std::fs::read(name(&target)).expect("there");
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(name(&target), flipped).expect("written");
            assert_eq!(units(&hints, 5 << 20), [0, 0, 0], "bit {bit}");
        }
        for len in 0..bytes.len() {
            std::fs::write(name(&target), &bytes[..len]).expect("written");
            assert_eq!(units(&hints, 5 << 20), [0, 0, 0], "{len} bytes");
        }
        remove(&target);
        assert!(!name(&target).exists());
    }
}
