//! Tiger (Anderson and Biham, "Tiger: a fast new hash function", FSE 1996), with its original padding and, as Tiger2, with
//! that of MD4.
//!
//! Half of its work is looking words up in four tables of 256: two or three messages take turns in scalar code. The tables
//! are not listed but made by the authors' procedure when they are first used.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, State, Tail, kernels, output_le64, pad_le64, pad_tiger, state};
use std::sync::LazyLock;


/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "tiger",
        tag: "TIGER",
        aliases: &["tiger192", "tiger-192"],
        digest_len: 24,
        status: Status::Weakened("preimages in 2^188.8 steps (Guo, Ling, Rechberger & Wang 2010)"),
        summary: "used in the tree hashes of DC++ and Gnutella",
        check: "0672665140a491bb35040aa9943d769a47be83fef2126e50",
        tree_id: Some("tiger"),
        kind: Kind::Blocks { chain: &TIGER, init },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "tiger2",
        tag: "TIGER2",
        aliases: &["tiger2-192"],
        digest_len: 24,
        status: Status::Weakened("preimages in 2^188.2 steps (Guo, Ling, Rechberger & Wang 2010)"),
        summary: "Tiger with MD4 padding",
        check: "82faf69673762b9fd8a0c902bdb395c12b0cbddc66957838",
        tree_id: Some("tiger2"),
        kind: Kind::Blocks { chain: &TIGER2, init },
        ..Algorithm::PLAIN
    },
];

static TIGER: Chain = chain(pad_tiger);
static TIGER2: Chain = chain(pad_le64);

const fn chain(pad: fn(&mut State, &mut Tail, usize, u64) -> usize) -> Chain {
    Chain {
        block: 64,
        words: 3,
        lazy: false,
        kernels: KERNELS,
        pad,
        output: output_le64,
        last_blocks: 2,
        squeeze: None,
    }
}

kernels! {
    static KERNELS: Word64 of u64;
    x86_64 {}
    portable {
        advance_3: x 3, from 3 = advance[3];
        advance_2: x 2, from 2 = advance[2];
        advance_1: x 1, from 1 = advance[1];
    }
}

const INIT: [u64; 3] = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0xf096_a5b4_c3b2_e187];

fn init(_: &Params) -> State {
    state(&INIT)
}

type Tables = [[u64; 256]; 4];

/// Made when they are first used: 8 KiB less of program, for a tenth of a millisecond.
static TABLES: LazyLock<Box<Tables>> = LazyLock::new(|| Box::new(tables()));

/// The authors' generation of the S-boxes: bytes of each column change places as chained compressions of a text say.
fn tables() -> Tables {
    const TEXT: &[u8; 64] = b"Tiger - A Fast New Hash Function, by Ross Anderson and Eli Biham";
    const PASSES: usize = 5;
    let mut message = [0; 8];
    let mut i = 0;
    while i < 64 {
        message[i / 8] |= (TEXT[i] as u64) << (8 * (i % 8));
        i += 1;
    }
    let mut tables: Tables = [[0; 256]; 4];
    let mut i = 0;
    while i < 1024 {
        tables[i / 256][i % 256] = (i % 256) as u64 * 0x0101_0101_0101_0101;
        i += 1;
    }
    let mut state = INIT;
    let mut word = 2;
    let mut step = 0;
    while step < PASSES * 1024 {
        let (row, table) = (step / 4 % 256, step % 4);
        word += 1;
        if word == 3 {
            word = 0;
            [state] = compress(&tables, [state], [message]);
        }
        let mut column = 0;
        while column < 8 {
            let mask = 0xff << (8 * column);
            let other = (state[word] >> (8 * column)) as usize & 0xff;
            let (a, b) = (tables[table][row], tables[table][other]);
            tables[table][row] = a & !mask | b & mask;
            // Read again: both may be the same row.
            tables[table][other] = tables[table][other] & !mask | a & mask;
            column += 1;
        }
        step += 1;
    }
    tables
}

