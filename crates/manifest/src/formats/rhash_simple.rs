//! Several digests in one line: RHash `--simple` (name first), its `--printf` orders and `fciv -both` (name last).
//!
//! Digests are taken from one end of the line as long as each has another length; two of one length do not tell which
//! algorithm either is of.

use crate::digest::{is_hex, is_long_hex, untagged};
use crate::entry::Entry;
use crate::format::{Claim, Format, Head, Holds, Options, Parse, Reading, Sign, Writing};
use crate::line::Reason;
use crate::scan;

pub(crate) static RHASH_SIMPLE: Format = Format {
    name: "rhash-simple",
    file_names: &[],
    summary: "a name and several digests in one line, as RHash --simple and fciv -both write them",
    holds: Holds::DIGESTS,
    sniff,
    reading: Reading::Lines {
        terminator: b'\n',
        parser: |options| Box::new(Columns { options: options.clone() }),
    },
    writing: Writing::No,
    tagged: None,
};

fn is_digest(word: &[u8]) -> bool {
    is_long_hex(word) || word.len() == 8 && is_hex(word)
}

/// Digests, and the name.
type Split<'a> = (Vec<&'a [u8]>, &'a [u8]);

/// The digests in front, one blank behind each: with two blanks it is a GNU line whose name looks like a digest.
fn front(line: &[u8]) -> Option<Split<'_>> {
    let (mut digests, mut rest) = (Vec::new(), line);
    while let Some(end) = scan::find(rest, |byte| byte == b' ')
        && is_digest(&rest[..end])
        && rest.get(end + 1).is_some_and(|byte| !matches!(byte, b' ' | b'*'))
        && digests.len() < 16
    {
        digests.push(&rest[..end]);
        rest = &rest[end + 1..];
    }
    (digests.len() > 1).then_some((digests, rest))
}

/// The digests at the end.
fn back(line: &[u8]) -> Option<Split<'_>> {
    let (mut digests, mut rest) = (Vec::new(), scan::trim_end(line));
    let mut gap = None;
    while let Some(blank) = scan::rfind(rest, scan::is_blank)
        && is_digest(&rest[blank + 1..])
        && digests.len() < 16
    {
        let before = scan::trim_end(&rest[..blank]);
        let width = rest[..=blank].len() - before.len();
        // The gap is the same all along the line: another one belongs to the name.
        if before.is_empty() || width < *gap.get_or_insert(width) {
            break;
        }
        digests.push(&rest[blank + 1..]);
        rest = before;
    }
    digests.reverse();
    (digests.len() > 1).then_some((digests, rest))
}

fn split(line: &[u8]) -> Option<Split<'_>> {
    let found = if crate::digest::starts_with_digest(line) { front(line) } else { back(line) };
    found.filter(|(digests, _)| digests.iter().any(|digest| is_long_hex(digest)))
}

fn is_comment(line: &[u8]) -> bool {
    line.starts_with(b";")
        || line.starts_with(b"//")
        || scan::trim(line) == b"MD5\t\t\t\t\tSHA-1"
        || is_heading(line)
}

/// The lines above a table of `fciv -both`.
fn is_heading(line: &[u8]) -> bool {
    let dashes = !line.is_empty() && scan::all(line, |byte| matches!(byte, b'-' | b' ' | b'\t' | b'\r'));
    let (first, rest) = scan::word(scan::trim_start(line));
    dashes || first == b"MD5" && scan::trim_end(rest.strip_suffix(b"\r").unwrap_or(rest)) == b"SHA-1"
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let mut first = None;
    for (at, line) in head.lines(b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if scan::is_empty(line) || is_comment(line) {
            continue;
        }
        split(line)?;
        first.get_or_insert(at);
    }
    Some(Claim { sign: Sign::Whole, at: first? })
}

struct Columns {
    options: Options,
}

impl Parse for Columns {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if scan::find(line, |byte| byte == 0).is_some() {
            return Err(Reason::Nul);
        }
        if scan::is_empty(line) || is_comment(line) {
            return Ok(None);
        }
        let (digests, name) = split(line).ok_or(Reason::NotALine)?;
        let mut entry = Entry { path: name.to_vec(), ..Entry::default() };
        for (at, digest) in digests.iter().enumerate() {
            if digests[..at].iter().any(|other| other.len() == digest.len()) {
                return Err(Reason::Part(
                    "two digests of one length: which algorithms they are of is not said",
                ));
            }
            entry.digests.push(untagged(digest, &self.options)?);
        }
        Ok(Some(entry))
    }
}
