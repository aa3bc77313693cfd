//! `RECORD` of Python wheels and installed packages (PEP 376, PEP 427):
//! `name,algorithm=digest,size` in CSV.

use super::csv::fields::Fields;
use crate::digest::{is_long_hex, of_bytes, tagged};
use crate::formats::prelude::*;

pub(crate) static RECORD: Format = Format {
    name: "recordcsv",
    file_names: &["record"],
    summary: "RECORD of a Python wheel: name, digest and size (CSV)",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["sha256", "sha384", "sha512"]),
        names: Names::Literal { forbidden: b"\n\r", not_first: b"", not_last: b"" },
        size: true,
        exempt: is_own,
        ..Capabilities::DIGESTS
    },
    sniff,
    reading: Reading::lines(|options| LineParser::of(options, row)),
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
fn split(line: &[u8]) -> Option<[Vec<u8>; 3]> {
    let row: [Vec<u8>; 3] = Fields::new(line, b',').row(3).ok()?.try_into().ok()?;
    (line.starts_with(b"\"") || !row[0].contains(&b'"')).then_some(row)
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let mut own = false;
    let claim = head.whole_or_possible(|line| {
        let [_, digest, size] = split(line)?;
        own |= digest.starts_with(b"sha") && digest.contains(&b'=') && scan::decimal(&size).is_some();
        (digest.is_empty() || digest.contains(&b'=')).then_some(true)
    });
    claim.filter(|_| own)
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if line.is_empty() {
        return Ok(None);
    }
    let [path, digest, size] = split(line).ok_or(Reason::NotALine)?;
    let size = match &size[..] {
        b"" => None,
        size => Some(scan::decimal(size).ok_or(Reason::Size)?),
    };
    if digest.is_empty() {
        return Ok(Some(Entry { path, size, ..Entry::default() }));
    }
    let (name, digest) = scan::cut(&digest, b'=').ok_or(Reason::NotALine)?;
    let name = std::str::from_utf8(name).ok().filter(|name| name.len() <= 32).ok_or(Reason::NotALine)?;
    // Debian writes hexadecimal.
    let found = match is_long_hex(digest) {
        true => tagged(name, digest, options)?,
        false => {
            let bytes = radix::base64(digest).ok_or(Reason::Part("the digest is not base64"))?;
            of_bytes(name, &bytes, options)?
        }
    };
    Ok(Some(Entry { path, size, digests: vec![found], ..Entry::default() }))
}

/// A writer of `RECORD`.
struct Table;

impl Compose for Table {
    fn is_self_contained(&self) -> bool {
        true
    }

    fn entry(&mut self, entry: &Entry, text: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        let (spec, digest) = entry.only_digest()?;
        let size = entry.size.ok_or(Unrepresentable::NoSize)?;
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
