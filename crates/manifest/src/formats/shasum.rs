//! The modes of Perl's `shasum` that GNU coreutils does not have: `U` (universal newlines) and
//! `^` (a file of bits written as digits).
//!
//! In mode `U`, `shasum` hashes a text in which each CR LF and CR is LF. The digest is that of the file only if the file has
//! no CR; otherwise, no file with these bytes matches it, and a check reports a mismatch with a hint.
//!
//! A name may begin with a capital U. It is a mode only if every line of the manifest has a mode
//! character.

use crate::digest::{is_long_hex, untagged};
use crate::formats::mixed::is_damaged;
use crate::formats::prelude::*;
use crate::path;

pub(crate) static SHASUM: Format = Format {
    name: "shasum",
    summary: "digest, mode (U or ^) and name, as written by shasum -U and -0; files with CR never match in mode U",
    sniff,
    reading: Reading::lines(|options| LineParser::of(options, row)),
    ..Format::DEFAULT
};

/// Splits a line into digest, mode and name.
fn split(line: &[u8]) -> Option<(&[u8], u8, &[u8])> {
    let end = scan::find(line, scan::is_blank)?;
    let (digest, rest) = line.split_at(end);
    match rest {
        [b' ', mode @ (b' ' | b'*' | b'U' | b'^'), name @ ..] if is_long_hex(digest) && digest.len() > 32 => {
            Some((digest, *mode, name))
        }
        _ => None,
    }
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let mut own = false;
    let claim = head.whole(|line| {
        if line.starts_with(b"#") {
            return Some(false);
        }
        let (_, mode, _) = split(line.strip_prefix(b"\\").unwrap_or(line))?;
        own |= matches!(mode, b'U' | b'^');
        Some(true)
    });
    claim.filter(|_| own)
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if scan::is_empty(line) || line.starts_with(b"#") {
        return if is_damaged(line) { Err(Reason::DamagedComment) } else { Ok(None) };
    }
    let escaped = line.strip_prefix(b"\\");
    let (digest, mode, name) = split(escaped.unwrap_or(line)).ok_or(Reason::NotALine)?;
    if mode == b'^' {
        return Err(Reason::Part(
            "in mode ^, shasum hashes the characters 0 and 1 as bits, so the digest does not cover the bytes of the file",
        ));
    }
    let (spec, digest) = untagged(digest, options)?;
    let name = match escaped {
        Some(_) => path::unescape(name).ok_or(Reason::BadEscape)?,
        None => name.to_vec(),
    };
    Ok(Some(Entry::new(&name, spec, digest)))
}
