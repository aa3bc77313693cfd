//! The operations of every word, independent of the register: the vocabulary of kernel bodies.
#![allow(unsafe_code)]

/// Operations every word has.
pub(crate) trait Word: Copy {
    /// One lane's value.
    type Lane: Copy + 'static;
    /// The number of messages.
    const LANES: usize;
    /// The number of registers. Bodies for several keep loops that bodies for one unroll: their message words come from
    /// memory in any case, and LLVM's time grows with the square of the length of straight-line code.
    const REGISTERS: usize = 1;
    /// True if any function of three words is one instruction (`vpternlog`).
    const TERNARY: bool = false;

    /// Returns the same value in every lane.
    ///
    /// # Safety
    /// The CPU has the features of this word, and the caller is compiled for them.
    unsafe fn splat(value: Self::Lane) -> Self;
    /// Reads `LANES` values.
    ///
    /// # Safety
    /// The same as for [`Word::splat`]; `from` is valid for reading `LANES` values.
    unsafe fn load(from: *const Self::Lane) -> Self;
    /// Writes `LANES` values.
    ///
    /// # Safety
    /// The same as for [`Word::splat`]; `to` is valid for writing `LANES` values.
    unsafe fn store(self, to: *mut Self::Lane);

    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// `!self & other`
    fn andnot(self, other: Self) -> Self;
    fn not(self) -> Self;
    /// Rotates to the left; `bits` is a constant at every call once inlined.
    fn rotl(self, bits: u32) -> Self;
    /// Shifts to the right, filling with zeros.
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
    /// Returns the exclusive or of `self` and `other` rotated to the left by one bit.
    #[inline(always)]
    fn xor_rotl1(self, other: Self) -> Self {
        self.xor(other.rotl(1))
    }
    /// Returns the exclusive or with `other`, rotated to the left.
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
    /// The same as for [`Word::splat`].
    #[inline(always)]
    unsafe fn plus(self, constant: Self::Lane) -> Self {
        // SAFETY: guaranteed by the caller.
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
    /// Reads 64 bytes of every message, at `offset`, as sixteen words.
    ///
    /// # Safety
    /// The same as for [`Word::splat`]; `messages` holds `LANES` pointers, each valid for reading `offset + 64` bytes.
    unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 16];
}

/// Words that can be loaded from 32 bytes.
#[cfg(target_arch = "x86_64")]
pub(crate) trait HalfChunk: Word32 {
    /// Reads 32 bytes of every message as eight words, and nothing after them.
    ///
    /// # Safety
    /// The same as for [`Word::splat`]; `messages` holds `LANES` pointers, each valid for reading `offset + 32` bytes.
    unsafe fn half_chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 8];
}

/// 64-bit lanes.
pub(crate) trait Word64: Word<Lane = u64> {
    /// Reads 64 bytes of every message, at `offset`, as eight words.
    ///
    /// # Safety
    /// The same as for [`Word32::chunk`].
    unsafe fn chunk(messages: *const *const u8, offset: usize, order: Endian) -> [Self; 8];
}
