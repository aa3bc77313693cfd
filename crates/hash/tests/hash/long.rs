//! A message of a byte more than four gibibytes: lengths in bytes and in bits have left their lower words.

use truesum_hash::{Digest, Spec};

/// A mebibyte over and over, which `tests/independent/make --long` gives to others.
pub fn message() -> Vec<u8> {
    let data = super::input::bytes("sm64:37", 1 << 20);
    let mut message = data.repeat(4096);
    message.push(data[0]);
    message
}

/// By ours as it is read from a file.
pub fn digest(spec: &Spec, message: &[u8]) -> Digest {
    let mut hasher = spec.hasher_for_size(message.len() as u64);
    message.chunks((1 << 20) + 7).for_each(|slice| hasher.update(slice));
    hasher.finish()
}
