//! `CHECKSUMS.md5` of Slackware: an introduction, a header that names the columns, then GNU
//! lines. Entries above the header are errors.

use crate::algorithm::NamedAlgorithm;
use crate::digest::is_like;
use crate::formats::mixed::Mixed;
use crate::formats::mixed::appended::{is_bare, words};
use crate::formats::prelude::*;

pub(crate) static SLACKWARE: Format = Format {
    name: "slackware",
    summary: "Slackware's CHECKSUMS.md5: GNU lines after an introduction and a column header",
    sniff: |head| head.marked(|line| columns(line).is_some()),
    reading: Reading::lines(|options| {
        Box::new(List { lines: Mixed::new(options, b'\n'), options: options.clone(), begun: false })
    }),
    ..Format::DEFAULT
};

/// Returns the algorithm in a header such as `MD5 message digest    Filename`.
fn columns(line: &[u8]) -> Option<NamedAlgorithm> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() > 256 || !line.ends_with(b"Filename") {
        return None;
    }
    let (tag, rest) = scan::word(line);
    let rest = rest.strip_prefix(b"message digest")?;
    (scan::trim_start(rest) == b"Filename")
        .then(|| NamedAlgorithm::of(&std::str::from_utf8(tag).ok()?.to_ascii_lowercase()))?
}

struct List {
    lines: Mixed,
    options: Options,
    begun: bool,
}

impl Parse for List {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if let Some(stated) = columns(line) {
            self.lines = Mixed::new(&self.options, b'\n');
            self.lines.state(stated);
            self.begun = true;
            return Ok(None);
        }
        if self.begun {
            return self.lines.line(line);
        }
        // A digest within a sentence is not an entry.
        let ends = [words(line).next(), words(line).next_back()];
        let is_entry = words(line).nth(1).is_some() && ends.into_iter().flatten().any(is_like);
        match is_entry || is_bare(line) {
            true => Err(Reason::Part("an entry before the column header")),
            false => Ok(None),
        }
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        self.lines.last()
    }
}
