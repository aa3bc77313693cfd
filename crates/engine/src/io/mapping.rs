//! Whether a file is mapped rather than read: the one place where that is decided.
//!
//! A mapping needs a handler for SIGBUS, and that belongs to the whole process: a library must not install one unasked. So whoever
//! reads says what is allowed, and where nothing is said, nothing is mapped.

use crate::io::read::Guarded;
use crate::io::room::is_tight;
use rustix::io::ReadWriteFlags;
use std::io::IoSliceMut;

/// Files up to this size are read: what is to gain is less than a mapping costs.
const SMALL: u64 = 1 << 20;

/// Whether files may be mapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mapping {
    /// Files are read.
    #[default]
    Never,
    /// Large files whose pages are in memory are mapped, which saves a copy of them, with a guard against what kills a
    /// process whose file shrinks: a handler for SIGBUS in this process. One that stood before is called for every fault
    /// that is not in a window of ours, and for signals that were sent; where another one is installed later, files are
    /// read. Threads must not block SIGBUS.
    Guarded,
}

impl Mapping {
    /// Whether this file is mapped: its size can be trusted, it is not small, its pages are in memory, and there is
    /// address space for windows.
    pub(crate) fn suits(self, file: &Guarded) -> bool {
        self == Mapping::Guarded
            && !is_tight()
            && file.is_local()
            && file.size_hint() > SMALL
            && is_resident(file)
    }
}

/// Whether the file's pages are in memory: asked at places spread over it, without waiting for any.
fn is_resident(file: &Guarded) -> bool {
    const ASKED: u64 = 16;
    let step = (file.size_hint() / ASKED).max(1);
    (0..ASKED).all(|i| {
        let buffer = &mut [0; 1];
        let slices = &mut [IoSliceMut::new(buffer)];
        rustix::io::preadv2(file.as_fd(), slices, i * step, ReadWriteFlags::NOWAIT) == Ok(1)
    })
}
