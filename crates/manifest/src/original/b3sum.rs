//! Splits lines of `b3sum --check` exactly as b3sum 1.8 does, following the rules in its document
//! `what_does_check_do`.

use std::fmt;
use truesum_hash::Digest;

readable! {
    /// The parts of a line.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Split {
        /// The file's name, unescaped.
        path: String => &str,
        /// The name as messages show it: as spelled in the line, with the leading backslash if the line
        /// has one.
        shown: String => &str,
        /// The digest, 32 bytes.
        digest: Digest => &Digest,
    }
}

/// A reason why a line is rejected. The messages are b3sum's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadLine {
    /// The line is not UTF-8. b3sum ends the check of this manifest here.
    NotUtf8,
    /// The line is empty.
    Empty,
    /// The line has neither two spaces nor a tag.
    Format,
    /// The digest is not 64 characters long.
    Length,
    /// The digest has a character that is not a lower-case hexadecimal digit.
    Hex,
    /// A backslash is not part of a valid escape.
    Escape,
    /// The name is empty.
    EmptyPath,
    /// The name contains a NUL character.
    Nul,
    /// The name contains U+FFFD. b3sum writes it for bytes that are not UTF-8, so the name may be
    /// that of another file.
    Replacement,
    /// The name contains a backslash (only on Windows).
    Backslash,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BadLine::NotUtf8 => "stream did not contain valid UTF-8",
            BadLine::Empty => "Empty line",
            BadLine::Format => "Invalid check line format",
            BadLine::Length => "Invalid hash length",
            BadLine::Hex => "Invalid hex",
            BadLine::Escape => "Invalid backslash escape",
            BadLine::EmptyPath => "empty file path",
            BadLine::Nul => "Null character in path",
            BadLine::Replacement => "Unicode replacement character in path",
            BadLine::Backslash => "Backslash in path",
        })
    }
}

impl std::error::Error for BadLine {}

/// Splits a line.
///
/// # Errors
/// Returns the first of b3sum's rules that the line violates.
pub fn split_line(line: &[u8]) -> Result<Split, BadLine> {
    let line = std::str::from_utf8(line).map_err(|_| BadLine::NotUtf8)?;
    let line = line.trim_end_matches(['\r', '\n']);
    if line.is_empty() {
        return Err(BadLine::Empty);
    }
    let (escaped, body) = line.strip_prefix('\\').map_or((false, line), |body| (true, body));
    // Two spaces take precedence: a tagged line with two spaces in its name is split there and
    // rejected.
    let (name, digest) = match body.split_once("  ") {
        Some((digest, name)) => (name, digest),
        None => {
            body.strip_prefix("BLAKE3 (").and_then(|rest| rest.rsplit_once(") = ")).ok_or(BadLine::Format)?
        }
    };
    if digest.len() != 64 {
        return Err(BadLine::Length);
    }
    if !digest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return Err(BadLine::Hex);
    }
    let digest = Digest::from_hex(digest.as_bytes()).map_err(|_| BadLine::Hex)?;
    let path = if escaped {
        let path = crate::path::unescape(name.as_bytes()).ok_or(BadLine::Escape)?;
        String::from_utf8(path).map_err(|_| BadLine::NotUtf8)?
    } else {
        name.to_owned()
    };
    let fault = match path.as_str() {
        "" => Some(BadLine::EmptyPath),
        path if path.contains('\0') => Some(BadLine::Nul),
        path if path.contains('\u{fffd}') => Some(BadLine::Replacement),
        path if cfg!(windows) && path.contains('\\') => Some(BadLine::Backslash),
        _ => None,
    };
    match fault {
        Some(fault) => Err(fault),
        None => {
            let shown = if escaped { format!("\\{name}") } else { name.to_owned() };
            Ok(Split { path, shown, digest })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "0909090909090909090909090909090909090909090909090909090909090909";

    #[cfg(unix)]
    #[test]
    fn lines_of_both_forms_are_parsed() {
        for (line, path, shown) in [
            (format!("{HEX}  foo"), "foo", "foo"),
            (format!("{HEX}  foo\r\n"), "foo", "foo"),
            (format!("{HEX}   \t foo "), " \t foo ", " \t foo "),
            (format!("\\{HEX}  a\\\\b\\nc\\rd\n"), "a\\b\nc\rd", "\\a\\\\b\\nc\\rd"),
            (format!("{HEX}  fo\\a\\no"), "fo\\a\\no", "fo\\a\\no"),
            (format!("BLAKE3 (foo) = {HEX}"), "foo", "foo"),
            (format!("BLAKE3 (a) = b) = {HEX}"), "a) = b", "a) = b"),
            (format!("\\BLAKE3 (a\\nb) = {HEX}"), "a\nb", "\\a\\nb"),
        ] {
            let split = split_line(line.as_bytes()).unwrap();
            assert_eq!((split.path.as_str(), split.shown.as_str()), (path, shown), "{line:?}");
            assert_eq!(split.digest.to_hex(), HEX);
        }
    }

    #[test]
    fn bad_lines_are_rejected_with_the_messages_of_b3sum() {
        let upper = HEX.replace("09", "0A");
        for (line, message) in [
            (String::new(), "Empty line"),
            ("\r\n".to_owned(), "Empty line"),
            ("\\".to_owned(), "Invalid check line format"),
            ("# comment".to_owned(), "Invalid check line format"),
            ("# a  comment".to_owned(), "Invalid hash length"),
            (format!("{HEX} foo"), "Invalid check line format"),
            (format!("{HEX} *foo"), "Invalid check line format"),
            (format!("{HEX}00  foo"), "Invalid hash length"),
            (format!("{upper}  foo"), "Invalid hex"),
            (format!("{HEX}  "), "empty file path"),
            (format!("\\{HEX}  fo\\a"), "Invalid backslash escape"),
            (format!("\\{HEX}  foo\\"), "Invalid backslash escape"),
            (format!("{HEX}  a\0b"), "Null character in path"),
            (format!("{HEX}  a\u{fffd}b"), "Unicode replacement character in path"),
            (format!("BLAKE3 (a  b) = {HEX}"), "Invalid hash length"),
            (format!("BLAKE3 (foo) ={HEX}"), "Invalid check line format"),
            (format!("blake3 (foo) = {HEX}"), "Invalid check line format"),
        ] {
            assert_eq!(split_line(line.as_bytes()).unwrap_err().to_string(), message, "{line:?}");
        }
        assert_eq!(split_line(b"\xff"), Err(BadLine::NotUtf8));
    }
}
