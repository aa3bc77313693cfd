//! SM3 (GB/T 32905-2016; ISO/IEC 10118-3:2018).
#![allow(unsafe_code)]

use crate::algorithm::{Algorithm, Kind, Params, Status};
use crate::block::{Chain, State, kernels, output_be32, pad_be64, state};
use crate::word::{Endian, Word32, array, unknown, unroll};
#[cfg(any(target_arch = "aarch64", all(target_arch = "wasm32", target_feature = "simd128")))]
use crate::word::U32x4;
#[cfg(target_arch = "x86_64")]
use crate::block::{ScheduleAhead, Work, ahead};
#[cfg(target_arch = "x86_64")]
use crate::word::{U32x8, U32x16};

/// The rows of this family.
pub(crate) static ROWS: &[Algorithm] = &[
    Algorithm {
        name: "sm3",
        tag: "SM3",
        digest_len: 32,
        status: Status::Secure("GB/T 32905-2016, ISO/IEC 10118-3:2018"),
        summary: "Chinese standard hash",
        check: "c7ae0aec3d2f9beb84dc1885aa7a576baa7a07b38060afc64c5600f93a5456b5",
        tree_id: Some("sm3"),
        kind: Kind::Blocks { chain: &SM3, init },
        ..Algorithm::PLAIN
    },
];

static SM3: Chain =
    Chain { block: 64, words: 8, lazy: false, kernels: KERNELS, pad: pad_be64, output: output_be32, last_blocks: 2, squeeze: None };

kernels! {
    static KERNELS: Word32 of u32;
    x86_64 {
        avx512: avx512 x 16, from 3 = compress[U32x16];
        avx2: avx2 x 8, from 3 = compress[U32x8];
        avx2_one: avx2_bmi2 x 1, from 1 = ahead[OneSm3, U32x8, SCHEDULED];
    }
    aarch64 {
        neon: neon x 4, from 3 = compress[U32x4];
    }
    wasm32 {
        simd128: simd128 x 4, from 3 = compress[U32x4];
    }
    portable {
        portable: x 1, from 1 = compress[u32];
    }
}

fn init(_: &Params) -> State {
    state(&[
        0x7380_166f, 0x4914_b2b9, 0x1724_42d7, 0xda8a_0600, 0xa96f_30bc, 0x1631_38aa, 0xe38d_ee4d, 0xb0fb_0e4e,
    ])
}

/// The constants of section 4.2, each rotated by its step number.
const K: [u32; 64] = {
    let mut k = [0; 64];
    let mut i = 0;
    while i < 64 {
        k[i] = (if i < 16 { 0x79cc_4519_u32 } else { 0x7a87_9d8a }).rotate_left(i as u32 % 32);
        i += 1;
    }
    k
};

/// Returns the word of section 5.3.2 computed from those at these distances before it.
#[inline(always)]
fn expanded<W: Word32>(w16: W, w13: W, w9: W, w6: W, w3: W) -> W {
    let x = w16.xor(w9).xor(w3.rotl(15));
    x.xor(x.rotl(15)).xor(x.rotl(23)).xor(w13.rotl(7)).xor(w6)
}

/// Processes blocks in every lane (section 5.3.3).
///
/// # Safety
/// The same as for [`crate::block::row::Advance`], compiled for the word's CPU features.
#[inline(always)]
unsafe fn compress<W: Word32>(state: *mut u32, messages: *const *const u8, blocks: usize) {
    // SAFETY: guaranteed by the caller: eight words of state, complete blocks, the CPU features.
    unsafe {
        let at = |word: usize| state.add(word * W::LANES);
        let mut s: [W; 8] = array![8; word => W::load(at(word))];
        let k = unknown(&K);
        for block in 0..blocks {
            let mut w = W::chunk(messages, block * 64, Endian::Big);
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = s;
            // Steps use words up to four ahead.
            macro_rules! schedule {
                ($i:expr) => {
                    w[($i + 4) % 16] =
                        expanded(w[($i + 4) % 16], w[($i + 7) % 16], w[($i + 11) % 16], w[($i + 14) % 16], w[($i + 1) % 16]);
                };
            }
            macro_rules! step {
                ($i:expr, $k:expr, $ff:expr, $gg:expr) => {
                    let (word, ahead) = (w[$i], w[$i].xor(w[($i + 4) % 16]));
                    let a12 = a.rotl(12);
                    let ss1 = e.plus($k).add(a12).rotl(7);
                    let tt1 = d.add(ahead).add($ff).add(ss1.xor(a12));
                    let tt2 = h.add(word).add($gg).add(ss1);
                    (d, c, b, a) = (c, b.rotl(9), a, tt1);
                    (h, g, f, e) = (g, f.rotl(19), e, tt2.xor(tt2.rotl(9)).xor(tt2.rotl(17)));
                };
            }
            unroll!(i in 16 => {
                if i >= 12 {
                    schedule!(i);
                }
                step!(i, k[i], a.xor(b).xor(c), e.xor(f).xor(g));
            });
            for k in k[16..].chunks_exact(16) {
                unroll!(i in 16 => {
                    schedule!(i);
                    step!(i, k[i], a.majority(b, c), e.choose(f, g));
                });
            }
            let end = [a, b, c, d, e, f, g, h];
            s = array![8; i => s[i].xor(end[i])];
        }
        for (word, value) in s.into_iter().enumerate() {
            value.store(at(word));
        }
    }
}

/// One message, with schedules computed ahead.
#[cfg(target_arch = "x86_64")]
struct OneSm3;

