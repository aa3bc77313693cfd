//! The parts of an S3 object as returned by its API in JSON: `get-object-attributes` with
//! `ObjectParts`, and `list-parts`.
//!
//! Parts follow each other in the order of their numbers, so their offsets can be computed from
//! the sizes if the list begins with the first part. A checksum of type `COMPOSITE` covers the
//! checksums of the parts and is compared with them.

use super::nameless::{self, ROW};
use crate::digest::in_any_base;
use crate::entry::{PieceList, SIZE_LIMIT};
use crate::formats::prelude::*;
use crate::json::Members;
use crate::records::refused;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

pub(crate) static S3_PARTS: Format = Format {
    name: "s3-parts",
    summary: "parts of an S3 object, from get-object-attributes or list-parts; locates damage",
    sniff,
    reading: Reading::document(64 << 20, parse),
    ..ROW
};

/// The members with checksums of an object or a part, and their algorithms. The last one is only in
/// parts: the ETag of a part that is not encrypted.
const CHECKSUMS: [(&str, &str); 6] = [
    ("ChecksumSHA256", "sha256"),
    ("ChecksumSHA1", "sha1"),
    ("ChecksumCRC64NVME", "crc64nvme"),
    ("ChecksumCRC32C", "crc32c"),
    ("ChecksumCRC32", "crc32"),
    ("ETag", "md5"),
];

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
    /// The list itself, in the response of `list-parts`.
    #[serde(flatten)]
    list: List,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct List {
    parts: Option<Vec<Part>>,
    #[serde(default)]
    is_truncated: bool,
    /// The continuation token of the AWS CLI, if the list is incomplete.
    next_token: Option<IgnoredAny>,
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
    #[serde(flatten)]
    sums: Sums,
}

/// The other members of an object or a part, among which are its checksums.
#[derive(Default, Deserialize)]
struct Sums(Members<Value>);

impl Sums {
    /// Returns the string under this key. Another value is not a checksum.
    fn text(&self, key: &str) -> Option<&str> {
        let (_, value) = self.0.0.iter().find(|(known, value)| known == key && !value.is_null())?;
        Some(value.as_str().unwrap_or_default())
    }

    /// Returns the names of checksums whose algorithms this module does not know.
    fn unread(&self) -> impl Iterator<Item = String> {
        let is_known = |name: &str| {
            matches!(name, "ChecksumType" | "ChecksumAlgorithm")
                || CHECKSUMS.iter().any(|(key, _)| *key == name)
        };
        self.0
            .0
            .iter()
            .map(|(name, _)| name)
            .filter(move |name| name.starts_with("Checksum") && !is_known(name))
            .cloned()
    }
}

impl Part {
    /// Returns the checksum under this key. An ETag of another length is not an MD5 digest.
    fn checksum(&self, key: &str) -> Option<&str> {
        match self.sums.text(key)? {
            etag if key == "ETag" => Some(etag.trim_matches('"')).filter(|md5| md5.len() == 32),
            digest => Some(digest),
        }
    }
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let text = head.text;
    let first = scan::find(text, |byte| !byte.is_ascii_whitespace())?;
    let holds = |word: &[u8]| scan::contains(text, word);
    let parts = || holds(b"\"ObjectParts\"") || holds(b"\"Parts\"");
    Claim::mark(text[first] == b'{' && holds(b"\"PartNumber\"") && parts())
}

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let object: Object = serde_json::from_slice(&text).map_err(|error| {
        let what = Reason::Message(format!("not a readable JSON document ({error})"));
        LineError { at: Place::Byte(0), reason: what }
    })?;
    let list = object.object_parts.unwrap_or(object.list);
    let parts = list.parts.ok_or(refused(0, "an object without a list of its parts"))?;
    let truncated = list.is_truncated || list.next_token.is_some();
    let count = list.total_parts_count.or(list.parts_count);
    if list.part_number_marker.is_some_and(|marker| marker > 0) {
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
            return Err(refused(0, "the part numbers are not in ascending order"));
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
        return Err(refused(0, "the part sizes do not add up to the object size"));
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
    for checksum in CHECKSUMS {
        entry.pieces.extend(list_of(&parts, &ranges, checksum, options)?);
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
    for (key, name) in CHECKSUMS {
        let Some(digest) = sums.text(key) else { continue };
        let composite = of_parts(name).map(|list| composite(name, digest, list, parts.len()));
        match (sums.text("ChecksumType"), composite) {
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
        return Err(refused(0, "neither the object nor any part has a usable checksum"));
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
        _ => Err(refused(0, "the object's checksum does not match the checksums of its parts")),
    }
}

/// Returns the piece list of the checksums under a key, or `None` if no part has one that was
/// requested.
///
/// # Errors
/// A checksum is invalid, or only some of the parts have one.
fn list_of(
    parts: &[Part],
    ranges: &[std::ops::Range<u64>],
    (key, name): (&str, &str),
    options: &Options,
) -> Result<Option<PieceList>, LineError> {
    let mut found: Vec<(Spec, Digest)> = Vec::new();
    for part in parts {
        let Some(digest) = part.checksum(key) else { continue };
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
