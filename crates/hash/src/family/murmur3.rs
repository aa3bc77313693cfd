//! MurmurHash3 (Appleby, <https://github.com/aappleby/smhasher/wiki/MurmurHash3>): 32 and 128 bits for 32-bit machines,
//! 128 bits for 64-bit ones.
//!
//! Digests are the words of the state, each big-endian, as most programs print them.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::digest::Digest;

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "murmur3-32",
        tag: "MURMUR3-32",
        aliases: &["murmur3a", "murmur3-x86-32", "mmh3-32", "murmurhash3-32"],
        digest_len: 4,
        status: Status::Checksum("32 bits, not cryptographic (Appleby 2011)"),
        summary: "MurmurHash3_x86_32; Bloom filters",
        check: "b4fef382",
        seed_bits: 32,
        kind: Kind::Serial(|params| Buffered::boxed(X86Of32(params.seed as u32))),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "murmur3-x86-128",
        tag: "MURMUR3-X86-128",
        aliases: &["murmur3c"],
        digest_len: 16,
        status: Status::Checksum("128 bits, not cryptographic (Appleby 2011)"),
        summary: "MurmurHash3_x86_128",
        check: "c65876bb119a1552c5e3e5d7a9168ca4",
        seed_bits: 32,
        kind: Kind::Serial(|params| Buffered::boxed(X86([params.seed as u32; 4]))),
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "murmur3-128",
        tag: "MURMUR3-128",
        aliases: &["murmur3f", "murmur3-x64-128", "mmh3-128", "murmurhash3-128"],
        digest_len: 16,
        status: Status::Checksum("128 bits, not cryptographic (Appleby 2011)"),
        summary: "MurmurHash3_x64_128; Cassandra, imohash",
        check: "3c84645edb66cca499f8fac73a1ea105",
        seed_bits: 32,
        kind: Kind::Serial(|params| Buffered::boxed(X64([params.seed; 2]))),
        ..Algorithm::PLAIN
    },
];

/// MurmurHash3_x64_128 with the seed 0.
pub(crate) fn x64_128() -> Box<dyn Serial> {
    Buffered::boxed(X64([0; 2]))
}

/// One of the functions: a state that processes blocks.
trait Murmur<const BLOCK: usize>: Clone + Send + Sync + 'static {
    fn block(&mut self, block: &[u8; BLOCK]);
    /// Processes the remainder of the message, padded with zeros, and finishes.
    fn end(&mut self, rest: &[u8; BLOCK], total: u64) -> Digest;
}

/// A function with the bytes that wait for the rest of their block.
#[derive(Clone)]
struct Buffered<M, const BLOCK: usize> {
    state: M,
    waiting: [u8; BLOCK],
    total: u64,
}

impl<M: Murmur<BLOCK>, const BLOCK: usize> Buffered<M, BLOCK> {
    fn boxed(state: M) -> Box<dyn Serial> {
        Box::new(Buffered { state, waiting: [0; BLOCK], total: 0 })
    }
}

impl<M: Murmur<BLOCK>, const BLOCK: usize> Serial for Buffered<M, BLOCK> {
    fn update(&mut self, mut data: &[u8]) {
        let filled = (self.total % BLOCK as u64) as usize;
        self.total += data.len() as u64;
        if filled > 0 {
            let (head, rest) = data.split_at(data.len().min(BLOCK - filled));
            self.waiting[filled..filled + head.len()].copy_from_slice(head);
            data = rest;
            if filled + head.len() < BLOCK {
                return;
            }
            self.state.block(&self.waiting);
        }
        let (blocks, rest) = data.as_chunks::<BLOCK>();
        blocks.iter().for_each(|block| self.state.block(block));
        self.waiting = [0; BLOCK];
        self.waiting[..rest.len()].copy_from_slice(rest);
    }
    fn finish(&mut self) -> Digest {
        self.state.end(&self.waiting, self.total)
    }
    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}

/// The final mix of the 32-bit functions.
fn spread_32(mut h: u32) -> u32 {
    h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
    h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}