/// The number of words in a schedule: steps use words up to four ahead, and the rest of the work is divided evenly
/// among lanes.
#[cfg(target_arch = "x86_64")]
const SCHEDULED: usize = 72;

/// Step `i` with `words` and `k`, after which the first word of the next state is in the register of `d`, and the fifth
/// in that of `h`.
///
/// In assembly, because LLVM runs out of registers for both pointers. Functions whose terms have no bit in common are
/// added term by term.
#[cfg(target_arch = "x86_64")]
macro_rules! step {
    (parity $($rest:tt)*) => {
        step!(@
            "mov {v:e}, {a:e}\nxor {v:e}, {b:e}\nxor {v:e}, {c:e}\nadd {d:e}, {v:e}",
            "mov {u:e}, {f:e}\nxor {u:e}, {g:e}\nxor {u:e}, {e:e}\nadd {h:e}, {u:e}";
            $($rest)*)
    };
    // Majority and choice.
    (choose $($rest:tt)*) => {
        step!(@
            "mov {v:e}, {a:e}\nmov {u:e}, {a:e}\nxor {v:e}, {b:e}\nand {u:e}, {b:e}\nand {v:e}, {c:e}\nadd {d:e}, {u:e}\nadd {d:e}, {v:e}",
            "andn {v:e}, {e:e}, {g:e}\nmov {u:e}, {e:e}\nand {u:e}, {f:e}\nadd {h:e}, {v:e}\nadd {h:e}, {u:e}";
            $($rest)*)
    };
    (@ $first:literal, $fifth:literal; $words:ident $k:ident $lanes:expr, $i:literal; $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
        std::arch::asm!(
            "mov {v:e}, dword ptr [{words} + {at}]",
            "rorx {r:e}, {a:e}, 20",
            "mov {t:e}, dword ptr [{k} + {of}]",
            "add {h:e}, {v:e}",
            "add {t:e}, {r:e}",
            "xor {v:e}, dword ptr [{words} + {ahead}]",
            "add {t:e}, {e:e}",
            "add {d:e}, {v:e}",
            "rol {t:e}, 7",
            $fifth,
            "xor {r:e}, {t:e}",
            "add {h:e}, {t:e}",
            $first,
            "rol {f:e}, 19",
            "rorx {t:e}, {h:e}, 23",
            "rorx {v:e}, {h:e}, 15",
            "add {d:e}, {r:e}",
            "xor {h:e}, {t:e}",
            "rol {b:e}, 9",
            "xor {h:e}, {v:e}",
            words = in(reg) $words,
            at = const 4 * $lanes * $i,
            ahead = const 4 * $lanes * ($i + 4),
            k = in(reg) $k,
            of = const 4 * $i,
            a = in(reg) $a,
            b = inout(reg) $b,
            c = in(reg) $c,
            d = inout(reg) $d,
            e = in(reg) $e,
            f = inout(reg) $f,
            g = in(reg) $g,
            h = inout(reg) $h,
            r = out(reg) _,
            t = out(reg) _,
            u = out(reg) _,
            v = out(reg) _,
            options(pure, readonly, nostack)
        )
    };
}

#[cfg(target_arch = "x86_64")]
impl<W: Word32> ScheduleAhead<W, SCHEDULED> for OneSm3 {
    type State = [u32; 8];
    const BLOCK: usize = 64;
    // Constants are added to words of the state.
    const CONSTANTS: &'static [u32; SCHEDULED] = &[0; SCHEDULED];

    unsafe fn alone(state: *mut u32, messages: *const *const u8, blocks: usize) {
        // SAFETY: guaranteed by the caller.
        unsafe { portable(state, messages, blocks) }
    }

    #[inline(always)]
    unsafe fn first(blocks: *const *const u8) -> [W; 16] {
        // SAFETY: guaranteed by the caller.
        unsafe { W::chunk(blocks, 0, Endian::Big) }
    }

    #[inline(always)]
    unsafe fn next(first: *const W) -> W {
        // SAFETY: guaranteed by the caller: sixteen words.
        unsafe { expanded(*first, *first.add(3), *first.add(7), *first.add(10), *first.add(13)) }
    }

    #[inline(always)]
    unsafe fn block(before: [u32; 8], words: *const u32, work: Work<W, SCHEDULED>) -> [u32; 8] {
        const { assert!(Work::<W, SCHEDULED>::STEPS == 7) };
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = before;
        let (mut words, mut work, mut k) = (words, work, unknown(&K).as_ptr());
        // SAFETY: guaranteed by the caller: words, features, and parts of seven steps of a schedule to come.
        unsafe {
            macro_rules! eight_steps {
                ($kind:tt) => {
                    step!($kind words k W::LANES, 0; a b c d e f g h);
                    step!($kind words k W::LANES, 1; d a b c h e f g);
                    step!($kind words k W::LANES, 2; c d a b g h e f);
                    step!($kind words k W::LANES, 3; b c d a f g h e);
                    step!($kind words k W::LANES, 4; a b c d e f g h);
                    step!($kind words k W::LANES, 5; d a b c h e f g);
                    step!($kind words k W::LANES, 6; c d a b g h e f);
                    step!($kind words k W::LANES, 7; b c d a f g h e);
                    (words, k) = (words.add(8 * W::LANES), k.add(8));
                };
            }
            eight_steps!(parity);
            work.step::<Self>(0);
            eight_steps!(parity);
            for _ in 0..6 {
                work = work.skip(1);
                work.step::<Self>(0);
                eight_steps!(choose);
            }
        }
        let after = [a, b, c, d, e, f, g, h];
        std::array::from_fn(|i| before[i] ^ after[i])
    }
}
