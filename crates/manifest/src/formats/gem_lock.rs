//! `Gemfile.lock` of Bundler: the section `CHECKSUMS` has the SHA-256 of gems, whose archives are
//! named `NAME-VERSION.gem`, with the platform in the version.

use crate::digest::{contains_like, tagged};
use crate::formats::prelude::*;

pub(crate) static GEM_LOCK: Format = Format {
    name: "gem-lock",
    file_names: &["gemfile.lock", "gems.locked"],
    summary: "Bundler's Gemfile.lock: checksums of .gem archives",
    sniff: |head: &Head<'_>| head.marked(|line| line.strip_suffix(b"\r").unwrap_or(line) == SECTION),
    reading: Reading::lines(|options| Box::new(Lock { options: options.clone(), is_inside: false })),
    ..Format::DEFAULT
};

/// The line above the checksums.
const SECTION: &[u8] = b"CHECKSUMS";

struct Lock {
    options: Options,
    /// True in the section with checksums.
    is_inside: bool,
}

impl Parse for Lock {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        let Some(row) = line.strip_prefix(b"  ").filter(|_| self.is_inside) else {
            self.is_inside = line == SECTION;
            return if contains_like(line) {
                Err(Reason::Part("a digest outside of CHECKSUMS"))
            } else {
                Ok(None)
            };
        };
        let (name, rest) = scan::word(row);
        let version = rest.strip_prefix(b"(").and_then(|rest| scan::cut(rest, b')'));
        let (version, digests) =
            version.filter(|(version, _)| !version.is_empty()).ok_or(Reason::NotALine)?;
        let mut entry = Entry { path: [name, b"-", version, b".gem"].concat(), ..Entry::default() };
        for word in digests.split(|&byte| matches!(byte, b' ' | b',')).filter(|word| !word.is_empty()) {
            let (tag, digest) = scan::cut(word, b'=').ok_or(Reason::NotALine)?;
            let tag = std::str::from_utf8(tag).ok().filter(|tag| tag.len() <= 16).ok_or(Reason::NotALine)?;
            entry.digests.push(tagged(tag, digest, &self.options)?);
        }
        Ok(Some(entry))
    }
}
