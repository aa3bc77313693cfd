//! The guarantees of file systems: sizes, holes, timestamps, inode numbers.
//!
//! The guarantees depend on the type of a file system; each backend has one table of them. Types that are not in it are
//! treated as network file systems.

use crate::metadata::{FileType, Metadata};
use crate::sys::guarantees::SECOND;
pub use crate::sys::guarantees::{Guarantees, Sizes, Stamps, System};
use crate::sys::{GUARANTEES, volume};
use std::cell::RefCell;
use std::fs::File;

/// Returns what this system guarantees.
pub fn guarantees() -> Guarantees {
    GUARANTEES
}

impl System {
    /// Pipes, devices and anything else that is not a regular file.
    pub const STREAM: System = System::INVENTED;

    /// Versions of objects: they never change, and the reported size is reliable.
    pub const REMOTE: System = System::OTHER;

    /// Returns the guarantees for an open file. Pipes and devices have no size, and their times change with every use.
    pub fn of_file(file: &File, stat: &Metadata) -> System {
        match stat.kind() {
            FileType::RegularFile => System::of(file, stat),
            _ => System::STREAM,
        }
    }

    /// Returns the guarantees for the file system of an open file, which is queried once per device and
    /// thread.
    pub fn of(file: &File, stat: &Metadata) -> System {
        thread_local! {
            static KNOWN: RefCell<Vec<(u64, System)>> = const { RefCell::new(Vec::new()) };
        }
        KNOWN.with_borrow_mut(|known| {
            if let Some((_, system)) = known.iter().find(|(device, _)| *device == stat.id().device) {
                return *system;
            }
            let system = volume::of(file);
            if known.len() > 64 {
                known.clear();
            }
            known.push((stat.id().device, system));
            system
        })
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
