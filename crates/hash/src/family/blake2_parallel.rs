//! BLAKE2bp and BLAKE2sp (Aumasson, Neves, Wilcox-O'Hearn & Winnerlein: "BLAKE2: simpler, smaller, fast as MD5", 2013,
//! section 2.10): the blocks of a message are distributed to leaves in turn, and a root hashes their digests.
//!
//! The leaves of one message fill the lanes of BLAKE2b and BLAKE2s, and read their blocks in place.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::block::{Chain, State, Stream, finish_streams, update_streams, update_striped};
use crate::digest::Digest;
use crate::family::{blake2b, blake2s};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "blake2bp",
        tag: "BLAKE2bp",
        aliases: &["blake-2bp"],
        digest_len: 64,
        status: Status::Secure("Aumasson, Neves, Wilcox-O'Hearn & Winnerlein 2013"),
        summary: "four parallel BLAKE2b states, so that one message uses several SIMD lanes",
        check: "e70843e71ef73ef84d991990687cb72e272e590f7e86f491935e9904f0582a165a388f956d691101c5d2b035634e4415c3cb21d7f721702cc64791d53aedb9e2",
        kind: Kind::Serial(|_| Box::new(Parallel::new(&BLAKE2BP))),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "blake2sp",
        tag: "BLAKE2sp",
        aliases: &["blake-2sp"],
        digest_len: 32,
        status: Status::Secure("Aumasson, Neves, Wilcox-O'Hearn & Winnerlein 2013"),
        summary: "eight parallel BLAKE2s states; RAR 5, 7-Zip",
        check: "d6d3157bd4e809982e0eea22c5af5cddf05473f6ecbe353119591e6cdcb7127e",
        kind: Kind::Serial(|_| Box::new(Parallel::new(&BLAKE2SP))),
        ..Algorithm::PLAIN
    },
];

/// The differences between the two.
struct ParallelVariant {
    chain: &'static Chain,
    leaves: u64,
    digest_len: usize,
    node: fn(offset: u64, depth: u64, is_last: bool) -> State,
}

static BLAKE2BP: ParallelVariant = ParallelVariant { chain: &blake2b::BLAKE2B, leaves: 4, digest_len: 64, node: blake2b::node };
static BLAKE2SP: ParallelVariant = ParallelVariant { chain: &blake2s::BLAKE2S, leaves: 8, digest_len: 32, node: blake2s::node };

#[derive(Clone)]
struct Parallel {
    variant: &'static ParallelVariant,
    leaves: Vec<Stream>,
    total: u64,
}

impl Parallel {
    fn new(variant: &'static ParallelVariant) -> Parallel {
        let leaf = |offset| (variant.node)(offset, 0, offset + 1 == variant.leaves);
        let leaves = (0..variant.leaves).map(|offset| Stream::new(variant.chain, leaf(offset), variant.digest_len));
        Parallel { variant, leaves: leaves.collect(), total: 0 }
    }
}

impl Parallel {
    /// Distributes these bytes to the leaves, which copy them.
    fn distribute(&mut self, data: &[u8]) {
        let block = self.variant.chain.block;
        let mut shares = vec![Vec::with_capacity(data.len() / self.leaves.len() + block); self.leaves.len()];
        let mut rest = data;
        while !rest.is_empty() {
            let place = (self.total % (block * self.leaves.len()) as u64) as usize;
            let (taken, others) = rest.split_at(rest.len().min(block - place % block));
            shares[place / block].extend_from_slice(taken);
            self.total += taken.len() as u64;
            rest = others;
        }
        let mut leaves: Vec<&mut Stream> = self.leaves.iter_mut().collect();
        let shares: Vec<&[u8]> = shares.iter().map(Vec::as_slice).collect();
        update_streams(self.variant.chain.kernels, &mut leaves, &shares);
    }
}

impl Serial for Parallel {
    fn update(&mut self, data: &[u8]) {
        // The rest of an incomplete turn, complete turns except the last one, and the remainder.
        let turn = (self.variant.chain.block * self.leaves.len()) as u64;
        let (first, rest) = data.split_at(data.len().min((turn - 1 - (self.total + turn - 1) % turn) as usize));
        if !first.is_empty() {
            self.distribute(first);
        }
        let taken = update_striped(&mut self.leaves, rest);
        self.total += taken as u64;
        // Few enough bytes to stay in the cache while the leaves read their blocks.
        const RUN: usize = 1 << 16;
        rest[taken..].chunks(RUN).for_each(|run| self.distribute(run));
    }

    fn finish(&mut self) -> Digest {
        let variant = self.variant;
        let mut hashes = Vec::new();
        let mut leaves: Vec<&mut Stream> = self.leaves.iter_mut().collect();
        finish_streams(variant.chain.kernels, &mut leaves, &mut hashes);
        let mut root = Stream::new(variant.chain, (variant.node)(0, 1, true), variant.digest_len);
        hashes.iter().for_each(|hash| root.update(hash.as_bytes()));
        root.finish()
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
