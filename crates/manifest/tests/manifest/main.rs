//! Integration tests of the manifest crate, in one program so that they are linked only once.

mod convert;
mod coreutils;
mod damage;
mod fixtures;
mod hostile;
mod multi_line_entries;
mod mutations;
mod roundtrip;
mod shared;
mod tools;
mod torrent;
