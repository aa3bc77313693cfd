//! Properties of the wrappers of Gradle and Maven: the URL and the SHA-256 digest of the distribution, and in Maven also of
//! the wrapper itself.

use crate::digest::{contains_like, is_nearly};
use crate::formats::prelude::*;
use crate::records::Records;

pub(crate) static WRAPPER: Format = Format {
    name: "wrapper",
    file_names: &["gradle-wrapper.properties", "maven-wrapper.properties"],
    summary: "properties of the Gradle and Maven wrappers: URL and SHA-256 of the distribution",
    capabilities: Capabilities { algorithms: Algorithms::Only(&["sha256"]), ..Capabilities::DIGESTS },
    sniff: |head| {
        let has = |wanted: &[u8]| {
            head.lines(b'\n').any(|line| property(line).is_some_and(|(key, _)| key == wanted))
        };
        let is_wrapper = PAIRS.iter().any(|(url, digest)| has(url.as_bytes()) && has(digest.as_bytes()));
        Claim::mark(is_wrapper)
    },
    syntax: Syntax::Properties,
    reading: Reading::document(1 << 20, parse),
    ..Format::DEFAULT
};

/// The keys of a URL and of the digest of what it refers to.
const PAIRS: &[(&str, &str)] =
    &[("distributionUrl", "distributionSha256Sum"), ("wrapperUrl", "wrapperSha256Sum")];

/// Splits a property into its key and its value, without the backslashes before special characters.
fn property(line: &[u8]) -> Option<(&[u8], Vec<u8>)> {
    let line = line.trim_ascii();
    let at = scan::find(line, |byte| matches!(byte, b'=' | b':'))?;
    let value = line[at + 1..].trim_ascii_start();
    let value = value.iter().copied().filter(|&byte| byte != b'\\').collect();
    (!matches!(line[0], b'#' | b'!')).then_some((line[..at].trim_ascii_end(), value))
}

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let mut records = Records::new(options);
    let mut found: Vec<(usize, &[u8], Vec<u8>)> = Vec::new();
    let keys = || PAIRS.iter().flat_map(|(url, digest)| [url.as_bytes(), digest.as_bytes()]);
    for (at, line) in scan::lines(&text) {
        match property(line) {
            Some((key, _))
                if found.iter().any(|(_, known, _)| *known == key) && keys().any(|known| known == key) =>
            {
                records.bad(at, "a duplicate key");
            }
            Some((key, value)) if keys().any(|known| known == key) => found.push((at, key, value)),
            Some((key, _)) if keys().any(|known| is_nearly(key, known)) || contains_like(line) => {
                records.bad(at, "an unknown key that has a digest or resembles the key of a digest");
            }
            None if contains_like(line) => records.bad(at, "a digest outside of a property"),
            None if keys().any(|known| is_nearly(scan::word(line.trim_ascii()).0, known)) => {
                records.bad(at, "a key without '='");
            }
            _ => {}
        }
    }
    for (url, digest) in PAIRS {
        let value = |wanted: &str| found.iter().find(|(_, key, _)| *key == wanted.as_bytes());
        let Some((at, _, digest)) = value(digest) else { continue };
        records.begin(*at);
        match value(url).map(|(_, _, url)| radix::url_name(url)) {
            Some(Some(name)) => records.name(&name),
            _ => records.fault("a digest without a URL that ends in a file name"),
        }
        records.digest(b"sha256", digest);
    }
    Ok(records.read(options))
}
