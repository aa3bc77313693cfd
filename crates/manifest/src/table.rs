//! Recognition of formats: by the beginning of a manifest, and by its name.

use crate::algorithm::{algorithm_from_name, algorithm_in_file_name, implies_algorithm};
use crate::digest::{MIN_DIGITS, is_tag};
use crate::format::{AlgorithmSource, Claim, Format, Head, Options, Sign, Spelling};
use crate::formats::nameless::UNMARKED;
use crate::formats::{FORMATS, bagit, gnu};
use crate::scan;
use std::cmp::Reverse;
use truesum_hash::Spec;

/// Returns the format with this name.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|row| row.name.eq_ignore_ascii_case(name))
}

/// Returns the format of a manifest, recognized by its beginning or else by its name.
///
/// The strongest evidence decides: a mark that only one format has, then a form that all lines
/// have, then the first line that has the form of any format. The name decides between two formats
/// with equal evidence, and if there is no evidence.
pub fn detect(head: Head<'_>, file_name: Option<&[u8]>) -> Option<&'static Format> {
    let found = examine(representative(head), file_name);
    debug_assert_eq!(found, examine(head, file_name), "the first lines do not represent all of them");
    found
}

/// Returns the first lines of a list whose lines all look the same, or else the head itself. No format distinguishes such
/// lines, and the rules of all formats take longer for 64 KiB than opening a thousand files.
fn representative(head: Head<'_>) -> Head<'_> {
    /// Enough for the rules that count lines.
    const LINES: usize = 16;
    let first = memchr::memchr(b'\n', head.text).map_or(head.text, |end| &head.text[..end]);
    let Some(shape) = PlainShape::of(first) else { return head };
    let (mut begin, mut end) = (0, 0);
    for (at, line_end) in memchr::memchr_iter(b'\n', head.text).enumerate() {
        if !shape.fits(&head.text[begin..line_end]) {
            return head;
        }
        begin = line_end + 1;
        if at < LINES {
            end = begin;
        }
    }
    let rest = &head.text[begin..];
    let is_whole = if head.complete { rest.is_empty() || shape.fits(rest) } else { shape.fits_cut(rest) };
    if end < begin && is_whole { Head { text: &head.text[..end], complete: false } } else { head }
}

/// The shape of lines that differ only in their digests and names: lowercase hexadecimal digits of one number, the same
/// tag and separators, and names without blanks and special characters.
struct PlainShape<'a> {
    /// The text before the name or, in GNU lines, empty.
    tag: &'a [u8],
    /// The text between the name and the digest, whichever is first.
    separator: &'a [u8],
    /// The number of digits.
    digits: usize,
}

impl<'a> PlainShape<'a> {
    /// The fewest digits. Shorter ones may be anything.
    const LEAST: usize = 32;

    /// Returns the shape of a line, if it is that of a GNU or a BSD line.
    fn of(line: &'a [u8]) -> Option<PlainShape<'a>> {
        let digits = line.iter().take_while(|byte| is_digit(**byte)).count();
        let separator = line.get(digits..digits + 2).filter(|two| matches!(*two, b"  " | b" *"));
        if let (Some(separator), Self::LEAST..) = (separator, digits) {
            return Some(PlainShape { tag: b"", separator, digits });
        }
        let tag = memchr::memchr(b'(', line).map(|at| &line[..=at])?;
        let name = tag.strip_suffix(b" (")?;
        let digits = line.iter().rev().take_while(|byte| is_digit(**byte)).count();
        let separator = b") = ";
        let is_line =
            is_tag(name) && line[..line.len() - digits].ends_with(separator) && digits >= MIN_DIGITS;
        is_line.then_some(PlainShape { tag, separator, digits })
    }

    /// Returns whether a line has this shape.
    fn fits(&self, line: &[u8]) -> bool {
        let Some(rest) = line.strip_prefix(self.tag) else { return false };
        let (digest, name) = match self.tag {
            b"" => {
                let Some((digest, rest)) = rest.split_at_checked(self.digits) else { return false };
                (digest, rest.strip_prefix(self.separator))
            }
            _ => {
                let Some(at) = rest.len().checked_sub(self.digits) else { return false };
                (&rest[at..], rest[..at].strip_suffix(self.separator))
            }
        };
        // A name may also be another digest.
        scan::all(digest, is_digit)
            && name.is_some_and(|name| {
                scan::all(name, is_plain) && !scan::all(name, |byte| byte.is_ascii_hexdigit() || byte == b'-')
            })
    }

    /// Returns whether a line that may be cut can have this shape.
    fn fits_cut(&self, line: &[u8]) -> bool {
        let tag = &self.tag[..self.tag.len().min(line.len())];
        line.strip_prefix(tag)
            .is_some_and(|rest| scan::all(rest, |byte| is_plain(byte) || self.separator.contains(&byte)))
    }
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'a'..=b'f')
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._/+-".contains(&byte) || byte >= 0x80
}

/// The extensions of manifests, in addition to names that contain an algorithm.
const ENDS: &[&[u8]] = &[b".sfv", b".sfvmd5", b".hashdeep", b".tth", b".chkbit", b".chkbit-db"];

/// The extensions of compressed files.
pub const COMPRESSED: &[&[u8]] = &[b".gz", b".xz", b".bz2", b".zst"];

/// Returns whether a file with this name, which contains no folder, is likely to be a manifest.
///
/// Names that other files have as well do not count: `md5sum` is a program, and most files `*.json` are not manifests.
pub fn has_manifest_name(name: &[u8]) -> bool {
    let lower = name.to_ascii_lowercase();
    let compressed = COMPRESSED.iter().find(|end| lower.ends_with(end));
    if compressed.is_some_and(|end| has_manifest_name(&name[..name.len() - end.len()])) {
        return true;
    }
    let stem = lower.strip_suffix(b".txt").unwrap_or(&lower);
    // `sha256sum` and `md5` are programs, and `tiger.txt` is about tigers; `SHA256SUMS` and `md5sums` are manifests.
    let word = !stem.contains(&b'.') && !stem.ends_with(b"sums");
    let plain = word && !name.ends_with(b"SUM") && !(stem.ends_with(b"sum") && stem.len() < lower.len());
    stem.starts_with(b"checksums")
        || name == b"CHECKSUM"
        || ENDS.iter().any(|end| lower.ends_with(end))
        || bagit::is_named(&lower)
        || !plain && algorithm_from_name(name).is_some()
}

/// Returns the format of a manifest, as [`detect`] does.
fn examine(head: Head<'_>, file_name: Option<&[u8]>) -> Option<&'static Format> {
    let lines = terminator(head.text);
    let name = file_name.map(<[u8]>::to_ascii_lowercase);
    let is_named = |row: &Format| {
        name.as_ref().is_some_and(|name| {
            row.file_names.iter().any(|end| name.ends_with(end.as_bytes()))
                || row.name == bagit::BAGIT.name && bagit::is_named(name)
        })
    };
    let candidates = FORMATS.iter().copied().filter(|row| row.terminator().is_none_or(|end| end == lines));
    let claims = candidates.filter_map(|row| {
        let Claim { sign, at } = (row.sniff)(&head)?;
        let named = is_named(row);
        match sign {
            Sign::Possible if !named => None,
            Sign::Possible => Some((Sign::Shape, Reverse(at), named, row)),
            sign => Some((sign, Reverse(at), named, row)),
        }
    });
    // `max_by_key` returns the last of equal items, but the table has the preferred one first.
    let claims: Vec<_> = claims.collect();
    let best = claims.into_iter().rev().max_by_key(|(sign, at, named, _)| (*sign, *at, *named));
    // A file of a format without a mark may contain bytes that look like lines of another, but it
    // is never text.
    let is_text = |byte: &u8| !byte.is_ascii_control() || matches!(byte, b'\t' | b'\n' | b'\r' | 0);
    if (head.text.is_empty() || !head.text.iter().all(is_text))
        && best.as_ref().is_none_or(|(sign, ..)| *sign < Sign::Mark)
        && let Some(row) = FORMATS.iter().copied().find(|row| UNMARKED.contains(&row.name) && is_named(row))
    {
        return Some(row);
    }
    best.map(|(.., row)| row).or_else(|| FORMATS.iter().copied().find(|row| is_named(row)))
}

/// Returns whether the format or the name shows that a manifest is not text, regardless of its
/// beginning.
pub(crate) fn is_raw(options: &Options) -> bool {
    let nothing = Head { text: b"", complete: true };
    let row = options.format.or_else(|| detect(nothing, options.file_name.as_deref()));
    row.is_some_and(|row| UNMARKED.contains(&row.name))
}

/// Returns the format in which to write a manifest with this name, so that a reader that knows only
/// the name returns what was written: `format` itself, or its tagged form if neither the name nor
/// the length of the digests determines the algorithm.
pub fn for_file(
    format: &'static Format,
    specs: &[Spec],
    spelling: Spelling,
    file_name: &[u8],
) -> &'static Format {
    let Some(tagged) = format.tagged else { return format };
    let is_named = |spec: &Spec| {
        let named = algorithm_in_file_name(file_name).is_some();
        // Base64 without padding may look like anything, and fewer than 8 digits may look like a
        // word.
        let plain = spelling != Spelling::Base64 || named || !spec.digest_len().is_multiple_of(3);
        // xxhsum reads an XXH3 digest without a tag as XXH64.
        spelling != Spelling::Base32
            && plain
            && spec.algorithm().name() != "xxh3"
            && spec.digest_len() * 2 >= MIN_DIGITS
            && implies_algorithm(spec, Some(file_name))
    };
    let nothing = Head { text: b"", complete: true };
    let named = detect(nothing, Some(file_name));
    let other = match format.capabilities.algorithm_source {
        AlgorithmSource::FileName => named != Some(format),
        _ => named.is_some_and(|named| named != format),
    };
    if !other && specs.iter().all(is_named) { format } else { tagged }
}

/// Returns the format of a manifest. One that is not recognized is read as GNU lines.
pub(crate) fn choose(head: Head<'_>, file_name: Option<&[u8]>) -> &'static Format {
    let plain = if terminator(head.text) == 0 { &gnu::GNU_Z } else { &gnu::GNU };
    detect(head, file_name).unwrap_or(plain)
}

/// Returns NUL if lines end with it: the text before the first NUL has the form of a line, and so
/// does the text after it, if there is any. Otherwise returns LF, and a NUL is an error in its
/// line.
pub(crate) fn terminator(head: &[u8]) -> u8 {
    let Some(first) = memchr::memchr(0, head).map(|end| &head[..end]) else { return b'\n' };
    let next = &head[first.len() + 1..];
    let next = &next[..memchr::memchr(0, next).unwrap_or(next.len())];
    let is_record = |text: &[u8]| {
        let head = Head { text, complete: true };
        FORMATS.iter().any(|row| row.terminator() == Some(0) && (row.sniff)(&head).is_some())
    };
    let alone = first.len() + 1 == head.len();
    if is_record(first) && (alone || is_record(next)) { 0 } else { b'\n' }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{AlgorithmSource, Algorithms, Reading};
    use std::collections::HashSet;

    fn found(text: &[u8], file_name: Option<&[u8]>) -> Option<&'static str> {
        detect(Head { text, complete: true }, file_name).map(|row| row.name)
    }

    #[test]
    fn format_rows_are_unique_and_complete() {
        let mut seen = HashSet::new();
        for row in FORMATS {
            assert!(seen.insert(row.name), "{} twice", row.name);
            assert_eq!(format(row.name), Some(*row));
            assert!(row.summary.len() > 20, "{}", row.name);
            assert_eq!(row.name.ends_with("-z"), row.terminator() == Some(0), "{}", row.name);
            assert!(row.file_names.iter().all(|end| *end == end.to_ascii_lowercase()), "{}", row.name);
            if let Algorithms::Only(names) = row.capabilities.algorithms {
                assert!(names.iter().all(|name| truesum_hash::find(name).is_some()) && !names.is_empty());
            }
            assert_eq!(
                row.capabilities.algorithm_source != AlgorithmSource::Manifest,
                row.tagged.is_some(),
                "{}",
                row.name
            );
            if let Reading::Document { limit, .. } = row.reading {
                assert!((1..=256 << 20).contains(&limit), "{}", row.name);
            }
        }
    }

    #[test]
    fn unrecognized_text_is_identified_only_by_its_name() {
        assert_eq!(found(b"", None), None);
        assert_eq!(found(b"hello world\n", None), None);
        assert_eq!(found(b"hello world\n", Some(b"X.JSONL")), Some("jsonl"));
        assert_eq!(found(b"", Some(b"SHA256SUMS")), Some("gnu"));
    }

    #[test]
    fn long_lists_of_plain_lines_are_recognized_by_their_first_lines() {
        let names = [
            "a",
            "./a",
            "/a",
            "data/a",
            "DEBIAN/md5sums",
            "usr/lib/x.so",
            "a.torrent",
            "Release",
            "sha256",
            "SHA256SUMS",
            "x.tar.gz",
            "2024-01-02",
            "a_b",
            "a+b",
            "-",
            "1",
            "12345",
            "README",
            "\u{e4}",
            "deadbeefx",
            "a/deadbeef",
            "sha256-x",
            "manifest-sha256.txt",
            "bagit.txt",
            "a.iso.zsync",
            "v1.0.0",
            "10.5281/zenodo.1",
            "x.sha256",
        ];
        let tags = ["CRC32", "MD5", "SHA256", "SHA2-256", "BLAKE2b-512", "XXH64_LE", "SIZE", "x", ""];
        let tagged = tags.map(|tag| (format!("{tag} ("), ") = "));
        let shapes = [("  ".to_owned(), ""), (" *".to_owned(), "")].into_iter().chain(tagged);
        for (before, after) in shapes {
            for digits in [8, 32, 64, 128] {
                for shift in (0..names.len()).step_by(5) {
                    let line = |at: usize| {
                        let (digest, name) = (format!("{at:0digits$x}"), names[(at + shift) % names.len()]);
                        match after {
                            "" => format!("{digest}{before}{name}\n"),
                            _ => format!("{before}{name}{after}{digest}\n"),
                        }
                    };
                    let text: String = (0..3 * names.len()).map(line).collect();
                    for text in [text.as_bytes(), &text.as_bytes()[..text.len() - 20]] {
                        let head = Head { text, complete: text.ends_with(b"\n") };
                        for name in
                            [None, Some(&b"x"[..]), Some(b"SHA256SUMS"), Some(b"x.sfv"), Some(b"x.torrent")]
                        {
                            let (found, expected) = (detect(head, name), examine(head, name));
                            assert_eq!(found, expected, "{digits} {before} {shift}");
                        }
                    }
                }
            }
        }
        let plain = "d".repeat(64) + "  x\n";
        assert_eq!(
            representative(Head { text: plain.repeat(100).as_bytes(), complete: true }).text.len(),
            16 * 67 + 16
        );
        let tagged = "CRC32 (x/y) = 01234567\n";
        for (line, cut) in
            [(plain.as_str(), "01a"), (&plain, ""), (tagged, "CRC"), (tagged, "CRC32 (x"), (tagged, "")]
        {
            let text = line.repeat(100) + cut;
            let head = Head { text: text.as_bytes(), complete: false };
            assert_eq!(representative(head).text.len(), 16 * line.len(), "{text:?}");
            let head = Head { text: text.as_bytes(), complete: true };
            assert_eq!(representative(head).text.len() == text.len(), !cut.is_empty(), "{text:?}");
        }
        for other in ["# a\n", "x\n", "\n", "MD5 (a) = 00\n", "\0\n", "\0"] {
            for line in [tagged, "MD5 (a b) = 00\n", "MD5 (a) = 0011223344556677\n"] {
                let text = line.repeat(100) + other;
                assert_eq!(
                    representative(Head { text: text.as_bytes(), complete: true }).text.len(),
                    text.len()
                );
            }
            let text = plain.repeat(100) + other;
            let head = Head { text: text.as_bytes(), complete: true };
            assert_eq!(representative(head).text.len(), text.len(), "{other:?}");
        }
    }

    #[test]
    fn first_line_in_a_known_form_decides() {
        let (gnu, bsd) =
            ("9dd4e461268c8034f5c8564e155c67a6  a\n", "MD5 (a) = 9dd4e461268c8034f5c8564e155c67a6\n");
        assert_eq!(found(format!("x\n{gnu}{bsd}").as_bytes(), None), Some("gnu"));
        assert_eq!(found(format!("x\n{bsd}{gnu}").as_bytes(), Some(b"MD5SUMS")), Some("bsd"));
    }

    #[test]
    fn manifests_are_recognized_by_name() {
        for (name, expected) in [
            (&b"x.iso.sha256"[..], true),
            (b"X.SFV", true),
            (b"md5sums", true),
            (b".chkbit", true),
            (b".chkbit-db", true),
            (b"CHECKSUMS", true),
            (b"checksums.jsonl", true),
            (b"x.iso.sha256.gz", true),
            (b"x.sfv.zst", true),
            (b"x.jsonl.gz", false),
            (b"md5.c.gz", false),
            (b"MD5SUM", true),
            (b"CHECKSUM", true),
            (b"sha256sum.txt", true),
            (b"md5sum", false),
            (b"sha256", false),
            (b"md5.c", false),
            (b"tiger.txt", false),
            (b"photo.jpg", false),
            (b"list.json", false),
            (b"manifest-sha256.txt", true),
            (b"tagmanifest-md5.txt", true),
            (b"manifest-of-things.txt", false),
            (b"\xed\xa0\x80.sha256", true),
            // Names that consist of the extension of compressed files.
            (b".gz", false),
            (b".gz.xz", false),
            (b"", false),
        ] {
            assert_eq!(has_manifest_name(name), expected, "{}", name.escape_ascii());
        }
    }
}
