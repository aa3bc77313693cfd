//! Loops that are gone when LLVM sees them, and values it must not know: what keeps kernels straight and their constants in
//! place.
#![allow(unsafe_code)]

/// Repeats a block for every constant of a list: `unroll!(i in 16 => { .. })`, or `i in 16, from 32`.
///
/// Steps index arrays of registers and rotate by table entries; only a loop that is gone keeps the first out of memory and
/// makes the second immediate operands, and LLVM stops unrolling long before sixty-four steps. Where steps repeat, sixteen of
/// them in a loop compile several times as fast as sixty-four, and run the same.
macro_rules! unroll {
    ($i:ident in 4, from $from:expr => $body:block) => {
        $crate::word::unroll!(@ $i, $from, $body, 0 1 2 3)
    };
    ($i:ident in 5 $(, from $from:expr)? => $body:block) => {
        $crate::word::unroll!(@ $i, (0 $(+ $from)?), $body, 0 1 2 3 4)
    };
    ($i:ident in 7 => $body:block) => {
        $crate::word::unroll!(@ $i, 0, $body, 0 1 2 3 4 5 6)
    };
    ($i:ident in 8, from $from:expr => $body:block) => {
        $crate::word::unroll!(@ $i, $from, $body, 0 1 2 3 4 5 6 7)
    };
    ($i:ident in 10 $(, from $from:expr)? => $body:block) => {
        $crate::word::unroll!(@ $i, (0 $(+ $from)?), $body, 0 1 2 3 4 5 6 7 8 9)
    };
    ($i:ident in 16 $(, from $from:expr)? => $body:block) => {
        $crate::word::unroll!(@ $i, (0 $(+ $from)?), $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    ($i:ident in 80 => $body:block) => {
        $crate::word::section!({ $crate::word::unroll!($i in 16 => $body); });
        $crate::word::section!({ $crate::word::unroll!($i in 16, from 16 => $body); });
        $crate::word::section!({ $crate::word::unroll!($i in 16, from 32 => $body); });
        $crate::word::section!({ $crate::word::unroll!($i in 16, from 48 => $body); });
        $crate::word::section!({ $crate::word::unroll!($i in 16, from 64 => $body); });
    };
    (@ $i:ident, $from:expr, $body:block, $($n:literal)*) => {
        $({
            let $i: usize = $from + $n;
            $body
        })*
    };
}
pub(crate) use unroll;

/// Repeats a block as [`unroll`] does for one message, in a loop for many: rows of algorithms that are rarely met stay small,
/// and a load more a step costs lanes next to nothing.
macro_rules! turns {
    ($word:ty, $i:ident in $n:tt => $body:block) => {
        if <$word as $crate::word::Word>::LANES == 1 {
            $crate::word::unroll!($i in $n, from 0 => $body);
        } else {
            for $i in 0..*$crate::word::unknown(&$n) $body
        }
    };
}
pub(crate) use turns;

/// Runs a block once, as a basic block of its own: LLVM's time grows with the square of a block's length.
macro_rules! section {
    ($body:block) => {
        loop {
            $body
            if *$crate::word::unknown(&true) {
                break;
            }
        }
    };
}
pub(crate) use section;

/// The same table, of values the compiler does not know: constants it moves to the end of a sum, where every step would
/// wait for them.
#[inline(always)]
pub(crate) fn unknown<T>(table: &T) -> &T {
    std::hint::black_box(table)
}

/// The same table, whose beginning stays one register: places in it are counted from there, and not from the beginning of another thing by
/// an addition more, which LLVM finds smaller where it links for size.
#[inline(always)]
pub(crate) fn base<T>(table: &T) -> &T {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    let table = {
        let mut register: *const T = table;
        // SAFETY: no instruction at all, so the pointer is what it was.
        unsafe {
            std::arch::asm!("/* {} */", inout(reg) register, options(pure, readonly, nostack, preserves_flags));
            &*register
        }
    };
    table
}

/// An array from an expression of its index: `array![16; i => load(i)]`.
///
/// Closures do not take on the target features of the kernel they end up in, and LLVM does not inline across that border:
/// everything on a kernel's path is loops and macros, never `array::from_fn` or `map`.
macro_rules! array {
    ($n:expr; $i:ident => $value:expr) => {{
        let mut array = [{
            let $i = 0;
            $value
        }; $n];
        for $i in 1..$n {
            array[$i] = $value;
        }
        array
    }};
}
pub(crate) use array;
