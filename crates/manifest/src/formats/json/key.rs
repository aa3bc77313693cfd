//! What a key of a JSON object says of its value, found out once for each key of a document.

use crate::algorithm::Stated;
use crate::digest::{TAG_LIMIT, is_nearly, is_nearly_algorithm, is_tag};
use std::collections::HashMap;
use truesum_hash::{Spec, SpecError};

/// Keys of names, the best first.
const NAMES: &[&str] = &["path", "filename", "file", "name", "key"];

/// Keys of addresses: the name is their last part.
const ADDRESSES: &[&str] = &["resolved", "tarball", "url"];

/// Keys of digests that say their algorithm themselves, or have it beside them.
const DIGESTS: &[&str] = &["digest", "hash", "checksum", "integrity"];

/// Keys of the algorithm beside a digest, and of a digest beside it.
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

/// Keys of what holds entries, or digests of one.
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

/// Keys of what holds digests of the object that has the key: nothing else speaks for another.
const HOLDERS: &[&str] = &["hashes", "checksums", "digests", "hash", "checksum", "digest"];

/// Most keys remembered: a map of names has as many as files.
const MEMORY: usize = 1024;

/// What a key may say; several at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum Sense {
    Name = 1,
    Address = 2,
    /// The bytes of a name that is not UTF-8.
    Base64 = 4,
    Digest = 8,
    /// The algorithm's name stands in the value.
    Algorithm = 16,
    Value = 32,
    Size = 64,
    List = 128,
    Holder = 256,
    /// The key is an algorithm's name.
    Tag = 512,
    /// The type of a blob.
    Media = 1024,
}

/// What a key says, and how good it is among those that say the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Key {
    senses: u16,
    pub(super) rank: u8,
    /// Where [`Keys`] has the algorithm.
    tag: u16,
}

impl Key {
    pub(super) fn is(self, sense: Sense) -> bool {
        self.senses & sense as u16 != 0
    }

    /// Whether a digest of the object stands under it, in whatever form.
    pub(super) fn holds_digest(self) -> bool {
        self.is(Sense::Digest) || self.is(Sense::Tag) || self.is(Sense::Holder)
    }
}

/// The keys seen so far, and the algorithms that they name.
#[derive(Default)]
pub(super) struct Keys {
    known: HashMap<String, Key>,
    tags: Vec<String>,
}

impl Keys {
    /// What a key says.
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

    /// The algorithm that the key names.
    pub(super) fn tag(&self, key: Key) -> Option<&str> {
        key.is(Sense::Tag).then(|| self.tags[usize::from(key.tag)].as_str())
    }

    fn look(&mut self, text: &str) -> Key {
        let plain = plain(text);
        let mut key = Key::default();
        for (sense, words) in [
            (Sense::Name, NAMES),
            (Sense::Address, ADDRESSES),
            (Sense::Base64, &["pathbase64"]),
            (Sense::Digest, DIGESTS),
            (Sense::Algorithm, ALGORITHMS),
            (Sense::Value, VALUES),
            (Sense::Size, SIZES),
            (Sense::List, LISTS),
            (Sense::Holder, HOLDERS),
            (Sense::Media, &["mediatype"]),
        ] {
            if let Some(rank) = words.iter().position(|word| *word == plain) {
                key.senses |= sense as u16;
                // A word in two lists has its rank in the last one, which is that of values.
                key.rank = rank as u8;
            }
        }
        if let Some(name) = algorithm(text) {
            let tag = self.tags.iter().position(|known| *known == name).unwrap_or_else(|| {
                self.tags.push(name);
                self.tags.len() - 1
            });
            key.senses |= Sense::Tag as u16;
            key.tag = tag as u16;
        }
        key
    }
}

/// Whether the key is nearly one of a digest: damaged, or mistyped.
pub(super) fn is_nearly_digest(text: &str) -> bool {
    let plain = plain(text);
    let known = |words: &[&str]| words.iter().any(|word| is_nearly(plain.as_bytes(), word.as_bytes()));
    known(DIGESTS) || known(HOLDERS) || known(LISTS) || is_nearly_algorithm(text.as_bytes())
}

/// Whether the key names an algorithm that there is not here.
pub(super) fn is_other_algorithm(text: &str) -> bool {
    let stem = plain(text);
    let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    matches!(Stated::of(stem), Some(Stated::Other(_)))
}

/// Whether the key is nearly one of a name.
pub(super) fn is_nearly_name(text: &str) -> bool {
    let plain = plain(text);
    let known = |words: &[&str]| words.iter().any(|word| is_nearly(plain.as_bytes(), word.as_bytes()));
    known(NAMES) || known(ADDRESSES) || known(&["pathbase64", "mediatype"])
}

/// A key as it is compared: without case, hyphens, underscores and blanks. A long one is a name, and none of ours.
fn plain(key: &str) -> String {
    if key.len() > TAG_LIMIT {
        return String::new();
    }
    key.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).map(|c| c.to_ascii_lowercase()).collect()
}

/// The algorithm that a key names: `sha256`, `SHA-256`, `sha256sum`, `md5Checksum`, `md5_digest`.
fn algorithm(key: &str) -> Option<String> {
    if !is_tag(key.as_bytes()) || key.len() < 2 {
        return None;
    }
    // One whose parameters are wrong is an algorithm's all the same, and its digest a fault.
    let known =
        |name: &str| !matches!(name.parse::<Spec>(), Err(SpecError::Unknown(_) | SpecError::NotHere(_)));
    let lower = key.to_ascii_lowercase();
    let ends = ["sum", "checksum", "hash", "digest"];
    let stems =
        ends.iter().filter_map(|end| lower.strip_suffix(end)).map(|stem| stem.trim_end_matches(['_', '-']));
    let mut names = std::iter::once(lower.as_str()).chain(stems).map(str::to_owned);
    names.find(|name| known(name)).or_else(|| {
        // `blake2b_256` of the Python index.
        let hyphens = lower.replace('_', "-");
        known(&hyphens).then_some(hyphens)
    })
}