/// One block of each of `N` messages: three passes of eight rounds, with the message mixed between passes.
///
/// The messages take every round in turn, so that the lookups of one fill the time in which another waits for its own.
#[inline(always)]
const fn compress<const N: usize>(t: &Tables, state: [[u64; 3]; N], mut x: [[u64; 8]; N]) -> [[u64; 3]; N] {
    let mut s = state;
    macro_rules! each {
        ($n:ident => $body:block) => {
            let mut $n = 0;
            while $n < N {
                $body
                $n += 1;
            }
        };
    }
    macro_rules! round {
        ($a:literal, $b:literal, $c:literal, $word:literal, $factor:literal) => {
            each!(n => {
                let c = s[n][$c] ^ x[n][$word];
                s[n][$c] = c;
                s[n][$a] = s[n][$a].wrapping_sub(
                    t[0][c as u8 as usize]
                        ^ t[1][(c >> 16) as u8 as usize]
                        ^ t[2][(c >> 32) as u8 as usize]
                        ^ t[3][(c >> 48) as u8 as usize],
                );
                s[n][$b] = s[n][$b]
                    .wrapping_add(
                        t[3][(c >> 8) as u8 as usize]
                            ^ t[2][(c >> 24) as u8 as usize]
                            ^ t[1][(c >> 40) as u8 as usize]
                            ^ t[0][(c >> 56) as u8 as usize],
                    )
                    .wrapping_mul($factor);
            });
        };
    }
    macro_rules! pass {
        ($a:literal, $b:literal, $c:literal, $factor:literal) => {
            round!($a, $b, $c, 0, $factor);
            round!($b, $c, $a, 1, $factor);
            round!($c, $a, $b, 2, $factor);
            round!($a, $b, $c, 3, $factor);
            round!($b, $c, $a, 4, $factor);
            round!($c, $a, $b, 5, $factor);
            round!($a, $b, $c, 6, $factor);
            round!($b, $c, $a, 7, $factor);
        };
    }
    pass!(0, 1, 2, 5);
    each!(n => { x[n] = schedule(x[n]); });
    pass!(2, 0, 1, 7);
    each!(n => { x[n] = schedule(x[n]); });
    pass!(1, 2, 0, 9);
    each!(n => {
        s[n][0] ^= state[n][0];
        s[n][1] = s[n][1].wrapping_sub(state[n][1]);
        s[n][2] = s[n][2].wrapping_add(state[n][2]);
    });
    s
}

#[inline(always)]
const fn schedule(mut x: [u64; 8]) -> [u64; 8] {
    x[0] = x[0].wrapping_sub(x[7] ^ 0xa5a5_a5a5_a5a5_a5a5);
    x[1] ^= x[0];
    x[2] = x[2].wrapping_add(x[1]);
    x[3] = x[3].wrapping_sub(x[2] ^ (!x[1] << 19));
    x[4] ^= x[3];
    x[5] = x[5].wrapping_add(x[4]);
    x[6] = x[6].wrapping_sub(x[5] ^ (!x[4] >> 23));
    x[7] ^= x[6];
    x[0] = x[0].wrapping_add(x[7]);
    x[1] = x[1].wrapping_sub(x[0] ^ (!x[7] << 19));
    x[2] ^= x[1];
    x[3] = x[3].wrapping_add(x[2]);
    x[4] = x[4].wrapping_sub(x[3] ^ (!x[2] >> 23));
    x[5] ^= x[4];
    x[6] = x[6].wrapping_add(x[5]);
    x[7] = x[7].wrapping_sub(x[6] ^ 0x0123_4567_89ab_cdef);
    x
}

/// # Safety
/// As [`crate::block::row::Advance`] for `N` messages.
#[inline(always)]
unsafe fn advance<const N: usize>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: the caller's promise: three words of state for each of `N` messages of whole blocks.
    unsafe {
        let mut s = [[0; 3]; N];
        for (lane, words) in s.iter_mut().enumerate() {
            for (word, value) in words.iter_mut().enumerate() {
                *value = *state.add(word * N + lane);
            }
        }
        let tables = &**TABLES;
        for block in 0..blocks {
            let mut x = [[0; 8]; N];
            for (lane, words) in x.iter_mut().enumerate() {
                let bytes = &*(*messages.add(lane)).add(block * 64).cast::<[[u8; 8]; 8]>();
                *words = bytes.map(u64::from_le_bytes);
            }
            s = compress(tables, s, x);
        }
        for (lane, words) in s.iter().enumerate() {
            for (word, value) in words.iter().enumerate() {
                *state.add(word * N + lane) = *value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_those_the_authors_list() {
        assert_eq!(TABLES[0][0], 0x02aa_b17c_f7e9_0c5e);
    }
}