/// The final mix of the 64-bit functions.
fn spread_64(mut h: u64) -> u64 {
    h = (h ^ h >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ h >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ h >> 33
}

#[derive(Clone)]
struct X86Of32(u32);

impl X86Of32 {
    fn mixed(word: u32) -> u32 {
        word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
    }
}

impl Murmur<4> for X86Of32 {
    fn block(&mut self, block: &[u8; 4]) {
        let joined = self.0 ^ X86Of32::mixed(u32::from_le_bytes(*block));
        self.0 = joined.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    fn end(&mut self, rest: &[u8; 4], total: u64) -> Digest {
        let joined = self.0 ^ X86Of32::mixed(u32::from_le_bytes(*rest)) ^ total as u32;
        Digest::new(&spread_32(joined).to_be_bytes())
    }
}

#[derive(Clone)]
struct X86([u32; 4]);

impl X86 {
    const FACTORS: [u32; 4] = [0x239b_961b, 0xab0e_9789, 0x38b3_4ae5, 0xa1e3_8b93];
    const TURNS: [u32; 4] = [15, 16, 17, 18];

    fn mixed(i: usize, block: &[u8; 16]) -> u32 {
        let word = u32::from_le_bytes(block.as_chunks::<4>().0[i]);
        let turned = word.wrapping_mul(X86::FACTORS[i]).rotate_left(X86::TURNS[i]);
        turned.wrapping_mul(X86::FACTORS[(i + 1) % 4])
    }

    /// Adds the sum of all words to each.
    fn sum(&mut self) {
        for i in 1..4 {
            self.0[0] = self.0[0].wrapping_add(self.0[i]);
        }
        for i in 1..4 {
            self.0[i] = self.0[i].wrapping_add(self.0[0]);
        }
    }
}

impl Murmur<16> for X86 {
    fn block(&mut self, block: &[u8; 16]) {
        const AFTER: [(u32, u32); 4] =
            [(19, 0x561c_cd1b), (17, 0x0bca_a747), (15, 0x96cd_1c35), (13, 0x32ac_3b17)];
        for (i, (turn, sum)) in AFTER.into_iter().enumerate() {
            let joined = (self.0[i] ^ X86::mixed(i, block)).rotate_left(turn);
            self.0[i] = joined.wrapping_add(self.0[(i + 1) % 4]).wrapping_mul(5).wrapping_add(sum);
        }
    }
    fn end(&mut self, rest: &[u8; 16], total: u64) -> Digest {
        for i in 0..4 {
            self.0[i] ^= X86::mixed(i, rest) ^ total as u32;
        }
        self.sum();
        self.0 = self.0.map(spread_32);
        self.sum();
        Digest::new(&self.0.map(u32::to_be_bytes).concat())
    }
}

#[derive(Clone)]
struct X64([u64; 2]);

impl X64 {
    fn mixed(i: usize, block: &[u8; 16]) -> u64 {
        const FACTORS: [u64; 2] = [0x87c3_7b91_1142_53d5, 0x4cf5_ad43_2745_937f];
        let word = u64::from_le_bytes(block.as_chunks::<8>().0[i]);
        let turned = word.wrapping_mul(FACTORS[i]).rotate_left(if i == 0 { 31 } else { 33 });
        turned.wrapping_mul(FACTORS[1 - i])
    }

    /// Adds the sum of both words to each.
    fn sum(&mut self) {
        self.0[0] = self.0[0].wrapping_add(self.0[1]);
        self.0[1] = self.0[1].wrapping_add(self.0[0]);
    }
}

impl Murmur<16> for X64 {
    fn block(&mut self, block: &[u8; 16]) {
        for (i, (turn, sum)) in [(27, 0x52dc_e729), (31, 0x3849_5ab5)].into_iter().enumerate() {
            let joined = (self.0[i] ^ X64::mixed(i, block)).rotate_left(turn);
            self.0[i] = joined.wrapping_add(self.0[1 - i]).wrapping_mul(5).wrapping_add(sum);
        }
    }
    fn end(&mut self, rest: &[u8; 16], total: u64) -> Digest {
        for i in 0..2 {
            self.0[i] ^= X64::mixed(i, rest) ^ total;
        }
        self.sum();
        self.0 = self.0.map(spread_64);
        self.sum();
        Digest::new(&self.0.map(u64::to_be_bytes).concat())
    }
}
