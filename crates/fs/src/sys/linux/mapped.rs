//! Windows of a file mapped into memory, which saves the kernel's copy, with protection against SIGBUS.
//!
//! Reading a mapping of a file that was truncated, or whose disk fails, raises SIGBUS. A handler
//! (`guard.rs`) maps zero pages over the rest of the window and marks it. Hashing continues to the end
//! of the window, the caller tests [`Window::intact`], and the file becomes an error while the run continues.
#![allow(unsafe_code)]

use super::guard::{WindowSlot, page};
use crate::sys::errno::Errno;
use rustix::io::ReadWriteFlags;
use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};
use std::ffi::c_void;
use std::fs::File;
use std::io::IoSliceMut;
use std::ptr;

/// Views of a file: ranges of it, mapped consecutively. The pages are unmapped with it, which bounds resident memory.
pub struct Window {
    base: *mut c_void,
    mapped: usize,
    /// The start and length of each view.
    views: Vec<(usize, usize)>,
    slot: &'static WindowSlot,
}

// SAFETY: the window owns the mapping, which is only read; what other processes write to the file does not depend on
// the thread that reads it.
unsafe impl Send for Window {}
// SAFETY: as above; all methods except `drop` only read.
unsafe impl Sync for Window {}

impl Window {
    /// Maps views of a regular file, each with an offset and a length, and prefaults them.
    ///
    /// # Errors
    /// Returns the system's error, or `EAGAIN` if the guard cannot be set up; the file must then be read instead.
    pub fn map(file: &File, views: &[(u64, usize)]) -> Result<Window, Errno> {
        let page = page();
        let mut mapped = 0;
        let place = |&(offset, len): &(u64, usize)| {
            let begin = mapped + (offset % page) as usize;
            mapped = (begin + len).next_multiple_of(page as usize);
            (begin, len)
        };
        let places: Vec<(usize, usize)> = views.iter().map(place).collect();
        let slot = WindowSlot::claim().ok_or(Errno::AGAIN)?;
        // Reserve address space for all views first, so that the window is unmapped at once and the other processors
        // are notified only once.
        let room = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: a new mapping at an address chosen by the kernel, where nothing else is mapped.
        let base = unsafe { mmap_anonymous(ptr::null_mut(), mapped, ProtFlags::empty(), room) };
        let base = base.inspect_err(|_| slot.free())?;
        // From here on, dropping it releases everything.
        let window = Window { base, mapped, views: places, slot };
        for (&(offset, len), &(begin, _)) in views.iter().zip(&window.views).filter(|(view, _)| view.1 > 0) {
            let skip = (offset % page) as usize;
            let flags = MapFlags::SHARED | MapFlags::POPULATE | MapFlags::FIXED;
            // SAFETY: within the space just reserved, to which nothing else refers; each view begins at a page
            // boundary.
            unsafe {
                let place = base.cast::<u8>().add(begin - skip).cast();
                mmap(place, skip + len, ProtFlags::READ, flags, file, offset - skip as u64)?;
            }
        }
        if slot.guard(base, mapped) { Ok(window) } else { Err(Errno::AGAIN) }
    }

    /// Returns the bytes of a view. They are what the file contains at the moment of access, so the caller must
    /// afterwards test [`Window::intact`] and whether the file changed during the read.
    pub fn bytes(&self, view: usize) -> &[u8] {
        let (begin, len) = self.views[view];
        // SAFETY: the pages of the view are readable until `drop`, because the guard replaces a page that fails; an
        // empty view is within the space or at its end. Another process may write to the file, so bytes can differ
        // between two reads. Hashing has no invariant that this could violate, and the digest is refused if the file's
        // times changed.
        unsafe { std::slice::from_raw_parts(self.base.cast::<u8>().add(begin), len) }
    }

    /// Returns whether all bytes came from the file; false after a read error or a truncation.
    pub fn intact(&self) -> bool {
        !self.slot.faulted()
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // Free the slot before the addresses are released, because another thread may get them for
        // its next window immediately.
        self.slot.free();
        // SAFETY: the range was mapped by this window, and nothing refers to it any more. Pages mapped by the guard are
        // part of the range.
        let _ = unsafe { munmap(self.base, self.mapped) };
    }
}

/// Returns whether the pages of a file of `size` bytes are in memory, by testing a sample of them.
pub fn is_resident(file: &File, size: u64) -> bool {
    sample(size).all(|at| is_byte_resident(file, at))
}

/// Returns whether any page of a sample is in memory.
pub fn is_partly_resident(file: &File, size: u64) -> bool {
    sample(size).any(|at| is_byte_resident(file, at))
}

/// Returns at most 16 offsets in a file of `size` bytes, at least one page from each other.
fn sample(size: u64) -> impl Iterator<Item = u64> {
    const PAGES: u64 = 16;
    let step = (size / PAGES).max(4096);
    (0..PAGES).map(move |i| i * step).take_while(move |at| *at < size)
}

/// Returns whether a byte can be read without blocking.
fn is_byte_resident(file: &File, at: u64) -> bool {
    let byte = &mut [0; 1];
    rustix::io::preadv2(file, &mut [IoSliceMut::new(byte)], at, ReadWriteFlags::NOWAIT) == Ok(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    fn file(len: u64) -> File {
        let file = tempfile::tempfile().unwrap();
        file.set_len(len).unwrap();
        file
    }

    #[test]
    fn windows_map_any_offset() {
        let file = file(100_000);
        let data: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(i) >> 5) as u8).collect();
        file.write_all_at(&data, 0).unwrap();
        for (offset, len) in [(0, 100_000), (1, 10), (4096, 4096), (4095, 2), (99_999, 1), (50_001, 49_999)] {
            let window = Window::map(&file, &[(offset, len)]).unwrap();
            assert_eq!(window.bytes(0), &data[offset as usize..][..len]);
            assert!(window.intact());
        }
        let views = [(50_001, 9000), (0, 0), (4096, 1), (99_000, 1000), (100_000, 0)];
        let window = Window::map(&file, &views).unwrap();
        for (view, (offset, len)) in views.into_iter().enumerate() {
            assert_eq!(window.bytes(view), &data[offset as usize..][..len]);
        }
    }

    #[test]
    fn truncated_file_marks_its_window_without_a_crash() {
        let (whole, cut) = (file(1 << 20), file(1 << 20));
        whole.write_all_at(&[7; 1 << 20], 0).unwrap();
        cut.write_all_at(&[7; 1 << 20], 0).unwrap();
        let other = Window::map(&whole, &[(0, 1 << 20)]).unwrap();
        let window = Window::map(&cut, &[(0, 1 << 20)]).unwrap();
        cut.set_len(5000).unwrap();
        assert_eq!(window.bytes(0)[4999], 7);
        assert!(window.intact());
        let sum: u64 = window.bytes(0).iter().map(|&byte| u64::from(byte)).sum();
        assert!(sum <= 7 * 8192, "pages behind the end are zeros");
        assert!(!window.intact());
        assert!(other.intact() && other.bytes(0).iter().all(|&byte| byte == 7));
        drop(window);
        let window = Window::map(&whole, &[(0, 4096)]).unwrap();
        assert!(window.intact(), "a slot that is used again begins unmarked");
    }

    #[test]
    fn many_threads_fault_concurrently() {
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..300 {
                        let file = file(1 << 16);
                        let window = Window::map(&file, &[(0, 1 << 16)]).unwrap();
                        file.set_len(0).unwrap();
                        assert_eq!(window.bytes(0).iter().map(|&byte| u64::from(byte)).sum::<u64>(), 0);
                        assert!(!window.intact());
                    }
                });
            }
        });
    }
}
