//! The guarantees of a system, and of a file system.

readable! {
    /// The guarantees of a file system.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct System {
        /// How reliable the reported sizes are.
        sizes: Sizes,
        /// The events that update the status change time.
        stamps: Stamps,
        /// Whether inode numbers are unique on a device at any one time.
        inodes: bool,
    }
    private {
        /// The minimum number of nanoseconds between two different timestamps; on some disks the distance is larger.
        tick: u64,
    }
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
    /// Every write, and writing back a mapped page, but not the store to it: a change through a
    /// mapping may be detected only later.
    WrittenBack,
    /// It is the modification time, which programs can set.
    Set,
}

pub(crate) const MILLISECOND: u64 = 1_000_000;
pub(crate) const SECOND: u64 = 1000 * MILLISECOND;

impl System {
    /// A disk of this machine whose timestamps show every change.
    pub(crate) const LOCAL: System =
        System { sizes: Sizes::Local, stamps: Stamps::Written, tick: 1, inodes: true };

    /// Files generated on reading.
    pub(crate) const INVENTED: System = System { sizes: Sizes::Invented, inodes: false, ..System::LOCAL };

    /// Types that a backend does not know. Servers have clocks with ticks of up to 10 ms, and may use one inode number
    /// for two files.
    pub(crate) const OTHER: System =
        System { sizes: Sizes::Other, tick: 10 * MILLISECOND, inodes: false, ..System::LOCAL };
}

readable! {
    /// Guarantees that not all systems have. `docs/guarantees.md` describes them, and tests expect what it promises for the
    /// system on which they run.
    #[derive(Clone, Copy, Debug)]
    pub struct Guarantees {
        /// Below a folder that limits names, a symbolic link is followed if it does not lead out of the folder. Otherwise
        /// every link is refused.
        follows_links_inside: bool,
        /// A program that has a file open for writing is detected.
        notices_writers: bool,
        /// Times show every change on local file systems, so that a file with several hard links is read once.
        reads_hard_links_once: bool,
        /// Files can be mapped. Otherwise they are read.
        maps_files: bool,
        /// A file that is being written has no name, so that a killed run leaves nothing behind. Otherwise it leaves a
        /// temporary file, which is ignored or reported by later runs.
        leaves_nothing_when_killed: bool,
        /// Files can be written in folders whose paths are longer than `PATH_MAX`. Reading them is always possible.
        writes_below_long_paths: bool,
    }
}
