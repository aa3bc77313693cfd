//! Many messages in one core: the scheduler that keeps SIMD lanes full, and the state of one message between calls.
//!
//! A chain of blocks leaves most of a core idle, so kernels advance up to 64 messages at once. A lane holds one message; the
//! kernel runs for the smallest number of blocks left in any lane; lanes that are done are refilled from the queue; when the
//! queue is empty and too few lanes are busy, the rest falls to narrower rows, at last to the best one for a single message.
//! Messages may join and leave at any block, and states live in [`Stream`]s between calls, so memory does not depend on
//! message length: callers feed slices as they are read.
#![allow(unsafe_code)]

use crate::blake3::{self, Blake3};
use crate::digest::Digest;
use crate::hasher::{Hasher, Inner};
use crate::kernel::{self, Code, Kernel};
use crate::spec::Spec;
use std::mem::MaybeUninit;

/// Words of the largest state (Keccak).
pub(crate) const MAX_WORDS: usize = 25;
/// Bytes of the largest block (SHAKE128).
pub(crate) const MAX_BLOCK: usize = 168;
/// Messages of the widest row.
const MAX_LANES: usize = 64;

/// The state of one message, one word per element whatever the algorithm's word size.
pub(crate) type State = [u64; MAX_WORDS];

/// Algorithms that share their block function and padding.
pub(crate) struct Family {
    /// Block size in bytes.
    pub block: usize,
    /// Words of state.
    pub words: usize,
    /// Whether the last whole block must wait for [`Family::pad`] (BLAKE2 marks its final block).
    pub lazy: bool,
    /// Rows, best first, ending with the portable one.
    pub kernels: &'static [Kernel],
    /// Completes the last bytes to whole blocks. `tail` starts with `buffered` message bytes followed by zeros; `total` is
    /// the message's length in bytes. Returns the number of blocks (1 or 2), and may mark the state as final.
    pub pad: fn(state: &mut State, tail: &mut [u8; 2 * MAX_BLOCK], buffered: usize, total: u64) -> usize,
    /// Writes the digest of a finished state.
    pub output: fn(state: &State, digest: &mut [u8]),
}

/// Which bytes are whole blocks to run now: the first `buffered` of the buffer (a block or nothing), then
/// `data[start..end]`.
#[derive(Clone, Copy)]
struct Split {
    buffered: usize,
    start: usize,
    end: usize,
}

/// One message under way.
#[derive(Clone)]
pub(crate) struct Stream {
    pub(crate) family: &'static Family,
    pub(crate) digest_len: usize,
    pub(crate) state: State,
    pub(crate) total: u64,
    /// Bytes that wait for their block to be whole.
    pub(crate) buffered: usize,
    /// Those bytes; at the end, the last blocks.
    pub(crate) buffer: [u8; 2 * MAX_BLOCK],
}

impl Stream {
    pub(crate) fn new(family: &'static Family, state: State, digest_len: usize) -> Stream {
        Stream { family, digest_len, state, total: 0, buffered: 0, buffer: [0; 2 * MAX_BLOCK] }
    }

    /// Makes this the beginning of another message.
    pub(crate) fn restart(&mut self, state: State) {
        (self.state, self.total, self.buffered) = (state, 0, 0);
    }

    /// Fills the buffer and tells what of it and of `data` is whole blocks.
    fn split(&mut self, data: &[u8]) -> Split {
        let block = self.family.block;
        let spare = usize::from(self.family.lazy);
        if self.buffered + data.len() < block + spare {
            return Split { buffered: 0, start: 0, end: 0 };
        }
        let (buffered, start) = if self.buffered == 0 { (0, 0) } else { (block, block - self.buffered) };
        self.buffer[self.buffered..self.buffered + start].copy_from_slice(&data[..start]);
        Split { buffered, start, end: start + (data.len() - start).saturating_sub(spare) / block * block }
    }

    /// Keeps what is left of `data` after its whole blocks.
    fn keep(&mut self, data: &[u8], split: Split) {
        if split.buffered > 0 {
            self.buffered = 0;
        }
        let rest = &data[split.end..];
        self.buffer[self.buffered..self.buffered + rest.len()].copy_from_slice(rest);
        self.buffered += rest.len();
        self.total += data.len() as u64;
    }

