//! Panama (Daemen & Clapp: "Fast Hashing and Stream Encryption with PANAMA", FSE 1998) with words in little-endian order.
//!
//! A state of 17 words, and a shift register of 32 stages of eight: what came in long ago comes in again from there.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::block::Held;
use crate::digest::Digest;

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[Algorithm {
    name: "panama",
    tag: "PANAMA",
    digest_len: 32,
    status: Status::Broken("a collision at once (Daemen & Van Assche 2007)"),
    summary: "a cipher of 1998 used as a hash; ancestor of Keccak",
    check: "3c83d2c9109de4d1fa64833683a7c280591a7cfd8516769ea879e56a4ad39b99",
    kind: Kind::Serial(|_| Box::new(Panama::NEW)),
    ..Algorithm::PLAIN
}];

const BLOCK: usize = 32;
const STAGES: usize = 32;

#[derive(Clone)]
struct Panama {
    machine: Machine,
    held: Held<BLOCK>,
}

impl Panama {
    const NEW: Panama = Panama { machine: Machine::NEW, held: Held::NONE };
}

#[derive(Clone)]
struct Machine {
    state: [u32; 17],
    /// The stages of the register, of which the one numbered `newest` is the first.
    stages: [[u32; 8]; STAGES],
    newest: usize,
}

impl Machine {
    const NEW: Machine = Machine { state: [0; 17], stages: [[0; 8]; STAGES], newest: 0 };

    fn stage(&mut self, number: usize) -> &mut [u32; 8] {
        &mut self.stages[(self.newest + number) % STAGES]
    }

    /// Takes a block in, or goes on without one (sections 2.1 and 2.2).
    fn turn(&mut self, input: Option<[u32; 8]>) {
        let (fourth, sixteenth) = (*self.stage(4), *self.stage(16));
        let into = input.unwrap_or(std::array::from_fn(|i| self.state[i + 1]));
        // All stages move on; the last comes in again, at the front and before stage 25.
        let last = *self.stage(31);
        for (i, word) in self.stage(24).iter_mut().enumerate() {
            *word ^= last[(i + 2) % 8];
        }
        self.newest = (self.newest + STAGES - 1) % STAGES;
        *self.stage(0) = std::array::from_fn(|i| last[i] ^ into[i]);

        let a = &self.state;
        let mixed: [u32; 17] = std::array::from_fn(|i| a[i] ^ (a[(i + 1) % 17] | !a[(i + 2) % 17]));
        let turned: [u32; 17] =
            std::array::from_fn(|i| mixed[7 * i % 17].rotate_left((i * (i + 1) / 2 % 32) as u32));
        self.state = std::array::from_fn(|i| turned[i] ^ turned[(i + 1) % 17] ^ turned[(i + 4) % 17]);
        self.state[0] ^= 1;
        let first = input.unwrap_or(fourth);
        for i in 0..8 {
            self.state[i + 1] ^= first[i];
            self.state[i + 9] ^= sixteenth[i];
        }
    }

    fn push(&mut self, block: &[u8; BLOCK]) {
        let words = block.as_chunks::<4>().0;
        self.turn(Some(std::array::from_fn(|i| u32::from_le_bytes(words[i]))));
    }
}

impl Serial for Panama {
    fn update(&mut self, data: &[u8]) {
        self.held.feed(data, |blocks| blocks.iter().for_each(|block| self.machine.push(block)));
    }

    fn finish(&mut self) -> Digest {
        let rest = self.held.rest();
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        last[rest.len()] = 1;
        self.machine.push(&last);
        (0..32).for_each(|_| self.machine.turn(None));
        let mut digest = [0; 32];
        for (bytes, word) in digest.chunks_exact_mut(4).zip(&self.machine.state[9..]) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Digest::new(&digest)
    }

    fn reset(&mut self) -> bool {
        *self = Panama::NEW;
        true
    }

    fn clone_box(&self) -> Box<dyn Serial> {
        Box::new(self.clone())
    }
}
