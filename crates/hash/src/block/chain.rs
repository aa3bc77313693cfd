//! A chain: what is computed block by block, each from the state that the block before left.
//!
//! States live apart from kernels, as plain words, one per element whatever the algorithm's word size: a message can move
//! between rows of any width at any block, and saving it is saving a few words.

use super::row::Kernel;

/// Words of the largest state (Keccak).
pub(crate) const MAX_WORDS: usize = 25;
/// Bytes of the largest block (LSH-512).
pub(crate) const MAX_BLOCK: usize = 256;
/// The most bytes that the last blocks of a message are (three of Kupyna's and Grøstl's longer ones).
const MAX_TAIL: usize = 3 * 128;

/// The state of one message.
pub(crate) type State = [u64; MAX_WORDS];
/// The last blocks of a message, or bytes that wait for their block.
pub(crate) type Tail = [u8; MAX_TAIL];
pub(super) const NO_TAIL: Tail = [0; MAX_TAIL];

/// A state that begins with these words.
pub(crate) const fn state(words: &[u64]) -> State {
    let mut state = [0; MAX_WORDS];
    let mut i = 0;
    while i < words.len() {
        state[i] = words[i];
        i += 1;
    }
    state
}

/// Algorithms that share their block function and padding.
pub(crate) struct Chain {
    /// Block size in bytes.
    pub block: usize,
    /// Words of state.
    pub words: usize,
    /// Whether the last whole block must wait for [`Chain::pad`] (BLAKE2 marks its final block).
    pub lazy: bool,
    /// Rows, best first, ending with the portable one.
    pub kernels: &'static [Kernel],
    /// The most blocks that [`Chain::pad`] makes.
    pub last_blocks: usize,
    /// Makes the last blocks of a message and returns how many: they run as all others do. `tail` starts with
    /// `buffered` message bytes, zeros follow to the end of [`Chain::last_blocks`]; `total` is the message's length in bytes.
    /// The state may carry what these blocks need (a sum of all before) and what tells the kernel that they are the last.
    pub pad: fn(state: &mut State, tail: &mut Tail, buffered: usize, total: u64) -> usize,
    /// Writes the digest of a finished state, or the first block of output where there is more.
    pub output: fn(state: &State, digest: &mut [u8]),
    /// Makes of a finished state the one whose output comes next; `None` where a digest is all there is.
    pub squeeze: Option<fn(state: &mut State)>,
}
