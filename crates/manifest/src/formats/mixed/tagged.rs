//! Splitting of tagged lines: `SHA256 (name) = digest` (BSD, `--tag`), `SHA256(name)= digest`
//! (OpenSSL 1.1), `SHA2-256(name)= digest` (OpenSSL 3), `(name) = digest` (Solaris).

use crate::digest::{TAG_LIMIT, is_tag};
use crate::scan;
use truesum_hash::Spec;

/// Returns the algorithm's part of a tag, and whether the bytes of the digest are in reverse order,
/// as in `XXH64_LE` (`xxhsum --little-endian`).
pub(crate) fn order(tag: &str) -> (&str, bool) {
    let is = |text: Option<&str>, known: &str| text.is_some_and(|text| text.eq_ignore_ascii_case(known));
    let end = tag.len().saturating_sub(3);
    match tag.get(..end) {
        Some(name) if is(tag.get(end..), "_LE") && is(name.get(..3), "XXH") => (name, true),
        _ => (tag, false),
    }
}

/// Returns whether a tag names a supported algorithm.
pub(crate) fn is_known(tag: &str) -> bool {
    order(tag).0.parse::<Spec>().is_ok()
}

/// The components of a tagged line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tagged<'a> {
    /// Empty if the line has no tag.
    pub(crate) tag: &'a str,
    pub(crate) name: &'a [u8],
    pub(crate) digest: &'a [u8],
}

/// Splits a tagged line. The name ends at the last `)`, so it may contain `) = `.
pub(crate) fn split(line: &[u8]) -> Option<Tagged<'_>> {
    let open = scan::find(&line[..line.len().min(TAG_LIMIT + 16)], |byte| byte == b'(')?;
    let tag = scan::trim_end(&line[..open]);
    if !is_tag(tag) {
        return None;
    }
    let body = &line[open + 1..];
    let close = scan::rfind(body, |byte| byte == b')')?;
    let [b'=', digest @ ..] = scan::trim_start(&body[close + 1..]) else { return None };
    Some(Tagged {
        tag: std::str::from_utf8(tag).ok()?,
        name: &body[..close],
        digest: scan::trim_start(digest),
    })
}
