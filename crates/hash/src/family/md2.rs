//! MD2 (RFC 1319).
//!
//! Each of the 864 bytes of a block depends on a lookup that depends on the previous byte, so one message leaves most
//! of the core idle. Therefore four messages are interleaved in scalar code.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, State, Tail, kernels, output_le64, put_words, state, words};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[Algorithm {
    name: "md2",
    tag: "MD2",
    digest_len: 16,
    status: Status::Broken(
        "collisions in 2^63.3 steps, preimages in 2^73 (Knudsen, Mathiassen, Muller & Thomsen 2009); withdrawn by RFC 6149",
    ),
    summary: "RFC 1319; certificates of the 1990s",
    check: "12bd4efdd922b5c8c7b773f26ef4e35f",
    tree_id: Some("md2"),
    kind: Kind::Blocks { chain: &MD2, init },
    ..Algorithm::PLAIN
}];

static MD2: Chain = Chain {
    block: 16,
    words: 4,
    lazy: false,
    kernels: KERNELS,
    pad,
    output: output_le64,
    last_blocks: 2,
    squeeze: None,
};

kernels! {
    static KERNELS: Word64 of u64;
    x86_64 {}
    portable {
        four: x 4, from 3 = advance[4];
        two: x 2, from 2 = advance[2];
        one: x 1, from 1 = advance[1];
    }
}

/// The first sixteen bytes of the digest buffer, and the checksum.
fn init(_: &Params) -> State {
    state(&[])
}

/// Appends as many bytes as fit, each with that number as its value; then the checksum of all blocks.
fn pad(state: &mut State, tail: &mut Tail, buffered: usize, _: u64) -> usize {
    let [end, sum, ..] = tail.as_chunks_mut::<16>().0 else { unreachable!("room for two blocks") };
    end[buffered..].fill((16 - buffered) as u8);
    let mut checksum = [0; 16];
    put_words(&state[2..4], &mut checksum);
    *sum = summed(checksum, end);
    2
}

/// Returns the checksum after one block (RFC 1319 section 3.2).
#[inline(always)]
fn summed(mut checksum: [u8; 16], block: &[u8; 16]) -> [u8; 16] {
    let mut last = checksum[15];
    for (sum, byte) in checksum.iter_mut().zip(block) {
        *sum ^= S[usize::from(byte ^ last)];
        last = *sum;
    }
    checksum
}

/// A permutation derived from the digits of pi (section 3.2).
#[rustfmt::skip]
const S: [u8; 256] = [
    41, 46, 67, 201, 162, 216, 124, 1, 61, 54, 84, 161, 236, 240, 6, 19,
    98, 167, 5, 243, 192, 199, 115, 140, 152, 147, 43, 217, 188, 76, 130, 202,
    30, 155, 87, 60, 253, 212, 224, 22, 103, 66, 111, 24, 138, 23, 229, 18,
    190, 78, 196, 214, 218, 158, 222, 73, 160, 251, 245, 142, 187, 47, 238, 122,
    169, 104, 121, 145, 21, 178, 7, 63, 148, 194, 16, 137, 11, 34, 95, 33,
    128, 127, 93, 154, 90, 144, 50, 39, 53, 62, 204, 231, 191, 247, 151, 3,
    255, 25, 48, 179, 72, 165, 181, 209, 215, 94, 146, 42, 172, 86, 170, 198,
    79, 184, 56, 210, 150, 164, 125, 182, 118, 252, 107, 226, 156, 116, 4, 241,
    69, 157, 112, 89, 100, 113, 135, 32, 134, 91, 207, 101, 230, 45, 168, 2,
    27, 96, 37, 173, 174, 176, 185, 246, 28, 70, 97, 105, 52, 64, 126, 15,
    85, 71, 163, 35, 221, 81, 175, 58, 195, 92, 249, 206, 186, 197, 234, 38,
    44, 83, 13, 110, 133, 40, 132, 9, 211, 223, 205, 244, 65, 129, 77, 82,
    106, 220, 55, 200, 108, 193, 171, 250, 36, 225, 123, 8, 12, 189, 177, 74,
    120, 136, 149, 139, 227, 99, 232, 109, 233, 203, 213, 254, 59, 0, 29, 57,
    242, 239, 183, 14, 102, 88, 208, 228, 166, 119, 114, 248, 235, 117, 75, 10,
    49, 68, 80, 180, 143, 237, 31, 26, 219, 153, 141, 51, 159, 17, 131, 20,
];

static WIDE: [u32; 256] = {
    let mut wide = [0; 256];
    let mut i = 0;
    while i < 256 {
        wide[i] = S[i] as u32;
        i += 1;
    }
    wide
};

/// Processes blocks of `N` messages, interleaved byte by byte (RFC 1319 section 3.4).
///
/// # Safety
/// The same as for [`crate::block::row::Advance`] for `N` messages.
#[expect(clippy::needless_range_loop, reason = "the inner loop visits all messages at one position")]
unsafe fn advance<const N: usize>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: four words of state for each of `N` messages of complete blocks.
    unsafe {
        // Wider than bytes, because partial registers would have to be merged for every lookup.
        let mut buffers = [[0u32; 48]; N];
        let mut checksums = [[0u8; 16]; N];
        for lane in 0..N {
            let word = |word: usize| *state.add(word * N + lane);
            let mut first = [0; 16];
            put_words(&[word(0), word(1)], &mut first);
            buffers[lane][..16].copy_from_slice(&first.map(u32::from));
            put_words(&[word(2), word(3)], &mut checksums[lane]);
        }
        for block in 0..blocks {
            for lane in 0..N {
                let bytes = &*(*messages.add(lane)).add(block * 16).cast::<[u8; 16]>();
                let buffer = &mut buffers[lane];
                for i in 0..16 {
                    buffer[16 + i] = u32::from(bytes[i]);
                    buffer[32 + i] = buffer[16 + i] ^ buffer[i];
                }
                checksums[lane] = summed(checksums[lane], bytes);
            }
            let mut t = [0u32; N];
            for round in 0..18 {
                for i in 0..48 {
                    for lane in 0..N {
                        t[lane] = buffers[lane][i] ^ WIDE[t[lane] as usize];
                        buffers[lane][i] = t[lane];
                    }
                }
                for t in &mut t {
                    *t = (*t + round) % 256;
                }
            }
        }
        for lane in 0..N {
            let mut first = [0; 16];
            first.iter_mut().zip(buffers[lane]).for_each(|(byte, value)| *byte = value as u8);
            let [low, high] = words::<2>(first.as_chunks().0);
            let [sum_low, sum_high] = words::<2>(checksums[lane].as_chunks().0);
            for (word, value) in [low, high, sum_low, sum_high].into_iter().enumerate() {
                *state.add(word * N + lane) = value;
            }
        }
    }
}
