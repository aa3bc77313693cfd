//! The programs that truesum can replace when it is called by their names: `md5sum`, the
//! `sha*sum`s, `b2sum`, `cksum`, `sum`, `b3sum`, `mtsum`.
//!
//! Under such a name, everything is as in the original program: options and their order, the bytes
//! of the output, messages and the exit status, even where `truesum check` is stricter. There is
//! one exception: a file that could not be read to its end, or that changed while it was read, has
//! no digest.

mod b3sum;
mod coreutils;
mod entries;
mod mtsum;
mod row;
mod streams;

use crate::exit::Refusal;
pub use row::{Applet, Call};
use std::ffi::{OsStr, OsString};
use truesum::hash::Spec;
use truesum::manifest::path::display_safe;
use truesum_fs::name::{OsStringExt, argument, expanded, program};

/// Returns the rows of all programs.
pub fn applets() -> impl Iterator<Item = &'static Applet> {
    coreutils::PERSONALITIES.iter().chain([&b3sum::APPLET, &mtsum::APPLET])
}

/// Returns a refusal if this name looks like that of another checksum tool, because users would
/// mistake the output for that of the tool. Any name that contains `truesum` is accepted.
pub fn foreign(called: &OsStr) -> Option<Refusal> {
    let base = base(called)?.to_ascii_lowercase();
    let name = if base.contains("truesum") { "" } else { &base[..] };
    // Parts of the names of checksum tools: md5, sha256sum, shasum, cksum, xxhsum, rhash, hashdeep,
    // cfv, jacksum, openssl-sha1 ...
    let parts = [
        "sum", "md2", "md4", "md5", "sha1", "sha2", "sha3", "sha5", "hash", "deep", "crc", "cfv", "sfv",
        "digest", "blake", "xxh",
    ];
    let exact = ["b3", "b2", "cksum", "par2", "tth", "ed2k", "fciv", "certutil", "tthsum"];
    if !parts.iter().any(|part| name.contains(part)) && !exact.contains(&name) {
        return None;
    }
    let spec = name.strip_suffix("sum").unwrap_or(name).parse::<Spec>().ok();
    let how = spec.map_or_else(
        || "to compute digests: truesum hash -a NAME FILE...".to_owned(),
        |spec| format!("to compute digests: truesum hash -a {spec} FILE..."),
    );
    let names: Vec<&str> = applets().map(|applet| applet.name).collect();
    let text = format!(
        "{}: truesum is not a drop-in replacement for this program (only for {})",
        display_safe(name.as_bytes()),
        names.join(", ")
    );
    Some(Refusal::with_hint(text, how))
}

/// Returns the program to replace, by the name of the call (with or without a path); `None` for
/// truesum itself.
pub fn called(name: &OsStr) -> Option<&'static Applet> {
    let base = base(name)?;
    applets().find(|applet| applet.name == base)
}

/// Returns the files that the operands of a program name.
fn files(operands: impl IntoIterator<Item = OsString>) -> impl Iterator<Item = Vec<u8>> {
    operands.into_iter().flat_map(|operand| expanded(argument(operand))).map(OsString::into_vec)
}

/// Returns the last component of a name without the prefixes and suffixes that systems add: the `-`
/// of a login shell, `.exe`, and the `g` of GNU programs that are installed next to those of a BSD.
fn base(name: &OsStr) -> Option<String> {
    let name = program(name)?;
    let base = name.strip_prefix('-').unwrap_or(&name);
    let base = base.strip_suffix(".exe").or_else(|| base.strip_suffix(".EXE")).unwrap_or(base);
    let plain =
        base.strip_prefix('g').filter(|plain| coreutils::PERSONALITIES.iter().any(|one| one.name == *plain));
    Some(plain.unwrap_or(base).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_checksum_tools_are_rejected() {
        for name in [
            "md5",
            "sha1",
            "sha256",
            "shasum",
            "sha3sum",
            "rhash",
            "hashdeep",
            "md5deep",
            "cfv",
            "cksfv",
            "xxhsum",
            "xxh64sum",
            "jacksum",
            "ghash",
            "sha256deep",
            "b3",
            "crc32",
            "/usr/bin/sha512-256sum",
            "MD5SUM",
            "md5sum2",
            "blake3",
            "-rhash",
        ] {
            assert!(called(name.as_ref()).is_none() && foreign(name.as_ref()).is_some(), "{name}");
        }
        for name in [
            "truesum",
            "/opt/truesum-0.1/truesum",
            "truesum.exe",
            "-truesum",
            "truesum-md5",
            "ts",
            "check",
            "",
        ] {
            assert!(called(name.as_ref()).is_none() && foreign(name.as_ref()).is_none(), "{name}");
        }
        for (name, tool) in [
            ("gmd5sum", "md5sum"),
            ("md5sum.exe", "md5sum"),
            ("-md5sum", "md5sum"),
            ("./b3sum", "b3sum"),
            ("gcksum", "cksum"),
        ] {
            assert_eq!(called(name.as_ref()).map(|one| one.name), Some(tool));
        }
    }
}
