//! The parts of an S3 object as returned by its API in JSON: `get-object-attributes` with
//! `ObjectParts`, and `list-parts`.
//!
//! Parts follow each other in the order of their numbers, so their offsets can be computed from
//! the sizes if the list begins with the first part. A checksum of type `COMPOSITE` covers the
//! checksums of the parts and is compared with them.

use super::nameless::{self, ROW};
use crate::digest::in_any_base;
use crate::entry::{Entry, PieceList, SIZE_LIMIT};
use crate::format::{Claim, Format, Head, Options, Parts, Reading, Sign};
use crate::line::{Line, LineError, Place, Reason};
use crate::records::refused;
use crate::scan;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use truesum_hash::{Digest, Spec};

pub(crate) static S3_PARTS: Format = Format {
    name: "s3-parts",
    file_names: &[],
    summary: "parts of an S3 object, from get-object-attributes or list-parts; locates damage",
    sniff,
    reading: Reading::document(64 << 20, parse),
    ..ROW
};

/// Number of checksums that a part may have, including the MD5 digest in its ETag.
const CHECKSUMS: usize = 6;

/// The response about an object.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Object {
    key: Option<String>,
    #[serde(rename = "ETag")]
    etag: Option<String>,
    object_size: Option<u64>,
    checksum: Option<Sums>,
    object_parts: Option<List>,
    parts: Option<Vec<Part>>,
    #[serde(default)]
    is_truncated: bool,
    /// The continuation token of the AWS CLI, if the list is incomplete.
    next_token: Option<IgnoredAny>,
    part_number_marker: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct List {
    #[serde(default)]
    parts: Vec<Part>,
    #[serde(default)]
    is_truncated: bool,
    part_number_marker: Option<u64>,
    total_parts_count: Option<u64>,
    /// The name of the count in the service's own responses.
    parts_count: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Part {
    part_number: u64,
    size: Option<u64>,
    #[serde(rename = "ETag")]
    etag: Option<String>,
    #[serde(flatten)]
    sums: Sums,
}

#[derive(Default, Deserialize)]
struct Sums {
    #[serde(rename = "ChecksumSHA256")]
    sha256: Option<String>,
    #[serde(rename = "ChecksumSHA1")]
    sha1: Option<String>,
    #[serde(rename = "ChecksumCRC64NVME")]
    crc64: Option<String>,
    #[serde(rename = "ChecksumCRC32C")]
    crc32c: Option<String>,
    #[serde(rename = "ChecksumCRC32")]
    crc32: Option<String>,
    #[serde(rename = "ChecksumType")]
    kind: Option<String>,
    #[serde(flatten)]
    others: BTreeMap<String, IgnoredAny>,
}

impl Sums {
    /// Returns all algorithms, with their digests if present.
    fn all(&self) -> [(&'static str, Option<&str>); CHECKSUMS - 1] {
        [
            ("sha256", self.sha256.as_deref()),
            ("sha1", self.sha1.as_deref()),
            ("crc64nvme", self.crc64.as_deref()),
            ("crc32c", self.crc32c.as_deref()),
            ("crc32", self.crc32.as_deref()),
        ]
    }
}

impl Sums {
    /// Returns the names of checksums whose algorithms this module does not know.
    fn unread(&self) -> impl Iterator<Item = String> {
        let checksums = self.others.keys().filter(|name| name.starts_with("Checksum"));
        checksums.filter(|name| *name != "ChecksumAlgorithm").cloned()
    }
}

impl Part {
    /// Returns all algorithms, including the MD5 digest that a part's ETag may be.
    fn all(&self) -> [(&'static str, Option<&str>); CHECKSUMS] {
        let [a, b, c, d, e] = self.sums.all();
        let plain = |etag: &'_ String| etag.trim_matches('"').len() == 32;
        [
            a,
            b,
            c,
            d,
            e,
            ("md5", self.etag.as_ref().filter(|etag| plain(etag)).map(|etag| etag.trim_matches('"'))),
        ]
    }
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let text = head.text;
    let first = scan::find(text, |byte| !byte.is_ascii_whitespace())?;
    scan::count(2 * text.len());
    let holds = |word: &[u8]| text.windows(word.len()).any(|part| part == word);
    let parts = || holds(b"\"ObjectParts\"") || holds(b"\"Parts\"");
    (text[first] == b'{' && holds(b"\"PartNumber\"") && parts()).then_some(Claim { sign: Sign::Mark, at: 0 })
}

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let object: Object = serde_json::from_slice(&text).map_err(|error| {
        let what = Reason::Message(format!("not a JSON document ({error})"));
        LineError { at: Place::Byte(0), reason: what }
    })?;
    let (parts, truncated, marker, count) = match (object.object_parts, object.parts) {
        (Some(list), _) => (
            list.parts,
            list.is_truncated,
            list.part_number_marker,
            list.total_parts_count.or(list.parts_count),
        ),
        (None, Some(parts)) => {
            (parts, object.is_truncated || object.next_token.is_some(), object.part_number_marker, None)
        }
        (None, None) => return Err(refused(0, "an object without a list of its parts")),
    };
    if marker.is_some_and(|marker| marker > 0) {
        return Err(refused(
            0,
            "the list does not begin with the first part, so the part offsets are unknown",
        ));
    }
    if !truncated && count.is_some_and(|count| count != parts.len() as u64) {
        return Err(refused(0, "parts are missing from the list"));
    }
    let mut ranges = Vec::with_capacity(parts.len());
    let (mut end, mut last) = (0u64, 0);
    for part in &parts {
        if part.part_number <= last {
            return Err(refused(0, "the parts are not in the order of their numbers"));
        }
        last = part.part_number;
        let start = end;
        let size = part.size.ok_or(refused(0, "a part without a size"))?;
        let next = start.checked_add(size).filter(|end| *end <= SIZE_LIMIT);
        end = next.ok_or(refused(0, "the total size of the parts is too large"))?;
        ranges.push(start..end);
    }
    let size = object.object_size.or((!truncated).then_some(end));
    if size.is_none() {
        return Err(refused(0, "the list of parts is truncated, and the object size is unknown"));
    }
    if size.is_some_and(|size| size < end || !truncated && size != end) {
        return Err(refused(0, "the parts do not add up to the object size"));
    }
    let mut entry = Entry { size, ..Entry::default() };
    entry.path = match &object.key {
        Some(key) => key.clone().into_bytes(),
        None => nameless::name(options, &[".parts.json", ".json"])?,
    };
    // A gap in the part numbers may be a missing part: numbers need not be consecutive.
    let numbers = (1..).zip(&parts).find(|(number, part)| part.part_number != *number);
    let missing =
        numbers.filter(|_| object.object_size.is_none()).map(|(number, _)| format!("part {number}"));
    for column in 0..CHECKSUMS {
        entry.pieces.extend(list(&parts, &ranges, column, options)?);
    }
    let sums = object.checksum.unwrap_or_default();
    entry.unread =
        sums.unread().chain(parts.first().into_iter().flat_map(|part| part.sums.unread())).collect();
    entry.unread.dedup();
    entry.unread.extend(missing);
    // The digest of an empty part is part of the composite checksum, but not of the piece list.
    let of_parts = |name: &str| {
        let is = |list: &&PieceList| {
            list.spec().to_string() == name && list.digests().len() == list.spec().digest_len() * parts.len()
        };
        entry.pieces.iter().find(is).filter(|_| !truncated)
    };
    for (name, digest) in sums.all().into_iter().filter_map(|(name, digest)| Some((name, digest?))) {
        let composite = of_parts(name).map(|list| composite(name, digest, list, parts.len()));
        match (sums.kind.as_deref(), composite) {
            (Some("COMPOSITE"), Some(held)) => held?,
            (None, Some(Ok(()))) => {}
            (Some("COMPOSITE"), None) => entry.unread.push(format!("composite {name}")),
            (None, None) if digest.contains('-') => entry.unread.push(format!("composite {name}")),
            _ => {
                let found = in_any_base(name, digest.as_bytes(), options);
                entry.digests.push(found.map_err(|reason| LineError { at: Place::Byte(0), reason })?);
            }
        }
    }
    // The ETag of an encrypted object is not an MD5 digest, and the response does not show
    // whether it is encrypted.
    if let Some(etag) = object.etag.as_ref().map(|etag| etag.trim_matches('"')) {
        match of_parts("md5").filter(|_| etag.contains('-')) {
            Some(list) => composite("md5", etag, list, parts.len())?,
            None => entry.unread.push("ETag".to_owned()),
        }
    }
    if entry.pieces.is_empty() && entry.digests.is_empty() {
        return Err(refused(0, "no type of checksum is present in all parts"));
    }
    Ok(Box::new(std::iter::once(Ok(Line { at: Place::Byte(0), entry }))))
}

/// Compares a checksum of checksums, which the number of parts may follow, with the digests of
/// the listed parts.
///
/// # Errors
/// It does not match.
fn composite(name: &str, digest: &str, list: &PieceList, parts: usize) -> Result<(), LineError> {
    let found = Digest::from_hex(digest.as_bytes()).or_else(|_| Digest::from_base64(digest.as_bytes()));
    let made = name.parse::<Spec>().map(|spec| spec.digest(list.digests()));
    match (found, made) {
        (Ok(found), Ok(made))
            if found.as_bytes() == made.as_bytes()
                && found.parts().is_none_or(|count| count == parts as u64) =>
        {
            Ok(())
        }
        _ => Err(refused(0, "the object's checksum does not match those of its parts")),
    }
}

/// Returns the piece list of the checksums in `column`, or `None` if no part has one that was
/// requested.
///
/// # Errors
/// A checksum is invalid, or only some of the parts have one.
fn list(
    parts: &[Part],
    ranges: &[std::ops::Range<u64>],
    column: usize,
    options: &Options,
) -> Result<Option<PieceList>, LineError> {
    let mut found: Vec<(Spec, Digest)> = Vec::new();
    for part in parts {
        let (name, Some(digest)) = part.all()[column] else { continue };
        let read = in_any_base(name, digest.as_bytes(), options);
        match read {
            // The algorithm was not requested.
            Err(Reason::NotRequested(_)) => {}
            Err(reason) => return Err(LineError { at: Place::Byte(0), reason }),
            Ok(read) => found.push(read),
        }
    }
    let Some((spec, _)) = found.first() else { return Ok(None) };
    if found.len() != parts.len() {
        return Err(refused(0, "a checksum is missing from some of the parts"));
    }
    // An empty object has one empty part.
    let kept = ranges.iter().zip(&found).filter(|(range, _)| !range.is_empty());
    let (ranges, digests): (Vec<_>, Vec<&[u8]>) =
        kept.map(|(range, (_, digest))| (range.clone(), digest.as_bytes())).unzip();
    let list = PieceList::of_ranges(spec.clone(), ranges, digests.concat().into());
    list.map(Some).ok_or(refused(0, "the parts are not contiguous"))
}
