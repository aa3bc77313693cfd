//! The rounds of SHA-2 for one message in the general-purpose registers of x86-64 with BMI1 and BMI2, for both word
//! sizes.
//!
//! They are written in assembly because the order of the sums matters: the exclusive or of `f` and `g` and the sum of
//! `h` and the schedule's word depend on nothing, so that a round takes little more time than its 22 operations need in
//! four units.

/// A round of FIPS 180-4 (section 6.2.2 or 6.4.2, step 3) with the word at index `n` of `words`. `xor` contains `b ^ c`
/// before and `a ^ b` after the round; the register of `h` then contains the first word of the state.
///
/// The first arguments are the word size as written in assembly, for memory and for registers; then come the word and
/// the rotations of both sums.
macro_rules! round {
    (
        ($size:literal $r:literal $word:ty, $e1:literal $e2:literal $e3:literal, $a1:literal $a2:literal $a3:literal)
        $words:ident $n:expr;
        $xor:ident $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident
    ) => {
        let ab: $word;
        std::arch::asm!(
            concat!("add {h:", $r, "}, ", $size, " ptr [{words} + {at}]"),
            concat!("rorx {u:", $r, "}, {e:", $r, "}, ", $e1),
            concat!("rorx {t:", $r, "}, {e:", $r, "}, ", $e2),
            concat!("mov {v:", $r, "}, {f:", $r, "}"),
            concat!("xor {v:", $r, "}, {g:", $r, "}"),
            concat!("and {v:", $r, "}, {e:", $r, "}"),
            concat!("xor {v:", $r, "}, {g:", $r, "}"),
            concat!("xor {u:", $r, "}, {t:", $r, "}"),
            concat!("rorx {t:", $r, "}, {e:", $r, "}, ", $e3),
            concat!("add {h:", $r, "}, {v:", $r, "}"),
            concat!("mov {v:", $r, "}, {a:", $r, "}"),
            concat!("xor {u:", $r, "}, {t:", $r, "}"),
            concat!("rorx {t:", $r, "}, {a:", $r, "}, ", $a1),
            concat!("add {h:", $r, "}, {u:", $r, "}"),
            concat!("xor {v:", $r, "}, {b:", $r, "}"),
            concat!("add {d:", $r, "}, {h:", $r, "}"),
            concat!("and {xor:", $r, "}, {v:", $r, "}"),
            concat!("rorx {u:", $r, "}, {a:", $r, "}, ", $a2),
            concat!("xor {t:", $r, "}, {u:", $r, "}"),
            concat!("xor {xor:", $r, "}, {b:", $r, "}"),
            concat!("rorx {u:", $r, "}, {a:", $r, "}, ", $a3),
            concat!("add {h:", $r, "}, {xor:", $r, "}"),
            concat!("xor {t:", $r, "}, {u:", $r, "}"),
            concat!("add {h:", $r, "}, {t:", $r, "}"),
            words = in(reg) $words,
            at = const $n * size_of::<$word>(),
            a = in(reg) $a,
            b = in(reg) $b,
            d = inout(reg) $d,
            e = in(reg) $e,
            f = in(reg) $f,
            g = in(reg) $g,
            h = inout(reg) $h,
            xor = inout(reg) $xor => _,
            t = out(reg) _,
            u = out(reg) _,
            v = out(reg) ab,
            options(pure, readonly, nostack)
        );
        $xor = ab;
    };
}
pub(crate) use round;

/// Eight rounds with words at a distance of `stride`, the first of them at index `n` of `words`. The ninth word of the
/// state is that of [`round`].
macro_rules! eight_rounds {
    ($how:tt $state:ident $words:ident $stride:expr, $n:expr) => {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h, mut xor] = $state;
        $crate::family::rounds::round!($how $words $n * $stride; xor a b c d e f g h);
        $crate::family::rounds::round!($how $words ($n + 1) * $stride; xor h a b c d e f g);
        $crate::family::rounds::round!($how $words ($n + 2) * $stride; xor g h a b c d e f);
        $crate::family::rounds::round!($how $words ($n + 3) * $stride; xor f g h a b c d e);
        $crate::family::rounds::round!($how $words ($n + 4) * $stride; xor e f g h a b c d);
        $crate::family::rounds::round!($how $words ($n + 5) * $stride; xor d e f g h a b c);
        $crate::family::rounds::round!($how $words ($n + 6) * $stride; xor c d e f g h a b);
        $crate::family::rounds::round!($how $words ($n + 7) * $stride; xor b c d e f g h a);
        $state = [a, b, c, d, e, f, g, h, xor];
    };
}
pub(crate) use eight_rounds;

/// The sums of the words of two states, each in its own register: LLVM would move them to vectors, for which the next
/// block would have to wait.
macro_rules! sums {
    ($before:ident $after:ident) => {{
        let mut sums = $before;
        for i in 0..sums.len() {
            sums[i] = sums[i].wrapping_add($after[i]);
            // SAFETY: this emits no instruction.
            std::arch::asm!("/* {:r} */", inout(reg) sums[i], options(pure, nomem, nostack, preserves_flags));
        }
        sums
    }};
}
pub(crate) use sums;
