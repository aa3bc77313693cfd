//! Sizes and ranges of bytes.

use std::ops::Range;

/// Reads bytes as decimal digits with an optional binary unit: `65536`, `64KiB`, `1GiB`.
pub fn size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 5] =
        [("", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)];
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(&text[digits.len()..]));
    let (Some((_, unit)), true) = (unit, digits.bytes().all(|byte| byte.is_ascii_digit())) else {
        return Err("a number of bytes, or one with KiB, MiB, GiB or TiB behind it".to_owned());
    };
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(*unit));
    bytes.ok_or_else(|| "not a size that fits".to_owned())
}

/// Reads `A..B`, both sizes.
pub fn range(text: &str) -> Result<Range<u64>, String> {
    let (start, end) = text.split_once("..").ok_or("two offsets with .. between them")?;
    let range = size(start)?..size(end)?;
    if range.start > range.end {
        return Err("it ends before it begins".to_owned());
    }
    Ok(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_ranges() {
        assert_eq!(size("0"), Ok(0));
        assert_eq!(size("64kib"), Ok(65536));
        assert_eq!(range("1MiB..3MiB"), Ok(1 << 20..3 << 20));
        for text in ["", "KiB", "-1", "1.5MiB", "1MB", "99999999999TiB", "+1"] {
            assert!(size(text).is_err(), "{text}");
        }
        for text in ["1", "2..1", "..", "1..", "a..b"] {
            assert!(range(text).is_err(), "{text}");
        }
    }
}
