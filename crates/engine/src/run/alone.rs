//! Decides which files are hashed alone, each by one core with the best single-message kernel, and
//! which files share SIMD lanes.
//!
//! Hashing several files in lanes takes little more time than hashing one of them alone
//! ([`kernel::efforts`]), but each file takes longer. So a file that would take longer in a lane
//! than all others is hashed alone, whereas several disk images of equal size are hashed side by
//! side.

use std::cmp::Ordering;
use truesum_hash::{Spec, kernel};

/// Files up to this size are never hashed alone, and the thread that hashes them also reads them.
pub(crate) const READ_AHEAD: u64 = 4 << 20;
/// The assumed cost of a file in a lane, in eighths of the cost of hashing it there. It exceeds
/// eight eighths because the file is also copied and is not read ahead.
const COPIED: u64 = 10;
const EIGHTHS: u64 = 8;

/// The size in bytes from which a file is hashed alone if there are no lanes, in a list that is too
/// long to be known completely. If there are lanes, other files probably share them, so only a
/// larger file would take longest.
const LARGE: u64 = 256 << 20;
const HUGE: u64 = 4 << 30;

/// Returns whether a file is hashed alone if the other files are unknown.
pub(crate) fn is_hashed_alone(size: u64, specs: &[Spec]) -> bool {
    size >= if specs.iter().any(|spec| lanes_of(spec) > 1) { HUGE } else { LARGE }
}

/// Returns how many messages of this algorithm share a core.
pub(crate) fn lanes_of(spec: &Spec) -> usize {
    kernel::full_lanes(spec.algorithm())
}

/// Returns how many of the largest files are hashed alone. `sizes` are the sizes of all files, the
/// largest first, and all files have these algorithms.
///
/// Each possible number is evaluated by when the run would end: not before the last of the threads
/// among which the files are divided has finished, and not before the longest file is hashed, alone
/// or in its lane.
pub(crate) fn alone(sizes: &[u64], specs: &[Spec], threads: usize) -> usize {
    let lanes = specs.iter().map(lanes_of).max().unwrap_or(1);
    let threads = threads.max(1);
    // Sizes of sparse files and from manifests can add up to more than 2^64.
    let all: u128 = sizes.iter().copied().map(u128::from).sum();
    if lanes == 1 {
        // Without lanes, files share nothing.
        return sizes.iter().take_while(|&&size| size > READ_AHEAD).count();
    }
    // The effort for each number of messages on a core, for all algorithms together.
    let mut efforts = vec![0; lanes + 1];
    for spec in specs {
        let own = kernel::efforts(spec.algorithm(), lanes);
        efforts.iter_mut().zip(own).for_each(|(sum, effort)| *sum += effort);
    }
    let by_itself = |bytes: u128| bytes * u128::from(efforts[1]);
    // The time at which `files` files with a total of `bytes` bytes are finished, the longest of
    // which has `size` bytes.
    let in_lanes = |files: usize, bytes: u128, size: u64, threads: usize| {
        // Without files, the effort is 0, and therefore the time is 0 as well.
        let busy = files.div_ceil(threads).min(lanes);
        let effort = u128::from(efforts[busy] * COPIED / EIGHTHS);
        let spread = bytes * effort / (busy.max(1) * threads) as u128;
        spread.max(u128::from(size) * effort)
    };
    let (mut rest, mut best) = (all, (u128::MAX, 0));
    // The 0 at the end is for the case in which no file is left for lanes.
    for (alone, size) in sizes.iter().copied().chain([0]).enumerate() {
        let others = |threads| in_lanes(sizes.len() - alone, rest, size, threads);
        let longest = if alone == 0 { 0 } else { by_itself(sizes[0].into()) };
        let end = match alone.cmp(&threads) {
            Ordering::Less => longest.max(others(threads - alone)),
            // No thread is free for lanes until the files that go alone are finished.
            Ordering::Equal => longest + others(threads),
            // If there are more files than threads, some are hashed one after the other. Of the
            // largest `threads + 1` files, two must share a thread: at best the two smallest of
            // them.
            Ordering::Greater => {
                let pair = u128::from(sizes[threads - 1]) + u128::from(sizes[threads]);
                longest.max(by_itself(pair)).max(by_itself(all - rest) / threads as u128) + others(threads)
            }
        };
        if end < best.0 {
            best = (end, alone);
        }
        rest -= u128::from(size);
        if size <= READ_AHEAD {
            break;
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn spec(name: &str) -> [Spec; 1] {
        [name.parse().expect("a row of the table")]
    }

    #[test]
    fn small_files_are_not_hashed_separately() {
        for name in ["md5", "sha256", "blake2b", "sha3-256"] {
            assert_eq!(alone(&[], &spec(name), 2), 0);
            assert_eq!(alone(&[1000; 3], &spec(name), 2), 0, "{name}");
            assert_eq!(alone(&[4 * MIB; 100], &spec(name), 2), 0, "{name}");
        }
    }

    #[test]
    fn file_that_outlasts_all_others_is_hashed_separately() {
        for name in ["md5", "sha1", "sha256", "sha512", "blake2b", "sha3-256"] {
            let mut sizes = vec![8000 * MIB];
            sizes.extend([10 * MIB; 137]);
            let found = alone(&sizes, &spec(name), 2);
            assert_eq!(found, 1, "{name}");
            // If there are as many files as threads, none has to wait for another.
            assert_eq!(alone(&[700 * MIB; 2], &spec(name), 2), 2, "{name}");
            assert_eq!(alone(&[700 * MIB], &spec(name), 8), 1, "{name}");
        }
    }

    #[test]
    fn enough_large_files_to_fill_the_lanes_are_batched() {
        for name in ["md5", "sha1", "sha256", "sha512", "blake2b", "sha3-256"] {
            let spec = spec(name);
            let lanes = lanes_of(&spec[0]);
            if lanes > 2 {
                assert_eq!(alone(&vec![700 * MIB; 2 * lanes], &spec, 2), 0, "{name}");
            }
        }
    }

    #[test]
    fn without_lanes_all_large_files_are_hashed_separately() {
        assert_eq!(lanes_of(&spec("crc32")[0]), 1);
        assert_eq!(alone(&[100 * MIB, MIB, MIB], &spec("crc32"), 2), 1);
        assert_eq!(alone(&[100 * MIB; 4], &spec("crc32"), 2), 4);
    }

    #[test]
    fn huge_sizes_do_not_overflow() {
        let found = alone(&[u64::MAX / 64; 40], &spec("sha256"), 2);
        assert!(found <= 40);
    }
}
