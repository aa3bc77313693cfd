//! Parsers that split lines exactly as other programs do, for compatible programs.
//! [`crate::Reader`] is stricter and explains why it rejects a line.

pub mod b3sum;
pub mod coreutils;
