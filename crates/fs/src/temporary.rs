//! Names of temporary files, by which a walk recognises them.
//!
//! A run that is killed may leave its temporary file behind, and the next `hash -o M .` must not include it. Since no
//! file of a user may be skipped by mistake, the name contains a checksum of itself: `.NAME.RANDOM-CHECK.part`, with
//! CHECK computed from NAME and RANDOM. The probability that another name matches by chance is one in four billion, and
//! skipped files are counted and reported.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering::SeqCst};
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
    slot: Option<&'static Slot>,
}

/// A file to be removed by [`remove_all`]: a folder and a name in it. The folder is set first and
/// cleared last, and the code that takes the name out owns it.
struct Slot {
    folder: AtomicI32,
    name: AtomicPtr<c_char>,
}

/// The names that this process has created and not released: a walk skips them silently.
static MADE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

const FREE: i32 = -1;
/// The slots of files being written, of which a process needs one at a time. A file without a slot
/// is left behind if the process is killed by a signal.
static SLOTS: [Slot; 8] = [const { Slot::empty() }; 8];

impl Slot {
    const fn empty() -> Slot {
        Slot { folder: AtomicI32::new(FREE), name: AtomicPtr::new(ptr::null_mut()) }
    }
}

impl Temporary {
    /// Records that a file with this name was created. `folder` stays open while the returned value exists.
    pub fn made(folder: &OwnedFd, name: Vec<u8>) -> Temporary {
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

    /// Returns the name of the file in its folder.
    pub fn name(&self) -> &[u8] {
        &self.name
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        MADE.lock().unwrap_or_else(PoisonError::into_inner).retain(|name| *name != self.name);
        let Some(slot) = self.slot else { return };
        let name = slot.name.swap(ptr::null_mut(), SeqCst);
        if !name.is_null() {
            // SAFETY: created by `into_raw`, and owned here alone, because it was still in its slot.
            drop(unsafe { CString::from_raw(name) });
        }
        slot.folder.store(FREE, SeqCst);
    }
}

/// Removes all existing temporary files. It uses only atomics and system calls, as a signal handler must.
pub fn remove_all() {
    remove(&SLOTS);
}

fn remove(slots: &[Slot]) {
    for slot in slots {
        let name = slot.name.swap(ptr::null_mut(), SeqCst);
        if !name.is_null() {
            // SAFETY: a string terminated by NUL, taken out of its slot and never freed. If its owner closes the folder
            // at this moment and the descriptor number is reused, such a name does not exist in the other folder.
            unsafe { libc::unlinkat(slot.folder.load(SeqCst), name, 0) };
        }
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
pub fn is_made_here(name: &[u8]) -> bool {
    MADE.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|made| made == name)
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
    fn only_registered_temporary_files_are_removed() {
        // Use slots separate from those of the other tests in this process.
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
        // Create more names than there are slots. All slots are free again afterwards.
        let many: Vec<Temporary> = (0..2 * slots.len()).map(|number| made(&number.to_string())).collect();
        assert!(many.iter().filter(|temporary| temporary.slot.is_some()).count() <= slots.len());
        drop(many);
        assert!(slots.iter().any(|slot| slot.folder.load(SeqCst) == FREE));
    }

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
