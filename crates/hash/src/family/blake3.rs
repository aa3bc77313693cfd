//! BLAKE3 (O'Connor, Aumasson, Neves, Wilcox-O'Hearn 2020): plain, keyed, derive-key, with output of any length.
//!
//! It is computed by its authors' crate, which fills the lanes of a core with the chunks of one message. A message of
//! four chunks leaves most lanes empty, so short updates wait in a buffer. Plain messages that end while the buffer
//! contains all of them share lanes with others that end at the same time: first all their chunks, then the parents of
//! each level, with kernels of this crate, because the authors' crate supports neither chunks of unequal length nor
//! different messages side by side.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Key, Keying, Kind, Lengths, Output, Params, Secret, Serial, Status};
use crate::block::{Kernel, Message, kernels, pick, run};
use crate::digest::Digest;
use crate::family::blake2s::{IV, round};
use crate::word::{Endian, Word32, array, unroll};
#[cfg(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::word::U32x4;
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x4, U32x8, U32x16, X2};
use std::any::Any;

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "blake3",
        tag: "BLAKE3",
        aliases: &["b3", "b3sum"],
        digest_len: 32,
        lengths: Lengths::Any,
        status: Status::Secure("O'Connor, Aumasson, Neves & Wilcox-O'Hearn 2020"),
        summary: "b3sum; a tree of 1 KiB chunks, output of any length, keyed and derive-key modes",
        check: "b7d65b48420d1033cb2595293263b6f72eabee20d55e699d0df1973b3c9deed1",
        keying: Keying::Optional { least: 32, most: 32 },
        customized: Some("context"),
        kind: Kind::Chunks { new, finish_many },
        ..Algorithm::PLAIN
    },
];

kernels! {
    static KERNELS: Word32 of u32;
    x86_64 {
        avx512_x2: avx512 x 32, from 17 = compress[X2<U32x16>];
        avx512: avx512 x 16, from 2 = compress[U32x16];
        avx2_x2: avx2 x 16, from 9 = compress[X2<U32x8>];
        avx2: avx2 x 8, from 3 = compress[U32x8];
        sse2: sse2 x 4, from 3 = compress[U32x4];
    }
    aarch64 {
        neon: neon x 4, from 3 = compress[U32x4];
    }
    wasm32 {
        simd128: simd128 x 4, from 3 = compress[U32x4];
    }
    portable {
        portable: x 1, from 1 = compress[u32];
    }
}

/// The size of a chunk.
const CHUNK: usize = 1024;
/// The size of a block.
const BLOCK: usize = 64;
/// Messages shorter than this wait for others; one with this many chunks fills the widest lanes alone.
const FULL: usize = 16 * CHUNK;
/// The maximum number of messages that share lanes at a time: more would only use more memory.
const BATCH: usize = 64;

// Flags of a block (table 3 of the paper).
const CHUNK_START: u32 = 1;
const CHUNK_END: u32 = 2;
const PARENT: u32 = 4;
const ROOT: u32 = 8;

fn new(params: &Params) -> Box<dyn Serial> {
    let hasher = crate_hasher(&params.key);
    let len = params.digest_len;
    let plain = params.key == Key::None && len <= blake3::OUT_LEN;
    // Without lanes (`TRUESUM_KERNEL=portable`), the crate does everything with the features it detects.
    let waits = plain && pick(KERNELS, usize::MAX).lanes > 1;
    Box::new(Blake3 { hasher, len, waits, waiting: Vec::new() })
}

/// Returns the crate's hasher with this key.
pub(crate) fn crate_hasher(key: &Key) -> blake3::Hasher {
    match key {
        Key::None => blake3::Hasher::new(),
        Key::Missing => panic!("blake3: no key"),
        Key::Secret(secret) => blake3::Hasher::new_keyed(&key_of(secret)),
        Key::Derive(context) => blake3::Hasher::new_derive_key(context),
    }
}

/// Returns the bytes of a key, whose length was verified by [`Spec::with_key`](crate::Spec::with_key).
pub(crate) fn key_of(secret: &Secret) -> [u8; 32] {
    secret.as_bytes().try_into().expect("a key of BLAKE3 has 32 bytes")
}

#[derive(Clone)]
pub(crate) struct Blake3 {
    hasher: blake3::Hasher,
    len: usize,
    /// True if short updates wait in the buffer.
    waits: bool,
    /// The end of the message so far; all of it while it is short.
    waiting: Vec<u8>,
}

impl Blake3 {
    fn is_short(&self) -> bool {
        self.waits && self.hasher.count() == 0
    }

