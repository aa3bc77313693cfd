//! Detects whether a file is open for writing.

use crate::sys::lease;
pub use crate::sys::writers::{Obstacle, Writers};
use std::fs::File;

/// Tests an open file.
pub fn writers(file: &File) -> Writers {
    lease::writers(file)
}
