//! A [`Spec`]: an algorithm with its parameters, and the names people write for it.
//!
//! One text form serves the command line, `--json` and the tags of manifests: `sha256`, `blake2b-256`, `shake128-512`,
//! `BLAKE2b-128`, `SHA2-384`. Lengths in names are bits, as every tool writes them; lengths in this API are bytes.

use crate::algorithm::{Algorithm, Kind, Lengths, find};
use crate::digest::Digest;
use crate::hasher::Hasher;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// How a keyed algorithm is keyed. Only BLAKE3 has modes other than [`Key::None`].
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub enum Key {
    /// The plain hash.
    #[default]
    None,
    /// `b3sum --keyed`: a 32-byte key.
    Keyed(Box<[u8; 32]>),
    /// `b3sum --derive-key CONTEXT`.
    Derive(Arc<str>),
}

impl fmt::Debug for Key {
    // A key never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Key::None => "None",
            Key::Keyed(_) => "Keyed(..)",
            Key::Derive(_) => "Derive(..)",
        })
    }
}

/// An algorithm and its parameters: what is needed to hash a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    pub(crate) algorithm: &'static Algorithm,
    pub(crate) len: usize,
    pub(crate) key: Key,
}

/// Why a text names no algorithm, or a parameter does not fit it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecError {
    /// No row has this name; the second field is the nearest name there is.
    Unknown(String, Option<&'static str>),
    /// The algorithm has one length only.
    FixedLength(&'static str),
    /// The length, in bits, is not one this algorithm offers; the text says which are.
    Length(&'static str, usize, &'static str),
    /// The algorithm takes no key.
    NotKeyed(&'static str),
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecError::Unknown(name, Some(near)) => {
                write!(f, "unknown algorithm '{name}' (did you mean '{near}'?)")
            }
            SpecError::Unknown(name, None) => write!(f, "unknown algorithm '{name}'"),
            SpecError::FixedLength(name) => write!(f, "the length of {name} is fixed"),
            SpecError::Length(name, bits, allowed) => {
                write!(f, "{name} cannot give {bits} bits: {allowed}")
            }
            SpecError::NotKeyed(name) => write!(f, "{name} takes no key"),
        }
    }
}

impl std::error::Error for SpecError {}

impl Spec {
    /// The algorithm at its usual length, without a key.
    pub fn new(algorithm: &'static Algorithm) -> Spec {
        Spec { algorithm, len: algorithm.digest_len, key: Key::None }
    }

    /// The same algorithm with a digest of `bits` bits.
    ///
    /// # Errors
    /// The algorithm has a fixed length and this is another, or the length is out of its range.
    pub fn with_bits(mut self, bits: usize) -> Result<Spec, SpecError> {
        let name = self.algorithm.name;
        match self.algorithm.lengths {
            Lengths::Fixed if bits == self.algorithm.digest_len * 8 => {}
            Lengths::Fixed => return Err(SpecError::FixedLength(name)),
            Lengths::UpTo(max) => {
                if bits == 0 || !bits.is_multiple_of(8) || bits > max * 8 {
                    return Err(SpecError::Length(name, bits, "a multiple of 8 up to its full length"));
                }
                self.len = bits / 8;
            }
            Lengths::Any => {
                if bits == 0 || !bits.is_multiple_of(8) || bits > 8 << 30 {
                    return Err(SpecError::Length(name, bits, "a multiple of 8, up to 1 GiB of output"));
                }
                self.len = bits / 8;
            }
        }
        Ok(self)
    }

    /// The same algorithm under a key.
    ///
    /// # Errors
    /// The algorithm takes no key.
    pub fn with_key(mut self, key: Key) -> Result<Spec, SpecError> {
        if key != Key::None && self.algorithm.name != "blake3" {
            return Err(SpecError::NotKeyed(self.algorithm.name));
        }
        self.key = key;
        Ok(self)
    }

    /// The row of the table.
    pub fn algorithm(&self) -> &'static Algorithm {
        self.algorithm
    }

    /// Length of the digest in bytes.
    pub fn digest_len(&self) -> usize {
        self.len
    }

    /// The tag of BSD-style lines: `SHA256`, `BLAKE2b`, `BLAKE2b-128`, `SHAKE128-512`.
    pub fn tag(&self) -> String {
        self.named(self.algorithm.tag)
    }

    /// A hasher for one message.
    pub fn hasher(&self) -> Hasher {
        Hasher::new(self)
    }

    /// The digest of one message held in memory.
    pub fn digest(&self, message: &[u8]) -> Digest {
        let mut hasher = self.hasher();
        hasher.update(message);
        hasher.finish()
    }

    /// Whether [`crate::update_many`] hashes several messages of this algorithm at once.
    pub fn has_lanes(&self) -> bool {
        matches!(self.algorithm.kind, Kind::Blocks { .. })
    }

    fn named(&self, base: &str) -> String {
        if self.len == self.algorithm.digest_len {
            base.to_owned()
        } else {
            format!("{base}-{}", self.len * 8)
        }
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.named(self.algorithm.name))
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    /// A name, alias or tag of any case, with `-BITS` behind it where the length is free.
    fn from_str(text: &str) -> Result<Spec, SpecError> {
        if let Some(algorithm) = find(text) {
            return Ok(Spec::new(algorithm));
        }
        if let Some((name, bits)) = text.rsplit_once('-')
            && let (Some(algorithm), Ok(bits)) = (find(name), bits.parse())
        {
            return Spec::new(algorithm).with_bits(bits);
        }
        Err(SpecError::Unknown(text.to_owned(), crate::algorithm::nearest(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ALGORITHMS;

    #[test]
    fn names_tags_and_aliases_lead_back_to_their_row() {
        for row in ALGORITHMS {
            for name in [row.name, row.tag].iter().chain(row.aliases) {
                assert_eq!(name.parse::<Spec>().map(|s| s.algorithm.name), Ok(row.name), "{name}");
                assert_eq!(name.to_uppercase().parse::<Spec>().map(|s| s.algorithm.name), Ok(row.name));
            }
            let spec = Spec::new(row);
            assert_eq!(spec.to_string().parse(), Ok(spec.clone()));
            assert_eq!(spec.tag().parse(), Ok(spec));
        }
    }

    #[test]
    fn unknown_names_point_to_the_nearest() {
        assert_eq!("sha265".parse::<Spec>(), Err(SpecError::Unknown("sha265".to_owned(), Some("sha256"))));
        assert_eq!("sha256-128".parse::<Spec>(), Err(SpecError::FixedLength("sha256")));
    }
}
