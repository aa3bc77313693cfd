//! Edon-R with 256 and 512 bits, as revised for the second submission to NIST (Gligoroski, Ødegård, Mihova, Knapskog,
//! Drápal & Klíma: "Cryptographic Hash Function Edon-R'", 2009).
//!
//! A block consists of eight quasigroup operations on vectors of eight words. An operation adds words according to the
//! first five rows of a Latin square, rotates the sums, combines them according to its last three rows, and adds the
//! result of the same for the other operand with an orthogonal square.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, State, Tail, kernels, pad_le64};
use crate::word::{Endian, Word, Word32, Word64, array, unknown, unroll};
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x8, U32x16, U64x4, U64x8};

#[cfg(target_arch = "x86_64")]
mod avx512;

const ATTACKED: Status = Status::Weakened(
    "second preimages faster than brute force (Khovratovich, Nikolić & Weinmann 2008); eliminated in the first round of the SHA-3 competition",
);

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "edonr256",
        tag: "EDON-R256",
        aliases: &["edonr-256", "edon-r256"],
        digest_len: 32,
        status: ATTACKED,
        summary: "Edon-R, 256 bits",
        check: "a46c9b36623aa165b2b565aa8a2717aa911ebe86462a123337714ff18b622a60",
        tree_id: Some("edonr256"),
        kind: Kind::Blocks { chain: &EDONR256, init: init_256 },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "edonr512",
        tag: "EDON-R512",
        aliases: &["edonr-512", "edon-r512"],
        digest_len: 64,
        status: ATTACKED,
        summary: "Edon-R, 512 bits; ZFS",
        check: "769424a6cf38174e3c40977864c33a0eb4d40330f155ea130d71afcf7eb1ab82861158fd9b5c2358510dd0d59b86f7a5c172b542171b6bde513da6592c73e676",
        tree_id: Some("edonr512"),
        kind: Kind::Blocks { chain: &EDONR512, init: init_512 },
        ..Algorithm::PLAIN
    },
];

static EDONR256: Chain = Chain {
    block: 64,
    words: 16,
    lazy: false,
    kernels: KERNELS_256,
    pad: pad_le64,
    output: output_256,
    last_blocks: 2,
    squeeze: None,
};
static EDONR512: Chain = Chain {
    block: 128,
    words: 16,
    lazy: false,
    kernels: KERNELS_512,
    pad: pad_512,
    output: output_512,
    last_blocks: 2,
    squeeze: None,
};

kernels! {
    static KERNELS_256: Word32 of u32;
    x86_64 {
        avx512_256: avx512 x 16, from 8 = compress_256[U32x16];
        avx2_256: avx2 x 8, from 6 or 2 without AVX512 = compress_256[U32x8];
        avx512_one_256: avx512 x 1, from 1 = one_256[];
    }
    portable {
        portable_256: x 1, from 1 = compress_256[u32];
    }
}
kernels! {
    static KERNELS_512: Word64 of u64;
    x86_64 {
        avx512_512: avx512 x 8, from 4 = compress_512[U64x8];
        avx2_512: avx2 x 4, from 4 or 2 without AVX512 = compress_512[U64x4];
        avx512_one_512: avx512 x 1, from 1 = one_512[];
    }
    portable {
        portable_512: x 1, from 1 = compress_512[u64];
    }
}

/// The bytes 0x40 to 0x7f, as big-endian words.
fn init_256(_: &Params) -> State {
    std::array::from_fn(|i| 0x4041_4243 + 0x0404_0404 * i.min(15) as u64)
}

/// The bytes 0x80 to 0xff, as big-endian words.
fn init_512(_: &Params) -> State {
    std::array::from_fn(|i| 0x8081_8283_8485_8687 + 0x0808_0808_0808_0808 * i.min(15) as u64)
}

/// Appends a one bit, zeros, and the length in bits as 64 bits, little-endian, in a block of 128 bytes.
fn pad_512(_: &mut State, tail: &mut Tail, buffered: usize, total: u64) -> usize {
    tail[buffered] = 0x80;
    let blocks = if buffered < 120 { 1 } else { 2 };
    tail[blocks * 128 - 8..blocks * 128].copy_from_slice(&(total << 3).to_le_bytes());
    blocks
}

/// Writes the second half of the chaining value.
fn output_256(state: &State, digest: &mut [u8]) {
    for (bytes, word) in digest.as_chunks_mut::<4>().0.iter_mut().zip(&state[8..]) {
        *bytes = (*word as u32).to_le_bytes();
    }
}

/// Writes the second half of the chaining value.
fn output_512(state: &State, digest: &mut [u8]) {
    for (bytes, word) in digest.as_chunks_mut::<8>().0.iter_mut().zip(&state[8..]) {
        *bytes = word.to_le_bytes();
    }
}

/// The positions of the operands and the result of each operation of a block, among the block, the reversed block, the
/// chaining value and twice eight words.
const OPERATIONS: [[usize; 3]; 8] = [
    [16, 0, 48],
    [48, 8, 56],
    [40, 48, 48],
    [48, 56, 56],
    [48, 32, 48],
    [56, 48, 56],
    [24, 48, 32],
    [32, 56, 40],
];

