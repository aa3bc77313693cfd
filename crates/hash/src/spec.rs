//! A [`Spec`]: an algorithm with its parameters, and its textual names.
//!
//! The same text form is used on the command line, in `--json` and in the tags of manifests: `sha256`, `blake2b-256`,
//! `shake128-512`, `BLAKE2b-128`, `SHA2-384`. Lengths in names are bits, as in every tool; lengths in this API are
//! bytes. The size of leaves or parts follows the name if it is not the default: `sha256-tree;leaf=1MiB`; and so do a
//! seed (`xxh64;seed=7`), a customization string, a salt or a personalization in hexadecimal
//! (`cshake128;custom=456d61696c`, `blake2b;salt=0102;person=617070`), and the mark of a key (`blake3;keyed`).

use crate::algorithm::{Algorithm, GivenExplicitly, Key, Keying, Kind, Lengths, Params, Unit};
use crate::digest::Digest;
use crate::size::Size;
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use std::fmt;
use std::sync::Arc;

/// The maximum length of a digest of variable length, which is stored completely. Longer output is read in pieces
/// ([`crate::XofReader`]).
const MAX_OUTPUT: usize = 16 << 20;
/// The maximum length of a customization string, because it is part of the name.
const MAX_CUSTOMIZATION: usize = 48;
/// The maximum length of a context string, because tags of this length are looked up in manifests.
const MAX_CONTEXT: usize = 72;
/// The maximum length of a salt, as limited by fs-verity.
const MAX_SALT: usize = 32;
/// The maximum length of a file name.
const MAX_NAME: usize = 255;

// Parameters after a name.
const SEED: &str = "seed";
const KEYED: &str = "keyed";
pub(crate) const NAME: &str = "name";
const CONTEXT: &str = "context";
const SALT: &str = "salt";
const PERSON: &str = "person";

/// An algorithm and its parameters: everything needed to hash a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    pub(crate) algorithm: &'static Algorithm,
    pub(crate) params: Params,
}

