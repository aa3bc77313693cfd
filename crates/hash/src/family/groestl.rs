//! Grøstl (Gauravaram, Knudsen, Matusiewicz, Mendel, Rechberger, Schläffer & Thomsen: "Grøstl, a SHA-3 candidate",
//! 2011): two permutations with the structure of AES, of 64 bytes for digests of up to 256 bits and of 128 bytes for
//! longer ones.

use crate::algorithm::{Params, Status, rows};
use crate::block::{MAX_WORDS, State, Tail, portable};
use crate::family::columns::{self, Tables, mixed, multiply, rounds};
use std::sync::LazyLock;

const GROESTL: Status = Status::Secure(
    "SHA-3 finalist; collisions for 5 of Grøstl-256's 10 rounds (Mendel, Rijmen & Schläffer 2014)",
);

rows! {
    GROESTL;
    "groestl224" "GROESTL-224" ["groestl-224", "grostl224"], 28 SHORT, "Grøstl, 224 bits", "bdfad1396f3a976f9bb380ac8cbc43d44109ae12a81e3477e94166db";
    "groestl256" "GROESTL-256" ["groestl-256", "grostl256"], 32 SHORT, "Grøstl, 256 bits", "02332dfabf6192451556ad00ea3c2baea448e6a8cc54db02d9aa455f6515578d";
    "groestl384" "GROESTL-384" ["groestl-384", "grostl384"], 48 LONG, "Grøstl, 384 bits", "80899e38da9ec5b1ef683e28ea2b7373d6edbebd3ba9490f705857329323c7eb5aa7e83e28e4d1fcf5ef05b6af0a7317";
    "groestl512" "GROESTL-512" ["groestl-512", "grostl512"], 64 LONG, "Grøstl, 512 bits; Groestlcoin", "72fbe0e863c7f9bf15eab61b898bd5b75a107e7f3e715322edfe97a27356a07c16c697c99b93a8b18a75a63ef5c16f01147159db62a1ac151673b0bae43f0456";
}

portable! {
    static SHORT: Chain {
        state: Word64 of [u64; 8],
        block: [[u8; 8]; 8],
        compress: compress,
        pad: pad::<8>,
        last_blocks: 2,
        output: output::<8>,
    }
}
portable! {
    static LONG: Chain {
        state: Word64 of [u64; 16],
        block: [[u8; 8]; 16],
        compress: compress,
        pad: pad::<16>,
        last_blocks: 2,
        output: output::<16>,
    }
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

/// Appends a one bit, zeros, and the number of blocks as 64 bits, big-endian.
fn pad<const COLUMNS: usize>(_: &mut State, tail: &mut Tail, buffered: usize, total: u64) -> usize {
    let block = 8 * COLUMNS;
    tail[buffered] = 0x80;
    let blocks = if buffered < block - 8 { 1 } else { 2 };
    let number = total / block as u64 + blocks as u64;
    tail[blocks * block - 8..blocks * block].copy_from_slice(&number.to_be_bytes());
    blocks
}

/// The polynomial of AES's field, x^8 + x^4 + x^3 + x + 1, without its highest term.
const POLYNOMIAL: u8 = 0x1b;

/// AES's S-box (FIPS 197 section 5.1.1): the inverse, which is the 254th power, and an affine transformation.
fn substitute(byte: u8) -> u8 {
    let (mut square, mut inverse) = (byte, 1);
    for _ in 0..7 {
        square = multiply(square, square, POLYNOMIAL);
        inverse = multiply(inverse, square, POLYNOMIAL);
    }
    (0..5).fold(0x63, |sum, turn| sum ^ inverse.rotate_left(turn))
}

/// The first row of the circulant matrix that mixes a column.
const ROW: [u8; 8] = [2, 2, 3, 4, 5, 3, 5, 7];

/// Created on first use, which saves 16 KiB of program for a few microseconds.
static TABLES: LazyLock<Box<Tables>> =
    LazyLock::new(|| columns::tables(ROW, POLYNOMIAL, |_, byte| substitute(byte)));

/// Applies P or Q to columns whose first rows are the lowest bytes.
#[inline(never)]
fn permute<const COLUMNS: usize, const Q: bool>(mut x: [u64; COLUMNS], tables: &Tables) -> [u64; COLUMNS] {
    let shifts = const { shifts(COLUMNS)[Q as usize] };
    for round in 0..rounds(COLUMNS) {
        let begin = |column: usize, word: u64| {
            let constant = (column as u64) << 4 ^ round;
            word ^ if Q { !(constant << 56) } else { constant }
        };
        x = mixed(tables, &x, begin, |row| COLUMNS - usize::from(shifts[row]));
    }
    x
}

fn compress<const COLUMNS: usize>(state: &mut [u64; COLUMNS], blocks: &[[[u8; 8]; COLUMNS]]) {
    let tables = &**TABLES;
    columns::compress(state, blocks, |x| permute::<COLUMNS, false>(x, tables), |x| permute::<COLUMNS, true>(x, tables));
}

fn output<const COLUMNS: usize>(state: &State, digest: &mut [u8]) {
    columns::output(state, |x| permute::<COLUMNS, false>(x, &TABLES), digest);
}