    /// Makes the last blocks of what waits in the buffer.
    fn last_blocks(&mut self) -> Message<'_> {
        let block = self.family.block;
        self.buffer[self.buffered..2 * block].fill(0);
        let blocks = (self.family.pad)(&mut self.state, &mut self.buffer, self.buffered, self.total);
        Message { state: &mut self.state, parts: [&self.buffer[..blocks * block], &[]] }
    }

    fn digest(&self) -> Digest {
        Digest::made(self.digest_len, |bytes| (self.family.output)(&self.state, bytes))
    }

    pub(crate) fn update(&mut self, data: &[u8]) {
        let split = self.split(data);
        let Stream { family, state, buffer, .. } = self;
        run_one(family, Message { state, parts: [&buffer[..split.buffered], &data[split.start..split.end]] });
        self.keep(data, split);
    }

    pub(crate) fn finish(&mut self) -> Digest {
        let family = self.family;
        run_one(family, self.last_blocks());
        self.digest()
    }
}

fn update_streams(rows: &'static [Kernel], streams: &mut [&mut Stream], data: &[&[u8]]) {
    let family = streams[0].family;
    let splits: Vec<_> = streams.iter_mut().zip(data).map(|(stream, data)| stream.split(data)).collect();
    let messages = streams.iter_mut().zip(data).zip(&splits);
    let messages = messages.map(|((stream, data), split)| {
        let Stream { state, buffer, .. } = &mut **stream;
        Message { state, parts: [&buffer[..split.buffered], &data[split.start..split.end]] }
    });
    run(family.block, family.words, rows, messages.filter(Message::has_blocks).collect());
    for ((stream, data), split) in streams.iter_mut().zip(data).zip(splits) {
        stream.keep(data, split);
    }
}

fn finish_streams(rows: &'static [Kernel], streams: &mut [&mut Stream], digests: &mut Vec<Digest>) {
    let Family { block, words, .. } = *streams[0].family;
    run(block, words, rows, streams.iter_mut().map(|stream| stream.last_blocks()).collect());
    digests.extend(streams.iter().map(|stream| stream.digest()));
}

/// Feeds `data[i]` to `hashers[i]`: what calling [`Hasher::update`] on each does, with many messages in lanes.
///
/// Works for any mix of algorithms; lanes are shared by neighbours of the same algorithm. The slices may have any lengths.
///
/// # Panics
/// If there are not as many slices as hashers.
pub fn update_many(hashers: &mut [&mut Hasher], data: &[&[u8]]) {
    assert_eq!(hashers.len(), data.len(), "one slice of data for each hasher");
    let mut start = 0;
    while start < hashers.len() {
        let end = start + same_family(&hashers[start..]);
        let group = &mut hashers[start..end];
        match group {
            [one] => one.update(data[start]),
            many => {
                let mut streams: Vec<&mut Stream> = many.iter_mut().filter_map(|h| h.stream()).collect();
                update_streams(streams[0].family.kernels, &mut streams, &data[start..end]);
            }
        }
        start = end;
    }
}

/// Ends all messages: the digests in the order of `hashers`. Each hasher is then fresh, as after [`Hasher::finish`].
pub fn finish_many(hashers: &mut [&mut Hasher]) -> Vec<Digest> {
    let mut digests = Vec::with_capacity(hashers.len());
    let mut start = 0;
    while start < hashers.len() {
        let blake3 = hashers[start..].iter_mut().map_while(|hasher| hasher.blake3()).count();
        let end = start + blake3.max(same_family(&hashers[start..]));
        match &mut hashers[start..end] {
            [one] => digests.push(one.finish()),
            many if blake3 > 1 => {
                let mut messages: Vec<&mut Blake3> = many.iter_mut().filter_map(|h| h.blake3()).collect();
                blake3::finish_many(&mut messages, &mut digests);
                many.iter_mut().for_each(|hasher| hasher.reset());
            }
            many => {
                let mut streams: Vec<&mut Stream> = many.iter_mut().filter_map(|h| h.stream()).collect();
                finish_streams(streams[0].family.kernels, &mut streams, &mut digests);
                many.iter_mut().for_each(|hasher| hasher.reset());
            }
        }
        start = end;
    }
    digests
}

