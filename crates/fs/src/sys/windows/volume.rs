//! The guarantees of file systems, by name (`GetVolumeInformationByHandleW`), and whether they are on this machine.
//!
//! A write through a handle updates the timestamp at the latest when the handle is closed, and one through a mapping when
//! its pages are written back. So timestamps show every change only together with the test for handles that can write.
#![allow(unsafe_code)]

use crate::sys::guarantees::{MILLISECOND, SECOND, Stamps, System};
use std::fs::File;
use std::mem::zeroed;
use std::os::windows::io::AsRawHandle;
use std::ptr;
use windows_sys::Wdk::Storage::FileSystem::{FileFsDeviceInformation, NtQueryVolumeInformationFile};
use windows_sys::Wdk::System::SystemServices::{FILE_FS_DEVICE_INFORMATION, FILE_REMOTE_DEVICE};
use windows_sys::Win32::Storage::FileSystem::GetVolumeInformationByHandleW;

/// The clock from which timestamps are taken advances 64 times a second, or more often if a program asks for it.
const CLOCK: u64 = 16 * MILLISECOND;

const LOCAL: System = System { stamps: Stamps::WrittenBack, tick: CLOCK, ..System::LOCAL };

const SYSTEMS: &[(&str, System)] = &[
    ("NTFS", LOCAL),
    ("ReFS", LOCAL),
    ("UDF", LOCAL),
    ("CDFS", LOCAL),
    // They have no time that programs cannot set; FAT counts in steps of two seconds.
    ("exFAT", System { stamps: Stamps::Set, ..LOCAL }),
    ("FAT32", System { stamps: Stamps::Set, tick: 2 * SECOND, ..LOCAL }),
    ("FAT", System { stamps: Stamps::Set, tick: 2 * SECOND, ..LOCAL }),
];

const OTHER: System = System { stamps: Stamps::WrittenBack, ..System::OTHER };

/// Returns the guarantees of the file system that contains an open file.
pub fn of(file: &File) -> System {
    match file_system(file) {
        Some(name) if !is_remote(file) => {
            SYSTEMS.iter().find(|(known, _)| *known == name).map_or(OTHER, |(_, system)| *system)
        }
        _ => OTHER,
    }
}

fn file_system(file: &File) -> Option<String> {
    let mut name = [0_u16; 32];
    let none = ptr::null_mut();
    // SAFETY: the handle is open, and the call writes at most the length of the name that it is given.
    let done = unsafe {
        let room = name.len() as u32;
        let handle = file.as_raw_handle();
        GetVolumeInformationByHandleW(
            handle,
            none,
            0,
            none.cast(),
            none.cast(),
            none.cast(),
            name.as_mut_ptr(),
            room,
        )
    };
    let len = name.iter().position(|&unit| unit == 0)?;
    (done != 0).then(|| String::from_utf16_lossy(&name[..len]))
}

/// Returns whether the file is on another machine, or whether that is unknown.
fn is_remote(file: &File) -> bool {
    // SAFETY: all-zero values are valid; the handle is open, and the call writes no more than the size that it is given.
    unsafe {
        let (mut block, mut info): (_, FILE_FS_DEVICE_INFORMATION) = (zeroed(), zeroed());
        let size = size_of::<FILE_FS_DEVICE_INFORMATION>() as u32;
        let place = (&raw mut info).cast();
        let status = NtQueryVolumeInformationFile(
            file.as_raw_handle(),
            &mut block,
            place,
            size,
            FileFsDeviceInformation,
        );
        status < 0 || info.Characteristics & FILE_REMOTE_DEVICE != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_system_types_are_unique_and_none_detects_every_write() {
        for (index, (name, system)) in SYSTEMS.iter().enumerate() {
            assert!(SYSTEMS[..index].iter().all(|(other, _)| other != name), "{name}");
            assert!(!system.knows_links(), "{name}");
        }
    }

    #[test]
    fn the_file_system_of_a_file_has_a_name() {
        let file = tempfile::tempfile().unwrap();
        assert!(file_system(&file).is_some_and(|name| !name.is_empty()));
        of(&file);
    }
}
