//! The beginning of a manifest, and what in it speaks for a format.

/// The beginning of a manifest: up to 64 KiB, or all of it. Text that has a byte order mark is decoded to UTF-8, anything
/// else is as it is, so that formats of bytes see their bytes.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// The bytes.
    pub text: &'a [u8],
    /// Whether that is all.
    pub complete: bool,
}

/// How strongly something speaks for a format, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sign {
    /// It could be; counts only where the manifest's name says the same.
    Possible,
    /// A line has a shape that this format writes.
    Shape,
    /// Every line has it, and not every one of them that of another format.
    Whole,
    /// A mark that only this format has.
    Mark,
}

/// What speaks for a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// How strongly.
    pub sign: Sign,
    /// The line where, from 0: of two shapes the first decides, so that one strange line does not change all.
    pub at: usize,
}

impl<'a> Head<'a> {
    /// Its lines, without the one that may be cut off.
    pub fn lines(&self, terminator: u8) -> impl Iterator<Item = &'a [u8]> {
        let text = self.text;
        let end = match text.iter().rposition(|&byte| byte == terminator) {
            Some(last) if !self.complete || last + 1 == text.len() => last,
            _ => text.len(),
        };
        text[..end].split(move |&byte| byte == terminator)
    }

    /// A claim by the first line that has the shape of this format.
    pub fn first(&self, terminator: u8, shape: impl Fn(&[u8]) -> bool) -> Option<Claim> {
        let at = self.lines(terminator).position(shape)?;
        Some(Claim { sign: Sign::Shape, at })
    }
}
