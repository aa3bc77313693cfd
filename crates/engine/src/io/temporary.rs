//! Names of temporary files, by which a walk knows them.
//!
//! A run that is killed may leave its temporary file behind, and the next `hash -o M .` must not list it as content. No
//! file of a user should be passed over instead, so the name carries a check over itself: `.NAME.RANDOM-CHECK.part`, with
//! CHECK from NAME and RANDOM. By accident a name fits once in four thousand million; and what is passed over is counted
//! and told.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};
use truesum_hash::Spec;

/// What every such name ends in.
const SUFFIX: &[u8] = b".part";
/// Hexadecimal digits of RANDOM and of CHECK.
const RANDOM: usize = 10;
const CHECK: usize = 8;
/// What stands before the random digits takes at most this many bytes: names at the limit of the file system leave no room.
const STEM: usize = 200;

/// The name of a temporary file that is there. As long as this lives, [`remove_all`] removes the file.
pub(crate) struct Temporary {
    name: Vec<u8>,
    slot: Option<&'static Slot>,
}

/// What [`remove_all`] removes: a folder and a name in it. Folders are claimed first and given back last, and whoever takes the
/// name out has it for itself.
struct Slot {
    folder: AtomicI32,
    name: AtomicPtr<c_char>,
}

/// The names that this process made and has not given up: a walk passes over them without a word.
static MADE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

const FREE: i32 = -1;
/// One for each file that is written at a time would be enough; what has none is left behind by who ends the hard way.
static SLOTS: [Slot; 8] = [const { Slot::empty() }; 8];

impl Slot {
    const fn empty() -> Slot {
        Slot { folder: AtomicI32::new(FREE), name: AtomicPtr::new(ptr::null_mut()) }
    }
}

impl Temporary {
    /// Notes that a file was made under this name; `folder` stays open as long as this lives.
    pub(crate) fn made(folder: &OwnedFd, name: Vec<u8>) -> Temporary {
        MADE.lock().unwrap_or_else(PoisonError::into_inner).push(name.clone());
        Temporary::noted(&SLOTS, folder, name)
    }

    fn noted(slots: &'static [Slot], folder: &OwnedFd, name: Vec<u8>) -> Temporary {
        let folder = folder.as_raw_fd();
        let claim = |slot: &&Slot| slot.folder.compare_exchange(FREE, folder, SeqCst, SeqCst).is_ok();
        let slot = CString::new(&name[..]).ok().and_then(|text| {
            let slot = slots.iter().find(claim)?;
            slot.name.store(text.into_raw(), SeqCst);
            Some(slot)
        });
        Temporary { name, slot }
    }

    pub(crate) fn name(&self) -> &[u8] {
        &self.name
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        MADE.lock().unwrap_or_else(PoisonError::into_inner).retain(|name| *name != self.name);
        let Some(slot) = self.slot else { return };
        let name = slot.name.swap(ptr::null_mut(), SeqCst);
        if !name.is_null() {
            // SAFETY: made by `into_raw`, and nobody else has it: it was still in its place.
            drop(unsafe { CString::from_raw(name) });
        }
        slot.folder.store(FREE, SeqCst);
    }
}

/// Removes all temporary files that are there. Uses only atomics and system calls, as a signal handler must.
pub(super) fn remove_all() {
    remove(&SLOTS);
}

fn remove(slots: &[Slot]) {
    for slot in slots {
        let name = slot.name.swap(ptr::null_mut(), SeqCst);
        if !name.is_null() {
            // SAFETY: a string that ends with NUL, taken out of its place and never freed. Should its owner close the folder
            // in this moment, and another take the number, such a name stands in no other folder.
            unsafe { libc::unlinkat(slot.folder.load(SeqCst), name, 0) };
        }
    }
}

/// A new name for a file that will be called `name`.
pub(crate) fn temporary_name(name: &[u8]) -> Vec<u8> {
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

/// Whether a file of this name, in whatever folder, is a temporary one of this program.
pub(crate) fn is_temporary(name: &[u8]) -> bool {
    let Some(body) = name.strip_suffix(SUFFIX).filter(|_| name.first() == Some(&b'.')) else { return false };
    let Some((named, found)) = body.split_at_checked(body.len().wrapping_sub(CHECK)) else { return false };
    let Some(named) = named.strip_suffix(b"-") else { return false };
    let Some((stem, random)) = named.split_at_checked(named.len().wrapping_sub(RANDOM)) else { return false };
    stem.len() > 2
        && stem.ends_with(b".")
        && random.iter().all(u8::is_ascii_hexdigit)
        && found == check(named)
}

/// Whether this process is just writing a file under this name.
pub(crate) fn is_made_here(name: &[u8]) -> bool {
    MADE.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|made| made == name)
}

/// The digits that prove a name.
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
    fn what_is_there_is_removed_and_nothing_else() {
        // Not those of the other tests in this process.
        let slots: &[Slot] = Box::leak(Box::new([const { Slot::empty() }; 3]));
        let dir = tempfile::tempdir().unwrap();
        let folder = OwnedFd::from(std::fs::File::open(dir.path()).unwrap());
        let made = |name: &str| {
            std::fs::write(dir.path().join(name), "").unwrap();
            Temporary::noted(slots, &folder, name.as_bytes().to_vec())
        };
        let kept = made("kept");
        let [first, second] = ["first", "second"].map(made);
        drop(kept);
        remove(slots);
        let left: Vec<_> =
            std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["kept"], "it had its final name");
        drop((first, second));
        // More than there are slots, which are all free again.
        let many: Vec<Temporary> = (0..2 * slots.len()).map(|number| made(&number.to_string())).collect();
        assert!(many.iter().filter(|temporary| temporary.slot.is_some()).count() <= slots.len());
        drop(many);
        assert!(slots.iter().any(|slot| slot.folder.load(SeqCst) == FREE));
    }

    #[test]
    fn only_names_that_prove_themselves_are_ours() {
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
