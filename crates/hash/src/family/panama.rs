//! Panama (Daemen & Clapp: "Fast Hashing and Stream Encryption with PANAMA", FSE 1998) with words in little-endian
//! order.
//!
//! A state of 17 words, and a shift register of 32 stages of eight words, from which earlier input is fed back.

use crate::algorithm::{Algorithm, Kind, Serial, Status};
use crate::block::PartialBlock;
use crate::digest::Digest;

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[Algorithm {
    name: "panama",
    tag: "PANAMA",
    digest_len: 32,
    status: Status::Broken("collisions found instantly (Daemen & Van Assche 2007)"),
    summary: "a stream cipher from 1998 used as a hash; predecessor of Keccak",
    check: "3c83d2c9109de4d1fa64833683a7c280591a7cfd8516769ea879e56a4ad39b99",
    kind: Kind::Serial(|_| Box::new(Panama::NEW)),
    ..Algorithm::PLAIN
}];

const BLOCK: usize = 32;
const STAGES: usize = 32;

#[derive(Clone)]
struct Panama {
    machine: Machine,
    partial: PartialBlock<BLOCK>,
}

impl Panama {
    const NEW: Panama = Panama { machine: Machine::NEW, partial: PartialBlock::NONE };
}

#[derive(Clone)]
struct Machine {
    state: [u32; 17],
    /// The stages of the register, of which `newest` is the index of the first.
    stages: [[u32; 8]; STAGES],
    newest: usize,
}

impl Machine {
    const NEW: Machine = Machine { state: [0; 17], stages: [[0; 8]; STAGES], newest: 0 };

    /// Processes blocks (section 2.1).
    fn push(&mut self, blocks: &[[u8; BLOCK]]) {
        // Local variables stay in registers between blocks, unlike fields.
        let (mut state, mut newest) = (self.state, self.newest);
        for block in blocks {
            let words = block.as_chunks::<4>().0;
            let input = std::array::from_fn(|i| u32::from_le_bytes(words[i]));
            let sixteenth = self.stages[(newest + 16) % STAGES];
            shift(&mut self.stages, newest, &input);
            newest = (newest + STAGES - 1) % STAGES;
            state = turned(&state, &input, &sixteenth);
        }
        (self.state, self.newest) = (state, newest);
    }

    /// Advances without a block (section 2.2).
    fn pull(&mut self) {
        let Machine { state, stages, newest } = self;
        let (fourth, sixteenth) = (stages[(*newest + 4) % STAGES], stages[(*newest + 16) % STAGES]);
        shift(stages, *newest, &std::array::from_fn(|i| state[i + 1]));
        *newest = (*newest + STAGES - 1) % STAGES;
        *state = turned(state, &fourth, &sixteenth);
    }
}

/// Advances all stages: the last one is fed back, at the front combined with `into`, and before stage 25.
#[inline(always)]
fn shift(stages: &mut [[u32; 8]; STAGES], newest: usize, into: &[u32; 8]) {
    let last = stages[(newest + 31) % STAGES];
    let stage = &mut stages[(newest + 24) % STAGES];
    *stage = std::array::from_fn(|i| stage[i] ^ last[(i + 2) % 8]);
    // The new first stage takes the place of the last.
    stages[(newest + 31) % STAGES] = std::array::from_fn(|i| last[i] ^ into[i]);
}

/// Returns the state after it was mixed and combined with two stages.
#[inline(always)]
fn turned(a: &[u32; 17], first: &[u32; 8], second: &[u32; 8]) -> [u32; 17] {
    let mixed: [u32; 17] = std::array::from_fn(|i| a[i] ^ (a[(i + 1) % 17] | !a[(i + 2) % 17]));
    let turned: [u32; 17] =
        std::array::from_fn(|i| mixed[7 * i % 17].rotate_left((i * (i + 1) / 2 % 32) as u32));
    std::array::from_fn(|i| {
        let with = match i {
            0 => 1,
            1..=8 => first[i - 1],
            _ => second[i - 9],
        };
        turned[i] ^ turned[(i + 1) % 17] ^ turned[(i + 4) % 17] ^ with
    })
}

impl Serial for Panama {
    fn update(&mut self, data: &[u8]) {
        self.partial.feed(data, |blocks| self.machine.push(blocks));
    }

    fn finish(&mut self) -> Digest {
        let rest = self.partial.take_rest();
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        last[rest.len()] = 1;
        self.machine.push(&[last]);
        (0..32).for_each(|_| self.machine.pull());
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
