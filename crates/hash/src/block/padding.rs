//! Padding and state encodings that many algorithms share.

use super::chain::{State, Tail};

macro_rules! strengthening {
    ($(#[$doc:meta])* $name:ident, $block:literal, $length:ty, $bytes:ident, $first:literal) => {
        $(#[$doc])*
        pub(crate) fn $name(_: &mut State, tail: &mut Tail, buffered: usize, total: u64) -> usize {
            const LENGTH: usize = size_of::<$length>();
            // The zeros in between are there already (`Chain::pad`).
            tail[buffered] = $first;
            // The first byte of the padding and the length must fit after the message; otherwise,
            // the length goes to the end of another block. A field of 64 bits keeps the lower bits
            // of the length, as RFC 1321 demands; SHA-1, SHA-256 and Tiger are not defined for
            // messages of 2^61 bytes.
            let blocks = if buffered < $block - LENGTH { 1 } else { 2 };
            tail[blocks * $block - LENGTH..blocks * $block].copy_from_slice(&(<$length>::from(total) << 3).$bytes());
            blocks
        }
    };
}
strengthening!(
    /// The MD4 family: a one bit, zeros, the length in bits as 64 bits, little-endian.
    pad_le64, 64, u64, to_le_bytes, 0x80
);
strengthening!(
    /// SHA-1 and SHA-256: the same with a big-endian length.
    pad_be64, 64, u64, to_be_bytes, 0x80
);
strengthening!(
    /// SHA-512: a one bit, zeros, the length in bits as 128 bits, big-endian, in a block of 128 bytes.
    pad_be128, 128, u128, to_be_bytes, 0x80
);
strengthening!(
    /// Tiger: the byte 1, zeros, the length in bits as 64 bits, little-endian.
    pad_tiger, 64, u64, to_le_bytes, 0x01
);

macro_rules! output {
    ($name:ident, $word:ty, $bytes:ident, $order:literal) => {
        #[doc = concat!("State words of ", stringify!($word), ", ", $order, ", cut at the digest's length.")]
        pub(crate) fn $name(state: &State, digest: &mut [u8]) {
            // The last chunk is shorter than a word if the digest ends within one (SHA-512/224).
            for (bytes, word) in digest.chunks_mut(size_of::<$word>()).zip(state) {
                bytes.copy_from_slice(&(*word as $word).$bytes()[..bytes.len()]);
            }
        }
    };
}
output!(output_le32, u32, to_le_bytes, "little-endian");
output!(output_be32, u32, to_be_bytes, "big-endian");
output!(output_le64, u64, to_le_bytes, "little-endian");
output!(output_be64, u64, to_be_bytes, "big-endian");

/// Returns the little-endian words of a block.
#[inline(always)]
pub(crate) fn words<const N: usize>(block: &[[u8; 8]]) -> [u64; N] {
    let mut words = [0; N];
    for (word, bytes) in words.iter_mut().zip(block) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}

/// Writes words to a block in little-endian order.
pub(crate) fn put_words(words: &[u64], block: &mut [u8]) {
    for (bytes, word) in block.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
}

/// Adds a block to a sum with the same number of words, modulo two to the power of their bits.
#[inline(always)]
pub(crate) fn add_words(sum: &mut [u64], block: &[u64]) {
    let mut carry = false;
    for (sum, word) in sum.iter_mut().zip(block) {
        let (partial, over) = sum.overflowing_add(*word);
        // At most one of the two sums overflows: after the first did, `partial` is not the maximum.
        let (whole, over_again) = partial.overflowing_add(u64::from(carry));
        (*sum, carry) = (whole, over || over_again);
    }
}
