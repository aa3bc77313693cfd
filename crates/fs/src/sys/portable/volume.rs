//! The guarantees of Linux file systems, without those that macOS and FreeBSD do not have.

#[path = "../linux/volume.rs"]
mod linux;

use crate::sys::guarantees::{Stamps, System};
use std::fs::File;

/// Returns the guarantees of the file system that contains an open file. A store to a mapped page counts as in
/// `bsd/volume.rs`: only when the page is written back.
pub fn of(file: &File) -> System {
    let system = linux::of(file);
    match system.stamps {
        Stamps::Written | Stamps::Attributes => System { stamps: Stamps::WrittenBack, ..system },
        Stamps::WrittenBack | Stamps::Set => system,
    }
}
