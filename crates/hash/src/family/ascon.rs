//! Ascon-Hash256 and Ascon-XOF128 (NIST SP 800-232, 2025).
//!
//! The state has five words, and eight bytes are absorbed at a time, so a single message leaves most of a core idle.
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Lengths, Params, Status};
use crate::block::{Chain, State, Tail, kernels};
use crate::word::{Word64, array};
#[cfg(target_arch = "x86_64")]
use crate::word::{U64x4, U64x8};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "ascon-hash256",
        tag: "ASCON-HASH256",
        aliases: &["ascon-hash"],
        digest_len: 32,
        status: Status::Secure("SP 800-232; 128-bit security"),
        summary: "NIST's lightweight hash",
        check: "0f19335b01b8c8be2b2488ee4ebc9639c56953c7d33da4bf7798536e520162a7",
        tree_id: Some("ascon-hash256"),
        kind: Kind::Blocks { chain: &HASH256, init: init_hash },
        ..Algorithm::PLAIN
    },
    Algorithm {
        name: "ascon-xof128",
        tag: "ASCON-XOF128",
        aliases: &["ascon-xof"],
        digest_len: 32,
        lengths: Lengths::Any,
        status: Status::Secure("SP 800-232; full strength with 256 bits of output or more"),
        summary: "Ascon with output of any length; 256 bits by default",
        check: "35a43d3206811d8cbbb1af099ac5e55cac7754ec4f4e2a00a00f36d2c0e8d48d",
        tree_id: Some("ascon-xof128"),
        kind: Kind::Blocks { chain: &XOF128, init: init_xof },
        ..Algorithm::PLAIN
    },
];

static HASH256: Chain = chain(None);
static XOF128: Chain = chain(Some(permuted));

const fn chain(squeeze: Option<fn(&mut State)>) -> Chain {
    Chain { block: 8, words: 5, lazy: false, kernels: KERNELS, pad, output, last_blocks: 1, squeeze }
}

kernels! {
    static KERNELS: Word64 of u64;
    x86_64 {
        avx512: avx512 x 8, from 2 = absorb[U64x8];
        avx2: avx2 x 4, from 2 = absorb[U64x4];
        one: bmi2 x 1, from 1 = absorb[u64];
    }
    portable {
        portable: x 1, from 1 = absorb[u64];
    }
}

/// Returns the initial value of section 5.1, permuted.
fn init_hash(_: &Params) -> State {
    started(0x0000_0801_00cc_0002)
}

/// Section 5.2.
fn init_xof(_: &Params) -> State {
    started(0x0000_0800_00cc_0003)
}

fn started(value: u64) -> State {
    let mut state = crate::block::state(&[value]);
    permuted(&mut state);
    state
}

/// Appends a one bit and zeros.
fn pad(_: &mut State, tail: &mut Tail, buffered: usize, _: u64) -> usize {
    tail[buffered] = 1;
    1
}

/// Writes the first word of the state, permuted again for every further eight bytes.
fn output(state: &State, digest: &mut [u8]) {
    let mut state = *state;
    for (i, part) in digest.chunks_mut(8).enumerate() {
        if i > 0 {
            permuted(&mut state);
        }
        part.copy_from_slice(&state[0].to_le_bytes()[..part.len()]);
    }
}

/// Permutes the state, whose first word is then the next output.
fn permuted(state: &mut State) {
    // SAFETY: `u64` needs no CPU features.
    let words = unsafe { permute([state[0], state[1], state[2], state[3], state[4]]) };
    state[..5].copy_from_slice(&words);
}

/// Applies Ascon-p[12] (section 3) to every lane.
///
/// # Safety
/// The same as for [`crate::word::Word::splat`].
#[inline(always)]
unsafe fn permute<W: Word64>(s: [W; 5]) -> [W; 5] {
    let [mut a, mut b, mut c, mut d, mut e] = s;
    macro_rules! round {
        ($constant:expr) => {
            // SAFETY: guaranteed by the caller.
            c = c.xor(unsafe { W::splat($constant) });
            if W::TERNARY {
                c = c.xor(b);
                a = a.xor(e);
                e = e.xor(d);
                let next = [
                    a.xor(b.andnot(c)),
                    b.xor(c.andnot(d)),
                    c.xor(d.andnot(e)),
                    d.xor(e.andnot(a)),
                    e.xor(a.andnot(b)),
                ];
                b = next[1].xor(next[0]);
                a = next[0].xor(next[4]);
                d = next[3].xor(next[2]);
                c = next[2].not();
                e = next[4];
            } else {
                // The substitution in sixteen operations, of which at most five depend on each other ("Optimizing S-box
                // Implementations Using SAT Solvers: Revisited", Cryptology ePrint Archive 2023/1721).
                let (ae, bc, de) = (a.xor(e), b.xor(c), d.xor(e));
                let first = ae.or(b).xor(de);
                let second = ae.xor(d.xor(c).or(bc));
                let third = bc.xor(e.not().or(d));
                let fourth = bc.xor(a.or(de));
                a = first.xor(c.and(bc));
                (b, c, d, e) = (second, third, fourth, ae.xor(first));
            }
            a = a.xor(a.rotr(19)).xor(a.rotr(28));
            b = b.xor(b.rotr(61)).xor(b.rotr(39));
            c = c.xor(c.rotr(1)).xor(c.rotr(6));
            d = d.xor(d.rotr(10)).xor(d.rotr(17));
            e = e.xor(e.rotr(7)).xor(e.rotr(41));
        };
    }
    if W::LANES == 1 {
        round!(0xf0);
        round!(0xe1);
        round!(0xd2);
        round!(0xc3);
        round!(0xb4);
        round!(0xa5);
        round!(0x96);
        round!(0x87);
        round!(0x78);
        round!(0x69);
        round!(0x5a);
        round!(0x4b);
    } else {
        for constant in [0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87, 0x78, 0x69, 0x5a, 0x4b] {
            round!(constant);
        }
    }
    [a, b, c, d, e]
}

/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn absorb<W: Word64>(state: *mut u64, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: five words of state, complete blocks, the CPU features; no word has more than
    // eight lanes.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let mut s: [W; 5] = array![5; word => W::load(at(word))];
        for block in 0..blocks {
            let mut words = [0; 8];
            for (lane, word) in words.iter_mut().enumerate().take(W::LANES) {
                let bytes = (*messages.add(lane)).add(block * 8).cast::<[u8; 8]>();
                *word = u64::from_le_bytes(*bytes);
            }
            s[0] = s[0].xor(W::load(words.as_ptr()));
            s = permute(s);
        }
        for (word, value) in s.into_iter().enumerate() {
            value.store(at(word));
        }
    }
}
