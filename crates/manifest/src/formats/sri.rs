//! Subresource Integrity (W3C SRI) of files: `sha512-BASE64 name`, as written by srisum. A line
//! may have several digests, separated by spaces.

use crate::digest::{is_nearly_algorithm, of_bytes};
use crate::formats::prelude::*;

pub(crate) static SRI: Format = Format {
    name: "sri",
    file_names: &[".sri"],
    summary: "algorithm, base64 digest and name, as written by srisum (subresource integrity)",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["sha512", "sha384", "sha256", "sha1", "md5"]),
        names: Names::Literal { forbidden: b"\n\r", not_first: b" \t*", not_last: b" \t" },
        ..Capabilities::DIGESTS
    },
    // A single digest without a name belongs to the format `bare`.
    sniff: |head| head.begun(|line| split(line).is_some_and(|(_, name)| !name.is_empty() && name != b"\r")),
    reading: Reading::lines(|options| LineParser::of(options, row)),
    writing: Writing::Entries(write),
    ..Format::DEFAULT
};

/// Splits a word into algorithm and base64 digest. Returns `None` if it does not look like one.
fn digest(word: &[u8]) -> Option<(&str, &[u8])> {
    let (name, text) = scan::cut(word, b'-')?;
    // A question mark introduces options, of which none are defined yet.
    let text = scan::cut(text, b'?').map_or(text, |(text, _)| text);
    let known =
        matches!(name, b"sha512" | b"sha384" | b"sha256" | b"sha1" | b"md5") || is_nearly_algorithm(name);
    let is_text =
        text.len() >= 22 && scan::all(text, |byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
    (known && is_text).then(|| std::str::from_utf8(name).ok().map(|name| (name, text))).flatten()
}

/// The leading digests and the name of a line.
type Split<'a> = (Vec<(&'a str, &'a [u8])>, &'a [u8]);

fn split(line: &[u8]) -> Option<Split<'_>> {
    let mut rest = scan::trim(line);
    let mut digests = Vec::new();
    while digests.len() < 16 {
        let end = scan::find(rest, scan::is_blank).unwrap_or(rest.len());
        let Some(found) = digest(&rest[..end]) else { break };
        digests.push(found);
        rest = scan::trim_start(&rest[end..]);
    }
    (!digests.is_empty()).then_some((digests, rest))
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if scan::is_empty(line) {
        return Ok(None);
    }
    let (digests, name) = split(line).ok_or(Reason::NotALine)?;
    let mut entry = Entry { path: name.to_vec(), ..Entry::default() };
    for (algorithm, text) in digests {
        let bytes = radix::base64(text).ok_or(Reason::Part("the digest is not base64"))?;
        let found = of_bytes(algorithm, &bytes, options)?;
        if entry.digests.iter().any(|(spec, _)| *spec == found.0) {
            return Err(Reason::Part("two digests of the same algorithm"));
        }
        entry.digests.push(found);
    }
    Ok(Some(entry))
}

fn write(entry: &Entry, _: &Style, out: &mut Vec<u8>) -> Result<(), Unrepresentable> {
    for (spec, found) in &entry.digests {
        out.extend_from_slice(format!("{spec}-{} ", found.to_base64()).as_bytes());
    }
    // A name that begins like a digest would be read as another one.
    let first = &entry.path[..scan::find(&entry.path, scan::is_blank).unwrap_or(entry.path.len())];
    if digest(first).is_some() {
        return Err(Unrepresentable::Edge);
    }
    out.extend_from_slice(&entry.path);
    out.push(b'\n');
    Ok(())
}
