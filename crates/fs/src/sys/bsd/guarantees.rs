//! The guarantees of the backend for macOS and FreeBSD.

use crate::sys::guarantees::Guarantees;

/// What macOS and FreeBSD guarantee.
pub(crate) const GUARANTEES: Guarantees = Guarantees {
    follows_links_inside: false,
    notices_writers: false,
    reads_hard_links_once: false,
    maps_files: false,
    leaves_nothing_when_killed: false,
    writes_below_long_paths: false,
};
