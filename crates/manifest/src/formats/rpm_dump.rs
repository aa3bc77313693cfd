//! Output of `rpm -q --dump`: path, size, time, digest, mode, owner, group and four more columns
//! for each file of a package.

use crate::digest::{is_hex, untagged};
use crate::entry::ObjectKind;
use crate::formats::prelude::*;

pub(crate) static RPM_DUMP: Format = Format {
    name: "rpm-dump",
    summary: "output of rpm -q --dump: paths, sizes, modification times and digests of a package's files",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff: |head: &Head<'_>| {
        let claim = head.whole(|line| match is_without_files(line) {
            true => Some(false),
            false => columns(line).map(|_| true),
        })?;
        Some(Claim { sign: Sign::Mark, ..claim })
    },
    reading: Reading::lines(|options| LineParser::of(options, row)),
    ..Format::DEFAULT
};

/// Returns whether a line is printed in place of the files of a package.
fn is_without_files(line: &[u8]) -> bool {
    line == NO_FILES || line.starts_with(b"package ") && line.ends_with(NOT_INSTALLED)
}

const NO_FILES: &[u8] = b"(contains no files)";

const NOT_INSTALLED: &[u8] = b" is not installed";

/// Returns path, size, digest and mode of a line, which has ten columns after the path.
fn columns(line: &[u8]) -> Option<[&[u8]; 4]> {
    let mut rest = line;
    let mut found: [&[u8]; 10] = [&[]; 10];
    for column in found.iter_mut().rev() {
        let blank = scan::rfind(rest, |byte| byte == b' ')?;
        *column = &rest[blank + 1..];
        rest = &rest[..blank];
    }
    let [size, time, digest, mode, _, _, config, doc, ..] = found;
    let flags = matches!((config, doc), (b"0" | b"1", b"0" | b"1"));
    let octal = mode.first() == Some(&b'0') && scan::all(mode, |byte| matches!(byte, b'0'..=b'7'));
    let number = scan::decimal(time).is_some() && scan::decimal(size).is_some();
    let is_digest = matches!(digest.len(), 32 | 40 | 64 | 128) && is_hex(digest);
    (rest.starts_with(b"/") && flags && octal && number && is_digest).then_some([rest, size, digest, mode])
}

/// Returns the kind of an object without content, for which rpm has no digest, by its mode.
fn without_content(mode: &[u8]) -> Option<ObjectKind> {
    let [kind @ .., _, _, _, _] = mode else { return None };
    match kind {
        b"01" => Some(ObjectKind::Pipe),
        b"02" | b"06" => Some(ObjectKind::Device),
        b"04" => Some(ObjectKind::Directory),
        b"012" => Some(ObjectKind::Link),
        b"014" => Some(ObjectKind::Socket),
        _ => None,
    }
}

/// The columns that are not read.
const OTHERS: [&str; 8] = ["time", "mode", "owner", "group", "config", "doc", "rdev", "target"];

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if scan::is_empty(line) || line == NO_FILES {
        return Ok(None);
    }
    if is_without_files(line) {
        return Err(Reason::Part("rpm found no package with this name"));
    }
    let [path, size, digest, mode] = columns(line).ok_or(Reason::NotALine)?;
    let is_digest = |word: &[u8]| matches!(word.len(), 32 | 40 | 64 | 128) && is_hex(word);
    if path.split(|&byte| byte == b' ').any(is_digest) {
        return Err(Reason::Part("two lines joined (a line break is missing)"));
    }
    // A file that the package does not contain (%ghost) has no digest. It is still an entry
    // and is reported as not verified.
    let none = scan::all(digest, |byte| byte == b'0');
    if let Some(kind) = without_content(mode).filter(|_| none) {
        return Err(Reason::NotAFile(kind, path.to_vec()));
    }
    let digests = if none { Vec::new() } else { vec![untagged(digest, options)?] };
    let size = Some(scan::decimal(size).ok_or(Reason::Size)?);
    let attributes = if options.attributes { OTHERS.map(str::to_owned).to_vec() } else { Vec::new() };
    Ok(Some(Entry { path: path.to_vec(), size, digests, attributes, ..Entry::default() }))
}
