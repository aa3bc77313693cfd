//! Keccak's trees: KangarooTwelve (RFC 9861), MarsupilamiFourteen (Bertoni, Daemen, Peeters, Van Assche, Van Keer &
//! Viguier 2018) and ParallelHash (SP 800-185 section 6).
//!
//! They have the same structure: blocks of 8 KiB are hashed separately, in lanes, and a node absorbs the hashes in
//! order. KangarooTwelve absorbs the first block itself, and hashes a message of one block directly.

use crate::algorithm::{Algorithm, Kind, Lengths, Output, Params, Serial, Status};
use crate::block::{Chain, Stream, finish_streams, state, update_streams};
use crate::digest::Digest;
use crate::family::cshake::{fewest_bytes, left_encode, padded, right_encode};
use crate::family::sha3::{fourteen, shake128, shake256, turboshake128, turboshake256};
use crate::tree::gather::Gathered;
use crate::xof::sponge;
use std::sync::Arc;

macro_rules! row {
    ($variant:ident $name:literal $tag:literal $aliases:tt $len:literal $lengths:expr, $status:literal, $summary:literal, $check:literal) => {
        Algorithm {
            name: $name,
            tag: $tag,
            aliases: &$aliases,
            digest_len: $len,
            lengths: $lengths,
            status: Status::Secure($status),
            summary: $summary,
            check: $check,
            customized: Some("custom"),
            kind: Kind::Serial(|params| Box::new(Blocks::new(&$variant, params))),
            ..Algorithm::PLAIN
        }
    };
}

/// The rows of these trees.
pub(crate) static ROWS: &[Algorithm] = &[
    row!(KT128 "kt128" "KT128" ["k12", "kangaroo12", "kangarootwelve"] 32 Lengths::Any,
        "RFC 9861; 128-bit security", "KangarooTwelve: TurboSHAKE128 over 8 KiB blocks, in parallel", "82f391daa584b77442fd08e505581855d8e884a7e33fb6aa32dc965e2ba51704"),
    row!(KT256 "kt256" "KT256" [] 64 Lengths::Any,
        "RFC 9861; 256-bit security", "KangarooTwelve with 256-bit security", "1b8ef102104950c149482113ad2996f222c8aa3a0b72596bb38e8e949a6d0f3dac8b34149f3fdbadda9f656a0713565c00988e984301c1a100f597b9e572d2d0"),
    row!(M14 "m14" "M14" ["marsupilamifourteen"] 64 Lengths::Any,
        "256-bit security (Bertoni et al., KangarooTwelve, 2018)", "MarsupilamiFourteen: KT256 with fourteen rounds", "46d7bfd8e2a4c78cc88e878f3207c13c3890792b85876ff51d423efe4a67c504faec249aa5e469690812d7f530aded473918555d5376ea4fb9db9b9ef32e40ad"),
    row!(PARALLEL128 "parallelhash128" "PARALLELHASH128" ["parallelhash-128"] 32 Lengths::Fixed,
        "SP 800-185; 128-bit security", "SHAKE128 over 8 KiB blocks, 256 bits", "49730fe27531424c560fe27da0ef436f2bbdd61a6b1370429f18da965774cc72"),
    row!(PARALLEL256 "parallelhash256" "PARALLELHASH256" ["parallelhash-256"] 64 Lengths::Fixed,
        "SP 800-185; 256-bit security", "SHAKE256 over 8 KiB blocks, 512 bits", "f906919fef1c5494dffdef6c36a20e1c50f647c893dbf1b196d9394d5bce7b8e140272f339f42c17d0ebceed2b5762ca96e59eb931acba5370e8d59dc77c365c"),
];

const BLOCK: usize = 8192;
/// The number of blocks hashed at once.
const BATCH: usize = 64;

/// The differences between the trees.
struct TreeVariant {
    leaf: Chain,
    leaf_len: usize,
    node: Chain,
    /// For a message shorter than a block; `None` for ParallelHash.
    single: Option<Chain>,
}

static KT128: TreeVariant = TreeVariant {
    leaf: turboshake128::<0x0b>(),
    leaf_len: 32,
    node: turboshake128::<6>(),
    single: Some(turboshake128::<7>()),
};
static KT256: TreeVariant = TreeVariant {
    leaf: turboshake256::<0x0b>(),
    leaf_len: 64,
    node: turboshake256::<6>(),
    single: Some(turboshake256::<7>()),
};
static M14: TreeVariant = TreeVariant {
    leaf: fourteen::<0x0b>(),
    leaf_len: 64,
    node: fourteen::<6>(),
    single: Some(fourteen::<7>()),
};
static PARALLEL128: TreeVariant =
    TreeVariant { leaf: shake128::<0x1f>(), leaf_len: 32, node: shake128::<4>(), single: None };
