//! Decimal lines of `cksum` and `sum`: `CRC BYTES NAME` and `SUM BLOCKS NAME`. They are
//! recognized only if the algorithm is known, because any line with two numbers and a name could
//! be one.

use crate::scan;
use truesum_hash::{Digest, Spec};

/// A parsed decimal line.
pub(crate) struct Sum<'a> {
    pub(crate) spec: Spec,
    pub(crate) digest: Digest,
    /// The size in bytes; `None` for `sum`, which counts blocks.
    pub(crate) size: Option<u64>,
    pub(crate) name: &'a [u8],
}

/// Parses a decimal line, if the only expected algorithm has such lines.
///
/// Hexadecimal lines of the same algorithm are distinguished by their number of digits, or by the
/// two characters between digest and name.
pub(crate) fn split<'a>(line: &'a [u8], expected: &[Spec]) -> Option<Sum<'a>> {
    let [spec] = expected else { return None };
    let form = spec.algorithm().decimal()?;
    let (value, rest) = number(line)?;
    let digits = line.len() - rest.len();
    let gap = rest.len() - scan::trim_start(rest).len();
    // A number with at most as many digits as in hexadecimal is hexadecimal, unless decimal is
    // usual for the algorithm.
    let ambiguous = !form.usual() && digits <= spec.digest_len() * 2;
    // The value has a fixed width if the size is padded to a column.
    let fixed = form.column() > 1;
    if gap == 0 || ambiguous || (fixed && digits != form.digits()) || (!fixed && gap != 1) {
        return None;
    }
    let (size, rest) = number(&rest[gap..])?;
    // `cksum` of Solaris writes tabs.
    let separator = if gap == 1 { line[digits] } else { b' ' };
    let file = rest.strip_prefix(&[separator])?;
    let bytes = value.to_be_bytes();
    let (excess, value) = bytes.split_at(bytes.len() - spec.digest_len());
    if excess.iter().any(|&byte| byte != 0) {
        return None;
    }
    let (digest, size) = (Digest::new(value), (form.block() == 1).then_some(size));
    Some(Sum { spec: spec.clone(), digest, size, name: file })
}

/// Splits the text into the leading decimal number and the rest.
fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let end = scan::find(text, |byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let digits = std::str::from_utf8(&text[..end]).ok()?;
    Some((digits.parse().ok()?, &text[end..]))
}
