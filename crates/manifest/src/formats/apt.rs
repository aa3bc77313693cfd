//! Output of `apt-get --print-uris`: a URL in quotes, the name of the file that apt creates, its size and its digest.

use crate::digest::{contains_like, labeled};
use crate::formats::prelude::*;

pub(crate) static APT_URIS: Format = Format {
    name: "apt-uris",
    summary: "output of apt-get --print-uris: URL, name, size and digest of each download",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff: |head| head.marked(|line| split(line).is_some()),
    reading: Reading::lines(|options| LineParser::of(options, row)),
    ..Format::DEFAULT
};

/// The beginnings of messages that apt-get prints around the list without `-qq`.
const MESSAGES: &[&str] = &[
    "Reading ",
    "Building dependency tree",
    "Calculating upgrade",
    "The following ",
    "Suggested packages:",
    "Recommended packages:",
    "Need to get ",
    "After this operation",
];

/// Splits a line into the name, the size and the rest.
fn split(line: &[u8]) -> Option<(&[u8], u64, &[u8])> {
    let (url, rest) = scan::cut(line.strip_prefix(b"'")?, b'\'')?;
    let (name, rest) = scan::word(rest.strip_prefix(b" ")?);
    let (size, digest) = scan::word(rest);
    let size = scan::decimal(size)?;
    (scan::contains(url, b":") && !name.is_empty()).then_some((name, size, scan::trim_end(digest)))
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    let Some((name, size, digest)) = split(line) else {
        let is_count = line.first().is_some_and(u8::is_ascii_digit) && scan::contains(line, b" upgraded, ");
        let is_message = MESSAGES.iter().any(|begin| line.starts_with(begin.as_bytes()))
            || is_count
            || line.first().copied().is_none_or(scan::is_blank);
        return if is_message && !contains_like(line) { Ok(None) } else { Err(Reason::NotALine) };
    };
    if digest.is_empty() {
        return Err(Reason::EmptyDigest.of(name));
    }
    let (tag, digest) = scan::cut(digest, b':').ok_or(Reason::NotALine)?;
    let tag = if tag == b"MD5Sum" { b"MD5" } else { tag };
    let (spec, digest) = labeled(tag, digest, options).map_err(|reason| reason.of(name))?;
    Ok(Some(Entry { size: Some(size), ..Entry::new(name, spec, digest) }))
}
