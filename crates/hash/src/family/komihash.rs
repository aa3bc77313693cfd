//! komihash version 5 (Vaneev, <https://github.com/avaneev/komihash>), with a seed: eight words, two of which are
//! multiplied with two words of the message at a time.
//!
//! Digests are the number, big-endian.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::block::PartialBlock;
use crate::digest::Digest;

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[Algorithm {
    name: "komihash",
    tag: "KOMIHASH",
    aliases: &["komihash5"],
    digest_len: 8,
    status: Status::Checksum("64 bits, not cryptographic (Vaneev 2021)"),
    summary: "komihash 5; hash tables",
    check: "1e48489aa85686e9",
    seed_bits: 64,
    kind: Kind::Serial(|params| Box::new(Komi::new(params.seed))),
    ..Algorithm::PLAIN
}];

/// The first digits of pi, as used by Blowfish.
const PI: [u64; 8] = [
    0x243f_6a88_85a3_08d3,
    0x1319_8a2e_0370_7344,
    0xa409_3822_299f_31d0,
    0x082e_fa98_ec4e_6c89,
    0x4528_21e6_38d0_1377,
    0xbe54_66cf_34e9_0c6c,
    0xc0ac_29b7_c97c_50dd,
    0x3f84_d5b5_b547_0917,
];

const BLOCK: usize = 64;
/// The position of the second half of the state and of a block, in words.
const HALF: usize = 4;

/// Returns the little-endian number of at most eight bytes.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Returns the halves of a product.
fn product(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a) * u128::from(b);
    (product as u64, (product >> 64) as u64)
}

/// Keeps a word in a scalar register: LLVM would otherwise move some to vectors, which cannot multiply them.
#[inline(always)]
fn in_scalar_register(word: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    let word = {
        let mut word = word;
        // SAFETY: this emits no instruction.
        unsafe {
            std::arch::asm!("/* {} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags));
        }
        word
    };
    word
}

#[derive(Clone)]
struct Komi {
    /// The results of four products, each from one word of either half.
    state: [u64; 8],
    /// True if a complete block was processed.
    long: bool,
    partial: PartialBlock<BLOCK>,
}

/// The two words with which the end of a message continues: the upper half of a product is added to the second one, and
/// the first one becomes the exclusive or of that and the lower half.
struct Pair(u64, u64);

impl Pair {
    fn multiply(&mut self, a: u64, b: u64) {
        let (low, high) = product(a, b);
        self.1 = self.1.wrapping_add(high);
        self.0 = self.1 ^ low;
    }
}

impl Komi {
    fn new(seed: u64) -> Komi {
        const EVEN: u64 = 0x5555_5555_5555_5555;
        let mut pair = Pair(PI[0] ^ (seed & EVEN), PI[HALF] ^ (seed & !EVEN));
        pair.multiply(pair.0, pair.1);
        let mut state = PI;
        state[..HALF].iter_mut().for_each(|word| *word ^= pair.0);
        state[HALF..].iter_mut().for_each(|word| *word ^= pair.1);
        (state[0], state[HALF]) = (pair.0, pair.1);
        Komi { state, long: false, partial: PartialBlock::NONE }
    }

    #[inline(never)]
    fn take(state: &mut [u64; 8], blocks: &[[u8; BLOCK]]) {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
        for block in blocks {
            let words = block.as_chunks::<8>().0;
            let word = |at: usize| u64::from_le_bytes(words[at]);
            let (first, second) = (product(word(0) ^ a, word(4) ^ e), product(word(1) ^ b, word(5) ^ f));
            let (third, fourth) = (product(word(2) ^ c, word(6) ^ g), product(word(3) ^ d, word(7) ^ h));
            (e, f) = (in_scalar_register(e.wrapping_add(first.1)), in_scalar_register(f.wrapping_add(second.1)));
            (g, h) = (in_scalar_register(g.wrapping_add(third.1)), in_scalar_register(h.wrapping_add(fourth.1)));
            // The lower half of each product is combined with the upper half of its neighbor.
            (a, b) = (in_scalar_register(h ^ first.0), in_scalar_register(e ^ second.0));
            (c, d) = (in_scalar_register(f ^ third.0), in_scalar_register(g ^ fourth.0));
        }
        *state = [a, b, c, d, e, f, g, h];
    }
}

impl Serial for Komi {
    fn update(&mut self, data: &[u8]) {
        let (state, long) = (&mut self.state, &mut self.long);
        self.partial.feed(data, |blocks| {
            Komi::take(state, blocks);
            *long = true;
        });
    }

    fn finish(&mut self) -> Digest {
        let all = |words: &[u64]| words.iter().fold(0, |all, word| all ^ word);
        let mut pair = match self.long {
            true => Pair(all(&self.state[..HALF]), all(&self.state[HALF..])),
            false => Pair(self.state[0], self.state[HALF]),
        };
        let mut rest = self.partial.take_rest();
        let some = !rest.is_empty();
        while let Some((two, others)) = rest.split_at_checked(16) {
            pair.multiply(number(&two[..8]) ^ pair.0, number(&two[8..]) ^ pair.1);
            rest = others;
        }
        let (mut a, mut b) = (pair.0, pair.1);
        if self.long || some {
            if let Some((one, others)) = rest.split_at_checked(8) {
                (a, b) = (b, a ^ number(one));
                rest = others;
            }
            // A bit after the last byte.
            a ^= number(rest) | 1 << (8 * rest.len());
        }
        pair.multiply(a, b);
        pair.multiply(pair.0, pair.1);
        Digest::number(pair.0, 8)
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use crate::Spec;

    /// Compared with the crate of the same name.
    #[test]
    fn seed_changes_the_digest() {
        let spec: Spec = "komihash;seed=1311768467463790320".parse().unwrap();
        assert_eq!(spec.digest(b"123456789").to_hex(), "edabc75308bfda0c");
    }
}