/// Why a text does not name an algorithm, or why a parameter is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecError {
    /// No row has this name. Finding the nearest name is slow, so it is done only when the message is displayed.
    Unknown(String),
    /// An algorithm with this name exists but is not supported, so no other is suggested.
    NotHere(String),
    /// The algorithm has a fixed length.
    FixedLength(&'static str),
    /// The algorithm does not support this length in bits; the text describes which lengths it does.
    Length(&'static str, usize, &'static str),
    /// The algorithm does not accept a key.
    NotKeyed(&'static str),
    /// The algorithm requires a key.
    LacksKey(&'static str),
    /// The digest depends on the name of the file, which was not given.
    LacksName(&'static str),
    /// The algorithm does not accept a key of this length.
    KeyLength {
        /// The algorithm.
        name: &'static str,
        /// The length of the key in bytes.
        len: usize,
        /// The minimum key length in bytes.
        least: usize,
        /// The maximum key length in bytes.
        most: usize,
    },
    /// The text after the name is not a parameter of this algorithm, or has an invalid value; the text gives the
    /// reason.
    Parameter(&'static str, String),
}

impl std::error::Error for SpecError {}

impl Spec {
    /// Returns the algorithm at its default length, without a key ([`Spec::lacks_key`] returns whether it requires
    /// one).
    pub fn new(algorithm: &'static Algorithm) -> Spec {
        let unit = algorithm.unit().map_or(0, |unit| unit.usual);
        let key = if algorithm.keying.needs_key() { Key::Missing } else { Key::None };
        Spec {
            algorithm,
            params: Params { digest_len: algorithm.digest_len, key, unit, ..Params::default() },
        }
    }

    /// Returns the algorithm with a digest of `bits` bits.
    ///
    /// # Errors
    /// Fails if the algorithm has a different fixed length, or if the length is out of range.
    pub fn with_bits(mut self, bits: usize) -> Result<Spec, SpecError> {
        let name = self.algorithm.name;
        match self.algorithm.lengths {
            Lengths::Fixed if bits == self.algorithm.digest_len * 8 => {}
            Lengths::Fixed => return Err(SpecError::FixedLength(name)),
            Lengths::UpTo(max) => {
                if bits == 0 || !bits.is_multiple_of(8) || bits > max * 8 {
                    return Err(SpecError::Length(
                        name,
                        bits,
                        "a multiple of 8, up to the algorithm's maximum length",
                    ));
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

    /// Returns the algorithm with a key.
    ///
    /// # Errors
    /// Fails if the algorithm accepts no key or none of this length, or if the key is missing and required.
    pub fn with_key(mut self, key: Key) -> Result<Spec, SpecError> {
        let Algorithm { name, keying, .. } = *self.algorithm;
        match (&key, keying.lengths()) {
            (Key::None, _) if keying.needs_key() => return Err(SpecError::LacksKey(name)),
            (Key::None, _) => {}
            (_, None) => return Err(SpecError::NotKeyed(name)),
            // Only BLAKE3 derives keys from a context string.
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
            return Err(SpecError::Parameter(name, "a key and a context cannot be combined".to_owned()));
        }
        if key != Key::None && self.params.seed != 0 {
            return Err(SpecError::Parameter(name, "a seed and a key cannot be combined".to_owned()));
        }
        self.params.key = key;
        Ok(self)
    }

    /// Returns whether its digests depend on the file name, which has not been set: then a file without a name is
    /// hashed.
    pub fn lacks_name(&self) -> bool {
        self.algorithm.customized == Some(NAME) && !self.is_customized()
    }

    /// Returns whether its digests require a key that is missing, as in a name or a tag. Nothing can be hashed then.
    pub fn lacks_key(&self) -> bool {
        self.params.key == Key::Missing
    }

    /// Returns whether it has a seed other than the default.
    pub fn is_seeded(&self) -> bool {
        self.params.seed != 0
    }

    /// Returns whether a seed was given explicitly, even the default one.
    pub fn has_explicit_seed(&self) -> bool {
        self.params.seed_given.0
    }

    /// Returns whether it has a customization string, a salt or a personalization.
    pub fn is_customized(&self) -> bool {
        self.params.customization.is_some() || self.params.is_personal()
    }

    /// Returns whether its digests are keyed, whether the key is known or not.
    pub fn is_keyed(&self) -> bool {
        self.params.key != Key::None
    }

    /// Returns the algorithm with this seed.
    ///
    /// # Errors
    /// Fails if the algorithm has no seed, or a shorter one.
    pub fn with_seed(mut self, seed: u64) -> Result<Spec, SpecError> {
        let Algorithm { name, seed_bits, .. } = *self.algorithm;
        if seed_bits == 0 {
            return Err(SpecError::Parameter(name, "the algorithm takes no seed".to_owned()));
        }
        if seed_bits < 64 && seed >> seed_bits != 0 {
            return Err(SpecError::Parameter(name, format!("the seed must fit in {seed_bits} bits")));
        }
        if seed != 0 && self.is_keyed() {
            return Err(SpecError::Parameter(name, "a seed and a key cannot be combined".to_owned()));
        }
        self.params.seed = seed;
        self.params.seed_given = GivenExplicitly(true);
        Ok(self)
    }

    /// Returns the algorithm with this customization string; empty for none.
    ///
    /// # Errors
    /// Fails if the algorithm accepts no customization string, or none of this length.
    pub fn with_customization(mut self, bytes: &[u8]) -> Result<Spec, SpecError> {
        let name = self.algorithm.name;
        let Some(called) = self.algorithm.customized else {
            return Err(SpecError::Parameter(name, "the algorithm takes no customization string".to_owned()));
        };
        let most = match called {
            "salt" => MAX_SALT,
            NAME => MAX_NAME,
            CONTEXT => MAX_CONTEXT,
            _ => MAX_CUSTOMIZATION,
        };
        if bytes.len() > most {
            return Err(SpecError::Parameter(
                name,
                format!("'{called}' must not be longer than {most} bytes"),
            ));
        }
        if called != CONTEXT {
            self.params.customization = (!bytes.is_empty()).then(|| bytes.into());
            return Ok(self);
        }
        // BLAKE3 derives a key from it (section 5.3 of its paper).
        let refuse = |why: &str| Err(SpecError::Parameter(name, why.to_owned()));
        match std::str::from_utf8(bytes) {
            _ if matches!(self.params.key, Key::Derive(_)) => refuse("the context is specified twice"),
            _ if self.is_keyed() => refuse("a key and a context cannot be combined"),
            Ok("") => refuse("the context must not be empty"),
            Ok(context) => self.with_key(Key::Derive(context.into())),
            Err(_) => refuse("the context must be valid UTF-8"),
        }
    }

    /// Returns the algorithm with this salt. BLAKE2 pads it with zeros, so zeros at the end do not matter.
    ///
    /// # Errors
    /// Fails if the algorithm accepts no salt, or none of this length.
    pub fn with_salt(self, bytes: &[u8]) -> Result<Spec, SpecError> {
        self.with_personal(SALT, 0, bytes)
    }

    /// Returns the algorithm with this personalization, which is treated like a salt.
    ///
    /// # Errors
    /// Fails if the algorithm accepts no personalization, or none of this length.
    pub fn with_person(self, bytes: &[u8]) -> Result<Spec, SpecError> {
        self.with_personal(PERSON, 1, bytes)
    }

    fn with_personal(mut self, called: &str, at: usize, bytes: &[u8]) -> Result<Spec, SpecError> {
        let Algorithm { name, personal: most, .. } = *self.algorithm;
        let refuse = |why: String| Err(SpecError::Parameter(name, why));
        if most == 0 {
            return refuse(format!("the algorithm takes no '{called}' parameter"));
        }
        if bytes.len() > most {
            return refuse(format!("'{called}' must not be longer than {most} bytes"));
        }
        let mut both = self.params.personal();
        both[at] = [0; 16];
        both[at][..bytes.len()].copy_from_slice(bytes);
        self.params.personal = (both != [[0; 16]; 2]).then(|| Arc::new(both));
        Ok(self)
    }

    /// Returns the digest with leaves or parts of `size` bytes.
    ///
    /// # Errors
    /// Fails if the algorithm has no leaves or parts of variable size, or if it does not support this size.
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
        self.algorithm.unit().filter(|unit| !unit.key.is_empty()).ok_or_else(|| {
            SpecError::Parameter(self.algorithm.name, "the algorithm takes no such parameter".to_owned())
        })
    }

    /// Returns the size of the leaves or parts of a composite digest with equal ones; 0 for any other algorithm.
    pub fn unit(&self) -> u64 {
        self.params.unit
    }

    /// Returns whether digests include the number of parts: `HEX-N`.
    pub fn counts_parts(&self) -> bool {
        self.algorithm.counts_parts()
    }

    /// Returns whether the message length must be known in advance to hash a stream (see [`Spec::hasher_for_size`]).
    pub fn needs_size(&self) -> bool {
        self.algorithm.needs_size()
    }

    /// Returns the table row.
    pub fn algorithm(&self) -> &'static Algorithm {
        self.algorithm
    }

    /// Returns the name with the size of leaves or parts, even if it is the default; `None` if the algorithm has no such
    /// size.
    pub fn name_with_unit(&self) -> Option<String> {
        let unit = self.algorithm.unit()?;
        let name = self.to_string();
        Some(if self.params.unit == unit.usual {
            format!("{name};{}={}", unit.key, Size(unit.usual))
        } else {
            name
        })
    }

    /// Returns the digest length in bytes.
    pub fn digest_len(&self) -> usize {
        self.params.digest_len
    }

    /// Returns the tag for BSD-style lines: `SHA256`, `BLAKE2b`, `BLAKE2b-128`, `SHAKE128-512`,
    /// `SHA256-TREE;LEAF=1MiB`.
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

    /// Returns whether the digest `listed` in a manifest matches `found`: they are equal, or equal in reverse byte
    /// order for algorithms with such manifests.
    pub fn agree(&self, listed: &Digest, found: &Digest) -> bool {
        let backwards = || listed.as_bytes().iter().rev().eq(found.as_bytes());
        listed == found || self.algorithm.either_order && backwards()
    }

    /// Returns whether [`crate::update_many`] hashes several messages of this algorithm at once, on a CPU with the
    /// necessary features.
    pub fn has_lanes(&self) -> bool {
        self.algorithm.kernels().iter().any(|kernel| kernel.lanes > 1)
    }

    /// Returns the parameters after the name that differ from the defaults, with their values. A key is indicated but
    /// not included.
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
        for (called, bytes) in [SALT, PERSON].into_iter().zip(self.params.personal()) {
            let len = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            parameters.extend((len > 0).then(|| (called, HEXLOWER.encode(&bytes[..len]))));
        }
        match key {
            Key::Derive(context) => parameters.push((CONTEXT, HEXLOWER.encode(context.as_bytes()))),
            Key::None => {}
            _ if self.algorithm.keying.needs_key() => {}
            Key::Missing | Key::Secret(_) => parameters.push((KEYED, String::new())),
        }
        parameters
    }

    /// Adds a parameter from the text after a name: `leaf=1MiB`, `seed=7`, `custom=HEX` or `keyed`.
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
                _ => Err(SpecError::Parameter(name, format!("expected {SEED}=NUMBER, not '{text}'"))),
            },
            (called, Some(value)) if self.takes_bytes(called) => {
                match HEXLOWER_PERMISSIVE.decode(value.as_bytes()) {
                    Ok(bytes) if self.algorithm.customized == Some(called) => self.with_customization(&bytes),
                    Ok(bytes) if called == SALT => self.with_salt(&bytes),
                    Ok(bytes) => self.with_person(&bytes),
                    Err(_) => Err(SpecError::Parameter(
                        name,
                        format!("expected {called}=HEXADECIMAL, not '{text}'"),
                    )),
                }
            }
            _ => {
                let unit = self.parameter()?.key;
                match value.filter(|_| key == unit).and_then(Unit::read) {
                    Some(size) => self.with_unit(size),
                    None => Err(SpecError::Parameter(name, format!("expected {unit}=SIZE, not '{text}'"))),
                }
            }
        }
    }

    /// Returns whether the algorithm has a parameter of this name whose value is bytes.
    fn takes_bytes(&self, called: &str) -> bool {
        let Algorithm { customized, personal, .. } = *self.algorithm;
        customized == Some(called) || personal > 0 && [SALT, PERSON].contains(&called)
    }

    fn named(&self, base: &str) -> String {
        if self.params.digest_len == self.algorithm.digest_len {
            base.to_owned()
        } else {
            format!("{base}-{}", self.params.digest_len * 8)
        }
    }
}

/// Parses a decimal number, or a hexadecimal one with the prefix `0x`.
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
