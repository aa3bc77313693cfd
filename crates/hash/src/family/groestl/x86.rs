//! Grøstl with AES's substitution as an instruction: by rows, with sixteen bytes of each row in a lane of sixteen
//! bytes.
//!
//! A row of the shorter permutations has eight bytes, and that of Q follows that of P; a row of the longer ones fills a
//! lane, and Q has the lane after P's. Each step of a round is thus the same for both, except for the constants. Wider
//! registers contain several messages.

use super::{rounds, shifts};
use crate::word::{array, unknown};
use std::arch::x86_64::*;

/// Sixteen bytes of a row, in one or several lanes.
pub(super) trait Register: Copy {
    /// The number of lanes.
    const LANES: usize;
    /// True if the substitution includes AES's ShiftRows.
    const SHIFTS: bool;

    /// Loads one lane from each of these places.
    unsafe fn gather(places: [*const u8; 4], offset: usize) -> Self;
    unsafe fn scatter(self, places: *mut [u8; 16]);
    fn xor(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn add(self, other: Self) -> Self;
    /// Permutes the bytes of each lane according to `places`.
    fn shuffle(self, places: Self) -> Self;
    /// Applies AES's substitution to every byte.
    fn substitute(self) -> Self;
    /// Multiplies every byte by two in AES's field.
    fn double(self) -> Self;
    fn low16(self, other: Self) -> Self;
    fn high16(self, other: Self) -> Self;
    fn low32(self, other: Self) -> Self;
    fn high32(self, other: Self) -> Self;
    fn low64(self, other: Self) -> Self;
    fn high64(self, other: Self) -> Self;
    /// Swaps the halves of each lane.
    fn swap_halves(self) -> Self;
    /// Swaps every two adjacent lanes; a single one is unchanged.
    #[inline(always)]
    fn swap_lanes(self) -> Self {
        self
    }
    #[inline(always)]
    fn xor3(self, a: Self, b: Self) -> Self {
        self.xor(a).xor(b)
    }
}

macro_rules! register {
    (
        $(#[$doc:meta])* $name:ident($reg:ty) x $lanes:literal, $shifts:literal;
        gather |$places:ident, $offset:ident| $gather:expr;
        scatter $store:ident;
        substitute |$x:ident| $substitute:expr;
        double |$y:ident| $double:expr;
        $xor:ident $and:ident $add:ident $shuffle:ident $swap32:ident
        $low16:ident $high16:ident $low32:ident $high32:ident $low64:ident $high64:ident
        $(; swap_lanes |$z:ident| $swap:expr)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name($reg);

        // A value of this type exists only inside a kernel row that was compiled for, and runs only on, CPUs with its
        // features. Therefore all of these are safe.
        impl Register for $name {
            const LANES: usize = $lanes;
            const SHIFTS: bool = $shifts;
            #[inline(always)]
            unsafe fn gather($places: [*const u8; 4], $offset: usize) -> Self {
                // SAFETY: the row's features, and the pointers guaranteed by the caller.
                unsafe { $name($gather) }
            }
            #[inline(always)]
            unsafe fn scatter(self, places: *mut [u8; 16]) {
                // SAFETY: the row's features, and the pointer guaranteed by the caller.
                unsafe { $store(places.cast(), self.0) }
            }
            #[inline(always)]
            fn substitute(self) -> Self {
                let $x = self.0;
                // SAFETY: the row's features.
                unsafe { $name($substitute) }
            }
            #[inline(always)]
            fn double(self) -> Self {
                let $y = self.0;
                // SAFETY: the row's features.
                unsafe { $name($double) }
            }
            $(
                #[inline(always)]
                fn swap_lanes(self) -> Self {
                    let $z = self.0;
                    // SAFETY: the row's features.
                    unsafe { $name($swap) }
                }
            )?
            #[inline(always)]
            fn swap_halves(self) -> Self {
                // SAFETY: the row's features.
                unsafe { $name($swap32::<0b01_00_11_10>(self.0)) }
            }
            register!(@ $name: xor $xor, and $and, add $add, shuffle $shuffle, low16 $low16, high16 $high16, low32 $low32,
                high32 $high32, low64 $low64, high64 $high64);
        }
    };
    (@ $name:ident: $($method:ident $intrinsic:ident),*) => {
        $(
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: the row's features.
                unsafe { $name($intrinsic(self.0, other.0)) }
            }
        )*
    };
}

/// The affine transformation of AES's S-box in the format of `vgf2p8affineinvqb`.
const AFFINE: i64 = 0xf1e3_c78f_1f3e_7cf8_u64 as i64;

register!(
    /// One lane, with the AES instructions.
    Aes(__m128i) x 1, true;
    gather |places, offset| _mm_loadu_si128(places[0].add(offset).cast());
    scatter _mm_storeu_si128;
    substitute |x| _mm_aesenclast_si128(x, _mm_setzero_si128());
    double |x| {
        let over = _mm_cmpgt_epi8(_mm_setzero_si128(), x);
        _mm_xor_si128(_mm_add_epi8(x, x), _mm_and_si128(over, _mm_set1_epi8(0x1b)))
    };
    _mm_xor_si128 _mm_and_si128 _mm_add_epi8 _mm_shuffle_epi8 _mm_shuffle_epi32
    _mm_unpacklo_epi16 _mm_unpackhi_epi16 _mm_unpacklo_epi32 _mm_unpackhi_epi32 _mm_unpacklo_epi64 _mm_unpackhi_epi64
);
register!(
    /// One lane.
    Gfni128(__m128i) x 1, false;
    gather |places, offset| _mm_loadu_si128(places[0].add(offset).cast());
    scatter _mm_storeu_si128;
    substitute |x| _mm_gf2p8affineinv_epi64_epi8::<0x63>(x, _mm_set1_epi64x(AFFINE));
    double |x| _mm_gf2p8mul_epi8(x, _mm_set1_epi8(2));
    _mm_xor_si128 _mm_and_si128 _mm_add_epi8 _mm_shuffle_epi8 _mm_shuffle_epi32
    _mm_unpacklo_epi16 _mm_unpackhi_epi16 _mm_unpacklo_epi32 _mm_unpackhi_epi32 _mm_unpacklo_epi64 _mm_unpackhi_epi64
);
register!(
    /// Two lanes.
    Gfni256(__m256i) x 2, false;
    gather |places, offset| _mm256_loadu2_m128i(places[1].add(offset).cast(), places[0].add(offset).cast());
    scatter _mm256_storeu_si256;
    substitute |x| _mm256_gf2p8affineinv_epi64_epi8::<0x63>(x, _mm256_set1_epi64x(AFFINE));
    double |x| _mm256_gf2p8mul_epi8(x, _mm256_set1_epi8(2));
    _mm256_xor_si256 _mm256_and_si256 _mm256_add_epi8 _mm256_shuffle_epi8 _mm256_shuffle_epi32
    _mm256_unpacklo_epi16 _mm256_unpackhi_epi16 _mm256_unpacklo_epi32 _mm256_unpackhi_epi32 _mm256_unpacklo_epi64
    _mm256_unpackhi_epi64;
    swap_lanes |x| _mm256_permute4x64_epi64::<0b01_00_11_10>(x)
);
register!(
    /// Four lanes.
    Gfni512(__m512i) x 4, false;
    gather |places, offset| {
        let low = _mm256_loadu2_m128i(places[1].add(offset).cast(), places[0].add(offset).cast());
        let high = _mm256_loadu2_m128i(places[3].add(offset).cast(), places[2].add(offset).cast());
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
    };
    scatter _mm512_storeu_si512;
    substitute |x| _mm512_gf2p8affineinv_epi64_epi8::<0x63>(x, _mm512_set1_epi64(AFFINE));
    double |x| _mm512_gf2p8mul_epi8(x, _mm512_set1_epi8(2));
    _mm512_xor_si512 _mm512_and_si512 _mm512_add_epi8 _mm512_shuffle_epi8 swap512
    _mm512_unpacklo_epi16 _mm512_unpackhi_epi16 _mm512_unpacklo_epi32 _mm512_unpackhi_epi32 _mm512_unpacklo_epi64
    _mm512_unpackhi_epi64;
    swap_lanes |x| _mm512_shuffle_i64x2::<0b10_11_00_01>(x, x)
);

/// The shuffle of 32-bit words, whose pattern has a different type for these registers.
#[inline(always)]
unsafe fn swap512<const PATTERN: i32>(x: __m512i) -> __m512i {
    // SAFETY: only AVX-512 rows call this.
    unsafe { _mm512_shuffle_epi32::<PATTERN>(x) }
}

/// Two lanes in two registers with one lane each.
#[derive(Clone, Copy)]
pub(super) struct AesPair(Aes, Aes);

macro_rules! both {
    ($($method:ident)*; $($alone:ident)*) => {
        $(
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                AesPair(self.0.$method(other.0), self.1.$method(other.1))
            }
        )*
        $(
            #[inline(always)]
            fn $alone(self) -> Self {
                AesPair(self.0.$alone(), self.1.$alone())
            }
        )*
    };
}

