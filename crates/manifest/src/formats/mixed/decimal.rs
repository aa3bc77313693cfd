//! Decimal lines of `cksum` and `sum`: `CRC BYTES NAME`, `SUM BLOCKS NAME`. They are read only where the algorithm is
//! known, because any three words could be one.

use crate::scan;
use truesum_hash::{Digest, Spec};

/// A decimal line.
pub(crate) struct Sum<'a> {
    pub(crate) spec: Spec,
    pub(crate) digest: Digest,
    /// Bytes, where the line gives them; `sum` gives blocks, which say less.
    pub(crate) size: Option<u64>,
    pub(crate) name: &'a [u8],
}

/// Reads a decimal line if the only algorithm expected writes such lines.
///
/// The same algorithms may stand in hexadecimal lines: those have another number of digits, or two characters between
/// digest and name.
pub(crate) fn split<'a>(line: &'a [u8], expected: &[Spec]) -> Option<Sum<'a>> {
    let [spec] = expected else { return None };
    let name = spec.algorithm().name;
    if !matches!(name, "crc" | "crc32" | "bsd" | "sysv") {
        return None;
    }
    let (value, rest) = number(line)?;
    let digits = line.len() - rest.len();
    let gap = rest.len() - scan::trim_start(rest).len();
    // Fewer digits would be those of a hexadecimal CRC-32.
    if gap == 0
        || (name == "crc32" && digits < 9)
        || (name == "bsd" && digits != 5)
        || (name != "bsd" && gap != 1)
    {
        return None;
    }
    let (size, rest) = number(&rest[gap..])?;
    let [b' ', file @ ..] = rest else { return None };
    let digest = match name {
        "crc" | "crc32" => Digest::new(&u32::try_from(value).ok()?.to_be_bytes()),
        _ => Digest::new(&u16::try_from(value).ok()?.to_be_bytes()),
    };
    let size = name.starts_with("crc").then_some(size);
    Some(Sum { spec: spec.clone(), digest, size, name: file })
}

/// The decimal number in front, and the rest.
fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let end = scan::find(text, |byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let digits = std::str::from_utf8(&text[..end]).ok()?;
    Some((digits.parse().ok()?, &text[end..]))
}
