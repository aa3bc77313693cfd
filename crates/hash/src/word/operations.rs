//! What every word can do, whatever register it is: the vocabulary of kernel bodies.
#![allow(unsafe_code)]

use super::unroll::array;
use std::mem::MaybeUninit;

/// The most lanes of 32 bits.
const MOST: usize = 32;

/// Operations every word has.
pub(crate) trait Word: Copy {
    /// One lane's value.
    type Lane: Copy + 'static;
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
    fn sub(self, other: Self) -> Self;
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
    /// `self ^ a ^ b`
    #[inline(always)]
    fn xor3(self, a: Self, b: Self) -> Self {
        self.xor(a).xor(b)
    }
    /// `self ^ (!a & b)`
    #[inline(always)]
    fn xor_andnot(self, a: Self, b: Self) -> Self {
        self.xor(a.andnot(b))
    }
    /// `self`, and `other` rotated to the left by one bit.
    #[inline(always)]
    fn xor_rotl1(self, other: Self) -> Self {
        self.xor(other.rotl(1))
    }
    /// The exclusive or with `other`, rotated to the left.
    #[inline(always)]
    fn xor_rotl(self, other: Self, bits: u32) -> Self {
        self.xor(other).rotl(bits)
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

    /// Reads 32 bytes of every message, as eight words, and nothing behind them.
    ///
    /// # Safety
    /// As [`Word::splat`]; `messages` holds `LANES` pointers, each valid for reading `offset + 32` bytes.
    #[inline(always)]
    unsafe fn half_chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 8] {
        let mut copies = [const { MaybeUninit::<[[u8; 32]; 2]>::uninit() }; MOST];
        let mut places = [std::ptr::null(); MOST];
        for lane in 0..Self::LANES {
            // SAFETY: the caller's promise.
            let half = unsafe { *(*messages.add(lane)).add(offset).cast::<[u8; 32]>() };
            places[lane] = copies[lane].write([half; 2]).as_ptr().cast();
        }
        // SAFETY: the caller's promise, and each copy is 64 bytes.
        let words = unsafe { Self::chunk(places.as_ptr(), 0, order) };
        array![8; i => words[i]]
    }
}

/// 64-bit lanes.
pub(crate) trait Word64: Word<Lane = u64> {
    /// Reads 64 bytes of every message, `offset` bytes into it, as eight words.
    ///
    /// # Safety
    /// As [`Word32::chunk`].
    unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 8];
}
