//! `RELEASES` of Squirrel: SHA-1, name, size. The size is the last column, and the name may
//! contain blanks or be a URL.

use crate::digest::{contains_like, is_hex, tagged};
use crate::formats::mixed::is_damaged;
use crate::formats::prelude::*;

pub(crate) static SQUIRREL: Format = Format {
    name: "squirrel",
    file_names: &["releases"],
    summary: "RELEASES file of Squirrel for Windows: SHA-1, name and size on each line",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["sha1"]),
        size: true,
        ..Capabilities::DIGESTS
    },
    sniff,
    reading: Reading::lines(|options| LineParser::of(options, row)),
    ..Format::DEFAULT
};

/// Number of hexadecimal digits of a SHA-1 digest.
const DIGITS: usize = 40;

/// Splits a line into digest, name and size.
fn split(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    // A staging percentage may follow: ` # 50%`.
    let line = match scan::rfind(line, |byte| byte == b'#') {
        Some(at) if at > DIGITS && line.ends_with(b"%") && line[at - 1] == b' ' => &line[..at],
        _ => line,
    };
    let line = scan::trim_end(line);
    let (digest, rest) = scan::word(line);
    let gap = scan::rfind(rest, scan::is_blank)?;
    let name = scan::trim_end(&rest[..gap]);
    (digest.len() == DIGITS && !name.is_empty()).then_some((digest, name, &rest[gap + 1..]))
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let (mut sized, mut packages) = (true, true);
    let claim = head.whole(|line| {
        if line.starts_with(b"#") {
            return Some(false);
        }
        let (digest, name, size) = split(line)?;
        let single = line.get(DIGITS) == Some(&b' ')
            && !line.get(DIGITS + 1).copied().is_some_and(|byte| byte == b' ' || byte == b'*');
        sized &= scan::decimal(size).is_some();
        packages &= name.ends_with(b".nupkg") || name.windows(7).any(|part| part == b".nupkg?");
        (is_hex(digest) && single).then_some(true)
    })?;
    Some(if packages && sized { claim } else { Claim { sign: Sign::Possible, ..claim } })
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if scan::is_empty(line) || line.starts_with(b"#") {
        return if is_damaged(line) || contains_like(line) { Err(Reason::DamagedComment) } else { Ok(None) };
    }
    let (digest, name, size) = split(line).ok_or(Reason::NotALine)?;
    let size = scan::decimal(size).ok_or(Reason::Size)?;
    let (spec, digest) = tagged("sha1", digest, options)?;
    Ok(Some(Entry { size: Some(size), ..Entry::new(&last_part(name)?, spec, digest) }))
}

/// Returns the decoded file name at the end of a URL; any other name is returned unchanged.
///
/// # Errors
/// The URL contains an invalid escape sequence.
fn last_part(name: &[u8]) -> Result<Vec<u8>, Reason> {
    if !name.starts_with(b"https://") && !name.starts_with(b"http://") {
        return Ok(name.to_vec());
    }
    radix::url_name(name).ok_or(Reason::BadEscape)
}
