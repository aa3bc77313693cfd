//! Digests that there are only under a key: SipHash, HighwayHash, KMAC, and HMAC over any hash of blocks.
//!
//! Their names lead to them as those of [`crate::ALGORITHMS`] do; nothing is computed before [`Spec::with_key`](crate::Spec::with_key)
//! has brought the key.

mod highway;
mod hmac;
mod kmac;
mod siphash;

pub(crate) use hmac::{HMAC, over};

use crate::algorithm::Algorithm;
use crate::spec::Spec;

/// The algorithms that need a key, but for HMAC's.
pub static KEYED: &[&[Algorithm]] = &[kmac::ROWS, siphash::ROWS, highway::ROWS];

/// HMAC over each of these algorithms that it can be over, at its usual length.
pub fn hmacs(bases: impl Iterator<Item = &'static Algorithm>) -> impl Iterator<Item = &'static Algorithm> {
    bases.filter_map(|base| over(&Spec::new(base)))
}
