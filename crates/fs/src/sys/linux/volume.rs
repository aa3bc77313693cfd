//! The guarantees of file systems, by their number in `linux/magic.h` (statfs(2)).
//!
//! The kernel version does not matter: the table contains only properties that all versions have, and properties that
//! differ between disks are determined from the timestamps.

use crate::sys::guarantees::{MILLISECOND, SECOND, Stamps, System};
use std::fs::File;

const SYSTEMS: &[(u64, System)] = &[
    // ext2, ext3, ext4, XFS, Btrfs, F2FS, ZFS, bcachefs, squashfs, ISO 9660, UDF, NTFS3, EROFS
    (0xef53, System::LOCAL),
    (0x5846_5342, System::LOCAL),
    (0x9123_683e, System::LOCAL),
    (0xf2f5_2010, System::LOCAL),
    (0x2fc1_2fc1, System::LOCAL),
    (0xca45_1a4e, System::LOCAL),
    (0x7371_7368, System::LOCAL),
    (0x9660, System::LOCAL),
    (0x1501_3346, System::LOCAL),
    (0x7366_746e, System::LOCAL),
    (0xe0f5_e1e2, System::LOCAL),
    // tmpfs, ramfs
    (0x0102_1994, System { stamps: Stamps::Attributes, ..System::LOCAL }),
    (0x8584_58f6, System { stamps: Stamps::Attributes, ..System::LOCAL }),
    // FAT: even seconds, and a single timestamp for both times
    (0x4d44, System { stamps: Stamps::Set, tick: 2 * SECOND, ..System::LOCAL }),
    // exFAT
    (0x2011_bab0, System { tick: 10 * MILLISECOND, ..System::LOCAL }),
    // overlayfs: inode numbers are unique, sizes and holes are those of the file system below
    (0x794c_7630, System { inodes: true, tick: 1, ..System::OTHER }),
    // proc, sysfs, debugfs, tracefs, cgroup, cgroup2, securityfs, configfs, efivarfs, bpf, pstore, selinux
    (0x9fa0, System::INVENTED),
    (0x6265_6572, System::INVENTED),
    (0x6462_6720, System::INVENTED),
    (0x7472_6163, System::INVENTED),
    (0x0027_e0eb, System::INVENTED),
    (0x6367_7270, System::INVENTED),
    (0x7363_6673, System::INVENTED),
    (0x6265_6570, System::INVENTED),
    (0xde5e_81e4, System::INVENTED),
    (0xcafe_4a11, System::INVENTED),
    (0x6165_676c, System::INVENTED),
    (0xf97c_ff8c, System::INVENTED),
];

/// Returns the guarantees of the file system that contains an open file.
pub fn of(file: &File) -> System {
    rustix::fs::fstatfs(file).map_or(System::OTHER, |fs| from_magic(fs.f_type as u64))
}

fn from_magic(magic: u64) -> System {
    SYSTEMS.iter().find(|(known, _)| *known == magic).map_or(System::OTHER, |(_, system)| *system)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::guarantees::Sizes;

    #[test]
    fn timestamp_resolution_is_estimated_from_its_value() {
        let ext = from_magic(0xef53);
        for (nanoseconds, expected) in [
            (0, SECOND),
            (123_456_789, 1),
            (500_000_000, 100 * MILLISECOND),
            (120_000_000, 10 * MILLISECOND),
            (700, 100),
        ] {
            assert_eq!(ext.resolution(nanoseconds), expected, "{nanoseconds}");
        }
        assert_eq!(from_magic(0x4d44).resolution(0), 2 * SECOND);
        assert_eq!(from_magic(0x6969).resolution(1), 10 * MILLISECOND, "NFS");
    }

    #[test]
    fn file_system_types_are_unique_and_unknown_ones_untrusted() {
        for (index, (magic, _)) in SYSTEMS.iter().enumerate() {
            assert!(SYSTEMS[..index].iter().all(|(other, _)| other != magic), "{magic:x}");
        }
        let unknown = from_magic(0x1234_5678);
        assert_eq!((unknown.sizes, unknown.knows_links()), (Sizes::Other, false));
        assert!(from_magic(0xef53).knows_links() && !from_magic(0x0102_1994).knows_links());
    }
}
