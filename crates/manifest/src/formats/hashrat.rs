//! Output of `hashrat`: attributes in single quotes, with the digest first and the path last.

use crate::digest::in_any_base;
use crate::entry::ObjectKind;
use crate::formats::prelude::*;

pub(crate) static HASHRAT: Format = Format {
    name: "hashrat",
    summary: "output of hashrat: digests, sizes and paths in attributes with single quotes",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff: |head| head.marked(|line| line.starts_with(b"hash='") && scan::contains(line, b"' path='")),
    reading: Reading::lines(|options| LineParser::of(options, row)),
    ..Format::DEFAULT
};

/// Attributes that are not compared.
const OTHERS: &[&[u8]] = &[b"mode", b"uid", b"gid", b"mtime", b"inode"];

/// Kinds of objects other than regular files, whose digests are not those of content.
const KINDS: &[(&[u8], ObjectKind)] = &[
    (b"link", ObjectKind::Link),
    (b"fifo", ObjectKind::Pipe),
    (b"socket", ObjectKind::Socket),
    (b"chrdev", ObjectKind::Device),
    (b"blkdev", ObjectKind::Device),
];

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if scan::is_empty(line) {
        return Ok(None);
    }
    let (mut digest, mut kind, mut size) = (None, None, None);
    let mut rest = line;
    let path = loop {
        let (key, value) = scan::cut(rest, b'=').ok_or(Reason::NotALine)?;
        let value = value.strip_prefix(b"'").ok_or(Reason::NotALine)?;
        if key == b"path" {
            break unescaped(value.strip_suffix(b"'").ok_or(Reason::NotALine)?);
        }
        let (value, behind) = scan::cut(value, b'\'').ok_or(Reason::NotALine)?;
        let place = match key {
            b"hash" => &mut digest,
            b"type" => &mut kind,
            b"size" => &mut size,
            key if OTHERS.contains(&key) => &mut None,
            _ => return Err(Reason::Part("an unknown attribute")),
        };
        if place.replace(value).is_some() {
            return Err(Reason::Part("a duplicate attribute"));
        }
        rest = behind.strip_prefix(b" ").ok_or(Reason::NotALine)?;
    };
    if path.is_empty() {
        return Err(Reason::EmptyName);
    }
    match kind.ok_or(Reason::NotALine)? {
        b"file" => {}
        kind => match KINDS.iter().find(|(known, _)| *known == kind) {
            Some((_, kind)) => return Err(Reason::NotAFile(*kind, path)),
            None => return Err(Reason::Part("an unknown type of object").of(&path)),
        },
    }
    let size = size.and_then(scan::decimal).ok_or_else(|| Reason::Size.of(&path))?;
    let (algorithm, digest) =
        scan::cut(digest.unwrap_or_default(), b':').ok_or_else(|| Reason::EmptyDigest.of(&path))?;
    let algorithm = std::str::from_utf8(algorithm).map_err(|_| Reason::NotALine)?;
    let found = in_any_base(algorithm, digest, options).map_err(|reason| reason.of(&path))?;
    Ok(Some(Entry { path, size: Some(size), digests: vec![found], ..Entry::default() }))
}

/// Returns a path without the backslashes before quotation marks. No other character is escaped.
fn unescaped(path: &[u8]) -> Vec<u8> {
    scan::count(path.len());
    let is_mark = |at: usize| path[at] == b'\\' && path.get(at + 1) == Some(&b'\'');
    (0..path.len()).filter(|&at| !is_mark(at)).map(|at| path[at]).collect()
}
