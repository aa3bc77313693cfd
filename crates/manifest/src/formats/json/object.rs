//! The members of a JSON object, each with the meaning of its key.

use super::key::{Key, Meaning};
use super::words::{is_digest_of_any_length, like_digest};
use crate::digest::is_like;
use std::borrow::Cow;

/// The meaning of a value for the object that contains it.
pub(super) enum Statement<'de> {
    Nothing,
    Null,
    Text(Cow<'de, str>),
    Number(u64),
    /// A number that cannot be a size, or `false`.
    Odd,
    True,
    /// A value other than a digest where a digest is expected.
    Fault,
    /// An object with a digest that cannot be assigned to a file.
    Stray,
    /// An array or map that contains digests under a key that does not refer to them.
    Listed,
    /// Digests of the enclosing object.
    Digests(Object),
}

/// The members of an object. Keys and values are stored in a single string.
#[derive(Default)]
pub(in crate::formats) struct Object {
    text: String,
    pub(super) members: Vec<Member>,
}

/// The ends of key and value in the text, the value's offset in the document, and the meaning of
/// the key.
#[derive(Clone, Copy)]
pub(super) struct Member {
    end_of_key: u32,
    end: u32,
    pub(super) at: u32,
    pub(super) kind: Kind,
    pub(super) key: Key,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Number,
    Odd,
    Null,
    True,
    /// An object or array without meaning for this one.
    Passed,
    /// A digest that belongs to this object: the key is its algorithm.
    Digest,
    /// A value other than a digest where a digest is expected.
    Fault,
    /// A digest in an object that is neither an entry nor under a key of digests.
    Stray,
    /// Digests in an array or a map under a key that does not refer to them.
    Listed,
    /// One of several URLs.
    Address,
}

impl Kind {
    /// Returns true for a value that is neither null nor a digest.
    pub(super) fn is_value(self) -> bool {
        matches!(self, Kind::Text | Kind::Number | Kind::Odd | Kind::True | Kind::Passed)
    }
}

impl Object {
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub(super) fn push(&mut self, key: &str, value: &str, at: usize, kind: Kind, sense: Key) {
        self.text.push_str(key);
        let end_of_key = self.text.len() as u32;
        self.text.push_str(value);
        let end = self.text.len() as u32;
        self.members.push(Member { end_of_key, end, at: at as u32, kind, key: sense });
    }

    /// Adds a member according to the meaning of its value.
    pub(super) fn member(&mut self, key: &str, sense: Key, statement: Statement<'_>, at: usize) {
        match statement {
            Statement::Text(text) => self.push(key, &text, at, Kind::Text, sense),
            Statement::Number(number) => self.push(key, &number.to_string(), at, Kind::Number, sense),
            Statement::Odd => self.push(key, "", at, Kind::Odd, sense),
            Statement::Null => self.push(key, "", at, Kind::Null, sense),
            Statement::Digests(digests) => self.append(&digests),
            Statement::True => self.push(key, "", at, Kind::True, sense),
            Statement::Fault => self.push(key, "", at, Kind::Fault, sense),
            Statement::Stray => self.push(key, "", at, Kind::Stray, sense),
            Statement::Listed => self.push(key, "", at, Kind::Listed, sense),
            Statement::Nothing => self.push(key, "", at, Kind::Passed, sense),
        }
    }

    /// Appends the members of another object.
    pub(super) fn append(&mut self, other: &Object) {
        for (key, value, member) in other.iter() {
            self.push(key, value, member.at as usize, member.kind, member.key);
        }
    }

    /// Adds an item of an array of digests.
    pub(super) fn item(&mut self, tag: Option<&str>, statement: Statement<'_>, at: usize) {
        match statement {
            Statement::Digests(more) => self.append(&more),
            Statement::Text(text) => {
                self.push(tag.unwrap_or_default(), &text, at, Kind::Digest, Key::default())
            }
            _ => self.push("", "", at, Kind::Fault, Key::default()),
        }
    }

    /// Adds one of several URLs of the object.
    pub(super) fn address(&mut self, url: &str, at: usize) {
        self.push("", url, at, Kind::Address, Key::default());
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str, Member)> {
        let mut start = 0;
        self.members.iter().map(move |member| {
            let (key, end) = (member.end_of_key as usize, member.end as usize);
            let item = (&self.text[start..key], &self.text[key..end], *member);
            start = end;
            item
        })
    }

