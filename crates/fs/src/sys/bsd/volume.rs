//! The guarantees of file systems, by name (`f_fstypename`, statfs(2)).
//!
//! A store to a mapped page updates the timestamp only when the page is written back, on every file system.

use crate::sys::guarantees::{MILLISECOND, SECOND, Stamps, System};
use std::fs::File;

const LOCAL: System = System { stamps: Stamps::WrittenBack, ..System::LOCAL };

/// FAT: even seconds, and a single timestamp for both times.
const FAT: System = System { stamps: Stamps::Set, tick: 2 * SECOND, ..LOCAL };

#[cfg(target_os = "macos")]
const SYSTEMS: &[(&str, System)] = &[
    // The tick is a margin: how the clock of programs relates to that of the file system is not documented.
    ("apfs", System { tick: MILLISECOND, ..LOCAL }),
    ("hfs", System { tick: SECOND, ..LOCAL }),
    ("msdos", FAT),
    ("exfat", System { tick: 10 * MILLISECOND, ..LOCAL }),
    ("cd9660", LOCAL),
    ("udf", LOCAL),
    ("devfs", System::INVENTED),
];

#[cfg(target_os = "freebsd")]
const SYSTEMS: &[(&str, System)] = &[
    ("ufs", LOCAL),
    ("zfs", LOCAL),
    ("tmpfs", System { tick: 10 * MILLISECOND, ..LOCAL }),
    ("ext2fs", LOCAL),
    ("msdosfs", FAT),
    ("cd9660", LOCAL),
    ("udf", LOCAL),
    ("devfs", System::INVENTED),
    ("fdescfs", System::INVENTED),
    ("procfs", System::INVENTED),
    ("linprocfs", System::INVENTED),
    ("linsysfs", System::INVENTED),
];

/// Returns the guarantees of the file system that contains an open file.
pub fn of(file: &File) -> System {
    let Ok(found) = rustix::fs::fstatfs(file) else { return System::OTHER };
    let name = found.f_fstypename.iter().map(|&byte| byte as u8).take_while(|&byte| byte != 0);
    let name: Vec<u8> = name.collect();
    SYSTEMS.iter().find(|(known, _)| known.as_bytes() == name).map_or(System::OTHER, |(_, system)| *system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_system_types_are_unique_and_none_shows_every_store() {
        for (index, (name, system)) in SYSTEMS.iter().enumerate() {
            assert!(SYSTEMS[..index].iter().all(|(other, _)| other != name), "{name}");
            assert!(!system.knows_links(), "{name}");
        }
    }
}
