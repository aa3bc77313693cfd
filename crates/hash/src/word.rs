//! Machine words that hold one value of each of `LANES` messages: what kernels are written over.
//!
//! A kernel body is generic over [`Word32`] or [`Word64`]. Instantiated for `u32` or `u64` it is the portable kernel for one
//! message; for a SIMD register it hashes 2 to 16 messages; [`X2`] runs two registers side by side where one alone waits
//! for its own results. The operations below are one instruction each, or one that LLVM makes of a few (`vpternlog`,
//! `vprol`): that is checked on the disassembly by a test.
//!
//! All methods are `inline(always)`: they take on the target features of the kernel row they are inlined into, and are
//! correct only there. Constructing a word is `unsafe` for that reason; once one exists, its operations are safe.
#![allow(unsafe_code)]

/// Operations every word has.
pub(crate) trait Word: Copy {
    /// One lane's value.
    type Lane: Copy;
    /// Messages held.
    const LANES: usize;
    /// Registers that hold them. Bodies for several keep loops that bodies for one write out: their message words come
    /// from memory in any case, and LLVM's time grows with the square of a straight line.
    const REGISTERS: usize = 1;
    /// Whether any function of three words is one instruction (`vpternlog`).
    const TERNARY: bool = false;

    /// The same value in every lane.
    ///
    /// # Safety
    /// The CPU has the features of this word, and the caller is compiled for them.
    unsafe fn splat(value: Self::Lane) -> Self;
    /// Reads `LANES` values.
    ///
    /// # Safety
    /// As [`Word::splat`]; `from` is valid for reading `LANES` values.
    unsafe fn load(from: *const Self::Lane) -> Self;
    /// Writes `LANES` values.
    ///
    /// # Safety
    /// As [`Word::splat`]; `to` is valid for writing `LANES` values.
    unsafe fn store(self, to: *mut Self::Lane);

    fn add(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// `!self & other`
    fn andnot(self, other: Self) -> Self;
    fn not(self) -> Self;
    /// Rotation to the left; `bits` is a constant at every call once inlined.
    fn rotl(self, bits: u32) -> Self;
    /// Shift to the right, filling with zeros.
    fn shr(self, bits: u32) -> Self;

    /// `if self then a else b`, bit by bit.
    #[inline(always)]
    fn choose(self, a: Self, b: Self) -> Self {
        self.and(a).or(self.andnot(b))
    }
    /// The majority of three, bit by bit.
    #[inline(always)]
    fn majority(self, a: Self, b: Self) -> Self {
        self.and(a).or(self.or(a).and(b))
    }
    #[inline(always)]
    fn rotr(self, bits: u32) -> Self {
        self.rotl(8 * std::mem::size_of::<Self::Lane>() as u32 - bits)
    }
    /// Adds a constant.
    ///
    /// # Safety
    /// As [`Word::splat`].
    #[inline(always)]
    unsafe fn plus(self, constant: Self::Lane) -> Self {
        // SAFETY: the caller's promise.
        self.add(unsafe { Self::splat(constant) })
    }
}

/// Repeats a block for every constant of a list: `unroll!(i in 16 => { .. })`, or `i in 16, from 32`.
///
/// Steps index arrays of registers and rotate by table entries; only a loop that is gone keeps the first out of memory and
/// makes the second immediate operands, and LLVM stops unrolling long before sixty-four steps. Where steps repeat, sixteen of
/// them in a loop compile several times as fast as sixty-four, and run the same.
macro_rules! unroll {
    ($i:ident in 4, from $from:expr => $body:block) => {
        unroll!(@ $i, $from, $body, 0 1 2 3)
    };
    ($i:ident in 5 $(, from $from:expr)? => $body:block) => {
        unroll!(@ $i, (0 $(+ $from)?), $body, 0 1 2 3 4)
    };
    ($i:ident in 7 => $body:block) => {
        unroll!(@ $i, 0, $body, 0 1 2 3 4 5 6)
    };
    ($i:ident in 10 $(, from $from:expr)? => $body:block) => {
        unroll!(@ $i, (0 $(+ $from)?), $body, 0 1 2 3 4 5 6 7 8 9)
    };
    ($i:ident in 16 $(, from $from:expr)? => $body:block) => {
        unroll!(@ $i, (0 $(+ $from)?), $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    ($i:ident in 80 => $body:block) => {
        section!({ unroll!($i in 16 => $body); });
        section!({ unroll!($i in 16, from 16 => $body); });
        section!({ unroll!($i in 16, from 32 => $body); });
        section!({ unroll!($i in 16, from 48 => $body); });
        section!({ unroll!($i in 16, from 64 => $body); });
    };
    (@ $i:ident, $from:expr, $body:block, $($n:literal)*) => {
        $({
            let $i: usize = $from + $n;
            $body
        })*
    };
}
pub(crate) use unroll;

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

/// A byte order of message words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endian {
    Little,
    Big,
}

/// 32-bit lanes.
pub(crate) trait Word32: Word<Lane = u32> {
    /// Reads 64 bytes of every message, `offset` bytes into it, as sixteen words.
    ///
    /// # Safety
    /// As [`Word::splat`]; `messages` holds `LANES` pointers, each valid for reading `offset + 64` bytes.
    unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 16];
}

/// 64-bit lanes.
pub(crate) trait Word64: Word<Lane = u64> {
    /// Reads 64 bytes of every message, `offset` bytes into it, as eight words.
    ///
    /// # Safety
    /// As [`Word32::chunk`].
    unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 8];
}

