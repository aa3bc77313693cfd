//! Writes entries in a format. An entry that the format cannot hold is rejected with a reason, and
//! the others are written.

use crate::entry::{Entry, SIZE_LIMIT};
use crate::format::{Compose, Format, Heading, Style, Unrepresentable, Writing};
use crate::lines::LINE_LIMIT;
use crate::path::NAME_LIMIT;
use std::fmt;
use std::io::{self, Write};

/// A writer of a manifest, entry by entry.
pub struct Writer<W: Write> {
    out: W,
    format: &'static Format,
    compose: Box<dyn Compose + Send>,
    /// Text that the next call writes.
    text: Vec<u8>,
}

/// A reason why something was not written.
#[derive(Debug)]
pub enum WriteError {
    /// The format cannot hold the entry. Nothing of it was written, and other entries can still be
    /// written.
    Refused(Unrepresentable),
    /// Writing the output failed, possibly in the middle of a line.
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

impl std::error::Error for WriteError {
    /// Returns the source of the wrapped error, whose message is that of this one.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            WriteError::Refused(why) => why.source(),
            WriteError::Io(error) => error.source(),
        }
    }
}

/// A composer of entries that need no other text.
struct EntryComposer {
    write: fn(&Entry, &Style, &mut Vec<u8>) -> Result<(), Unrepresentable>,
    style: Style,
}

impl Compose for EntryComposer {
    fn entry(&mut self, entry: &Entry, text: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        (self.write)(entry, &self.style, text)
    }
}

impl<W: Write> Writer<W> {
    /// Creates a writer of this format. It does not buffer: each entry is one `write_all`.
    pub fn new(out: W, format: &'static Format, heading: &Heading) -> Writer<W> {
        let mut compose = match format.writing {
            Writing::Entries(write) => Box::new(EntryComposer { write, style: heading.style }),
            Writing::Manifest(begin) => begin(heading),
            Writing::No => Box::new(NoComposer),
        };
        let mut text = Vec::new();
        compose.begin(&mut text);
        let end: &[u8] = if text.ends_with(b"\r\n") { b"\r\n" } else { b"\n" };
        for rule in heading.rules.iter().filter(|rule| rule.fits_line()) {
            let Some(mark) = format.comment else { break };
            rule.append(mark, &mut text);
            text.extend_from_slice(end);
        }
        Writer { out, format, compose, text }
    }

    /// Writes one entry. The first call also writes the text before it.
    ///
    /// # Errors
    /// Fails if the format cannot hold the entry, or if writing the output fails.
    pub fn write(&mut self, entry: &Entry) -> Result<(), WriteError> {
        let compose = &mut self.compose;
        append_or_truncate(entry, self.format, &mut self.text, |text| compose.entry(entry, text))
            .map_err(WriteError::Refused)?;
        self.flush_text().map_err(WriteError::Io)
    }

    /// Returns the output, so that the caller can take out the text written so far.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// Writes the text after the last entry, flushes the output and returns it.
    ///
    /// # Errors
    /// Fails if the entries do not form a manifest, or if writing the output fails.
    pub fn finish(mut self) -> Result<W, WriteError> {
        self.compose.end(&mut self.text).map_err(WriteError::Refused)?;
        self.flush_text().and_then(|()| self.out.flush()).map_err(WriteError::Io)?;
        Ok(self.out)
    }

    fn flush_text(&mut self) -> io::Result<()> {
        self.out.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }
}

/// Appends the lines of one entry to `out`.
///
/// # Errors
/// Fails if the format cannot hold the entry or is not written entry by entry. `out` is then
/// unchanged.
pub fn append(
    entry: &Entry,
    format: &Format,
    style: &Style,
    out: &mut Vec<u8>,
) -> Result<(), Unrepresentable> {
    match format.writing {
        Writing::Entries(write) => append_or_truncate(entry, format, out, |out| write(entry, style, out)),
        Writing::Manifest(_) => Err(Unrepresentable::NotEntryByEntry),
        Writing::No => Err(Unrepresentable::ReadOnly),
    }
}

/// A composer for formats that can only be read.
struct NoComposer;

impl Compose for NoComposer {
    fn entry(&mut self, _: &Entry, _: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        Err(Unrepresentable::ReadOnly)
    }
}

/// Appends the text of an entry if the format can hold it. Otherwise `out` is unchanged.
fn append_or_truncate(
    entry: &Entry,
    format: &Format,
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), Unrepresentable>,
) -> Result<(), Unrepresentable> {
    check_representable(entry, format)?;
    let before = out.len();
    write(out).and_then(|()| readable(&out[before..], format)).inspect_err(|_| out.truncate(before))
}

