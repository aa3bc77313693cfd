//! Several digests on one line: RHash `--simple` (name first), common orders of its `--printf`,
//! and `fciv -both` (name last).
//!
//! Digests are read from one end of the line. All must have different lengths, because only the
//! length identifies their algorithms.

use crate::comment::is_after_slashes;
use crate::digest::{is_hex, is_long_hex, untagged};
use crate::formats::prelude::*;

pub(crate) static RHASH_SIMPLE: Format = Format {
    name: "rhash-simple",
    summary: "a name and several digests per line, as written by RHash --simple and fciv -both",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["sha256", "crc32", "md5", "sha1", "sha224", "sha384", "sha512"]),
        // On Windows, a backslash is a separator, and newer releases of RHash use it for
        // escaping.
        names: Names::Literal { forbidden: b"\n\r\\", not_first: b" \t;", not_last: b" \t" },
        ..Capabilities::DIGESTS
    },
    sniff: |head| head.whole(|line| if is_comment(line) { Some(false) } else { split(line).map(|_| true) }),
    reading: Reading::lines(|options| LineParser::of(options, row)),
    writing: Writing::Entries(write),
    ..Format::DEFAULT
};

fn is_digest(word: &[u8]) -> bool {
    is_long_hex(word) || word.len() == 8 && is_hex(word)
}

/// The digests and the name of a line.
type Split<'a> = (Vec<&'a [u8]>, &'a [u8]);

/// Splits off the leading digests, each followed by a single space. With two spaces, it is a GNU
/// line whose name looks like a digest.
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

/// Splits off the trailing digests.
fn back(line: &[u8]) -> Option<Split<'_>> {
    let (mut digests, mut rest) = (Vec::new(), scan::trim_end(line));
    let mut gap = None;
    while let Some(blank) = scan::rfind(rest, scan::is_blank)
        && is_digest(&rest[blank + 1..])
        && digests.len() < 16
    {
        let before = scan::trim_end(&rest[..blank]);
        let width = rest[..=blank].len() - before.len();
        // All gaps have the same width; a narrower one is part of the name.
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
    front(line).or_else(|| back(line)).filter(|(digests, _)| digests.iter().any(|digest| is_long_hex(digest)))
}

/// Splits a line with a single digest, which RHash writes in GNU's order.
fn alone(line: &[u8]) -> Option<Split<'_>> {
    let end = scan::find(line, |byte| byte == b' ')?;
    let name = line[end..].strip_prefix(b"  ").filter(|name| !name.is_empty())?;
    is_digest(&line[..end]).then(|| (vec![&line[..end]], name))
}

/// Writes the name first and two spaces before each digest, like RHash 1.4.3. A single digest
/// precedes the name.
fn write(entry: &Entry, style: &Style, out: &mut Vec<u8>) -> Result<(), Unrepresentable> {
    let start = out.len();
    let digests: Vec<String> = entry.digests.iter().map(|(_, digest)| style.spelling.of(digest)).collect();
    match digests.as_slice() {
        [digest] => {
            out.extend_from_slice(format!("{digest}  ").as_bytes());
            out.extend_from_slice(&entry.path);
        }
        _ => {
            out.extend_from_slice(&entry.path);
            digests.iter().for_each(|digest| out.extend_from_slice(format!("  {digest}").as_bytes()));
        }
    }
    let line = &out[start..];
    let read = if is_comment(line) { None } else { split(line).or_else(|| alone(line)) };
    let same = |(found, name): Split<'_>| {
        name == entry.path
            && found.len() == digests.len()
            && found.iter().zip(&digests).all(|(a, b)| *a == b.as_bytes())
    };
    // The name may look like another digest, or begin with a byte order mark.
    let marks = [&b"\xff\xfe"[..], b"\xfe\xff", b"\xef\xbb\xbf"];
    if !read.is_some_and(same) || marks.iter().any(|mark| entry.path.starts_with(mark)) {
        return Err(Unrepresentable::Edge);
    }
    out.push(b'\n');
    Ok(())
}

fn is_comment(line: &[u8]) -> bool {
    line.starts_with(b";")
        || is_after_slashes(line)
        || scan::trim(line) == b"MD5\t\t\t\t\tSHA-1"
        || is_heading(line)
}

/// Returns true for the header lines of `fciv -both`.
fn is_heading(line: &[u8]) -> bool {
    let dashes = !line.is_empty() && scan::all(line, |byte| matches!(byte, b'-' | b' ' | b'\t' | b'\r'));
    let (first, rest) = scan::word(scan::trim_start(line));
    dashes || first == b"MD5" && scan::trim_end(rest.strip_suffix(b"\r").unwrap_or(rest)) == b"SHA-1"
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if scan::is_empty(line) || is_comment(line) {
        // A comment that lost its end has the next line behind it.
        return if line.starts_with(b";") && split(line).is_some() {
            Err(Reason::DamagedComment)
        } else {
            Ok(None)
        };
    }
    let one = || alone(line);
    let (digests, name) = split(line).or_else(one).ok_or(Reason::NotALine)?;
    let mut entry = Entry { path: name.to_vec(), ..Entry::default() };
    for (at, digest) in digests.iter().enumerate() {
        if digests[..at].iter().any(|other| other.len() == digest.len()) {
            return Err(Reason::Part(
                "two digests of the same length, so their algorithms cannot be determined",
            ));
        }
        entry.digests.push(untagged(digest, options)?);
    }
    Ok(Some(entry))
}
