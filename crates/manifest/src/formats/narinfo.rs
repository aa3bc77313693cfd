//! `.narinfo` files of a Nix cache: name, size and digest (in Nix's base32) of a compressed
//! archive in the same cache.
//!
//! `NarHash` covers the uncompressed archive, which does not exist as a file.

use crate::digest::{is_long_hex, is_nearly, of_bytes, tagged};
use crate::formats::prelude::*;

pub(crate) static NARINFO: Format = Format {
    name: "narinfo",
    file_names: &[".narinfo"],
    summary: "Nix cache metadata: name, size and digest of a compressed archive",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff: |head| head.begins(&[b"StorePath: /"]),
    syntax: Syntax::TagValue,
    reading: Reading::lines(|options| Box::new(Info { options: options.clone(), ..Info::default() })),
    ..Format::DEFAULT
};

#[derive(Default)]
struct Info {
    options: Options,
    name: Option<Vec<u8>>,
    size: Option<Vec<u8>>,
    digest: Option<Vec<u8>>,
}

impl Info {
    fn entry(&mut self) -> Result<Entry, Reason> {
        let name = self.name.take().ok_or(Reason::EmptyName)?;
        let path = radix::percent(&name).ok_or(Reason::BadEscape)?;
        let size = self.size.take().map(|size| scan::decimal(&size).ok_or(Reason::Size)).transpose()?;
        let text = self.digest.take().ok_or(Reason::EmptyDigest)?;
        let (algorithm, text) = scan::cut(&text, b':').ok_or(Reason::NotALine)?;
        let algorithm = std::str::from_utf8(algorithm).map_err(|_| Reason::NotALine)?;
        let found = match radix::from_nix32(text) {
            Some(bytes) if text.len() != bytes.len() * 2 => of_bytes(algorithm, &bytes, &self.options)?,
            _ => tagged(algorithm, text, &self.options)?,
        };
        Ok(Entry { path, size, digests: vec![found], ..Entry::default() })
    }
}

impl Parse for Info {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if scan::is_empty(line) {
            return Ok(None);
        }
        let (key, value) = scan::cut(line, b':').ok_or(Reason::NotALine)?;
        let place = match key {
            b"URL" => &mut self.name,
            b"FileSize" => &mut self.size,
            b"FileHash" => &mut self.digest,
            b"NarHash" | b"NarSize" => return Ok(None),
            key if is_nearly(key, b"FileHash") || is_nearly(key, b"URL") || is_nearly(key, b"FileSize") => {
                return Err(Reason::Part("an unknown key that resembles URL, FileSize or FileHash"));
            }
            // Other digests have the name of an algorithm before them.
            _ if is_long_hex(scan::trim(value)) => return Err(Reason::Part("a digest under an unknown key")),
            _ => return Ok(None),
        };
        match place.replace(scan::trim(value).to_vec()) {
            Some(_) => Err(Reason::Part("a duplicate key")),
            None => Ok(None),
        }
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        self.entry().map(Some)
    }
}
