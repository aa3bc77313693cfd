//! Parity sets of version 2 (packets) and version 1 (a table): name, size and MD5 digest of each
//! file. truesum verifies the files, but does not repair them.
//!
//! In version 2, the slices of a file have digests too, which locate damage. Whether a file is
//! verified depends on the digest of the complete file.
//!
//! Every packet of version 2 contains an MD5 digest of itself. If it does not match, the packet
//! is reported as an error, and the reader searches for the next one, as the specification
//! requires. The control hash of version 1 covers everything that follows it.

use super::nameless::{le32, le64 as number};
use crate::entry::PieceList;
use crate::formats::prelude::*;
use crate::records::{Records, refused};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

pub(crate) static PAR2: Format = Format {
    name: "par2",
    file_names: &[".par2"],
    summary: "PAR 2.0: names, sizes and MD5 digests of the files in a parity set",
    capabilities: Capabilities { size: true, locates: true, ..Capabilities::DIGESTS },
    sniff: |head| head.begins(&[MAGIC]),
    reading: Reading::document(256 << 20, packets),
    ..Format::DEFAULT
};

pub(crate) static PAR1: Format = Format {
    name: "par1",
    file_names: &[".par"],
    summary: "PAR 1.0: names, sizes and MD5 digests of the files in a parity set",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff: |head| head.begins(&[MAGIC1]),
    reading: Reading::document(256 << 20, table),
    ..Format::DEFAULT
};

const MAGIC: &[u8] = b"PAR2\0PKT";
const MAGIC1: &[u8] = b"PAR\0\0\0\0\0";

/// The error for bytes between packets and after the last one.
const NO_PACKET: &str = "bytes that are not part of a packet";

/// Size of a packet's header in bytes: magic number, length, MD5, set and type.
const HEADER: usize = 64;

fn md5(text: &[u8]) -> Option<Vec<u8>> {
    scan::count(text.len());
    Some(Spec::new(find("md5")?).digest(text).as_bytes().to_vec())
}

/// Returns the beginning and the end of the next packet at or after `at`.
fn next_packet(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let mut at = at;
    loop {
        let rest = text.get(at..)?;
        let found = scan::find(rest, |byte| byte == b'P')?;
        at += found;
        if text[at..].starts_with(MAGIC) {
            return Some((at, at.checked_add(usize::try_from(number(text, at + 8)?).ok()?)?));
        }
        at += 1;
    }
}

