//! One message at a time where a block's message schedule waits for nothing: the schedules of its next blocks are computed side
//! by side in vectors, while the rounds of the blocks before them run in scalar registers, which vectors leave alone.
//!
//! The rounds of a block are written out, each group with the few vector instructions that come with it: then a core has both
//! kinds of work in its window at all times, and the schedule costs next to nothing.
#![allow(unsafe_code)]

use crate::word::{Word, unknown};
use std::mem::MaybeUninit;

/// An algorithm whose blocks have `ROUNDS` rounds, each with a word of the schedule.
pub(crate) trait Ahead<W: Word, const ROUNDS: usize> {
    /// The words of a chain.
    type State: Copy;
    /// Bytes of a block.
    const BLOCK: usize;
    /// What rounds add to the words of the schedule.
    const CONSTANTS: &'static [W::Lane; ROUNDS];

    /// Advances the state without anything side by side.
    ///
    /// # Safety
    /// As [`Advance`](super::row::Advance) says, for one message.
    unsafe fn alone(state: *mut W::Lane, messages: *const *const u8, blocks: usize);

    /// The first sixteen words of the blocks that these pointers lead to.
    ///
    /// # Safety
    /// `W::LANES` pointers to a whole block each; compiled for the word's CPU features.
    unsafe fn first(blocks: *const *const u8) -> [W; 16];

    /// The word that follows on sixteen, of which `first` is the first.
    ///
    /// # Safety
    /// Sixteen words are readable; compiled for the word's CPU features.
    unsafe fn next(first: *const W) -> W;

    /// The state after a block. The words of its schedule, constants added, stand at `words` and then every `W::LANES` words.
    /// On the way it computes its part of the schedules to come: [`Work::STEPS`] words, one after the other.
    ///
    /// # Safety
    /// `ROUNDS` words and one more are readable; what [`Work::step`] wants; compiled for the word's CPU features and, on x86-64, BMI2.
    unsafe fn block(state: Self::State, words: *const W::Lane, work: Work<W, ROUNDS>) -> Self::State;
}

/// The schedules of `W::LANES` blocks, `[word][block]`: with the constants, as rounds take them, and behind these without.
type Schedule<W, const ROUNDS: usize> = [[W; ROUNDS]; 2];

/// A part of a schedule that is to be computed: the words of it that fall to one of as many blocks as there are lanes.
pub(crate) struct Work<W: Word, const ROUNDS: usize> {
    words: *mut W,
    constants: *const W::Lane,
}

impl<W: Word, const ROUNDS: usize> Copy for Work<W, ROUNDS> {}

impl<W: Word, const ROUNDS: usize> Clone for Work<W, ROUNDS> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<W: Word, const ROUNDS: usize> Work<W, ROUNDS> {
    /// The words of one part.
    pub(crate) const STEPS: usize = (ROUNDS - 16) / W::LANES;

    /// The first part of a schedule whose sixteen first words are there.
    #[inline(always)]
    fn new(schedule: *mut W, constants: &'static [W::Lane; ROUNDS]) -> Self {
        Work { words: schedule.wrapping_add(16), constants: constants.as_ptr().wrapping_add(16) }
    }

    /// Computes one word for all blocks.
    ///
    /// # Safety
    /// The words before it are there, and `step` is within the part; compiled for the word's CPU features.
    #[inline(always)]
    pub(crate) unsafe fn step<A: Ahead<W, ROUNDS>>(self, step: usize) {
        // SAFETY: no word behind a schedule's `ROUNDS` is reached in `W::LANES` parts of `STEPS`, and as many words without
        // constants follow on them; the rest is the caller's promise.
        unsafe {
            let words = self.words.add(step);
            let word = A::next(words.add(ROUNDS - 16));
            words.add(ROUNDS).write(word);
            words.write(word.plus(*self.constants.add(step)));
        }
    }

    /// The part that begins so many words behind this one.
    #[inline(always)]
    pub(crate) fn behind(self, words: usize) -> Self {
        Work { words: self.words.wrapping_add(words), constants: self.constants.wrapping_add(words) }
    }
}

/// Begins the schedules of up to `W::LANES` of the `blocks` blocks at `message`, and tells how many.
///
/// # Safety
/// At least one block, all readable; a schedule may be written; compiled for the word's CPU features.
#[inline(always)]
unsafe fn begin<A: Ahead<W, ROUNDS>, W: Word, const ROUNDS: usize>(
    schedule: *mut W,
    message: *const u8,
    blocks: usize,
) -> usize {
    // Lanes without a block repeat the first.
    let mut pointers = [message; 16];
    let count = if blocks < W::LANES { blocks } else { W::LANES };
    // SAFETY: the message has so many blocks; the pointers are to whole ones; a schedule has more than sixteen words.
    unsafe {
        for (lane, pointer) in pointers.iter_mut().enumerate().take(count) {
            *pointer = message.add(lane * A::BLOCK);
        }
        for (i, word) in A::first(pointers.as_ptr()).into_iter().enumerate() {
            schedule.add(ROUNDS + i).write(word);
            schedule.add(i).write(word.plus(A::CONSTANTS[i]));
        }
    }
    count
}

/// Advances the state of one message.
///
/// # Safety
/// As [`Advance`](super::row::Advance) says, for one message; compiled for the word's CPU features and, on x86-64, BMI2.
#[inline(always)]
pub(crate) unsafe fn ahead<A: Ahead<W, ROUNDS>, W: Word, const ROUNDS: usize>(
    state: *mut W::Lane,
    messages: *const *const u8,
    blocks: usize,
) {
    if blocks < 2 {
        // There is nothing to compute side by side.
        // SAFETY: the caller's promise.
        return unsafe { A::alone(state, messages, blocks) };
    }
    let mut schedules = MaybeUninit::<[Schedule<W, ROUNDS>; 2]>::uninit();
    let constants = unknown(A::CONSTANTS);
    // SAFETY: the caller's promise: a state, whole blocks, the CPU's features. `begin` and the steps of all parts write every
    // word of a schedule before rounds read them; the word behind the last with its constant is one without.
    unsafe {
        let message = *messages;
        let state = state.cast::<A::State>();
        let mut chain = *state;
        let mut this = schedules.as_mut_ptr().cast::<W>();
        let mut next = this.add(2 * ROUNDS);
        let (mut block, mut count) = (0, 0);
        loop {
            let after = block + count;
            // At the end of the message the schedule that is there is computed again: rounds without that work beside them
            // would be as much code once more.
            let (mut count_after, mut work) = (0, Work::<W, ROUNDS>::new(this, constants));
            if after < blocks {
                count_after = begin::<A, W, ROUNDS>(next, message.add(after * A::BLOCK), blocks - after);
                work = Work::new(next, constants);
            }
            if count == 0 {
                // The first schedules have no rounds to go beside.
                for _ in 0..*unknown(&(ROUNDS - 16)) {
                    work.step::<A>(0);
                    work = work.behind(1);
                }
            }
            for lane in 0..count {
                chain = A::block(chain, this.cast::<W::Lane>().add(lane), work);
                work = work.behind(Work::<W, ROUNDS>::STEPS);
            }
            if count_after == 0 {
                break;
            }
            (block, count) = (after, count_after);
            (this, next) = (next, this);
        }
        *state = chain;
    }
}
