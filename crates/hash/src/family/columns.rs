//! Rounds built as those of AES are, by tables of words: Whirlpool's, Grøstl's and Kupyna's, on CPUs without better instructions.

use crate::word::{unknown, unroll};

/// What a byte makes of its column, for each place in a column from the lowest on.
pub(crate) type Tables = [[u64; 256]; 8];

/// Substitution, shift and mixing: a byte goes as many columns on as `shift` says of its place, and makes there what its table says.
///
/// Each column is taken apart once; in memory, for the sums of eight and the tables fill the registers.
#[inline(always)]
pub(crate) fn mixed<const COLUMNS: usize>(
    tables: &Tables,
    columns: &[u64; COLUMNS],
    shift: impl Fn(usize) -> usize,
) -> [u64; COLUMNS] {
    let columns = unknown(columns);
    let mut mixed = [0; COLUMNS];
    unroll!(column in 16 => {
        if column < COLUMNS {
            for (place, table) in tables.iter().enumerate() {
                let byte = columns[column % COLUMNS] >> (8 * place);
                mixed[(column + shift(place)) % COLUMNS] ^= table[usize::from(byte as u8)];
            }
        }
    });
    mixed
}
