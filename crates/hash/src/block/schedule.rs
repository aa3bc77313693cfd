//! The scheduler that keeps SIMD lanes full: many messages on one core.
//!
//! # Problem
//!
//! MD5, SHA-2, BLAKE2 and most other hashes are chains: each block needs the state after the block
//! before it, and within a block each step needs the result of the step before. One message
//! therefore uses a fraction of a core, and wider registers do not help it. Independent messages do
//! not wait for each other, so a kernel can hash one message in each lane of a vector register, or
//! of several registers. The difficulty is that messages differ in length: if a kernel ran each
//! group of messages to the end of the longest, most lanes would idle most of the time.
//!
//! # Idea
//!
//! A kernel processes *n* blocks of every lane, and a message may enter or leave a lane between two
//! calls. So run all lanes for as many blocks as the shortest message in them still has, and give
//! the lane that becomes free to the next message:
//!
//! ```text
//! while messages are left:
//!     row = the kernel that is fastest for this number of messages
//!     repeat:
//!         fill free lanes from the queue, the longest message first
//!         if fewer lanes are busy than this row needs to be the fastest: take the messages out, stop
//!         n = the smallest number of blocks left in any busy lane
//!         row.advance(states, pointers, n)
//!         store the states of messages that have no blocks left, and free their lanes
//! ```
//!
//! The last messages of a call move to narrower rows in this way, and finally to the best kernel
//! for a single message, which may be a different instruction set (SHA-NI, for example). An idle
//! lane reads the bytes of a busy one, which is cheaper than a mask in every step; its state is
//! discarded.
//!
//! # Bounds
//!
//! States are kept outside between calls, as `[word][lane]` only within one. Callers pass slices as
//! they read them, so memory depends on the number of messages and never on their length. Starting
//! with the longest message makes the lanes run dry at about the same time: messages of equal
//! length need no sorting and are taken in the given order.
//!
//! # Trade-offs
//!
//! Lanes of one call always hold the same algorithm, so that the kernel has one instruction stream.
//! A message is never split over lanes; trees do that above this level, because their leaves are
//! messages. Zeroing the space for the widest row was noticeable for short messages, therefore
//! [`Columns`] starts uninitialized and only the columns of the chosen row are written.
#![allow(unsafe_code)]

use super::chain::{Chain, MAX_WORDS};
use super::row::{Advance, Code, Kernel, Runnable, pick};
use std::mem::MaybeUninit;

/// The number of messages in the widest row.
const MAX_LANES: usize = 64;

/// The work of one message in this call: its state, and complete blocks in up to two places.
pub(crate) struct Message<'a> {
    pub(crate) state: &'a mut [u64],
    pub(crate) parts: [&'a [u8]; 2],
}

impl Message<'_> {
    pub(crate) fn has_blocks(&self) -> bool {
        self.len() > 0
    }

    fn len(&self) -> usize {
        self.parts[0].len() + self.parts[1].len()
    }

    /// Returns the blocks to process next.
    fn current(&mut self) -> &[u8] {
        if self.parts[0].is_empty() {
            self.parts.swap(0, 1);
        }
        self.parts[0]
    }

    fn skip(&mut self, bytes: usize) {
        self.parts[0] = &self.parts[0][bytes..];
    }
}

/// Processes all blocks of all messages on the best of `rows`; a single row processes any number. A block has `block`
/// bytes, a state `words` words.
pub(crate) fn run(block: usize, words: usize, rows: &'static [Kernel], mut messages: Vec<Message<'_>>) {
    // Rows take messages from the end, so the longest ones go there: lanes then become idle at
    // about the same time. Equal lengths need no sorting, and reversing them keeps their order.
    if messages.windows(2).any(|pair| pair[0].len() != pair[1].len()) {
        messages.sort_by_key(Message::len);
    } else {
        messages.reverse();
    }
    // Every pass makes progress: the threshold of the picked row is at most the number of messages,
    // and it exceeds the lanes of the row only if a wider row is picked before it. So `drive` calls
    // the kernel at least once.
    while !messages.is_empty() {
        let kernel = pick(rows, messages.len());
        // A single row was chosen by a caller (`hash_many_on`) or is the only one of its family. No
        // narrower row could take over, so it continues below its threshold.
        let least = if rows.len() == 1 { 1 } else { kernel.from_busy() };
        match kernel.code() {
            Code::Word32(advance) => messages = drive(block, words, kernel, least, advance, messages),
            Code::Word64(advance) => messages = drive(block, words, kernel, least, advance, messages),
        }
    }
}

/// Processes all blocks of one message, without the memory for a queue if the best row has one lane.
pub(crate) fn run_one(chain: &Chain, message: Message<'_>) {
    let kernel = pick(chain.kernels, 1);
    match kernel.code() {
        _ if kernel.lanes > 1 => run(chain.block, chain.words, chain.kernels, vec![message]),
        Code::Word32(advance) => without_lookahead(chain, advance, message),
        Code::Word64(advance) => without_lookahead(chain, advance, message),
    }
}

