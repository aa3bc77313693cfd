//! Bytes without repetition, and damage to them.

use std::os::unix::fs::FileExt;
use std::path::Path;

/// Returns bytes in which no two blocks are the same.
pub fn noise(len: usize) -> Vec<u8> {
    (0..len as u64).map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 29) as u8).collect()
}

/// Flips one bit of the byte at this offset; twice restores it.
pub fn flip(path: &Path, at: u64) {
    let file = std::fs::OpenOptions::new().read(true).write(true).open(path).expect("a file to damage");
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).expect("a byte there");
    file.write_all_at(&[byte[0] ^ 4], at).expect("damaged");
}
