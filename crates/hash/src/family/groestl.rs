//! Grøstl (Gauravaram, Knudsen, Matusiewicz, Mendel, Rechberger, Schläffer & Thomsen: "Grøstl, a SHA-3 candidate",
//! 2011): two permutations with the structure of AES, of 64 bytes for digests of up to 256 bits and of 128 bytes for
//! longer ones.
//!
//! The digest is computed with one permutation of the last state. Here, that is one more block: a block of zeros gives
//! `P(h) ^ h ^ Q(0)`, and `Q(0)` is constant. So the end of a message is processed by the kernels like the rest.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod x86;

use crate::algorithm::{Params, Status, rows};
use crate::block::{Chain, Kernel, MAX_WORDS, State, Tail, kernels, words};
use crate::family::columns::{Tables, mixed};
use std::sync::LazyLock;

const GROESTL: Status =
    Status::Secure("SHA-3 finalist; collisions for 3 of 10 rounds (Mendel, Rijmen & Schläffer 2014)");

rows! {
    GROESTL;
    "groestl224" "GROESTL-224" ["groestl-224", "grostl224"], 28 SHORT, "Grøstl, 224 bits", "bdfad1396f3a976f9bb380ac8cbc43d44109ae12a81e3477e94166db";
    "groestl256" "GROESTL-256" ["groestl-256", "grostl256"], 32 SHORT, "Grøstl, 256 bits", "02332dfabf6192451556ad00ea3c2baea448e6a8cc54db02d9aa455f6515578d";
    "groestl384" "GROESTL-384" ["groestl-384", "grostl384"], 48 LONG, "Grøstl, 384 bits", "80899e38da9ec5b1ef683e28ea2b7373d6edbebd3ba9490f705857329323c7eb5aa7e83e28e4d1fcf5ef05b6af0a7317";
    "groestl512" "GROESTL-512" ["groestl-512", "grostl512"], 64 LONG, "Grøstl, 512 bits; Groestlcoin", "72fbe0e863c7f9bf15eab61b898bd5b75a107e7f3e715322edfe97a27356a07c16c697c99b93a8b18a75a63ef5c16f01147159db62a1ac151673b0bae43f0456";
}

static SHORT: Chain = chain::<8>(KERNELS_SHORT);
static LONG: Chain = chain::<16>(KERNELS_LONG);

const fn chain<const COLUMNS: usize>(kernels: &'static [Kernel]) -> Chain {
    let (pad, output) = (pad::<COLUMNS>, output::<COLUMNS>);
    Chain { block: 8 * COLUMNS, words: COLUMNS, lazy: false, kernels, pad, output, last_blocks: 3, squeeze: None }
}

kernels! {
    static KERNELS_SHORT: Word64 of u64;
    x86_64 {
        avx512_short: avx512_gfni x 4, from 3 = by_rows[x86::Gfni512, 8];
        avx512_two_short: avx512_gfni x 2, from 2 = by_rows[x86::Gfni256, 8];
        avx512_one_short: avx512_gfni x 1, from 1 = by_rows[x86::Gfni128, 8];
        aes_short: avx2_aes x 1, from 1 = by_rows[x86::Aes, 8];
    }
    portable {
        portable_short: x 1, from 1 = look_up[8];
    }
}
kernels! {
    static KERNELS_LONG: Word64 of u64;
    x86_64 {
        avx512_long: avx512_gfni x 2, from 2 = by_rows[x86::Gfni512, 16];
        avx512_one_long: avx512_gfni x 1, from 1 = by_rows[x86::Gfni256, 16];
        aes_long: avx2_aes x 1, from 1 = by_rows[x86::AesPair, 16];
    }
    portable {
        portable_long: x 1, from 1 = look_up[16];
    }
}

/// Returns the number of rounds for this many columns.
const fn rounds(columns: usize) -> u8 {
    if columns == 8 { 10 } else { 14 }
}

/// Returns by how much a round shifts the bytes of each row to the left, in P and in Q.
const fn shifts(columns: usize) -> [[u8; 8]; 2] {
    if columns == 8 {
        [[0, 1, 2, 3, 4, 5, 6, 7], [1, 3, 5, 7, 0, 2, 4, 6]]
    } else {
        [[0, 1, 2, 3, 4, 5, 6, 11], [1, 3, 5, 11, 0, 2, 4, 6]]
    }
}

/// The digest length in bits, at the end of the state.
fn init(params: &Params) -> State {
    let columns = if params.digest_len <= 32 { 8 } else { 16 };
    let mut state = [0; MAX_WORDS];
    state[columns - 1] = (8 * params.digest_len as u64).swap_bytes();
    state
}

