//! The factors for blocks and registers, computed from the polynomial.

/// The factors of one polynomial.
pub(super) struct Factors {
    /// `x^128 / P` without its highest power.
    pub(super) quotient: u64,
    /// The factor for `H` at the end of a message, which is 64 bits before the lower end of the register.
    pub(super) last: u64,
    /// The factors for vectors that are 128, 256, 512, 1024 and 2048 bits before others.
    pub(super) before: [[u64; 2]; 5],
}

impl Factors {
    pub(super) const fn new(poly: u64, refin: bool) -> Factors {
        // A power less for mirrored factors: their product is the mirrored product times `x`.
        let less = refin as u32;
        let mut before = [[0; 2]; 5];
        let mut step = 0;
        while step < before.len() {
            let bits = 128 << step;
            let (high, low) = (power(bits + 64 - less, poly), power(bits - less, poly));
            before[step] = if refin { [high.reverse_bits(), low.reverse_bits()] } else { [low, high] };
            step += 1;
        }
        let (last, quotient) = (power(128 - less, poly), quotient(poly));
        if refin {
            return Factors { quotient: quotient.reverse_bits(), last: last.reverse_bits(), before };
        }
        Factors { quotient, last, before }
    }
}

const fn times_x(remainder: u64, poly: u64) -> u64 {
    (remainder << 1) ^ ((remainder >> 63) * poly)
}

/// `x^exponent mod P`.
const fn power(exponent: u32, poly: u64) -> u64 {
    let (mut power, mut bit) = (1, u32::BITS - exponent.leading_zeros());
    while bit > 0 {
        bit -= 1;
        let (mut square, mut at) = (0, u64::BITS);
        while at > 0 {
            at -= 1;
            square = times_x(square, poly) ^ ((power >> at & 1) * power);
        }
        power = if exponent >> bit & 1 == 1 { times_x(square, poly) } else { square };
    }
    power
}

/// `x^128 / P` without its highest power: the division of `x^64 (P - x^64)`.
const fn quotient(poly: u64) -> u64 {
    let (mut rest, mut quotient, mut step) = (poly, 0, 0);
    while step < u64::BITS {
        quotient = quotient << 1 | rest >> 63;
        rest = times_x(rest, poly);
        step += 1;
    }
    quotient
}
