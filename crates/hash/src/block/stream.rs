//! The state of one message between calls, and of many messages processed together.

use super::chain::{Chain, NO_TAIL, State, Tail};
use super::row::Kernel;
use super::schedule::{Message, run, run_one};
use crate::digest::Digest;
use std::sync::Arc;
use zeroize::Zeroize;

/// Which bytes are complete blocks to process now: the first `buffered` of the buffer (a block or nothing), then
/// `data[start..end]`.
#[derive(Clone, Copy)]
struct Split {
    buffered: usize,
    start: usize,
    end: usize,
}

/// One message in progress.
#[derive(Clone)]
pub(crate) struct Stream {
    pub(crate) chain: &'static Chain,
    pub(crate) digest_len: usize,
    pub(crate) state: State,
    pub(crate) total: u64,
    /// The number of bytes that wait for the rest of their block.
    pub(crate) buffered: usize,
    /// Holds the buffered bytes; at the end, the last blocks.
    pub(crate) buffer: Tail,
    /// Holds what is hashed around the message, if anything.
    frame: Option<Arc<Frame>>,
    /// Whether state and buffer depend on a key and are overwritten when dropped.
    is_secret: bool,
}

/// Describes what is hashed around a message: a key or a name before it, a suffix, and a hash of its digest.
struct Frame {
    /// The stream after the prefix.
    begun: Stream,
    behind: Vec<u8>,
    /// The stream that hashes the digest and returns the final one.
    outer: Option<Stream>,
}

impl Stream {
    pub(crate) fn new(chain: &'static Chain, state: State, digest_len: usize) -> Stream {
        Stream {
            chain,
            digest_len,
            state,
            total: 0,
            buffered: 0,
            buffer: NO_TAIL,
            frame: None,
            is_secret: false,
        }
    }

    /// Returns a stream that is overwritten when dropped, as are its clones.
    pub(crate) fn secret(mut self) -> Stream {
        self.is_secret = true;
        self
    }

    /// Returns a stream for a message, with the data that this stream has processed as its prefix;
    /// `behind` is the suffix, and `outer`, if present, hashes the digest.
    pub(crate) fn framed(mut self, behind: Vec<u8>, outer: Option<Stream>) -> Stream {
        self.frame = Some(Arc::new(Frame { begun: self.clone(), behind, outer }));
        self
    }

    /// Returns whether something is hashed around the message.
    pub(crate) fn is_framed(&self) -> bool {
        self.frame.is_some()
    }

    /// Resets the stream for another message; `state` is the initial state of a chain without a frame.
    pub(crate) fn restart(&mut self, state: impl FnOnce() -> State) {
        match self.frame.take() {
            None => (self.state, self.total, self.buffered) = (state(), 0, 0),
            // `begun` was copied before the stream had a frame: no frame contains itself.
            Some(frame) => {
                *self = frame.begun.clone();
                self.frame = Some(frame);
            }
        }
    }

    /// Processes the suffix.
    #[cold]
    fn close(&mut self) {
        if let Some(frame) = self.frame.clone() {
            self.update(&frame.behind);
        }
    }

    /// Returns the outer stream after it has processed the digest of this one, if the frame has one.
    #[cold]
    fn outer(&self, digest: &Digest) -> Option<Stream> {
        let mut outer = self.frame.as_ref()?.outer.clone()?;
        outer.update(digest.as_bytes());
        Some(outer)
    }

    /// Fills the buffer and returns which parts of it and of `data` are complete blocks.
    fn split(&mut self, data: &[u8]) -> Split {
        let block = self.chain.block;
        // In a lazy chain, at least one byte must follow a block before it is processed: until then
        // it may be the last one, which is processed differently.
        let spare = usize::from(self.chain.lazy);
        if self.buffered + data.len() < block + spare {
            return Split { buffered: 0, start: 0, end: 0 };
        }
        // Only the block that began in an earlier call is completed in the buffer; those after it
        // are read where they are. A lazy chain may have buffered a complete block, and `start` is
        // then 0.
        let (buffered, start) = if self.buffered == 0 { (0, 0) } else { (block, block - self.buffered) };
        self.buffer[self.buffered..self.buffered + start].copy_from_slice(&data[..start]);
        Split { buffered, start, end: start + (data.len() - start).saturating_sub(spare) / block * block }
    }

    /// Stores the part of `data` after its complete blocks.
    fn keep(&mut self, data: &[u8], split: Split) {
        // Without a complete block, `data` continues what is in the buffer.
        if split.buffered > 0 {
            self.buffered = 0;
        }
        let rest = &data[split.end..];
        self.buffer[self.buffered..self.buffered + rest.len()].copy_from_slice(rest);
        self.buffered += rest.len();
        self.total += data.len() as u64;
    }

