//! `openssl dgst`: `SHA2-256(name)= digest`. The parser of tagged lines reads it; this module
//! recognizes and writes it.

use crate::formats::mixed::{Mixed, tagged::split};
use crate::formats::prelude::*;

pub(crate) static OPENSSL: Format = Format {
    name: "openssl",
    summary: "TAG(name)= digest, as written by openssl dgst",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&[
            "sha256",
            "sha512",
            "sha1",
            "md5",
            "sha384",
            "sha224",
            "sha512-256",
            "sha512-224",
            "sha3-256",
            "sha3-512",
            "sha3-384",
            "sha3-224",
            "blake2b",
            "blake2s",
            "ripemd160",
            "sm3",
            "md4",
        ]),
        names: Names::Literal { forbidden: b"\n", not_first: b"", not_last: b"" },
        ..Capabilities::DIGESTS
    },
    sniff: |head| head.whole(|line| is_line(line).then_some(true)),
    reading: Reading::lines(|options| Box::new(Mixed::new(options, b'\n'))),
    writing: Writing::Entries(write),
    ..Format::DEFAULT
};

/// Algorithm names of OpenSSL 3 that differ from those of truesum.
const NAMES: &[(&str, &str)] = &[
    ("sha224", "SHA2-224"),
    ("sha256", "SHA2-256"),
    ("sha384", "SHA2-384"),
    ("sha512", "SHA2-512"),
    ("sha512-224", "SHA2-512/224"),
    ("sha512-256", "SHA2-512/256"),
    ("blake2b", "BLAKE2B-512"),
    ("blake2s", "BLAKE2S-256"),
    ("ripemd160", "RIPEMD-160"),
];

/// Returns true if only OpenSSL writes such a line: without a space before the parenthesis, and
/// with one only after the equals sign.
fn is_line(line: &[u8]) -> bool {
    split(line).is_some_and(|found| {
        let end = found.tag.len() + 1 + found.name.len();
        !found.tag.is_empty()
            && line.get(found.tag.len()) == Some(&b'(')
            && line.get(end..end + 3) == Some(b")= ")
    })
}

fn write(entry: &Entry, style: &Style, out: &mut Vec<u8>) -> Result<(), Unrepresentable> {
    for (spec, digest) in &entry.digests {
        let name = spec.algorithm().name();
        let name = NAMES.iter().find(|(ours, _)| *ours == name);
        let name = name.map_or_else(|| spec.tag(), |(_, theirs)| (*theirs).to_owned());
        let begin = out.len();
        out.extend_from_slice(format!("{name}(").as_bytes());
        out.extend_from_slice(&entry.path);
        out.extend_from_slice(format!(")= {}", style.spelling.of(digest)).as_bytes());
        if split(&out[begin..]).is_none_or(|found| found.name != entry.path) {
            return Err(Unrepresentable::Edge);
        }
        out.push(b'\n');
    }
    Ok(())
}
