//! `conanmanifest.txt` of Conan: a line with the time of creation, then `NAME: MD5` for each file of a recipe or package.

use crate::digest::{is_hex, tagged};
use crate::formats::prelude::*;

pub(crate) static CONAN: Format = Format {
    name: "conan",
    file_names: &["conanmanifest.txt"],
    summary: "conanmanifest.txt of Conan: a time, then names with MD5 digests",
    capabilities: Capabilities { algorithms: Algorithms::Only(&["md5"]), ..Capabilities::DIGESTS },
    sniff: |head| {
        // Lines that were added by others do not change the format.
        let mut lines = head.lines(b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let is_time = lines.next().is_some_and(is_time);
        Claim::mark(is_time && lines.next().is_some_and(is_entry))
    },
    reading: Reading::lines(|options| Box::new(List { options: options.clone(), has_time: false })),
    ..Format::DEFAULT
};

/// Returns whether the line is a number of seconds since 1970, of a time after 2001.
fn is_time(line: &[u8]) -> bool {
    matches!(line.len(), 10 | 11) && scan::decimal(line).is_some()
}

/// Splits a line into name and digest.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = scan::rfind(line, |byte| byte == b':')?;
    Some((&line[..colon], line[colon + 1..].strip_prefix(b" ")?)).filter(|(name, _)| !name.is_empty())
}

/// Returns whether the line has a name and a complete digest.
fn is_entry(line: &[u8]) -> bool {
    split(line).is_some_and(|(_, digest)| digest.len() == 32 && is_hex(digest))
}

struct List {
    options: Options,
    has_time: bool,
}

impl Parse for List {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if scan::is_empty(line) {
            return Ok(None);
        }
        if !std::mem::replace(&mut self.has_time, true) && is_time(line) {
            return Ok(None);
        }
        let (name, digest) = split(line).ok_or(Reason::NotALine)?;
        let (spec, digest) = tagged("md5", digest, &self.options).map_err(|reason| reason.of(name))?;
        Ok(Some(Entry::new(name, spec, digest)))
    }
}
