//! Algorithms that process one message, slice by slice.

use crate::digest::Digest;
use std::any::Any;
use std::sync::OnceLock;

/// An algorithm that is not a chain of blocks, or that is computed by a library.
pub(crate) trait Serial: Any + Send + Sync {
    fn update(&mut self, data: &[u8]);
    /// Returns the digest of all bytes so far.
    fn finish(&mut self) -> Digest;
    fn clone_box(&self) -> Box<dyn Serial>;
    /// Resets the state; returns false if a new object is needed instead.
    fn reset(&mut self) -> bool {
        false
    }
    /// Returns the complete output, if it is longer than a digest. No bytes may be added afterwards.
    fn output(&mut self) -> Option<Box<dyn Output>> {
        None
    }
    /// Returns whether a message of announced length received as many bytes.
    fn is_complete(&self) -> bool {
        true
    }
    /// Returns a description if the bytes so far show traces of a collision attack.
    fn attack(&self) -> Option<&'static str> {
        None
    }
    /// Does the same as `update` with `count` zero bytes, in less time if possible.
    fn update_zeros(&mut self, count: u64) {
        feed_zeros(count, |zeros| self.update(zeros));
    }
}

pub(crate) fn feed_zeros(mut count: u64, mut feed: impl FnMut(&[u8])) {
    // Created on first use: as a constant, they would add 64 KiB to the program.
    static ZEROS: OnceLock<Vec<u8>> = OnceLock::new();
    let zeros = ZEROS.get_or_init(|| vec![0; 1 << 16]);
    while count > 0 {
        let step = count.min(zeros.len() as u64);
        feed(&zeros[..step as usize]);
        count -= step;
    }
}

/// Output of unlimited length.
pub(crate) trait Output: Send + Sync {
    /// Fills the buffer with the next bytes.
    fn fill(&mut self, buffer: &mut [u8]);
    /// Returns the position of the next byte.
    fn position(&self) -> u64;
    /// Continues at this position.
    fn set_position(&mut self, position: u64);
    fn clone_box(&self) -> Box<dyn Output>;
}
