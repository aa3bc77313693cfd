//! Integration tests of the manifest crate, in one program so that they are linked only once.

mod appended;
mod convert;
// These compare with programs that only Unix has.
#[cfg(unix)]
mod coreutils;
mod damage;
mod fixtures;
mod hostile;
mod multi_line_entries;
mod mutations;
mod roundtrip;
mod shared;
#[cfg(unix)]
mod tools;
mod torrent;
