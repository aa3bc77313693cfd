//! Manifests of a bag (RFC 8493): `manifest-ALG.txt` and `tagmanifest-ALG.txt`. Only the file
//! name specifies the algorithm.

use crate::algorithm::NamedAlgorithm;
use crate::digest::{MIN_DIGITS, is_hex, starts_with_digest, tagged, untagged};
use crate::format::AlgorithmSource;
use crate::formats::bsd::BSD;
use crate::formats::prelude::*;
use crate::path::percent_escape_into;

pub(crate) static BAGIT: Format = Format {
    name: "bagit",
    file_names: &[
        "manifest-md5.txt",
        "manifest-sha1.txt",
        "manifest-sha224.txt",
        "manifest-sha256.txt",
        "manifest-sha384.txt",
        "manifest-sha512.txt",
        "manifest-sha3256.txt",
        "manifest-sha3512.txt",
        "manifest-blake2b512.txt",
        "manifest-blake3.txt",
    ],
    summary: "BagIt manifest: digest, spaces, name (CR, LF and % escaped)",
    capabilities: Capabilities {
        algorithm_source: AlgorithmSource::FileName,
        // A leading asterisk or blank would be read as part of the separator between digest and
        // name, and programs that read bags drop trailing blanks.
        names: Names::Literal { forbidden: b"", not_first: b"* \t", not_last: b" \t\x0b\x0c" },
        ..Capabilities::DIGESTS
    },
    sniff: |head: &Head<'_>| {
        let at = head.lines(b'\n').position(|line| starts_with_digest(line) && is_hex(scan::word(line).0))?;
        Some(Claim { sign: Sign::Possible, at })
    },
    syntax: Syntax::Any,
    reading: Reading::lines(|options| {
        let algorithm = options.file_name.as_deref().and_then(algorithm);
        Box::new(Lines { algorithm, options: options.clone() })
    }),
    writing: Writing::Entries(write),
    tagged: Some(&BSD),
    rules: None,
    comment: None,
};

/// Returns true if a lower-case file name is that of a bag manifest of an algorithm that exists,
/// even if truesum does not implement it.
pub(crate) fn is_named(name: &[u8]) -> bool {
    algorithm(name).is_some_and(|name| {
        name.parse::<Spec>().is_ok()
            || NamedAlgorithm::of(name.trim_end_matches(|c: char| c.is_ascii_digit())).is_some()
    })
}

/// Returns the algorithm in the manifest's name, which spells it in lower case and without
/// dashes.
fn algorithm(name: &[u8]) -> Option<String> {
    let path = std::str::from_utf8(name).ok()?.to_ascii_lowercase();
    let (_, name) = path.rsplit_once("manifest-")?;
    let name = name.strip_suffix(".txt")?;
    let with_dash = |at: usize| Some(format!("{}-{}", name.get(..at)?, name.get(at..)?));
    let spellings = [Some(name.to_owned()), with_dash(4), with_dash(7)];
    let known = spellings.into_iter().flatten().find(|name| name.parse::<Spec>().is_ok());
    Some(known.unwrap_or_else(|| name.to_owned()))
}

struct Lines {
    options: Options,
    algorithm: Option<String>,
}

impl Parse for Lines {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if scan::is_empty(line) {
            return Ok(None);
        }
        let (digest, name) = scan::word(line);
        if digest.len() < MIN_DIGITS && !is_hex(digest) {
            return Err(Reason::NotALine);
        }
        let (spec, digest) = match self.algorithm.as_deref() {
            Some(algorithm) => tagged(algorithm, digest, &self.options)?,
            None if self.options.expected().is_empty() => {
                return Err(Reason::Part("a bag manifest whose name does not specify the algorithm"));
            }
            None => untagged(digest, &self.options)?,
        };
        let name = name.strip_prefix(b"*").unwrap_or(name);
        let name = decode(name).ok_or(Reason::BadEscape)?;
        Ok(Some(Entry::new(&name, spec, digest)))
    }
}

/// Decodes `%0A`, `%0D` and `%25`, the only escape sequences in bags. Any other `%` is literal.
fn decode(text: &[u8]) -> Option<Vec<u8>> {
    radix::unescape(text, b'%', |behind, name| {
        let (byte, rest) = match behind {
            [b'0', b'A' | b'a', rest @ ..] => (b'\n', rest),
            [b'0', b'D' | b'd', rest @ ..] => (b'\r', rest),
            [b'2', b'5', rest @ ..] => (b'%', rest),
            rest => (b'%', rest),
        };
        name.push(byte);
        Some(rest)
    })
}

/// Writes a line of a payload manifest (RFC 8493, section 2.1.3): the hexadecimal digest, two
/// spaces, and the name with CR, LF and `%` escaped.
fn write(entry: &Entry, style: &Style, out: &mut Vec<u8>) -> Result<(), Unrepresentable> {
    let (_, digest) = entry.only_digest()?;
    let digest = style.spelling.hex(digest);
    out.extend_from_slice(digest.as_bytes());
    out.extend_from_slice(b"  ");
    percent_escape_into(&entry.path, out);
    out.push(b'\n');
    Ok(())
}
