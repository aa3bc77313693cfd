//! Large leaves, which are hashed side by side, a slice of each at a time, to fill the SIMD lanes.

use crate::error::Error;
use crate::io::mapped::Window;
use crate::io::source::Source;
use std::num::NonZeroU64;
use std::ops::Range;
use truesum_fs::data::advise_soon;
use truesum_hash::{Digest, Hasher, finish_many, kernel, update_many};

/// The maximum number of leaves side by side: with more lanes, the gain is smaller than the cost of shorter windows.
const LEAVES: u64 = 32;
/// The maximum and minimum size of a window on one leaf; shorter ranges cost less to copy than to map.
const LEAF_WINDOW: u64 = 1 << 20;
const LEAST_MAPPED: u64 = 1 << 16;
/// The maximum number of bytes of each leaf that a thread reads at a time. The next ones are prefetched during hashing.
const LEAF_SLICE: u64 = 1 << 18;
/// Lanes whose data begin at multiples of a power of two would map to the same cache sets.
const SKEW: usize = 64 + 4096;

/// The file whose leaves are hashed, and the hasher for them.
pub(super) struct Leaves<'a> {
    pub(crate) source: Source<'a>,
    /// A hasher in its initial state.
    pub(crate) hasher: &'a Hasher,
}

impl Leaves<'_> {
    /// Returns how many of `count` leaves each of `threads` threads hashes side by side, and how many bytes of each at
    /// a time if a thread may hold `own` bytes.
    pub(super) fn at_a_time(&self, count: u64, threads: u64, own: u64) -> (usize, usize) {
        let lanes = (kernel::full_lanes(self.hasher.spec().algorithm()) as u64).min(LEAVES);
        // Requests to a service are large blocks, each from one place.
        let lanes = if self.source.file.version().is_some() { 1 } else { lanes };
        // Every thread gets leaves, even if their lanes are then not full.
        let leaves = count.div_ceil(threads).clamp(1, lanes);
        let most = if self.source.mapped { LEAF_WINDOW } else { LEAF_SLICE };
        // Never 0: `own` is at least 1 MiB, for at most 32 leaves.
        (leaves as usize, (own / leaves / 4096 * 4096).min(most) as usize)
    }

    /// Hashes several leaves, given as byte ranges, up to `slice` bytes of each at a time.
    ///
    /// # Errors
    /// Fails as [`Source::read`], or if the run was stopped.
    pub(super) fn hash(
        &self,
        mut left: Vec<Range<u64>>,
        slice: usize,
        buffer: &mut Vec<u8>,
    ) -> Result<Vec<Digest>, Error> {
        let source = &self.source;
        let mut hashers = vec![self.hasher.clone(); left.len()];
        while left.iter().any(|range| !range.is_empty()) {
            if source.progress.stopped() {
                return Err(Error::interrupted(source.path));
            }
            let next = |range: &mut Range<u64>| {
                let start = range.start;
                range.start = range.end.min(start + slice as u64);
                (start, (range.start - start) as usize)
            };
            // Leaves may differ in length: the slices of the shorter ones are then empty.
            let views: Vec<(u64, usize)> = left.iter_mut().map(next).collect();
            let mapped = source.mapped && slice as u64 >= LEAST_MAPPED;
            let window = if mapped { Window::map(source.file.file(), &views).ok() } else { None };
            let slices: Vec<&[u8]> = if let Some(window) = &window {
                (0..views.len()).map(|view| window.bytes(view)).collect()
            } else {
                buffer.resize((slice + SKEW) * views.len(), 0);
                for (&(start, len), buffer) in views.iter().zip(buffer.chunks_mut(slice + SKEW)) {
                    source.read(&mut buffer[..len], start)?;
                    // Reads at several places of a file look random to the kernel, so announce the next ones.
                    let next = NonZeroU64::new(4 * slice as u64);
                    advise_soon(source.file.file(), start + len as u64, next);
                }
                let buffers = buffer.chunks(slice + SKEW);
                views.iter().zip(buffers).map(|((_, len), buffer)| &buffer[..*len]).collect()
            };
            update_many(&mut hashers.iter_mut().collect::<Vec<_>>(), &slices);
            // Whether a page could be read is known only after the access. On an error the hashers
            // are dropped with what they processed.
            window.map_or(Ok(()), |window| source.check(&window, &views))?;
        }
        Ok(finish_many(&mut hashers.iter_mut().collect::<Vec<_>>()))
    }
}
