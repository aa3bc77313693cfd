//! `Manifest` of Gentoo (GLEP 74): tag, name, size, then pairs of algorithm and digest.

use crate::digest::{is_nearly_algorithm, tagged};
use crate::formats::prelude::*;
use crate::rule::{Rule, literal_glob};

pub(crate) static GENTOO: Format = Format {
    name: "gentoo",
    summary: "Gentoo Manifest (GLEP 74): TAG name size ALGORITHM digest ...",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff,
    reading: Reading::lines(|options| LineParser::of(options, row)),
    rules: Some(|line| ignored(line).into_iter().collect()),
    ..Format::DEFAULT
};

const FILES: &[&[u8]] = &[b"DIST", b"DATA", b"EBUILD", b"MISC", b"AUX", b"MANIFEST"];

const OTHERS: &[&[u8]] = &[b"IGNORE", b"OPTIONAL", b"TIMESTAMP"];

fn sniff(head: &Head<'_>) -> Option<Claim> {
    head.whole(|line| {
        let (tag, rest) = scan::word(line);
        let (size, _) = scan::word(scan::word(rest).1);
        let is_file = FILES.contains(&tag);
        // A file whose size is damaged does not decide either way.
        (is_file || OTHERS.contains(&tag)).then(|| is_file && scan::decimal(size).is_some())
    })
}

/// Returns the rule in an `IGNORE` line: the file or folder with this path is not in the manifest.
fn ignored(line: &[u8]) -> Option<Rule> {
    let (tag, rest) = scan::word(scan::trim(line));
    let path = String::from_utf8(unescape(scan::word(rest).0)?).ok()?;
    let path = path.trim_matches('/');
    (tag == b"IGNORE" && !path.is_empty()).then(|| Rule::Exclude(format!("/{}", literal_glob(path))))
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    let (tag, rest) = scan::word(scan::trim(line));
    if tag.is_empty() || OTHERS.contains(&tag) {
        return Ok(None);
    }
    if !FILES.contains(&tag) {
        return Err(Reason::NotALine);
    }
    let (name, rest) = scan::word(rest);
    let (size, mut rest) = scan::word(rest);
    let name = unescape(name).ok_or(Reason::BadEscape)?;
    let path = if tag == b"AUX" { [b"files/", name.as_slice()].concat() } else { name };
    let mut entry = Entry { path, size: Some(scan::decimal(size).ok_or(Reason::Size)?), ..Entry::default() };
    if options.attributes && tag != b"DATA" {
        entry.attributes.push(format!("tag {}", String::from_utf8_lossy(tag)));
    }
    let mut unknown = None;
    while !rest.is_empty() {
        let (algorithm, behind) = scan::word(rest);
        let (digest, behind) = scan::word(behind);
        rest = behind;
        if digest.is_empty() {
            return Err(Reason::Part("the last algorithm has no digest"));
        }
        let algorithm = std::str::from_utf8(algorithm).ok().filter(|name| name.len() <= 32);
        let algorithm = algorithm.ok_or(Reason::NotALine)?.replace('_', "-");
        match tagged(&algorithm, digest, options) {
            Ok(found) => entry.digests.push(found),
            // The remaining digests of the line are sufficient.
            Err(reason) if reason.unknown().is_some() && !is_nearly_algorithm(algorithm.as_bytes()) => {
                entry.unread.push(algorithm);
                unknown = Some(reason);
            }
            Err(reason) => return Err(reason),
        }
    }
    match unknown {
        Some(reason) if entry.digests.is_empty() => Err(reason),
        _ => Ok(Some(entry)),
    }
}

/// Decodes `\xHH`, `\uHHHH` and `\UHHHHHHHH` in a name. Returns `None` for an invalid escape
/// sequence.
fn unescape(text: &[u8]) -> Option<Vec<u8>> {
    radix::unescape(text, b'\\', |behind, name| {
        let (kind, behind) = behind.split_first()?;
        let digits = match kind {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => return None,
        };
        let hex = std::str::from_utf8(behind.get(..digits)?).ok()?;
        let character = char::from_u32(u32::from_str_radix(hex, 16).ok()?)?;
        name.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Some(&behind[digits..])
    })
}