/// The digests of many messages at once: 17 times one after the other for MD5 with AVX-512, and no slower for any.
///
/// ```
/// let md5 = "md5".parse()?;
/// let messages: Vec<String> = (0..1_000_000).map(|i| format!("message {i}")).collect();
/// let slices: Vec<&[u8]> = messages.iter().map(String::as_bytes).collect();
/// let digests = truesum_hash::hash_many(&md5, &slices);
/// assert_eq!(digests.len(), 1_000_000);
/// assert_eq!(digests[7], md5.digest(b"message 7"));
/// # Ok::<(), truesum_hash::SpecError>(())
/// ```
pub fn hash_many(spec: &Spec, messages: &[&[u8]]) -> Vec<Digest> {
    // Enough messages at a time to keep lanes full, few enough that their states stay in the cache.
    const BATCH: usize = 256;
    let mut hashers: Vec<Hasher> = (0..messages.len().min(BATCH)).map(|_| spec.hasher()).collect();
    let mut digests = Vec::with_capacity(messages.len());
    for batch in messages.chunks(BATCH) {
        let mut hashers: Vec<&mut Hasher> = hashers[..batch.len()].iter_mut().collect();
        update_many(&mut hashers, batch);
        digests.extend(finish_many(&mut hashers));
    }
    digests
}

/// What [`hash_many`] returns, computed by one row of [`kernel::rows`] alone: to measure rows, and to test that they agree.
/// `None` if the CPU cannot run the row or it is not one of this algorithm's.
pub fn hash_many_on(row: &'static Kernel, spec: &Spec, messages: &[&[u8]]) -> Option<Vec<Digest>> {
    let own = kernel::rows(spec.algorithm()).iter().any(|other| std::ptr::eq(other, row));
    if !own || !row.supported() {
        return None;
    }
    let rows = std::slice::from_ref(row);
    let mut digests = Vec::with_capacity(messages.len());
    for batch in messages.chunks(256) {
        let mut hashers: Vec<Hasher> = batch.iter().map(|_| spec.hasher()).collect();
        let mut streams: Vec<&mut Stream> = hashers.iter_mut().filter_map(Hasher::stream).collect();
        update_streams(rows, &mut streams, batch);
        finish_streams(rows, &mut streams, &mut digests);
    }
    Some(digests)
}

/// Does to `hashers`, all of one algorithm, what [`update_many`] does, by one row of [`kernel::rows`] alone: to measure rows.
///
/// # Panics
/// If the CPU cannot run the row, it is not one of the algorithm's, or there are not as many slices as hashers.
pub fn update_many_on(row: &'static Kernel, hashers: &mut [&mut Hasher], data: &[&[u8]]) {
    assert_eq!(hashers.len(), data.len(), "one slice of data for each hasher");
    assert!(row.supported(), "this CPU has no {}", row.isa);
    let mut streams: Vec<&mut Stream> = hashers.iter_mut().filter_map(|hasher| hasher.stream()).collect();
    let own = |stream: &&mut Stream| stream.family.kernels.iter().any(|other| std::ptr::eq(other, row));
    assert!(streams.len() == data.len() && streams.iter().all(own), "a row of another algorithm");
    if !streams.is_empty() {
        update_streams(std::slice::from_ref(row), &mut streams, data);
    }
}

/// How many of the first hashers share one family; 1 for an algorithm without lanes.
fn same_family(hashers: &[&mut Hasher]) -> usize {
    let family = |hasher: &Hasher| match &hasher.inner {
        Inner::Blocks(stream) => Some(std::ptr::from_ref(stream.family)),
        Inner::Serial(_) => None,
    };
    let first = family(hashers[0]);
    if first.is_none() {
        return 1;
    }
    hashers.iter().take_while(|hasher| family(hasher) == first).count()
}

/// One message's work in this call: its state, and whole blocks in up to two places.
pub(crate) struct Message<'a> {
    pub state: &'a mut [u64],
    pub parts: [&'a [u8]; 2],
}

impl Message<'_> {
    fn has_blocks(&self) -> bool {
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
        let kernel = kernel::pick(rows, messages.len());
        let least = if rows.len() == 1 { 1 } else { kernel.from_busy };
        match kernel.code {
            Code::Word32(advance) => messages = drive(block, words, kernel, least, advance, messages),
            Code::Word64(advance) => messages = drive(block, words, kernel, least, advance, messages),
        }
    }
}

