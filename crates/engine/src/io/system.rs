//! What a file system promises of its files: sizes, holes, time stamps, inode numbers.
//!
//! By its type, from one table; what is not in it is taken for a network. The kernel's version is not asked: what a file system
//! has on all of them stands in the table, what differs from disk to disk is seen in the stamps.

use rustix::fs::{self, FileType, Stat};
use std::cell::RefCell;
use std::os::fd::AsFd;

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct System {
    /// Its number in `linux/magic.h` (statfs(2)).
    magic: u64,
    pub sizes: Sizes,
    pub stamps: Stamps,
    /// Nanoseconds between two stamps that differ, at least; the stamps of one disk may be further apart.
    tick: u64,
    /// Whether no two files of a device have one inode number at a time.
    pub inodes: bool,
}

/// How far the sizes that a file system tells can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sizes {
    /// A local disk: a short read that ends at the size told is the end, and any other end is a change.
    Local,
    /// Files made up on reading (`/proc`, `/sys`): sizes and times mean nothing.
    Invented,
    /// Networks, FUSE and what is not known: read until a read says 0; an end before the size told is a failure.
    Other,
}

/// What moves the time of a file's last status change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stamps {
    /// Every write, and the first store to a mapped page after that was written to the disk. Nobody can put it back.
    Written,
    /// The same, but nothing is ever written to a disk, so of stores to a mapped page only the first counts, or none.
    Kept,
    /// It is the modification time, which anybody can set.
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

/// What is not in the table. Servers stamp with clocks of up to 10 ms, and may give one number to two files.
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
    System { stamps: Stamps::Kept, ..local(0x0102_1994) },
    System { stamps: Stamps::Kept, ..local(0x8584_58f6) },
    // FAT: even seconds, and one stamp for both times
    System { stamps: Stamps::Set, tick: 2 * SECOND, ..local(0x4d44) },
    // exFAT
    System { tick: 10 * MILLISECOND, ..local(0x2011_bab0) },
    // overlayfs: inode numbers are kept apart, sizes and holes are those of what lies below
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
    /// Pipes, devices and whatever else is no file.
    pub(crate) const STREAM: System = invented(0);

    /// Where versions of files are read: nothing moves, and a size told is the size.
    pub(crate) const REMOTE: System = OTHER;

    /// That of an open file; pipes and devices tell no size, and their times move with every use.
    pub(crate) fn of_file(file: impl AsFd, stat: &Stat) -> System {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => System::of(file, stat),
            _ => System::STREAM,
        }
    }

    /// Asks the file system, once for each device a thread meets.
    pub(crate) fn of(file: impl AsFd, stat: &Stat) -> System {
        thread_local! {
            static KNOWN: RefCell<Vec<(u64, System)>> = const { RefCell::new(Vec::new()) };
        }
        KNOWN.with_borrow_mut(|known| {
            if let Some((_, system)) = known.iter().find(|(device, _)| *device == stat.st_dev) {
                return *system;
            }
            let system = fs::fstatfs(file).map_or(OTHER, |fs| System::from_magic(fs.f_type as u64));
            if known.len() > 64 {
                known.clear();
            }
            known.push((stat.st_dev, system));
            system
        })
    }

    fn from_magic(magic: u64) -> System {
        *SYSTEMS.iter().find(|system| system.magic == magic).unwrap_or(&OTHER)
    }

    /// How far a stamp with these nanoseconds is at least from the next one that differs, in nanoseconds. Disks with small
    /// inodes (ext2, ext3, old ext4) keep whole seconds, others tenths of a microsecond: where digits are always zero, stamps
    /// are as far apart. One in a thousand looks coarser than it is by one digit, which costs a wait of as long.
    pub(crate) fn resolution(&self, nanoseconds: u64) -> u64 {
        let digits = if nanoseconds == 0 { SECOND } else { 10_u64.pow(trailing_zeros(nanoseconds)) };
        digits.max(self.tick)
    }

    /// Whether names of one file are known by its inode number, and a change of the file by its stamps alone.
    pub(crate) fn knows_links(&self) -> bool {
        self.inodes && self.stamps == Stamps::Written
    }
}

/// Decimal digits at the end of a number that are zero.
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
    fn stamps_tell_their_resolution() {
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
    fn every_type_is_there_once_and_what_is_unknown_is_not_trusted() {
        for (index, system) in SYSTEMS.iter().enumerate() {
            assert!(SYSTEMS[..index].iter().all(|other| other.magic != system.magic), "{:x}", system.magic);
        }
        let unknown = System::from_magic(0x1234_5678);
        assert_eq!((unknown.sizes, unknown.knows_links()), (Sizes::Other, false));
        assert!(System::from_magic(0xef53).knows_links() && !System::from_magic(0x0102_1994).knows_links());
    }
}
