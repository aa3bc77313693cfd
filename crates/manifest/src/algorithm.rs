//! Which algorithm a digest is of, where its line does not say: the manifest's name, or the digest's length.

use crate::scan;
use truesum_hash::{ALGORITHMS, Spec};

/// The algorithm that the name of a manifest tells: `SHA256SUMS`, `sha512sum.txt`, `B3SUMS`, `x.iso.md5`,
/// `checksums_sha1.txt`.
///
/// Only parts that say they are about checksums count, so that `tiger.txt` is a text about tigers.
pub fn algorithm_from_name(file_name: &[u8]) -> Option<Spec> {
    let base = &file_name[scan::rfind(file_name, |byte| byte == b'/').map_or(0, |at| at + 1)..];
    let base = std::str::from_utf8(base).ok()?.to_ascii_lowercase();
    let mut stem = base.as_str();
    while let Some((rest, "txt" | "asc" | "sig" | "gpg" | "pgp" | "signed" | "list")) = stem.rsplit_once('.')
    {
        stem = rest;
    }
    // The whole name, or its extension.
    if let Some(spec) = named(stem, Plain::Allowed) {
        return Some(spec);
    }
    if let Some((_, extension)) = stem.rsplit_once('.')
        && let Some(spec) = named(extension, Plain::Allowed)
    {
        return Some(spec);
    }
    // Its words. A bare algorithm counts only beside a word for checksums.
    let words: Vec<&str> = stem.split(['.', '_', '-', ' ', '+']).filter(|word| !word.is_empty()).collect();
    let about = |word: &&str| {
        matches!(*word, "checksum" | "checksums" | "sum" | "sums" | "digest" | "digests" | "hash" | "hashes")
    };
    let plain = if words.iter().any(about) { Plain::Allowed } else { Plain::Refused };
    let mut found: Vec<Spec> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let pair = words.get(at + 1).map(|next| format!("{}-{next}", words[at]));
        let (spec, used) = match pair.and_then(|pair| named(&pair, plain)) {
            Some(spec) => (Some(spec), 2),
            None => (named(words[at], plain), 1),
        };
        found.extend(spec);
        at += used;
    }
    found.dedup();
    if found.len() == 1 { found.pop() } else { None }
}

/// Whether the bare name of an algorithm is enough.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plain {
    Allowed,
    Refused,
}

/// The algorithm of a word such as `sha256`, `sha256sums`, `b2sum`.
fn named(word: &str, plain: Plain) -> Option<Spec> {
    let bare = ["sums", "sum"].iter().find_map(|suffix| word.strip_suffix(suffix));
    let bare = bare.map(|bare| bare.trim_end_matches(['-', '_']));
    let name = match (bare, plain) {
        (Some(""), _) => return None,
        (Some(bare), _) => bare,
        (None, Plain::Allowed) => word,
        (None, Plain::Refused) => return None,
    };
    name.parse().ok().or_else(|| word.parse().ok())
}

/// The algorithm that a digest of this many bytes has where nothing tells it.
pub fn usual(digest_len: usize) -> Option<Spec> {
    let name = match digest_len {
        4 => "crc32",
        16 => "md5",
        20 => "sha1",
        28 => "sha224",
        32 => "sha256",
        48 => "sha384",
        64 => "sha512",
        _ => return None,
    };
    name.parse().ok()
}

/// Names of all algorithms whose digests have this many bytes at their usual length: what a bare digest could be.
pub fn same_length(digest_len: usize) -> Vec<&'static str> {
    ALGORITHMS.iter().filter(|row| row.digest_len == digest_len).map(|row| row.name).collect()
}
