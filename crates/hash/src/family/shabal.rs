//! Shabal (Bresson, Canteaut, Chevallier-Mames, Clavier, Fuhr, Gouget, Icart, Misarsky, Naya-Plasencia, Paillier,
//! Pornin, Reinhard, Thuillet & Videau: "Shabal, a submission to NIST's cryptographic hash algorithm competition",
//! 2008).
//!
//! Three buffers A, B and C of 12, 16 and 16 words of 32 bits, and a block counter. All digest lengths share everything
//! except the initial state, which is the state after two blocks that contain the length. The digest is the end of B
//! after the last block has been processed four times.
#![allow(unsafe_code)]

use crate::algorithm::{Params, Status, rows};
use crate::block::{Chain, State, Tail, kernels, state};
use crate::word::{Endian, Word32, array, unknown, unroll};
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x8, U32x16};
use std::sync::LazyLock;

const SHABAL: Status = Status::Secure(
    "SHA-3 second-round candidate; only distinguishers for the permutation (Aumasson et al. 2009)",
);

rows! {
    SHABAL;
    "shabal192" "SHABAL-192" ["shabal-192"], 24 CHAIN, "Shabal, 192 bits", "2186596cb97a1d6f5793435c421cffacb2dd48f0662afafc";
    "shabal224" "SHABAL-224" ["shabal-224"], 28 CHAIN, "Shabal, 224 bits", "ec6cdeb23483f0231fffb50795c81332905cf8ff07475201905a5f3e";
    "shabal256" "SHABAL-256" ["shabal-256"], 32 CHAIN, "Shabal, 256 bits; Burstcoin", "f6bb7171c193ee787b1d82c1c0c8271980f4d6735ae8598936df92faa65ca6a0";
    "shabal384" "SHABAL-384" ["shabal-384"], 48 CHAIN, "Shabal, 384 bits", "8a634edebc4b3ff3dc2a9211a7e12dab7814c6f3a907c861864ab61486ed4ff85770271bb60c4d33f43f61e297d86290";
    "shabal512" "SHABAL-512" ["shabal-512"], 64 CHAIN, "Shabal, 512 bits", "47472582b04131f1de929cc6ee174d7726b8b0315a8e3be9d98d5548c6850fab1176c9ab26c9436a0693b718a48a486ea8081dda4adc8d1cf75eec0608e0eceb";
}

/// The initial states by digest length.
static BEGINNINGS: LazyLock<Vec<(usize, State)>> =
    LazyLock::new(|| ROWS.iter().map(|row| (row.digest_len, begin(row.digest_len))).collect());

static CHAIN: Chain =
    Chain { block: 64, words: WORDS, lazy: false, kernels: KERNELS, pad, output, last_blocks: 4, squeeze: None };

// Rows of 64-bit words, each of which contains two of Shabal's: a state has 47 of these.
kernels! {
    static KERNELS: Word64 of u64;
    x86_64 {
        avx512: avx512 x 16, from 9 = compress[U32x16];
        avx2: avx2 x 8, from 3 = compress[U32x8];
    }
    portable {
        portable: x 1, from 1 = compress[u32];
    }
}

/// The positions in the state of the buffers, the number of the next block, and its increment per block.
const A: usize = 0;
const B: usize = 6;
const C: usize = 14;
const NUMBER: usize = 22;
const STEP: usize = 23;
const WORDS: usize = 24;

/// Returns the state after the two blocks whose words count up from the length in bits, numbered -1 and 0.
fn begin(digest_len: usize) -> State {
    let mut begun = state(&[]);
    begun[NUMBER] = u64::MAX;
    begun[STEP] = 1;
    let mut blocks = [[0; 4]; 32];
    for (word, value) in blocks.iter_mut().zip(8 * digest_len as u32..) {
        *word = value.to_le_bytes();
    }
    // SAFETY: the row requires no CPU features; the state has more words than needed, and the message is two blocks.
    unsafe { portable(begun.as_mut_ptr(), &blocks.as_ptr().cast(), 2) };
    begun
}

fn init(params: &Params) -> State {
    let of_length = BEGINNINGS.iter().find(|(len, _)| *len == params.digest_len);
    of_length.expect("there is a row for each length").1
}

/// Appends a one bit and zeros. The block and its number are then repeated. What a kernel subtracts from C at the end
/// of a block is added again to B, which was C before, when the same block comes next.
fn pad(state: &mut State, tail: &mut Tail, buffered: usize, _: u64) -> usize {
    tail[buffered] = 0x80;
    for again in 1..4 {
        tail.copy_within(..64, 64 * again);
    }
    state[STEP] = 0;
    4
}

/// Writes the end of B, which has been exchanged with C.
fn output(state: &State, digest: &mut [u8]) {
    let mut bytes = [[0; 8]; 8];
    for (bytes, word) in bytes.iter_mut().zip(&state[C..C + 8]) {
        *bytes = word.to_le_bytes();
    }
    digest.copy_from_slice(&bytes.as_flattened()[64 - digest.len()..]);
}

/// The words of a state as two halves each, `[word][lane]`.
///
/// # Safety
/// The same as for [`crate::word::Word::load`], with as many words from `state` as requested.
macro_rules! halves {
    ($state:ident, $word:ty, $place:expr) => {{
        let mut halves = [[0u32; 16]; 2];
        for lane in 0..<$word>::LANES {
            let both = *$state.add($place * <$word>::LANES + lane);
            (halves[0][lane], halves[1][lane]) = (both as u32, (both >> 32) as u32);
        }
        [<$word>::load(halves[0].as_ptr()), <$word>::load(halves[1].as_ptr())]
    }};
}

