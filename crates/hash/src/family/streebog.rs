//! Streebog, the hash of GOST R 34.11-2012 (RFC 6986), with 256 and 512 bits.
//!
//! Digests are the bytes of the number, the least significant first, as printed by `rhash` and OpenSSL; RFC 6986 writes
//! the number in the opposite order. Substitution, transposition and the linear layer of one byte are combined in one
//! table lookup. The standard specifies that layer as 64 rows of bits, which are eight rows of a matrix over GF(2^8)
//! (Kazymyrov & Kazymyrova, "Algebraic aspects of the Russian hash standard GOST R 34.11-2012", 2013), from which the
//! tables are computed.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, State, Tail, add_words, kernels, output_le64, put_words, state, words};
use crate::family::whirlpool::multiply;
use crate::word::{unknown, unroll};
use std::sync::LazyLock;

#[cfg(target_arch = "x86_64")]
mod gfni;

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "gost12-256",
        tag: "GOST12-256",
        aliases: &["streebog256", "streebog-256", "stribog256", "md_gost12_256"],
        digest_len: 32,
        status: Status::Secure("RFC 6986; the origin of its S-box structure is unexplained (Perrin 2019)"),
        summary: "GOST R 34.11-2012 (Streebog), 256 bits",
        check: "84da1066a0205e1446ec4a858ed2314b6233e5790ba5999dde8cd35d5d39f002",
        tree_id: Some("gost12-256"),
        kind: Kind::Blocks { chain: &STREEBOG_256, init: init_256 },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "gost12-512",
        tag: "GOST12-512",
        aliases: &["streebog512", "streebog-512", "stribog512", "md_gost12_512"],
        digest_len: 64,
        status: Status::Weakened(
            "second preimages of long messages in 2^266 steps instead of 2^512 (Guo, Jean, Leurent, Peyrin & Wang 2014); RFC 6986",
        ),
        summary: "GOST R 34.11-2012 (Streebog), 512 bits",
        check: "c36fadf5238435a7dda541152c70014a3c2ff0211bba50f15d2279ba13f6f1e4f4108c6b39fc12ca93e73453a95a135bff756312165fc8e4c159dfd6f3a4baf6",
        tree_id: Some("gost12-512"),
        kind: Kind::Blocks { chain: &STREEBOG_512, init: init_512 },
        ..Algorithm::PLAIN
    },
];

static STREEBOG_256: Chain = chain(output_high);
static STREEBOG_512: Chain = chain(output_le64);

const fn chain(output: fn(&State, &mut [u8])) -> Chain {
    Chain { block: 64, words: WORDS, lazy: false, kernels: KERNELS, pad, output, last_blocks: 3, squeeze: None }
}

kernels! {
    static KERNELS: Word64 of u64;
    x86_64 {
        avx512_two: avx512_gfni x 2, from 2 = shuffle[2];
        avx512: avx512_gfni x 1, from 1 = shuffle[1];
    }
    portable {
        portable: x 1, from 1 = look_up[];
    }
}

/// The positions in the state, after the chaining value, of the sum of all blocks, the number of blocks before the
/// next, and the stage of the next block.
const SUM: usize = 8;
const COUNT: usize = 16;
const STAGE: usize = 17;
const WORDS: usize = 18;

/// The stages after that of blocks within the message (0): the block with its end, then the blocks after it, which are
/// hashed with length 0.
const END: u64 = 1;
const AFTER: u64 = 2;

fn init_256(_: &Params) -> State {
    state(&[0x0101_0101_0101_0101; 8])
}

fn init_512(_: &Params) -> State {
    state(&[])
}

/// Writes the half of the chaining value that is the shorter digest.
fn output_high(state: &State, digest: &mut [u8]) {
    for (bytes, word) in digest.chunks_mut(8).zip(&state[4..8]) {
        bytes.copy_from_slice(&word.to_le_bytes()[..bytes.len()]);
    }
}

/// Appends a one bit to the end of the message, then the length in bits, then the sum of all blocks.
fn pad(state: &mut State, tail: &mut Tail, buffered: usize, total: u64) -> usize {
    let [end, length, sum, ..] = tail.as_chunks_mut::<64>().0 else { unreachable!("room for three blocks") };
    end[buffered] = 1;
    add_words(&mut state[SUM..COUNT], &words::<8>(end.as_chunks().0));
    length[..16].copy_from_slice(&(u128::from(total) << 3).to_le_bytes());
    put_words(&state[SUM..COUNT], sum);
    state[STAGE] = END;
    3
}

