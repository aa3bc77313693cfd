//! SipHash (Aumasson & Bernstein 2012), with `C` rounds per word and `D` rounds at the end.
//!
//! Digests are the bytes of the reference implementation: the number, little-endian.

use crate::algorithm::{Algorithm, Keying, Kind, Params, Serial, Status};
use crate::digest::Digest;
use zeroize::Zeroize;

macro_rules! row {
    ($name:literal $tag:literal $aliases:tt $len:literal $c:literal $d:literal, $summary:literal, $check:literal) => {
        Algorithm {
            name: $name,
            tag: $tag,
            aliases: &$aliases,
            digest_len: $len,
            status: Status::Weakened(
                "anyone with the key can find collisions; 64-bit digests can be guessed (Aumasson & Bernstein 2012)",
            ),
            summary: $summary,
            check: $check,
            keying: Keying::Always { least: 16, most: 16 },
            kind: Kind::Serial(|params| Box::new(SipHash::<$c, $d>::new(params))),
            ..Algorithm::PLAIN
        }
    };
}

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    row!("siphash-2-4" "SIPHASH-2-4" ["siphash", "siphash24", "siphash64"] 8 2 4, "64-bit keyed hash for short messages; hash tables, packet filters", "fdfe0e0296fc60ca"),
    row!("siphash-1-3" "SIPHASH-1-3" ["siphash13"] 8 1 3, "SipHash with half the rounds; hash tables of Rust, Python and Ruby", "eec3b538b3afc7f3"),
    row!("siphash-4-8" "SIPHASH-4-8" ["siphash48"] 8 4 8, "SipHash with twice the rounds", "35f2760c5a62a97e"),
    row!("siphash-2-4-128" "SIPHASH-2-4-128" ["siphash128"] 16 2 4, "128-bit SipHash", "ce94828373303d1ab5fc781744ad71ce"),
    row!("siphash-1-3-128" "SIPHASH-1-3-128" [] 16 1 3, "128-bit SipHash with half the rounds; rustc", "a3ad795c0b02d505fb1a0e51f70969dd"),
    row!("siphash-4-8-128" "SIPHASH-4-8-128" [] 16 4 8, "128-bit SipHash with twice the rounds", "72c239a15bedee2553aa751b37f6adf7"),
];

#[derive(Clone)]
struct SipHash<const C: usize, const D: usize> {
    state: [u64; 4],
    /// The bytes that wait for the rest of their word, followed by zeros.
    buffer: [u8; 8],
    /// The length of the message.
    total: u64,
    digest_len: usize,
}

impl<const C: usize, const D: usize> SipHash<C, D> {
    /// The length of the key was verified by [`Spec::with_key`](crate::Spec::with_key).
    fn new(params: &Params) -> Self {
        let words = params.secret().map(|key| key.as_chunks::<8>().0);
        let Some([a, b]) = words else { panic!("a key of SipHash has 16 bytes") };
        let [a, b] = [a, b].map(|word| u64::from_le_bytes(*word));
        // "somepseudorandomlygeneratedbytes"; the second word differs for digests of 128 bits.
        let long = if params.digest_len == 16 { 0xee } else { 0 };
        let state = [
            a ^ 0x736f_6d65_7073_6575,
            b ^ 0x646f_7261_6e64_6f6d ^ long,
            a ^ 0x6c79_6765_6e65_7261,
            b ^ 0x7465_6462_7974_6573,
        ];
        SipHash { state, buffer: [0; 8], total: 0, digest_len: params.digest_len }
    }

    fn rounds(&mut self, count: usize) {
        let [mut a, mut b, mut c, mut d] = self.state;
        for _ in 0..count {
            a = a.wrapping_add(b);
            c = c.wrapping_add(d);
            b = b.rotate_left(13) ^ a;
            d = d.rotate_left(16) ^ c;
            a = a.rotate_left(32).wrapping_add(d);
            c = c.wrapping_add(b);
            d = d.rotate_left(21) ^ a;
            b = b.rotate_left(17) ^ c;
            c = c.rotate_left(32);
        }
        self.state = [a, b, c, d];
    }

    fn absorb(&mut self, word: u64) {
        self.state[3] ^= word;
        self.rounds(C);
        self.state[0] ^= word;
    }

    /// Returns the next word of the digest, for which `mark` is added to word `at` of the state.
    fn output(&mut self, at: usize, mark: u64) -> [u8; 8] {
        self.state[at] ^= mark;
        self.rounds(D);
        let [a, b, c, d] = self.state;
        (a ^ b ^ c ^ d).to_le_bytes()
    }
}

impl<const C: usize, const D: usize> Serial for SipHash<C, D> {
    fn update(&mut self, data: &[u8]) {
        let buffered = (self.total % 8) as usize;
        self.total += data.len() as u64;
        let mut rest = data;
        if buffered > 0 {
            let (head, others) = data.split_at(data.len().min(8 - buffered));
            self.buffer[buffered..buffered + head.len()].copy_from_slice(head);
            if buffered + head.len() < 8 {
                return;
            }
            self.absorb(u64::from_le_bytes(self.buffer));
            rest = others;
        }
        let (words, rest) = rest.as_chunks();
        words.iter().for_each(|word| self.absorb(u64::from_le_bytes(*word)));
        self.buffer = [0; 8];
        self.buffer[..rest.len()].copy_from_slice(rest);
    }

    fn finish(&mut self) -> Digest {
        let mut end = self.clone();
        // The last word ends with the lowest byte of the length.
        end.buffer[7] = end.total as u8;
        end.absorb(u64::from_le_bytes(end.buffer));
        if end.digest_len == 8 {
            return Digest::new(&end.output(2, 0xff));
        }
        let first = end.output(2, 0xee);
        Digest::new(&[first, end.output(1, 0xdd)].concat())
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}

impl<const C: usize, const D: usize> Drop for SipHash<C, D> {
    fn drop(&mut self) {
        self.state.zeroize();
        self.buffer.zeroize();
    }
}
