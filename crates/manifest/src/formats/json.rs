//! Checksum lists in JSON as written by all kinds of programs: maps of names, maps of algorithms,
//! lists of objects, release metadata, npm lock files, checksums of vendored crates, and
//! container image manifests.
//!
//! There is no schema: an object is an entry if it has a name and a digest under recognized keys,
//! and it is a map of names only if nothing inside it is an entry. Values that are neither a name
//! nor a digest are ignored, so unrelated numbers and strings do no harm.

mod classify;
mod digests;
mod document;
mod entry;
pub(super) mod key;
pub(super) mod name;
mod object;
mod role;
mod services;
pub(super) mod vocabulary;
mod walk;
mod words;
mod write;

use crate::formats::prelude::*;
use crate::records::{refused, stopped};
use document::Value;
use key::Key;
use object::Statement;
use role::Role;
use serde::de::{DeserializeSeed, IgnoredAny};
use walk::Traversal;

pub(crate) static JSON: Format = Format {
    name: "json",
    file_names: &[".json"],
    summary: "JSON lists and maps; npm lock files, vendored crates, release metadata, image manifests",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff,
    reading: Reading::document(LIMIT, parse),
    writing: Writing::Manifest(|heading| Box::new(write::List::new(heading))),
    ..Format::DEFAULT
};

const LIMIT: usize = 64 << 20;

/// Claims a document that begins like JSON, unless its first line has the schema of
/// [`jsonl`](super::jsonl).
fn sniff(head: &Head<'_>) -> Option<Claim> {
    let space = |byte: u8| byte.is_ascii_whitespace();
    let text = &head.text[scan::find(head.text, |byte| !space(byte))?..];
    let inside = &text[1..];
    let second = scan::find(inside, |byte| !space(byte)).map(|at| inside[at]);
    let is_json = match text[0] {
        b'{' => matches!(second, Some(b'"' | b'}')),
        b'[' => matches!(second, Some(b'{' | b']')),
        _ => false,
    };
    let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    (is_json && !scan::contains(first, b"\"schema\"")).then_some(Claim { sign: Sign::Whole, at: 0 })
}

/// Returns whether a key is that of a name or URL, and whether it is that of a digest.
pub(super) fn of_entry(key: &str) -> (bool, bool) {
    let key = key::Keys::default().key(key);
    (key.is(key::Meaning::Name) || key.is(key::Meaning::Address), key.holds_digest())
}

pub(super) fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let mut walk = Traversal::new(&text, options);
    let mut begin = 0;
    let mut algorithm: Option<Option<String>> = None;
    // Several documents, one after the other, are JSON Lines.
    while let Some(next) = document(&mut walk, &text[begin..], options)? {
        if algorithm.as_ref().is_some_and(|algorithm| *algorithm != walk.records.algorithm) {
            return Err(refused(begin, "documents that name different algorithms"));
        }
        algorithm = Some(walk.records.algorithm.clone());
        begin += next;
    }
    // A manifest without files is an empty text.
    if walk.records.count() == 0 && walk.at > 0 {
        return Err(refused(
            walk.at,
            "the JSON document has no file names with digests, so it is not a manifest",
        ));
    }
    // They belong to no entry of their own: an entry without a digest would be an error.
    for algorithm in std::mem::take(&mut walk.unsupported) {
        walk.records.unread(algorithm.as_bytes());
    }
    Ok(walk.records.read(options))
}

/// Reads the document at the beginning of the text. Returns the offset of the next one, if there is
/// one on another line.
fn document(walk: &mut Traversal<'_>, text: &[u8], options: &Options) -> Result<Option<usize>, LineError> {
    let before = walk.records.count();
    let mut json = serde_json::Deserializer::from_slice(text);
    let top =
        Value { walk, key: "", sense: Key::default(), within: Key::default(), role: Role::Top, group: None };
    let read = top.deserialize(&mut json).and_then(|statement| {
        let end = json.into_iter::<IgnoredAny>().byte_offset();
        let rest = &text[end..];
        let blank = scan::find(rest, |byte| !byte.is_ascii_whitespace()).unwrap_or(rest.len());
        let follows = matches!(rest.get(blank), Some(b'{' | b'[')) && rest[..blank].contains(&b'\n');
        match follows {
            true => Ok((statement, Some(end + blank))),
            false => serde_json::Deserializer::from_slice(rest).end().map(|()| (statement, None)),
        }
    });
    let (statement, next) = read.map_err(|error| {
        if options.stopped() {
            return stopped(walk.at);
        }
        let what = Reason::Message(format!("not a readable JSON document ({error})"));
        LineError { at: Place::Byte(walk.at as u64), reason: what }
    })?;
    if matches!(statement, Statement::Listed) {
        walk.records.bad(walk.at, "a digest in an array of strings, which is not supported");
    }
    if walk.records.count() == before && (before > 0 || next.is_some()) {
        walk.records.bad(walk.at, "a document without names and digests");
    }
    Ok(next)
}