/// Rejects an entry that no reader of the format would return.
fn check_representable(entry: &Entry, format: &Format) -> Result<(), Unrepresentable> {
    if entry.path.is_empty() {
        return Err(Unrepresentable::EmptyName);
    }
    if entry.path.contains(&0) {
        return Err(Unrepresentable::Nul);
    }
    if entry.path.len() > NAME_LIMIT {
        return Err(Unrepresentable::NameTooLong);
    }
    if entry.size.is_some_and(|size| size > SIZE_LIMIT) {
        return Err(Unrepresentable::Size);
    }
    if entry.digests.is_empty() && (entry.pieces.is_empty() || format.capabilities.pieces.is_none()) {
        return Err(Unrepresentable::NoDigest);
    }
    if let Some((spec, _)) = entry.digests.iter().find(|(spec, digest)| {
        spec.digest_len() != digest.len() || spec.counts_parts() != digest.parts().is_some()
    }) {
        return Err(Unrepresentable::Length(spec.clone()));
    }
    format.capabilities.check(entry)
}

/// Rejects lines that are too long for a reader.
fn readable(text: &[u8], format: &Format) -> Result<(), Unrepresentable> {
    let Some(terminator) = format.terminator() else { return Ok(()) };
    let long =
        text.len() > LINE_LIMIT && text.split(|&byte| byte == terminator).any(|line| line.len() > LINE_LIMIT);
    if long { Err(Unrepresentable::LineTooLong) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::FORMATS;
    use crate::table::format;
    use truesum_hash::Spec;

    fn entry(path: &[u8], names: &[&str]) -> Entry {
        let digests = names.iter().map(|name| {
            let spec: Spec = name.parse().unwrap();
            let digest = spec.digest(b"");
            (spec, digest)
        });
        Entry { path: path.to_vec(), size: Some(0), digests: digests.collect(), ..Entry::default() }
    }

    #[test]
    fn unsupported_entries_are_rejected_and_the_rest_written() {
        // Torrents are excluded, because their entries depend on each other.
        let written =
            |row: &&&Format| row.capabilities.pieces.is_none() && !matches!(row.writing, Writing::No);
        for row in FORMATS.iter().filter(written) {
            let name = row.capabilities.usual_algorithm().algorithm().name();
            let mut writer = Writer::new(Vec::new(), row, &Heading::default());
            for (bad, why) in [
                (entry(b"", &[name]), Unrepresentable::EmptyName),
                (entry(b"a\0b", &[name]), Unrepresentable::Nul),
                (entry(&[b'a'; NAME_LIMIT + 1], &[name]), Unrepresentable::NameTooLong),
                (entry(b"a", &[]), Unrepresentable::NoDigest),
            ] {
                match writer.write(&bad) {
                    Err(WriteError::Refused(found)) => assert_eq!(found, why, "{}", row.name),
                    other => panic!("{}: {other:?}", row.name),
                }
                writer.write(&entry(b"good", &[name])).unwrap();
            }
            let text = writer.finish().unwrap();
            // Some formats have a name more than once.
            let mut one = Writer::new(Vec::new(), row, &Heading::default());
            one.write(&entry(b"good", &[name])).unwrap();
            let count = |text: Vec<u8>| String::from_utf8(text).unwrap().matches("good").count();
            assert_eq!(count(text), 4 * count(one.finish().unwrap()), "{}", row.name);
        }
    }

    #[test]
    fn untagged_lines_hold_several_digests_only_of_common_algorithms() {
        let refused = |name: &str, digests: &[&str]| {
            let mut out = b"before".to_vec();
            let result = append(&entry(b"a", digests), format(name).unwrap(), &Style::default(), &mut out);
            assert_eq!(result.is_err(), out == b"before");
            result.err()
        };
        assert_eq!(refused("gnu", &["md5", "sha256"]), None);
        assert_eq!(refused("gnu", &["blake3"]), None);
        assert_eq!(
            refused("gnu", &["md5", "blake3"]),
            Some(Unrepresentable::Untagged("blake3".parse().unwrap()))
        );
        assert_eq!(refused("bsd", &["sha256", "blake3"]), None);
        assert_eq!(refused("jsonl", &["sha256", "blake3"]), None);
        assert_eq!(refused("jsonl", &["md5", "md5"]), Some(Unrepresentable::Twice("md5".parse().unwrap())));
    }

    #[test]
    fn lines_are_byte_identical_to_their_programs() {
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
                 \"size\":0,\"digests\":{{\"md5\":\"{md5}\"}}}}\n"
            )
        );
    }

    struct FullWriter;

    impl Write for FullWriter {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::StorageFull.into())
        }
    }

    #[test]
    fn output_error_is_returned() {
        let mut writer = Writer::new(FullWriter, FORMATS[0], &Heading::default());
        assert!(matches!(writer.write(&entry(b"a", &["md5"])), Err(WriteError::Io(_))));
        assert!(writer.finish().is_err());
    }
}
