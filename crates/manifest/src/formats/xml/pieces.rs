//! Digests of pieces inside a file's element: `pieces` of Metalink, and `byte_run` of Digital
//! Forensics XML.

use crate::digest::in_any_base;
use crate::entry::{Boundaries, PieceList, SIZE_LIMIT};
use crate::formats::prelude::*;
use crate::records::{Records, refused};
use quick_xml::escape;
use quick_xml::events::BytesStart;
use quick_xml::events::attributes::Attribute;
use std::borrow::Cow;
use std::ops::Range;
use truesum_hash::SpecError;

/// The representation of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats) enum Pieces {
    /// The format has no pieces.
    No,
    /// A `pieces` element with `length` and `type`, which contains a `hash` per piece, in order.
    Rows,
    /// A `byte_run` element per piece, which contains a `hashdigest` per `type`.
    Runs,
}

/// Maximum number of algorithms for the pieces of a file.
const MAX_ALGORITHMS: usize = 16;

/// The pieces found in the element of one file.
#[derive(Default)]
pub(super) struct PieceCollector {
    lists: Vec<List>,
    /// Depth of the open element, and the range of its piece.
    open: Option<(usize, Open)>,
    fault: Option<&'static str>,
    /// Unknown algorithms with digests of pieces.
    unread: Vec<String>,
}

struct List {
    spec: Spec,
    /// The piece length, if all pieces have the same one.
    len: Option<u64>,
    ranges: Vec<Range<u64>>,
    digests: Vec<u8>,
    count: u64,
}

enum Open {
    /// A `pieces` element with its algorithm, which may be unknown.
    Row {
        tag: String,
        list: Option<usize>,
    },
    Run(Option<Range<u64>>),
}

impl PieceCollector {
    /// Handles the start of an element inside a file's element. Returns the algorithm if its text
    /// is the digest of a piece.
    ///
    /// # Errors
    /// An attribute is malformed.
    pub(super) fn start(
        &mut self,
        kind: Pieces,
        tag: &BytesStart<'_>,
        depth: usize,
        at: usize,
    ) -> Result<Option<String>, LineError> {
        let attribute = |key: &str| attribute(tag, key, at);
        match (kind, tag.local_name().as_ref(), &self.open) {
            (Pieces::Rows, b"pieces", None) => {
                let len = attribute("length")?.and_then(|len| scan::decimal(len.trim().as_bytes()));
                match len.filter(|len| (1..=SIZE_LIMIT).contains(len)) {
                    Some(len) => self.row(len, attribute("type")?.unwrap_or_default(), depth),
                    None => self.fail("pieces without a valid length"),
                }
                Ok(None)
            }
            (Pieces::Rows, b"hash", Some((open, Open::Row { tag, list }))) if depth == open + 1 => {
                let count = list.map_or(0, |list| self.lists[list].count);
                let (tag, number) = (tag.clone(), attribute("piece")?);
                if list.is_some() && number.is_some_and(|number| number.trim() != count.to_string()) {
                    self.fail("the pieces are not in order");
                }
                Ok(Some(tag))
            }
            (Pieces::Runs, b"byte_run", None) => {
                let number = |key| {
                    attribute(key).map(|text| text.and_then(|text| scan::decimal(text.trim().as_bytes())))
                };
                let (start, len) = (number("file_offset")?, number("len")?.or(number("bytes")?));
                let range = start.zip(len).and_then(|(start, len)| Some(start..start.checked_add(len)?));
                self.open = Some((depth, Open::Run(range)));
                Ok(None)
            }
            (Pieces::Runs, b"hashdigest", Some((open, Open::Run(range)))) if depth == open + 1 => {
                if range.is_none() {
                    self.fail("a piece digest without a valid offset and length");
                }
                attribute("type").map(|tag| Some(tag.unwrap_or_default()))
            }
            _ => Ok(None),
        }
    }

    fn row(&mut self, len: u64, tag: String, depth: usize) {
        let spec: Result<Spec, SpecError> = tag.trim().parse();
        let list = spec.ok().map(|spec| self.list(&spec, Some(len)));
        self.open = Some((depth, Open::Row { tag, list: list.flatten() }));
    }

    /// Returns the index of the list for this algorithm, which is created if necessary. Returns
    /// `None` if there are too many.
    fn list(&mut self, spec: &Spec, len: Option<u64>) -> Option<usize> {
        let known = self
            .lists
            .iter()
            .position(|list| list.spec == *spec && (len.is_none() || list.len == len && list.count == 0));
        if known.is_none() && self.lists.len() < MAX_ALGORITHMS {
            let list = List { spec: spec.clone(), len, ranges: Vec::new(), digests: Vec::new(), count: 0 };
            self.lists.push(list);
            return Some(self.lists.len() - 1);
        }
        known
    }

