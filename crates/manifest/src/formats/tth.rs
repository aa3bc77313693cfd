//! Tiger tree hashes in GNU format: 39 characters of base32, two spaces, the name.

use crate::digest::of_bytes;
use crate::format::Spelling;
use crate::formats::prelude::*;
use crate::path::unescape;

pub(crate) static TTH: Format = Format {
    name: "tth",
    file_names: &[".tth"],
    summary: "Tiger tree hash in base32, two spaces, name, as written by tthsum and RHash --tth",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["tth"]),
        names: Names::Literal { forbidden: b"\n\r\\", not_first: b"", not_last: b" \t" },
        ..Capabilities::DIGESTS
    },
    sniff: |head| {
        head.begun(|line| {
            let (word, name) = scan::word(line);
            word.len() == 39 && radix::base32(word).is_some() && !name.is_empty()
        })
    },
    reading: Reading::lines(|options| LineParser::of(options, row)),
    writing: Writing::Entries(write),
    ..Format::DEFAULT
};

/// The length of a Tiger tree hash in bytes.
const LENGTH: usize = 24;

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if scan::is_empty(line) {
        return Ok(None);
    }
    let end = scan::find(line, scan::is_blank).ok_or(Reason::NotALine)?;
    let (word, rest) = line.split_at(end);
    let name = rest.strip_prefix(b"  ").or(rest.strip_prefix(b" *")).ok_or(Reason::NotALine)?;
    // RHash writes other digests of this length in the same form; the name of the file names them.
    let other = options.expected().iter().find(|spec| spec.digest_len() == LENGTH).map(Spec::to_string);
    let bytes = radix::base32(word).ok_or(Reason::Part("the digest is not base32"))?;
    let (spec, digest) = of_bytes(other.as_deref().unwrap_or("tth"), &bytes, options)?;
    // tthsum escapes backslashes and line breaks and writes digests in upper case. RHash does neither, and writes Windows
    // paths with single backslashes.
    let has_escapes = || !word.iter().any(u8::is_ascii_lowercase);
    let is_doubled = || name.split(|&byte| byte != b'\\').all(|run| run.len() % 2 == 0);
    let unescaped = if has_escapes() || is_doubled() { unescape(name) } else { None };
    Ok(Some(Entry::new(&unescaped.unwrap_or_else(|| name.to_vec()), spec, digest)))
}

/// Writes digests in upper case like tthsum, or in lower case like RHash if base32 was requested
/// explicitly.
fn write(entry: &Entry, style: &Style, out: &mut Vec<u8>) -> Result<(), Unrepresentable> {
    let (_, digest) = entry.only_digest()?;
    let text = digest.to_base32();
    let text = if style.spelling == Spelling::Base32 { text } else { text.to_ascii_uppercase() };
    out.extend_from_slice(text.as_bytes());
    out.extend_from_slice(b"  ");
    out.extend_from_slice(&entry.path);
    out.push(b'\n');
    Ok(())
}
