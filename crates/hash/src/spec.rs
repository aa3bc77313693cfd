//! A [`Spec`]: an algorithm with its parameters, and the names people write for it.
//!
//! One text form serves the command line, `--json` and the tags of manifests: `sha256`, `blake2b-256`, `shake128-512`,
//! `BLAKE2b-128`, `SHA2-384`. Lengths in names are bits, as every tool writes them; lengths in this API are bytes. The size of
//! leaves or parts, where a digest has one and it is not the usual, stands behind the name: `sha256-tree;leaf=1MiB`.

use crate::algorithm::{Algorithm, Kind, Lengths, find};
use crate::digest::Digest;
use crate::hasher::Hasher;
use crate::tree::{self, Size, Unit};
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
    /// Size of leaves or parts; 0 for an algorithm that has none.
    pub(crate) unit: u64,
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
    /// What stands behind the name is no parameter of this algorithm, or not one of its values; the text says why.
    Parameter(&'static str, String),
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
            SpecError::Parameter(name, why) => write!(f, "{name}: {why}"),
        }
    }
}

impl std::error::Error for SpecError {}

impl Spec {
    /// The algorithm at its usual length, without a key.
    pub fn new(algorithm: &'static Algorithm) -> Spec {
        let unit = tree::unit(algorithm).map_or(0, |unit| unit.usual);
        Spec { algorithm, len: algorithm.digest_len, key: Key::None, unit }
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

    /// The same digest with leaves or parts of `size` bytes.
    ///
    /// # Errors
    /// The algorithm has no leaves or parts to choose the size of, or none of this size.
    pub fn with_unit(mut self, size: u64) -> Result<Spec, SpecError> {
        let unit = self.parameter()?;
        unit.check(self.algorithm.name, size)?;
        self.unit = size;
        Ok(self)
    }

    fn parameter(&self) -> Result<&'static Unit, SpecError> {
        tree::unit(self.algorithm)
            .filter(|unit| !unit.key.is_empty())
            .ok_or_else(|| SpecError::Parameter(self.algorithm.name, "takes no parameter".to_owned()))
    }

    /// Bytes in a leaf or part of a composite digest that is cut into equal ones; 0 for any other algorithm.
    pub fn unit(&self) -> u64 {
        self.unit
    }

    /// Whether digests tell the number of parts: `HEX-N`.
    pub fn counts_parts(&self) -> bool {
        tree::counts_parts(self.algorithm)
    }

    /// Whether a message can be hashed as it comes only if its length is known (see [`Spec::hasher_for_size`]).
    pub fn needs_size(&self) -> bool {
        tree::needs_size(self.algorithm)
    }

    /// The row of the table.
    pub fn algorithm(&self) -> &'static Algorithm {
        self.algorithm
    }

    /// Length of the digest in bytes.
    pub fn digest_len(&self) -> usize {
        self.len
    }

    /// The tag of BSD-style lines: `SHA256`, `BLAKE2b`, `BLAKE2b-128`, `SHAKE128-512`, `SHA256-TREE;LEAF=1MiB`.
    pub fn tag(&self) -> String {
        let mut tag = self.named(self.algorithm.tag);
        if let Some((key, size)) = self.unusual_unit() {
            tag += &format!(";{}={size}", key.to_uppercase());
        }
        tag
    }

    /// A hasher for one message. If [`Spec::needs_size`], it keeps the whole message in memory until the end.
    pub fn hasher(&self) -> Hasher {
        Hasher::new(self, None)
    }

    /// A hasher for one message of `size` bytes, in bounded memory for every algorithm.
    ///
    /// [`Hasher::is_whole`] tells whether as many bytes have been fed; where [`Spec::needs_size`],
    /// [`Hasher::finish`] panics if they have not.
    pub fn hasher_for_size(&self, size: u64) -> Hasher {
        Hasher::new(self, Some(size))
    }

    /// The digest of one message held in memory.
    pub fn digest(&self, message: &[u8]) -> Digest {
        let mut hasher = self.hasher_for_size(message.len() as u64);
        hasher.update(message);
        hasher.finish()
    }

    /// Whether [`crate::update_many`] hashes several messages of this algorithm at once.
    pub fn has_lanes(&self) -> bool {
        matches!(self.algorithm.kind, Kind::Blocks { .. })
    }

    /// The key and size of leaves or parts that are not the usual ones.
    fn unusual_unit(&self) -> Option<(&'static str, Size)> {
        let unit = tree::unit(self.algorithm).filter(|unit| unit.usual != self.unit)?;
        Some((unit.key, Size(self.unit)))
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
        f.write_str(&self.named(self.algorithm.name))?;
        self.unusual_unit().map_or(Ok(()), |(key, size)| write!(f, ";{key}={size}"))
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    /// A name, alias or tag of any case, with `-BITS` behind it where the length is free and `;leaf=SIZE` or `;part=SIZE`
    /// where the digest has leaves or parts of any size.
    fn from_str(text: &str) -> Result<Spec, SpecError> {
        let (text, parameter) = match text.split_once(';') {
            Some((name, parameter)) => (name, Some(parameter)),
            None => (text, None),
        };
        if let Some(parameter) = parameter {
            let spec: Spec = text.parse()?;
            let key = spec.parameter()?.key;
            let size = parameter
                .split_once('=')
                .filter(|(name, _)| name.eq_ignore_ascii_case(key))
                .and_then(|(_, size)| size.parse().ok());
            let Some(Size(size)) = size else {
                let why = format!("'{parameter}' is not {key}=SIZE");
                return Err(SpecError::Parameter(spec.algorithm.name, why));
            };
            return spec.with_unit(size);
        }
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
