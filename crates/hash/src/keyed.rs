//! Algorithms that require a key: SipHash, HighwayHash, KMAC, and HMAC with any hash of blocks.
//!
//! They are found by name like those in [`crate::ALGORITHMS`]. Nothing is computed until
//! [`Spec::with_key`](crate::Spec::with_key) provides the key.

mod highway;
mod hmac;
mod kmac;
mod siphash;

pub(crate) use hmac::{HMAC, over};

use crate::algorithm::Algorithm;
use crate::spec::Spec;

/// The algorithms that require a key, except those of HMAC.
pub static KEYED: &[&[Algorithm]] = &[kmac::ROWS, siphash::ROWS, highway::ROWS];

/// Returns HMAC with each of these algorithms that it can be used with, at its default length.
pub fn hmacs(bases: impl Iterator<Item = &'static Algorithm>) -> impl Iterator<Item = &'static Algorithm> {
    bases.filter_map(|base| over(&Spec::new(base)))
}
