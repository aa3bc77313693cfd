//! The programs truesum is when it is called by their names: `md5sum`, the `sha*sum`s, `b2sum`, `cksum`, `sum`, `b3sum`,
//! `mtsum`.
//!
//! Under such a name everything is as the original has it: options and their order, bytes of the output, messages, exit
//! status, even where `truesum check` is stricter. One thing is not copied from anybody: a file that could not be read to
//! its end, or that changed while it was read, has no digest.

mod b3sum;
mod coreutils;
mod entries;
mod mtsum;
mod row;
mod streams;

pub use row::{Call, Personality};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// All of them.
pub fn personalities() -> impl Iterator<Item = &'static Personality> {
    coreutils::PERSONALITIES.iter().chain([&b3sum::PERSONALITY, &mtsum::PERSONALITY])
}

/// What to be, by the name of the call (with or without a path); nothing for truesum itself.
pub fn called(name: &OsStr) -> Option<&'static Personality> {
    let base = name.as_bytes().rsplit(|&byte| byte == b'/').next()?;
    personalities().find(|personality| personality.name.as_bytes() == base)
}
