//! `RECORD` of Python wheels and installed packages (PEP 376, PEP 427):
//! `name,algorithm=digest,size` in CSV.

use crate::digest::of_bytes;
use crate::entry::Entry;
use crate::format::{
    Algorithms, Claim, Compose, EachLine, Format, Head, Holds, Names, Options, Reading, Sign, Unholdable,
    Writing,
};
use crate::line::Reason;
use crate::{radix, scan};

pub(crate) static RECORD: Format = Format {
    name: "recordcsv",
    file_names: &["record"],
    summary: "RECORD of a Python wheel: name, digest and size (CSV)",
    holds: Holds {
        algorithms: Algorithms::Only(&["sha256", "sha384", "sha512"]),
        names: Names::Literal { nowhere: b"\n\r", not_first: b"", not_last: b"" },
        size: true,
        exempt: is_own,
        ..Holds::DIGESTS
    },
    sniff,
    reading: Reading::lines(|options| EachLine::of(options, row)),
    writing: Writing::Manifest(|_| Box::new(Table)),
    ..Format::DEFAULT
};

/// Returns true for files that cannot have a digest: the manifest itself and its signatures. The
/// specification exempts compiled files (`.pyc`) too, but they are executed and should be
/// verified.
fn is_own(name: &[u8]) -> bool {
    [&b".dist-info/RECORD"[..], b".dist-info/RECORD.jws", b".dist-info/RECORD.p7s"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Splits a row into name, digest with algorithm, and size.
fn split(line: &[u8]) -> Option<(Vec<u8>, &[u8], &[u8])> {
    let last = scan::rfind(line, |byte| byte == b',')?;
    let middle = scan::rfind(&line[..last], |byte| byte == b',')?;
    let name = match &line[..middle] {
        [b'"', name @ .., b'"'] => unquote(name)?,
        name if name.contains(&b'"') || name.contains(&b',') => return None,
        name => name.to_vec(),
    };
    Some((name, &line[middle + 1..last], &line[last + 1..]))
}

/// Decodes the contents of a quoted field, in which quotes are doubled.
fn unquote(text: &[u8]) -> Option<Vec<u8>> {
    scan::count(text.len());
    let mut name = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        if byte == b'"' && bytes.next() != Some(&b'"') {
            return None;
        }
        name.push(byte);
    }
    Some(name)
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let (mut first, mut all, mut own) = (None, true, false);
    for (at, line) in head.lines(b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            continue;
        }
        first.get_or_insert(at);
        let row = split(line);
        own |= row.as_ref().is_some_and(|(_, digest, size)| {
            digest.starts_with(b"sha") && digest.contains(&b'=') && scan::decimal(size).is_some()
        });
        all &= row.is_some_and(|(_, digest, _)| digest.is_empty() || digest.contains(&b'='));
    }
    let sign = if all { Sign::Whole } else { Sign::Possible };
    own.then_some(Claim { sign, at: first? })
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if line.is_empty() {
        return Ok(None);
    }
    let (path, digest, size) = split(line).ok_or(Reason::NotALine)?;
    let size = match size {
        b"" => None,
        size => Some(scan::decimal(size).ok_or(Reason::Size)?),
    };
    if digest.is_empty() {
        return Ok(Some(Entry { path, size, ..Entry::default() }));
    }
    let (name, digest) = scan::cut(digest, b'=').ok_or(Reason::NotALine)?;
    let name = std::str::from_utf8(name).ok().filter(|name| name.len() <= 32).ok_or(Reason::NotALine)?;
    let bytes = radix::base64(digest).ok_or(Reason::Part("the digest is not base64"))?;
    let found = of_bytes(name, &bytes, options)?;
    Ok(Some(Entry { path, size, digests: vec![found], ..Entry::default() }))
}

/// A writer of `RECORD`.
struct Table;

impl Compose for Table {
    fn stands_alone(&self) -> bool {
        true
    }

    fn entry(&mut self, entry: &Entry, text: &mut Vec<u8>) -> Result<(), Unholdable> {
        let [(spec, digest)] = entry.digests.as_slice() else {
            return Err(Unholdable::Twice(entry.digests[0].0.clone()));
        };
        let size = entry.size.ok_or(Unholdable::NoSize)?;
        // Quote the name if it could begin with a byte order mark.
        if entry.path[0] >= 0x80 || entry.path.contains(&b'"') || entry.path.contains(&b',') {
            let doubled: Vec<&[u8]> = entry.path.split(|&byte| byte == b'"').collect();
            text.push(b'"');
            text.extend_from_slice(&doubled.join(&b"\"\""[..]));
            text.push(b'"');
        } else {
            text.extend_from_slice(&entry.path);
        }
        let value = data_encoding::BASE64URL_NOPAD.encode(digest.as_bytes());
        text.extend_from_slice(format!(",{spec}={value},{size}\n").as_bytes());
        Ok(())
    }
}
