//! Output of `rclone hashsum`: GNU lines with blanks, `UNSUPPORTED` or `ERROR` instead of a
//! digest that a remote did not return. `--base64` writes base64 in the alphabet for URLs, with
//! padding.

use crate::digest::{is_long_hex, untagged};
use crate::formats::prelude::*;

pub(crate) static RCLONE: Format = Format {
    name: "rclone",
    summary: "output of rclone hashsum: GNU lines; a missing digest is replaced by spaces, UNSUPPORTED or ERROR",
    sniff,
    reading: Reading::lines(|options| LineParser::of(options, row)),
    ..Format::DEFAULT
};

/// The lengths of rclone's digests in hexadecimal digits.
const WIDTHS: &[usize] = &[128, 64, 40, 32];

/// Splits a line with a digest in base64, in the alphabet for URLs, into digest and name.
fn in_base64(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = scan::find(line, scan::is_blank)?;
    let (digest, name) = (&line[..end], line[end..].strip_prefix(b"  ")?);
    let is_digest = matches!(end, 8 | 24 | 28 | 44 | 88) && digest.ends_with(b"=");
    (is_digest && !digest.contains(&b'+') && !digest.contains(&b'/')).then_some((digest, name))
}

/// Splits a line into the digest, if there is one, and the name.
fn split(line: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    if let Some((digest, name)) = in_base64(line) {
        return Some((Some(digest), name));
    }
    for &width in WIDTHS {
        let Some((cell, rest)) = line.split_at_checked(width) else { continue };
        let Some(name) = rest.strip_prefix(b"  ") else { continue };
        if is_long_hex(cell) {
            return Some((Some(cell), name));
        }
        let word = scan::trim_start(cell);
        if matches!(word, b"UNSUPPORTED" | b"ERROR") || word.is_empty() && !name.starts_with(b"  ") {
            return Some((None, name));
        }
    }
    None
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let mut own = false;
    let claim = head.whole(|line| {
        let (digest, _) = split(line)?;
        own |= digest.is_none_or(|digest| digest.contains(&b'-') || digest.contains(&b'_'));
        Some(true)
    });
    claim.filter(|_| own)
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if line.is_empty() {
        return Ok(None);
    }
    let (digest, name) = split(line).ok_or(Reason::NotALine)?;
    let in_hex = |digest: &[u8]| match digest.ends_with(b"=") {
        true => radix::base64(digest).map(|bytes| data_encoding::HEXLOWER.encode(&bytes).into_bytes()),
        false => Some(digest.to_vec()),
    };
    let read = |digest| untagged(&in_hex(digest).ok_or(Reason::NotALine)?, options);
    let digests = digest.map(read).transpose()?;
    Ok(Some(Entry { path: name.to_vec(), digests: digests.into_iter().collect(), ..Entry::default() }))
}
