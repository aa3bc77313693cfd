//! `distinfo` of the BSD ports: tagged lines, and `SIZE (name) = bytes` lines with the size of
//! the same file.

use crate::digest;
use crate::formats::mixed::{is_damaged, tagged::split};
use crate::formats::prelude::*;
use crate::gather::EntryCollector;

pub(crate) static DISTINFO: Format = Format {
    name: "distinfo",
    file_names: &["distinfo"],
    summary: "distinfo files of BSD ports: TAG (name) = digest, and SIZE (name) = bytes",
    capabilities: Capabilities {
        names: Names::Literal { forbidden: b"\n\r", not_first: b"", not_last: b"" },
        size: true,
        ..Capabilities::DIGESTS
    },
    sniff,
    reading: Reading::lines(|options| Box::new(Distinfo { options: options.clone(), ..Distinfo::default() })),
    writing: Writing::Manifest(|_| Box::new(Table)),
    ..Format::DEFAULT
};

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let size =
        |line: &[u8]| split(line).is_some_and(|line| is_size(line.tag) && bytes(line.digest).is_some());
    let mut tagged = false;
    for (at, line) in head.lines(b'\n').enumerate() {
        if size(line) && tagged {
            return Some(Claim { sign: Sign::Mark, at });
        }
        tagged |= split(line).is_some();
    }
    None
}

fn is_size(tag: &str) -> bool {
    tag.eq_ignore_ascii_case("size")
}

/// Parses a number of bytes, with NetBSD's optional suffix ` bytes`.
fn bytes(text: &[u8]) -> Option<u64> {
    let text = scan::trim_end(text.strip_suffix(b"\r").unwrap_or(text));
    scan::decimal(text.strip_suffix(b" bytes").unwrap_or(text))
}

#[derive(Default)]
struct Distinfo {
    options: Options,
    place: Place,
    deferred: EntryCollector,
}

impl Parse for Distinfo {
    fn at(&mut self, place: Place) {
        self.place = place;
    }

    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        let stamp = line.strip_prefix(b"TIMESTAMP = ").is_some_and(|time| scan::decimal(time).is_some());
        let keyword = line.starts_with(b"$NetBSD") && line.ends_with(b"$");
        if line.starts_with(b"#") && is_damaged(line) {
            return Err(Reason::DamagedComment);
        }
        if scan::is_empty(line) || line.starts_with(b"#") || stamp || keyword {
            return Ok(None);
        }
        let found = split(line).ok_or(Reason::NotALine)?;
        if found.name.is_empty() {
            return Err(Reason::EmptyName);
        }
        let mut entry = Entry { path: found.name.to_vec(), ..Entry::default() };
        if is_size(found.tag) {
            entry.size = Some(bytes(found.digest).ok_or(Reason::Size)?);
        } else if found.digest != b"IGNORE" {
            entry.digests.push(digest::tagged(found.tag, scan::trim_end(found.digest), &self.options)?);
        }
        self.deferred.add(self.place, entry)
    }

    fn has_kept_line(&self) -> bool {
        true
    }

    fn deferred(&mut self) -> Vec<LineResult> {
        self.deferred.take()
    }
}

/// A writer of FreeBSD's form.
struct Table;

impl Compose for Table {
    fn entry(&mut self, entry: &Entry, text: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        let size = entry.size.ok_or(Unrepresentable::NoSize)?;
        let tags = entry.digests.iter().map(|(spec, digest)| (spec.tag(), digest.to_hex()));
        for (tag, value) in tags.chain([("SIZE".to_owned(), size.to_string())]) {
            text.extend_from_slice(format!("{tag} (").as_bytes());
            text.extend_from_slice(&entry.path);
            text.extend_from_slice(format!(") = {value}\n").as_bytes());
        }
        Ok(())
    }
}
