//! The position of a file on its device. Disks and tapes read files fastest in this order.

use crate::metadata::Metadata;
use crate::sys::placement::first_extent;
use std::fs::File;

/// The position of a file, as far as it is known. Positions on one device follow each other in the order of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Placement {
    device: u64,
    position: Position,
}

/// The position on the device. Files whose position is known are ordered before others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Position {
    /// The partition of a tape, or 0, and the position of the first byte or block.
    Extent(u64, u64),
    /// The inode number, which on many file systems follows the order of creation.
    Inode(u128),
}

impl Placement {
    /// Returns the position of a file with this metadata; `file` is `None` if it cannot be opened.
    pub fn of(file: Option<&File>, stat: &Metadata) -> Placement {
        let extent = file.and_then(first_extent).map(|(area, position)| Position::Extent(area, position));
        let position = extent.unwrap_or(Position::Inode(stat.id().inode));
        Placement { device: stat.id().device, position }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn files_are_ordered_by_device_and_position_and_unknown_positions_follow() {
        let at = |device, position| Placement { device, position };
        let ordered = [
            at(1, Position::Extent(0, 5)),
            at(1, Position::Extent(0, 9)),
            at(1, Position::Extent(1, 0)),
            at(1, Position::Inode(1)),
            at(1, Position::Inode(2)),
            at(2, Position::Extent(0, 1)),
        ];
        assert!(ordered.is_sorted());
    }

    #[test]
    fn position_of_a_written_file_is_stable() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = File::create_new(&path).unwrap();
        file.write_all(&[7; 1 << 20]).unwrap();
        file.sync_all().unwrap();
        let stat = Metadata::of(&file).unwrap();
        let placement = Placement::of(Some(&file), &stat);
        assert_eq!(placement, Placement::of(Some(&File::open(&path).unwrap()), &stat));
        assert_eq!(placement.device, stat.id().device);
        let inode = Placement::of(None, &stat);
        assert_eq!(inode.position, Position::Inode(stat.id().inode));
        assert!(placement <= inode);
    }
}
