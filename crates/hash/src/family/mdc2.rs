//! MDC-2 (ISO/IEC 10118-2; Meyer & Schilling 1988) based on DES, with OpenSSL's zero padding: two chains of eight bytes
//! that exchange their right halves.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::block::PartialBlock;
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
    summary: "a hash based on DES; OpenSSL's legacy provider",
    check: "6625851c059ff01fd2012fe255f2da8a",
    kind: Kind::Serial(|_| Box::new(Mdc2::NEW)),
    ..Algorithm::PLAIN
}];

const BLOCK: usize = 8;

#[derive(Clone)]
struct Chains([[u8; BLOCK]; 2]);

#[derive(Clone)]
struct Mdc2 {
    chains: Chains,
    partial: PartialBlock<BLOCK>,
}

impl Mdc2 {
    const NEW: Mdc2 = Mdc2 { chains: Chains([[0x52; BLOCK], [0x25; BLOCK]]), partial: PartialBlock::NONE };
}

impl Chains {
    fn take(&mut self, block: &[u8; BLOCK]) {
        // Two bits of each key are fixed, so that the chains always differ and no key is weak.
        let encrypted = [0x40, 0x20].into_iter().zip(self.0).map(|(fixed, mut key)| {
            key[0] = key[0] & 0x9f | fixed;
            let mut text = (*block).into();
            Des::new(&key.into()).encrypt_block(&mut text);
            text
        });
        for (chain, text) in self.0.iter_mut().zip(encrypted) {
            *chain = std::array::from_fn(|i| block[i] ^ text[i]);
        }
        let [first, second] = &mut self.0;
        first[BLOCK / 2..].swap_with_slice(&mut second[BLOCK / 2..]);
    }
}

impl Serial for Mdc2 {
    fn update(&mut self, data: &[u8]) {
        self.partial.feed(data, |blocks| blocks.iter().for_each(|block| self.chains.take(block)));
    }

    fn finish(&mut self) -> Digest {
        let rest = self.partial.take_rest();
        if !rest.is_empty() {
            let mut last = [0; BLOCK];
            last[..rest.len()].copy_from_slice(rest);
            self.chains.take(&last);
        }
        Digest::new(self.chains.0.as_flattened())
    }

    fn reset(&mut self) -> bool {
        *self = Mdc2::NEW;
        true
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
