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
use truesum::hash::Spec;

/// All of them.
pub fn personalities() -> impl Iterator<Item = &'static Personality> {
    coreutils::PERSONALITIES.iter().chain([&b3sum::PERSONALITY, &mtsum::PERSONALITY])
}

/// Why nothing is done under this name, if it is that of another program of checksums: its users would take our digests for its own.
pub fn foreign(name: &OsStr) -> Option<String> {
    let base = name.as_bytes().rsplit(|&byte| byte == b'/').next()?;
    let stem = std::str::from_utf8(base).ok()?.strip_suffix("sum")?;
    let spec = stem.parse::<Spec>().ok();
    if spec.is_none() && !["sha", "sha3", "xxh"].contains(&stem) {
        return None;
    }
    let how =
        spec.map_or_else(|| "truesum hash -a NAME".to_owned(), |spec| format!("truesum hash -a {spec}"));
    Some(format!("truesum does not stand in for {stem}sum: {how} computes such digests"))
}

/// What to be, by the name of the call (with or without a path); nothing for truesum itself.
pub fn called(name: &OsStr) -> Option<&'static Personality> {
    let base = name.as_bytes().rsplit(|&byte| byte == b'/').next()?;
    personalities().find(|personality| personality.name.as_bytes() == base)
}
