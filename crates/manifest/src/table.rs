//! The table of formats: one row is all there is to say of one.
//!
//! Adding a format: write its file, add one line here. Recognition, `truesum list`, conversion and the round-trip tests
//! follow from the row.

use crate::format::Format;
use crate::formats::{bsd, gnu, jsonl};

/// Every format, in the order they are recognised.
pub static FORMATS: &[&Format] = &[&jsonl::JSONL, &bsd::BSD, &gnu::GNU, &bsd::BSD_Z, &gnu::GNU_Z];

/// The row with this name.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|row| row.name == name)
}

/// The format of a manifest by its beginning (decoded text, up to 64 KiB), else by its name.
pub fn detect(head: &[u8], file_name: Option<&[u8]>) -> Option<&'static Format> {
    let terminator = terminator(head);
    // The first line that says anything decides, so that one strange line does not change the format of all.
    let lines = head.split(|&byte| byte == terminator).map(crate::scan::trim_start);
    let by_content = lines.filter(|line| !line.is_empty()).find_map(|line| {
        FORMATS.iter().copied().find(|row| row.terminator == terminator && (row.sniff)(line))
    });
    let by_name = || {
        let name = file_name?.to_ascii_lowercase();
        FORMATS.iter().copied().find(|row| row.file_names.iter().any(|end| name.ends_with(end.as_bytes())))
    };
    by_content.or_else(by_name)
}

/// The format of a manifest; one that looks like none is read as GNU lines.
pub(crate) fn choose(head: &[u8], file_name: Option<&[u8]>) -> &'static Format {
    let plain = if terminator(head) == 0 { &gnu::GNU_Z } else { &gnu::GNU };
    detect(head, file_name).unwrap_or(plain)
}

/// NUL if the lines end so: the first NUL is the end, or what follows it begins like a line. A NUL elsewhere is in
/// the middle of a line, and a fault of it.
fn terminator(head: &[u8]) -> u8 {
    let Some(nul) = head.iter().position(|&byte| byte == 0) else { return b'\n' };
    let is_line = |line: &[u8]| FORMATS.iter().any(|row| row.terminator == 0 && (row.sniff)(line));
    let rest = &head[nul + 1..];
    let next = rest.split(|&byte| byte == 0).next().unwrap_or_default();
    if is_line(&head[..nul]) && (rest.is_empty() || is_line(next)) { 0 } else { b'\n' }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::Entry;
    use crate::format::Style;
    use std::collections::HashSet;
    use truesum_hash::Spec;

    #[test]
    fn rows_have_unique_names_and_say_what_they_are() {
        let mut seen = HashSet::new();
        for row in FORMATS {
            assert!(seen.insert(row.name), "{} twice", row.name);
            assert_eq!(format(row.name), Some(*row));
            assert!(row.summary.len() > 20 && matches!(row.terminator, 0 | b'\n'), "{}", row.name);
            assert_eq!(row.name.ends_with("-z"), row.terminator == 0, "{}", row.name);
            assert!(row.file_names.iter().all(|end| *end == end.to_ascii_lowercase()), "{}", row.name);
        }
    }

    #[test]
    fn every_row_recognises_what_it_writes_and_leaves_the_others_alone() {
        let sha256: Spec = "sha256".parse().unwrap();
        let entry = Entry::new(b"a", sha256.clone(), sha256.digest(b"a"));
        for row in FORMATS {
            let mut text = Vec::new();
            (row.write)(&entry, &Style::default(), &mut text).unwrap();
            assert_eq!(detect(&text, None), Some(*row), "{}", row.name);
            // The content decides, not the name.
            assert_eq!(detect(&text, Some(b"x.jsonl")), Some(*row), "{}", row.name);
        }
        assert_eq!(detect(b"", None), None);
        assert_eq!(detect(b"hello world\n", None), None);
        assert_eq!(detect(b"hello world\n", Some(b"X.JSONL")).map(|row| row.name), Some("jsonl"));
        assert_eq!(detect(b"", Some(b"SHA256SUMS")).map(|row| row.name), Some("gnu"));
    }
}
