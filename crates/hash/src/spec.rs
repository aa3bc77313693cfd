//! A [`Spec`]: an algorithm with its parameters, and the names people write for it.
//!
//! One text form serves the command line, `--json` and the tags of manifests: `sha256`, `blake2b-256`, `shake128-512`,
//! `BLAKE2b-128`, `SHA2-384`. Lengths in names are bits, as every tool writes them; lengths in this API are bytes. The size of
//! leaves or parts, where a digest has one and it is not the usual, stands behind the name: `sha256-tree;leaf=1MiB`; so does a seed
//! (`xxh64;seed=7`), a customization in hexadecimal (`cshake128;custom=456d61696c`), and that there is a key (`blake3;keyed`).

use crate::algorithm::{Algorithm, Key, Keying, Kind, Lengths, Params, Said, Unit};
use crate::digest::Digest;
use crate::size::Size;
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use std::fmt;

/// Most bytes of a digest whose length is free: it is kept whole. Longer output is read piece by piece ([`crate::XofReader`]).
const MAX_OUTPUT: usize = 16 << 20;
/// Most bytes of a customization: it is part of the name.
const MAX_CUSTOMIZATION: usize = 48;
/// Most bytes of a context: so long a tag is looked up in manifests.
const MAX_CONTEXT: usize = 72;
/// Most bytes of a salt: fs-verity has no room for more.
const MAX_SALT: usize = 32;
/// Most bytes of a file's name.
const MAX_NAME: usize = 255;