    fn feed_waiting(&mut self) {
        self.hasher.update(&self.waiting);
        self.waiting.clear();
    }
}

impl Serial for Blake3 {
    fn update(&mut self, data: &[u8]) {
        if self.waits && self.waiting.len() + data.len() < FULL {
            return self.waiting.extend_from_slice(data);
        }
        self.feed_waiting();
        self.hasher.update(data);
    }
    fn finish(&mut self) -> Digest {
        self.feed_waiting();
        match self.len <= blake3::OUT_LEN {
            true => Digest::new(&self.hasher.finalize().as_bytes()[..self.len]),
            false => Digest::from_fn(self.len, |bytes| self.hasher.finalize_xof().fill(bytes)),
        }
    }
    fn output(&mut self) -> Option<Box<dyn Output>> {
        self.feed_waiting();
        Some(Box::new(self.hasher.finalize_xof()))
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
    fn reset(&mut self) -> bool {
        self.hasher.reset();
        self.waiting.clear();
        true
    }
}

impl Output for blake3::OutputReader {
    fn fill(&mut self, buffer: &mut [u8]) {
        blake3::OutputReader::fill(self, buffer);
    }
    fn position(&self) -> u64 {
        blake3::OutputReader::position(self)
    }
    fn set_position(&mut self, position: u64) {
        blake3::OutputReader::set_position(self, position);
    }
    fn clone_box(&self) -> Box<dyn Output> {
        Box::new(self.clone())
    }
}

/// Finishes messages, the short ones together.
fn finish_many(messages: &mut [&mut dyn Serial], digests: &mut Vec<Digest>) {
    for batch in messages.chunks_mut(BATCH) {
        let mut batch: Vec<&mut Blake3> = batch
            .iter_mut()
            .map(|message| (&mut **message as &mut dyn Any).downcast_mut().expect("made by `new`"))
            .collect();
        let mut short: Vec<&mut Blake3> = Vec::with_capacity(batch.len());
        short.extend(batch.iter_mut().map(|message| &mut **message).filter(|message| message.is_short()));
        let mut together = finish_short(KERNELS, &mut short).into_iter();
        digests.extend(batch.iter_mut().map(|message| match message.is_short() {
            true => together.next().expect("a digest for each short message"),
            false => message.finish(),
        }));
    }
}

/// Returns the digests of messages that are completely in their buffers.
fn finish_short(rows: &'static [Kernel], messages: &mut [&mut Blake3]) -> Vec<Digest> {
    let chunks = messages.iter().map(|message| message.waiting.len().div_ceil(CHUNK).max(1));
    let mut nodes: Vec<Node> = Vec::with_capacity(chunks.sum());
    let mut counts: Vec<usize> = Vec::with_capacity(messages.len());
    for message in messages.iter_mut() {
        let len = message.waiting.len();
        let padded = len.next_multiple_of(BLOCK).max(BLOCK);
        message.waiting.reserve_exact(padded - len);
        message.waiting.resize(padded, 0);
        let count = len.div_ceil(CHUNK).max(1);
        let root = if count == 1 { ROOT } else { 0 };
        nodes.extend((0..count).map(|index| {
            let bytes = (len - index * CHUNK).min(CHUNK);
            node(index, bytes, CHUNK_START, CHUNK_END | root)
        }));
        counts.push(count);
    }
    let chunks = messages.iter().flat_map(|message| message.waiting.chunks(CHUNK));
    let work = nodes.iter_mut().zip(chunks).map(|(state, chunk)| Message { state, parts: [chunk, &[]] });
    run(BLOCK, WORDS, rows, work.collect());
    // Neighbors are combined into parents level by level, and an unpaired node moves up unchanged,
    // so that the largest subtrees are on the left, as required by section 2.1.
    while counts.iter().any(|count| *count > 1) {
        let mut parents: Vec<Node> = Vec::with_capacity(nodes.len());
        let mut blocks: Vec<Option<[u8; BLOCK]>> = Vec::with_capacity(nodes.len());
        let mut below = &nodes[..];
        for count in &mut counts {
            let (own, others) = below.split_at(*count);
            below = others;
            let root = if *count == 2 { ROOT } else { 0 };
            for pair in own.chunks(2) {
                let [left, right] = pair else {
                    parents.push(pair[0]);
                    blocks.push(None);
                    continue;
                };
                let mut block = [0; BLOCK];
                output(left, &mut block[..32]);
                output(right, &mut block[32..]);
                parents.push(node(0, BLOCK, 0, PARENT | root));
                blocks.push(Some(block));
            }
            *count = count.div_ceil(2);
        }
        let work = parents
            .iter_mut()
            .zip(&blocks)
            .filter_map(|(state, block)| block.as_ref().map(|block| Message { state, parts: [block, &[]] }));
        run(BLOCK, WORDS, rows, work.collect());
        nodes = parents;
    }
    let digest = |(message, root): (&&mut Blake3, &Node)| Digest::from_fn(message.len, |b| output(root, b));
    messages.iter().zip(&nodes).map(digest).collect()
}

/// The positions in the state, after the chaining value, of the chunk's number, its remaining blocks, the difference of
/// the last block's length to 64, the flags of the next block, and those of the last.
const NUMBER: usize = 8;
const BLOCKS_LEFT: usize = 9;
const SHORTER: usize = 10;
const FLAGS: usize = 11;
const LAST_FLAGS: usize = 12;
const WORDS: usize = 13;

/// The state of a chunk or a parent.
type Node = [u64; WORDS];

/// Writes the chaining value or digest of a node, truncated to the length of `bytes`.
fn output(node: &Node, bytes: &mut [u8]) {
    for (bytes, word) in bytes.chunks_mut(4).zip(node) {
        bytes.copy_from_slice(&(*word as u32).to_le_bytes()[..bytes.len()]);
    }
}

/// Returns a chunk or parent of `bytes` bytes, before its first block.
fn node(number: usize, bytes: usize, flags: u32, last_flags: u32) -> Node {
    let mut state = [0; WORDS];
    for (word, value) in state.iter_mut().zip(IV) {
        *word = u64::from(value);
    }
    let blocks = bytes.div_ceil(BLOCK).max(1);
    state[NUMBER] = number as u64;
    state[BLOCKS_LEFT] = blocks as u64;
    state[SHORTER] = u64::from((bytes as u32).wrapping_sub((blocks * BLOCK) as u32));
    state[FLAGS] = u64::from(flags);
    state[LAST_FLAGS] = u64::from(last_flags);
    state
}

/// Table 2, applied once more for every round.
const SCHEDULE: [[usize; 16]; 7] = {
    const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
    let mut schedule = [[0; 16]; 7];
    let mut word = 0;
    while word < 16 {
        schedule[0][word] = word;
        word += 1;
    }
    let mut round = 1;
    while round < 7 {
        word = 0;
        while word < 16 {
            schedule[round][word] = schedule[round - 1][PERMUTATION[word]];
            word += 1;
        }
        round += 1;
    }
    schedule
};

/// Processes the blocks of a chunk, the last with its own length and flags, or of a parent, in every lane (section
/// 2.2).
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn compress<W: Word32>(state: *mut u32, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: thirteen words of state, complete blocks, the CPU features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let mut h: [W; 8] = array![8; word => W::load(at(word))];
        let (mut left, mut flags) = (W::load(at(BLOCKS_LEFT)), W::load(at(FLAGS)));
        for block in 0..blocks {
            let m = W::chunk(messages, block * BLOCK, Endian::Little);
            left = left.plus(u32::MAX);
            // A mask of the lanes where nothing is left: only zero borrows, so only then the result is negative.
            let last = left.plus(u32::MAX).shr(31).not().plus(1);
            let mut v: [W; 16] = array![16; i => if i < 8 { h[i] } else { W::splat(IV[i - 8]) }];
            v[12] = W::load(at(NUMBER));
            v[13] = W::splat(0);
            v[14] = last.and(W::load(at(SHORTER))).plus(BLOCK as u32);
            v[15] = flags.or(last.and(W::load(at(LAST_FLAGS))));
            flags = W::splat(0);
            if W::REGISTERS > 1 {
                for s in &SCHEDULE {
                    round!(v, m, s);
                }
            } else {
                unroll!(round in 7 => { round!(v, m, SCHEDULE[round]) });
            }
            h = array![8; i => v[i].xor(v[i + 8])];
        }
        for (word, value) in h.into_iter().enumerate() {
            value.store(at(word));
        }
        left.store(at(BLOCKS_LEFT));
        flags.store(at(FLAGS));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Hasher, Spec, find, finish_many, update_many};

