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
    let form = spec.algorithm().decimal?;
    let (value, rest) = number(line)?;
    let digits = line.len() - rest.len();
    let gap = rest.len() - scan::trim_start(rest).len();
    // As many digits as in hexadecimal, or fewer, are taken for hexadecimal ones where those are usual.
    let ambiguous = !form.usual && digits <= spec.digest_len() * 2;
    // The value has a fixed width where the size has: blanks then fill the column.
    let fixed = form.column > 1;
    if gap == 0 || ambiguous || (fixed && digits != form.digits) || (!fixed && gap != 1) {
        return None;
    }
    let (size, rest) = number(&rest[gap..])?;
    let [b' ', file @ ..] = rest else { return None };
    let bytes = value.to_be_bytes();
    let (excess, value) = bytes.split_at(bytes.len() - spec.digest_len());
    if excess.iter().any(|&byte| byte != 0) {
        return None;
    }
    let (digest, size) = (Digest::new(value), (form.block == 1).then_some(size));
    Some(Sum { spec: spec.clone(), digest, size, name: file })
}

/// The decimal number in front, and the rest.
fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let end = scan::find(text, |byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let digits = std::str::from_utf8(&text[..end]).ok()?;
    Some((digits.parse().ok()?, &text[end..]))
}
