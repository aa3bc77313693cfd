//! Sizes in bytes as text: one grammar for command lines, names of digests and definitions.

use std::fmt;
use std::str::FromStr;

/// A number of bytes, as text.
///
/// Accepts decimal digits, with a fraction if the result is a whole number of bytes, followed by a unit in any letter
/// case: `KiB`, `MiB`, `GiB`, `TiB` and the single letters `K`, `M`, `G`, `T` are powers of 1024; `kB`, `MB`, `GB`,
/// `TB` are powers of 1000 (IEC 80000-13, and GNU programs). `B` is one byte. Blanks around the number are allowed.
///
/// Displays the number with the largest of `GiB`, `MiB` and `KiB` that divides it.
///
/// ```
/// use truesum_hash::Size;
/// let read = |text: &str| text.parse::<Size>().map(|size| size.0);
/// assert_eq!(read("65536"), Ok(65536));
/// assert_eq!(read("1.5 MiB"), Ok(1536 << 10));
/// assert_eq!((read("64K"), read("64kB")), (Ok(65536), Ok(64000)));
/// assert!(read("1.5").is_err() && read("-1").is_err());
/// assert_eq!(Size(65536).to_string(), "64KiB");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

/// Why a text is not a valid [`Size`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeError {
    /// It does not consist of digits and a unit.
    Form,
    /// It is not a whole number of bytes.
    Fraction,
    /// It does not fit in 64 bits.
    Large,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SizeError::Form => "expected a number of bytes, or a number with a unit: KiB, MiB, GiB, TiB (or K, M, G, T), kB, MB, GB or TB",
            SizeError::Fraction => "not a whole number of bytes",
            SizeError::Large => "the size is too large",
        })
    }
}

impl std::error::Error for SizeError {}

/// Binary units, the largest first.
const BINARY: [(&str, u64); 4] = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
/// Decimal units.
const DECIMAL: [(&str, u64); 4] =
    [("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000)];

/// Returns the number of bytes in a unit.
fn unit(name: &str) -> Option<u64> {
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    let binary = |known: &str| is(known) || is(&known[..1]) || is(&known[..2]);
    match name {
        "" | "b" | "B" => Some(1),
        _ => (BINARY.iter().find(|(known, _)| binary(known)))
            .or_else(|| DECIMAL.iter().find(|(known, _)| is(known)))
            .map(|(_, unit)| *unit),
    }
}

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Size, SizeError> {
        let text = text.trim();
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let unit = unit(text[end..].trim_start()).ok_or(SizeError::Form)?;
        let (whole, fraction) = text[..end].split_once('.').unwrap_or((&text[..end], ""));
        if whole.len() + fraction.len() == 0 || fraction.contains('.') {
            return Err(SizeError::Form);
        }
        let whole = if whole.is_empty() { 0 } else { whole.parse::<u64>().map_err(|_| SizeError::Large)? };
        let bytes = whole.checked_mul(unit).ok_or(SizeError::Large)?;
        // Digit by digit, starting with the last: each digit and what follows it are a tenth of ten times the unit.
        let mut rest = 0;
        for digit in fraction.bytes().rev() {
            let tenths = u64::from(digit - b'0') * unit + rest;
            if !tenths.is_multiple_of(10) {
                return Err(SizeError::Fraction);
            }
            rest = tenths / 10;
        }
        bytes.checked_add(rest).map(Size).ok_or(SizeError::Large)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names of digests contain it, with no larger unit than this.
        match BINARY[1..].iter().find(|(_, unit)| self.0 != 0 && self.0.is_multiple_of(*unit)) {
            Some((name, unit)) => write!(f, "{}{name}", self.0 / unit),
            None => write!(f, "{}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_parsed_in_every_common_spelling() {
        for (text, bytes) in [
            ("0", 0),
            ("512", 512),
            ("512 B", 512),
            ("64K", 65536),
            ("64ki", 65536),
            ("64kib", 65536),
            (" 128 KiB ", 131_072),
            ("1.5 kB", 1500),
            ("1.5MiB", 1_572_864),
            (".5k", 512),
            ("1.k", 1024),
            ("0.0009765625KiB", 1),
            ("32MiB", 32 << 20),
            ("1MB", 1_000_000),
            ("4g", 4 << 30),
            ("2TB", 2_000_000_000_000),
            ("16777215TiB", 16_777_215 << 40),
            ("18446744073709551615", u64::MAX),
            ("1.50000000000000000000000000000000000000000000000000000000000k", 1536),
        ] {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
        for (text, why) in [
            ("", SizeError::Form),
            ("K", SizeError::Form),
            (".", SizeError::Form),
            (".k", SizeError::Form),
            ("-1", SizeError::Form),
            ("+1", SizeError::Form),
            ("1e3", SizeError::Form),
            ("1 XB", SizeError::Form),
            ("1 2", SizeError::Form),
            ("1..2", SizeError::Form),
            ("1.2.3", SizeError::Form),
            ("1.5", SizeError::Fraction),
            ("0.3KiB", SizeError::Fraction),
            ("0.0004kB", SizeError::Fraction),
            ("16777216TiB", SizeError::Large),
            ("99999999999999999999", SizeError::Large),
        ] {
            assert_eq!(text.parse::<Size>(), Err(why), "{text}");
        }
    }

    #[test]
    fn displayed_sizes_parse_back() {
        for bytes in [0, 1, 1000, 1024, 96 << 10, (1 << 20) + 1, 5 << 30, 1 << 40, u64::MAX] {
            assert_eq!(Size(bytes).to_string().parse(), Ok(Size(bytes)));
        }
        assert_eq!(Size(1 << 40).to_string(), "1024GiB");
    }
}
