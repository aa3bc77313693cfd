//! Names of temporary files, by which a walk recognizes them.
//!
//! A run that is killed may leave its temporary file behind, and the next `hash -o M .` must not include it. Since no
//! file of a user may be skipped by mistake, the name contains a checksum of itself: `.NAME.RANDOM-CHECK.part`, with
//! CHECK computed from NAME and RANDOM. The probability that another name matches by chance is one in four billion, and
//! skipped files are counted and reported.

use crate::sys::temporary::Removal;
pub use crate::sys::temporary::remove_all;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Mutex, PoisonError};
use truesum_hash::Spec;

/// The ending of every such name.
const SUFFIX: &[u8] = b".part";
/// The number of hexadecimal digits of RANDOM and CHECK.
const RANDOM: usize = 10;
const CHECK: usize = 8;
/// The maximum length of the part before the random digits, so that names at the limit of the file system leave enough
/// space.
const STEM: usize = 200;

/// The name of an existing temporary file. While this value exists, [`remove_all`] removes the file.
pub struct Temporary {
    name: Vec<u8>,
    _removal: Option<Removal>,
}

/// The names that this process has created and not released: a walk skips them silently.
static CREATED: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

impl Temporary {
    /// Records that a file with this name was created. `folder` stays open while the returned value exists.
    pub fn created(folder: &File, name: Vec<u8>) -> Temporary {
        CREATED.lock().unwrap_or_else(PoisonError::into_inner).push(name.clone());
        let removal = Removal::of(folder, &name);
        Temporary { name, _removal: removal }
    }

    /// Returns the name of the file in its folder.
    pub fn name(&self) -> &[u8] {
        &self.name
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        CREATED.lock().unwrap_or_else(PoisonError::into_inner).retain(|name| *name != self.name);
    }
}

/// Returns a new temporary name for a file that will be named `name`.
pub fn temporary_name(name: &[u8]) -> Vec<u8> {
    let stem = &name[..name.len().min(STEM)];
    let random = RandomState::new().build_hasher().finish();
    let mut own = [b".", stem, b"."].concat();
    own.extend_from_slice(&format!("{random:016x}").as_bytes()[..RANDOM]);
    let check = check(&own);
    own.push(b'-');
    own.extend_from_slice(&check);
    own.extend_from_slice(SUFFIX);
    own
}

/// Returns whether a file with this name is a temporary file of this program.
pub fn is_temporary(name: &[u8]) -> bool {
    let Some(body) = name.strip_suffix(SUFFIX).filter(|_| name.first() == Some(&b'.')) else { return false };
    let Some((named, found)) = body.split_at_checked(body.len().wrapping_sub(CHECK)) else { return false };
    let Some(named) = named.strip_suffix(b"-") else { return false };
    let Some((stem, random)) = named.split_at_checked(named.len().wrapping_sub(RANDOM)) else { return false };
    stem.len() > 2
        && stem.ends_with(b".")
        && random.iter().all(u8::is_ascii_hexdigit)
        && found == check(named)
}

/// Returns whether this process is currently writing a file with this name.
pub fn is_being_written(name: &[u8]) -> bool {
    CREATED.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|made| made == name)
}

/// Returns the checksum digits of a name.
fn check(named: &[u8]) -> [u8; CHECK] {
    let spec: Spec = "sha256".parse().expect("a row of the table");
    let digest = spec.digest(&[b"truesum temporary file ", named].concat());
    let bytes = digest.as_bytes();
    let digit = |at: usize| b"0123456789abcdef"[usize::from(bytes[at / 2] >> (at % 2 * 4) & 15)];
    std::array::from_fn(digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_temporary_names_with_a_valid_checksum_are_ours() {
        for name in [&b"M"[..], b"SHA256SUMS", b"x.ftr.verify", &[b'n'; 255], b"\xff\n", b"..", b"a-b.part"] {
            let own = temporary_name(name);
            assert!(is_temporary(&own), "{}", own.escape_ascii());
            assert!(own.len() <= 255 && !own.contains(&b'/'));
            for at in 0..own.len() {
                let mut other = own.clone();
                other[at] ^= 1;
                assert!(!is_temporary(&other), "{}", other.escape_ascii());
            }
            assert_ne!(own, temporary_name(name), "a second run writes beside the first");
        }
        for name in
            [&b".part"[..], b"", b".", b".M.tmp.part", b".M.0123456789-01234567.part", b"M.part", b".-.part"]
        {
            assert!(!is_temporary(name), "{}", name.escape_ascii());
        }
    }
}
