//! Tests of the modules above with what only Linux has: `/proc`, and timestamps that show stores to mappings.

use crate::metadata::Metadata;
use crate::open::{Root, Special};
use crate::quiescence::{Quiescence, wait_until_stable};
use crate::read::Guarded;
use crate::system::System;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use std::fs::File;
use std::os::unix::fs::FileExt;
use truesum_test_support::Scratch;

#[test]
fn proc_files_are_read_to_their_end_whatever_their_size() {
    let path = "/proc/version";
    let mut reading = Guarded::open(&Root::Anywhere, path.as_bytes(), Special::Refuse).unwrap();
    let mut buffer = [0; 4096];
    let count = reading.read(&mut buffer).unwrap();
    assert_eq!(buffer[..count], std::fs::read(path).unwrap());
    assert_eq!(reading.finish(b"/proc/version").unwrap().size(), count as u64);
}

#[test]
fn store_to_a_dirty_mapped_page_changes_the_stamp() {
    let scratch = Scratch::new();
    let writer = scratch.open();
    writer.write_all_at(&[1; 4096], 0).expect("written");
    let both = ProtFlags::READ | ProtFlags::WRITE;
    #[allow(unsafe_code)]
    // SAFETY: a new mapping at an address chosen by the kernel, with no references into it.
    let mapped =
        unsafe { mmap(std::ptr::null_mut(), 4096, both, MapFlags::SHARED, &writer, 0) }.expect("mapped");
    let store = |value: u8| {
        #[allow(unsafe_code)]
        // SAFETY: one byte of the page mapped above.
        unsafe {
            mapped.cast::<u8>().write_volatile(value);
        }
    };
    store(2);
    let file = File::open(scratch.path()).expect("open");
    let stat = Metadata::of(&file).expect("open");
    let result = wait_until_stable(&file, stat, &System::of_file(&file, &stat));
    store(3);
    let after = Metadata::of(&file).expect("open").ctime();
    #[allow(unsafe_code)]
    // SAFETY: mapped above, and nothing refers to it from here on.
    unsafe { munmap(mapped, 4096) }.expect("unmapped");
    if let Ok((stat, Quiescence::Known)) = result {
        assert_ne!(stat.ctime(), after);
    }
}
