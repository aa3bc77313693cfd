//! Lines whose names are padded with blanks to the width of a column, as PowerShell's
//! `Format-Table -HideTableHeaders` writes them: a digest, a blank, a name and blanks.
//!
//! A name may end with blanks, but not on Windows. Blanks at the ends of lines are therefore
//! padding if all lines end with CR LF, or if they make all lines equally wide.

use crate::digest::{is_long_hex, untagged};
use crate::formats::prelude::*;

pub(crate) static PADDED: Format = Format {
    name: "padded",
    summary: "digest, space, name, and padding to the column width, as written by PowerShell",
    sniff,
    reading: Reading::lines(|options| LineParser::of(options, row)),
    ..Format::DEFAULT
};

/// A line without its CR.
struct Split<'a> {
    digest: &'a [u8],
    name: &'a [u8],
    /// The number of characters of the line, with its padding.
    width: usize,
    is_padded: bool,
}

fn split(line: &[u8]) -> Option<Split<'_>> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let end = scan::find(line, scan::is_blank)?;
    let (digest, rest) = line.split_at(end);
    let [b' ', padded @ ..] = rest else { return None };
    let name = scan::trim_end(padded);
    let is_name = name.first().is_some_and(|&byte| byte != b'*' && !scan::is_blank(byte));
    // The first byte of each character in UTF-8.
    let width = line.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
    scan::count(line.len());
    let is_padded = name.len() < padded.len();
    (is_long_hex(digest) && is_name).then_some(Split { digest, name, width, is_padded })
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let mut first: Option<(usize, Split<'_>)> = None;
    let (mut is_windows, mut is_padded, mut is_even, mut differs) = (true, false, true, false);
    for (at, line) in head.lines(b'\n').enumerate() {
        if scan::is_empty(line) {
            continue;
        }
        let split = split(line)?;
        is_windows &= line.ends_with(b"\r");
        is_padded |= split.is_padded;
        if let Some((_, first)) = &first {
            is_even &= first.width == split.width;
            differs |= first.name.len() != split.name.len();
        }
        first.get_or_insert((at, split));
    }
    let is_own = is_padded && (is_windows || is_even && differs);
    first.filter(|_| is_own).map(|(at, _)| Claim { sign: Sign::Whole, at })
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if scan::is_empty(line) {
        return Ok(None);
    }
    let split = split(line).ok_or(Reason::NotALine)?;
    let (spec, digest) = untagged(split.digest, options)?;
    Ok(Some(Entry::new(split.name, spec, digest)))
}
