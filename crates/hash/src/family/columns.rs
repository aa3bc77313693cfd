//! Rounds built as those of AES are, by tables of words: Whirlpool's, Grøstl's and Kupyna's, on CPUs without better instructions.

use crate::word::{base, unroll};

/// What a byte makes of its column, for each place in a column from the lowest on.
pub(crate) type Tables = [[u64; 256]; 8];

/// What a round makes of the columns, each of which begins with what `begin` makes of its number and itself. Of a byte's place `shift` says how many
/// columns on it goes, where it makes what its table says.
///
/// Each column is taken apart once; in memory, for the sums of eight and the tables fill the registers. This is a kilobyte or two wherever it is
/// written.
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
