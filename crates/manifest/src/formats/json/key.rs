//! The meaning of keys in JSON objects, determined once for each key of a document.

pub(super) use super::vocabulary::Meaning;
use super::vocabulary::{KEYS, PREFIXES, SUFFIXES, TITLES};
use crate::algorithm::NamedAlgorithm;
use crate::digest::{TAG_LIMIT, is_nearly, is_nearly_algorithm, is_tag};
use std::collections::HashMap;
use truesum_hash::{Spec, SpecError};

/// Maximum number of cached keys: a map of names has as many keys as files.
const MEMORY: usize = 1024;

/// The meanings of a key, and its rank among keys with the same meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Key {
    senses: u32,
    pub(super) rank: u8,
    /// Index of the algorithm in [`Keys`].
    tag: u16,
}

impl Key {
    /// Returns the key of a name that may be a title.
    pub(super) fn of_title() -> Key {
        Key { senses: Meaning::Name as u32, rank: TITLES, tag: 0 }
    }

    /// Returns true if both keys name the same algorithm.
    pub(super) fn same_tag(self, other: Key) -> bool {
        self.is(Meaning::Tag) && other.is(Meaning::Tag) && self.tag == other.tag
    }

    /// Returns true for the key of a size that specifies its unit, the byte.
    pub(super) fn is_in_bytes(self) -> bool {
        self.is(Meaning::Size) && self.rank < 2
    }

    pub(super) fn is(self, sense: Meaning) -> bool {
        self.senses & sense as u32 != 0
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
        for (sense, words) in KEYS {
            if let Some(rank) = words.split(' ').position(|word| word == plain) {
                key.senses |= *sense as u32;
                // A word with several meanings has its rank in the last one. Parts have none.
                if *sense != Meaning::Part {
                    key.rank = rank as u8;
                }
            }
        }
        if let Some(name) = algorithm(text).filter(|_| !key.is(Meaning::Etag)) {
            let tag = self.tags.iter().position(|known| *known == name).unwrap_or_else(|| {
                self.tags.push(name);
                self.tags.len() - 1
            });
            key.senses |= Meaning::Tag as u32;
            key.tag = tag as u16;
        }
        key
    }
}

/// Returns true if the key resembles that of a digest, and is probably damaged or mistyped.
pub(super) fn is_nearly_digest(text: &str) -> bool {
    let plain = plain(text);
    is_nearly_one_of(&plain, &[Meaning::Digest, Meaning::Holder, Meaning::List])
        || is_nearly_algorithm(text.as_bytes())
        || is_nearly_affixed(&plain)
}

/// Returns true if the key resembles an algorithm after one of [`PREFIXES`] or before one of
/// [`SUFFIXES`].
pub(in crate::formats) fn is_nearly_affixed(plain: &str) -> bool {
    let nearly = |affix: &str, known: &str| is_nearly(affix.as_bytes(), known.as_bytes());
    let splits = |at: usize| (at.saturating_sub(1)..=at + 1).filter_map(|at| plain.split_at_checked(at));
    PREFIXES.iter().any(|prefix| {
        plain.strip_prefix(prefix).is_some_and(|rest| is_nearly_algorithm(rest.as_bytes()))
            || splits(prefix.len()).any(|(head, rest)| nearly(head, prefix) && is_known(rest))
    }) || SUFFIXES.iter().any(|suffix| {
        plain.strip_suffix(suffix).is_some_and(|rest| is_nearly_algorithm(rest.as_bytes()))
            || splits(plain.len().saturating_sub(suffix.len()))
                .any(|(rest, tail)| nearly(tail, suffix) && is_known(rest))
    })
}

/// Returns true if the key names an algorithm that truesum does not implement.
pub(super) fn is_other_algorithm(text: &str) -> bool {
    let stem = plain(text);
    let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    matches!(NamedAlgorithm::of(stem), Some(NamedAlgorithm::Other(_)))
}

/// Returns true if the key resembles that of a name.
pub(super) fn is_nearly_name(text: &str) -> bool {
    let plain = plain(text);
    // Identifiers resemble `@id`.
    !["id", "oid", "uid", "gid", "cid"].contains(&plain.as_str())
        && is_nearly_one_of(&plain, &[Meaning::Name, Meaning::Address, Meaning::Base64, Meaning::Media])
}

/// Returns true if the key resembles one with one of these meanings.
fn is_nearly_one_of(plain: &str, senses: &[Meaning]) -> bool {
    let mut words =
        KEYS.iter().filter(|(sense, _)| senses.contains(sense)).flat_map(|(_, words)| words.split(' '));
    words.any(|word| is_nearly(plain.as_bytes(), word.as_bytes()))
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
    let lower = key.to_ascii_lowercase();
    let stems = SUFFIXES
        .iter()
        .filter_map(|end| lower.strip_suffix(end))
        .map(|stem| stem.trim_end_matches(['_', '-']));
    let mut names = std::iter::once(lower.as_str()).chain(stems).map(str::to_owned);
    names
        .find(|name| is_known(name))
        .or_else(|| {
            // PyPI writes `blake2b_256`.
            let hyphens = lower.replace('_', "-");
            is_known(&hyphens).then_some(hyphens)
        })
        .or_else(|| {
            let plain = plain(key);
            let mut rests = PREFIXES.iter().filter_map(|prefix| plain.strip_prefix(prefix));
            rests.find(|rest| is_known(rest)).map(str::to_owned)
        })
}

/// Returns true if this is the name of an algorithm. One with invalid parameters counts, so that its
/// digest is reported as an error.
fn is_known(name: &str) -> bool {
    is_tag(name.as_bytes())
        && name.len() > 1
        && !matches!(name.parse::<Spec>(), Err(SpecError::Unknown(_) | SpecError::NotHere(_)))
}
