//! A chain: an algorithm that processes block after block, each starting from the state after the previous one.
//!
//! States are independent of kernels and stored as plain words, one per element whatever the word size of the
//! algorithm. A message can thus move between rows of any width at any block, and saving its state means saving a few
//! words.

use super::row::Kernel;

/// The number of words in the largest state (Keccak).
pub(crate) const MAX_WORDS: usize = 25;
/// The size of the largest block (LSH-512).
pub(crate) const MAX_BLOCK: usize = 256;
/// The maximum size of the last blocks of a message: two blocks of SHA-512, or one of LSH-512. It
/// is also the size of a buffer, which must have room for a block of any chain ([`MAX_BLOCK`]).
const MAX_TAIL: usize = 2 * 128;

/// The state of one message.
pub(crate) type State = [u64; MAX_WORDS];
/// The last blocks of a message, or bytes that wait for the rest of their block.
pub(crate) type Tail = [u8; MAX_TAIL];
pub(super) const NO_TAIL: Tail = [0; MAX_TAIL];

/// Returns a state that begins with these words.
pub(crate) const fn state(words: &[u64]) -> State {
    let mut state = [0; MAX_WORDS];
    let mut i = 0;
    while i < words.len() {
        state[i] = words[i];
        i += 1;
    }
    state
}

/// Algorithms with the same block function and padding.
pub(crate) struct Chain {
    /// Block size in bytes.
    pub(crate) block: usize,
    /// The number of words in the state.
    pub(crate) words: usize,
    /// True if the last complete block must wait for [`Chain::pad`] (BLAKE2 marks its final block).
    pub(crate) lazy: bool,
    /// The kernel rows, best first, ending with the portable one.
    pub(crate) kernels: &'static [Kernel],
    /// The maximum number of blocks created by [`Chain::pad`].
    pub(crate) last_blocks: usize,
    /// Creates the last blocks of a message and returns their number; they are processed like all
    /// others. `tail` starts with `buffered` message bytes, followed by zeros up to the length of
    /// [`Chain::last_blocks`]; `total` is the message length in bytes. The state may contain values
    /// that these blocks need (a sum of all previous ones) and a mark for the kernel that they are
    /// the last.
    pub(crate) pad: fn(state: &mut State, tail: &mut Tail, buffered: usize, total: u64) -> usize,
    /// Writes the digest of a finished state, or the first block of a longer output.
    pub(crate) output: fn(state: &State, digest: &mut [u8]),
    /// Changes a finished state to the one that provides the next output; `None` if there is only a digest.
    pub(crate) squeeze: Option<fn(state: &mut State)>,
}