    /// Returns the algorithm that the object specifies for its digests under an unambiguous key.
    pub(super) fn algorithm(&self) -> Option<&str> {
        let pairs = ["type", "os_hash_algo"];
        let named = |key: &str, member: &Member| {
            member.kind == Kind::Text
                && member.key.is(Meaning::Algorithm)
                && !pairs.iter().any(|word| key.eq_ignore_ascii_case(word))
        };
        self.iter().find(|(key, _, member)| named(key, member)).map(|(_, value, _)| value)
    }

    /// Returns the string under the preferred key of this meaning.
    pub(super) fn text_of(&self, sense: Meaning) -> Option<&str> {
        let texts = self.iter().filter(|(.., member)| member.kind == Kind::Text && member.key.is(sense));
        texts.min_by_key(|(.., member)| member.key.rank).map(|(_, value, _)| value)
    }

    /// Returns true if two members with equivalent keys, of which only one is allowed, have
    /// different values.
    pub(super) fn is_ambiguous(&self, sense: Meaning) -> bool {
        let is = |member: &Member| member.key.is(sense) && matches!(member.kind, Kind::Text | Kind::Number);
        self.iter().filter(|(.., member)| is(member)).any(|(_, value, member)| {
            let same = |other: &Member| is(other) && other.key.rank == member.key.rank;
            self.iter().any(|(_, text, other)| same(&other) && text != value)
        })
    }

    pub(super) fn has(&self, kind: Kind) -> bool {
        self.members.iter().any(|member| member.kind == kind)
    }

    /// Returns the text under exactly this key.
    pub(super) fn text(&self, wanted: &str) -> Option<&str> {
        self.iter().find(|(key, _, member)| *key == wanted && is_text(*member)).map(|(_, value, _)| value)
    }

    pub(super) fn has_key(&self, wanted: &str) -> bool {
        self.iter().any(|(key, ..)| key == wanted)
    }

    pub(super) fn has_key_like(&self, wanted: &str) -> bool {
        let letters = |text: &str| text.replace(['-', '_', ' '], "").to_ascii_lowercase();
        self.iter().any(|(key, ..)| key.len() <= wanted.len() && letters(key) == letters(wanted))
    }

    /// Returns true for a link of in-toto, whose materials are the input of a step and whose products are
    /// its output.
    pub(super) fn is_link(&self) -> bool {
        self.text("_type") == Some("link")
    }

    /// Returns the payload of a signed envelope (DSSE).
    pub(super) fn payload(&self) -> Option<&str> {
        self.text("payloadType").map(|_| self.text("payload").unwrap_or_default())
    }
}

pub(super) fn is_text(member: Member) -> bool {
    member.kind == Kind::Text
}

pub(super) const INVALID_ALGORITHM: &str = "the name of an algorithm is not a string";

/// Returns true if an unambiguous key of an algorithm has a value that is not a string.
pub(super) fn is_invalid_algorithm(key: &str, member: Member) -> bool {
    // S3 lists the algorithms of an object.
    key != "ChecksumAlgorithm"
        && member.key.is(Meaning::Algorithm)
        && !key.eq_ignore_ascii_case("type")
        && !is_text(member)
}

/// Returns true if a key indicates that a value that looks like a digest is something else.
pub(super) fn is_other(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    // The signed part of a document is not its signature.
    let key = key.strip_prefix("signed").unwrap_or(&key);
    key.contains("commit")
        || [
            "revision",
            "ref",
            "sig",
            "signature",
            "signer",
            "package",
            "id",
            "key",
            "head",
            "token",
            "nonce",
            "tag",
        ]
        .iter()
        .any(|word| key.starts_with(word) || key.ends_with(word))
}

/// Returns true for a digest under a key that always belongs to a file, regardless of the
/// enclosing object: `"dist": {"shasum": ...}`.
pub(super) fn is_of_file(key: &str, value: &str, member: Member) -> bool {
    let keys = ["shasum", "integrity", "checksum"];
    is_text(member) && keys.iter().any(|word| key.eq_ignore_ascii_case(word)) && like_digest(value)
}

/// Returns true for a value that looks like a digest under an unknown key.
pub(super) fn is_lost(key: &str, value: &str, member: Member) -> bool {
    is_text(member) && member.key == Key::default() && is_like(value.as_bytes()) && !is_other(key)
}

/// Returns true if a string next to a digest is a digest of fewer than 128 bits or of an unusual
/// length: because of its key, or because it has more hexadecimal digits than any word or number.
pub(super) fn is_short_digest(key: &str, text: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let named = ["hash", "sum", "crc", "digest"].iter().any(|word| key.contains(word));
    let long = text.len() >= 16 && text.bytes().any(|byte| byte.is_ascii_digit());
    is_digest_of_any_length(text) && (named || long) && !is_other(&key)
}