impl Register for AesPair {
    const LANES: usize = 2;
    const SHIFTS: bool = true;
    #[inline(always)]
    unsafe fn gather(places: [*const u8; 4], offset: usize) -> Self {
        let [first, second, ..] = places;
        // SAFETY: guaranteed by the caller.
        unsafe { AesPair(Aes::gather([first; 4], offset), Aes::gather([second; 4], offset)) }
    }
    #[inline(always)]
    unsafe fn scatter(self, places: *mut [u8; 16]) {
        // SAFETY: guaranteed by the caller: room for two lanes.
        unsafe {
            self.0.scatter(places);
            self.1.scatter(places.add(1));
        }
    }
    #[inline(always)]
    fn swap_lanes(self) -> Self {
        AesPair(self.1, self.0)
    }
    both!(xor and add shuffle low16 high16 low32 high32 low64 high64; substitute double swap_halves);
}

/// Lanes of P and of Q alternating; they are equal if both contain halves of each.
type Lanes = [[u8; 16]; 2];

/// The constants of a round for `COLUMNS` columns.
struct Constants {
    /// The source of each byte of a row, for a substitution that includes ShiftRows.
    shifted: [Lanes; 8],
    /// The same for a substitution that does not.
    plain: [Lanes; 8],
    /// The values that are combined in the first round with the first row, the last row, and those between.
    joined: [Lanes; 3],
    /// The increments of the first two in each round.
    growth: [Lanes; 2],
    /// The bytes that belong to P.
    first: Lanes,
}