/// Section 5.2.
#[rustfmt::skip]
static SBOX: [u8; 256] = [
    0xfc, 0xee, 0xdd, 0x11, 0xcf, 0x6e, 0x31, 0x16, 0xfb, 0xc4, 0xfa, 0xda, 0x23, 0xc5, 0x04, 0x4d,
    0xe9, 0x77, 0xf0, 0xdb, 0x93, 0x2e, 0x99, 0xba, 0x17, 0x36, 0xf1, 0xbb, 0x14, 0xcd, 0x5f, 0xc1,
    0xf9, 0x18, 0x65, 0x5a, 0xe2, 0x5c, 0xef, 0x21, 0x81, 0x1c, 0x3c, 0x42, 0x8b, 0x01, 0x8e, 0x4f,
    0x05, 0x84, 0x02, 0xae, 0xe3, 0x6a, 0x8f, 0xa0, 0x06, 0x0b, 0xed, 0x98, 0x7f, 0xd4, 0xd3, 0x1f,
    0xeb, 0x34, 0x2c, 0x51, 0xea, 0xc8, 0x48, 0xab, 0xf2, 0x2a, 0x68, 0xa2, 0xfd, 0x3a, 0xce, 0xcc,
    0xb5, 0x70, 0x0e, 0x56, 0x08, 0x0c, 0x76, 0x12, 0xbf, 0x72, 0x13, 0x47, 0x9c, 0xb7, 0x5d, 0x87,
    0x15, 0xa1, 0x96, 0x29, 0x10, 0x7b, 0x9a, 0xc7, 0xf3, 0x91, 0x78, 0x6f, 0x9d, 0x9e, 0xb2, 0xb1,
    0x32, 0x75, 0x19, 0x3d, 0xff, 0x35, 0x8a, 0x7e, 0x6d, 0x54, 0xc6, 0x80, 0xc3, 0xbd, 0x0d, 0x57,
    0xdf, 0xf5, 0x24, 0xa9, 0x3e, 0xa8, 0x43, 0xc9, 0xd7, 0x79, 0xd6, 0xf6, 0x7c, 0x22, 0xb9, 0x03,
    0xe0, 0x0f, 0xec, 0xde, 0x7a, 0x94, 0xb0, 0xbc, 0xdc, 0xe8, 0x28, 0x50, 0x4e, 0x33, 0x0a, 0x4a,
    0xa7, 0x97, 0x60, 0x73, 0x1e, 0x00, 0x62, 0x44, 0x1a, 0xb8, 0x38, 0x82, 0x64, 0x9f, 0x26, 0x41,
    0xad, 0x45, 0x46, 0x92, 0x27, 0x5e, 0x55, 0x2f, 0x8c, 0xa3, 0xa5, 0x7d, 0x69, 0xd5, 0x95, 0x3b,
    0x07, 0x58, 0xb3, 0x40, 0x86, 0xac, 0x1d, 0xf7, 0x30, 0x37, 0x6b, 0xe4, 0x88, 0xd9, 0xe7, 0x89,
    0xe1, 0x1b, 0x83, 0x49, 0x4c, 0x3f, 0xf8, 0xfe, 0x8d, 0x53, 0xaa, 0x90, 0xca, 0xd8, 0x85, 0x61,
    0x20, 0x71, 0x67, 0xa4, 0x2d, 0x2b, 0x09, 0x5b, 0xcb, 0x9b, 0x25, 0xd0, 0xbe, 0xe5, 0x6c, 0x52,
    0x59, 0xa6, 0x74, 0xd2, 0xe6, 0xf4, 0xb4, 0xc0, 0xd1, 0x66, 0xaf, 0xc2, 0x39, 0x4b, 0x63, 0xb6,
];

/// The image of a one bit in each byte of a word in the linear layer of section 5.4.
#[rustfmt::skip]
const MATRIX: [u64; 8] = [
    0x641c314b2b8ee083, 0xa48b474f9ef5dc18, 0xf97d86d98a327728, 0x5b068c651810a89e,
    0x0321658cba93c138, 0xaccc9ca9328a8950, 0x46b60f011a83988e, 0x83478b07b2468764,
];

