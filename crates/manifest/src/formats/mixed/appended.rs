//! Recognition of lines of checksum programs that were appended to a manifest of another format.

use super::tagged;
use crate::digest::{is_gnu_line, is_hex, is_like, is_long_hex};
use crate::scan;
use truesum_hash::Spec;

/// Returns whether a line is a complete checksum line for a file, possibly indented or in quotes. In a place where a format
/// has no such line, it was appended to the manifest, and belongs to a file that would not be verified.
///
/// The forms are a GNU line, `ALGORITHM (NAME) = DIGEST`, `ALGORITHM: DIGEST NAME`, `DIGEST SIZE NAME`, `NAME: DIGEST`,
/// `NAME DIGEST`, `DIGEST NAME`, a row of comma-separated fields, a line of `cksum` or `sum`, and a link with a digest.
///
/// Where nothing else marks the name, it has a dot, a slash or a backslash, because any word can be the key of a number that
/// is not the digest of a file, such as that of a commit.
pub(crate) fn is_appended(line: &[u8]) -> bool {
    let line = unquoted(scan::trim(line.strip_suffix(b"\r").unwrap_or(line)));
    let line = line.strip_prefix(b"\\").unwrap_or(line);
    is_gnu_line(line)
        || is_short(line)
        || is_tagged(line)
        || is_labeled(line)
        || is_sized(line)
        || is_named(line)
        || is_row(line)
        || is_decimal(line)
        || is_link(line)
}

/// Returns a text without quotes around it, which a comma may follow in a list of texts.
fn unquoted(text: &[u8]) -> &[u8] {
    match text.strip_suffix(b",").unwrap_or(text) {
        [open @ (b'"' | b'\'' | b'`'), inner @ .., close] if open == close && !inner.contains(open) => inner,
        _ => text,
    }
}

/// Returns whether a line is one of GNU programs with a checksum of 32 or 64 bits.
fn is_short(line: &[u8]) -> bool {
    let end = scan::find(line, scan::is_blank).unwrap_or(0);
    matches!(end, 8 | 16)
        && is_hex(&line[..end])
        && matches!(&line[end..], [b' ', b' ' | b'*', name @ ..] if is_name(name) && !scan::is_blank(name[0]))
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
    name.first().is_some_and(|&byte| is_of_name(byte)) && is_hex(digest) && is_digest_of(label, digest)
}

fn is_sized(line: &[u8]) -> bool {
    let (digest, rest) = scan::word(line);
    let (size, name) = scan::word(rest);
    is_long_hex(digest) && scan::decimal(size).is_some() && name.first().is_some_and(|&byte| is_of_name(byte))
}

fn is_named(line: &[u8]) -> bool {
    let Some(gap) = scan::find(line, scan::is_blank) else { return false };
    if is_like(&line[..gap]) {
        return is_name(scan::trim_start(&line[gap..]));
    }
    let gap = scan::rfind(line, scan::is_blank).unwrap_or(gap);
    let (name, digest) = (scan::trim_end(&line[..gap]), &line[gap + 1..]);
    // A line of an SFV file.
    if digest.len() == 8 && is_hex(digest) {
        return is_name(name);
    }
    if !is_like(digest) {
        return false;
    }
    let name = scan::trim_end(name.strip_suffix(b":").or(name.strip_suffix(b"=")).unwrap_or(name));
    let (first, rest) = scan::word(name);
    let name = if !rest.is_empty() && algorithm(first).is_some() { rest } else { name };
    is_name(name.strip_prefix(b"(").and_then(|name| name.strip_suffix(b")")).unwrap_or(name))
}

/// Returns whether a line is a row of fields with a digest, a name and nothing else but numbers.
fn is_row(line: &[u8]) -> bool {
    const FIELDS: usize = 8;
    let (mut digests, mut names) = (0, 0);
    let known =
        line.splitn(FIELDS + 1, |&byte| byte == b',').map(|field| unquoted(scan::trim(field))).all(|field| {
            scan::count(field.len());
            let is_digest = is_long_hex(field);
            let is_name = !is_digest && is_name(field);
            digests += usize::from(is_digest);
            names += usize::from(is_name);
            is_digest || is_name || scan::decimal(field).is_some() || field.is_empty()
        });
    known && digests > 0 && names == 1
}

/// Returns whether a line is one of `cksum` or `sum`: `CHECKSUM SIZE NAME` in decimal. Only numbers that are too large for
/// `sum` suffice without a name that is not a word.
fn is_decimal(line: &[u8]) -> bool {
    let (value, rest) = scan::word(&line[..line.len().min(256)]);
    let (size, name) = scan::word(rest);
    if size.is_empty() || scan::decimal(size).is_none() {
        return false;
    }
    match scan::decimal(value).and_then(|value| u32::try_from(value).ok()) {
        Some(value) if value > u16::MAX.into() => {
            !name.is_empty() && scan::all(name, is_of_name) || is_name(name)
        }
        Some(_) => is_name(name),
        None => false,
    }
}

/// Returns whether a line is a link that contains the digest of a file: `URL#DIGEST`, `URL#ALGORITHM=DIGEST`, a magnet link
/// or an eD2k link.
fn is_link(line: &[u8]) -> bool {
    if line.starts_with(b"magnet:?") || line.starts_with(b"ed2k://|file|") {
        return true;
    }
    let Some(fragment) = scan::rfind(line, |byte| byte == b'#').filter(|&at| is_url(&line[..at])) else {
        return false;
    };
    let fragment = &line[fragment + 1..];
    let named = scan::cut(fragment, b'=').or_else(|| scan::cut(fragment, b':'));
    is_long_hex(fragment) || named.is_some_and(|(name, digest)| is_digest_of(name, digest))
}

/// Returns the algorithm with this name.
fn algorithm(name: &[u8]) -> Option<Spec> {
    const LIMIT: usize = 32;
    std::str::from_utf8(name).ok().filter(|name| name.len() <= LIMIT)?.parse().ok()
}

/// Returns whether hexadecimal digits are as many as the digest of this algorithm has.
fn is_digest_of(name: &[u8], digest: &[u8]) -> bool {
    is_hex(digest) && algorithm(name).is_some_and(|spec| digest.len() == 2 * spec.digest_len())
}

/// Returns whether the text is the name of a file and not any other word.
fn is_name(text: &[u8]) -> bool {
    let path = match text {
        [drive, b':', path @ ..] if drive.is_ascii_alphabetic() && matches!(path, [b'\\' | b'/', ..]) => path,
        path => path,
    };
    // A backslash at the end of a line continues it, as in mtree.
    let path = path.strip_suffix(b"\\").unwrap_or(path);
    let is_path = || scan::all(path, |byte| is_of_name(byte) || byte == b'\\');
    let is_marked = || path.iter().any(|byte| matches!(byte, b'.' | b'/' | b'\\'));
    is_path() && is_marked() || is_url(text)
}

/// Returns whether the text is the address of a file.
fn is_url(text: &[u8]) -> bool {
    let scheme = text.windows(3).take(16).position(|found| found == b"://");
    scheme.is_some_and(|end| end > 0 && text[..end].iter().all(u8::is_ascii_alphabetic))
        && scan::all(text, |byte| is_of_name(byte) || b":@%&=?!$'()*,;[]#".contains(&byte))
}

/// Returns whether the byte is usual in names of files and has no meaning in other formats.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._-+/~".contains(&byte) || byte >= 0x80
}