static PARALLEL256: TreeVariant =
    TreeVariant { leaf: shake256::<0x1f>(), leaf_len: 64, node: shake256::<4>(), single: None };

/// An unfinished message.
#[derive(Clone)]
struct Blocks {
    variant: &'static TreeVariant,
    /// The first block of KangarooTwelve, until it is complete.
    head: Vec<u8>,
    node: Stream,
    gathered: Gathered,
    count: u64,
    digest_len: usize,
    custom: Arc<[u8]>,
}

/// Returns `length_encode` of RFC 9861 section 3.3: the bytes of a number, none for zero, and their number.
fn counted(number: u64) -> Vec<u8> {
    let mut bytes = fewest_bytes(number);
    bytes.push(bytes.len() as u8);
    bytes
}

impl Blocks {
    fn new(variant: &'static TreeVariant, params: &Params) -> Blocks {
        let digest_len = params.digest_len;
        let node = Stream::new(&variant.node, state(&[]), digest_len);
        let (gathered, custom) = (Gathered::new(BLOCK), params.custom().into());
        let mut blocks = Blocks { variant, head: Vec::new(), node, gathered, count: 0, digest_len, custom };
        if variant.single.is_none() {
            let mut prefix = padded(&[b"ParallelHash", params.custom()], variant.node.block);
            prefix.extend(left_encode(BLOCK as u64));
            blocks.node.update(&prefix);
        }
        blocks
    }

    fn leaf(&self) -> Stream {
        Stream::new(&self.variant.leaf, state(&[]), self.variant.leaf_len)
    }

    /// Hashes blocks, the last of which may be short.
    fn hash(&mut self, data: &[u8]) {
        for batch in data.chunks(BATCH * BLOCK) {
            let slices: Vec<&[u8]> = batch.chunks(BLOCK).collect();
            let mut leaves = vec![self.leaf(); slices.len()];
            let mut leaves: Vec<&mut Stream> = leaves.iter_mut().collect();
            let mut hashes = Vec::with_capacity(leaves.len());
            update_streams(self.variant.leaf.kernels, &mut leaves, &slices);
            finish_streams(self.variant.leaf.kernels, &mut leaves, &mut hashes);
            hashes.iter().for_each(|hash| self.node.update(hash.as_bytes()));
            self.count += slices.len() as u64;
        }
    }

    /// Adds bytes after the first block.
    fn gather(&mut self, data: &[u8]) {
        let mut gathered = std::mem::take(&mut self.gathered);
        gathered.feed(data, |whole| self.hash(whole));
        self.gathered = gathered;
    }

    fn flush(&mut self) {
        let rest = self.gathered.take_rest();
        self.hash(&rest);
    }

    /// Returns the stream whose output is the digest.
    fn ended(&mut self) -> Stream {
        let Some(single) = &self.variant.single else {
            self.flush();
            self.node.update(&right_encode(self.count));
            self.node.update(&right_encode(self.digest_len as u64 * 8));
            return self.node.clone();
        };
        // The customization string and its length follow the message.
        let mut behind = self.custom.to_vec();
        behind.extend(counted(self.custom.len() as u64));
        if self.head.len() + behind.len() <= BLOCK {
            let mut alone = Stream::new(single, state(&[]), self.digest_len);
            alone.update(&self.head);
            alone.update(&behind);
            return alone;
        }
        self.update(&behind);
        self.flush();
        self.node.update(&counted(self.count));
        self.node.update(&[0xff, 0xff]);
        self.node.clone()
    }
}

impl Serial for Blocks {
    fn update(&mut self, mut data: &[u8]) {
        if self.variant.single.is_some() && self.head.len() < BLOCK {
            let (first, rest) = data.split_at(data.len().min(BLOCK - self.head.len()));
            self.head.extend_from_slice(first);
            data = rest;
            if self.head.len() == BLOCK {
                self.node.update(&self.head);
                self.node.update(&[3, 0, 0, 0, 0, 0, 0, 0]);
            }
        }
        self.gather(data);
    }

    fn finish(&mut self) -> Digest {
        self.ended().finish()
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }

    fn output(&mut self) -> Option<Box<dyn Output>> {
        self.variant.single.as_ref()?;
        sponge(&mut self.ended())
    }
}
