//! What computes one message, one slice after the other.

use crate::digest::Digest;
use std::any::Any;

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
    /// Whether a message of promised length got as many bytes.
    fn is_whole(&self) -> bool {
        true
    }
    /// The same as `update` with `count` zero bytes, where that can be had for less.
    fn update_zeros(&mut self, count: u64) {
        feed_zeros(count, |zeros| self.update(zeros));
    }
}

pub(crate) fn feed_zeros(mut count: u64, mut feed: impl FnMut(&[u8])) {
    static ZEROS: [u8; 1 << 16] = [0; 1 << 16];
    while count > 0 {
        let step = count.min(ZEROS.len() as u64);
        feed(&ZEROS[..step as usize]);
        count -= step;
    }
}
