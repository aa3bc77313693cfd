//! Writes entries in a format. An entry that the format cannot hold is refused by name, and the rest is written.

use crate::entry::Entry;
use crate::format::{Format, Style, Unholdable};
use std::fmt;
use std::io::{self, Write};

/// Writes entries, one after the other.
pub struct Writer<W: Write> {
    out: W,
    format: &'static Format,
    style: Style,
    lines: Vec<u8>,
}

/// Why an entry was not written.
#[derive(Debug)]
pub enum WriteError {
    /// The format cannot hold it. Nothing of it was written; the next entry may be.
    Refused(Unholdable),
    /// The output failed, perhaps in the middle of a line.
    Io(io::Error),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Refused(why) => why.fmt(f),
            WriteError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WriteError {}

impl<W: Write> Writer<W> {
    /// A writer of this format. It does not buffer: each entry is one `write_all`.
    pub fn new(out: W, format: &'static Format, style: Style) -> Writer<W> {
        Writer { out, format, style, lines: Vec::new() }
    }

    /// Writes one entry.
    ///
    /// # Errors
    /// The format cannot hold the entry, or the output failed.
    pub fn write(&mut self, entry: &Entry) -> Result<(), WriteError> {
        self.lines.clear();
        append(entry, self.format, &self.style, &mut self.lines).map_err(WriteError::Refused)?;
        self.out.write_all(&self.lines).map_err(WriteError::Io)
    }

    /// Flushes the output and gives it back.
    ///
    /// # Errors
    /// The output's.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Appends the lines of one entry to `out`.
///
/// # Errors
/// The format cannot hold the entry; `out` is as it was.
pub fn append(entry: &Entry, format: &Format, style: &Style, out: &mut Vec<u8>) -> Result<(), Unholdable> {
    if entry.path.is_empty() {
        return Err(Unholdable::EmptyName);
    }
    if entry.path.contains(&0) {
        return Err(Unholdable::Nul);
    }
    if entry.digests.is_empty() {
        return Err(Unholdable::NoDigest);
    }
    if let Some((spec, _)) = entry.digests.iter().find(|(spec, digest)| {
        spec.digest_len() != digest.len() || spec.counts_parts() != digest.parts().is_some()
    }) {
        return Err(Unholdable::Length(spec.clone()));
    }
    let before = out.len();
    (format.write)(entry, style, out).inspect_err(|_| out.truncate(before))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{FORMATS, format};
    use truesum_hash::Spec;

    fn entry(path: &[u8], names: &[&str]) -> Entry {
        let digests = names.iter().map(|name| {
            let spec: Spec = name.parse().unwrap();
            let digest = spec.digest(b"");
            (spec, digest)
        });
        Entry { path: path.to_vec(), digests: digests.collect(), ..Entry::default() }
    }

    #[test]
    fn what_no_format_can_hold_is_refused_and_the_rest_is_written() {
        for row in FORMATS {
            let mut writer = Writer::new(Vec::new(), row, Style::default());
            for (bad, why) in [
                (entry(b"", &["md5"]), Unholdable::EmptyName),
                (entry(b"a\0b", &["md5"]), Unholdable::Nul),
                (entry(b"a", &[]), Unholdable::NoDigest),
            ] {
                match writer.write(&bad) {
                    Err(WriteError::Refused(found)) => assert_eq!(found, why, "{}", row.name),
                    other => panic!("{}: {other:?}", row.name),
                }
                writer.write(&entry(b"good", &["md5"])).unwrap();
            }
            let text = writer.finish().unwrap();
            assert_eq!(String::from_utf8(text).unwrap().matches("good").count(), 3, "{}", row.name);
        }
    }

    #[test]
    fn lines_without_tags_hold_several_digests_only_of_usual_algorithms() {
        let refused = |name: &str, digests: &[&str]| {
            let mut out = b"before".to_vec();
            let result = append(&entry(b"a", digests), format(name).unwrap(), &Style::default(), &mut out);
            assert_eq!(result.is_err(), out == b"before");
            result.err()
        };
        assert_eq!(refused("gnu", &["md5", "sha256"]), None);
        assert_eq!(refused("gnu", &["blake3"]), None);
        assert_eq!(refused("gnu", &["md5", "blake3"]), Some(Unholdable::Untagged("blake3".parse().unwrap())));
        assert_eq!(refused("bsd", &["sha256", "blake3"]), None);
        assert_eq!(refused("jsonl", &["sha256", "blake3"]), None);
        assert_eq!(refused("jsonl", &["md5", "md5"]), Some(Unholdable::Twice("md5".parse().unwrap())));
    }

    #[test]
    fn lines_are_byte_for_byte_those_of_the_programs_they_come_from() {
        let line = |name: &str, path: &[u8], spec: &str, style: Style| {
            let mut out = Vec::new();
            append(&entry(path, &[spec]), format(name).unwrap(), &style, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let text = Style::default();
        let md5 = "d41d8cd98f00b204e9800998ecf8427e";
        assert_eq!(line("gnu", b"a", "md5", text), format!("{md5}  a\n"));
        assert_eq!(
            line("gnu", b"a", "md5", Style { mode: crate::Mode::Binary, ..text }),
            format!("{md5} *a\n")
        );
        assert_eq!(line("gnu", b"n\nl\\\r", "md5", text), format!("\\{md5}  n\\nl\\\\\\r\n"));
        assert_eq!(line("gnu-z", b"n\nl\\", "md5", text), format!("{md5}  n\nl\\\0"));
        assert_eq!(line("bsd", b"n\nl", "md5", text), format!("\\MD5 (n\\nl) = {md5}\n"));
        assert_eq!(line("bsd-z", b"n\nl", "md5", text), format!("MD5 (n\nl) = {md5}\0"));
        let base64 = Style { spelling: crate::Spelling::Base64, ..text };
        assert_eq!(line("bsd", b"a", "md5", base64), "MD5 (a) = 1B2M2Y8AsgTpgAmY7PhCfg==\n");
        let blake2b = line("bsd", b"a", "blake2b-128", text);
        assert_eq!(blake2b, "BLAKE2b-128 (a) = cae66941d9efbd404e4d88758ea67670\n");
        assert_eq!(
            line("jsonl", b"a\x1b\"\xff", "md5", text),
            format!(
                "{{\"schema\":\"truesum-entry/1\",\"path\":\"a\\u001b\\\"\u{fffd}\",\"path_base64\":\"YRsi/w==\",\
                 \"digests\":{{\"md5\":\"{md5}\"}}}}\n"
            )
        );
    }

    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::StorageFull.into())
        }
    }

    #[test]
    fn a_failing_output_is_told() {
        let mut writer = Writer::new(Full, FORMATS[0], Style::default());
        assert!(matches!(writer.write(&entry(b"a", &["md5"])), Err(WriteError::Io(_))));
        assert!(writer.finish().is_err());
    }
}
