//! Replaces the rules of a manifest, which are comment lines, and leaves all other lines unchanged.

use crate::format::{Format, Options};
use crate::line::ReadError;
use crate::reader::Reader;
use crate::rule::{Rule, Rules};
use std::io::{self, Read, Write};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// An output that replaces the rules in the text of a manifest that is written to it. New rules take the place of the first
/// old one, or follow the comments at the beginning.
pub struct RuleWriter<'r, W> {
    out: W,
    /// The start of a comment.
    mark: &'static str,
    rules: &'r [Rule],
    /// The beginning of a line whose end has not been written yet.
    line: Vec<u8>,
    /// Whether a line has been written to the output.
    has_begun: bool,
    /// Whether the new rules have been written.
    is_done: bool,
}

impl<'r, W: Write> RuleWriter<'r, W> {
    /// Returns an output for a manifest in this format; `None` if the format has no comments.
    pub fn new(out: W, format: &Format, rules: &'r [Rule]) -> Option<RuleWriter<'r, W>> {
        let mark = format.comment()?;
        Some(RuleWriter { out, mark, rules, line: Vec::new(), has_begun: false, is_done: false })
    }

    /// Writes the rest of the text.
    ///
    /// # Errors
    /// Returns the error of the output.
    pub fn finish(mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.line);
        if !rest.is_empty() {
            self.put(&rest)?;
        }
        if !self.is_done {
            if !rest.is_empty() && !self.rules.is_empty() {
                self.out.write_all(b"\n")?;
            }
            self.put_rules(b"\n")?;
        }
        self.out.flush()
    }

    /// Writes a line, with its end if it has one, unless it is a rule.
    fn put(&mut self, mut line: &[u8]) -> io::Result<()> {
        if !std::mem::replace(&mut self.has_begun, true)
            && let Some(rest) = line.strip_prefix(BYTE_ORDER_MARK)
        {
            self.out.write_all(BYTE_ORDER_MARK)?;
            line = rest;
        }
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let (text, end) = text.strip_suffix(b"\r").map_or((text, &b"\n"[..]), |text| (text, b"\r\n"));
        let is_rule = Rules::default().line(text);
        if !self.is_done && (is_rule || !text.starts_with(self.mark.as_bytes())) {
            self.put_rules(end)?;
        }
        if is_rule { Ok(()) } else { self.out.write_all(line) }
    }

    fn put_rules(&mut self, end: &[u8]) -> io::Result<()> {
        self.is_done = true;
        for rule in self.rules {
            let mut text = Vec::new();
            rule.append(self.mark, &mut text);
            self.out.write_all(&[&text[..], end].concat())?;
        }
        Ok(())
    }
}

impl<W: Write> Write for RuleWriter<'_, W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        for part in text.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                self.put(&line)?;
            }
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns the rules of a manifest.
///
/// # Errors
/// Fails if it cannot be read.
pub fn rules(text: impl Read, options: &Options) -> io::Result<Rules> {
    let mut reader = Reader::new(text, options.clone());
    for item in reader.by_ref() {
        if let Err(ReadError::Io(error)) = item {
            return Err(error);
        }
    }
    Ok(reader.rules())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format;

    fn replaced(name: &str, text: &str, rules: &[Rule], step: usize) -> String {
        let mut out = Vec::new();
        let mut writer = RuleWriter::new(&mut out, format(name).unwrap(), rules).unwrap();
        text.as_bytes().chunks(step).for_each(|part| writer.write_all(part).unwrap());
        writer.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rules_are_replaced_and_other_bytes_stay() {
        let new = [Rule::Exclude("n".to_owned()), Rule::Include("m".to_owned())];
        let lines = "# truesum: exclude n\n# truesum: include m\n";
        let crlf = lines.replace('\n', "\r\n");
        for (name, old, expected) in [
            ("gnu", "00  a\n", format!("{lines}00  a\n")),
            ("gnu", "# mine\n\n00  a", format!("# mine\n{lines}\n00  a")),
            ("gnu", "\u{feff}00  a\r\n", format!("\u{feff}{crlf}00  a\r\n")),
            ("gnu", "# truesum: exclude o\n00  a\n# truesum: include p", format!("{lines}00  a\n")),
            ("gnu", "# mine", format!("# mine\n{lines}")),
            ("gnu", "", lines.to_owned()),
            ("sfv", "; mine\na 00000000\n", format!("; mine\n{}a 00000000\n", lines.replace('#', ";"))),
            ("mtree", "#mtree\na type=file\n", format!("#mtree\n{lines}a type=file\n")),
        ] {
            for step in [1, 5, 1000] {
                assert_eq!(replaced(name, old, &new, step), expected, "{old:?}");
            }
        }
        assert_eq!(
            replaced("gnu", "# truesum: exclude o\n# truesum: other\n00  a\n", &[], 7),
            "# truesum: other\n00  a\n"
        );
        assert!(RuleWriter::new(Vec::new(), format("jsonl").unwrap(), &[]).is_none());
    }
}
