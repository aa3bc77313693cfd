//! Decides whether a file is mapped or read.
//!
//! Mapping requires a SIGBUS handler, which affects the entire process. A library must not install
//! one without permission, so the caller specifies what is allowed; by default, nothing is mapped.

use crate::memory_limit::is_tight;
use crate::read::Guarded;
use crate::sys::mapped::is_resident;

/// Files up to this size are read, because mapping them would cost more than it saves.
const SMALL: u64 = 1 << 20;

/// Whether files may be mapped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mapping {
    /// Files are read.
    #[default]
    Never,
    /// Large files whose pages are in memory are mapped, which saves a copy. A SIGBUS handler in this process guards
    /// against the signal that is raised when such a file shrinks. A handler that was installed before is called for
    /// every fault outside of this library's windows and for signals that were sent; if another one is installed later,
    /// files are read. Threads must not block SIGBUS.
    Guarded,
}

impl Mapping {
    /// Returns whether this file is mapped: its size is reliable, it is not small, its pages are in memory, and there
    /// is address space for windows.
    pub fn suits(self, file: &Guarded) -> bool {
        self == Mapping::Guarded
            && !is_tight()
            && file.is_local()
            && file.size_hint() > SMALL
            && is_resident(file.file(), file.size_hint())
    }
}
