//! Output of `gsutil hash`: a line with the name of a file, and an indented line for each of its
//! digests, in base64 or hexadecimal.

use crate::digest::in_any_base;
use crate::formats::prelude::*;
use crate::path::FOLDER_LIMIT;

pub(crate) static GSUTIL: Format = Format {
    name: "gsutil",
    summary: "output of gsutil hash: a file's name, and its digests on the following lines",
    sniff: |head| head.marked(|line| heading(line).is_some()),
    reading: Reading::lines(|options| {
        Box::new(Hashes { options: options.clone(), name: None, awaited: false })
    }),
    ..Format::DEFAULT
};

/// Returns the name in `Hashes [base64] for NAME:`.
fn heading(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let name = line.strip_prefix(b"Hashes [base64] for ").or(line.strip_prefix(b"Hashes [hex] for "))?;
    name.strip_suffix(b":").filter(|name| !name.is_empty() && name.len() <= FOLDER_LIMIT)
}

/// Splits `Hash (md5): DIGEST` into algorithm and digest.
fn digest(line: &[u8]) -> Option<(&str, &[u8])> {
    let (tag, digest) = scan::cut(scan::trim(line).strip_prefix(b"Hash (")?, b')')?;
    let tag = std::str::from_utf8(tag).ok().filter(|tag| tag.len() <= 16)?;
    Some((tag, scan::trim(digest.strip_prefix(b":")?)))
}

/// Returns whether a line is one that gsutil prints.
pub(crate) fn is_line(line: &[u8]) -> bool {
    heading(line).is_some() || digest(line).is_some_and(|(_, digest)| !digest.is_empty())
}

const UNDIGESTED: Reason = Reason::Part("the file named above this line has no digest");

struct Hashes {
    options: Options,
    /// The file that the digests on the following lines belong to.
    name: Option<Vec<u8>>,
    /// Whether no digest of that file has been read yet.
    awaited: bool,
}

impl Parse for Hashes {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if scan::is_empty(line) {
            return Ok(None);
        }
        if let Some((tag, digest)) = digest(line) {
            let name = self.name.as_ref().ok_or(Reason::EmptyName)?;
            self.awaited = false;
            let (spec, digest) = in_any_base(tag, digest, &self.options)?;
            return Ok(Some(Entry::new(name, spec, digest)));
        }
        self.name = heading(line).map(<[u8]>::to_vec);
        if self.name.is_none() {
            return Err(Reason::NotALine);
        }
        match std::mem::replace(&mut self.awaited, true) {
            true => Err(UNDIGESTED),
            false => Ok(None),
        }
    }

    fn has_kept_line(&self) -> bool {
        true
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        if self.awaited { Err(UNDIGESTED) } else { Ok(None) }
    }
}
