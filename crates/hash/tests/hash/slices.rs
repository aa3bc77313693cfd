//! Messages in random slices.

use crate::input::Random;
use truesum_hash::{Digest, Spec};

/// Returns the digest of a message fed in random slices of up to `most` bytes.
pub fn in_slices(spec: &Spec, message: &[u8], random: &mut Random, most: u64) -> Digest {
    let mut hasher = spec.hasher_for_size(message.len() as u64);
    let mut rest = message;
    while !rest.is_empty() {
        let (slice, others) = rest.split_at(1 + random.below(most.min(rest.len() as u64)) as usize);
        hasher.update(slice);
        rest = others;
    }
    hasher.finish()
}
