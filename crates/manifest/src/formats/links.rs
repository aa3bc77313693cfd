//! File sharing links that contain digests: `magnet:?...` and `ed2k://|file|...`, one per line.

use crate::digest::{contains_like, is_long_hex, is_nearly_algorithm, of_bytes, tagged};
use crate::formats::prelude::*;

pub(crate) static LINKS: Format = Format {
    name: "magnet",
    file_names: &[".magnet"],
    summary: "magnet links, as written by RHash --magnet",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&[
            "sha1",
            "md5",
            "sha256",
            "sha512",
            "crc32",
            "md4",
            "tiger",
            "whirlpool",
            "ripemd160",
            "sha224",
            "sha384",
            "sha3-224",
            "sha3-256",
            "sha3-384",
            "sha3-512",
            "blake2b",
            "blake2s",
            "blake3",
            "tth",
            "ed2k",
            "aich",
        ]),
        size: true,
        ..Capabilities::DIGESTS
    },
    sniff: |head| head.begun(|line| line.starts_with(MAGNET)),
    reading: Reading::lines(|options| LineParser::of(options, row)),
    writing: Writing::Entries(write),
    ..Format::DEFAULT
};

pub(crate) static ED2K: Format = Format {
    name: "ed2k",
    file_names: &[".ed2k"],
    summary: "eDonkey and eMule links, as written by RHash --ed2k-link",
    capabilities: Capabilities { algorithms: Algorithms::Only(&["ed2k", "aich"]), ..LINKS.capabilities },
    sniff: |head| head.begun(|line| line.starts_with(FILE)),
    reading: Reading::lines(|options| LineParser::of(options, link_or_base32)),
    writing: Writing::Entries(write_ed2k),
    ..Format::DEFAULT
};

const MAGNET: &[u8] = b"magnet:?";
const FILE: &[u8] = b"ed2k://|file|";

/// Maximum number of digests in a link.
const MAX_DIGESTS: usize = 32;

/// The digests of known algorithms, and the error that is returned if there are none.
#[derive(Default)]
struct Digests {
    found: Vec<(Spec, Digest)>,
    unknown: Option<Reason>,
    unread: Vec<String>,
}

impl Digests {
    fn add(&mut self, found: Result<(Spec, Digest), Reason>) -> Result<(), Reason> {
        match found {
            Ok(found) => self.found.push(found),
            Err(reason) => {
                self.unread.push(reason.unknown().ok_or_else(|| reason.clone())?.to_owned());
                self.unknown = Some(reason);
            }
        }
        if self.found.len() > MAX_DIGESTS { Err(Reason::NotALine) } else { Ok(()) }
    }

    /// Moves the digests and the names of unknown algorithms to the entry.
    ///
    /// # Errors
    /// The link has no digest of a known algorithm.
    fn end(self, entry: &mut Entry) -> Result<(), Reason> {
        if self.found.is_empty() {
            return Err(self.unknown.unwrap_or(Reason::EmptyDigest));
        }
        (entry.digests, entry.unread) = (self.found, self.unread);
        Ok(())
    }
}

/// Adds an attribute that is not read to the entry, if they were requested.
fn attribute(options: &Options, entry: &mut Entry, name: &[u8]) {
    let name = String::from_utf8_lossy(name);
    if options.attributes && !entry.attributes.iter().any(|known| *known == name) {
        entry.attributes.push(name.into_owned());
    }
}

/// Parses a digest in hexadecimal or base32.
fn digest_of(name: &str, text: &[u8], options: &Options) -> Result<(Spec, Digest), Reason> {
    // Report an unknown algorithm rather than the form of its digest.
    let spec: Spec = name.parse().map_err(Reason::Algorithm)?;
    match radix::base32(text) {
        Some(bytes) if text.len() != spec.digest_len() * 2 => of_bytes(name, &bytes, options),
        _ => tagged(name, text, options),
    }
}

fn magnet(query: &[u8], options: &Options) -> Result<Entry, Reason> {
    let mut entry = Entry::default();
    let mut digests = Digests::default();
    let mut odd = false;
    for part in query.split(|&byte| byte == b'&') {
        let Some((key, value)) = scan::cut(part, b'=') else {
            odd |= contains_like(part);
            continue;
        };
        let is_topic =
            key.starts_with(b"xt") && key[2..].iter().all(|byte| matches!(byte, b'.' | b'0'..=b'9'));
        match key {
            b"dn" => {
                let name = radix::form(value).ok_or(Reason::BadEscape)?;
                if !entry.path.is_empty() && entry.path != name {
                    return Err(Reason::Part("two names for one file"));
                }
                entry.path = name;
            }
            b"xl" => {
                let size = scan::decimal(value).ok_or(Reason::Size)?;
                if entry.size.replace(size).is_some_and(|other| other != size) {
                    return Err(Reason::Part("two sizes for one file"));
                }
            }
            _ if is_topic => {
                let Ok((name, value)) = topic(value) else {
                    odd = true;
                    continue;
                };
                match name {
                    // The digest of a torrent, which depends on the piece length, and the
                    // link does not specify it.
                    "btih" | "btmh" => digests.unread.push(name.to_owned()),
                    // SHA-1, and after a dot the root of the Tiger tree.
                    "bitprint" => {
                        let (sha1, tiger) = scan::cut(value, b'.').unwrap_or((value, b""));
                        digests.add(digest_of("sha1", sha1, options))?;
                        digests.add(digest_of("tth", tiger, options))?;
                    }
                    name => match digest_of(name, value, options) {
                        Err(reason) if is_nearly_algorithm(name.as_bytes()) && name != "tth" => {
                            return Err(reason);
                        }
                        found => digests.add(found)?,
                    },
                }
            }
            _ => {
                // Sources of the download may contain digests.
                let is_source = matches!(key, b"tr" | b"ws" | b"as" | b"xs" | b"kt" | b"mt" | b"so");
                odd |= !is_source && (value.starts_with(b"urn:") || contains_like(value));
                attribute(options, &mut entry, key);
            }
        }
    }
    digests.end(&mut entry)?;
    if odd { Err(NO_TOPIC) } else { Ok(entry) }
}