/// Appends a one bit, zeros, and the number of blocks up to here as 64 bits, big-endian; then a block of zeros.
fn pad<const COLUMNS: usize>(_: &mut State, tail: &mut Tail, buffered: usize, total: u64) -> usize {
    let block = 8 * COLUMNS;
    tail[buffered] = 0x80;
    let blocks = if buffered < block - 8 { 1 } else { 2 };
    let number = total / block as u64 + blocks as u64;
    tail[blocks * block - 8..blocks * block].copy_from_slice(&number.to_be_bytes());
    blocks + 1
}

/// Writes the end of the state without the constant `Q(0)`.
fn output<const COLUMNS: usize>(state: &State, digest: &mut [u8]) {
    static OF_ZEROS: LazyLock<([u64; 8], [u64; 16])> =
        LazyLock::new(|| (permute::<8, true>([0; 8], &TABLES), permute::<16, true>([0; 16], &TABLES)));
    let of_zeros = if COLUMNS == 8 { &OF_ZEROS.0[..] } else { &OF_ZEROS.1[..] };
    let mut bytes = [[0; 8]; COLUMNS];
    for ((bytes, word), other) in bytes.iter_mut().zip(state).zip(of_zeros) {
        *bytes = (word ^ other).to_le_bytes();
    }
    digest.copy_from_slice(&bytes.as_flattened()[8 * COLUMNS - digest.len()..]);
}

/// Returns a product in AES's field, GF(2^8) modulo x^8 + x^4 + x^3 + x + 1.
const fn multiply(a: u8, b: u8) -> u8 {
    let (mut product, mut a, mut b) = (0, a, b);
    while b > 0 {
        if b & 1 == 1 {
            product ^= a;
        }
        a = (a << 1) ^ (if a >> 7 == 1 { 0x1b } else { 0 });
        b >>= 1;
    }
    product
}

/// AES's S-box (FIPS 197 section 5.1.1): the inverse, which is the 254th power, and an affine transformation.
const fn substitute(byte: u8) -> u8 {
    let mut inverse = 1;
    let mut i = 0;
    while i < 254 {
        inverse = multiply(inverse, byte);
        i += 1;
    }
    let mut sum = 0x63;
    let mut i = 0;
    while i < 5 {
        sum ^= inverse.rotate_left(i);
        i += 1;
    }
    sum
}

/// The first row of the circulant matrix that mixes a column.
const ROW: [u8; 8] = [2, 2, 3, 4, 5, 3, 5, 7];

/// The contribution of a byte of each row to its column. Created on first use, which saves 16 KiB of program for a few
/// microseconds.
static TABLES: LazyLock<Box<Tables>> = LazyLock::new(|| {
    let mut tables = Box::new([[0; 256]; 8]);
    for byte in 0..=255 {
        let substituted = substitute(byte);
        let column = u64::from_le_bytes(std::array::from_fn(|i| multiply(substituted, ROW[(8 - i) % 8])));
        for (table, row) in tables.iter_mut().zip(0u32..) {
            table[usize::from(byte)] = column.rotate_left(8 * row);
        }
    }
    tables
});

/// Applies P or Q to columns whose first rows are the lowest bytes.
#[inline(never)]
fn permute<const COLUMNS: usize, const Q: bool>(mut x: [u64; COLUMNS], tables: &Tables) -> [u64; COLUMNS] {
    let shifts = const { shifts(COLUMNS)[Q as usize] };
    for round in 0..u64::from(rounds(COLUMNS)) {
        let begin = |column: usize, word: u64| {
            let constant = (column as u64) << 4 ^ round;
            word ^ if Q { !(constant << 56) } else { constant }
        };
        x = mixed(tables, &x, begin, |row| COLUMNS - usize::from(shifts[row]));
    }
    x
}

/// # Safety
/// The same as for [`crate::block::row::Advance`] for one message.
#[inline(always)]
unsafe fn look_up<const COLUMNS: usize>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: as many words of state as there are columns, one message of complete blocks.
    let (chain, message) = unsafe {
        let message = (*messages).cast::<[[u8; 8]; COLUMNS]>();
        (&mut *state.cast::<[u64; COLUMNS]>(), std::slice::from_raw_parts(message, blocks))
    };
    let tables = &**TABLES;
    for block in message {
        let block: [u64; COLUMNS] = words(block);
        let mut joined = block;
        for (word, chained) in joined.iter_mut().zip(&*chain) {
            *word ^= chained;
        }
        let p = permute::<COLUMNS, false>(joined, tables);
        let q = permute::<COLUMNS, true>(block, tables);
        for ((word, p), q) in chain.iter_mut().zip(p).zip(q) {
            *word ^= p ^ q;
        }
    }
}

/// # Safety
/// The same as for [`crate::block::row::Advance`], on a CPU with the register's features.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn by_rows<R: x86::Register, const COLUMNS: usize>(
    state: *mut u64,
    messages: *const *const u8,
    blocks: usize,
) {
    // SAFETY: guaranteed by the caller.
    unsafe { x86::compress::<R, COLUMNS>(state, messages, blocks) }
}
