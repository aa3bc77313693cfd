//! Snefru 2.5 (Merkle: "A Fast Software One-Way Hash Function", Journal of Cryptology 3, 1990) with 128 and 256 bits:
//! eight passes.
//!
//! Every step depends on a lookup that depends on the previous step, so messages are interleaved in scalar code. The
//! sixteen S-boxes were generated from the RAND Corporation's million random digits; they are in `snefru.bin`,
//! little-endian.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::word::{base, unroll};
use crate::block::{Chain, Kernel, State, Tail, kernels, output_be32, state};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "snefru128",
        tag: "SNEFRU-128",
        aliases: &["snefru-128"],
        digest_len: 16,
        status: Status::Weakened(
            "128 bits, so collisions in 2^64 steps; up to five of eight passes are broken (Biham 2008)",
        ),
        summary: "Snefru with eight passes, 128 bits",
        check: "486d27b1f5f4a20dee14cc466eda9069",
        tree_id: Some("snefru128"),
        kind: Kind::Blocks { chain: &SNEFRU_128, init },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "snefru256",
        tag: "SNEFRU-256",
        aliases: &["snefru-256"],
        digest_len: 32,
        status: Status::Weakened("up to five of eight passes are broken (Biham 2008)"),
        summary: "Snefru with eight passes, 256 bits",
        check: "1c7dedc33125af7517970b97b635777ffba8905d7a0b359776e3e683b115f992",
        tree_id: Some("snefru256"),
        kind: Kind::Blocks { chain: &SNEFRU_256, init },
        ..Algorithm::PLAIN
    },
];

static SNEFRU_128: Chain = chain::<4, 48>(KERNELS_128);
static SNEFRU_256: Chain = chain::<8, 32>(KERNELS_256);

const fn chain<const WORDS: usize, const BLOCK: usize>(kernels: &'static [Kernel]) -> Chain {
    Chain {
        block: BLOCK,
        words: WORDS,
        lazy: false,
        kernels,
        pad: pad::<BLOCK>,
        output: output_be32,
        last_blocks: 2,
        squeeze: None,
    }
}

kernels! {
    static KERNELS_128: Word32 of u32;
    x86_64 {}
    portable {
        three_128: x 3, from 2 = advance[3, 4];
        one_128: x 1, from 1 = advance[1, 4];
    }
}
kernels! {
    static KERNELS_256: Word32 of u32;
    x86_64 {}
    portable {
        three_256: x 3, from 2 = advance[3, 8];
        one_256: x 1, from 1 = advance[1, 8];
    }
}

fn init(_: &Params) -> State {
    state(&[])
}

/// Appends zeros to the end of an incomplete block, then a block that contains only the length in bits, big-endian.
fn pad<const BLOCK: usize>(_: &mut State, tail: &mut Tail, buffered: usize, total: u64) -> usize {
    let blocks = if buffered == 0 { 1 } else { 2 };
    tail[blocks * BLOCK - 8..blocks * BLOCK].copy_from_slice(&(total << 3).to_be_bytes());
    blocks
}

static BOXES: [[u32; 256]; 16] = {
    let bytes = include_bytes!("snefru.bin");
    let mut boxes = [[0; 256]; 16];
    let mut i = 0;
    while i < 4096 {
        let word = [bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]];
        boxes[i / 256][i % 256] = u32::from_le_bytes(word);
        i += 1;
    }
    boxes
};

/// The words form a ring: the table entry for the low byte of each word changes its two neighbors. After a round of
/// the ring every word is rotated, so after four rounds each byte has been the low one.
///
/// # Safety
/// The same as for [`crate::block::row::Advance`] for `N` messages with `WORDS` words of state.
#[inline(always)]
unsafe fn advance<const N: usize, const WORDS: usize>(
    state: *mut u32,
    messages: *const *const u8,
    blocks: usize,
) {
    let taken = 16 - WORDS;
    // SAFETY: guaranteed by the caller: `WORDS` words of state for each of `N` messages of complete blocks of what is
    // left of sixteen words.
    unsafe {
        for block in 0..blocks {
            let mut w = [[0; 16]; N];
            for (lane, w) in w.iter_mut().enumerate() {
                for (word, value) in w[..WORDS].iter_mut().enumerate() {
                    *value = *state.add(word * N + lane);
                }
                let bytes = (*messages.add(lane)).add(block * taken * 4).cast::<[u8; 4]>();
                for (word, value) in w[WORDS..].iter_mut().enumerate() {
                    *value = u32::from_be_bytes(*bytes.add(word));
                }
            }
            for pass in BOXES.as_chunks::<2>().0 {
                macro_rules! round {
                    ($turn:literal) => {
                        let pass = base(pass);
                        unroll!(i in 16 => {
                            for w in &mut w {
                                let entry = pass[i / 2 % 2][usize::from(w[i] as u8)];
                                w[(i + 15) % 16] ^= entry;
                                w[(i + 1) % 16] ^= entry;
                            }
                        });
                        unroll!(i in 16 => {
                            for w in &mut w {
                                w[i] = w[i].rotate_right($turn);
                            }
                        });
                    };
                }
                round!(16);
                round!(8);
                round!(16);
                round!(24);
            }
            for (lane, w) in w.iter().enumerate() {
                for word in 0..WORDS {
                    *state.add(word * N + lane) ^= w[15 - word];
                }
            }
        }
    }
}
