//! Splits lines of `md5sum -c` and related programs exactly as GNU coreutils 9.11 does.
//!
//! This is for programs that must be compatible with coreutils even where other behavior would be
//! better: the only reason given for rejecting a line is "improperly formatted", `BLAKE2b` of any
//! length is accepted, a NUL byte ends a name, and whether one or two characters precede the name
//! is remembered for all manifests of a run. [`crate::Reader`] is stricter and explains why it
//! rejects a line. One thing that GNU accepts is rejected here too: a length after the tag of an
//! algorithm that has only one (`MD5-8`), because only a part of the digest would be compared.

mod algorithm;

pub use algorithm::{ALGORITHMS, Checksum, DigestForm, by_name};

use crate::digest::base64_len;
use crate::{path, scan};
use algorithm::{FAMILY_BITS, by_tag};
use truesum_hash::{Digest, Spec, find};

/// A program whose lines are parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// `md5sum`, `sha1sum`, `sha256sum` and so on: one algorithm, in hexadecimal.
    Sum(Spec),
    /// `b2sum`: BLAKE2b of any length.
    B2sum,
    /// `cksum -c`: tagged lines of any algorithm.
    Cksum,
    /// `cksum -a NAME -c`, with one of GNU's own names.
    CksumOf(&'static str),
}

readable! {
    /// The parts of a line.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Split<'a> {
        /// The file's name, unescaped. It may be empty, which GNU treats like any other name, or `-`,
        /// which means standard input.
        path: Vec<u8> => &[u8],
        /// The algorithm and its length.
        spec: Spec => &Spec,
        /// The digest as spelled in the line.
        digest: &'a [u8],
        /// True if the line has the mode character `*`.
        binary: bool,
    }
    private {
        base64: bool,
    }
}

impl Split<'_> {
    /// Returns whether the line has this digest. The texts are compared, as in GNU coreutils:
    /// base64 with stray bits at its end is well-formed but does not match any digest.
    pub fn matches(&self, digest: &Digest) -> bool {
        if self.base64 && self.digest.len() == base64_len(digest.len()) {
            self.digest == digest.to_base64().as_bytes()
        } else {
            self.digest.eq_ignore_ascii_case(digest.to_hex().as_bytes())
        }
    }
}

/// Maximum number of hexadecimal digits of a BLAKE2b digest.
const BLAKE2B_DIGITS: usize = 128;

/// The state that the lines of a run share. One splitter serves all manifests of a run.
#[derive(Debug)]
pub struct Splitter {
    program: Program,
    row: &'static Checksum,
    /// Length of the digest in bits.
    bits: usize,
    /// `Some(true)` if names follow one blank, `Some(false)` if they follow a blank and a mode
    /// character.
    reversed: Option<bool>,
}

impl Splitter {
    /// Creates a splitter for the lines of one run. Returns `None` if the program cannot check with
    /// this algorithm.
    pub fn new(program: Program) -> Option<Splitter> {
        let row = match &program {
            Program::Sum(spec) => {
                let checked = |row: &&Checksum| row.is_checked() && !row.has_lengths();
                ALGORITHMS.iter().filter(checked).find(|row| find(row.name) == Some(spec.algorithm()))?
            }
            Program::B2sum => by_tag(b"BLAKE2b")?,
            Program::Cksum => by_tag(b"CRC")?,
            Program::CksumOf(name) => by_name(name.as_bytes()).filter(|row| row.is_checked())?,
        };
        Some(Splitter { program, row, bits: row.bits, reversed: None })
    }