/// Created on first use, which saves 16 KiB of program for a few microseconds, and only if there is no better row.
static TABLES: LazyLock<Box<[[u64; 256]; 8]>> = LazyLock::new(|| {
    let mut tables = Box::new([[0; 256]; 8]);
    for (table, row) in tables.iter_mut().zip(MATRIX) {
        let mut layer = [0; 256];
        for byte in 1..256usize {
            let others = byte & (byte - 1);
            layer[byte] = match others {
                0 => u64::from_le_bytes(row.to_le_bytes().map(|entry| multiply(byte as u8, entry))),
                _ => layer[others] ^ layer[byte ^ others],
            };
        }
        for (entry, byte) in table.iter_mut().zip(SBOX) {
            *entry = layer[usize::from(byte)];
        }
    }
    tables
});

/// The iteration constants of section 5.5.
#[rustfmt::skip]
static C: [[u64; 8]; 12] = [
    [
        0xdd806559f2a64507, 0x05767436cc744d23, 0xa2422a08a460d315, 0x4b7ce09192676901,
        0x714eb88d7585c4fc, 0x2f6a76432e45d016, 0xebcb2f81c0657c1f, 0xb1085bda1ecadae9,
    ],
    [
        0xe679047021b19bb7, 0x55dda21bd7cbcd56, 0x5cb561c2db0aa7ca, 0x9ab5176b12d69958,
        0x61d55e0f16b50131, 0xf3feea720a232b98, 0x4fe39d460f70b5d7, 0x6fa3b58aa99d2f1a,
    ],
    [
        0x991e96f50aba0ab2, 0xc2b6f443867adb31, 0xc1c93a376062db09, 0xd3e20fe490359eb1,
        0xf2ea7514b1297b7b, 0x06f15e5f529c1f8b, 0x0a39fc286a3d8435, 0xf574dcac2bce2fc7,
    ],
    [
        0x220cbebc84e3d12e, 0x3453eaa193e837f1, 0xd8b71333935203be, 0xa9d72c82ed03d675,
        0x9d721cad685e353f, 0x488e857e335c3c7d, 0xf948e1a05d71e4dd, 0xef1fdfb3e81566d2,
    ],
    [
        0x601758fd7c6cfe57, 0x7a56a27ea9ea63f5, 0xdfff00b723271a16, 0xbfcd1747253af5a3,
        0x359e35d7800fffbd, 0x7f151c1f1686104a, 0x9a3f410c6ca92363, 0x4bea6bacad474799,
    ],
    [
        0xfa68407a46647d6e, 0xbf71c57236904f35, 0x0af21f66c2bec6b6, 0xcffaa6b71c9ab7b4,
        0x187f9ab49af08ec6, 0x2d66c4f95142a46c, 0x6fa4c33b7a3039c0, 0xae4faeae1d3ad3d9,
    ],
    [
        0x8886564d3a14d493, 0x3517454ca23c4af3, 0x06476983284a0504, 0x0992abc52d822c37,
        0xd3473e33197a93c9, 0x399ec6c7e6bf87c9, 0x51ac86febf240954, 0xf4c70e16eeaac5ec,
    ],
    [
        0xa47f0dd4bf02e71e, 0x36acc2355951a8d9, 0x69d18d2bd1a5c42f, 0xf4892bcb929b0690,
        0x89b4443b4ddbc49a, 0x4eb7f8719c36de1e, 0x03e7aa020c6e4141, 0x9b1f5b424d93c9a7,
    ],
    [
        0x7261445183235adb, 0x0e38dc92cb1f2a60, 0x7b2b8a9aa6079c54, 0x800a440bdbb2ceb1,
        0x3cd955b7e00d0984, 0x3a7d3a1b25894224, 0x944c9ad8ec165fde, 0x378f5a541631229b,
    ],
    [
        0x74b4c7fb98459ced, 0x3698fad1153bb6c3, 0x7a1e6c303b7652f4, 0x9fe76702af69334b,
        0x1fffe18a1b336103, 0x8941e71cff8a78db, 0x382ae548b2e4f3f3, 0xabbedea680056f52,
    ],
    [
        0x6bcaa4cd81f32d1b, 0xdea2594ac06fd85d, 0xefbacd1d7d476e98, 0x8a1d71efea48b9ca,
        0x2001802114846679, 0xd8fa6bbbebab0761, 0x3002c6cd635afe94, 0x7bcd9ed0efc889fb,
    ],
    [
        0x48bc924af11bd720, 0xfaf417d5d9b21b99, 0xe71da4aa88e12852, 0x5d80ef9d1891cc86,
        0xf82012d430219f9b, 0xcda43c32bcdf1d77, 0xd21380b00449b17a, 0x378ee767f11631ba,
    ],
];

