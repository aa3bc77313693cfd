//! Output of md5deep and its siblings with `-z` (size), `-t` (time) and `-c` (comma): columns
//! before the name that are not part of it.

use super::hashdeep::{begins_with_digest, piece};
use crate::digest::{is_long_hex, untagged};
use crate::entry::PieceList;
use crate::formats::prelude::*;
use std::ops::Range;

pub(crate) static MD5DEEP: Format = Format {
    name: "md5deep",
    summary: "output of md5deep -z, -t, -c and -p: digest, size or timestamp, name",
    capabilities: Capabilities {
        // Only its length identifies the algorithm of a digest.
        algorithms: Algorithms::Only(&["md5", "sha1", "sha256"]),
        names: Names::Literal { forbidden: b"\n\r", not_first: b" \t", not_last: b" \t" },
        size: true,
        locates: true,
        ..Capabilities::DIGESTS
    },
    sniff,
    reading: Reading::lines(|options| LineParser::of(options, row)),
    writing: Writing::Entries(write),
    ..Format::DEFAULT
};

/// Size, digest and name; the size is not parsed yet.
type Split<'a> = (Option<&'a [u8]>, &'a [u8], &'a [u8]);

fn split(line: &[u8]) -> Option<Split<'_>> {
    if let Some((digest, name)) = scan::cut(line, b',') {
        if is_long_hex(digest) {
            // A blank after the comma may belong to the name or not.
            return (!name.starts_with(b" ") && !begins_with_digest(name))
                .then(|| (None, digest, without_time(name)));
        }
        let size = scan::trim(digest);
        // A comma may also be part of a name.
        if let Some((digest, name)) =
            scan::cut(scan::trim_start(name), b',').filter(|(text, _)| is_long_hex(text))
        {
            return (!begins_with_digest(name)).then(|| (Some(size), digest, without_time(name)));
        }
    }
    // A size is right-aligned in ten columns, so it cannot be mistaken for the digest of a GNU
    // line.
    let (size, rest) = if line.starts_with(b" ") || line.get(10) == Some(&b' ') {
        let (size, rest) = scan::word(scan::trim_start(line));
        if line.len() - rest.len() < 12 {
            return None;
        }
        (Some(size), rest)
    } else {
        (None, line)
    };
    let (digest, name) = (rest.get(..scan::find(rest, scan::is_blank)?)?, rest);
    let name = &name[digest.len()..];
    if !is_long_hex(digest) {
        return None;
    }
    let timed = scan::trim_start(name);
    let is_timed = timed.get(..TIME).is_some_and(is_time) && timed.len() > TIME + 1;
    match (is_timed, size) {
        (true, _) => Some((size, digest, named(&timed[TIME..]).unwrap_or(scan::trim_start(&timed[TIME..])))),
        (false, Some(_)) => Some((size, digest, named(name)?)),
        (false, None) => None,
    }
}

/// Returns the name after its separator. With `-k`, an asterisk precedes it.
fn named(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b"  ").or(text.strip_prefix(b" *"))
}

/// Returns the name after a time and a comma, as written by `-t` with `-c`.
fn without_time(name: &[u8]) -> &[u8] {
    scan::cut(name, b',')
        .filter(|(time, behind)| is_time(time) && !behind.is_empty())
        .map_or(name, |(_, name)| name)
}

/// The length of a time such as `2024:01:02:03:04:05`.
const TIME: usize = 19;

/// Returns true for a time.
fn is_time(word: &[u8]) -> bool {
    word.len() == TIME
        && word.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 | 10 | 13 | 16 => *byte == b':',
            _ => byte.is_ascii_digit(),
        })
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let (mut first, mut own, mut others) = (None, 0, 0);
    // A single piece may be a GNU line of a file with such a name; only consecutive ones are evidence.
    let (mut last, mut is_certain) = (None, false);
    for (at, line) in head.lines(b'\n').enumerate() {
        if scan::is_empty(line) {
            continue;
        }
        let is_column =
            split(line).is_some_and(|(size, ..)| size.is_none_or(|size| scan::decimal(size).is_some()));
        let fits = match of_piece(line) {
            Some((_, name, range)) => {
                is_certain |= last == Some((name, range.start));
                last = Some((name, range.end));
                true
            }
            None => {
                is_certain |= is_column;
                is_column
            }
        };
        match fits {
            true => own += 1,
            false if first.is_none() => return None,
            false => others += 1,
        }
        first.get_or_insert(at);
    }
    (is_certain && own > others).then_some(Claim { sign: Sign::Whole, at: first? })
}

/// Splits a line written by `-p` into digest, name and range: `DIGEST  NAME offset FIRST-LAST`.
fn of_piece(line: &[u8]) -> Option<(&[u8], &[u8], Range<u64>)> {
    let (digest, behind) = line.split_at_checked(scan::find(line, scan::is_blank)?)?;
    let (name, range) = piece(behind.strip_prefix(b"  ")?)?;
    is_long_hex(digest).then_some((digest, name, range))
}

/// Returns the entry of a piece.
fn piece_entry(digest: &[u8], name: &[u8], range: Range<u64>, options: &Options) -> Result<Entry, Reason> {
    let (spec, digest) = untagged(digest, options)?;
    // The only piece of an empty file is named 0-0, like that of a file of one byte.
    if range == (0..1) && digest == spec.digest(b"") {
        let whole = Entry { size: Some(0), ..Entry::new(name, spec, digest) };
        return if options.allow_pieces { Ok(whole) } else { Err(Reason::Pieces) };
    }
    let len = range.end - range.start;
    let list = PieceList::new(spec, range, len, digest.as_bytes().into());
    Ok(Entry { path: name.to_vec(), pieces: list.into_iter().collect(), ..Entry::default() })
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if scan::is_empty(line) {
        return Ok(None);
    }
    if let Some((digest, name, range)) = of_piece(line) {
        return piece_entry(digest, name, range, options).map(Some);
    }
    let (size, digest, name) = split(line).ok_or(Reason::NotALine)?;
    let size = size.map(|size| scan::decimal(size).ok_or(Reason::Size)).transpose()?;
    let (spec, digest) = untagged(digest, options)?;
    Ok(Some(Entry { size, ..Entry::new(name, spec, digest) }))
}

/// Writes the line of `-z`: the size in ten columns, digest, name.
fn write(entry: &Entry, style: &Style, out: &mut Vec<u8>) -> Result<(), Unrepresentable> {
    let (_, digest) = entry.only_digest()?;
    let size = entry.size.ok_or(Unrepresentable::NoSize)?;
    let begin = out.len();
    let digest = style.spelling.hex(digest);
    out.extend_from_slice(format!("{size:>10}  {digest}  ").as_bytes());
    out.extend_from_slice(&entry.path);
    // The name may begin with text that would be read as a time.
    let read = split(&out[begin..]);
    if read.is_none_or(|(found, text, name)| {
        found.and_then(scan::decimal) != Some(size) || text != digest.as_bytes() || name != entry.path
    }) {
        return Err(Unrepresentable::Edge);
    }
    out.push(b'\n');
    Ok(())
}
