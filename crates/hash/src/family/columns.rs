//! Rounds with the structure of AES, by tables of words: for Whirlpool, Grøstl and Kupyna on CPUs without better
//! instructions.

use crate::word::{base, unroll};

/// The contribution of a byte to its column, for each position in a column starting with the lowest.
pub(crate) type Tables = [[u64; 256]; 8];

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
