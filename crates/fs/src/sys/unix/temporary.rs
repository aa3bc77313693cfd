//! Files that are removed if the process is ended (unlinkat(2)).
#![allow(unsafe_code)]

use std::ffi::{CString, c_char};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering::SeqCst};

/// A file that [`remove_all`] removes while this value exists.
pub struct Removal(&'static Slot);

/// A file to be removed by [`remove_all`]: a folder and a name in it. The folder is set first and
/// cleared last, and the code that takes the name out owns it.
struct Slot {
    folder: AtomicI32,
    name: AtomicPtr<c_char>,
}

const FREE: i32 = -1;
/// The slots of files being written, of which a process needs one at a time. A file without a slot
/// is left behind if the process is killed by a signal.
static SLOTS: [Slot; 8] = [const { Slot::empty() }; 8];

impl Slot {
    const fn empty() -> Slot {
        Slot { folder: AtomicI32::new(FREE), name: AtomicPtr::new(ptr::null_mut()) }
    }
}

impl Removal {
    /// Registers a file, unless there are too many. `folder` stays open while the returned value exists.
    pub fn of(folder: &File, name: &[u8]) -> Option<Removal> {
        Removal::in_slots(&SLOTS, folder, name)
    }

    fn in_slots(slots: &'static [Slot], folder: &File, name: &[u8]) -> Option<Removal> {
        let folder = folder.as_raw_fd();
        let claim = |slot: &&Slot| slot.folder.compare_exchange(FREE, folder, SeqCst, SeqCst).is_ok();
        let text = CString::new(name).ok()?;
        let slot = slots.iter().find(claim)?;
        slot.name.store(text.into_raw(), SeqCst);
        Some(Removal(slot))
    }
}

impl Drop for Removal {
    fn drop(&mut self) {
        let name = self.0.name.swap(ptr::null_mut(), SeqCst);
        if !name.is_null() {
            // SAFETY: created by `into_raw`, and owned here alone, because it was still in its slot.
            drop(unsafe { CString::from_raw(name) });
        }
        self.0.folder.store(FREE, SeqCst);
    }
}

/// Removes all registered files. It uses only atomics and system calls, as a signal handler must.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_registered_temporary_files_are_removed() {
        // Use slots separate from those of the other tests in this process.
        let slots: &[Slot] = Box::leak(Box::new([const { Slot::empty() }; 3]));
        let dir = tempfile::tempdir().unwrap();
        let folder = File::open(dir.path()).unwrap();
        let made = |name: &str| {
            std::fs::write(dir.path().join(name), "").unwrap();
            Removal::in_slots(slots, &folder, name.as_bytes())
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
        let many: Vec<_> = (0..2 * slots.len()).map(|number| made(&number.to_string())).collect();
        assert!(many.iter().flatten().count() <= slots.len());
        drop(many);
        assert!(slots.iter().any(|slot| slot.folder.load(SeqCst) == FREE));
    }
}
