//! The guarantees of file systems: sizes, holes, timestamps, inode numbers.
//!
//! The guarantees depend on the type of a file system and are in one table; types that are not in
//! it are treated as network file systems. The kernel version does not matter: the table contains
//! only properties that all versions have, and properties that differ between disks are determined
//! from the timestamps.

use crate::metadata::{FileType, Metadata};
use rustix::fs;
use std::cell::RefCell;
use std::os::fd::AsFd;

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct System {
    /// Its number in `linux/magic.h` (statfs(2)).
    magic: u64,
    /// How reliable the reported sizes are.
    pub sizes: Sizes,
    /// The events that update the status change time.
    pub stamps: Stamps,
    /// The minimum number of nanoseconds between two different timestamps; on some disks the distance is larger.
    tick: u64,
    /// Whether inode numbers are unique on a device at any one time.
    pub inodes: bool,
}

/// How reliable the sizes reported by a file system are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// A local disk: a short read that ends at the reported size is the end, and any other end is a change.
    Local,
    /// Files generated on reading (`/proc`, `/sys`): sizes and times are meaningless.
    Invented,
    /// Network file systems, FUSE and unknown types: read until a read returns 0; an end before the reported size is a
    /// failure.
    Other,
}

/// The events that update the status change time of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamps {
    /// Every write, and the first store to a mapped page after it was written back. Programs cannot set it.
    Written,
    /// The same, but pages are never written back, so only the first store to a mapped page counts, or none.
    Attributes,
    /// It is the modification time, which programs can set.
    Set,
}

const MILLISECOND: u64 = 1_000_000;
const SECOND: u64 = 1000 * MILLISECOND;

/// A disk of this machine.
const fn local(magic: u64) -> System {
    System { magic, sizes: Sizes::Local, stamps: Stamps::Written, tick: 1, inodes: true }
}

const fn invented(magic: u64) -> System {
    System { sizes: Sizes::Invented, inodes: false, ..local(magic) }
}

/// Types that are not in the table. Servers have clocks with ticks of up to 10 ms, and may use one inode number for two
/// files.
const OTHER: System = System { sizes: Sizes::Other, tick: 10 * MILLISECOND, inodes: false, ..local(0) };

const SYSTEMS: &[System] = &[
    // ext2, ext3, ext4, XFS, Btrfs, F2FS, ZFS, bcachefs, squashfs, ISO 9660, UDF, NTFS3, EROFS
    local(0xef53),
    local(0x5846_5342),
    local(0x9123_683e),
    local(0xf2f5_2010),
    local(0x2fc1_2fc1),
    local(0xca45_1a4e),
    local(0x7371_7368),
    local(0x9660),
    local(0x1501_3346),
    local(0x7366_746e),
    local(0xe0f5_e1e2),
    // tmpfs, ramfs
    System { stamps: Stamps::Attributes, ..local(0x0102_1994) },
    System { stamps: Stamps::Attributes, ..local(0x8584_58f6) },
    // FAT: even seconds, and a single timestamp for both times
    System { stamps: Stamps::Set, tick: 2 * SECOND, ..local(0x4d44) },
    // exFAT
    System { tick: 10 * MILLISECOND, ..local(0x2011_bab0) },
    // overlayfs: inode numbers are unique, sizes and holes are those of the file system below
    System { inodes: true, tick: 1, ..System { magic: 0x794c_7630, ..OTHER } },
    // proc, sysfs, debugfs, tracefs, cgroup, cgroup2, securityfs, configfs, efivarfs, bpf, pstore, selinux
    invented(0x9fa0),
    invented(0x6265_6572),
    invented(0x6462_6720),
    invented(0x7472_6163),
    invented(0x0027_e0eb),
    invented(0x6367_7270),
    invented(0x7363_6673),
    invented(0x6265_6570),
    invented(0xde5e_81e4),
    invented(0xcafe_4a11),
    invented(0x6165_676c),
    invented(0xf97c_ff8c),
];

impl System {
    /// Pipes, devices and anything else that is not a regular file.
    pub const STREAM: System = invented(0);

    /// Versions of objects: they never change, and the reported size is reliable.
    pub const REMOTE: System = OTHER;

    /// Returns the row for an open file. Pipes and devices have no size, and their times change with every use.
    pub fn of_file(file: impl AsFd, stat: &Metadata) -> System {
        match stat.kind() {
            FileType::RegularFile => System::of(file, stat),
            _ => System::STREAM,
        }
    }

    /// Returns the row for the file system of an open file, which is queried once per device and
    /// thread.
    pub fn of(file: impl AsFd, stat: &Metadata) -> System {
        thread_local! {
            static KNOWN: RefCell<Vec<(u64, System)>> = const { RefCell::new(Vec::new()) };
        }
        KNOWN.with_borrow_mut(|known| {
            if let Some((_, system)) = known.iter().find(|(device, _)| *device == stat.id().device) {
                return *system;
            }
            let system = fs::fstatfs(file).map_or(OTHER, |fs| System::from_magic(fs.f_type as u64));
            if known.len() > 64 {
                known.clear();
            }
            known.push((stat.id().device, system));
            system
        })
    }

    fn from_magic(magic: u64) -> System {
        *SYSTEMS.iter().find(|system| system.magic == magic).unwrap_or(&OTHER)
    }

    /// Returns the minimum distance in nanoseconds between a timestamp with these nanoseconds and
    /// the next one that differs. Disks with small inodes (ext2, ext3, old ext4) store whole
    /// seconds, others multiples of 100 ns: if digits are always zero, timestamps are that far
    /// apart. A timestamp that ends in zeros by chance looks coarser than it is, which only costs a
    /// wait of that length.
    pub fn resolution(&self, nanoseconds: u64) -> u64 {
        let digits = if nanoseconds == 0 { SECOND } else { 10_u64.pow(trailing_zeros(nanoseconds)) };
        digits.max(self.tick)
    }

    /// Returns whether hard links are identified by inode number, and changes by timestamps alone.
    pub fn knows_links(&self) -> bool {
        self.inodes && self.stamps == Stamps::Written
    }
}

/// Returns the number of trailing decimal zeros.
fn trailing_zeros(mut number: u64) -> u32 {
    let mut zeros = 0;
    while number.is_multiple_of(10) {
        number /= 10;
        zeros += 1;
    }
    zeros
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamp_resolution_is_estimated_from_its_value() {
        let ext = System::from_magic(0xef53);
        for (nanoseconds, expected) in [
            (0, SECOND),
            (123_456_789, 1),
            (500_000_000, 100 * MILLISECOND),
            (120_000_000, 10 * MILLISECOND),
            (700, 100),
        ] {
            assert_eq!(ext.resolution(nanoseconds), expected, "{nanoseconds}");
        }
        assert_eq!(System::from_magic(0x4d44).resolution(0), 2 * SECOND);
        assert_eq!(System::from_magic(0x6969).resolution(1), 10 * MILLISECOND, "NFS");
    }

    #[test]
    fn file_system_types_are_unique_and_unknown_ones_untrusted() {
        for (index, system) in SYSTEMS.iter().enumerate() {
            assert!(SYSTEMS[..index].iter().all(|other| other.magic != system.magic), "{:x}", system.magic);
        }
        let unknown = System::from_magic(0x1234_5678);
        assert_eq!((unknown.sizes, unknown.knows_links()), (Sizes::Other, false));
        assert!(System::from_magic(0xef53).knows_links() && !System::from_magic(0x0102_1994).knows_links());
    }
}
