//! Comments in lists whose lines begin with a digest or a name.

use crate::scan;
use truesum_hash::Digest;

/// Returns true if the line is a comment in any of the dialects: none of them has entries that begin like this.
pub(crate) fn is_comment(line: &[u8]) -> bool {
    line.starts_with(b"#") || line.starts_with(b";") || is_after_slashes(line)
}

/// Returns true for a comment after two slashes. One digest in base64 out of 4,096 begins like this as well.
pub(crate) fn is_after_slashes(line: &[u8]) -> bool {
    line.starts_with(b"//") && !begins_with_base64(line)
}

/// Returns true if the first word of a line is a digest in base64, which ends with padding or has a length that needs none.
fn begins_with_base64(line: &[u8]) -> bool {
    /// The number of characters of 192 and 384 bits.
    const UNPADDED: [usize; 2] = [32, 64];
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let word = &line[..scan::find(line, scan::is_blank).unwrap_or(line.len())];
    let is_unpadded = || {
        let has = |wanted: fn(&u8) -> bool| word.iter().any(wanted);
        UNPADDED.contains(&word.len()) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
    };
    (word.ends_with(b"=") || is_unpadded()) && Digest::from_base64(word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_in_base64_is_no_comment() {
        // regression: one line in 4,096 was skipped or reported as a damaged comment.
        for line in [
            "//gROafdijpI9GI0elYRuOC4QlgjfV09jJUgTzu24/A=  a",
            "//gROafdijpI9GI0elYRuOC4QlgjfV09jJUgTzu24/A=",
            "//gROafdijpI9GI0elYRuOC4QlgjfV09jJUgTzu24/A=\r",
            "//8AAA==  a",
            "//abcdefghijABCDEFGHIJabcdefghij  a",
        ] {
            assert!(!is_comment(line.as_bytes()), "{line}");
        }
        for line in [
            "//",
            "// a",
            "//a  b",
            "//SHA256 checksums",
            "//===  a",
            "//usr/share/documentation/of/names  a",
            "//gROafdijpI9GI0elYRuOC4QlgjfV09jJUgTzu24/A  a",
            "# a",
            "; a",
        ] {
            assert!(is_comment(line.as_bytes()), "{line}");
        }
    }
}
