//! Recognition of lines of checksum programs that were appended to a manifest of another format.

use super::tagged;
use crate::digest::{is_gnu_line, is_hex, is_long_hex};
use crate::scan;
use truesum_hash::Spec;

/// Returns whether a line is a complete checksum line for a file, possibly indented: a GNU line, `ALGORITHM (NAME) =
/// DIGEST`, `ALGORITHM: DIGEST NAME`, `DIGEST SIZE NAME`, `NAME: DIGEST`, `NAME DIGEST` or `DIGEST NAME`. In a place where a
/// format has no such line, it was appended to the manifest, and belongs to a file that would not be verified.
///
/// In the last three forms, the name has a dot or a slash, because any word can be the key of a number that is not the
/// digest of a file, such as that of a commit.
pub(crate) fn is_appended(line: &[u8]) -> bool {
    let line = scan::trim(line.strip_suffix(b"\r").unwrap_or(line));
    let line = line.strip_prefix(b"\\").unwrap_or(line);
    is_gnu_line(line)
        || is_short(line)
        || is_tagged(line)
        || is_labeled(line)
        || is_sized(line)
        || is_named(line)
}

/// Returns whether a line is one of GNU programs with a checksum of 32 or 64 bits.
fn is_short(line: &[u8]) -> bool {
    let end = scan::find(line, scan::is_blank).unwrap_or(0);
    matches!(end, 8 | 16)
        && is_hex(&line[..end])
        && matches!(&line[end..], [b' ', b' ' | b'*', name @ ..] if is_name(name))
}

fn is_tagged(line: &[u8]) -> bool {
    let is_start = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'(';
    let is_line = |line: tagged::Tagged<'_>| {
        // Digests of a known algorithm may be short or in base64.
        let is_digest = is_long_hex(line.digest) || !line.digest.is_empty() && tagged::is_known(line.tag);
        !line.name.is_empty() && is_digest
    };
    line.first().is_some_and(|&byte| is_start(byte)) && tagged::split(line).is_some_and(is_line)
}

fn is_labeled(line: &[u8]) -> bool {
    let Some((label, rest)) = scan::cut(&line[..line.len().min(256)], b':') else { return false };
    let (digest, name) = scan::word(scan::trim_start(rest));
    let spec = || std::str::from_utf8(label).ok()?.parse::<Spec>().ok();
    name.first().is_some_and(|&byte| is_of_name(byte))
        && is_hex(digest)
        && label.len() <= 32
        && spec().is_some_and(|spec| digest.len() == 2 * spec.digest_len())
}

fn is_sized(line: &[u8]) -> bool {
    let (digest, rest) = scan::word(line);
    let (size, name) = scan::word(rest);
    is_long_hex(digest) && scan::decimal(size).is_some() && name.first().is_some_and(|&byte| is_of_name(byte))
}

fn is_named(line: &[u8]) -> bool {
    let Some(gap) = scan::find(line, scan::is_blank) else { return false };
    if is_long_hex(&line[..gap]) {
        return is_name(scan::trim_start(&line[gap..]));
    }
    let Some(gap) = scan::rfind(line, scan::is_blank).filter(|&gap| is_long_hex(&line[gap + 1..])) else {
        return false;
    };
    let name = scan::trim_end(&line[..gap]);
    let name = scan::trim_end(name.strip_suffix(b":").or(name.strip_suffix(b"=")).unwrap_or(name));
    let (first, rest) = scan::word(name);
    let is_algorithm = || std::str::from_utf8(first).is_ok_and(|first| first.parse::<Spec>().is_ok());
    let name = if !rest.is_empty() && first.len() <= 32 && is_algorithm() { rest } else { name };
    is_name(name.strip_prefix(b"(").and_then(|name| name.strip_suffix(b")")).unwrap_or(name))
}

/// Returns whether the text is the name of a file and not any other word.
fn is_name(text: &[u8]) -> bool {
    scan::all(text, is_of_name) && text.iter().any(|byte| matches!(byte, b'.' | b'/'))
}

/// Returns whether the byte is usual in names of files and has no meaning in other formats.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._-+/~".contains(&byte) || byte >= 0x80
}