    fn data(len: usize) -> Vec<u8> {
        (0..len as u32).map(|i| (i.wrapping_mul(i) >> 5) as u8).collect()
    }

    /// Returns lengths around blocks, chunks, and the longest message that waits.
    fn lengths() -> Vec<usize> {
        let around = |at: usize| [at.saturating_sub(1), at, at + 1];
        let mut lengths: Vec<usize> = [0, 64, 128, 960].into_iter().flat_map(around).collect();
        lengths.extend((1..=20).flat_map(|chunks| around(chunks * CHUNK)));
        lengths.extend([500, 1500, 4000, 5555, 7000, 8100, 20_000, 100_000]);
        lengths
    }

    #[test]
    fn every_kernel_hashes_short_messages_like_the_blake3_crate() {
        let data = data(FULL + 100);
        let spec = Spec::new(find("blake3").unwrap());
        for row in KERNELS.iter().filter(|row| row.supported()) {
            for lengths in [&(0..FULL).step_by(37).collect::<Vec<_>>(), &lengths()] {
                let mut messages: Vec<Blake3> = lengths
                    .iter()
                    .filter(|len| **len < FULL)
                    .enumerate()
                    .map(|(i, len)| {
                        let hasher = blake3::Hasher::new();
                        let waiting = data[i % 64..i % 64 + len].to_vec();
                        Blake3 { hasher, len: spec.digest_len(), waits: true, waiting }
                    })
                    .collect();
                let expected: Vec<_> =
                    messages.iter().map(|message| blake3::hash(&message.waiting)).collect();
                let digests =
                    finish_short(std::slice::from_ref(row), &mut messages.iter_mut().collect::<Vec<_>>());
                assert_eq!(digests.len(), expected.len());
                for ((digest, expected), message) in digests.iter().zip(expected).zip(&messages) {
                    assert_eq!(
                        digest.as_bytes(),
                        expected.as_bytes(),
                        "about {} bytes with {} x{}",
                        message.waiting.len(),
                        row.isa,
                        row.lanes
                    );
                }
            }
        }
    }