    /// Creates the last blocks from the buffer.
    fn last_blocks(&mut self) -> Message<'_> {
        let block = self.chain.block;
        // `pad` relies on zeros after the message; the buffer still has bytes of earlier blocks.
        self.buffer[self.buffered..self.chain.last_blocks * block].fill(0);
        let blocks = (self.chain.pad)(&mut self.state, &mut self.buffer, self.buffered, self.total);
        Message { state: &mut self.state, parts: [&self.buffer[..blocks * block], &[]] }
    }

    /// Overwrites everything that may depend on a key. The buffer of a lazy chain (BLAKE2) may contain the key itself.
    #[cold]
    fn wipe(&mut self) {
        self.state.zeroize();
        self.buffer.zeroize();
    }

    fn digest(&self) -> Digest {
        Digest::from_fn(self.digest_len, |bytes| (self.chain.output)(&self.state, bytes))
    }

    pub(crate) fn update(&mut self, data: &[u8]) {
        let split = self.split(data);
        let Stream { chain, state, buffer, .. } = self;
        run_one(chain, Message { state, parts: [&buffer[..split.buffered], &data[split.start..split.end]] });
        self.keep(data, split);
    }

    /// Processes the last blocks and returns the final state.
    pub(crate) fn end(&mut self) -> &State {
        let chain = self.chain;
        if self.is_framed() {
            self.close();
        }
        run_one(chain, self.last_blocks());
        &self.state
    }

    pub(crate) fn finish(&mut self) -> Digest {
        self.end();
        let digest = self.digest();
        if !self.is_framed() {
            return digest;
        }
        match self.outer(&digest) {
            None => digest,
            Some(mut outer) => outer.finish(),
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.is_secret {
            self.wipe();
        }
    }
}

/// Adds `data[i]` to `streams[i]`, all of one chain.
pub(crate) fn update_streams(rows: &'static [Kernel], streams: &mut [&mut Stream], data: &[&[u8]]) {
    let chain = streams[0].chain;
    // All buffers are filled first, because the messages borrow them until the end of the call.
    let splits: Vec<_> = streams.iter_mut().zip(data).map(|(stream, data)| stream.split(data)).collect();
    let messages = streams.iter_mut().zip(data).zip(&splits);
    let messages = messages.map(|((stream, data), split)| {
        let Stream { state, buffer, .. } = &mut **stream;
        Message { state, parts: [&buffer[..split.buffered], &data[split.start..split.end]] }
    });
    // A stream that only buffered its bytes must not occupy a lane.
    run(chain.block, chain.words, rows, messages.filter(Message::has_blocks).collect());
    for ((stream, data), split) in streams.iter_mut().zip(data).zip(splits) {
        stream.keep(data, split);
    }
}

/// Finishes all messages, all of one chain.
pub(crate) fn finish_streams(
    rows: &'static [Kernel],
    streams: &mut [&mut Stream],
    digests: &mut Vec<Digest>,
) {
    let Chain { block, words, .. } = *streams[0].chain;
    let framed = streams.iter().any(|stream| stream.is_framed());
    if framed {
        streams.iter_mut().for_each(|stream| stream.close());
    }
    run(block, words, rows, streams.iter_mut().map(|stream| stream.last_blocks()).collect());
    let first = digests.len();
    digests.extend(streams.iter().map(|stream| stream.digest()));
    if framed {
        finish_outer(rows, streams, &mut digests[first..]);
    }
}

/// Passes the digests of messages to their outer streams, for those that have one.
#[cold]
fn finish_outer(rows: &'static [Kernel], streams: &[&mut Stream], digests: &mut [Digest]) {
    let outer = |(i, stream): (usize, &&mut Stream)| Some((i, stream.outer(&digests[i])?));
    let (places, mut outers): (Vec<_>, Vec<_>) = streams.iter().enumerate().filter_map(outer).unzip();
    if !outers.is_empty() {
        let mut ended = Vec::with_capacity(outers.len());
        // Outer streams (HMAC) are of the chain of the inner ones, so the same rows apply.
        finish_streams(rows, &mut outers.iter_mut().collect::<Vec<_>>(), &mut ended);
        for (place, digest) in places.into_iter().zip(ended) {
            digests[place] = digest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::{Key, Secret};
    use crate::block::MAX_WORDS;
    use crate::spec::Spec;

    #[test]
    fn streams_with_a_key_are_overwritten_when_dropped() {
        for name in ["blake2b;keyed", "blake2s;keyed", "hmac-sha256", "hmac-blake2b", "kmac128", "kmacxof256"]
        {
            let spec: Spec = name.parse().unwrap();
            let secret = Secret::new(b"0123456789abcdef".to_vec());
            let spec = spec.with_key(Key::Secret(secret)).unwrap();
            let (row, params) = (spec.algorithm(), &spec.params);
            let mut stream = (row.framed)(row, params).expect("a stream of its own");
            let frame = stream.frame.as_ref().expect("a key before the message");
            assert!(stream.is_secret && frame.begun.is_secret, "{name}");
            assert!(frame.outer.as_ref().is_none_or(|outer| outer.is_secret), "{name}");
            assert!(stream.clone().is_secret);
            let holds_key =
                |stream: &Stream| stream.buffer.windows(16).any(|bytes| bytes == b"0123456789abcdef");
            assert_eq!(holds_key(&stream), name.contains(";keyed"), "{name}");
            stream.wipe();
            assert!(!holds_key(&stream) && stream.state == [0; MAX_WORDS], "{name}");
        }
    }
}
