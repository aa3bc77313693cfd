//! Large leaves: hashed side by side, a slice of each at a time, so that they fill the lanes.

use crate::error::Error;
use crate::io::mapped::Window;
use crate::io::source::Source;
use std::num::NonZeroU64;
use std::ops::Range;
use truesum_hash::{Digest, Hasher, finish_many, kernel, update_many};

/// Most leaves side by side: more lanes gain less than their shorter windows cost.
const LEAVES: u64 = 32;
/// Most and least bytes of a window on one leaf; what is shorter costs less to copy than to map.
const LEAF_WINDOW: u64 = 1 << 20;
const LEAST_MAPPED: u64 = 1 << 16;
/// Most bytes of each leaf that a thread reads at a time. The next are asked for meanwhile.
const LEAF_SLICE: u64 = 1 << 18;
/// Lanes whose data begin at multiples of a power of two fall on the same cache sets.
const SKEW: usize = 64 + 4096;

/// How the leaves of a file are hashed.
pub(super) struct Leaves<'a> {
    pub source: Source<'a>,
    /// A hasher that has been fed nothing.
    pub hasher: &'a Hasher,
}

impl Leaves<'_> {
    /// How many of `count` leaves each of `threads` threads hashes side by side, and how many bytes of each at a time where a
    /// thread may hold `own` bytes.
    pub(super) fn at_a_time(&self, count: u64, threads: u64, own: u64) -> (usize, usize) {
        let lanes = (kernel::full_lanes(self.hasher.spec().algorithm()) as u64).min(LEAVES);
        // What is asked of a service comes in large blocks, each from one place.
        let lanes = if self.source.file.version().is_some() { 1 } else { lanes };
        let leaves = count.div_ceil(threads).clamp(1, lanes);
        let most = if self.source.mapped { LEAF_WINDOW } else { LEAF_SLICE };
        (leaves as usize, (own / leaves / 4096 * 4096).min(most) as usize)
    }

    /// Hashes several leaves, each a range of bytes, up to `slice` bytes of each at a time.
    ///
    /// # Errors
    /// As [`Source::read`]; the run was stopped.
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
            let views: Vec<(u64, usize)> = left.iter_mut().map(next).collect();
            let mapped = source.mapped && slice as u64 >= LEAST_MAPPED;
            let window = if mapped { Window::map(source.file.as_fd(), &views).ok() } else { None };
            let slices: Vec<&[u8]> = if let Some(window) = &window {
                (0..views.len()).map(|view| window.bytes(view)).collect()
            } else {
                buffer.resize((slice + SKEW) * views.len(), 0);
                for (&(start, len), buffer) in views.iter().zip(buffer.chunks_mut(slice + SKEW)) {
                    source.read(&mut buffer[..len], start)?;
                    // Several places of a file at once look random to the kernel: tell it what comes next.
                    let next = NonZeroU64::new(4 * slice as u64);
                    let advice = rustix::fs::Advice::WillNeed;
                    let _ = rustix::fs::fadvise(source.file.as_fd(), start + len as u64, next, advice);
                }
                let buffers = buffer.chunks(slice + SKEW);
                views.iter().zip(buffers).map(|((_, len), buffer)| &buffer[..*len]).collect()
            };
            update_many(&mut hashers.iter_mut().collect::<Vec<_>>(), &slices);
            window.map_or(Ok(()), |window| source.check(&window, &views))?;
        }
        Ok(finish_many(&mut hashers.iter_mut().collect::<Vec<_>>()))
    }
}
