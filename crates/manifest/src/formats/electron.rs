//! `latest.yml` of electron-builder: the files of a release with their sizes and SHA-512 digests
//! in base64.
//!
//! The parser accepts the YAML that electron-builder writes: keys, lists of keys, plain and
//! quoted values, and folded text. A document with other YAML syntax (anchors, aliases, tags,
//! flow collections) is rejected.

use crate::digest::{is_like, is_nearly};
use crate::formats::prelude::*;
use crate::records::{Records, refused};

pub(crate) static ELECTRON: Format = Format {
    name: "electron",
    file_names: &[
        "latest.yml",
        "latest-mac.yml",
        "latest-linux.yml",
        "latest-linux-arm64.yml",
        "alpha.yml",
        "beta.yml",
    ],
    summary: "electron-builder's latest.yml: names, sizes and SHA-512 of release files",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff,
    syntax: Syntax::Yaml,
    reading: Reading::document(16 << 20, parse),
    ..Format::DEFAULT
};

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let has = |key: &[u8]| head.lines(b'\n').any(|line| line.starts_with(key));
    let has_digests = has(b"sha512:") || has(b"sha2:") || has(b"files:");
    Claim::mark(has(b"version:") && (has(b"files:") || has(b"path:")) && has_digests)
}

/// The keys of a file.
const MEMBERS: &[&[u8]] = &[b"url", b"path", b"sha512", b"sha2", b"size"];

/// A file of the release, as far as it has been read.
#[derive(Default)]
struct File {
    at: usize,
    name: Option<Vec<u8>>,
    size: Option<Vec<u8>>,
    /// Algorithms and digests.
    digests: Vec<(&'static [u8], Vec<u8>)>,
    fault: Option<&'static str>,
}

impl File {
    fn member(&mut self, key: &[u8], value: Vec<u8>) {
        match key {
            b"url" | b"path" => match name(&value) {
                Some(name) if self.name.as_ref().is_some_and(|known| *known != name) => {
                    self.fault = Some("two names for one file");
                }
                Some(name) => self.name = Some(name),
                None => self.fault = Some("the URL is not percent-encoded correctly"),
            },
            b"sha512" => self.digests.push((b"sha512", value)),
            b"sha2" => self.digests.push((b"sha256", value)),
            b"size" if self.size.as_ref().is_some_and(|known| *known != value) => {
                self.fault = Some("two sizes for one file");
            }
            b"size" => self.size = Some(value),
            _ => {}
        }
    }

    fn write(self, records: &mut Records) {
        if self.digests.is_empty() && self.name.is_none() {
            return;
        }
        records.begin(self.at);
        if let Some(name) = &self.name {
            records.name(name);
        }
        if let Some(size) = &self.size {
            records.size(size);
        }
        for (tag, digest) in &self.digests {
            records.digest(tag, digest);
        }
        if let Some(what) = self.fault {
            records.fault(what);
        }
    }
}

/// Returns the percent-decoded file name of an address: a relative address itself, or the last
/// component of an absolute one. Returns `None` for an invalid escape sequence.
fn name(address: &[u8]) -> Option<Vec<u8>> {
    if radix::is_url(address) { radix::url_name(address) } else { radix::percent(address) }
}

/// The block to which indented lines belong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Files,
    /// A map from a purpose to a file.
    Packages,
    /// Text, or a map that does not describe files.
    Passed,
}