fn packets(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    let mut records = Records::default();
    let mut described: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
    let mut named: Vec<(usize, Vec<u8>)> = Vec::new();
    // Byte ranges of the slice digests by file identifier; file identifiers by offset of the
    // packet that describes the file.
    let mut slices: HashMap<Vec<u8>, Range<usize>> = HashMap::new();
    let mut described_at: HashMap<u64, Vec<u8>> = HashMap::new();
    // Unicode names, which file descriptions cannot contain, by file identifier.
    let mut unicode: HashMap<Vec<u8>, String> = HashMap::new();
    let mut slice = 0;
    let (mut at, mut set): (usize, Option<Vec<u8>>) = (0, None);
    // The packet that names the files, and whether the bytes before `at` are a complete packet.
    let (mut main, mut whole_so_far): (Option<Vec<u8>>, bool) = (None, true);
    while let Some((begin, end)) = next_packet(&text, at) {
        if whole_so_far && begin > at {
            records.bad(at, NO_PACKET);
        }
        let whole = (begin + HEADER..=text.len()).contains(&end) && (end - begin).is_multiple_of(4);
        let good = whole && md5(&text[begin + 32..end]).as_deref() == text.get(begin + 16..begin + 32);
        if !good {
            // If the length is wrong, continue directly after the magic number: a damaged packet
            // then costs a search rather than a digest of the rest of the file.
            records.bad(begin, "a truncated or damaged packet");
            at = if whole { end } else { begin + MAGIC.len() };
            whole_so_far = whole;
            continue;
        }
        (at, whole_so_far) = (end, true);
        let body = &text[begin + HEADER..end];
        if set.get_or_insert_with(|| text[begin + 32..begin + 48].to_vec()) != &text[begin + 32..begin + 48] {
            records.bad(begin, "a packet from a different set");
            continue;
        }
        match &text[begin + 48..begin + HEADER] {
            // Sets repeat packets for redundancy.
            b"PAR 2.0\0Main\0\0\0\0" if main.as_deref() == Some(body) => {}
            b"PAR 2.0\0Main\0\0\0\0" if main.is_some() => {
                records.bad(begin, "a list of files that differs from the previous one")
            }
            b"PAR 2.0\0Main\0\0\0\0" => {
                main = Some(body.to_vec());
                let (count, ids) = (le32(body, 8), body.get(12..).unwrap_or_default());
                if !ids.len().is_multiple_of(16) || count.is_none_or(|count| count as usize > ids.len() / 16)
                {
                    records.bad(begin, "a truncated list of files");
                }
                slice = number(body, 0).unwrap_or(0);
                named = ids.chunks_exact(16).map(|id| (begin, id.to_vec())).collect();
            }
            b"PAR 2.0\0FileDesc" if body.len() > 56 => {
                // Sets repeat packets for redundancy.
                let again = described.get(&body[..16]);
                if again.is_some_and(|again| again != body) {
                    records.bad(begin, "a second, different description of a file");
                }
                if again.is_none() {
                    described.insert(body[..16].to_vec(), body.to_vec());
                    described_at.insert(begin as u64, body[..16].to_vec());
                    let end = body.iter().rposition(|&byte| byte != 0).map_or(56, |last| last + 1).max(56);
                    records.begin(begin);
                    records.name(&body[56..end]);
                    records.size(number(body, 48).unwrap_or(u64::MAX).to_string().as_bytes());
                    records.digest(b"md5", Digest::new(&body[16..32]).to_hex().as_bytes());
                }
            }
            b"PAR 2.0\0FileDesc" => records.bad(begin, "a truncated file description"),
            b"PAR 2.0\0UniFileN" if body.len() > 16 => {
                let units = body[16..].chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
                let name: Vec<u16> = units.take_while(|&unit| unit != 0).collect();
                match String::from_utf16(&name) {
                    Ok(name) => drop(unicode.insert(body[..16].to_vec(), name)),
                    Err(_) => records.bad(begin, "the name is not valid UTF-16"),
                }
            }
            b"PAR 2.0\0IFSC\0\0\0\0" if body.len() >= 16 => {
                slices.entry(body[..16].to_vec()).or_insert(begin + HEADER + 16..end);
            }
            _ => {}
        }
    }
    let mut emitted = HashSet::new();
    for (at, id) in named {
        let known = described.contains_key(&id);
        if emitted.insert(id) && !known {
            records.bad(at, "a file in the set has no description");
        }
    }
    if records.count() == 0 {
        return Err(refused(0, "no file descriptions"));
    }
    if main.is_none() && !described.is_empty() {
        records.bad(0, "no packet with the list of files, so some files may be missing");
    } else {
        let mut strange: Vec<u64> =
            described_at.iter().filter(|(_, id)| !emitted.contains(*id)).map(|(at, _)| *at).collect();
        strange.sort_unstable();
        for at in strange {
            records.bad(at as usize, "a description of a file that is not in the set");
        }
    }
    if whole_so_far && at < text.len() {
        records.bad(at, NO_PACKET);
    }
    let found = records.read(options);
    let (locating, one_piece) = (options.locating, options.one_piece);
    if !locating && !one_piece && unicode.is_empty() {
        return Ok(found);
    }
    Ok(Box::new(found.map(move |found| {
        let mut line = found?;
        let Place::Byte(at) = line.at else { return Ok(line) };
        let id = described_at.get(&at);
        if let Some(name) = id.and_then(|id| unicode.get(id)) {
            line.entry.path = name.as_bytes().to_vec();
        }
        let size = line.entry.size.unwrap_or(0);
        if size <= slice && one_piece {
            let whole = line.entry.digests.first();
            let whole = whole.and_then(|(spec, own)| PieceList::whole(spec.clone(), size, own.as_bytes()));
            line.entry.pieces.extend(whole);
        } else if let Some(digests) = id.and_then(|id| slices.get(id)).filter(|_| locating) {
            line.entry.pieces.extend(pieces(&text[digests.clone()], slice, size));
        }
        Ok(line)
    })))
}

/// Returns the digests of a file's slices, the last of which is padded with zeros. Returns `None`
/// for a single slice, because the digest of the file covers the same bytes without padding.
fn pieces(packet: &[u8], slice: u64, size: u64) -> Option<PieceList> {
    let count = (packet.len() / 20) as u64;
    if slice == 0 || size <= slice || count != size.div_ceil(slice) {
        return None;
    }
    let digests: Vec<u8> = packet.chunks_exact(20).flat_map(|digest| &digest[..16]).copied().collect();
    let covered = 0..count.checked_mul(slice)?;
    PieceList::new(Spec::new(find("md5")?), covered, slice, digests.into()).map(PieceList::padded)
}

fn table(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    let control = text.get(16..32).ok_or(refused(0, "the header is truncated"))?;
    if md5(&text[32..]).as_deref() != Some(control) {
        return Err(refused(16, "the MD5 of the set does not match (truncated or damaged)"));
    }
    let field = |at: usize| number(&text, at).ok_or(refused(at, "the header is truncated"));
    let (count, mut at, len) = (field(56)?, field(64)?, field(72)?);
    let end = at.checked_add(len).filter(|end| *end <= text.len() as u64);
    let end = end.ok_or(refused(64, "the list of files is out of bounds"))?;
    let mut records = Records::default();
    for _ in 0..count {
        let here = usize::try_from(at).map_err(|_| refused(64, "the list of files is out of bounds"))?;
        let size = number(&text, here).filter(|size| *size > 56 && size.is_multiple_of(2));
        let next = size.and_then(|size| at.checked_add(size)).filter(|next| *next <= end);
        let next = next.ok_or(refused(here, "an entry in the list of files is truncated"))?;
        let entry = &text[here..next as usize];
        let units: Vec<u16> =
            entry[56..].chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        records.begin(here);
        match String::from_utf16(&units) {
            Ok(name) => records.name(name.as_bytes()),
            Err(_) => records.fault("the name is not valid UTF-16"),
        }
        records.size(number(entry, 16).unwrap_or(u64::MAX).to_string().as_bytes());
        records.digest(b"md5", Digest::new(&entry[24..40]).to_hex().as_bytes());
        at = next;
    }
    if at < end {
        records.bad(at as usize, "more files than the header specifies");
    }
    Ok(records.read(options))
}
