//! The folding of a message, generic over the instructions for a block and a vector of blocks.

use super::Folding;
use crate::word::array;

/// The size of a block.
pub(super) const SIZE: usize = 16;

/// Sixteen bytes.
///
/// # Safety
/// For every function here and in [`Vector`]: the CPU has the instructions, as is the case in code that is compiled for
/// them and calls it; pointers are valid for as many bytes as the value has.
pub(super) trait Block: Copy {
    /// Loads a block in the order of a polynomial's coefficients.
    unsafe fn load(from: *const u8, refin: bool) -> Self;
    unsafe fn of(words: [u64; 2]) -> Self;
    unsafe fn words(self) -> [u64; 2];
    unsafe fn xor(self, other: Self) -> Self;
    /// Returns this block moved to the position of another and added to it: the products of the lower words and of the
    /// upper words.
    unsafe fn onto(self, by: Self, other: Self) -> Self;
    /// Returns both words of a product.
    unsafe fn product(a: u64, b: u64) -> [u64; 2];
}

/// Several blocks.
pub(super) trait Vector: Copy {
    type Block: Block;
    const BLOCKS: usize;
    unsafe fn load(from: *const u8, refin: bool) -> Self;
    /// Returns a vector with the same block in every position.
    unsafe fn all(block: Self::Block) -> Self;
    /// Returns a vector with one block, followed by zeros.
    unsafe fn first(block: Self::Block) -> Self;
    unsafe fn xor(self, other: Self) -> Self;
    unsafe fn onto(self, by: Self, other: Self) -> Self;
    /// Returns all blocks moved into the last one; `before` is that of [`Factors`](super::factors::Factors).
    unsafe fn combined(self, before: &[[u64; 2]; 5]) -> Self::Block;
}

impl<B: Block> Vector for B {
    type Block = B;
    const BLOCKS: usize = 1;
    #[inline(always)]
    unsafe fn load(from: *const u8, refin: bool) -> Self {
        // SAFETY: the same contract.
        unsafe { B::load(from, refin) }
    }
    #[inline(always)]
    unsafe fn all(block: B) -> Self {
        block
    }
    #[inline(always)]
    unsafe fn first(block: B) -> Self {
        block
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the same contract.
        unsafe { B::xor(self, other) }
    }
    #[inline(always)]
    unsafe fn onto(self, by: Self, other: Self) -> Self {
        // SAFETY: the same contract.
        unsafe { B::onto(self, by, other) }
    }
    #[inline(always)]
    unsafe fn combined(self, _: &[[u64; 2]; 5]) -> B {
        self
    }
}

impl Folding {
    /// Returns `high x^64 mod P`, by Barrett reduction.
    #[inline(always)]
    unsafe fn reduced<B: Block>(&self, high: u64) -> u64 {
        // SAFETY: guaranteed by the caller.
        unsafe {
            if self.refin {
                let quotient = high ^ B::product(high, self.factors.quotient)[0] << 1;
                let [low, upper] = B::product(quotient, self.poly);
                return upper << 1 | low >> 63;
            }
            let quotient = high ^ B::product(high, self.factors.quotient)[1];
            B::product(quotient, self.poly)[0]
        }
    }

    /// Returns the register after a block that represents all bytes so far.
    #[inline(always)]
    unsafe fn closed<B: Block>(&self, block: B) -> u64 {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let [lower, upper] = block.words();
            let (high, low) = if self.refin { (lower, upper) } else { (upper, lower) };
            let [lower, upper] = B::product(high, self.factors.last);
            match self.refin {
                true => self.reduced::<B>(lower ^ low) ^ upper,
                false => self.reduced::<B>(upper ^ low) ^ lower,
            }
        }
    }

    /// Returns the register after at most eight bytes.
    #[inline(always)]
    unsafe fn few<B: Block>(&self, register: u64, data: &[u8]) -> u64 {
        let bits = 8 * data.len() as u32;
        if bits == 0 {
            return register;
        }
        let word = word(data);
        // SAFETY: guaranteed by the caller.
        unsafe {
            if self.refin {
                self.reduced::<B>((register ^ word) << (64 - bits)) ^ register.checked_shr(bits).unwrap_or(0)
            } else {
                let front = register ^ word.swap_bytes();
                self.reduced::<B>(front >> (64 - bits)) ^ register.checked_shl(bits).unwrap_or(0)
            }
        }
    }

    /// Processes vectors in groups of `AT_ONCE` while there are enough bytes, then one after the other.
    #[inline(always)]
    pub(super) unsafe fn folded<V: Vector, const AT_ONCE: usize>(&self, register: u64, data: &[u8]) -> u64 {
        let (mut at, end) = (0, data.len());
        // SAFETY: guaranteed by the caller; all loads end at or before `end`.
        unsafe {
            let from = data.as_ptr();
            let size = SIZE * V::BLOCKS;
            let register_block = V::Block::of(if self.refin { [register, 0] } else { [0, register] });
            let mut sum = None;
            if end >= size * AT_ONCE {
                let mut sums: [V; AT_ONCE] = array![AT_ONCE; i => V::load(from.add(i * size), self.refin)];
                sums[0] = Vector::xor(sums[0], V::first(register_block));
                at = size * AT_ONCE;
                let by = V::all(V::Block::of(self.factors.before[(V::BLOCKS * AT_ONCE).ilog2() as usize]));
                while end - at >= size * AT_ONCE {
                    for (i, sum) in sums.iter_mut().enumerate() {
                        *sum = Vector::onto(*sum, by, V::load(from.add(at + i * size), self.refin));
                    }
                    at += size * AT_ONCE;
                }
                // Fold one half onto the other repeatedly, so that products depend on few previous ones.
                let mut half = AT_ONCE / 2;
                while half > 0 {
                    let by = V::all(V::Block::of(self.factors.before[(V::BLOCKS * half).ilog2() as usize]));
                    for i in 0..half {
                        sums[i] = Vector::onto(sums[i], by, sums[i + half]);
                    }
                    half /= 2;
                }
                sum = Some(sums[0].combined(&self.factors.before));
            }
            let by = V::Block::of(self.factors.before[0]);
            let mut register = register;
            if sum.is_none() && end - at >= SIZE {
                sum = Some(Block::xor(<V::Block as Block>::load(from, self.refin), register_block));
                at += SIZE;
            }
            if let Some(mut sum) = sum {
                while end - at >= SIZE {
                    sum = Block::onto(sum, by, <V::Block as Block>::load(from.add(at), self.refin));
                    at += SIZE;
                }
                register = self.closed(sum);
            }
            let rest = &data[at..];
            let (first, last) = rest.split_at(rest.len().min(8));
            self.few::<V::Block>(self.few::<V::Block>(register, first), last)
        }
    }
}

/// Returns up to eight bytes as a word, the first one lowest, with zeros at the lower end.
#[inline(always)]
fn word(data: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    bytes[..data.len()].copy_from_slice(data);
    u64::from_le_bytes(bytes)
}

