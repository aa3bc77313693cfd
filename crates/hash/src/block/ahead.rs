//! Single messages of algorithms whose message schedule does not depend on the state: the schedules of the next blocks
//! are computed side by side in vectors, while the rounds of the previous blocks run in scalar registers.
//!
//! The rounds of a block are unrolled, each group together with a few vector instructions. The core thus always has
//! both kinds of work available, and the schedule costs almost nothing.
#![allow(unsafe_code)]

use crate::word::{Word, unknown};
use std::mem::MaybeUninit;

/// An algorithm whose blocks have `ROUNDS` rounds, each with one word of the schedule.
pub(crate) trait ScheduleAhead<W: Word, const ROUNDS: usize> {
    /// The words of a chain.
    type State: Copy;
    /// The block size in bytes.
    const BLOCK: usize;
    /// The constants that rounds add to the words of the schedule.
    const CONSTANTS: &'static [W::Lane; ROUNDS];

    /// Processes blocks without computing schedules side by side.
    ///
    /// # Safety
    /// The same as for [`Advance`](super::row::Advance), with one message.
    unsafe fn alone(state: *mut W::Lane, messages: *const *const u8, blocks: usize);

    /// Returns the first sixteen words of the blocks at these pointers.
    ///
    /// # Safety
    /// `W::LANES` pointers to complete blocks; compiled for the word's CPU features.
    unsafe fn first(blocks: *const *const u8) -> [W; 16];

    /// Returns the word after the sixteen words that start at `first`.
    ///
    /// # Safety
    /// Sixteen words are readable; compiled for the word's CPU features.
    unsafe fn next(first: *const W) -> W;

    /// Returns the state after a block. The words of its schedule, with constants added, are at `words` with a stride
    /// of `W::LANES` words. Meanwhile, it computes its part of the following schedules: [`Work::STEPS`] words in
    /// sequence.
    ///
    /// # Safety
    /// `ROUNDS` words and one more are readable; the requirements of [`Work::step`]; compiled for the word's CPU
    /// features and, on x86-64, BMI2.
    unsafe fn block(state: Self::State, words: *const W::Lane, work: Work<W, ROUNDS>) -> Self::State;
}

/// The schedules of `W::LANES` blocks, `[word][block]`: first with the constants, as rounds use them, then without.
type Schedule<W, const ROUNDS: usize> = [[W; ROUNDS]; 2];

/// A part of a schedule to be computed: the words assigned to one of as many blocks as there are lanes.
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
    /// The number of words in one part.
    pub(crate) const STEPS: usize = (ROUNDS - 16) / W::LANES;

    /// Returns the first part of a schedule whose first sixteen words are available.
    #[inline(always)]
    fn new(schedule: *mut W, constants: &'static [W::Lane; ROUNDS]) -> Self {
        Work { words: schedule.wrapping_add(16), constants: constants.as_ptr().wrapping_add(16) }
    }

    /// Computes one word for all blocks.
    ///
    /// # Safety
    /// The preceding words are available, and `step` is within the part; compiled for the word's CPU features.
    #[inline(always)]
    pub(crate) unsafe fn step<A: ScheduleAhead<W, ROUNDS>>(self, step: usize) {
        // SAFETY: `W::LANES` parts of `STEPS` words never exceed the `ROUNDS` words of a schedule, and are followed by
        // as many words without constants; the rest is guaranteed by the caller.
        unsafe {
            let words = self.words.add(step);
            let word = A::next(words.add(ROUNDS - 16));
            words.add(ROUNDS).write(word);
            words.write(word.plus(*self.constants.add(step)));
        }
    }

    /// Returns the part that begins this many words after this one.
    #[inline(always)]
    pub(crate) fn skip(self, words: usize) -> Self {
        Work { words: self.words.wrapping_add(words), constants: self.constants.wrapping_add(words) }
    }
}

/// Begins the schedules of up to `W::LANES` of the `blocks` blocks at `message`. Returns their number.
///
/// # Safety
/// At least one block, all readable; a schedule is writable; compiled for the word's CPU features.
#[inline(always)]
unsafe fn begin<A: ScheduleAhead<W, ROUNDS>, W: Word, const ROUNDS: usize>(
    schedule: *mut W,
    message: *const u8,
    blocks: usize,
) -> usize {
    // Lanes without a block repeat the first one.
    let mut pointers = [message; 16];
    let count = if blocks < W::LANES { blocks } else { W::LANES };
    // SAFETY: the message has this many blocks; the pointers refer to complete ones; a schedule has more than sixteen
    // words.
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

/// Processes the blocks of one message.
///
/// # Safety
/// The same as for [`Advance`](super::row::Advance), with one message; compiled for the word's CPU features and, on
/// x86-64, BMI2.
#[inline(always)]
pub(crate) unsafe fn ahead<A: ScheduleAhead<W, ROUNDS>, W: Word, const ROUNDS: usize>(
    state: *mut W::Lane,
    messages: *const *const u8,
    blocks: usize,
) {
    if blocks < 2 {
        // There is nothing to compute side by side. SAFETY: guaranteed by the caller.
        return unsafe { A::alone(state, messages, blocks) };
    }
    let mut schedules = MaybeUninit::<[Schedule<W, ROUNDS>; 2]>::uninit();
    let constants = unknown(A::CONSTANTS);
    // SAFETY: guaranteed by the caller: a state, complete blocks, the CPU features. `begin` and the steps of all parts
    // write every word of a schedule before rounds read it; the word after the last one with its constant is one
    // without.
    unsafe {
        let message = *messages;
        let state = state.cast::<A::State>();
        let mut chain = *state;
        let mut this = schedules.as_mut_ptr().cast::<W>();
        let mut next = this.add(2 * ROUNDS);
        let (mut block, mut count) = (0, 0);
        loop {
            let after = block + count;
            // At the end of the message, the existing schedule is computed again, because rounds without that work
            // would double the code size.
            let (mut count_after, mut work) = (0, Work::<W, ROUNDS>::new(this, constants));
            if after < blocks {
                count_after = begin::<A, W, ROUNDS>(next, message.add(after * A::BLOCK), blocks - after);
                work = Work::new(next, constants);
            }
            if count == 0 {
                // The first schedules have no rounds to be combined with.
                for _ in 0..*unknown(&(ROUNDS - 16)) {
                    work.step::<A>(0);
                    work = work.skip(1);
                }
            }
            for lane in 0..count {
                chain = A::block(chain, this.cast::<W::Lane>().add(lane), work);
                work = work.skip(Work::<W, ROUNDS>::STEPS);
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
