//! Independent implementations, as functions from a message to its digest.

use md5::digest::{ExtendableOutput, Update, XofReader};

pub type Oracle = fn(&[u8]) -> Vec<u8>;

/// Any implementation of RustCrypto's `Digest`.
pub fn by<D: md5::Digest>(message: &[u8]) -> Vec<u8> {
    D::digest(message).to_vec()
}

/// The same with an earlier version of the trait, for crates that only implement that one.
#[cfg(target_arch = "x86_64")]
pub fn by_older<D: blake_hash::digest::Digest>(message: &[u8]) -> Vec<u8> {
    D::digest(message).to_vec()
}

/// Returns the first `N` bytes of an extendable output.
pub fn output<D: ExtendableOutput + Update + Default, const N: usize>(message: &[u8]) -> Vec<u8> {
    let mut hasher = D::default();
    hasher.update(message);
    let mut bytes = [0; N];
    hasher.finalize_xof().read(&mut bytes);
    bytes.to_vec()
}