macro_rules! scalar {
    ($word:ident, $wide:ident, $words:literal) => {
        impl Word for $word {
            type Lane = $word;
            const LANES: usize = 1;
            #[inline(always)]
            unsafe fn splat(value: $word) -> $word {
                value
            }
            #[inline(always)]
            unsafe fn load(from: *const $word) -> $word {
                // SAFETY: the caller's promise.
                unsafe { *from }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $word) {
                // SAFETY: the caller's promise.
                unsafe { *to = self }
            }
            #[inline(always)]
            fn add(self, other: $word) -> $word {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn xor(self, other: $word) -> $word {
                self ^ other
            }
            #[inline(always)]
            fn and(self, other: $word) -> $word {
                self & other
            }
            #[inline(always)]
            fn or(self, other: $word) -> $word {
                self | other
            }
            #[inline(always)]
            fn andnot(self, other: $word) -> $word {
                !self & other
            }
            #[inline(always)]
            fn not(self) -> $word {
                !self
            }
            #[inline(always)]
            fn rotl(self, bits: u32) -> $word {
                self.rotate_left(bits)
            }
            #[inline(always)]
            fn shr(self, bits: u32) -> $word {
                self >> bits
            }
        }

        impl $wide for $word {
            #[inline(always)]
            unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [$word; $words] {
                // SAFETY: one message, valid for `offset + 64` bytes by the caller's promise; bytes need no alignment.
                let bytes = unsafe { &*(*messages).add(offset).cast::<[u8; 64]>() };
                std::array::from_fn(|i| {
                    let size = std::mem::size_of::<$word>();
                    let word = bytes[i * size..(i + 1) * size].try_into().expect("a slice of a word's size");
                    match order {
                        Endian::Little => $word::from_le_bytes(word),
                        Endian::Big => $word::from_be_bytes(word),
                    }
                })
            }
        }
    };
}
scalar!(u32, Word32, 16);
scalar!(u64, Word64, 8);

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

/// Two words side by side: twice the lanes, and independent work while one waits.
#[derive(Clone, Copy)]
pub(crate) struct X2<W>(W, W);

impl<W: Word> Word for X2<W> {
    type Lane = W::Lane;
    const LANES: usize = 2 * W::LANES;
    const REGISTERS: usize = 2 * W::REGISTERS;
    const TERNARY: bool = W::TERNARY;
    #[inline(always)]
    unsafe fn splat(value: W::Lane) -> Self {
        // SAFETY: the caller's promise.
        let word = unsafe { W::splat(value) };
        X2(word, word)
    }
    #[inline(always)]
    unsafe fn load(from: *const W::Lane) -> Self {
        // SAFETY: the caller's promise, for twice the lanes.
        unsafe { X2(W::load(from), W::load(from.add(W::LANES))) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut W::Lane) {
        // SAFETY: the caller's promise, for twice the lanes.
        unsafe {
            self.0.store(to);
            self.1.store(to.add(W::LANES));
        }
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        X2(self.0.add(other.0), self.1.add(other.1))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        X2(self.0.xor(other.0), self.1.xor(other.1))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        X2(self.0.and(other.0), self.1.and(other.1))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        X2(self.0.or(other.0), self.1.or(other.1))
    }
    #[inline(always)]
    fn andnot(self, other: Self) -> Self {
        X2(self.0.andnot(other.0), self.1.andnot(other.1))
    }
    #[inline(always)]
    fn not(self) -> Self {
        X2(self.0.not(), self.1.not())
    }
    #[inline(always)]
    fn rotl(self, bits: u32) -> Self {
        X2(self.0.rotl(bits), self.1.rotl(bits))
    }
    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        X2(self.0.shr(bits), self.1.shr(bits))
    }
}

impl<W: Word32> Word32 for X2<W> {
    #[inline(always)]
    unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 16] {
        // SAFETY: the caller's promise, for twice the lanes.
        let (a, b) =
            unsafe { (W::chunk(messages, offset, order), W::chunk(messages.add(W::LANES), offset, order)) };
        array![16; i => X2(a[i], b[i])]
    }
}

