//! MDC-2 (ISO/IEC 10118-2; Meyer & Schilling 1988) over DES, with the padding of zeros that OpenSSL has: two chains of eight bytes
//! that exchange their right halves.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::digest::Digest;
use des::Des;
use des::cipher::{BlockCipherEncrypt, KeyInit};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[Algorithm {
    name: "mdc2",
    tag: "MDC2",
    aliases: &["mdc-2"],
    digest_len: 16,
    status: Status::Broken("collisions in 2^49 steps, preimages in 2^73 (Knudsen, Mendel, Rechberger & Thomsen 2009)"),
    summary: "a hash made of DES; OpenSSL's legacy programs",
    check: "6625851c059ff01fd2012fe255f2da8a",
    kind: Kind::Serial(|_| Box::new(Mdc2::NEW)),
    ..Algorithm::PLAIN
}];

const BLOCK: usize = 8;

#[derive(Clone)]
struct Mdc2 {
    chains: [[u8; BLOCK]; 2],
    block: [u8; BLOCK],
    buffered: usize,
}

impl Mdc2 {
    const NEW: Mdc2 = Mdc2 { chains: [[0x52; BLOCK], [0x25; BLOCK]], block: [0; BLOCK], buffered: 0 };

    fn take(&mut self, block: [u8; BLOCK]) {
        // Two bits of each key are fixed, so that the chains never agree and no key is a weak one.
        let encrypted = [0x40, 0x20].into_iter().zip(self.chains).map(|(fixed, mut key)| {
            key[0] = key[0] & 0x9f | fixed;
            let mut text = block.into();
            Des::new(&key.into()).encrypt_block(&mut text);
            text
        });
        for (chain, text) in self.chains.iter_mut().zip(encrypted) {
            *chain = std::array::from_fn(|i| block[i] ^ text[i]);
        }
        let [first, second] = &mut self.chains;
        first[BLOCK / 2..].swap_with_slice(&mut second[BLOCK / 2..]);
    }
}

impl Serial for Mdc2 {
    fn update(&mut self, mut data: &[u8]) {
        if self.buffered > 0 {
            let taken = data.len().min(BLOCK - self.buffered);
            self.block[self.buffered..][..taken].copy_from_slice(&data[..taken]);
            self.buffered += taken;
            data = &data[taken..];
            if self.buffered < BLOCK {
                return;
            }
            self.take(self.block);
        }
        let (blocks, rest) = data.as_chunks::<BLOCK>();
        blocks.iter().for_each(|block| self.take(*block));
        self.block[..rest.len()].copy_from_slice(rest);
        self.buffered = rest.len();
    }

    fn finish(&mut self) -> Digest {
        if self.buffered > 0 {
            self.block[self.buffered..].fill(0);
            self.take(self.block);
        }
        Digest::new(self.chains.as_flattened())
    }

    fn reset(&mut self) -> bool {
        *self = Mdc2::NEW;
        true
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