/// Returns true if the value is a block scalar, whose text is on the following lines.
fn is_folded(value: &[u8]) -> bool {
    matches!(value, [b'>' | b'|', rest @ ..] if scan::all(rest, |byte| matches!(byte, b'-' | b'+' | b'0'..=b'9')))
}

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let mut records = Records::default();
    let mut block = Block::Passed;
    let mut files: Vec<File> = Vec::new();
    let mut last = File::default();
    // The value continued on the following lines: whether it belongs to the list, its key, its
    // indentation, and its text.
    let mut folded: Option<(bool, Vec<u8>, usize, Vec<u8>)> = None;
    for (here, line) in scan::lines(&text) {
        let body = scan::trim(line);
        let indent = scan::find(line, |byte| byte != b' ').unwrap_or(line.len());
        if let Some((listed, key, depth, value)) = &mut folded {
            if body.is_empty() || indent > *depth {
                value.extend_from_slice(body);
                continue;
            }
            let file = if *listed { files.last_mut() } else { Some(&mut last) };
            if let Some(file) = file {
                file.member(key, std::mem::take(value));
            }
            folded = None;
        }
        if body.is_empty() || body.starts_with(b"#") || body == b"---" {
            continue;
        }
        let item = body.strip_prefix(b"- ").map(scan::trim_start);
        let listed = indent > 0 || item.is_some();
        let line = item.unwrap_or(body);
        let (key, value) = match scan::cut(line, b':') {
            None if listed && block == Block::Passed => (&b""[..], line),
            found => found.ok_or(refused(here, "a line without a key"))?,
        };
        let value = scan::trim(value);
        if matches!(key, [b'<', b'<', ..] | [b'?' | b'&' | b'*' | b'!' | b'{' | b'[', ..])
            && (block != Block::Passed || !listed)
        {
            return Err(refused(here, "a key in unsupported YAML syntax"));
        }
        let relevant = MEMBERS.contains(&key);
        if !relevant || listed && block == Block::Passed {
            if relevant && key.starts_with(b"sha") || scalar(value).is_some_and(|value| is_like(&value)) {
                return Err(refused(here, "a digest that does not belong to a file"));
            }
            if is_folded(value) {
                folded = Some((true, Vec::new(), indent + 2 * usize::from(item.is_some()), Vec::new()));
            }
        }
        if listed && block == Block::Passed {
            continue;
        }
        // An item of `packages` begins with its purpose.
        if item.is_some() || listed && block == Block::Packages && !relevant && value.is_empty() {
            files.push(File { at: here, ..File::default() });
        }
        if !listed {
            if key != b"files" && is_nearly(key, b"files") {
                return Err(refused(here, "an unknown key that resembles 'files'"));
            }
            block = match key {
                b"files" => Block::Files,
                b"packages" => Block::Packages,
                _ => Block::Passed,
            };
            if last.name.is_none() && last.digests.is_empty() {
                last.at = here;
            }
        }
        if !relevant && MEMBERS.iter().any(|known| is_nearly(key, known)) {
            return Err(refused(here, "an unknown key that resembles a key of a file entry"));
        }
        match value {
            _ if !relevant => {
                if matches!(key, b"files" | b"packages") && !value.is_empty() {
                    return Err(unsupported(here, key, value));
                }
            }
            value if value.is_empty() || is_folded(value) => {
                folded = Some((listed, key.to_vec(), indent + 2 * usize::from(item.is_some()), Vec::new()));
            }
            value => {
                let value = scalar(value).ok_or_else(|| unsupported(here, key, value))?;
                let file = if listed { files.last_mut() } else { Some(&mut last) };
                file.ok_or(refused(here, "a key that is not in a file entry"))?.member(key, value);
            }
        }
    }
    if folded.is_some_and(|(_, key, ..)| !key.is_empty()) {
        return Err(refused(text.len(), "the document is truncated"));
    }
    // The final `path` and `sha512` repeat the first file.
    let repeats = files.iter().any(|file| file.name == last.name && file.digests == last.digests);
    if !repeats {
        files.push(last);
    }
    files.sort_by_key(|file| file.at);
    for file in files {
        file.write(&mut records);
    }
    if records.count() == 0 {
        return Err(refused(0, "no files"));
    }
    Ok(records.read(options))
}

/// Returns the error for a value in YAML syntax that electron-builder does not write.
fn unsupported(at: usize, key: &[u8], value: &[u8]) -> LineError {
    let what = match value.first() {
        Some(b'&') => "an anchor",
        Some(b'*') => "an alias",
        Some(b'!') => "a tag",
        Some(b'[') => "a list in brackets",
        Some(b'{') => "a map in braces",
        Some(b'>' | b'|') => "a block scalar with a comment or an invalid header",
        Some(b'\'' | b'"') => "a quoted string with escapes or without a closing quote",
        _ => "a reserved character",
    };
    let key = String::from_utf8_lossy(key);
    let reason = Reason::Message(format!("{key}: {what} (unsupported YAML syntax)"));
    LineError { at: Place::Byte(at as u64), reason }
}

/// Returns a quoted value without the comment after it.
fn without_comment(value: &[u8]) -> &[u8] {
    let [quote @ (b'\'' | b'"'), inside @ ..] = value else { return value };
    let is_comment = |rest: &[u8]| {
        rest.first().copied().is_some_and(scan::is_blank) && scan::trim_start(rest).starts_with(b"#")
    };
    // A quote in a text with single quotes is doubled, and no blank follows it.
    let end = (0..inside.len()).find(|&at| inside[at] == *quote && is_comment(&inside[at + 1..]));
    end.map_or(value, |end| &value[..end + 2])
}

/// Parses a plain or quoted scalar. Returns `None` for any other YAML syntax.
pub(super) fn scalar(value: &[u8]) -> Option<Vec<u8>> {
    match without_comment(value) {
        [b'\'', inside @ .., b'\''] => {
            let mut text = Vec::with_capacity(inside.len());
            let mut rest = inside.iter();
            while let Some(&byte) = rest.next() {
                if byte == b'\'' && rest.next() != Some(&b'\'') {
                    return None;
                }
                text.push(byte);
            }
            Some(text)
        }
        [b'"', inside @ .., b'"'] => {
            scan::all(inside, |byte| byte != b'\\' && byte != b'"').then(|| inside.to_vec())
        }
        [b'\'' | b'"' | b'&' | b'*' | b'!' | b'[' | b'{' | b'%' | b'@' | b'`' | b'|' | b'>', rest @ ..] => {
            // An address may begin with a percent-encoded byte.
            (value[0] == b'%' && rest.len() > 1).then(|| value.to_vec())
        }
        value => {
            let comment = value.windows(2).position(|pair| pair == b" #");
            Some(scan::trim_end(&value[..comment.unwrap_or(value.len())]).to_vec())
        }
    }
}
