//! `desc` files of a pacman database: `%FILENAME%`, `%CSIZE%`, `%MD5SUM%` and `%SHA256SUM%`, each
//! followed by its value on the next line.

use crate::digest::{is_like, is_long_hex, is_nearly, tagged};
use crate::formats::mixed::appended::words;
use crate::formats::prelude::*;

pub(crate) static PACMAN: Format = Format {
    name: "pacman-desc",
    summary: "package entry in a pacman database: name, size and digests",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff: |head| head.begun(|line| line.strip_suffix(b"\r").unwrap_or(line) == b"%FILENAME%"),
    reading: Reading::lines(|options| Box::new(Desc { options: options.clone(), ..Desc::default() })),
    ..Format::DEFAULT
};

/// Headings of digests, and their algorithms.
const DIGESTS: [(&[u8], &str); 3] =
    [(b"%MD5SUM%", "md5"), (b"%SHA256SUM%", "sha256"), (b"%SHA512SUM%", "sha512")];

/// Replaces a heading that was reported as damaged, so the lines below it are not reported too.
const NEAR: &[u8] = b"%";

#[derive(Default)]
struct Desc {
    options: Options,
    key: Vec<u8>,
    entry: Entry,
}

impl Desc {
    fn take(&mut self) -> Result<Option<Entry>, Reason> {
        let entry = std::mem::take(&mut self.entry);
        match (entry.path.is_empty(), entry.digests.is_empty()) {
            (true, true) if entry.size.is_none() => Ok(None),
            (true, _) => Err(Reason::EmptyName),
            (_, true) => Err(Reason::EmptyDigest),
            _ => Ok(Some(entry)),
        }
    }
}

impl Parse for Desc {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if line.len() > 2 && line.starts_with(b"%") && line.ends_with(b"%") {
            self.key = line.to_vec();
            // The installed size differs in one letter, and every package has it.
            let near = |key: &[u8]| line != key && line != b"%ISIZE%" && is_nearly(line, key);
            if near(b"%FILENAME%") || near(b"%CSIZE%") || DIGESTS.iter().any(|(key, _)| near(key)) {
                self.key = NEAR.to_vec();
                return Err(Reason::Part(
                    "an unknown field that resembles %FILENAME%, %CSIZE% or a digest field",
                ));
            }
            return if line == b"%FILENAME%" { self.take() } else { Ok(None) };
        }
        if line.starts_with(b"%") || line.ends_with(b"%") {
            return Err(Reason::Part("a field name without its leading or trailing %"));
        }
        if scan::is_empty(line) {
            self.key.clear();
            return Ok(None);
        }
        match &self.key[..] {
            b"%FILENAME%" if !self.entry.path.is_empty() => {
                return Err(Reason::Part("two names for one package"));
            }
            b"%CSIZE%" if self.entry.size.is_some() => {
                return Err(Reason::Part("two sizes for one package"));
            }
            b"%FILENAME%" => self.entry.path = line.to_vec(),
            b"%CSIZE%" => self.entry.size = Some(scan::decimal(line).ok_or(Reason::Size)?),
            key => {
                if let Some((_, algorithm)) = DIGESTS.iter().find(|(known, _)| *known == key) {
                    self.entry.digests.push(tagged(algorithm, line, &self.options)?);
                } else if key.is_empty() {
                    return Err(Reason::NotALine);
                } else if key != NEAR && (is_like(line) || words(line).any(is_long_hex)) {
                    return Err(Reason::Part("a digest under an unknown field"));
                }
            }
        }
        Ok(None)
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        self.take()
    }
}
