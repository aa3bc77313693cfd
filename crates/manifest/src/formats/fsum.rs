//! Lines that name the algorithm between the digest and the name: `DIGEST ?SHA256*NAME`
//! (SlavaSoft fsum, TeraCopy), and `DIGEST (SHA1): NAME`. FastSum writes names that the Windows
//! code page lacks into a comment above the line: `; UTF8: *NAME`.

use crate::comment::is_comment;
use crate::digest::{MIN_DIGITS, is_hex, tagged};
use crate::formats::mixed::Mixed;
use crate::formats::prelude::*;
use crate::path::FOLDER_LIMIT;

pub(crate) static FSUM: Format = Format {
    name: "fsum",
    summary: "digest, ?ALGORITHM*, name, as written by fsum and TeraCopy; also reads FastSum's comments with UTF-8 names",
    sniff,
    reading: Reading::lines(|options| {
        Box::new(Lines { options: options.clone(), lines: Mixed::new(options, b'\n'), name: None })
    }),
    ..Format::DEFAULT
};

/// Splits a line that names its algorithm into digest, algorithm and name.
fn split(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let end = scan::find(line, scan::is_blank)?;
    let (digest, rest) = line.split_at(end);
    let (tag, name) = if let Some(rest) = rest.strip_prefix(b" ?") {
        scan::cut(rest, b'*')?
    } else {
        let (tag, name) = scan::cut(rest.strip_prefix(b" (")?, b')')?;
        (tag, name.strip_prefix(b": ")?)
    };
    let is_own = digest.len() >= MIN_DIGITS && is_hex(digest) && tag.len() <= 16 && !name.is_empty();
    is_own.then_some((digest, tag, name))
}

/// Returns true if a comment would be such a line with another first character. Only damage removes
/// the blank after the semicolon of a comment.
fn is_damaged(line: &[u8]) -> bool {
    let digits = line.get(1..).unwrap_or_default();
    split(&[b"0", digits].concat()).is_some_and(|(_, tag, _)| spec_of(tag).is_ok())
}

/// Returns the name of a supported algorithm.
fn spec_of(tag: &[u8]) -> Result<&str, Reason> {
    let tag = std::str::from_utf8(tag).map_err(|_| Reason::NotALine)?;
    tag.parse::<Spec>().map_err(Reason::Algorithm)?;
    Ok(tag)
}

/// Returns the name in FastSum's comment.
fn utf8_name(line: &[u8]) -> Option<&[u8]> {
    line.strip_prefix(b"; UTF8: ")?.strip_prefix(b"*")
}

/// Returns true if a line with a name in a Windows code page may be for this name: every character
/// that the code page lacks is a question mark.
fn is_spelled(in_page: &[u8], name: &[u8]) -> bool {
    let Ok(name) = std::str::from_utf8(name) else { return false };
    // A code page has one or two bytes for a character; only ASCII can be compared.
    let ascii = |text: &[u8]| -> Vec<u8> {
        text.iter().copied().filter(|byte| byte.is_ascii() && *byte != b'?').collect()
    };
    let lacking = in_page.iter().filter(|&&byte| byte == b'?' || !byte.is_ascii()).count();
    ascii(in_page) == ascii(name.as_bytes()) && lacking >= name.chars().filter(|c| !c.is_ascii()).count()
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    // Windows allows neither `?` nor `*` in names, so one such line is enough.
    let is_certain = |line: &[u8]| {
        split(line)
            .is_some_and(|(digest, tag, _)| line[digest.len()..].starts_with(b" ?") && spec_of(tag).is_ok())
    };
    if let Some(at) = head.lines(b'\n').position(is_certain) {
        return Some(Claim { sign: Sign::Mark, at });
    }
    head.whole(|line| {
        let own = split(line).is_some() || utf8_name(line).is_some();
        (own || is_comment(line) || crate::digest::starts_with_digest(line)).then_some(own)
    })
}

struct Lines {
    options: Options,
    lines: Mixed,
    /// The name in the comment directly above.
    name: Option<Vec<u8>>,
}

impl Parse for Lines {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        let above = self.name.take();
        if let Some(name) = utf8_name(line) {
            if name.len() > FOLDER_LIMIT {
                return Err(Reason::NameTooLong);
            }
            self.name = Some(name.to_vec());
            return Ok(None);
        }
        let found = match split(line) {
            Some((digest, tag, name)) => {
                let (spec, digest) = tagged(spec_of(tag)?, digest, &self.options)?;
                Some(Entry::new(name, spec, digest))
            }
            None if is_comment(line) && is_damaged(line) => return Err(Reason::DamagedComment),
            None => self.lines.line(line)?,
        };
        match (found, above) {
            (Some(entry), Some(name)) if is_spelled(&entry.path, &name) => {
                Ok(Some(Entry { path: name, ..entry }))
            }
            (Some(_), Some(_)) => Err(Reason::Part("the name differs from the one in the comment above")),
            (None, Some(_)) => Err(Reason::Part("a name in a comment without a digest below it")),
            (found, None) => Ok(found),
        }
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        self.lines.last()
    }
}
