//! BLAKE2Xb and BLAKE2Xs (Aumasson, Neves, Wilcox-O'Hearn & Winnerlein: "BLAKE2X", 2016): BLAKE2 with digests longer
//! than its state. The length is part of the hash, so a shorter digest is not a prefix of a longer one.

use crate::algorithm::{Algorithm, Kind, Lengths, Params, Serial, Status};
use crate::block::{Chain, State, Stream};
use crate::digest::Digest;
use crate::family::{blake2b, blake2s};

const DRAFT: Status = Status::Secure("based on BLAKE2; secure with 256 bits or more");

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "blake2xb",
        tag: "BLAKE2Xb",
        aliases: &["blake-2xb"],
        digest_len: 64,
        lengths: Lengths::UpTo(1 << 20),
        status: DRAFT,
        summary: "BLAKE2b with digests of up to 1 MiB",
        check: "3fd021e013df681ee479a6e3ce7d36e53971946c586147d59eecf1634c31c318f03bbce3cdb0b1ec5cd4bd4edf8ed1441a37754899bb3d8850fca5ebe0639abb",
        kind: Kind::Serial(|params| Box::new(Extended::new(&BLAKE2XB, params))),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "blake2xs",
        tag: "BLAKE2Xs",
        aliases: &["blake-2xs"],
        digest_len: 32,
        // The length has sixteen bits; the largest value means that it is unknown.
        lengths: Lengths::UpTo(0xfffe),
        status: DRAFT,
        summary: "BLAKE2s with digests of up to 65,534 bytes",
        check: "ea2bbb210ccc659a88eee6d07900d719e26d801cc6a5e6214214eba376ff28a5",
        kind: Kind::Serial(|params| Box::new(Extended::new(&BLAKE2XS, params))),
        ..Algorithm::PLAIN
    },
];

/// The differences between the two.
struct XofVariant {
    chain: &'static Chain,
    digest_len: usize,
    root: fn(total: u64) -> State,
    node: fn(offset: u64, len: usize, total: u64) -> State,
}

static BLAKE2XB: XofVariant =
    XofVariant { chain: &blake2b::BLAKE2B, digest_len: 64, root: blake2b::extended_root, node: blake2b::extended_node };
static BLAKE2XS: XofVariant =
    XofVariant { chain: &blake2s::BLAKE2S, digest_len: 32, root: blake2s::extended_root, node: blake2s::extended_node };

#[derive(Clone)]
struct Extended {
    variant: &'static XofVariant,
    root: Stream,
    len: usize,
}

impl Extended {
    fn new(variant: &'static XofVariant, params: &Params) -> Extended {
        let root = Stream::new(variant.chain, (variant.root)(params.digest_len as u64), variant.digest_len);
        Extended { variant, root, len: params.digest_len }
    }
}

impl Serial for Extended {
    fn update(&mut self, data: &[u8]) {
        self.root.update(data);
    }

    fn finish(&mut self) -> Digest {
        let variant = self.variant;
        let root = self.root.finish();
        let mut digest = vec![0; self.len];
        for (offset, bytes) in (0..).zip(digest.chunks_mut(variant.digest_len)) {
            let mut node =
                Stream::new(variant.chain, (variant.node)(offset, bytes.len(), self.len as u64), bytes.len());
            node.update(root.as_bytes());
            bytes.copy_from_slice(node.finish().as_bytes());
        }
        Digest::new(&digest)
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
