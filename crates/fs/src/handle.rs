//! Open files and folders as the system refers to them: descriptors.

pub use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
