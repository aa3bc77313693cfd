//! Many messages in one core: the scheduler that keeps SIMD lanes full.
//!
//! A chain of blocks leaves most of a core idle, so kernels advance up to 64 messages at once. A lane holds one message; the
//! kernel runs for the smallest number of blocks left in any lane; lanes that are done are refilled from the queue; when the
//! queue is empty and too few lanes are busy, the rest falls to narrower rows, at last to the best one for a single message.
//! Messages may join and leave at any block, and states live outside between calls, so memory does not depend on message
//! length: callers feed slices as they are read.
#![allow(unsafe_code)]

use super::chain::{Chain, MAX_WORDS};
use super::row::{Advance, Code, Kernel, Runnable, pick};
use std::mem::MaybeUninit;

/// Messages of the widest row.
const MAX_LANES: usize = 64;

/// One message's work in this call: its state, and whole blocks in up to two places.
pub(crate) struct Message<'a> {
    pub state: &'a mut [u64],
    pub parts: [&'a [u8]; 2],
}

impl Message<'_> {
    pub(crate) fn has_blocks(&self) -> bool {
        self.len() > 0
    }

    fn len(&self) -> usize {
        self.parts[0].len() + self.parts[1].len()
    }

    /// The blocks to run next.
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

/// Runs all blocks of all messages on the best of `rows`; a single row takes whatever comes. A block has `block` bytes, a
/// state `words` words.
pub(crate) fn run(block: usize, words: usize, rows: &'static [Kernel], mut messages: Vec<Message<'_>>) {
    // Long messages first: the lanes then run dry together.
    if messages.windows(2).any(|pair| pair[0].len() != pair[1].len()) {
        messages.sort_by_key(Message::len);
    } else {
        messages.reverse();
    }
    while !messages.is_empty() {
        let kernel = pick(rows, messages.len());
        let least = if rows.len() == 1 { 1 } else { kernel.from_busy() };
        match kernel.code() {
            Code::Word32(advance) => messages = drive(block, words, kernel, least, advance, messages),
            Code::Word64(advance) => messages = drive(block, words, kernel, least, advance, messages),
        }
    }
}

/// Runs all blocks of one message: without a queue and its memory where the best row has one lane.
pub(crate) fn run_one(chain: &Chain, message: Message<'_>) {
    let kernel = pick(chain.kernels, 1);
    match kernel.code() {
        _ if kernel.lanes > 1 => run(chain.block, chain.words, chain.kernels, vec![message]),
        Code::Word32(advance) => straight(chain, advance, message),
        Code::Word64(advance) => straight(chain, advance, message),
    }
}

fn straight<T: Lane>(chain: &Chain, advance: Advance<T>, message: Message<'_>) {
    #[repr(align(64))]
    struct Column<T>([T; MAX_WORDS]);
    let mut column = Column([T::default(); MAX_WORDS]);
    for (word, value) in column.0.iter_mut().zip(&message.state[..chain.words]) {
        *word = T::narrow(*value);
    }
    for part in message.parts.iter().filter(|part| !part.is_empty()) {
        // SAFETY: the row is supported (`kernel::pick`) and has one lane; the state has `words` values; the one pointer is
        // valid for the part, which is whole blocks.
        unsafe { advance(column.0.as_mut_ptr(), &part.as_ptr(), part.len() / chain.block) };
    }
    for (value, word) in message.state[..chain.words].iter_mut().zip(column.0) {
        *value = word.widen();
    }
}

/// A word as kernels store it.
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
    /// Room for the widest row. One message of a few words would feel that much being zeroed.
    pub(super) fn new() -> Columns<T> {
        Columns([const { MaybeUninit::uninit() }; MAX_WORDS * MAX_LANES])
    }

    /// The first `len` values, all zero.
    pub(super) fn zeroed(&mut self, len: usize) -> &mut [T] {
        let columns = &mut self.0[..len];
        columns.fill(MaybeUninit::new(T::default()));
        // SAFETY: all of them have just been written, and a `MaybeUninit` lies in memory as what it holds.
        unsafe { std::slice::from_raw_parts_mut(columns.as_mut_ptr().cast(), len) }
    }
}

/// Runs messages (taken from the end) through one row until fewer than `least` lanes are busy; returns the others.
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
        let bytes = busy.iter_mut().map(|(_, message)| message.current().len()).min().unwrap_or(0);
        // Idle lanes repeat a busy one's bytes; nobody reads their states.
        let mut pointers = [busy[0].1.current().as_ptr(); MAX_LANES];
        for (lane, message) in &mut busy {
            pointers[*lane] = message.current().as_ptr();
        }
        // SAFETY: the row is supported (`kernel::pick`); the state has `words * lanes` values; every pointer is valid for
        // `bytes`, a whole number of blocks, being the smallest of the busy lanes' slices.
        unsafe { advance(columns.as_mut_ptr(), pointers.as_ptr(), bytes / block) };
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