    /// Returns the tag shown in messages about improperly formatted lines.
    pub fn tag(&self) -> &'static str {
        self.row.tag
    }

    /// Returns the line (given without its LF) without one CR at its end, which GNU drops. Returns
    /// `None` for comments and empty lines, which are skipped.
    pub fn content(line: &[u8]) -> Option<&[u8]> {
        let content = line.strip_suffix(b"\r").unwrap_or(line);
        (!line.starts_with(b"#") && !content.is_empty()).then_some(content)
    }

    /// Splits a line. Returns `None` if it is improperly formatted.
    pub fn split<'a>(&mut self, line: &'a [u8]) -> Option<Split<'a>> {
        let line = scan::trim_start(line);
        let (escaped, line) = match line {
            [b'\\', line @ ..] => (true, line),
            _ => (false, line),
        };
        self.choose(line)?;
        if let Some(rest) = line.strip_prefix(self.row.tag.as_bytes()) {
            let rest = self.tag_length(rest)?;
            let rest = rest.strip_prefix(b" ").unwrap_or(rest);
            if let [b'(', rest @ ..] = rest {
                return self.tagged(rest, escaped);
            }
        }
        self.untagged(line, escaped)
    }

    fn is_cksum(&self) -> bool {
        matches!(self.program, Program::Cksum | Program::CksumOf(_))
    }

    /// Selects the algorithm by the line's tag if the program leaves it open.
    fn choose(&mut self, line: &[u8]) -> Option<()> {
        let head = &line[..line.len().min(16)];
        let end = scan::find(head, |byte| scan::is_blank(byte) || byte == b'-' || byte == b'(');
        let found = end.or((head.len() < 16).then_some(head.len())).and_then(|end| by_tag(&head[..end]));
        match self.program {
            Program::Cksum => self.row = found.filter(|row| row.is_checked())?,
            // Once a line has named a member of the family, it applies to the rest of the run.
            Program::CksumOf(_) => {
                if let Some(row) = found.filter(|row| self.row.covers(row)) {
                    self.row = row;
                }
            }
            _ => {}
        }
        Some(())
    }

    /// Parses `-BITS` after a tag if the program supports lengths.
    fn tag_length<'a>(&mut self, rest: &'a [u8]) -> Option<&'a [u8]> {
        if matches!(self.program, Program::Sum(_)) {
            return Some(rest);
        }
        self.bits = self.row.bits;
        let [b'-', rest @ ..] = rest else { return Some(rest) };
        let (bits, rest) = c_number(rest)?;
        let possible = if self.row.is_family() {
            FAMILY_BITS.contains(&bits)
        } else {
            0 < bits && bits <= self.bits && bits.is_multiple_of(8)
        };
        // An impossible length is dropped. A possible one remains in force for the following lines,
        // even if this algorithm does not support it.
        if possible {
            self.bits = bits;
        }
        (possible && self.row.allows(bits)).then_some(rest)
    }

    fn tagged<'a>(&self, rest: &'a [u8], escaped: bool) -> Option<Split<'a>> {
        let close = scan::rfind(rest, |byte| byte == b')')?;
        let [b'=', digest @ ..] = scan::trim_start(&rest[close + 1..]) else { return None };
        let digest = scan::trim_start(digest);
        let name = &rest[..close];
        let path = path_of(name, escaped)?;
        self.is_digest(digest).then_some(())?;
        Some(Split { path, spec: self.spec()?, digest, binary: false, base64: self.is_cksum() })
    }

    fn untagged<'a>(&mut self, line: &'a [u8], escaped: bool) -> Option<Split<'a>> {
        // The minimum is a digest, a blank and one character.
        let shortest = if matches!(self.program, Program::Sum(_)) { self.bits / 4 + 2 } else { 3 };
        if line.len() < shortest + usize::from(line.starts_with(b"\\")) {
            return None;
        }
        if self.row.has_lengths() {
            self.bits = self.count_digits(line)? * 4;
        }
        // A NUL ends the digest like a blank.
        let end = scan::find(line, |byte| scan::is_blank(byte) || byte == 0)?;
        let digest = &line[..end];
        self.is_digest(digest).then_some(())?;
        let rest = &line[end + 1..];
        let (mut binary, mut name) = (false, rest);
        match rest {
            [b' ' | b'*', _, ..] => {
                if self.reversed != Some(true) {
                    self.reversed = Some(false);
                    binary = rest[0] == b'*';
                    name = &rest[1..];
                }
            }
            _ if self.reversed == Some(false) => return None,
            _ => self.reversed = Some(true),
        }
        let path = path_of(name, escaped)?;
        Some(Split { path, spec: self.spec()?, digest, binary, base64: self.is_cksum() })
    }

    /// Returns the number of hexadecimal digits of the digest at the start of the line, converted
    /// if it is in base64.
    fn count_digits(&self, line: &[u8]) -> Option<usize> {
        let run = |from: usize, is: fn(u8) -> bool| {
            from + scan::find(&line[from..], |byte| !is(byte)).unwrap_or(line.len() - from)
        };
        let hex = run(0, |byte| byte.is_ascii_hexdigit());
        let mut digits = hex;
        if self.is_cksum() {
            let base64 = run(hex, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'));
            let padded = run(base64, |byte| byte == b'=');
            if self.row.is_family() {
                if !FAMILY_BITS.contains(&(hex / 2 * 8)) {
                    digits = FAMILY_BITS.into_iter().find(|bits| base64_len(bits / 8) == padded)? / 4;
                }
            } else if hex < base64 {
                let fits = |bytes: &usize| base64_len(*bytes) == padded && bytes * 8 % 3 == padded - base64;
                digits = (1..=BLAKE2B_DIGITS / 2).find(fits).map_or(digits, |bytes| bytes * 2);
            }
        }
        ((2..=BLAKE2B_DIGITS).contains(&digits) && digits.is_multiple_of(2)).then_some(digits)
    }

    /// Returns whether the text has the form of a digest of the current length.
    fn is_digest(&self, text: &[u8]) -> bool {
        if self.bits == 0 {
            return false;
        }
        if self.is_cksum() && text.len() == base64_len(self.bits / 8) {
            let (digits, padding) = text.split_at(text.len() - self.bits % 3);
            return scan::all(digits, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
                && scan::all(padding, |byte| byte == b'=');
        }
        text.len() == self.bits / 4 && scan::all(text, |byte| byte.is_ascii_hexdigit())
    }

    fn spec(&self) -> Option<Spec> {
        self.row.spec(self.bits).ok()
    }
}

/// Returns a name as C sees it: a NUL ends it. A NUL in an escaped name is an error.
fn path_of(name: &[u8], escaped: bool) -> Option<Vec<u8>> {
    let end = scan::find(name, |byte| byte == 0);
    if escaped {
        return if end.is_none() { path::unescape(name) } else { None };
    }
    Some(name[..end.unwrap_or(name.len())].to_vec())
}

/// Parses a number whose base C determines: octal after `0`, hexadecimal after `0x`, binary after
/// `0b`. Returns the number and the text after it.
fn c_number(text: &[u8]) -> Option<(usize, &[u8])> {
    let starts = |base: u32, letter: u8| match text {
        [b'0', mark, digit, ..] => mark.eq_ignore_ascii_case(&letter) && char::from(*digit).is_digit(base),
        _ => false,
    };
    let (base, digits) = match text {
        _ if starts(16, b'x') => (16, &text[2..]),
        _ if starts(2, b'b') => (2, &text[2..]),
        [b'0', ..] => (8, text),
        _ => (10, text),
    };
    let end = scan::find(digits, |byte| !char::from(byte).is_digit(base)).unwrap_or(digits.len());
    let number = std::str::from_utf8(&digits[..end]).ok()?;
    Some((usize::from_str_radix(number, base).ok()?, &digits[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "9dd4e461268c8034f5c8564e155c67a6";

    fn sum(name: &str) -> Splitter {
        Splitter::new(Program::Sum(name.parse().unwrap())).unwrap()
    }

    /// Returns the path and the algorithm of a line, as text.
    fn cut(splitter: &mut Splitter, line: &str) -> Option<(String, String)> {
        let split = splitter.split(line.as_bytes())?;
        Some((String::from_utf8_lossy(&split.path).into_owned(), split.spec.to_string()))
    }

    fn is(path: &str, spec: &str) -> Option<(String, String)> {
        Some((path.to_owned(), spec.to_owned()))
    }

    #[test]
    fn md5sum_parses_its_own_lines_and_tags() {
        for (line, path) in [
            (format!("{MD5}  a"), Some("a")),
            (format!("{MD5} *a"), Some("a")),
            (format!("  \t{MD5}  a"), Some("a")),
            (format!("{}  a", MD5.to_uppercase()), Some("a")),
            (format!("{MD5}   a "), Some(" a ")),
            (format!("\\{MD5}  a\\nb"), Some("a\nb")),
            (format!("\\{MD5}  a\\tb"), None),
            (format!("\\{MD5}  a\\"), None),
            (format!("{MD5}\ta"), Some("a")),
            (format!("{MD5}  "), Some(" ")),
            (format!("{MD5} "), None),
            (MD5.to_owned(), None),
            (format!("{}  a", &MD5[1..]), None),
            (format!("{MD5}0  a"), None),
            (format!("x{}  a", &MD5[1..]), None),
            (format!("MD5 (a) = {MD5}"), Some("a")),
            (format!("MD5(a)= {MD5}"), Some("a")),
            (format!("MD5 (a)=\t {MD5}"), Some("a")),
            (format!("MD5  (a) = {MD5}"), None),
            (format!("md5 (a) = {MD5}"), None),
            (format!("SHA256 (a) = {MD5}{MD5}"), None),
            (format!("MD5 (a) = b) = {MD5}"), Some("a) = b")),
            (format!("MD5 () = {MD5}"), Some("")),
            (format!("MD5 (a) = {MD5} "), None),
            (format!("MD5-128 (a) = {MD5}"), None),
            (format!("{MD5}  a\0b"), Some("a")),
            (format!("\\{MD5}  a\0b"), None),
            (format!("MD5 (a\0b) = {MD5}"), Some("a")),
            (format!("MD5 (a) = {MD5}\0"), None),
            (format!("{MD5}\0  a"), Some(" a")),
            ("nd1EYSaMgDT1yFZOFVxnpg==  a".to_owned(), None),
        ] {
            assert_eq!(cut(&mut sum("md5"), &line), path.and_then(|path| is(path, "md5")), "{line:?}");
        }
    }

    #[test]
    fn one_and_two_separator_characters_are_never_mixed() {
        let (one, two) = (format!("{MD5} a"), format!("{MD5}  a"));
        let mut splitter = sum("md5");
        assert_eq!(cut(&mut splitter, &one), is("a", "md5"));
        assert_eq!(cut(&mut splitter, &two), is(" a", "md5"));
        let mut splitter = sum("md5");
        assert_eq!(cut(&mut splitter, &two), is("a", "md5"));
        assert_eq!(cut(&mut splitter, &one), None);
        assert_eq!(cut(&mut splitter, &format!("MD5 (a) = {MD5}")), is("a", "md5"));
    }

    #[test]
    fn b2sum_accepts_any_length() {
        let mut splitter = Splitter::new(Program::B2sum).unwrap();
        assert_eq!(cut(&mut splitter, "ab  a"), is("a", "blake2b-8"));
        assert_eq!(cut(&mut splitter, &format!("{MD5}  a")), is("a", "blake2b-128"));
        assert_eq!(cut(&mut splitter, &format!("BLAKE2b-128 (a) = {MD5}")), is("a", "blake2b-128"));
        assert_eq!(cut(&mut splitter, &format!("BLAKE2b (a) = {}", MD5.repeat(4))), is("a", "blake2b"));
        for bits in ["0x80", "0X80", "0200", "0b10000000"] {
            assert_eq!(
                cut(&mut splitter, &format!("BLAKE2b-{bits} (a) = {MD5}")),
                is("a", "blake2b-128"),
                "{bits}"
            );
        }
        for line in [
            format!("BLAKE2b-0128 (a) = {MD5}"),
            format!("BLAKE2b-+128 (a) = {MD5}"),
            format!("BLAKE2b-0x (a) = {MD5}"),
            format!("BLAKE2b- (a) = {MD5}"),
            format!("BLAKE2b-99999999999999999999 (a) = {MD5}"),
            format!("BLAKE2b (a) = {MD5}"),
            format!("BLAKE2b-0 (a) = {MD5}"),
            format!("BLAKE2b-129 (a) = {MD5}"),
            format!("BLAKE2b-1024 (a) = {}", MD5.repeat(8)),
            format!("BLAKE2B-128 (a) = {MD5}"),
            "abc  a".to_owned(),
            format!("{}ab  a", MD5.repeat(4)),
            "  a".to_owned(),
        ] {
            assert_eq!(cut(&mut splitter, &line), None, "{line}");
        }
    }

    #[test]
    fn cksum_requires_tags_unless_the_algorithm_is_given() {
        let mut splitter = Splitter::new(Program::Cksum).unwrap();
        assert_eq!(splitter.tag(), "CRC");
        assert_eq!(cut(&mut splitter, &format!("{MD5}  a")), None);
        assert_eq!(cut(&mut splitter, &format!("MD5 (a) = {MD5}")), is("a", "md5"));
        assert_eq!(splitter.tag(), "MD5");
        assert_eq!(cut(&mut splitter, &format!("SHA256 (a) = {MD5}{MD5}")), is("a", "sha256"));
        assert_eq!(cut(&mut splitter, &format!("SHA2-256(a)= {MD5}{MD5}")), is("a", "sha256"));
        assert_eq!(cut(&mut splitter, &format!("SHA3-256 (a) = {MD5}{MD5}")), is("a", "sha3-256"));
        assert_eq!(cut(&mut splitter, "MD5 (a) = ndTkYSaMgDT1yFZOFVxnpg=="), is("a", "md5"));
        for line in [
            "MD5 (a) = ndTkYSaMgDT1yFZOFVxnpg",
            "MD5 (a) = ndTkYSaMgDT1yFZOFVxnpg=",
            "MD5 (a) = ndTkYSaMgDT1yFZOFVxn====",
            "MD5-8 (a) = 9d",
            "SHA2 (a) = ",
            "SHA2-128 (a) = 9dd4e461268c8034f5c8564e155c67a6",
            "CRC (a) = 352441c2",
            "CRC32B (a) = 352441c2",
            "BLAKE2bp (a) = 00",
            "352441c2 3 a",
        ] {
            assert_eq!(cut(&mut splitter, line), None, "{line}");
        }
    }

    #[test]
    fn cksum_family_determines_the_length() {
        let family = |name| Splitter::new(Program::CksumOf(name)).unwrap();
        assert_eq!(cut(&mut family("sha3"), &format!("{MD5}{MD5}  a")), is("a", "sha3-256"));
        assert_eq!(cut(&mut family("sha2"), &format!("{}  a", MD5.repeat(3))), is("a", "sha384"));
        assert_eq!(cut(&mut family("sha2"), &format!("{MD5}  a")), None);
        let base64 = "LCa0a2j/xo/5m0U8HTBBNBNCLXBkg7+g+YpeiGJm564= a";
        assert_eq!(cut(&mut family("sha2"), base64), is("a", "sha256"));
        assert_eq!(cut(&mut family("sha256"), base64), is("a", "sha256"));
        assert_eq!(cut(&mut family("blake2b"), base64), is("a", "blake2b-256"));
        // An impossible length is dropped.
        for tag in ["SM3-0", "SM3-9", "SM3-512", "SM3-"] {
            let mut splitter = family("sm3");
            assert_eq!(cut(&mut splitter, tag), None);
            assert_eq!(cut(&mut splitter, &format!("{MD5}{MD5}  a")), is("a", "sm3"), "{tag}");
        }
        // A tag decides for the rest of the run.
        let mut splitter = family("sha2");
        assert_eq!(cut(&mut splitter, &format!("SHA256 (a) = {MD5}{MD5}")), is("a", "sha256"));
        assert_eq!(cut(&mut splitter, &format!("{}  a", MD5.repeat(3))), None);
        assert!(Splitter::new(Program::CksumOf("crc")).is_none());
        assert!(Splitter::new(Program::Sum("blake3".parse().unwrap())).is_none());
    }

    #[test]
    fn digests_match_in_either_encoding() {
        let digest = Digest::from_hex(MD5.as_bytes()).unwrap();
        let line = format!("MD5 (a) = {}", digest.to_base64());
        assert!(Splitter::new(Program::Cksum).unwrap().split(line.as_bytes()).unwrap().matches(&digest));
        let line = format!("{}  a", digest.to_hex_upper());
        assert!(sum("md5").split(line.as_bytes()).unwrap().matches(&digest));
        // The same bits, except those that base64 leaves unused.
        let stray = "MD5 (a) = ndTkYSaMgDT1yFZOFVxnph==";
        assert!(!Splitter::new(Program::Cksum).unwrap().split(stray.as_bytes()).unwrap().matches(&digest));
    }

    #[test]
    fn comments_and_empty_lines_have_no_content() {
        assert_eq!(Splitter::content(b"# x"), None);
        assert_eq!(Splitter::content(b""), None);
        assert_eq!(Splitter::content(b"\r"), None);
        assert_eq!(Splitter::content(b" # x\r\r"), Some(&b" # x\r"[..]));
    }
}