const fn constants(columns: usize) -> Constants {
    const NONE: Lanes = [[0; 16]; 2];
    let by = shifts(columns);
    let mut all =
        Constants { shifted: [NONE; 8], plain: [NONE; 8], joined: [NONE; 3], growth: [NONE; 2], first: NONE };
    let mut n = 0;
    while n < 32 {
        let (lane, byte) = (n / 16, n % 16);
        let (q, column) = if columns == 8 { (byte / 8, byte % 8) } else { (lane, byte) };
        let place = (column as u8) << 4;
        if q == 0 {
            all.first[lane][byte] = 0xff;
            all.joined[0][lane][byte] = place;
            all.growth[0][lane][byte] = 1;
        } else {
            all.joined[0][lane][byte] = 0xff;
            all.joined[1][lane][byte] = 0xff ^ place;
            all.joined[2][lane][byte] = 0xff;
            // The round number is combined with ones, so the remaining value decreases.
            all.growth[1][lane][byte] = 0xff;
        }
        // The position from which ShiftRows takes this byte, in a state of four by four.
        let before = (byte / 4 + byte % 4) % 4 * 4 + byte % 4;
        let mut row = 0;
        while row < 8 {
            let from = (column + by[q][row] as usize) % columns + byte - column;
            all.plain[row][lane][byte] = from as u8;
            all.shifted[row][lane][before] = from as u8;
            row += 1;
        }
        n += 1;
    }
    all
}

static CONSTANTS: [Constants; 2] = [constants(8), constants(16)];

/// Interleaves the bytes of a lane's halves.
static HALVES: [u8; 16] = [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15];

/// Transposes eight columns to rows, two of which are in each register, and vice versa.
#[inline(always)]
unsafe fn transposed<R: Register>(columns: [R; 4], halves: R) -> [R; 4] {
    let c: [R; 4] = array![4; i => columns[i].shuffle(halves)];
    let (a, b) = (c[0].low16(c[1]), c[0].high16(c[1]));
    let (d, e) = (c[2].low16(c[3]), c[2].high16(c[3]));
    [a.low32(d), a.high32(d), b.low32(e), b.high32(e)]
}

/// Loads the rows of the columns at these places: for eight columns those of P and of Q.
#[inline(always)]
unsafe fn rows<R: Register, const COLUMNS: usize>(places: [*const u8; 4], offset: usize, halves: R) -> [R; 8] {
    // SAFETY: guaranteed by the caller: so many bytes at each place, the CPU features.
    unsafe {
        let first = transposed(array![4; i => R::gather(places, offset + 16 * i)], halves);
        let mut last = first;
        if COLUMNS == 16 {
            last = transposed(array![4; i => R::gather(places, offset + 64 + 16 * i)], halves);
        }
        array![8; i => if i % 2 == 0 { first[i / 2].low64(last[i / 2]) } else { first[i / 2].high64(last[i / 2]) }]
    }
}

