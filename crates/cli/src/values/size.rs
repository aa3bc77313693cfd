//! Sizes and byte ranges.

use std::num::NonZeroU64;
use std::ops::Range;
use truesum::hash::{Size, SizeError};

/// Parses a number of bytes: `65536`, `64KiB`, `1GiB`, in the grammar of [`Size`].
pub fn size(text: &str) -> Result<u64, SizeError> {
    text.parse().map(|Size(bytes)| bytes)
}

/// Parses a number of bytes per second: `200MB/s`, or the same without `/s`.
pub fn rate(text: &str) -> Result<NonZeroU64, String> {
    let bytes = size(text.strip_suffix("/s").unwrap_or(text)).map_err(|error| error.to_string())?;
    NonZeroU64::new(bytes).ok_or_else(|| "expected at least one byte per second".to_owned())
}

/// Parses the resolution of a stored tree: from 64 KiB to 64 MiB.
pub fn granule(text: &str) -> Result<u64, String> {
    let bytes = size(text).map_err(|error| error.to_string())?;
    match (64 << 10..=64 << 20).contains(&bytes) {
        true => Ok(bytes),
        false => Err("expected 64KiB to 64MiB".to_owned()),
    }
}

/// Parses a range `A..B` of two sizes.
pub fn range(text: &str) -> Result<Range<u64>, String> {
    let (start, end) = text.split_once("..").ok_or("expected two offsets, such as 0..1MiB")?;
    let offset = |text| size(text).map_err(|error| error.to_string());
    let range = offset(start)?..offset(end)?;
    if range.start > range.end {
        return Err("the range ends before it begins".to_owned());
    }
    Ok(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_ranges_are_parsed() {
        assert_eq!(size("0"), Ok(0));
        assert_eq!(size("64kib"), Ok(65536));
        assert_eq!(range("1MiB..3MiB"), Ok(1 << 20..3 << 20));
        assert_eq!(size("1.5MiB"), Ok(3 << 19));
        for text in ["", "KiB", "-1", "1.5", "1XB", "99999999999TiB", "+1"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert_eq!(
            (rate("200MB/s").map(NonZeroU64::get), rate("1KiB").map(NonZeroU64::get)),
            (Ok(200_000_000), Ok(1024))
        );
        assert!(rate("0/s").is_err() && rate("1MB/m").is_err());
        assert_eq!((granule("64KiB"), granule("64M")), (Ok(64 << 10), Ok(64 << 20)));
        assert!(granule("4KiB").is_err() && granule("1GiB").is_err());
        for text in ["1", "2..1", "..", "1..", "a..b"] {
            assert!(range(text).is_err(), "{text}");
        }
    }
}