    #[test]
    fn mixed_messages_finish_together() {
        let data = data(100_100);
        let derived: Spec =
            Spec::new(find("blake3").unwrap()).with_key(Key::Derive("a context".into())).unwrap();
        let keyed: Spec = Spec::new(find("blake3").unwrap()).with_key(Key::Secret(Secret::new(vec![7; 32]))).unwrap();
        let names = ["blake3", "blake3-64", "blake3-8000", "sha256", "blake3"];
        let specs: Vec<Spec> =
            names.iter().map(|name| name.parse().unwrap()).chain([derived, keyed]).collect();
        for mixed in [false, true] {
            let mut messages: Vec<(&Spec, &[u8])> = Vec::new();
            for (i, len) in lengths().into_iter().enumerate() {
                let message = &data[i..i + len];
                match mixed {
                    true => messages.extend(specs.iter().map(|spec| (spec, message))),
                    false => messages.push((&specs[0], message)),
                }
            }
            let expected: Vec<Digest> = messages.iter().map(|(spec, message)| spec.digest(message)).collect();
            let mut hashers: Vec<Hasher> = messages.iter().map(|(spec, _)| spec.hasher()).collect();
            let mut hashers: Vec<&mut Hasher> = hashers.iter_mut().collect();
            // The same hashers again: nothing of the first messages may remain.
            for slice in [1 << 20, 700, 4096] {
                let longest = messages.iter().map(|(_, message)| message.len()).max().unwrap();
                for at in (0..longest).step_by(slice) {
                    let part = |m: &&[u8]| at.min(m.len())..(at + slice).min(m.len());
                    let slices: Vec<&[u8]> = messages.iter().map(|(_, m)| &m[part(m)]).collect();
                    update_many(&mut hashers, &slices);
                }
                let digests = finish_many(&mut hashers);
                assert_eq!(digests.len(), expected.len());
                for ((digest, expected), (spec, message)) in digests.iter().zip(&expected).zip(&messages) {
                    assert_eq!(digest, expected, "{spec} of {} bytes in slices of {slice}", message.len());
                }
            }
        }
    }

    #[test]
    fn reset_hasher_behaves_like_a_new_one() {
        let spec: Spec = "blake3".parse().unwrap();
        for len in [3, FULL - 1, FULL] {
            let mut hasher = spec.hasher();
            hasher.update(&data(len));
            let digest = hasher.clone().finish();
            assert_eq!(digest.as_bytes(), blake3::hash(&data(len)).as_bytes());
            hasher.reset();
            assert_eq!(hasher.finish_reset(), spec.digest(b""));
            hasher.update(b"abc");
            assert_eq!(hasher.finish(), spec.digest(b"abc"));
        }
    }
}
