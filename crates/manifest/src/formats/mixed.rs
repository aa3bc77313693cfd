//! Lines of text as the `*sum` programs, BSD and OpenSSL write them, in any mixture: `docs/spec/manifests.md`.
//!
//! GNU and BSD lines share one parser because real manifests mix them.

mod decimal;
pub(crate) mod tagged;

use crate::algorithm::same_length;
use crate::entry::Entry;
use crate::format::{Options, Parse};
use crate::line::Reason;
use crate::{digest, path, scan};
use truesum_hash::{Digest, Spec};

/// What stands between digest and name in lines without a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    /// No such line yet.
    Unknown,
    /// A blank and the mode character (GNU).
    Two,
    /// A blank (BSD `md5 -r`).
    One,
}

/// The parser: what is known from the lines before.
pub(crate) struct Mixed {
    options: Options,
    terminator: u8,
    gap: Gap,
}

impl Mixed {
    pub(crate) fn new(options: &Options, terminator: u8) -> Mixed {
        Mixed { options: options.clone(), terminator, gap: Gap::Unknown }
    }

    fn entry(&mut self, body: &[u8]) -> Result<(Spec, Digest, Vec<u8>, Option<u64>), Reason> {
        if let Some(sum) = decimal::split(body, self.options.expected()) {
            return Ok((sum.spec, sum.digest, sum.name.to_vec(), sum.size));
        }
        let end = scan::find(body, scan::is_blank).unwrap_or(body.len());
        let (first, rest) = body.split_at(end);
        // A name such as `(a) = b` must not make a tag of the digest before it.
        let is_digest = || {
            first.len() >= digest::MIN_DIGITS && digest::is_hex(first)
                || digest::untagged(first, &self.options).is_ok()
        };
        if let Some(line) = tagged::split(body)
            && !is_digest()
        {
            let (spec, digest) = if line.tag.is_empty() {
                digest::untagged(line.digest, &self.options)?
            } else {
                digest::tagged(line.tag, line.digest, &self.options)?
            };
            return Ok((spec, digest, line.name.to_vec(), None));
        }
        let (spec, digest) = digest::untagged(first, &self.options)?;
        let (gap, name) = match (self.gap, rest) {
            (_, [] | [_]) => return Err(Reason::EmptyName),
            (Gap::One, [_, name @ ..]) => (Gap::One, name),
            (_, [_, b' ' | b'*', name @ ..]) => (Gap::Two, name),
            (Gap::Two, _) => return Err(Reason::Mixed),
            (Gap::Unknown, [_, name @ ..]) => (Gap::One, name),
        };
        if !name.is_empty() {
            self.gap = gap;
        }
        Ok((spec, digest, name.to_vec(), None))
    }
}

impl Parse for Mixed {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        let body = scan::trim_start(line);
        let (escaped, body) = if self.terminator == 0 {
            (false, line)
        } else {
            if scan::find(line, |byte| byte == 0).is_some() {
                return Err(Reason::Nul);
            }
            if body.is_empty() {
                return Ok(None);
            }
            if is_comment(line) {
                return if is_damaged_entry(line) { Err(Reason::DamagedComment) } else { Ok(None) };
            }
            match body {
                [b'\\', body @ ..] => (true, body),
                _ => (false, body),
            }
        };
        let (spec, digest, name, size) = self.entry(body).map_err(|reason| match (reason, line) {
            // A blank and a mode character, and nothing before them.
            (Reason::NotALine, [b' ', b' ' | b'*', ..]) => Reason::EmptyDigest,
            (reason, _) => reason,
        })?;
        let path = if escaped { path::unescape(&name).ok_or(Reason::BadEscape)? } else { name };
        Ok(Some(Entry { path, size, digests: vec![(spec, digest)], ..Entry::default() }))
    }
}

/// Whether the line is a comment in any of the dialects: none of them has entries that start so.
pub(crate) fn is_comment(line: &[u8]) -> bool {
    line.starts_with(b"#") || line.starts_with(b";") || line.starts_with(b"//")
}

/// Whether a comment would be an entry if its first character were a digit: `3` is one bit from `#` and from `;`.
fn is_damaged_entry(line: &[u8]) -> bool {
    let digits = scan::find(&line[1..], |byte| !byte.is_ascii_hexdigit()).unwrap_or(line.len() - 1) + 1;
    let followed = line.get(digits).copied().is_some_and(scan::is_blank);
    followed && digits >= 32 && digits % 2 == 0 && !same_length(digits / 2).is_empty()
}
