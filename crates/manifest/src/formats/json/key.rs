//! The meaning of keys in JSON objects, determined once for each key of a document.

use crate::algorithm::Stated;
use crate::digest::{TAG_LIMIT, is_nearly, is_nearly_algorithm, is_tag};
use std::collections::HashMap;
use truesum_hash::{Spec, SpecError};

/// Keys of names, in order of preference.
const NAMES: &[&str] = &["path", "filename", "file", "name", "key"];

/// Keys of URLs, whose last component is the name.
const ADDRESSES: &[&str] = &["resolved", "tarball", "url"];

/// Keys of digests whose algorithm is part of the value, in another member, or implied by the
/// length.
const DIGESTS: &[&str] = &["digest", "hash", "checksum", "integrity"];

/// Keys of the algorithm next to a digest, and keys of the digest next to an algorithm.
const ALGORITHMS: &[&str] = &[
    "algorithm",
    "alg",
    "hashalgorithm",
    "hashalg",
    "checksumalgorithm",
    "digestalgorithm",
    "hashtype",
    "type",
];
const VALUES: &[&str] = &["value", "content", "checksumvalue", "hash", "digest", "checksum"];

const SIZES: &[&str] = &["size", "length", "bytes", "filesize"];

/// Keys of values that contain entries, or the digests of one entry.
const LISTS: &[&str] = &[
    "files",
    "assets",
    "artifacts",
    "entries",
    "checksums",
    "hashes",
    "digests",
    "sums",
    "sha256sums",
    "sha512sums",
    "md5sums",
];

/// Keys of values that contain digests of the enclosing object. Only these assign digests to
/// another object.
const HOLDERS: &[&str] = &["hashes", "checksums", "digests", "hash", "checksum", "digest"];

/// Maximum number of cached keys: a map of names has as many keys as files.
const MEMORY: usize = 1024;

/// A possible meaning of a key, which may have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum Meaning {
    Name = 1,
    Address = 2,
    /// The name in base64, for names that are not UTF-8.
    Base64 = 4,
    Digest = 8,
    /// The value is the name of an algorithm.
    Algorithm = 16,
    Value = 32,
    Size = 64,
    List = 128,
    Holder = 256,
    /// The key itself is the name of an algorithm.
    Tag = 512,
    /// The media type of a blob.
    Media = 1024,
}

/// The meanings of a key, and its rank among keys with the same meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Key {
    senses: u16,
    pub(super) rank: u8,
    /// Index of the algorithm in [`Keys`].
    tag: u16,
}

impl Key {
    pub(super) fn is(self, sense: Meaning) -> bool {
        self.senses & sense as u16 != 0
    }

    /// Returns true if the value is a digest of the object, in any form.
    pub(super) fn holds_digest(self) -> bool {
        self.is(Meaning::Digest) || self.is(Meaning::Tag) || self.is(Meaning::Holder)
    }
}

/// The keys encountered so far, and the algorithms that they name.
#[derive(Default)]
pub(super) struct Keys {
    known: HashMap<String, Key>,
    tags: Vec<String>,
}

impl Keys {
    /// Returns the meaning of a key.
    pub(super) fn key(&mut self, text: &str) -> Key {
        if text.len() > TAG_LIMIT {
            return Key::default();
        }
        if let Some(key) = self.known.get(text) {
            return *key;
        }
        let key = self.look(text);
        if self.known.len() < MEMORY {
            self.known.insert(text.to_owned(), key);
        }
        key
    }

    /// Returns the algorithm that the key names.
    pub(super) fn tag(&self, key: Key) -> Option<&str> {
        key.is(Meaning::Tag).then(|| self.tags[usize::from(key.tag)].as_str())
    }

    fn look(&mut self, text: &str) -> Key {
        let plain = plain(text);
        let mut key = Key::default();
        for (sense, words) in [
            (Meaning::Name, NAMES),
            (Meaning::Address, ADDRESSES),
            (Meaning::Base64, &["pathbase64"]),
            (Meaning::Digest, DIGESTS),
            (Meaning::Algorithm, ALGORITHMS),
            (Meaning::Value, VALUES),
            (Meaning::Size, SIZES),
            (Meaning::List, LISTS),
            (Meaning::Holder, HOLDERS),
            (Meaning::Media, &["mediatype"]),
        ] {
            if let Some(rank) = words.iter().position(|word| *word == plain) {
                key.senses |= sense as u16;
                // A word in several lists has its rank in the last one.
                key.rank = rank as u8;
            }
        }
        if let Some(name) = algorithm(text) {
            let tag = self.tags.iter().position(|known| *known == name).unwrap_or_else(|| {
                self.tags.push(name);
                self.tags.len() - 1
            });
            key.senses |= Meaning::Tag as u16;
            key.tag = tag as u16;
        }
        key
    }
}

/// Returns true if the key resembles that of a digest, and is probably damaged or mistyped.
pub(super) fn is_nearly_digest(text: &str) -> bool {
    let plain = plain(text);
    let known = |words: &[&str]| words.iter().any(|word| is_nearly(plain.as_bytes(), word.as_bytes()));
    known(DIGESTS) || known(HOLDERS) || known(LISTS) || is_nearly_algorithm(text.as_bytes())
}

/// Returns true if the key names an algorithm that truesum does not implement.
pub(super) fn is_other_algorithm(text: &str) -> bool {
    let stem = plain(text);
    let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    matches!(Stated::of(stem), Some(Stated::Other(_)))
}

/// Returns true if the key resembles that of a name.
pub(super) fn is_nearly_name(text: &str) -> bool {
    let plain = plain(text);
    let known = |words: &[&str]| words.iter().any(|word| is_nearly(plain.as_bytes(), word.as_bytes()));
    known(NAMES) || known(ADDRESSES) || known(&["pathbase64", "mediatype"])
}

/// Normalizes a key for comparison: lower case, without hyphens, underscores and spaces. A long
/// key is a file name and yields an empty string.
fn plain(key: &str) -> String {
    if key.len() > TAG_LIMIT {
        return String::new();
    }
    key.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns the algorithm that a key names: `sha256`, `SHA-256`, `sha256sum`, `md5Checksum` or
/// `md5_digest`.
fn algorithm(key: &str) -> Option<String> {
    if !is_tag(key.as_bytes()) || key.len() < 2 {
        return None;
    }
    // A known algorithm with invalid parameters still counts, so its digest is reported as an
    // error.
    let known =
        |name: &str| !matches!(name.parse::<Spec>(), Err(SpecError::Unknown(_) | SpecError::NotHere(_)));
    let lower = key.to_ascii_lowercase();
    let ends = ["sum", "checksum", "hash", "digest"];
    let stems =
        ends.iter().filter_map(|end| lower.strip_suffix(end)).map(|stem| stem.trim_end_matches(['_', '-']));
    let mut names = std::iter::once(lower.as_str()).chain(stems).map(str::to_owned);
    names.find(|name| known(name)).or_else(|| {
        // PyPI writes `blake2b_256`.
        let hyphens = lower.replace('_', "-");
        known(&hyphens).then_some(hyphens)
    })
}