/// The transformations X, S, P and L of sections 6 and 7, in this order. Each row is split once. The result is in
/// memory, because the sums and the tables fill the registers.
#[inline(always)]
fn lpsx(tables: &[[u64; 256]; 8], x: &[u64; 8], y: &[u64; 8]) -> [u64; 8] {
    let mut rows = *x;
    rows.iter_mut().zip(y).for_each(|(row, y)| *row ^= y);
    let rows = unknown(&rows);
    let mut out = [0; 8];
    unroll!(row in 8, from 0 => {
        for (place, word) in out.iter_mut().enumerate() {
            *word ^= tables[row][usize::from((rows[row] >> (8 * place)) as u8)];
        }
    });
    out
}

/// Processes a block at this length for several messages (section 8, step 2).
type Compress<const N: usize> = unsafe fn(chains: &mut [[u64; 8]; N], lengths: &[[u64; 8]; N], blocks: &[[u64; 8]; N]);

fn compress([chain]: &mut [[u64; 8]; 1], [length]: &[[u64; 8]; 1], [block]: &[[u64; 8]; 1]) {
    let tables = &*TABLES;
    let mut key = lpsx(tables, chain, length);
    let mut text = *block;
    for constant in &C {
        text = lpsx(tables, &text, &key);
        key = lpsx(tables, &key, constant);
    }
    for i in 0..8 {
        chain[i] ^= text[i] ^ key[i] ^ block[i];
    }
}

/// Processes blocks of `N` messages (RFC 6986 section 8).
///
/// # Safety
/// The same as for [`crate::block::row::Advance`] for `N` messages, on a CPU that `compress` is for.
#[inline(never)]
unsafe fn take<const N: usize>(
    state: *mut u64,
    messages: *const *const u8,
    blocks: usize,
    compress: Compress<N>,
) {
    // SAFETY: guaranteed by the caller: eighteen words of state for each of `N` messages of complete blocks.
    let (state, messages) = unsafe {
        let messages: &[*const [[u8; 8]; 8]; N] = &*messages.cast();
        (&mut *state.cast::<[[u64; N]; WORDS]>(), messages)
    };
    let mut chains: [[u64; 8]; N] = std::array::from_fn(|n| std::array::from_fn(|i| state[i][n]));
    let mut sums: [[u64; 8]; N] = std::array::from_fn(|n| std::array::from_fn(|i| state[SUM + i][n]));
    for block in 0..blocks {
        // SAFETY: guaranteed by the caller.
        let m: [[u64; 8]; N] = std::array::from_fn(|n| words::<8>(unsafe { &*messages[n].add(block) }));
        let mut lengths = [[0; 8]; N];
        for (n, length) in lengths.iter_mut().enumerate() {
            if state[STAGE][n] != AFTER {
                let bits = u128::from(state[COUNT][n]) << 9;
                (length[0], length[1]) = (bits as u64, (bits >> 64) as u64);
            }
        }
        // SAFETY: guaranteed by the caller.
        unsafe { compress(&mut chains, &lengths, &m) };
        for n in 0..N {
            add_words(&mut sums[n], &m[n]);
            state[COUNT][n] += 1;
            if state[STAGE][n] == END {
                state[STAGE][n] = AFTER;
            }
        }
    }
    for n in 0..N {
        for i in 0..8 {
            (state[i][n], state[SUM + i][n]) = (chains[n][i], sums[n][i]);
        }
    }
}

/// # Safety
/// The same as for [`crate::block::row::Advance`] for one message.
unsafe fn look_up(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller.
    unsafe { take(state, messages, blocks, compress) }
}

/// # Safety
/// The same as for [`crate::block::row::Advance`] for `N` messages, on a CPU with the features.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn shuffle<const N: usize>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller.
    unsafe { take::<N>(state, messages, blocks, gfni::compress) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrix_matches_the_standard() {
        // The first and the last row of section 5.4, and one in between: the images of the highest and lowest bits.
        let becomes = |bit: usize| {
            let entries = MATRIX[bit / 8].to_le_bytes();
            u64::from_le_bytes(entries.map(|entry| multiply(1 << (bit % 8), entry)))
        };
        assert_eq!(becomes(63), 0x8e20_faa7_2ba0_b470);
        assert_eq!(becomes(62), 0x4710_7ddd_9b50_5a38);
        assert_eq!(becomes(0), 0x641c_314b_2b8e_e083);
    }
}
