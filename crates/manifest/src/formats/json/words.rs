//! The forms of texts: digests in any spelling, sizes with units, URLs.

use crate::digest::{MIN_DIGITS, is_hex, is_like, is_tag};
use crate::radix;
use crate::records::stated;
use std::borrow::Cow;
use truesum_hash::Spec;

/// Returns true if the text may be a digest, intact or damaged, rather than a word.
pub(super) fn like_digest(text: &str) -> bool {
    let text = text.as_bytes();
    match stated(text) {
        Some((tag, digest)) => {
            let tag = std::str::from_utf8(tag).ok().filter(|tag| is_tag(tag.as_bytes()));
            tag.is_some_and(|tag| tag.parse::<Spec>().is_ok()) && !digest.is_empty()
        }
        None => {
            let long = |bytes: Vec<u8>| matches!(bytes.len(), 16 | 20 | 28 | 32 | 48 | 64);
            text.len() <= 256
                && (text.len() >= 8 && is_hex(text)
                    || text.len() >= 22 && radix::base64(text).is_some_and(long))
        }
    }
}

/// Returns true if a string in an array is a digest, with or without its algorithm
/// (`ALG:DIGEST`), or a line of a manifest (`DIGEST  NAME`, `ALG (NAME) = DIGEST`).
pub(super) fn holds_digest(text: &str) -> bool {
    let is_digest = |word: &str| {
        let named = stated(word.as_bytes())
            .is_some_and(|(_, digest)| like_digest(word) && (is_hex(digest) || is_like(digest)));
        named || is_like(word.as_bytes())
    };
    let first = text.split_ascii_whitespace().next().unwrap_or_default();
    let tagged = text.rsplit_once(") = ").is_some_and(|(_, digest)| is_digest(digest.trim()));
    is_digest(first.trim_start_matches('\\')) || tagged
}

/// Returns true if a string in a map of digests by algorithm is a digest rather than a date or
/// another number.
pub(super) fn is_digest_of_any_length(text: &str) -> bool {
    let hex = text.len() >= MIN_DIGITS && is_hex(text.as_bytes());
    is_like(text.as_bytes()) || hex && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Returns true for a digest of 32 or 64 bits in base64.
pub(super) fn is_short_base64(text: &str) -> bool {
    text.ends_with('=')
        && text.len() <= 12
        && radix::base64(text.as_bytes()).is_some_and(|bytes| matches!(bytes.len(), 4 | 8))
}

/// Returns true if the string is a damaged hexadecimal digest rather than a word.
pub(super) fn mostly_digits(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_hexdigit).count();
    text.len() >= 16 && digits * 4 > text.len() * 3
}

/// Returns true if a string names a directory other than the root of the list.
pub(super) fn is_below(text: &str) -> bool {
    !matches!(text.trim_matches('/'), "" | ".")
}

/// Names of the unit byte.
pub(super) const BYTES: &[&str] = &["b", "byte", "bytes"];

/// Returns the number in a size in bytes, with or without its unit: `3`, `3 B`, `3 bytes`.
pub(super) fn bytes(size: &str) -> Option<&str> {
    let (digits, unit) = size.split_once(' ').unwrap_or((size, "b"));
    let is_byte = BYTES.iter().any(|word| unit.eq_ignore_ascii_case(word));
    (is_byte && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(digits)
}

/// Returns true for a number with a unit larger than a byte, which is rounded: `1.2 MB`.
pub(super) fn is_rounded(size: &str) -> bool {
    let end = size.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(size.len());
    let unit = size[end..].trim_start().to_ascii_lowercase();
    let units = ["k", "kb", "kib", "m", "mb", "mib", "g", "gb", "gib", "t", "tb", "tib"];
    end > 0 && units.contains(&unit.as_str())
}

/// Returns true for the ETag of an object that was uploaded in parts.
pub(super) fn is_of_parts(etag: &str) -> bool {
    etag.split_once('-').is_some_and(|(hex, parts)| {
        hex.len() == 32
            && is_hex(hex.as_bytes())
            && !parts.is_empty()
            && parts.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Returns the decoded last component of a URL.
pub(super) fn last_of_url(address: &str) -> Option<Cow<'_, [u8]>> {
    radix::url_name(address.as_bytes()).filter(|_| address.contains("://")).map(Cow::Owned)
}
