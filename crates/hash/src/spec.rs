//! A [`Spec`]: an algorithm with its parameters, and the names people write for it.
//!
//! One text form serves the command line, `--json` and the tags of manifests: `sha256`, `blake2b-256`, `shake128-512`,
//! `BLAKE2b-128`, `SHA2-384`. Lengths in names are bits, as every tool writes them; lengths in this API are bytes. The size of
//! leaves or parts, where a digest has one and it is not the usual, stands behind the name: `sha256-tree;leaf=1MiB`.

use crate::algorithm::{Algorithm, Key, Kind, Lengths, Params, Unit};
use crate::size::Size;
use std::fmt;

/// An algorithm and its parameters: what is needed to hash a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    pub(crate) algorithm: &'static Algorithm,
    pub(crate) params: Params,
}

/// Why a text names no algorithm, or a parameter does not fit it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecError {
    /// No row has this name. Looking for the nearest one takes long, so the message does it and nobody else.
    Unknown(String),
    /// An algorithm of this name exists, and is none of ours: no other is meant.
    NotHere(String),
    /// The algorithm has one length only.
    FixedLength(&'static str),
    /// The length, in bits, is not one this algorithm offers; the text says which are.
    Length(&'static str, usize, &'static str),
    /// The algorithm takes no key.
    NotKeyed(&'static str),
    /// What stands behind the name is no parameter of this algorithm, or not one of its values; the text says why.
    Parameter(&'static str, String),
}

impl std::error::Error for SpecError {}

impl Spec {
    /// The algorithm at its usual length, without a key.
    pub fn new(algorithm: &'static Algorithm) -> Spec {
        let unit = algorithm.unit().map_or(0, |unit| unit.usual);
        Spec { algorithm, params: Params { digest_len: algorithm.digest_len, key: Key::None, unit } }
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
                self.params.digest_len = bits / 8;
            }
            Lengths::Any => {
                if bits == 0 || !bits.is_multiple_of(8) || bits > 8 << 30 {
                    return Err(SpecError::Length(name, bits, "a multiple of 8, up to 1 GiB of output"));
                }
                self.params.digest_len = bits / 8;
            }
        }
        Ok(self)
    }

    /// The same algorithm under a key.
    ///
    /// # Errors
    /// The algorithm takes no key.
    pub fn with_key(mut self, key: Key) -> Result<Spec, SpecError> {
        if key != Key::None && !self.algorithm.keyed {
            return Err(SpecError::NotKeyed(self.algorithm.name));
        }
        self.params.key = key;
        Ok(self)
    }

    /// The same digest with leaves or parts of `size` bytes.
    ///
    /// # Errors
    /// The algorithm has no leaves or parts to choose the size of, or none of this size.
    pub fn with_unit(mut self, size: u64) -> Result<Spec, SpecError> {
        let unit = self.parameter()?;
        if !unit.allows(size) {
            let kind = if unit.power_of_two { "a power of two from" } else { "from" };
            let range = format!("{kind} {} to {}", Size(unit.smallest), Size(unit.largest));
            let why = format!("{}={} must be {range}", unit.key, Size(size));
            return Err(SpecError::Parameter(self.algorithm.name, why));
        }
        self.params.unit = size;
        Ok(self)
    }

    pub(crate) fn parameter(&self) -> Result<&'static Unit, SpecError> {
        self.algorithm
            .unit()
            .filter(|unit| !unit.key.is_empty())
            .ok_or_else(|| SpecError::Parameter(self.algorithm.name, "takes no parameter".to_owned()))
    }

    /// Bytes in a leaf or part of a composite digest that is cut into equal ones; 0 for any other algorithm.
    pub fn unit(&self) -> u64 {
        self.params.unit
    }

    /// Whether digests tell the number of parts: `HEX-N`.
    pub fn counts_parts(&self) -> bool {
        self.algorithm.counts_parts()
    }

    /// Whether a message can be hashed as it comes only if its length is known (see [`Spec::hasher_for_size`]).
    pub fn needs_size(&self) -> bool {
        self.algorithm.needs_size()
    }

    /// The row of the table.
    pub fn algorithm(&self) -> &'static Algorithm {
        self.algorithm
    }

    /// Length of the digest in bytes.
    pub fn digest_len(&self) -> usize {
        self.params.digest_len
    }

    /// The tag of BSD-style lines: `SHA256`, `BLAKE2b`, `BLAKE2b-128`, `SHAKE128-512`, `SHA256-TREE;LEAF=1MiB`.
    pub fn tag(&self) -> String {
        let mut tag = self.named(self.algorithm.tag);
        if let Some((key, size)) = self.unusual_unit() {
            tag += &format!(";{}={size}", key.to_uppercase());
        }
        tag
    }

    /// Whether [`crate::update_many`] hashes several messages of this algorithm at once.
    pub fn has_lanes(&self) -> bool {
        matches!(self.algorithm.kind, Kind::Blocks { .. } | Kind::Headed(_))
    }

    /// The key and size of leaves or parts that are not the usual ones.
    fn unusual_unit(&self) -> Option<(&'static str, Size)> {
        let unit = self.algorithm.unit().filter(|unit| unit.usual != self.params.unit)?;
        Some((unit.key, Size(self.params.unit)))
    }

    fn named(&self, base: &str) -> String {
        if self.params.digest_len == self.algorithm.digest_len {
            base.to_owned()
        } else {
            format!("{base}-{}", self.params.digest_len * 8)
        }
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.named(self.algorithm.name))?;
        self.unusual_unit().map_or(Ok(()), |(key, size)| write!(f, ";{key}={size}"))
    }
}
