//! Output of `rclone hashsum`: GNU lines with blanks, `UNSUPPORTED` or `ERROR` instead of a
//! digest that a remote did not return.

use crate::digest::{is_long_hex, untagged};
use crate::entry::Entry;
use crate::format::{Claim, Format, Head, Holds, Options, Parse, Reading, Sign, Writing};
use crate::line::Reason;
use crate::scan;

pub(crate) static RCLONE: Format = Format {
    name: "rclone",
    file_names: &[],
    summary: "output of rclone hashsum: GNU lines; spaces, UNSUPPORTED or ERROR for no digest",
    holds: Holds::DIGESTS,
    sniff,
    reading: Reading::Lines {
        terminator: b'\n',
        parser: |options| Box::new(Lines { options: options.clone() }),
    },
    writing: Writing::No,
    tagged: None,
};

/// The lengths of rclone's digests in hexadecimal digits.
const WIDTHS: &[usize] = &[128, 64, 40, 32];

/// Splits a line into the digest, if there is one, and the name.
fn split(line: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    for &width in WIDTHS {
        let Some((cell, rest)) = line.split_at_checked(width) else { continue };
        let Some(name) = rest.strip_prefix(b"  ") else { continue };
        if is_long_hex(cell) {
            return Some((Some(cell), name));
        }
        let word = scan::trim_start(cell);
        if matches!(word, b"UNSUPPORTED" | b"ERROR") || word.is_empty() && !name.starts_with(b"  ") {
            return Some((None, name));
        }
    }
    None
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let (mut first, mut own) = (None, false);
    for (at, line) in head.lines(b'\n').enumerate() {
        if line.is_empty() {
            continue;
        }
        let (digest, _) = split(line)?;
        own |= digest.is_none();
        first.get_or_insert(at);
    }
    own.then_some(Claim { sign: Sign::Whole, at: first? })
}

struct Lines {
    options: Options,
}

impl Parse for Lines {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if line.is_empty() {
            return Ok(None);
        }
        let (digest, name) = split(line).ok_or(Reason::NotALine)?;
        let digests = digest.map(|digest| untagged(digest, &self.options)).transpose()?;
        Ok(Some(Entry { path: name.to_vec(), digests: digests.into_iter().collect(), ..Entry::default() }))
    }
}