/// The rotations of an operation's eight sums, for each operand.
type Rotations = [[u32; 8]; 2];
const ROTATIONS_256: Rotations = [[0, 5, 11, 13, 17, 19, 29, 31], [0, 3, 7, 11, 17, 19, 23, 29]];
const ROTATIONS_512: Rotations = [[0, 5, 19, 29, 31, 41, 57, 61], [0, 3, 17, 23, 31, 37, 45, 59]];

/// Returns the result of the quasigroup operation for `x` and `y`.
///
/// # Safety
/// The same as for [`Word::splat`].
#[inline(always)]
unsafe fn operate<W: Word>(x: [W; 8], y: [W; 8], by: &Rotations, ones: [W::Lane; 2]) -> [W; 8] {
    macro_rules! turned {
        ($by:expr, $($sum:expr),*) => {{
            let sums = [$($sum),*];
            array![8; i => if i == 0 { sums[0] } else { sums[i].rotl($by[i]) }]
        }};
    }
    macro_rules! joined {
        ($t:ident: $($a:literal $b:literal $c:literal),*) => {
            [$($t[$a].xor($t[$b]).xor($t[$c])),*]
        };
    }
    // Columns of the squares; sums that several columns share are computed once.
    let (a, b) = (x[0].add(x[4]), x[1].add(x[7]));
    let (c, d) = (x[2].add(x[3]), x[5].add(x[6]));
    let (ab, cd) = (a.add(b), c.add(d));
    let first: [W; 8] = turned!(
        by[0],
        // SAFETY: guaranteed by the caller.
        unsafe { ab.add(x[2]).plus(ones[0]) },
        ab.add(x[3]),
        ab.add(x[6]),
        cd.add(x[7]),
        cd.add(x[1]),
        a.add(c).add(x[5]),
        b.add(d).add(x[0]),
        cd.add(x[4])
    );
    let first = joined!(first: 3 5 6, 2 5 6, 2 3 5, 0 1 4, 0 4 7, 1 6 7, 2 3 4, 0 1 7);
    let (a, b) = (y[0].add(y[1]), y[2].add(y[5]));
    let (c, d) = (y[3].add(y[4]), y[6].add(y[7]));
    let (ab, ac, bd, cd) = (a.add(b), a.add(c), b.add(d), c.add(d));
    let second: [W; 8] = turned!(
        by[1],
        // SAFETY: guaranteed by the caller.
        unsafe { ab.add(y[7]).plus(ones[1]) },
        ac.add(y[6]),
        ab.add(y[3]),
        cd.add(y[2]),
        ac.add(y[5]),
        bd.add(y[4]),
        bd.add(y[1]),
        cd.add(y[0])
    );
    let second = joined!(second: 3 4 6, 2 5 7, 4 6 7, 0 1 5, 2 6 7, 0 1 3, 0 3 4, 1 2 5);
    array![8; i => first[(i + 3) % 8].add(second[(i + 3) % 8])]
}

/// Runs all operations of a block. Its words and the chaining value are in `v`.
///
/// # Safety
/// The same as for [`Word::splat`].
#[inline(always)]
unsafe fn block<W: Word>(v: &mut [W; 64], by: &Rotations, ones: [W::Lane; 2]) {
    for i in 0..16 {
        v[16 + i] = v[15 - i];
    }
    macro_rules! operation {
        ($x:expr, $y:expr, $z:expr) => {{
            let (x, y, z) = ($x, $y, $z);
            // SAFETY: guaranteed by the caller.
            let result: [W; 8] = unsafe { operate(array![8; i => v[x + i]], array![8; i => v[y + i]], by, ones) };
            v[z..z + 8].copy_from_slice(&result);
        }};
    }
    if W::LANES == 1 {
        // Unrolled, because all words then have fixed positions.
        unroll!(i in 8, from 0 => { operation!(OPERATIONS[i][0], OPERATIONS[i][1], OPERATIONS[i][2]); });
    } else {
        // A loop, to have one operation in the code and not eight.
        for [x, y, z] in unknown(&OPERATIONS) {
            operation!(x & 56, y & 56, z & 56);
        }
    }
}

/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn compress_256<W: Word32>(state: *mut u32, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: sixteen words of state, complete blocks, the CPU features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let mut v = [W::splat(0); 64];
        for i in 0..16 {
            v[32 + i] = W::load(at(i));
        }
        for number in 0..blocks {
            v[..16].copy_from_slice(&W::chunk(messages, number * 64, Endian::Little));
            block(&mut v, &ROTATIONS_256, [0xaaaa_aaaa, 0x5555_5555]);
        }
        for i in 0..16 {
            v[32 + i].store(at(i));
        }
    }
}

/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn compress_512<W: Word64>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: sixteen words of state, complete blocks, the CPU features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let mut v = [W::splat(0); 64];
        for i in 0..16 {
            v[32 + i] = W::load(at(i));
        }
        for number in 0..blocks {
            v[..8].copy_from_slice(&W::chunk(messages, number * 128, Endian::Little));
            v[8..16].copy_from_slice(&W::chunk(messages, number * 128 + 64, Endian::Little));
            block(&mut v, &ROTATIONS_512, [0xaaaa_aaaa_aaaa_aaaa, 0x5555_5555_5555_5555]);
        }
        for i in 0..16 {
            v[32 + i].store(at(i));
        }
    }
}

/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn one_256(state: *mut u32, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller.
    unsafe { avx512::of_256(state, messages, blocks) }
}

/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn one_512(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller.
    unsafe { avx512::of_512(state, messages, blocks) }
}
