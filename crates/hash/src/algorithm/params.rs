//! What is chosen for one digest beside the algorithm.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use zeroize::Zeroizing;

/// What a digest is computed under. [`Algorithm::keying`](crate::Algorithm::keying) says which algorithms take a key.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub enum Key {
    /// The plain hash.
    #[default]
    None,
    /// A key that is not there: all that the name of a keyed digest tells. Nothing can be hashed until
    /// [`Spec::with_key`](crate::Spec::with_key) brings it.
    Missing,
    /// This one.
    Secret(Secret),
    /// `b3sum --derive-key CONTEXT`.
    Derive(Arc<str>),
}

impl fmt::Debug for Key {
    // A key never reaches a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Key::None => "None",
            Key::Missing => "Missing",
            Key::Secret(_) => "Secret(..)",
            Key::Derive(_) => "Derive(..)",
        })
    }
}

/// The bytes of a key: shared by all hashers under it, overwritten when the last of them is gone, never shown. What hashers make
/// of a key (the states of HMAC) lies in their memory as any state does.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<Zeroizing<Vec<u8>>>);

impl Secret {
    /// A key of these bytes, in whose place zeros stand afterwards.
    pub fn new(bytes: Vec<u8>) -> Secret {
        Secret(Arc::new(Zeroizing::new(bytes)))
    }

    /// The bytes.
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

/// Which keys an algorithm takes; lengths are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keying {
    /// None.
    Never,
    /// A key makes another digest of it, which is named `;keyed`.
    Optional {
        /// The shortest key.
        least: usize,
        /// The longest.
        most: usize,
    },
    /// There is no digest without a key.
    Always {
        /// The shortest key.
        least: usize,
        /// The longest.
        most: usize,
    },
}

impl Keying {
    /// The shortest and the longest key, in bytes; `None` where no key is taken.
    pub fn lengths(self) -> Option<(usize, usize)> {
        match self {
            Keying::Never => None,
            Keying::Optional { least, most } | Keying::Always { least, most } => Some((least, most)),
        }
    }

    /// Whether there is no digest without a key.
    pub fn needs_key(self) -> bool {
        matches!(self, Keying::Always { .. })
    }
}

/// Whether somebody said so, which makes no difference to what is computed: each is equal to the other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Said(pub bool);

impl PartialEq for Said {
    fn eq(&self, _: &Said) -> bool {
        true
    }
}

impl Eq for Said {}

impl std::hash::Hash for Said {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// The parameters of an algorithm.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Params {
    /// Bytes of the digest.
    pub digest_len: usize,
    pub key: Key,
    /// Size of leaves or parts; 0 for an algorithm that has none.
    pub unit: u64,
    /// Where the state begins, in an algorithm that has a choice.
    pub seed: u64,
    pub seed_said: Said,
    /// What tells one use from another (SP 800-185 section 3.3); empty for none.
    pub customization: Option<Arc<[u8]>>,
}

impl Params {
    /// The bytes of the key; none where there is no key.
    pub fn secret(&self) -> Option<&[u8]> {
        match &self.key {
            Key::Secret(secret) => Some(secret.as_bytes()),
            Key::None | Key::Missing | Key::Derive(_) => None,
        }
    }

    /// The customization, which may be empty.
    pub fn custom(&self) -> &[u8] {
        self.customization.as_deref().unwrap_or_default()
    }
}