// Parameters behind a name.
const SEED: &str = "seed";
const KEYED: &str = "keyed";
pub(crate) const NAME: &str = "name";
const CONTEXT: &str = "context";

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
    /// The algorithm has no digest without a key.
    LacksKey(&'static str),
    /// The digest depends on the name of the file, which must be told.
    LacksName(&'static str),
    /// The algorithm takes no key of so many bytes.
    KeyLength {
        /// The algorithm.
        name: &'static str,
        /// Bytes of the key.
        len: usize,
        /// Bytes of the shortest key it takes.
        least: usize,
        /// Bytes of the longest.
        most: usize,
    },
    /// What stands behind the name is no parameter of this algorithm, or not one of its values; the text says why.
    Parameter(&'static str, String),
}

impl std::error::Error for SpecError {}

impl Spec {
    /// The algorithm at its usual length, without a key ([`Spec::lacks_key`] says whether it needs one).
    pub fn new(algorithm: &'static Algorithm) -> Spec {
        let unit = algorithm.unit().map_or(0, |unit| unit.usual);
        let key = if algorithm.keying.needs_key() { Key::Missing } else { Key::None };
        Spec {
            algorithm,
            params: Params { digest_len: algorithm.digest_len, key, unit, ..Params::default() },
        }
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
                if bits == 0 || !bits.is_multiple_of(8) || bits / 8 > MAX_OUTPUT {
                    return Err(SpecError::Length(name, bits, "a multiple of 8, up to 16 MiB of output"));
                }
                self.params.digest_len = bits / 8;
            }
        }
        Ok(self)
    }

    /// The same algorithm under a key.
    ///
    /// # Errors
    /// The algorithm takes no key, none of this length, or there is no digest without one.
    pub fn with_key(mut self, key: Key) -> Result<Spec, SpecError> {
        let Algorithm { name, keying, .. } = *self.algorithm;
        match (&key, keying.lengths()) {
            (Key::None, _) if keying.needs_key() => return Err(SpecError::LacksKey(name)),
            (Key::None, _) => {}
            (_, None) => return Err(SpecError::NotKeyed(name)),
            // BLAKE3 alone derives keys from a context.
            (Key::Derive(_), _) if !matches!(self.algorithm.kind, Kind::Chunks { .. }) => {
                return Err(SpecError::NotKeyed(name));
            }
            (Key::Secret(secret), Some((least, most))) => {
                let len = secret.as_bytes().len();
                if !(least..=most).contains(&len) {
                    return Err(SpecError::KeyLength { name, len, least, most });
                }
            }
            (Key::Missing | Key::Derive(_), Some(_)) => {}
        }
        if matches!(self.params.key, Key::Derive(_)) && key != self.params.key {
            return Err(SpecError::Parameter(name, "takes a key or a context, not both".to_owned()));
        }
        if key != Key::None && self.params.seed != 0 {
            return Err(SpecError::Parameter(name, "takes a seed or a secret, not both".to_owned()));
        }
        self.params.key = key;
        Ok(self)
    }

    /// Whether its digests are of the file's name too, which nobody told yet: what is hashed then is a file without a name.
    pub fn lacks_name(&self) -> bool {
        self.algorithm.customized == Some(NAME) && !self.is_customized()
    }

    /// Whether its digests need a key that is not there: all that a name or a tag tells. Nothing can be hashed then.
    pub fn lacks_key(&self) -> bool {
        self.params.key == Key::Missing
    }

    /// Whether its state begins with a seed other than the usual one.
    pub fn is_seeded(&self) -> bool {
        self.params.seed != 0
    }

    /// Whether its name told a seed, be it the usual one.
    pub fn says_seed(&self) -> bool {
        self.params.seed_said.0
    }

    /// Whether it has bytes that tell its use from others.
    pub fn is_customized(&self) -> bool {
        self.params.customization.is_some()
    }

    /// Whether its digests are under a key, whether that is there or not.
    pub fn is_keyed(&self) -> bool {
        self.params.key != Key::None
    }

    /// The same algorithm whose state begins with this seed.
    ///
    /// # Errors
    /// The algorithm has no seed, or a shorter one.
    pub fn with_seed(mut self, seed: u64) -> Result<Spec, SpecError> {
        let Algorithm { name, seed_bits, .. } = *self.algorithm;
        if seed_bits == 0 {
            return Err(SpecError::Parameter(name, "takes no seed".to_owned()));
        }
        if seed_bits < 64 && seed >> seed_bits != 0 {
            return Err(SpecError::Parameter(name, format!("its seed has {seed_bits} bits")));
        }
        if seed != 0 && self.is_keyed() {
            return Err(SpecError::Parameter(name, "takes a seed or a secret, not both".to_owned()));
        }
        self.params.seed = seed;
        self.params.seed_said = Said(true);
        Ok(self)
    }

    /// The same algorithm with these bytes to tell its use from others; none is the plain one.
    ///
    /// # Errors
    /// The algorithm takes no customization, or none as long as this.
    pub fn with_customization(mut self, bytes: &[u8]) -> Result<Spec, SpecError> {
        let name = self.algorithm.name;
        let Some(called) = self.algorithm.customized else {
            return Err(SpecError::Parameter(name, "takes no customization".to_owned()));
        };
        let most = match called {
            "salt" => MAX_SALT,
            NAME => MAX_NAME,
            CONTEXT => MAX_CONTEXT,
            _ => MAX_CUSTOMIZATION,
        };
        if bytes.len() > most {
            return Err(SpecError::Parameter(name, format!("'{called}' has at most {most} bytes")));
        }
        if called != CONTEXT {
            self.params.customization = (!bytes.is_empty()).then(|| bytes.into());
            return Ok(self);
        }
        // BLAKE3 derives a key from it (section 5.3 of its paper).
        let refuse = |why: &str| Err(SpecError::Parameter(name, why.to_owned()));
        match std::str::from_utf8(bytes) {
            _ if matches!(self.params.key, Key::Derive(_)) => refuse("has a context already"),
            _ if self.is_keyed() => refuse("takes a key or a context, not both"),
            Ok("") => refuse("its context is empty"),
            Ok(context) => self.with_key(Key::Derive(context.into())),
            Err(_) => refuse("its context is text in UTF-8"),
        }
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
        for (key, value) in self.parameters() {
            tag += &format!(";{}", key.to_uppercase());
            if !value.is_empty() {
                tag += &format!("={value}");
            }
        }
        tag
    }

    /// Whether a list that has the digest `listed` means `found`: they are equal, or equal backwards where such lists are made.
    pub fn agree(&self, listed: &Digest, found: &Digest) -> bool {
        let backwards = || listed.as_bytes().iter().rev().eq(found.as_bytes());
        listed == found || self.algorithm.either_order && backwards()
    }

    /// Whether [`crate::update_many`] hashes several messages of this algorithm at once.
    pub fn has_lanes(&self) -> bool {
        matches!(self.algorithm.kind, Kind::Blocks { .. } | Kind::Headed(_))
    }

    /// What stands behind the name: parameters that are not the usual ones, each with its value. Of a key only that there is
    /// one.
    fn parameters(&self) -> Vec<(&'static str, String)> {
        let Params { key, unit: size, seed, customization, .. } = &self.params;
        let unit = self.algorithm.unit().filter(|unit| unit.usual != *size);
        let mut parameters: Vec<_> =
            unit.map(|unit| (unit.key, Size(*size).to_string())).into_iter().collect();
        if *seed != 0 {
            parameters.push((SEED, seed.to_string()));
        }
        if let (Some(bytes), Some(called)) = (customization, self.algorithm.customized) {
            parameters.push((called, HEXLOWER.encode(bytes)));
        }
        match key {
            Key::Derive(context) => parameters.push((CONTEXT, HEXLOWER.encode(context.as_bytes()))),
            Key::None => {}
            _ if self.algorithm.keying.needs_key() => {}
            Key::Missing | Key::Secret(_) => parameters.push((KEYED, String::new())),
        }
        parameters
    }

    /// The same with what stands behind a name: `leaf=1MiB`, `seed=7`, `custom=HEX` or `keyed`.
    pub(crate) fn with_parameter(self, text: &str) -> Result<Spec, SpecError> {
        let name = self.algorithm.name;
        let (key, value) = text.split_once('=').map_or((text, None), |(key, value)| (key, Some(value)));
        let key = key.to_ascii_lowercase();
        match (key.as_str(), value) {
            (KEYED, None) => match self.algorithm.keying {
                Keying::Optional { .. } => self.with_key(Key::Missing),
                Keying::Never => Err(SpecError::NotKeyed(name)),
                Keying::Always { .. } => Ok(self),
            },
            (SEED, Some(value)) if self.algorithm.seed_bits > 0 => match number(value) {
                Some(seed) => self.with_seed(seed),
                _ => Err(SpecError::Parameter(name, format!("'{text}' is not {SEED}=NUMBER"))),
            },
            (called, Some(value)) if self.algorithm.customized == Some(called) => {
                match HEXLOWER_PERMISSIVE.decode(value.as_bytes()) {
                    Ok(bytes) => self.with_customization(&bytes),
                    Err(_) => {
                        Err(SpecError::Parameter(name, format!("'{text}' is not {called}=HEXADECIMAL")))
                    }
                }
            }
            _ => {
                let unit = self.parameter()?.key;
                match value.filter(|_| key == unit).and_then(Unit::read) {
                    Some(size) => self.with_unit(size),
                    None => Err(SpecError::Parameter(name, format!("'{text}' is not {unit}=SIZE"))),
                }
            }
        }
    }

    fn named(&self, base: &str) -> String {
        if self.params.digest_len == self.algorithm.digest_len {
            base.to_owned()
        } else {
            format!("{base}-{}", self.params.digest_len * 8)
        }
    }
}

/// A number in decimal, or with `0x` before it in hexadecimal.
fn number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.get(..2) {
        Some("0x" | "0X") => (&text[2..], 16),
        _ => (text, 10),
    };
    u64::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with('+'))
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.named(self.algorithm.name))?;
        self.parameters().into_iter().try_for_each(|(key, value)| match value.as_str() {
            "" => write!(f, ";{key}"),
            value => write!(f, ";{key}={value}"),
        })
    }
}
