//! Rounds with the structure of AES, by tables of words: for Grøstl, Kupyna, and Whirlpool on CPUs without better
//! instructions. [`compress`] and [`output`] are the chain of the first two, which consists of two permutations.

use crate::block::State;
use crate::word::{base, unroll};

/// The contribution of a byte to its column, for each position in a column starting with the lowest.
pub(crate) type Tables = [[u64; 256]; 8];

/// Returns a product in GF(2^8). The polynomial is that of the field without its highest term.
pub(crate) const fn multiply(mut a: u8, mut b: u8, polynomial: u8) -> u8 {
    let mut product = 0;
    while b > 0 {
        if b & 1 == 1 {
            product ^= a;
        }
        a = (a << 1) ^ (if a >> 7 == 1 { polynomial } else { 0 });
        b >>= 1;
    }
    product
}

/// Returns the tables for a circulant matrix with this first row. `substitute` is the S-box of a position.
pub(crate) fn tables(row: [u8; 8], polynomial: u8, substitute: impl Fn(usize, u8) -> u8) -> Box<Tables> {
    let mut tables = Box::new([[0; 256]; 8]);
    for (place, table) in tables.iter_mut().enumerate() {
        for (byte, entry) in (0..=255).zip(table) {
            let byte = substitute(place, byte);
            *entry = u64::from_le_bytes(std::array::from_fn(|i| {
                multiply(byte, row[(place + 8 - i) % 8], polynomial)
            }));
        }
    }
    tables
}

/// Returns the columns after a round. Each column first goes through `begin`, which receives its number and value.
/// `shift` is the number of columns by which a byte in a certain position moves; its contribution there is in the
/// table.
///
/// Each column is split once. The result is in memory, because the sums of eight columns and the tables fill the
/// registers. The code takes a kilobyte or two wherever it is inlined.
#[inline(always)]
pub(crate) fn mixed<const COLUMNS: usize>(
    tables: &Tables,
    columns: &[u64; COLUMNS],
    begin: impl Fn(usize, u64) -> u64,
    shift: impl Fn(usize) -> usize,
) -> [u64; COLUMNS] {
    let columns = base(columns);
    let mut mixed = [0; COLUMNS];
    unroll!(column in 16 => {
        if column < COLUMNS {
            let word = begin(column, columns[column % COLUMNS]);
            for (place, table) in tables.iter().enumerate() {
                mixed[(column + shift(place)) % COLUMNS] ^= table[usize::from((word >> (8 * place)) as u8)];
            }
        }
    });
    mixed
}

/// Returns the number of rounds of a permutation of this many columns (Grøstl and Kupyna).
pub(crate) const fn rounds(columns: usize) -> u64 {
    if columns == 8 { 10 } else { 14 }
}

/// Processes the blocks of a message: with the permutations P and Q, a state h and a block m become
/// `P(h ^ m) ^ Q(m) ^ h`.
#[inline(always)]
pub(crate) fn compress<const COLUMNS: usize>(
    state: &mut [u64; COLUMNS],
    blocks: &[[[u8; 8]; COLUMNS]],
    p: impl Fn([u64; COLUMNS]) -> [u64; COLUMNS],
    q: impl Fn([u64; COLUMNS]) -> [u64; COLUMNS],
) {
    for block in blocks {
        let block = block.map(u64::from_le_bytes);
        let (p, q) = (p(std::array::from_fn(|i| state[i] ^ block[i])), q(block));
        for i in 0..COLUMNS {
            state[i] ^= p[i] ^ q[i];
        }
    }
}

/// Writes the end of `P(h) ^ h` for the final state h.
pub(crate) fn output<const COLUMNS: usize>(
    state: &State,
    p: impl Fn([u64; COLUMNS]) -> [u64; COLUMNS],
    digest: &mut [u8],
) {
    let state = state.first_chunk().expect("a state has more words");
    let permuted = p(*state);
    let bytes: [[u8; 8]; COLUMNS] = std::array::from_fn(|i| (permuted[i] ^ state[i]).to_le_bytes());
    digest.copy_from_slice(&bytes.as_flattened()[8 * COLUMNS - digest.len()..]);
}
