//! Two words side by side.
#![allow(unsafe_code)]

use super::operations::{Endian, Word, Word32, Word64};
use super::unroll::array;

/// Two words side by side: twice the lanes, and independent work while one of them waits.
#[derive(Clone, Copy)]
pub(crate) struct X2<W>(W, W);

impl<W: Word> Word for X2<W> {
    type Lane = W::Lane;
    const LANES: usize = 2 * W::LANES;
    const REGISTERS: usize = 2 * W::REGISTERS;
    const TERNARY: bool = W::TERNARY;
    #[inline(always)]
    unsafe fn splat(value: W::Lane) -> Self {
        // SAFETY: guaranteed by the caller.
        let word = unsafe { W::splat(value) };
        X2(word, word)
    }
    #[inline(always)]
    unsafe fn load(from: *const W::Lane) -> Self {
        // SAFETY: guaranteed by the caller, for twice the lanes.
        unsafe { X2(W::load(from), W::load(from.add(W::LANES))) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut W::Lane) {
        // SAFETY: guaranteed by the caller, for twice the lanes.
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
    fn sub(self, other: Self) -> Self {
        X2(self.0.sub(other.0), self.1.sub(other.1))
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
        // SAFETY: guaranteed by the caller, for twice the lanes.
        let (a, b) =
            unsafe { (W::chunk(messages, offset, order), W::chunk(messages.add(W::LANES), offset, order)) };
        array![16; i => X2(a[i], b[i])]
    }
}

impl<W: Word64> Word64 for X2<W> {
    #[inline(always)]
    unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 8] {
        // SAFETY: guaranteed by the caller, for twice the lanes.
        let (a, b) =
            unsafe { (W::chunk(messages, offset, order), W::chunk(messages.add(W::LANES), offset, order)) };
        array![8; i => X2(a[i], b[i])]
    }
}