/// Mixes the bytes of each column and combines the rows with the start of the next round: 24 sums and 16 products
/// instead of 56 and 40.
#[inline(always)]
fn mixed<R: Register>(a: [R; 8], joined: [R; 3]) -> [R; 8] {
    let t: [R; 8] = array![8; i => a[i].xor(a[(i + 1) % 8])];
    let y: [R; 8] = array![8; i => t[i].xor3(t[(i + 2) % 8], a[(i + 6) % 8])];
    let z: [R; 8] = array![8; i => t[i].xor(t[(i + 3) % 8]).double()];
    let w: [R; 8] = array![8; i => z[i].xor(y[(i + 4) % 8]).double()];
    array![8; i => {
        w[(i + 3) % 8].xor3(y[(i + 4) % 8], if i == 0 { joined[0] } else if i == 7 { joined[1] } else { joined[2] })
    }]
}

/// Processes blocks in every lane.
///
/// # Safety
/// The same as for [`crate::block::row::Advance`] for as many messages as the register has room for, on a CPU with its
/// features.
#[inline(always)]
pub(super) unsafe fn compress<R: Register, const COLUMNS: usize>(
    state: *mut u64,
    messages: *const *const u8,
    blocks: usize,
) {
    // The number of lanes per message.
    let each = COLUMNS / 8;
    let many = R::LANES / each;
    // Hidden from the compiler, which would otherwise turn one shuffle with these positions into three.
    let known = &CONSTANTS[each - 1];
    let constants = if R::SHIFTS { known } else { unknown(known) };
    // SAFETY: guaranteed by the caller: as many words of state as there are columns for each message, complete blocks,
    // the CPU features; tables are as long as what is loaded.
    unsafe {
        macro_rules! load {
            ($lanes:expr) => {{
                let [p, q] = [$lanes[0].as_ptr(), $lanes[1].as_ptr()];
                R::gather([p, q, p, q], 0)
            }};
        }
        let halves = R::gather([HALVES.as_ptr(); 4], 0);
        let first = load!(constants.first);
        let from = if R::SHIFTS { &constants.shifted } else { &constants.plain };
        let growth = [load!(constants.growth[0]), load!(constants.growth[1])];
        let mut places = [*messages; 4];
        let mut columns = [[0u64; 16]; 4];
        for lane in 0..R::LANES {
            places[lane] = *messages.add(lane / each);
            for (word, column) in columns[lane][..COLUMNS].iter_mut().enumerate() {
                *column = *state.add(word * many + lane / each);
            }
        }
        let begun: [*const u8; 4] = array![4; lane => columns[lane].as_ptr().cast()];
        let begun: [R; 8] = rows::<R, COLUMNS>(begun, 0, halves);
        let mut chain: [R; 8] = array![8; i => begun[i].and(first)];
        for block in 0..blocks {
            let m: [R; 8] = rows::<R, COLUMNS>(places, block * 8 * COLUMNS, halves);
            let mut joined = [load!(constants.joined[0]), load!(constants.joined[1]), load!(constants.joined[2])];
            let mut x: [R; 8] = array![8; i => {
                m[i].xor3(chain[i], if i == 0 { joined[0] } else if i == 7 { joined[1] } else { joined[2] })
            }];
            for _ in 0..rounds(COLUMNS) {
                joined[0] = joined[0].add(growth[0]);
                joined[1] = joined[1].add(growth[1]);
                let shifted: [R; 8] = array![8; i => x[i].shuffle(load!(from[i])).substitute()];
                x = mixed(shifted, joined);
            }
            // Remove the start of another round, which is in both permutations.
            for i in 0..8 {
                let end = x[i].xor(if i == 0 { joined[0] } else if i == 7 { joined[1] } else { joined[2] });
                let other = if COLUMNS == 8 { end.swap_halves() } else { end.swap_lanes() };
                chain[i] = chain[i].xor(end.xor(other).and(first));
            }
        }
        let mut ended = [[[0u8; 16]; 4]; 8];
        let columns = transposed(array![4; i => chain[2 * i].low64(chain[2 * i + 1])], halves);
        for i in 0..4 {
            columns[i].scatter(ended[i].as_mut_ptr());
        }
        if COLUMNS == 16 {
            let columns = transposed(array![4; i => chain[2 * i].high64(chain[2 * i + 1])], halves);
            for i in 0..4 {
                columns[i].scatter(ended[4 + i].as_mut_ptr());
            }
        }
        for message in 0..many {
            for word in 0..COLUMNS {
                let [low, high] = [&ended[word / 2][message * each][..8], &ended[word / 2][message * each][8..]];
                let bytes = if word % 2 == 0 { low } else { high };
                *state.add(word * many + message) = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            }
        }
    }
}
