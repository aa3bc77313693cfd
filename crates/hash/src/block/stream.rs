//! The state of one message between calls, and many of them going on together.

use super::chain::{Chain, MAX_BLOCK, State, Tail};
use super::row::Kernel;
use super::schedule::{Message, run, run_one};
use crate::digest::Digest;

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
    pub(crate) chain: &'static Chain,
    pub(crate) digest_len: usize,
    pub(crate) state: State,
    pub(crate) total: u64,
    /// Bytes that wait for their block to be whole.
    pub(crate) buffered: usize,
    /// Those bytes; at the end, the last blocks.
    pub(crate) buffer: Tail,
}

impl Stream {
    pub(crate) fn new(chain: &'static Chain, state: State, digest_len: usize) -> Stream {
        Stream { chain, digest_len, state, total: 0, buffered: 0, buffer: [0; 2 * MAX_BLOCK] }
    }

    /// Makes this the beginning of another message.
    pub(crate) fn restart(&mut self, state: State) {
        (self.state, self.total, self.buffered) = (state, 0, 0);
    }

    /// Fills the buffer and tells what of it and of `data` is whole blocks.
    fn split(&mut self, data: &[u8]) -> Split {
        let block = self.chain.block;
        let spare = usize::from(self.chain.lazy);
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
        let block = self.chain.block;
        self.buffer[self.buffered..self.chain.last_blocks * block].fill(0);
        let blocks = (self.chain.pad)(&mut self.state, &mut self.buffer, self.buffered, self.total);
        Message { state: &mut self.state, parts: [&self.buffer[..blocks * block], &[]] }
    }

    fn digest(&self) -> Digest {
        Digest::made(self.digest_len, |bytes| (self.chain.output)(&self.state, bytes))
    }

    pub(crate) fn update(&mut self, data: &[u8]) {
        let split = self.split(data);
        let Stream { chain, state, buffer, .. } = self;
        run_one(chain, Message { state, parts: [&buffer[..split.buffered], &data[split.start..split.end]] });
        self.keep(data, split);
    }

    /// Runs the last blocks; the state is then finished.
    pub(crate) fn end(&mut self) -> &State {
        let chain = self.chain;
        run_one(chain, self.last_blocks());
        &self.state
    }

    pub(crate) fn finish(&mut self) -> Digest {
        self.end();
        self.digest()
    }
}

/// Feeds `data[i]` to `streams[i]`, all of one chain.
pub(crate) fn update_streams(rows: &'static [Kernel], streams: &mut [&mut Stream], data: &[&[u8]]) {
    let chain = streams[0].chain;
    let splits: Vec<_> = streams.iter_mut().zip(data).map(|(stream, data)| stream.split(data)).collect();
    let messages = streams.iter_mut().zip(data).zip(&splits);
    let messages = messages.map(|((stream, data), split)| {
        let Stream { state, buffer, .. } = &mut **stream;
        Message { state, parts: [&buffer[..split.buffered], &data[split.start..split.end]] }
    });
    run(chain.block, chain.words, rows, messages.filter(Message::has_blocks).collect());
    for ((stream, data), split) in streams.iter_mut().zip(data).zip(splits) {
        stream.keep(data, split);
    }
}

/// Ends all messages, all of one chain.
pub(crate) fn finish_streams(
    rows: &'static [Kernel],
    streams: &mut [&mut Stream],
    digests: &mut Vec<Digest>,
) {
    let Chain { block, words, .. } = *streams[0].chain;
    run(block, words, rows, streams.iter_mut().map(|stream| stream.last_blocks()).collect());
    digests.extend(streams.iter().map(|stream| stream.digest()));
}
