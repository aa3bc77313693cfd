//! Lines of the GNU `*sum` programs: a digest, a blank, the mode character (blank or `*`), the name.

use crate::algorithm::usual;
use crate::digest::starts_with_digest;
use crate::entry::Entry;
use crate::format::{Format, Style, Unholdable};
use crate::formats::mixed::Mixed;
use crate::path;

pub(crate) static GNU: Format = Format {
    name: "gnu",
    file_names: &["sum", "sums", "sum.txt", "sums.txt", ".md5", ".sha1", ".sha256", ".sha512", ".b2", ".b3"],
    summary: "digest, two characters, name, as sha256sum and its kin write it",
    terminator: b'\n',
    sniff,
    parse: |options| Box::new(Mixed::new(options, b'\n')),
    write: |entry, style, out| write(entry, style, b'\n', out),
};

pub(crate) static GNU_Z: Format = Format {
    name: "gnu-z",
    file_names: &[],
    summary: "gnu with NUL for the line end and names as they are (sha256sum -z)",
    terminator: 0,
    sniff: starts_with_digest,
    parse: |options| Box::new(Mixed::new(options, 0)),
    write: |entry, style, out| write(entry, style, 0, out),
};

fn sniff(line: &[u8]) -> bool {
    starts_with_digest(line.strip_prefix(b"\\").unwrap_or(line))
}

fn write(entry: &Entry, style: &Style, terminator: u8, out: &mut Vec<u8>) -> Result<(), Unholdable> {
    // Without a tag only the length tells two algorithms apart.
    if entry.digests.len() > 1 {
        for (spec, _) in &entry.digests {
            if usual(spec.digest_len()).as_ref() != Some(spec) {
                return Err(Unholdable::Untagged(spec.clone()));
            }
        }
    }
    let escape = terminator != 0 && path::needs_escape(&entry.path);
    for (_, digest) in &entry.digests {
        if escape {
            out.push(b'\\');
        }
        out.extend_from_slice(style.spelling.of(digest).as_bytes());
        out.extend_from_slice(&[b' ', style.mode.char()]);
        if escape {
            path::escape_into(&entry.path, out);
        } else {
            out.extend_from_slice(&entry.path);
        }
        out.push(terminator);
    }
    Ok(())
}
