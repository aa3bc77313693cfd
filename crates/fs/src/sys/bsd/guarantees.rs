//! The guarantees of the backend for macOS and FreeBSD.

use crate::sys::guarantees::Guarantees;

/// The guarantees of macOS and FreeBSD.
pub(crate) const GUARANTEES: Guarantees = Guarantees {
    follows_links_inside: false,
    notices_writers: false,
    reads_hard_links_once: false,
    maps_files: false,
    leaves_nothing_when_killed: false,
    writes_below_long_paths: false,
};