/// Runs all blocks of one message: without a queue and its memory where the best row has one lane.
fn run_one(family: &Family, message: Message<'_>) {
    let kernel = kernel::pick(family.kernels, 1);
    match kernel.code {
        _ if kernel.lanes > 1 => run(family.block, family.words, family.kernels, vec![message]),
        Code::Word32(advance) => straight(family, advance, message),
        Code::Word64(advance) => straight(family, advance, message),
    }
}

fn straight<T: Lane>(family: &Family, advance: kernel::Advance<T>, message: Message<'_>) {
    #[repr(align(64))]
    struct Column<T>([T; MAX_WORDS]);
    let mut column = Column([T::default(); MAX_WORDS]);
    for (word, value) in column.0.iter_mut().zip(&message.state[..family.words]) {
        *word = T::narrow(*value);
    }
    for part in message.parts.iter().filter(|part| !part.is_empty()) {
        // SAFETY: the row is supported (`kernel::pick`) and has one lane; the state has `words` values; the one pointer is
        // valid for the part, which is whole blocks.
        unsafe { advance(column.0.as_mut_ptr(), &part.as_ptr(), part.len() / family.block) };
    }
    for (value, word) in message.state[..family.words].iter_mut().zip(column.0) {
        *value = word.widen();
    }
}

/// A word as kernels store it.
trait Lane: Copy + Default {
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
struct Columns<T>([MaybeUninit<T>; MAX_WORDS * MAX_LANES]);

impl<T: Lane> Columns<T> {
    /// Room for the widest row. One message of a few words would feel that much being zeroed.
    fn new() -> Columns<T> {
        Columns([const { MaybeUninit::uninit() }; MAX_WORDS * MAX_LANES])
    }

    /// The first `len` values, all zero.
    fn zeroed(&mut self, len: usize) -> &mut [T] {
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
    kernel: &Kernel,
    least: usize,
    advance: kernel::Advance<T>,
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

fn take_column<T: Lane>(columns: &[T], lane: usize, lanes: usize, state: &mut [u64]) {
    for (word, value) in state.iter_mut().enumerate() {
        *value = columns[word * lanes + lane].widen();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ALGORITHMS;

    #[test]
    fn every_row_alone_gives_the_same_digests() {
        let data: Vec<u8> = (0..20_000u32).map(|i| ((i * i) >> 7) as u8).collect();
        let messages: Vec<&[u8]> =
            (0..70).map(|i| &data[i..i + [0, 1, 55, 64, 300, 4096][i % 6] + i]).collect();
        for algorithm in ALGORITHMS {
            let spec = Spec::new(algorithm);
            let expected: Vec<Digest> = messages.iter().map(|message| spec.digest(message)).collect();
            for row in kernel::rows(algorithm).iter().filter(|row| row.supported()) {
                for count in [1, 3, messages.len()] {
                    let digests = hash_many_on(row, &spec, &messages[..count]);
                    assert_eq!(
                        digests.as_deref(),
                        Some(&expected[..count]),
                        "{spec} {} x{}",
                        row.isa,
                        row.lanes
                    );
                }
            }
        }
    }

    #[test]
    fn slices_that_end_with_a_block_give_the_digest_of_the_whole() {
        let data: Vec<u8> = (0..1000u32).map(|i| (i * i) as u8).collect();
        for algorithm in ALGORITHMS {
            let spec = Spec::new(algorithm);
            for step in [1, 64, 72, 104, 128, 136, 144, 168] {
                let mut hasher = spec.hasher();
                data.chunks(step).for_each(|slice| hasher.update(slice));
                assert_eq!(hasher.finish(), spec.digest(&data), "{spec} in slices of {step}");
            }
        }
    }

    #[test]
    fn a_row_of_another_algorithm_is_refused() {
        let (md5, sha256) = ("md5".parse::<Spec>().unwrap(), "sha256".parse::<Spec>().unwrap());
        let row = kernel::rows(md5.algorithm()).last().unwrap();
        assert!(hash_many_on(row, &sha256, &[b"abc"]).is_none());
    }
}