impl<W: Word64> Word64 for X2<W> {
    #[inline(always)]
    unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 8] {
        // SAFETY: the caller's promise, for twice the lanes.
        let (a, b) =
            unsafe { (W::chunk(messages, offset, order), W::chunk(messages.add(W::LANES), offset, order)) };
        array![8; i => X2(a[i], b[i])]
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{U32x4, U32x8, U32x16, U64x2, U64x4, U64x8};

/// Lists of one-line operations for SSE2, AVX2 and AVX-512.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Endian, Word, Word32, Word64};
    use std::arch::x86_64::*;

    macro_rules! word {
        ($name:ident, $doc:literal, $reg:ty, $lane:ty, $lanes:literal,
         $splat:expr, $load:ident, $store:ident, $add:ident, $xor:ident, $and:ident, $or:ident, $andnot:ident,
         $rotl:expr, $shr:ident) => {
            #[doc = $doc]
            #[derive(Clone, Copy)]
            pub(crate) struct $name($reg);

            // SAFETY of every block: a value of this type exists only inside a kernel row that was compiled for, and
            // runs only on, CPUs with its features (see the constructors' contract); pointers by the caller's promise.
            #[allow(clippy::undocumented_unsafe_blocks, reason = "stated once, above")]
            impl Word for $name {
                type Lane = $lane;
                const LANES: usize = $lanes;
                const TERNARY: bool = size_of::<$reg>() == 64;
                #[inline(always)]
                unsafe fn splat(value: $lane) -> Self {
                    unsafe { $name($splat(value)) }
                }
                #[inline(always)]
                unsafe fn load(from: *const $lane) -> Self {
                    unsafe { $name($load(from.cast())) }
                }
                #[inline(always)]
                unsafe fn store(self, to: *mut $lane) {
                    unsafe { $store(to.cast(), self.0) }
                }
                #[inline(always)]
                fn add(self, other: Self) -> Self {
                    unsafe { $name($add(self.0, other.0)) }
                }
                #[inline(always)]
                fn xor(self, other: Self) -> Self {
                    unsafe { $name($xor(self.0, other.0)) }
                }
                #[inline(always)]
                fn and(self, other: Self) -> Self {
                    unsafe { $name($and(self.0, other.0)) }
                }
                #[inline(always)]
                fn or(self, other: Self) -> Self {
                    unsafe { $name($or(self.0, other.0)) }
                }
                #[inline(always)]
                fn andnot(self, other: Self) -> Self {
                    unsafe { $name($andnot(self.0, other.0)) }
                }
                #[inline(always)]
                fn not(self) -> Self {
                    unsafe { self.xor(Self::splat(<$lane>::MAX)) }
                }
                #[inline(always)]
                fn rotl(self, bits: u32) -> Self {
                    unsafe { $name($rotl(self.0, bits)) }
                }
                #[inline(always)]
                fn shr(self, bits: u32) -> Self {
                    unsafe { $name($shr(self.0, _mm_cvtsi32_si128(bits as i32))) }
                }
            }
        };
    }

    // Shift counts are constants once inlined: LLVM then picks the immediate forms.
    macro_rules! rotate {
        ($reg:ty, $bits:literal, $sll:ident, $srl:ident, $or:ident) => {
            |x: $reg, n: u32| {
                $or($sll(x, _mm_cvtsi32_si128(n as i32)), $srl(x, _mm_cvtsi32_si128($bits - n as i32)))
            }
        };
    }

    word!(
        U32x4,
        "Four 32-bit lanes, SSE2.",
        __m128i,
        u32,
        4,
        |v| _mm_set1_epi32(v as i32),
        _mm_loadu_si128,
        _mm_storeu_si128,
        _mm_add_epi32,
        _mm_xor_si128,
        _mm_and_si128,
        _mm_or_si128,
        _mm_andnot_si128,
        rotate!(__m128i, 32, _mm_sll_epi32, _mm_srl_epi32, _mm_or_si128),
        _mm_srl_epi32
    );
    word!(
        U32x8,
        "Eight 32-bit lanes, AVX2.",
        __m256i,
        u32,
        8,
        |v| _mm256_set1_epi32(v as i32),
        _mm256_loadu_si256,
        _mm256_storeu_si256,
        _mm256_add_epi32,
        _mm256_xor_si256,
        _mm256_and_si256,
        _mm256_or_si256,
        _mm256_andnot_si256,
        rotate!(__m256i, 32, _mm256_sll_epi32, _mm256_srl_epi32, _mm256_or_si256),
        _mm256_srl_epi32
    );
    word!(
        U32x16,
        "Sixteen 32-bit lanes, AVX-512F.",
        __m512i,
        u32,
        16,
        |v| _mm512_set1_epi32(v as i32),
        _mm512_loadu_si512,
        _mm512_storeu_si512,
        _mm512_add_epi32,
        _mm512_xor_si512,
        _mm512_and_si512,
        _mm512_or_si512,
        _mm512_andnot_si512,
        |x, n| _mm512_rolv_epi32(x, _mm512_set1_epi32(n as i32)),
        _mm512_srl_epi32
    );
    word!(
        U64x2,
        "Two 64-bit lanes, SSE2.",
        __m128i,
        u64,
        2,
        |v| _mm_set1_epi64x(v as i64),
        _mm_loadu_si128,
        _mm_storeu_si128,
        _mm_add_epi64,
        _mm_xor_si128,
        _mm_and_si128,
        _mm_or_si128,
        _mm_andnot_si128,
        rotate!(__m128i, 64, _mm_sll_epi64, _mm_srl_epi64, _mm_or_si128),
        _mm_srl_epi64
    );
    word!(
        U64x4,
        "Four 64-bit lanes, AVX2.",
        __m256i,
        u64,
        4,
        |v| _mm256_set1_epi64x(v as i64),
        _mm256_loadu_si256,
        _mm256_storeu_si256,
        _mm256_add_epi64,
        _mm256_xor_si256,
        _mm256_and_si256,
        _mm256_or_si256,
        _mm256_andnot_si256,
        rotate!(__m256i, 64, _mm256_sll_epi64, _mm256_srl_epi64, _mm256_or_si256),
        _mm256_srl_epi64
    );
    word!(
        U64x8,
        "Eight 64-bit lanes, AVX-512F.",
        __m512i,
        u64,
        8,
        |v| _mm512_set1_epi64(v as i64),
        _mm512_loadu_si512,
        _mm512_storeu_si512,
        _mm512_add_epi64,
        _mm512_xor_si512,
        _mm512_and_si512,
        _mm512_or_si512,
        _mm512_andnot_si512,
        |x, n| _mm512_rolv_epi64(x, _mm512_set1_epi64(n as i64)),
        _mm512_srl_epi64
    );

    /// SSE2 has no byte shuffle: swaps the bytes of each half-word, then the half-words.
    #[inline(always)]
    unsafe fn swap32_sse2(x: __m128i) -> __m128i {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let halves = _mm_or_si128(_mm_slli_epi16::<8>(x), _mm_srli_epi16::<8>(x));
            _mm_shufflehi_epi16::<0b10_11_00_01>(_mm_shufflelo_epi16::<0b10_11_00_01>(halves))
        }
    }

    /// As [`swap32_sse2`], for 64-bit lanes.
    #[inline(always)]
    unsafe fn swap64_sse2(x: __m128i) -> __m128i {
        // SAFETY: SSE2 is part of x86-64.
        unsafe {
            let halves = _mm_or_si128(_mm_slli_epi16::<8>(x), _mm_srli_epi16::<8>(x));
            _mm_shufflehi_epi16::<0b00_01_10_11>(_mm_shufflelo_epi16::<0b00_01_10_11>(halves))
        }
    }

    const SWAP32: [u8; 16] = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];
    const SWAP64: [u8; 16] = [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8];

    /// Reverses the bytes inside each lane, in all 64-byte registers.
    #[inline(always)]
    unsafe fn swap512<const N: usize>(rows: [__m512i; N], pattern: &[u8; 16]) -> [__m512i; N] {
        // SAFETY: only AVX-512BW rows call this.
        unsafe {
            let pattern = _mm512_broadcast_i32x4(_mm_loadu_si128(pattern.as_ptr().cast()));
            array![N; i => _mm512_shuffle_epi8(rows[i], pattern)]
        }
    }

    /// As [`swap512`] for 32-byte registers.
    #[inline(always)]
    unsafe fn swap256<const N: usize>(rows: [__m256i; N], pattern: &[u8; 16]) -> [__m256i; N] {
        // SAFETY: only AVX2 rows call this.
        unsafe {
            let pattern = _mm256_broadcastsi128_si256(_mm_loadu_si128(pattern.as_ptr().cast()));
            array![N; i => _mm256_shuffle_epi8(rows[i], pattern)]
        }
    }

    // SAFETY of every block below: pointers are valid for `offset + 64` bytes by the contract of `chunk`, loads are
    // unaligned ones, and the features are those of the row that inlines it.
    #[allow(clippy::undocumented_unsafe_blocks, reason = "stated once, above")]
    impl Word32 for U32x4 {
        #[inline(always)]
        unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 16] {
            unsafe {
                let mut words = [_mm_setzero_si128(); 16];
                for quarter in 0..4 {
                    let mut r: [__m128i; 4] = array![4; lane => {
                        _mm_loadu_si128((*messages.add(lane)).add(offset + 16 * quarter).cast())
                    }];
                    if order == Endian::Big {
                        r = array![4; i => swap32_sse2(r[i])];
                    }
                    let (a, b) = (_mm_unpacklo_epi32(r[0], r[1]), _mm_unpackhi_epi32(r[0], r[1]));
                    let (c, d) = (_mm_unpacklo_epi32(r[2], r[3]), _mm_unpackhi_epi32(r[2], r[3]));
                    words[4 * quarter] = _mm_unpacklo_epi64(a, c);
                    words[4 * quarter + 1] = _mm_unpackhi_epi64(a, c);
                    words[4 * quarter + 2] = _mm_unpacklo_epi64(b, d);
                    words[4 * quarter + 3] = _mm_unpackhi_epi64(b, d);
                }
                array![16; i => U32x4(words[i])]
            }
        }
    }

    #[allow(clippy::undocumented_unsafe_blocks, reason = "stated once, above")]
    impl Word32 for U32x8 {
        #[inline(always)]
        unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 16] {
            unsafe {
                let mut words = [_mm256_setzero_si256(); 16];
                for half in 0..2 {
                    let mut r: [__m256i; 8] = array![8; lane => {
                        _mm256_loadu_si256((*messages.add(lane)).add(offset + 32 * half).cast())
                    }];
                    if order == Endian::Big {
                        r = swap256(r, &SWAP32);
                    }
                    // Pairs of rows interleave by words, pairs of pairs by double words, then halves change places.
                    let t: [__m256i; 8] = array![8; i => {
                        let (a, b) = (r[i / 2 * 2], r[i / 2 * 2 + 1]);
                        if i % 2 == 0 { _mm256_unpacklo_epi32(a, b) } else { _mm256_unpackhi_epi32(a, b) }
                    }];
                    let u: [__m256i; 8] = array![8; i => {
                        let (a, b) = (t[i / 4 * 4 + (i / 2) % 2], t[i / 4 * 4 + (i / 2) % 2 + 2]);
                        if i % 2 == 0 { _mm256_unpacklo_epi64(a, b) } else { _mm256_unpackhi_epi64(a, b) }
                    }];
                    for i in 0..4 {
                        words[8 * half + i] = _mm256_permute2x128_si256::<0x20>(u[i], u[i + 4]);
                        words[8 * half + i + 4] = _mm256_permute2x128_si256::<0x31>(u[i], u[i + 4]);
                    }
                }
                array![16; i => U32x8(words[i])]
            }
        }
    }

    #[allow(clippy::undocumented_unsafe_blocks, reason = "stated once, above")]
    impl Word32 for U32x16 {
        #[inline(always)]
        unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 16] {
            unsafe {
                let mut r: [__m512i; 16] =
                    array![16; lane => _mm512_loadu_si512((*messages.add(lane)).add(offset).cast())];
                if order == Endian::Big {
                    r = swap512(r, &SWAP32);
                }
                let t: [__m512i; 16] = array![16; i => {
                    let (a, b) = (r[i / 2 * 2], r[i / 2 * 2 + 1]);
                    if i % 2 == 0 { _mm512_unpacklo_epi32(a, b) } else { _mm512_unpackhi_epi32(a, b) }
                }];
                // Now u[4 * q + i] holds word i of each quarter, for the four messages of group q.
                let u: [__m512i; 16] = array![16; i => {
                    let (a, b) = (t[i / 4 * 4 + (i / 2) % 2], t[i / 4 * 4 + (i / 2) % 2 + 2]);
                    if i % 2 == 0 { _mm512_unpacklo_epi64(a, b) } else { _mm512_unpackhi_epi64(a, b) }
                }];
                let mut words = [_mm512_setzero_si512(); 16];
                for i in 0..4 {
                    let (a, b) = (u[i], u[i + 4]);
                    let (c, d) = (u[i + 8], u[i + 12]);
                    let (ab_even, ab_odd) =
                        (_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0xdd>(a, b));
                    let (cd_even, cd_odd) =
                        (_mm512_shuffle_i32x4::<0x88>(c, d), _mm512_shuffle_i32x4::<0xdd>(c, d));
                    words[i] = _mm512_shuffle_i32x4::<0x88>(ab_even, cd_even);
                    words[i + 8] = _mm512_shuffle_i32x4::<0xdd>(ab_even, cd_even);
                    words[i + 4] = _mm512_shuffle_i32x4::<0x88>(ab_odd, cd_odd);
                    words[i + 12] = _mm512_shuffle_i32x4::<0xdd>(ab_odd, cd_odd);
                }
                array![16; i => U32x16(words[i])]
            }
        }
    }

    #[allow(clippy::undocumented_unsafe_blocks, reason = "stated once, above")]
    impl Word64 for U64x2 {
        #[inline(always)]
        unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 8] {
            unsafe {
                let mut words = [_mm_setzero_si128(); 8];
                for pair in 0..4 {
                    let mut r: [__m128i; 2] = array![2; lane => {
                        _mm_loadu_si128((*messages.add(lane)).add(offset + 16 * pair).cast())
                    }];
                    if order == Endian::Big {
                        r = array![2; i => swap64_sse2(r[i])];
                    }
                    words[2 * pair] = _mm_unpacklo_epi64(r[0], r[1]);
                    words[2 * pair + 1] = _mm_unpackhi_epi64(r[0], r[1]);
                }
                array![8; i => U64x2(words[i])]
            }
        }
    }

    #[allow(clippy::undocumented_unsafe_blocks, reason = "stated once, above")]
    impl Word64 for U64x4 {
        #[inline(always)]
        unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 8] {
            unsafe {
                let mut words = [_mm256_setzero_si256(); 8];
                for half in 0..2 {
                    let mut r: [__m256i; 4] = array![4; lane => {
                        _mm256_loadu_si256((*messages.add(lane)).add(offset + 32 * half).cast())
                    }];
                    if order == Endian::Big {
                        r = swap256(r, &SWAP64);
                    }
                    let (a, b) = (_mm256_unpacklo_epi64(r[0], r[1]), _mm256_unpackhi_epi64(r[0], r[1]));
                    let (c, d) = (_mm256_unpacklo_epi64(r[2], r[3]), _mm256_unpackhi_epi64(r[2], r[3]));
                    words[4 * half] = _mm256_permute2x128_si256::<0x20>(a, c);
                    words[4 * half + 1] = _mm256_permute2x128_si256::<0x20>(b, d);
                    words[4 * half + 2] = _mm256_permute2x128_si256::<0x31>(a, c);
                    words[4 * half + 3] = _mm256_permute2x128_si256::<0x31>(b, d);
                }
                array![8; i => U64x4(words[i])]
            }
        }
    }

    #[allow(clippy::undocumented_unsafe_blocks, reason = "stated once, above")]
    impl Word64 for U64x8 {
        #[inline(always)]
        unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 8] {
            unsafe {
                let mut r: [__m512i; 8] =
                    array![8; lane => _mm512_loadu_si512((*messages.add(lane)).add(offset).cast())];
                if order == Endian::Big {
                    r = swap512(r, &SWAP64);
                }
                // u[2 * p + i] holds words i, i + 2, i + 4, i + 6 of the messages 2p and 2p + 1.
                let u: [__m512i; 8] = array![8; i => {
                    let (a, b) = (r[i / 2 * 2], r[i / 2 * 2 + 1]);
                    if i % 2 == 0 { _mm512_unpacklo_epi64(a, b) } else { _mm512_unpackhi_epi64(a, b) }
                }];
                let mut words = [_mm512_setzero_si512(); 8];
                for i in 0..2 {
                    let (a, b, c, d) = (u[i], u[i + 2], u[i + 4], u[i + 6]);
                    let (ab_even, ab_odd) =
                        (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0xdd>(a, b));
                    let (cd_even, cd_odd) =
                        (_mm512_shuffle_i64x2::<0x88>(c, d), _mm512_shuffle_i64x2::<0xdd>(c, d));
                    words[i] = _mm512_shuffle_i64x2::<0x88>(ab_even, cd_even);
                    words[i + 4] = _mm512_shuffle_i64x2::<0xdd>(ab_even, cd_even);
                    words[i + 2] = _mm512_shuffle_i64x2::<0x88>(ab_odd, cd_odd);
                    words[i + 6] = _mm512_shuffle_i64x2::<0xdd>(ab_odd, cd_odd);
                }
                array![8; i => U64x8(words[i])]
            }
        }
    }
}
