//! Sets of known digests and signatures of unwanted files: NSRL, EnCase, ClamAV. They hold digests, and no list of this folder.

use crate::digest::is_long_hex;
use crate::format::{Claim, Format, Head, Holds, Reading, Sign, Writing};
use crate::scan;

pub(crate) static KNOWN_SET: Format = Format {
    name: "known-set",
    file_names: &[".hdb", ".hsb"],
    summary: "a set of known digests (NSRL, EnCase, ClamAV) without paths: named, never read",
    holds: Holds::DIGESTS,
    sniff,
    reading: Reading::Not(|_| {
        "this is a set of known digests (NSRL, EnCase or ClamAV); it lists no files of a folder, so there is nothing to \
         verify"
            .to_owned()
    }),
    writing: Writing::No,
    tagged: None,
};

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let mark = Some(Claim { sign: Sign::Mark, at: 0 });
    let text = head.text;
    let nsrl =
        text.starts_with(b"\"SHA-1\",\"MD5\",\"CRC32\",") || text.starts_with(b"\"SHA-1\",\"FileName\",");
    if nsrl || text.starts_with(b"HASH\r\n\xff\0") || text.starts_with(b"SQLite format 3\0") {
        return mark;
    }
    let mut lines = head.lines(b'\n').filter(|line| !scan::is_empty(line)).peekable();
    (lines.peek().is_some() && lines.all(is_signature)).then_some(Claim { sign: Sign::Whole, at: 0 })
}

/// `DIGEST:SIZE:NAME` of ClamAV; any size is an asterisk.
fn is_signature(line: &[u8]) -> bool {
    let Some((digest, rest)) = scan::cut(line, b':') else { return false };
    let Some((size, name)) = scan::cut(rest, b':') else { return false };
    is_long_hex(digest) && (size == b"*" || scan::decimal(size).is_some()) && !name.is_empty()
}
