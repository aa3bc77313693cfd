//! Tagged lines: `SHA256 (name) = digest` (BSD, `--tag`), `SHA256(name)= digest` (OpenSSL 1.1),
//! `SHA2-256(name)= digest` (OpenSSL 3), `(name) = digest` (Solaris).

use crate::digest::starts_with_digest;
use crate::entry::Entry;
use crate::format::{Format, Reading, Style, Unrepresentable, Writing};
use crate::formats::mixed::{Mixed, tagged::is_known as is_known_tag, tagged::split};
use crate::{path, scan};

pub(crate) static BSD: Format = Format {
    name: "bsd",
    summary: "TAG (name) = digest, as written by BSD tools and cksum; reads OpenSSL's forms too",
    sniff: |head| head.first(b'\n', is_known),
    reading: Reading::lines(|options| Box::new(Mixed::new(options, b'\n'))),
    writing: Writing::Entries(write),
    comment: Some("#"),
    ..Format::DEFAULT
};

pub(crate) static BSD_Z: Format = Format {
    name: "bsd-z",
    summary: "bsd with NUL-terminated lines and unescaped names",
    sniff: |head| head.first(0, |line| split(line).is_some() && !starts_with_digest(line)),
    reading: Reading::Lines { terminator: 0, parser: |options| Box::new(Mixed::new(options, 0)) },
    writing: Writing::Entries(write_z),
    ..Format::DEFAULT
};

/// Returns true for a tagged line with a known algorithm.
fn is_known(line: &[u8]) -> bool {
    let line = scan::trim_start(line);
    let line = line.strip_prefix(b"\\").unwrap_or(line);
    split(line).is_some_and(|line| is_known_tag(line.tag))
}

fn write(entry: &Entry, style: &Style, out: &mut Vec<u8>) -> Result<(), Unrepresentable> {
    let escape = path::needs_escape(&entry.path);
    for (spec, digest) in &entry.digests {
        if escape {
            out.push(b'\\');
        }
        out.extend_from_slice(spec.tag().as_bytes());
        out.extend_from_slice(b" (");
        if escape {
            path::escape_into(&entry.path, out);
        } else {
            out.extend_from_slice(&entry.path);
        }
        out.extend_from_slice(b") = ");
        style.spelling.append(digest, out);
        out.push(b'\n');
    }
    Ok(())
}

fn write_z(entry: &Entry, style: &Style, out: &mut Vec<u8>) -> Result<(), Unrepresentable> {
    for (spec, digest) in &entry.digests {
        out.extend_from_slice(spec.tag().as_bytes());
        out.extend_from_slice(b" (");
        out.extend_from_slice(&entry.path);
        out.extend_from_slice(b") = ");
        style.spelling.append(digest, out);
        out.push(0);
    }
    Ok(())
}
