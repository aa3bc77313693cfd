//! A message one byte longer than four gibibytes, so that lengths in bytes and in bits exceed their lower words.

use truesum_hash::{Digest, Spec};

/// A repeated mebibyte, which `tests/independent/make --long` passes to other implementations.
pub fn message() -> Vec<u8> {
    let data = super::input::bytes("sm64:37", 1 << 20);
    let mut message = data.repeat(4096);
    message.push(data[0]);
    message
}

/// Computes our digest the way a file is read.
pub fn digest(spec: &Spec, message: &[u8]) -> Digest {
    let mut hasher = spec.hasher_for_size(message.len() as u64);
    message.chunks((1 << 20) + 7).for_each(|slice| hasher.update(slice));
    hasher.finish()
}