/// Processes a block in every lane.
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn compress<W: Word32>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: twenty-four words of state, complete blocks, the CPU features.
    unsafe {
        let mut a = [W::splat(0); 12];
        let (mut b, mut c) = ([W::splat(0); 16], [W::splat(0); 16]);
        for i in 0..6 {
            [a[2 * i], a[2 * i + 1]] = halves!(state, W, A + i);
        }
        for i in 0..8 {
            [b[2 * i], b[2 * i + 1]] = halves!(state, W, B + i);
            [c[2 * i], c[2 * i + 1]] = halves!(state, W, C + i);
        }
        let [mut low, mut high] = halves!(state, W, NUMBER);
        let [step, _] = halves!(state, W, STEP);
        for block in 0..blocks {
            let m = W::chunk(messages, block * 64, Endian::Little);
            for i in 0..16 {
                b[i] = b[i].add(m[i]).rotl(17);
            }
            a[0] = a[0].xor(low);
            a[1] = a[1].xor(high);
            macro_rules! step {
                ($i:expr, $first:expr) => {
                    let (i, j) = ($i, $first + $i);
                    let before = a[(j + 11) % 12].rotl(15);
                    let fivefold = before.add(before).add(before.add(before)).add(before);
                    let sum = a[j % 12].xor(c[(24 - i) % 16]).xor(fivefold);
                    let threefold = sum.add(sum).add(sum);
                    let other = b[(i + 13) % 16].xor(b[(i + 6) % 16].andnot(b[(i + 9) % 16])).xor(m[i]);
                    a[j % 12] = threefold.xor(other);
                    b[i] = b[i].rotl(1).xor(a[j % 12]).not();
                };
            }
            if W::LANES == 1 {
                unroll!(i in 16 => { step!(i, 0); });
                unroll!(i in 16 => { step!(i, 16); });
                unroll!(i in 16 => { step!(i, 32); });
            } else {
                // Sixteen steps rotate A by four words, so after three times as many all words are in their original
                // positions.
                for _ in 0..*unknown(&3) {
                    unroll!(i in 16 => { step!(i, 0); });
                    a = array![12; i => a[(i + 4) % 12]];
                }
            }
            for i in 0..12 {
                a[i] = a[i].add(c[(i + 3) % 16]).add(c[(i + 11) % 16]).add(c[(i + 15) % 16]);
            }
            for i in 0..16 {
                let taken = c[i].sub(m[i]);
                c[i] = b[i];
                b[i] = taken;
            }
            // At most one is added, so the top bit changes from 1 to 0 only if the sum exceeds 2^32.
            let sum = low.add(step);
            high = high.add(sum.andnot(low).shr(31));
            low = sum;
        }
        macro_rules! store {
            ($place:expr, $pair:expr) => {{
                let mut halves = [[0u32; 16]; 2];
                $pair[0].store(halves[0].as_mut_ptr());
                $pair[1].store(halves[1].as_mut_ptr());
                for lane in 0..W::LANES {
                    let both = u64::from(halves[0][lane]) | u64::from(halves[1][lane]) << 32;
                    *state.add($place * W::LANES + lane) = both;
                }
            }};
        }
        for i in 0..6 {
            store!(A + i, [a[2 * i], a[2 * i + 1]]);
        }
        for i in 0..8 {
            store!(B + i, [b[2 * i], b[2 * i + 1]]);
            store!(C + i, [c[2 * i], c[2 * i + 1]]);
        }
        store!(NUMBER, [low, high]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{Code, Kernel};

    #[test]
    fn messages_begin_as_the_specification_has_it() {
        // From its appendix A.2: the first words of A, B and C for 256 bits.
        let begun = begin(32);
        assert_eq!([begun[A] as u32, begun[B] as u32, begun[C] as u32], [0x52f8_4552, 0xb555_c6ee, 0xb405_f031]);
        assert_eq!(begun[NUMBER], 1);
    }

    #[test]
    fn the_number_of_a_block_carries_past_4_gib_of_blocks_in_every_row() {
        let message: Vec<u8> = (0..=255).collect();
        for before in [1, u64::from(u32::MAX) - 1, u64::from(u32::MAX), 1 << 32] {
            let mut expected = begin(64);
            expected[NUMBER] = before;
            for block in message.chunks(64) {
                let number = expected[NUMBER];
                // The number is combined with A, and is not used elsewhere.
                expected[A] ^= number;
                expected[NUMBER] = 0;
                // SAFETY: as in `begin`, with one block.
                unsafe { portable(expected.as_mut_ptr(), &block.as_ptr(), 1) };
                expected[NUMBER] = number + 1;
            }
            for row in KERNELS.iter().filter_map(Kernel::runnable) {
                let Code::Word64(advance) = row.code() else { unreachable!() };
                let mut begun = begin(64);
                begun[NUMBER] = before;
                let mut state: Vec<u64> = begun[..WORDS].iter().flat_map(|word| vec![*word; row.lanes]).collect();
                let pointers = vec![message.as_ptr(); row.lanes];
                // SAFETY: the row is supported; twenty-four words for each lane; four complete blocks.
                unsafe { advance(state.as_mut_ptr(), pointers.as_ptr(), 4) };
                let last: Vec<u64> = state.iter().skip(row.lanes - 1).step_by(row.lanes).copied().collect();
                assert_eq!(last, expected[..WORDS], "{} x{} from {before}", row.isa, row.lanes);
            }
        }
    }
}
