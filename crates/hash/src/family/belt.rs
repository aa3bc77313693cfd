//! The hash of STB 34.101.31 (BelT), a standard of Belarus: section 7.8, based on the block cipher of section 6.1.
//!
//! A block of the message is the key of one encryption, whose result is half of the keys of two others, which run side
//! by side. The sum of all first results is hashed last, together with the length: the state determines before which
//! block it replaces the second half of the message.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod lanes;

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, State, Tail, kernels, output_le32, state};
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x8, U32x16};
use crate::word::{Endian, Word32, array};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[Algorithm {
    name: "belt-hash",
    tag: "BELT-HASH",
    digest_len: 32,
    status: Status::Secure("STB 34.101.31-2011"),
    summary: "Belarusian standard hash",
    check: "6944c171dbc58b189462d4a2ede715523b66604ab148a8e2975b39f3a4dce82c",
    kind: Kind::Blocks { chain: &BELT, init },
    ..Algorithm::PLAIN
}];

static BELT: Chain = Chain {
    block: 32,
    words: WORDS,
    lazy: false,
    kernels: KERNELS,
    pad,
    output: output_le32,
    last_blocks: 2,
    squeeze: None,
};

kernels! {
    static KERNELS: Word32 of u32;
    x86_64 {
        avx512: avx512_gfni x 16, from 2 = compress[U32x16];
        avx2: avx2 x 8, from 4 = compress[U32x8];
    }
    portable {
        one: x 1, from 1 = compress[u32];
    }
}

/// The position of the sum in the state, after the chain; it is followed by masks for whether the next block, and the
/// one after it, uses the sum.
const SUM: usize = 8;
const NEXT: usize = 12;
const WORDS: usize = 14;

/// The first half-row of the substitution is the initial chaining value.
fn init(_: &Params) -> State {
    let mut words = [0; SUM];
    for (word, bytes) in words.iter_mut().zip(H.as_chunks().0) {
        *word = u64::from(u32::from_le_bytes(*bytes));
    }
    state(&words)
}

/// The remainder of the message, padded with zeros; then the length in bits, next to which the kernel puts the sum.
fn pad(state: &mut State, tail: &mut Tail, buffered: usize, total: u64) -> usize {
    let before = if buffered == 0 { 0 } else { 1 };
    tail[32 * before..][..16].copy_from_slice(&(u128::from(total) << 3).to_le_bytes());
    state[NEXT + before] = u64::from(u32::MAX);
    before + 1
}

/// The substitution of section 6.1.2: starting with the entry for 8E, each is the previous one after 116 steps of a
/// shift register of eight bits; the entry before that is zero.
static H: [u8; 256] = {
    let mut table = [0; 256];
    let (mut register, mut place) = (0x8eu8, 11);
    while place < 256 + 10 {
        table[place % 256] = register;
        let mut step = 0;
        while step < 116 {
            register = register >> 1 | ((register & 0x63).count_ones() as u8) << 7;
            step += 1;
        }
        place += 1;
    }
    table
};

/// Words with a byte-wise substitution.
trait Substitute: Word32 {
    /// Returns the transformation G of section 6.1.2: the substitution of every byte, then a rotation by `BITS`: 5, 13
    /// or 21.
    ///
    /// # Safety
    /// The CPU has the features of this word, and the caller is compiled for them.
    unsafe fn g<const BITS: u32>(self) -> Self;
}

/// The substitution of a byte, rotated by 5, 13, 21 and 29 bits: G of every byte of a word is in one of them.
static ROTATED: [[u32; 256]; 4] = {
    let mut tables = [[0; 256]; 4];
    let mut n = 0;
    while n < 1024 {
        let (table, byte) = (n / 256, n % 256);
        tables[table][byte] = (H[byte] as u32).rotate_left(5 + 8 * table as u32);
        n += 1;
    }
    tables
};

impl Substitute for u32 {
    #[inline(always)]
    unsafe fn g<const BITS: u32>(self) -> u32 {
        let first = BITS as usize / 8;
        let bytes = self.to_le_bytes().map(usize::from);
        ROTATED[first][bytes[0]]
            ^ ROTATED[(first + 1) % 4][bytes[1]]
            ^ ROTATED[(first + 2) % 4][bytes[2]]
            ^ ROTATED[(first + 3) % 4][bytes[3]]
    }
}

/// Encrypts `N` blocks of four words, each with its own key (section 6.1.3).
///
/// # Safety
/// The same as for [`Substitute::g`].
#[inline(always)]
unsafe fn encrypt<W: Substitute, const N: usize>(mut blocks: [[W; 4]; N], keys: &[[W; 8]; N]) -> [[W; 4]; N] {
    // SAFETY: guaranteed by the caller.
    unsafe {
        for round in 0..8usize {
            for n in 0..N {
                let [a, b, c, d] = blocks[n];
                macro_rules! key {
                    ($i:literal) => {
                        keys[n][(7 * round + $i) % 8]
                    };
                }
                let b = b.xor(a.add(key!(0)).g::<5>());
                let c = c.xor(d.add(key!(1)).g::<21>());
                let a = a.sub(b.add(key!(2)).g::<13>());
                let e = b.add(c).add(key!(3)).g::<21>().xor(W::splat(round as u32 + 1));
                let b = b.add(e);
                let c = c.sub(e);
                let d = d.add(c.add(key!(4)).g::<13>());
                let b = b.xor(a.add(key!(5)).g::<21>());
                let c = c.xor(d.add(key!(6)).g::<5>());
                blocks[n] = [b, d, a, c];
            }
        }
        array![N; n => [blocks[n][1], blocks[n][3], blocks[n][0], blocks[n][2]]]
    }
}

/// Processes blocks in every lane (section 7.8).
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn compress<W: Substitute>(state: *mut u32, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: fourteen words of state, complete blocks, the CPU features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let mut h: [W; 8] = array![8; i => W::load(at(i))];
        let mut sum: [W; 4] = array![4; i => W::load(at(SUM + i))];
        let mut last: [W; 2] = array![2; i => W::load(at(NEXT + i))];
        for block in 0..blocks {
            let mut m = W::half_chunk(messages, 32 * block, Endian::Little);
            for i in 0..4 {
                m[4 + i] = m[4 + i].or(last[0].and(sum[i]));
            }
            last = [last[1], W::splat(0)];
            let joined: [W; 4] = array![4; i => h[i].xor(h[4 + i])];
            let [first] = encrypt([joined], &[m]);
            let s: [W; 4] = array![4; i => first[i].xor(joined[i])];
            let keys = [
                array![8; i => if i < 4 { s[i] } else { h[i] }],
                array![8; i => if i < 4 { s[i].not() } else { h[i - 4] }],
            ];
            let halves = [[m[0], m[1], m[2], m[3]], [m[4], m[5], m[6], m[7]]];
            let [low, high] = encrypt(halves, &keys);
            h = array![8; i => m[i].xor(if i < 4 { low[i] } else { high[i - 4] })];
            sum = array![4; i => sum[i].xor(s[i])];
        }
        for (word, value) in h.into_iter().chain(sum).chain(last).enumerate() {
            value.store(at(word));
        }
    }
}
