//! Data files of clrmamepro, the older form of those in [`xml_lists`](super::xml_lists): `rom ( name
//! a.bin size 3 crc 352441c2 )` in a group, one on each line. Names with blanks are quoted.

use crate::digest::{is_like, is_nearly_algorithm, tagged};
use crate::formats::mixed::appended::words;
use crate::formats::prelude::*;

pub(crate) static CLRMAMEPRO: Format = Format {
    name: "clrmamepro",
    file_names: &[],
    summary: "clrmamepro data files of ROM collections: names, sizes and digests",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff: |head| head.begun(|line| scan::trim_end(line) == b"clrmamepro ("),
    reading: Reading::lines(|options| LineParser::of(options, row)),
    ..Format::DEFAULT
};

/// Keys without a value, and those whose value is not read.
const FLAGS: &[&[u8]] = &[b"baddump", b"verified"];
const OTHERS: &[&[u8]] = &[b"merge", b"region", b"flags", b"status", b"date", b"serial", b"offs", b"header"];

/// Objects on one line that are not files: disk images, releases and sounds.
const OBJECTS: &[&[u8]] = &[b"disk", b"release", b"sample", b"biosset"];

/// Splits off the next word, which may be quoted.
fn token(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = scan::trim_start(text);
    match text.strip_prefix(b"\"") {
        Some(quoted) => {
            scan::cut(quoted, b'"').filter(|(_, rest)| rest.first().is_none_or(|&byte| scan::is_blank(byte)))
        }
        None => Some(scan::word(text)).filter(|(word, _)| !word.is_empty()),
    }
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    let line = scan::trim(line);
    let (first, rest) = scan::word(line);
    if first != b"rom" {
        // A disk image, whose digest covers its uncompressed data, and values that describe the collection.
        let is_object = line.ends_with(b" )") && !OBJECTS.contains(&first);
        return match is_object || first != b"disk" && words(line).any(is_like) {
            true => Err(Reason::Part("a digest on a line that does not describe a file")),
            false => Ok(None),
        };
    }
    let inside = scan::trim(rest).strip_prefix(b"(").and_then(|rest| rest.strip_suffix(b")"));
    let mut rest = scan::trim(inside.ok_or(Reason::NotALine)?);
    let mut entry = Entry::default();
    while !rest.is_empty() {
        let (key, behind) = token(rest).ok_or(Reason::NotALine)?;
        rest = behind;
        if key == b"nodump" {
            return Ok(None);
        }
        if FLAGS.contains(&key) {
            continue;
        }
        let (value, behind) = token(rest).ok_or(Reason::NotALine)?;
        rest = scan::trim_start(behind);
        match key {
            b"name" if entry.path.is_empty() => entry.path = value.to_vec(),
            b"size" => entry.size = Some(scan::decimal(value).ok_or(Reason::Size)?),
            b"crc" => entry.digests.push(tagged("crc32", value, options)?),
            b"flags" | b"status" if value == b"nodump" => return Ok(None),
            key if OTHERS.contains(&key) => {}
            key => {
                let tag = std::str::from_utf8(key).ok().filter(|tag| tag.parse::<Spec>().is_ok());
                match tag {
                    Some(tag) => entry.digests.push(tagged(tag, value, options)?),
                    None if is_nearly_algorithm(key) || is_like(value) => {
                        return Err(Reason::Part("a digest of an unknown algorithm"));
                    }
                    None => return Err(Reason::Part("an unknown key")),
                }
            }
        }
    }
    if entry.digests.is_empty() { Err(Reason::EmptyDigest) } else { Ok(Some(entry)) }
}