fn ed2k(link: &[u8], options: &Options) -> Result<Entry, Reason> {
    let mut parts = link.split(|&byte| byte == b'|');
    let mut next = || parts.next().ok_or(Reason::NotALine);
    let (name, size, digest) = (next()?, next()?, next()?);
    let mut digests = Digests::default();
    digests.add(digest_of("ed2k", digest, options))?;
    let mut entry = Entry {
        path: radix::percent(name).ok_or(Reason::BadEscape)?,
        size: Some(scan::decimal(size).ok_or(Reason::Size)?),
        ..Entry::default()
    };
    let mut ended = false;
    for part in parts {
        match part {
            [b'h', b'=', aich @ ..] => digests.add(digest_of("aich", aich, options))?,
            b"/" => ended = true,
            [b'p', b'=', parts @ ..] if parts.split(|&byte| byte == b':').all(is_long_hex) => {
                attribute(options, &mut entry, b"digests of parts");
            }
            [b's', b'=', url @ ..] if url.contains(&b':') => attribute(options, &mut entry, b"sources"),
            b"" => {}
            other if other.starts_with(b"sources,") => attribute(options, &mut entry, b"sources"),
            _ => return Err(Reason::Part("an unknown part of the link")),
        }
    }
    if !ended {
        return Err(Reason::Part("the link is truncated"));
    }
    digests.end(&mut entry)?;
    Ok(entry)
}

const NO_TOPIC: Reason = Reason::Part("an unknown part of the link that resembles a digest");

/// Splits `urn:sha1:...` or `urn:tree:tiger:...` into algorithm and digest.
fn topic(text: &[u8]) -> Result<(&str, &[u8]), Reason> {
    let text = text.strip_prefix(b"urn:").ok_or(NO_TOPIC)?;
    if let Some(value) = text.strip_prefix(b"tree:tiger:") {
        return Ok(("tth", value));
    }
    let (name, value) = scan::cut(text, b':').filter(|(name, _)| !name.is_empty()).ok_or(NO_TOPIC)?;
    let name = std::str::from_utf8(name).ok().filter(|name| name.len() <= 32).ok_or(NO_TOPIC)?;
    if name == "tree" { Err(NO_TOPIC) } else { Ok((name, value)) }
}

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    let line = scan::trim(line);
    if line.is_empty() {
        return Ok(None);
    }
    match (line.strip_prefix(MAGNET), line.strip_prefix(FILE)) {
        (Some(query), _) => magnet(query, options).map(Some),
        (_, Some(link)) => ed2k(link, options).map(Some),
        _ => Err(Reason::NotALine),
    }
}

/// Parses a link, or `DIGEST  NAME` with a digest in base32, as RHash writes it with `--ed2k --base32`.
fn link_or_base32(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    let end = scan::find(line, scan::is_blank).unwrap_or(0);
    match (radix::base32(&line[..end]).filter(|bytes| bytes.len() == 16), &line[end..]) {
        (Some(bytes), [b' ', b' ' | b'*', name @ ..]) if !name.is_empty() => {
            let (spec, digest) = of_bytes("ed2k", &bytes, options)?;
            Ok(Some(Entry::new(name, spec, digest)))
        }
        _ => row(line, options),
    }
}

/// Appends a magnet link: SHA-1 in base32, as download programs expect it, and other digests in
/// hexadecimal.
fn write(entry: &Entry, style: &Style, out: &mut Vec<u8>) -> Result<(), Unrepresentable> {
    out.extend_from_slice(MAGNET);
    if let Some(size) = entry.size {
        out.extend_from_slice(format!("xl={size}&").as_bytes());
    }
    out.extend_from_slice(b"dn=");
    radix::percent_into(&entry.path, b"/", false, out);
    for (spec, digest) in &entry.digests {
        let (name, value) = match spec.algorithm().name() {
            "tth" => ("tree:tiger", digest.to_base32()),
            name @ ("sha1" | "aich") => (name, digest.to_base32()),
            name => (name, style.spelling.hex(digest)),
        };
        out.extend_from_slice(format!("&xt=urn:{name}:{value}").as_bytes());
    }
    out.push(b'\n');
    Ok(())
}

/// Appends an ed2k link, including the root of eMule's AICH tree if the entry has one.
fn write_ed2k(entry: &Entry, _: &Style, out: &mut Vec<u8>) -> Result<(), Unrepresentable> {
    let size = entry.size.ok_or(Unrepresentable::NoSize)?;
    let of = |name: &str| entry.digests.iter().find(|(spec, _)| spec.algorithm().name() == name);
    let Some((_, ed2k)) = of("ed2k") else {
        return Err(Unrepresentable::Algorithm(entry.digests[0].0.clone()));
    };
    out.extend_from_slice(FILE);
    radix::percent_into(&entry.path, b"/", false, out);
    out.extend_from_slice(format!("|{size}|{}|", ed2k.to_hex()).as_bytes());
    if let Some((_, aich)) = of("aich") {
        out.extend_from_slice(format!("h={}|", aich.to_base32()).as_bytes());
    }
    out.extend_from_slice(b"/\n");
    Ok(())
}
