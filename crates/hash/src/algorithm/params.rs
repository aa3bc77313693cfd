//! What is chosen for one digest beside the algorithm.

use std::fmt;
use std::sync::Arc;

/// How a keyed algorithm is keyed. [`Algorithm::keyed`](crate::Algorithm::keyed) says which are.
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

/// The parameters of an algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Params {
    /// Bytes of the digest.
    pub digest_len: usize,
    pub key: Key,
    /// Size of leaves or parts; 0 for an algorithm that has none.
    pub unit: u64,
}