fn without_lookahead<T: Lane>(chain: &Chain, advance: Advance<T>, message: Message<'_>) {
    #[repr(align(64))]
    struct Column<T>([T; MAX_WORDS]);
    // A state has one `u64` for each word, whatever the word size. Kernels expect words of their
    // own size next to each other, so these are copied to a column and back.
    let mut column = Column([T::default(); MAX_WORDS]);
    for (word, value) in column.0.iter_mut().zip(&message.state[..chain.words]) {
        *word = T::narrow(*value);
    }
    for part in message.parts.iter().filter(|part| !part.is_empty()) {
        // SAFETY: the row is supported (`kernel::pick`) and has one lane; the state has `words` values; the single
        // pointer is valid for the part, which consists of complete blocks.
        unsafe { advance(column.0.as_mut_ptr(), &part.as_ptr(), part.len() / chain.block) };
    }
    for (value, word) in message.state[..chain.words].iter_mut().zip(column.0) {
        *value = word.widen();
    }
}

/// A word as stored by kernels.
pub(super) trait Lane: Copy + Default {
    fn narrow(word: u64) -> Self;
    fn widen(self) -> u64;
}

impl Lane for u32 {
    fn narrow(word: u64) -> u32 {
        word as u32
    }
    fn widen(self) -> u64 {
        u64::from(self)
    }
}

impl Lane for u64 {
    fn narrow(word: u64) -> u64 {
        word
    }
    fn widen(self) -> u64 {
        self
    }
}

/// States of the lanes, `[word][lane]`.
#[repr(align(64))]
pub(super) struct Columns<T>([MaybeUninit<T>; MAX_WORDS * MAX_LANES]);

impl<T: Lane> Columns<T> {
    /// Returns uninitialized space for the widest row, because zeroing it would be noticeable for short messages.
    pub(super) fn new() -> Columns<T> {
        Columns([const { MaybeUninit::uninit() }; MAX_WORDS * MAX_LANES])
    }

    /// Returns the first `len` values, set to zero.
    pub(super) fn zeroed(&mut self, len: usize) -> &mut [T] {
        let columns = &mut self.0[..len];
        columns.fill(MaybeUninit::new(T::default()));
        // SAFETY: all of them have just been written, and a `MaybeUninit` has the same layout as its content.
        unsafe { std::slice::from_raw_parts_mut(columns.as_mut_ptr().cast(), len) }
    }
}

/// Runs messages (taken from the end) through one row until fewer than `least` lanes are busy. Returns the others.
fn drive<'a, T: Lane>(
    block: usize,
    words: usize,
    kernel: Runnable,
    least: usize,
    advance: Advance<T>,
    mut waiting: Vec<Message<'a>>,
) -> Vec<Message<'a>> {
    let lanes = kernel.lanes;
    let mut columns = Columns::<T>::new();
    // All lanes, because the kernel also reads the states of idle ones, which must be initialized.
    let columns = columns.zeroed(words * lanes);
    let mut busy: Vec<(usize, Message<'a>)> = Vec::with_capacity(lanes);
    let mut free: Vec<usize> = (0..lanes).rev().collect();
    loop {
        while let Some(&lane) = free.last() {
            let Some(message) = waiting.pop() else { break };
            free.pop();
            for (word, value) in message.state[..words].iter().enumerate() {
                columns[word * lanes + lane] = T::narrow(*value);
            }
            busy.push((lane, message));
        }
        if busy.is_empty() || busy.len() < least {
            break;
        }
        // A call must not read beyond the current part of any message. One that has a second part
        // continues with it in the next call.
        let bytes = busy.iter_mut().map(|(_, message)| message.current().len()).min().unwrap_or(0);
        // Idle lanes repeat the bytes of a busy one; their states are not used.
        let mut pointers = [busy[0].1.current().as_ptr(); MAX_LANES];
        for (lane, message) in &mut busy {
            pointers[*lane] = message.current().as_ptr();
        }
        // SAFETY: the row is supported (`kernel::pick`); the state has `words * lanes` values; every pointer is valid
        // for `bytes`, which is a multiple of the block size and the minimum of the busy lanes' slices.
        unsafe { advance(columns.as_mut_ptr(), pointers.as_ptr(), bytes / block) };
        // `swap_remove` moves the last entry to `i`, so `i` advances only past entries that stay.
        let mut i = 0;
        while i < busy.len() {
            busy[i].1.skip(bytes);
            if busy[i].1.has_blocks() {
                i += 1;
                continue;
            }
            let (lane, message) = busy.swap_remove(i);
            take_column(columns, lane, lanes, &mut message.state[..words]);
            free.push(lane);
        }
    }
    // Fewer messages than lanes are left, so the queue is empty and these are all of them.
    waiting.extend(busy.into_iter().map(|(lane, message)| {
        take_column(columns, lane, lanes, &mut message.state[..words]);
        message
    }));
    waiting
}

pub(super) fn take_column<T: Lane>(columns: &[T], lane: usize, lanes: usize, state: &mut [u64]) {
    for (word, value) in state.iter_mut().enumerate() {
        *value = columns[word * lanes + lane].widen();
    }
}
