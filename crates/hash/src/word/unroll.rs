//! Loops that are unrolled before LLVM sees them, and values hidden from it: these keep kernels straight-line code with
//! constants in place.
#![allow(unsafe_code)]

/// Repeats a block for every constant of a list: `unroll!(i in 16 => { .. })`, or `i in 16, from 32`.
///
/// Steps index arrays of registers and rotate by table entries. Only an unrolled loop keeps the former out of memory
/// and turns the latter into immediate operands, and LLVM stops unrolling long before sixty-four steps. If steps
/// repeat, sixteen of them in a loop compile several times as fast as sixty-four, and run at the same speed.
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

/// Repeats a block like [`unroll`] for one message, and in a loop for many: rows of less common algorithms stay small,
/// and one more load per step costs lanes almost nothing.
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

/// Runs a block once, as a separate basic block: LLVM's time grows with the square of a block's length.
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

/// Returns the same table with values that the compiler does not know: it moves constants to the end of a sum, where
/// every step would wait for them.
#[inline(always)]
pub(crate) fn unknown<T>(table: &T) -> &T {
    std::hint::black_box(table)
}

/// Returns the same table with its address in one register: offsets are relative to it, and not to another object with
/// an additional instruction, which LLVM prefers when it links for size.
#[inline(always)]
pub(crate) fn base<T>(table: &T) -> &T {
    #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
    let table = {
        let mut register: *const T = table;
        // SAFETY: this emits no instruction, so the pointer is unchanged.
        unsafe {
            std::arch::asm!("/* {} */", inout(reg) register, options(pure, readonly, nostack, preserves_flags));
            &*register
        }
    };
    table
}

/// Builds an array from an expression of its index: `array![16; i => load(i)]`.
///
/// Closures do not inherit the target features of the kernel they are in, and LLVM does not inline across that
/// boundary: everything in a kernel uses loops and macros, never `array::from_fn` or `map`.
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
