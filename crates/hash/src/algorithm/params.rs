//! The parameters of a digest in addition to its algorithm.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use zeroize::Zeroizing;

/// The key of a digest. [`Algorithm::keying`](crate::Algorithm::keying) describes which algorithms accept one.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub enum Key {
    /// The plain hash.
    #[default]
    None,
    /// A key that is not known, as in the name of a keyed digest. Nothing can be hashed until
    /// [`Spec::with_key`](crate::Spec::with_key) provides it.
    Missing,
    /// A known key.
    Secret(Secret),
    /// `b3sum --derive-key CONTEXT`.
    Derive(Arc<str>),
}

impl fmt::Debug for Key {
    // A key must never be logged.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Key::None => "None",
            Key::Missing => "Missing",
            Key::Secret(_) => "Secret(..)",
            Key::Derive(_) => "Derive(..)",
        })
    }
}

/// The bytes of a key. They are shared by all hashers that use them, overwritten when the last one is dropped, and
/// never printed. The hashers of HMAC, KMAC, SipHash and keyed BLAKE2 also overwrite their states and buffers when
/// they are dropped; those of BLAKE3 and HighwayHash, which other crates compute, do not. No copies that the compiler
/// makes of a value that is moved, and no states saved with [`Hasher::save`](crate::Hasher::save), are overwritten.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<Zeroizing<Vec<u8>>>);

impl Secret {
    /// Returns a key with these bytes, which are overwritten with zeros in the argument.
    pub fn new(bytes: Vec<u8>) -> Secret {
        Secret(Arc::new(Zeroizing::new(bytes)))
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Hash for Secret {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_bytes().hash(state);
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Which keys an algorithm accepts, with lengths in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keying {
    /// No key.
    Never,
    /// The algorithm has a keyed variant, which is named `;keyed`.
    Optional {
        /// The minimum key length.
        least: usize,
        /// The maximum key length.
        most: usize,
    },
    /// The algorithm requires a key.
    Always {
        /// The minimum key length.
        least: usize,
        /// The maximum key length.
        most: usize,
    },
}

impl Keying {
    /// Returns the minimum and maximum key length in bytes; `None` if no key is accepted.
    pub fn lengths(self) -> Option<(usize, usize)> {
        match self {
            Keying::Never => None,
            Keying::Optional { least, most } | Keying::Always { least, most } => Some((least, most)),
        }
    }

    /// Returns whether the algorithm requires a key.
    pub fn needs_key(self) -> bool {
        matches!(self, Keying::Always { .. })
    }
}

/// Records whether a parameter was given explicitly. This does not affect the digest, so all values compare equal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GivenExplicitly(pub bool);

impl PartialEq for GivenExplicitly {
    fn eq(&self, _: &GivenExplicitly) -> bool {
        true
    }
}

impl Eq for GivenExplicitly {}

impl std::hash::Hash for GivenExplicitly {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// The parameters of an algorithm.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Params {
    /// The digest length in bytes.
    pub(crate) digest_len: usize,
    pub(crate) key: Key,
    /// The size of leaves or parts; 0 for an algorithm without them.
    pub(crate) unit: u64,
    /// The seed, for algorithms that have one.
    pub(crate) seed: u64,
    pub(crate) seed_given: GivenExplicitly,
    /// The customization string (SP 800-185 section 3.3); empty for none.
    pub(crate) customization: Option<Arc<[u8]>>,
    /// The salt and the personalization of BLAKE2 (RFC 7693 section 2.5), padded with zeros; `None` if both are zeros.
    pub(crate) personal: Option<Arc<[[u8; 16]; 2]>>,
}

impl Params {
    /// Returns the bytes of the key, or nothing without a key.
    pub fn secret(&self) -> Option<&[u8]> {
        match &self.key {
            Key::Secret(secret) => Some(secret.as_bytes()),
            Key::None | Key::Missing | Key::Derive(_) => None,
        }
    }

    /// Returns the customization string, which may be empty.
    pub fn custom(&self) -> &[u8] {
        self.customization.as_deref().unwrap_or_default()
    }

    /// Returns whether there is a salt or a personalization.
    pub fn is_personal(&self) -> bool {
        self.personal.is_some()
    }

    /// Returns the salt and the personalization, both padded with zeros to the length that BLAKE2b takes.
    pub fn personal(&self) -> [[u8; 16]; 2] {
        self.personal.as_deref().copied().unwrap_or_default()
    }
}
