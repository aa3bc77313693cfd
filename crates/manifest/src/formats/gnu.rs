//! Lines of the GNU `*sum` programs: a digest, a space, the mode character (space or `*`), and
//! the name.

use crate::algorithm::usual;
use crate::digest::starts_with_digest;
use crate::entry::Entry;
use crate::format::{
    AlgorithmSource, Capabilities, Format, Reading, Style, Syntax, Unrepresentable, Writing,
};
use crate::formats::bsd::{BSD, BSD_Z};
use crate::formats::hashdeep::piece;
use crate::formats::mixed::Mixed;
use crate::{path, scan};

pub(crate) static GNU: Format = Format {
    name: "gnu",
    file_names: &["sum", "sums", "sum.txt", "sums.txt", ".md5", ".sha1", ".sha256", ".sha512", ".b2", ".b3"],
    summary: "digest and name, separated by two spaces or a space and *, as written by sha256sum",
    capabilities: Capabilities { algorithm_source: AlgorithmSource::Elsewhere, ..Capabilities::DIGESTS },
    sniff: |head| head.first(b'\n', is_line),
    syntax: Syntax::Any,
    reading: Reading::lines(|options| Box::new(Mixed::new(options, b'\n'))),
    writing: Writing::Entries(|entry, style, out| write(entry, style, b'\n', out)),
    tagged: Some(&BSD),
    rules: None,
    comment: Some("#"),
};

pub(crate) static GNU_Z: Format = Format {
    name: "gnu-z",
    summary: "gnu with NUL-terminated lines and unescaped names (sha256sum -z)",
    capabilities: Capabilities { algorithm_source: AlgorithmSource::Elsewhere, ..Capabilities::DIGESTS },
    sniff: |head| head.first(0, starts_with_digest),
    reading: Reading::Lines { terminator: 0, parser: |options| Box::new(Mixed::new(options, 0)) },
    writing: Writing::Entries(|entry, style, out| write(entry, style, 0, out)),
    tagged: Some(&BSD_Z),
    ..Format::DEFAULT
};

fn is_line(line: &[u8]) -> bool {
    let line = scan::trim_start(line);
    starts_with_digest(line.strip_prefix(b"\\").unwrap_or(line))
}

fn write(entry: &Entry, style: &Style, terminator: u8, out: &mut Vec<u8>) -> Result<(), Unrepresentable> {
    // Without a tag, only the length of a digest distinguishes algorithms.
    if entry.digests.len() > 1 {
        for (spec, _) in &entry.digests {
            if usual(spec.digest_len()).as_ref() != Some(spec) {
                return Err(Unrepresentable::Untagged(spec.clone()));
            }
        }
    }
    // A name such as `a offset 0-5` would be read as a piece in a list of md5deep unless it is marked as escaped.
    let escape = terminator != 0 && (path::needs_escape(&entry.path) || piece(&entry.path).is_some());
    for (_, digest) in &entry.digests {
        if escape {
            out.push(b'\\');
        }
        style.spelling.append(digest, out);
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
