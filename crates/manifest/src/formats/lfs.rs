//! Files that describe another one with keys and values: Git LFS pointers, which are in a repository
//! in place of the content of a file, and the properties of Android's updates. Also the output of
//! `git lfs ls-files --long`.

use crate::digest::{is_hex, tagged};
use crate::formats::prelude::*;

pub(crate) static POINTER: Format = Format {
    name: "lfs-pointer",
    summary: "Git LFS pointer: size and SHA-256 of the file with the pointer's name",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["sha256"]),
        size: true,
        ..Capabilities::DIGESTS
    },
    sniff: |head| {
        head.begins(&[
            b"version https://git-lfs.github.com/spec/",
            b"version https://hawser.github.com/spec/",
        ])
    },
    reading: Reading::document(1024, parse),
    ..Format::DEFAULT
};

pub(crate) static LS_FILES: Format = Format {
    name: "lfs-ls-files",
    summary: "output of git lfs ls-files --long: SHA-256, * or - (content or pointer), name",
    capabilities: Capabilities { algorithms: Algorithms::Only(&["sha256"]), ..Capabilities::DIGESTS },
    sniff: |head| {
        let mut has_pointer = false;
        let claim = head.whole(|line| {
            has_pointer |= line.get(64..).is_some_and(|rest| rest.starts_with(b" - "));
            split(line).map(|_| true)
        })?;
        // If all lines have a `*`, they may also be GNU lines of names that begin with a blank, so the
        // manifest's name decides.
        Some(Claim { sign: if has_pointer { Sign::Whole } else { Sign::Shape }, ..claim })
    },
    reading: Reading::lines(|options| LineParser::of(options, row)),
    ..Format::DEFAULT
};

pub(crate) static PAYLOAD: Format = Format {
    name: "payload-properties",
    file_names: &["payload_properties.txt"],
    summary: "payload_properties.txt of Android updates: size and SHA-256 of payload.bin",
    sniff: |head| head.begun(|line| line.starts_with(b"FILE_HASH=")),
    reading: Reading::document(4096, |text, options| {
        let is_known = |line: &[u8]| {
            scan::cut(line, b'=')
                .is_some_and(|(key, _)| scan::all(key, |byte| matches!(byte, b'A'..=b'Z' | b'_')))
        };
        one_file(&text, [b"FILE_HASH=", b"FILE_SIZE="], is_known, b"payload.bin", options)
    }),
    ..POINTER
};

/// The end of the name of a pointer's copy.
const COPY: &[u8] = b".pointer";

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    let own = options.file_name.as_deref().unwrap_or_default();
    let own = own.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let is_known = |line: &[u8]| {
        [&b"version "[..], b"oid sha256:", b"size ", b"ext-"].iter().any(|key| line.starts_with(key))
    };
    let name = own.strip_suffix(COPY).unwrap_or(own);
    one_file(&text, [b"oid sha256:", b"size "], is_known, name, options)
}

/// Returns the only entry of a text with the digest and the size of a file after these keys, and an error for each line
/// that is not known.
fn one_file(
    text: &[u8],
    keys: [&[u8]; 2],
    is_known: impl Fn(&[u8]) -> bool,
    name: &[u8],
    options: &Options,
) -> Result<Parts, LineError> {
    let error = |reason| LineError { at: Place::Byte(0), reason };
    let rows = || text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let value = |key: &[u8]| {
        let mut values = rows().filter_map(|line| line.strip_prefix(key));
        values.next().filter(|_| values.next().is_none()).map(scan::trim_end)
    };
    let [digest, size] = keys.map(value);
    let digest = digest.ok_or(error(Reason::EmptyDigest))?;
    let size = size.and_then(scan::decimal).ok_or(error(Reason::Size))?;
    let (spec, digest) = tagged("sha256", digest, options).map_err(error)?;
    if name.is_empty() {
        return Err(error(Reason::EmptyName));
    }
    let entry = Entry { size: Some(size), ..Entry::new(name, spec, digest) };
    let lines = rows().zip(1..);
    let others = lines.filter(|(line, _)| !scan::is_empty(line) && !is_known(line));
    let errors: Vec<LineResult> =
        others.map(|(_, at)| Err(LineError { at: Place::Line(at), reason: Reason::NotALine })).collect();
    Ok(Box::new(std::iter::once(Ok(Line { at: Place::Byte(0), entry })).chain(errors)))
}

/// Splits a line into digest and name. A GNU line has the same form if its name begins with a blank.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (digest, rest) = line.split_at_checked(64)?;
    let name = rest.strip_prefix(b" * ").or(rest.strip_prefix(b" - "))?;
    (is_hex(digest) && !name.is_empty() && !scan::is_blank(name[0])).then_some((digest, name))
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if scan::is_empty(line) {
        return Ok(None);
    }
    let (digest, name) = split(line).ok_or(Reason::NotALine)?;
    let (spec, digest) = tagged("sha256", digest, options)?;
    Ok(Some(Entry::new(name, spec, digest)))
}
