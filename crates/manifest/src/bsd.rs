//! Tagged lines: `SHA256 (name) = digest` (BSD, `--tag`), `SHA256(name)= digest` (OpenSSL 1.1), `SHA2-256(name)= digest`
//! (OpenSSL 3), `(name) = digest` (Solaris).

use crate::entry::Entry;
use crate::format::{Format, Style, Unholdable};
use crate::text::Text;
use crate::{path, scan};

/// Longest tag looked up, in bytes.
const TAG_LIMIT: usize = 64;

pub(crate) static BSD: Format = Format {
    name: "bsd",
    file_names: &[],
    summary: "TAG (name) = digest, as BSD and cksum write it; OpenSSL's two forms are read",
    terminator: b'\n',
    sniff,
    parse: |options| Box::new(Text::new(options, b'\n')),
    write,
};

pub(crate) static BSD_Z: Format = Format {
    name: "bsd-z",
    file_names: &[],
    summary: "bsd with NUL for the line end and names as they are",
    terminator: 0,
    sniff,
    parse: |options| Box::new(Text::new(options, 0)),
    write: write_z,
};

/// A tagged line in its parts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tagged<'a> {
    /// Empty where the line has none.
    pub(crate) tag: &'a str,
    pub(crate) name: &'a [u8],
    pub(crate) digest: &'a [u8],
}

/// Whether it has the form of a tag: what is none is not looked up, and never shown.
pub(crate) fn is_tag(text: &[u8]) -> bool {
    let is_tag =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'/' | b'_' | b'.' | b';' | b'=');
    text.len() <= TAG_LIMIT && scan::all(text, is_tag)
}

/// Cuts a tagged line. The name ends at the last `)`, so that a name may hold `) = `.
pub(crate) fn split(line: &[u8]) -> Option<Tagged<'_>> {
    let open = scan::find(&line[..line.len().min(TAG_LIMIT + 16)], |byte| byte == b'(')?;
    let tag = scan::trim_end(&line[..open]);
    if !is_tag(tag) {
        return None;
    }
    let body = &line[open + 1..];
    let close = scan::rfind(body, |byte| byte == b')')?;
    let [b'=', digest @ ..] = scan::trim_start(&body[close + 1..]) else { return None };
    Some(Tagged {
        tag: std::str::from_utf8(tag).ok()?,
        name: &body[..close],
        digest: scan::trim_start(digest),
    })
}

fn sniff(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\\").unwrap_or(line);
    split(line).is_some_and(|line| line.tag.parse::<truesum_hash::Spec>().is_ok())
}

fn write(entry: &Entry, style: &Style, out: &mut Vec<u8>) -> Result<(), Unholdable> {
    let escape = path::needs_escape(&entry.path);
    for (spec, digest) in &entry.digests {
        if escape {
            out.push(b'\\');
        }
        out.extend_from_slice(format!("{} (", spec.tag()).as_bytes());
        if escape {
            path::escape_into(&entry.path, out);
        } else {
            out.extend_from_slice(&entry.path);
        }
        out.extend_from_slice(format!(") = {}\n", style.spelling.of(digest)).as_bytes());
    }
    Ok(())
}

fn write_z(entry: &Entry, style: &Style, out: &mut Vec<u8>) -> Result<(), Unholdable> {
    for (spec, digest) in &entry.digests {
        out.extend_from_slice(format!("{} (", spec.tag()).as_bytes());
        out.extend_from_slice(&entry.path);
        out.extend_from_slice(format!(") = {}\0", style.spelling.of(digest)).as_bytes());
    }
    Ok(())
}
