//! What computes one message, one slice after the other.

use crate::digest::Digest;
use std::any::Any;
use std::sync::OnceLock;

/// An algorithm that is not a chain of blocks, or that a library computes.
pub(crate) trait Serial: Any + Send + Sync {
    fn update(&mut self, data: &[u8]);
    /// The digest of all bytes so far.
    fn finish(&mut self) -> Digest;
    fn clone_box(&self) -> Box<dyn Serial>;
    /// Forgets all bytes so far; false where only a new one can do that.
    fn reset(&mut self) -> bool {
        false
    }
    /// All there is to read of its output, where that is more than a digest. Nothing may be fed afterwards.
    fn output(&mut self) -> Option<Box<dyn Output>> {
        None
    }
    /// Whether a message of promised length got as many bytes.
    fn is_whole(&self) -> bool {
        true
    }
    /// What the bytes so far show of somebody who made them to have the digest of others.
    fn attack(&self) -> Option<&'static str> {
        None
    }
    /// The same as `update` with `count` zero bytes, where that can be had for less.
    fn update_zeros(&mut self, count: u64) {
        feed_zeros(count, |zeros| self.update(zeros));
    }
}

pub(crate) fn feed_zeros(mut count: u64, mut feed: impl FnMut(&[u8])) {
    // Made when first needed: as a constant they would be 64 KiB of the program.
    static ZEROS: OnceLock<Vec<u8>> = OnceLock::new();
    let zeros = ZEROS.get_or_init(|| vec![0; 1 << 16]);
    while count > 0 {
        let step = count.min(zeros.len() as u64);
        feed(&zeros[..step as usize]);
        count -= step;
    }
}

/// Output without an end.
pub(crate) trait Output: Send + Sync {
    /// Fills the buffer with the bytes that come next.
    fn fill(&mut self, buffer: &mut [u8]);
    /// The number of the byte that comes next.
    fn position(&self) -> u64;
    /// Goes on at this byte.
    fn set_position(&mut self, position: u64);
    fn clone_box(&self) -> Box<dyn Output>;
}
