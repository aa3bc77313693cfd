//! The beginning of a manifest, and the evidence for a format in it.

use crate::scan;

readable! {
    /// The beginning of a manifest: its first 64 KiB, or all of it. Text with a byte order mark is
    /// decoded to UTF-8. All other bytes are unchanged, because binary formats depend on them.
    #[derive(Clone, Copy, Debug)]
    pub struct Head<'a> {
        /// The bytes.
        text: &'a [u8],
        /// True if the manifest has no more bytes.
        complete: bool,
    }
}

/// The strength of the evidence for a format, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sign {
    /// The format is possible; this counts only if the manifest's name also indicates it.
    Possible,
    /// A line has a form that this format writes.
    Shape,
    /// All lines have a form that this format writes, and not all of them have the form of another
    /// format.
    Whole,
    /// The manifest has a mark that only this format has.
    Mark,
}

readable! {
    /// The evidence for a format.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Claim {
        /// The strength of the evidence.
        sign: Sign,
        /// The index of the line with the evidence, from 0. The earlier of two forms takes precedence,
        /// so that a single unusual line does not change the result.
        at: usize,
    }
}

impl Claim {
    /// Claims a manifest as a whole if it has a mark of this format.
    pub(crate) fn mark(is_mark: bool) -> Option<Claim> {
        is_mark.then_some(Claim { sign: Sign::Mark, at: 0 })
    }
}

impl<'a> Head<'a> {
    /// Returns the beginning of a manifest with these bytes, which are `complete` if no more follow.
    pub fn new(text: &'a [u8], complete: bool) -> Head<'a> {
        Head { text, complete }
    }

    /// Returns the lines, without a last line that may be truncated.
    pub fn lines(&self, terminator: u8) -> impl Iterator<Item = &'a [u8]> {
        let text = self.text;
        let end = match text.iter().rposition(|&byte| byte == terminator) {
            Some(last) if !self.complete || last + 1 == text.len() => last,
            _ => text.len(),
        };
        text[..end].split(move |&byte| byte == terminator)
    }

    /// Returns a claim for the first entry if every line that is not blank has the form of this
    /// format. `form` returns `None` for a line of another format, and false for a line without an
    /// entry, such as a comment. A CR at the end of a line is not part of it.
    pub fn whole(&self, mut form: impl FnMut(&[u8]) -> Option<bool>) -> Option<Claim> {
        let mut first = None;
        for (at, line) in self.lines(b'\n').enumerate() {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !scan::is_empty(line) && form(line)? {
                first.get_or_insert(at);
            }
        }
        Some(Claim { sign: Sign::Whole, at: first? })
    }

    /// Claims the first line that has a mark of this format.
    pub(crate) fn marked(&self, is_mark: impl FnMut(&[u8]) -> bool) -> Option<Claim> {
        let at = self.lines(b'\n').position(is_mark)?;
        Some(Claim { sign: Sign::Mark, at })
    }

    /// Claims the first line that is not blank, if it has a mark of this format.
    pub(crate) fn begun(&self, is_mark: impl FnOnce(&[u8]) -> bool) -> Option<Claim> {
        let (at, first) = self.lines(b'\n').enumerate().find(|(_, line)| !scan::is_empty(line))?;
        is_mark(first).then_some(Claim { sign: Sign::Mark, at })
    }

    /// Claims a manifest that begins with one of these marks.
    pub(crate) fn begins(&self, marks: &[&[u8]]) -> Option<Claim> {
        Claim::mark(marks.iter().any(|mark| self.text.starts_with(mark)))
    }

    /// Returns a claim for the first entry: as a whole like [`Head::whole`], or else as a possible
    /// manifest of this format.
    pub(crate) fn whole_or_possible(&self, mut form: impl FnMut(&[u8]) -> Option<bool>) -> Option<Claim> {
        self.whole(&mut form).or_else(|| {
            let mut lines = self.lines(b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
            let at = lines.position(|line| !scan::is_empty(line) && form(line) == Some(true))?;
            Some(Claim { sign: Sign::Possible, at })
        })
    }

    /// Returns a claim for the first line that has the form of this format.
    pub fn first(&self, terminator: u8, shape: impl Fn(&[u8]) -> bool) -> Option<Claim> {
        let at = self.lines(terminator).position(shape)?;
        Some(Claim { sign: Sign::Shape, at })
    }
}
