//! The hash of STB 34.101.31 (BelT), a standard of Belarus: section 7.8, based on the block cipher of section 6.1.
//!
//! A block of the message is the key of one encryption, whose result is half of the keys of two others, which run side
//! by side. The sum of all first results is hashed last, together with the length: the state determines for which block
//! it is the second half of the message.

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{State, Tail, output_le32, portable, state};

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

portable! {
    static BELT: Chain {
        state: Word32 of [u32; WORDS],
        block: [[u8; 4]; 8],
        compress: compress,
        pad: pad,
        last_blocks: 2,
        output: output_le32,
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

/// The remainder of the message, padded with zeros; then the length in bits, next to which [`compress`] puts the sum.
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

/// Returns the transformation G of section 6.1.2: the substitution of every byte, then a rotation by `BITS`: 5, 13 or
/// 21.
#[inline(always)]
fn g<const BITS: usize>(word: u32) -> u32 {
    let bytes = word.to_le_bytes().map(usize::from);
    (0..4).fold(0, |sum, i| sum ^ ROTATED[(BITS / 8 + i) % 4][bytes[i]])
}

/// Encrypts `N` blocks of four words, each with its own key (section 6.1.3).
#[inline(always)]
fn encrypt<const N: usize>(mut blocks: [[u32; 4]; N], keys: [[u32; 8]; N]) -> [[u32; 4]; N] {
    for round in 0..8 {
        for (block, keys) in blocks.iter_mut().zip(&keys) {
            let key = |i: usize| keys[(7 * round + i) % 8];
            let [mut a, mut b, mut c, mut d] = *block;
            b ^= g::<5>(a.wrapping_add(key(0)));
            c ^= g::<21>(d.wrapping_add(key(1)));
            a = a.wrapping_sub(g::<13>(b.wrapping_add(key(2))));
            let e = g::<21>(b.wrapping_add(c).wrapping_add(key(3))) ^ (round as u32 + 1);
            b = b.wrapping_add(e);
            c = c.wrapping_sub(e);
            d = d.wrapping_add(g::<13>(c.wrapping_add(key(4))));
            b ^= g::<21>(a.wrapping_add(key(5)));
            c ^= g::<5>(d.wrapping_add(key(6)));
            *block = [b, d, a, c];
        }
    }
    blocks.map(|[a, b, c, d]| [b, d, a, c])
}

/// Processes the blocks of a message (section 7.8).
fn compress(state: &mut [u32; WORDS], blocks: &[[[u8; 4]; 8]]) {
    use std::array::from_fn;
    for block in blocks {
        let mut m = block.map(u32::from_le_bytes);
        for i in 0..4 {
            m[4 + i] |= state[SUM + i] & state[NEXT];
        }
        (state[NEXT], state[NEXT + 1]) = (state[NEXT + 1], 0);
        let joined = from_fn(|i| state[i] ^ state[4 + i]);
        let [first] = encrypt([joined], [m]);
        let s: [u32; 4] = from_fn(|i| first[i] ^ joined[i]);
        let keys = [
            from_fn(|i| if i < 4 { s[i] } else { state[i] }),
            from_fn(|i| if i < 4 { !s[i] } else { state[i - 4] }),
        ];
        let halves = encrypt([from_fn(|i| m[i]), from_fn(|i| m[4 + i])], keys);
        for i in 0..4 {
            state[i] = m[i] ^ halves[0][i];
            state[4 + i] = m[4 + i] ^ halves[1][i];
            state[SUM + i] ^= s[i];
        }
    }
}