    /// Adds the digest of a piece.
    pub(super) fn digest(&mut self, tag: &str, text: &str, options: &Options) {
        let (spec, digest): (Spec, Digest) = match in_any_base(tag.trim(), text.as_bytes(), options) {
            Ok(found) => found,
            // Another digest of the same piece may have been requested.
            Err(Reason::NotRequested(_)) => return,
            Err(reason) => match reason.unknown() {
                Some(name) if self.unread.iter().any(|known| known == name) => return,
                Some(name) => return self.unread.push(name.to_owned()),
                None => return self.fail("an invalid piece digest"),
            },
        };
        let (list, range) = match &self.open {
            Some((_, Open::Row { list, .. })) => (*list, None),
            Some((_, Open::Run(Some(range)))) => {
                let range = range.clone();
                // The only piece of an empty file.
                if range.is_empty() {
                    return;
                }
                (self.list(&spec, None), Some(range))
            }
            _ => return,
        };
        let Some(list) = list.and_then(|list| self.lists.get_mut(list)) else { return };
        if list.spec != spec {
            return self.fail("an invalid piece digest");
        }
        list.digests.extend_from_slice(digest.as_bytes());
        list.ranges.extend(range);
        list.count += 1;
    }

    /// Handles the end of the element at this depth.
    pub(super) fn end(&mut self, depth: usize) {
        if self.open.as_ref().is_some_and(|(open, _)| *open == depth) {
            self.open = None;
        }
    }

    fn fail(&mut self, what: &'static str) {
        self.fault.get_or_insert(what);
    }

    /// Returns the piece lists of a file of the given size in bytes.
    ///
    /// # Errors
    /// Returns the first error found in the pieces.
    pub(super) fn lists(
        self,
        size: Option<u64>,
        records: &mut Records,
    ) -> Result<Vec<PieceList>, &'static str> {
        self.unread.iter().for_each(|name| records.unread(name.as_bytes()));
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        self.lists.into_iter().filter(|list| list.count > 0).map(|list| list.read(size)).collect()
    }
}

impl List {
    fn read(self, size: Option<u64>) -> Result<PieceList, &'static str> {
        let List { spec, len, ranges, digests, count } = self;
        let Some(len) = len else {
            let behind = ranges.last().is_some_and(|last| size.is_some_and(|size| last.end > size));
            let list = PieceList::of_ranges(spec, ranges, digests.into()).filter(|_| !behind);
            return list.ok_or("the pieces overlap, are not in order or extend beyond the end of the file");
        };
        let all = count.checked_mul(len).filter(|all| *all <= SIZE_LIMIT);
        let covered = 0..size.or(all).ok_or("the total size of the pieces is too large")?;
        let digest_len = spec.digest_len();
        let list = PieceList::of(spec, Boundaries::Equal { covered, len }, digests.into(), digest_len);
        let list = list.ok_or("the number of pieces does not match the file size")?;
        Ok(if size.is_none() { list.ending_with_file() } else { list })
    }
}

/// Returns the value of an attribute, or `None` if the tag does not have it.
///
/// # Errors
/// The attribute is malformed, occurs twice, or contains an unknown entity.
fn attribute(tag: &BytesStart<'_>, key: &str, at: usize) -> Result<Option<String>, LineError> {
    let mut found = None;
    let mut attributes = tag.attributes();
    // The built-in check for duplicates takes quadratic time.
    for attribute in attributes.with_checks(false) {
        let attribute = attribute.map_err(|_| refused(at, "a malformed attribute"))?;
        if attribute.key.local_name().as_ref() == key.as_bytes()
            && found.replace(attribute_value(&attribute, at)?).is_some()
        {
            return Err(refused(at, "a duplicate attribute"));
        }
    }
    Ok(found)
}

/// Returns the value of an attribute.
///
/// # Errors
/// The value contains an unknown entity.
pub(super) fn attribute_value(attribute: &Attribute<'_>, at: usize) -> Result<String, LineError> {
    let raw = std::str::from_utf8(&attribute.value).map_err(|_| refused(at, "not UTF-8"))?;
    let value = escape::unescape(raw);
    value.map(Cow::into_owned).map_err(|_| refused(at, "an entity that is not predefined in XML"))
}
