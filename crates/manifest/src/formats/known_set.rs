//! Sets of known digests and signatures of unwanted files: NSRL, EnCase, ClamAV. They do not
//! describe the files of a directory, and are read only to find out whether content is in a set
//! ([`Options::allow_set`]).

use super::csv::fields::Fields;
use super::nameless::le32;
use crate::digest::{is_long_hex, of_bytes, tagged, untagged};
use crate::formats::prelude::*;
use crate::records::refused;

pub(crate) static NSRL: Format = Format {
    name: "nsrl",
    file_names: &["nsrlfile.txt"],
    summary: "NSRLFile.txt, as published by NSRL until 2022, for audit --known",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["sha1", "md5", "md4", "crc32"]),
        size: true,
        ..SET
    },
    sniff: |head| Claim::mark(columns(head.lines(b'\n').next()?).is_some()),
    reading: Reading::lines(|options| Box::new(Nsrl { options: options.clone(), columns: Vec::new() })),
    ..Format::DEFAULT
};

pub(crate) static ENCASE: Format = Format {
    name: "encase-hash",
    summary: "EnCase hash set (.hash): MD5 digests without names, for audit --known",
    capabilities: Capabilities { algorithms: Algorithms::Only(&["md5"]), ..SET },
    sniff: |head| head.begins(&[ENCASE_MARK]),
    reading: Reading::document(256 << 20, encase),
    ..Format::DEFAULT
};

pub(crate) static CLAMAV: Format = Format {
    name: "clamav",
    file_names: &[".hdb", ".hsb"],
    summary: "ClamAV hash signatures (.hdb, .hsb), for audit --known",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["md5", "sha1", "sha256"]),
        size: true,
        ..SET
    },
    sniff: |head| {
        let mut lines = head.lines(b'\n').filter(|line| !is_remark(line)).peekable();
        let all = lines.peek().is_some() && lines.all(|line| signature(line).is_some());
        all.then_some(Claim { sign: Sign::Whole, at: 0 })
    },
    reading: Reading::lines(|options| LineParser::of(options, read_row)),
    ..Format::DEFAULT
};

pub(crate) static SQLITE: Format = Format {
    name: "sqlite",
    summary: "SQLite database, as published by NSRL since 2022; recognized, not read",
    sniff: |head| head.begins(&[b"SQLite format 3\0"]),
    reading: Reading::not(
        "this is an SQLite database, not a list of files; to use a database published by NSRL, export its digests: \
         sqlite3 DATABASE 'select distinct lower(sha256) from FILE' > SET; truesum audit --known SET FOLDER",
    ),
    ..Format::DEFAULT
};

const SET: Capabilities = Capabilities { set: true, ..Capabilities::DIGESTS };

const ENCASE_MARK: &[u8] = b"HASH\r\n\xff\0";

/// Offset of the first digest in an EnCase hash set.
const ENCASE_HEAD: usize = 0x480;

/// Offset of the number of digests.
const ENCASE_COUNT: usize = 0x10;

/// Size of a digest and two zero bytes.
const ENCASE_RECORD: usize = 18;

/// The columns of NSRL's list in all its versions, and the algorithms of those that contain
/// digests. The columns about products are ignored.
const COLUMNS: [(&[u8], Option<&str>); 9] = [
    (b"SHA-1", Some("sha1")),
    (b"MD5", Some("md5")),
    (b"MD4", Some("md4")),
    (b"CRC32", Some("crc32")),
    (b"FileName", None),
    (b"FileSize", None),
    (b"ProductCode", None),
    (b"OpSystemCode", None),
    (b"SpecialCode", None),
];

/// Returns the indexes into [`COLUMNS`] of the columns of a header.
fn columns(line: &[u8]) -> Option<Vec<usize>> {
    let titles = line.starts_with(b"\"SHA-1\",").then(|| row(line))?.ok()?;
    let place = |title: &Vec<u8>| COLUMNS.iter().position(|(known, _)| known == title);
    let places: Vec<usize> = titles.iter().map(place).collect::<Option<_>>()?;
    let twice = (1..places.len()).any(|at| places[..at].contains(&places[at]));
    (places.len() >= 8 && !twice).then_some(places)
}

/// Splits a line into its fields.
fn row(line: &[u8]) -> Result<Vec<Vec<u8>>, Reason> {
    Fields::new(line, b',').row(COLUMNS.len()).map_err(Reason::Part)
}

struct Nsrl {
    options: Options,
    columns: Vec<usize>,
}

impl Parse for Nsrl {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        scan::count(line.len());
        if scan::is_empty(line) {
            return Ok(None);
        }
        // Concatenated lists have several headers.
        if let Some(columns) = columns(line) {
            self.columns = columns;
            return Ok(None);
        }
        let row = row(line)?;
        if row.len() != self.columns.len() {
            return Err(Reason::Part("the number of columns differs from that in the header"));
        }
        let mut entry = Entry::default();
        for (place, field) in self.columns.iter().zip(row) {
            match COLUMNS[*place] {
                _ if field.is_empty() => {}
                (_, Some(name)) => match tagged(name, &field, &self.options) {
                    Ok(found) => entry.digests.push(found),
                    // Not requested, or weaker than another digest of the line.
                    Err(Reason::NotRequested(_) | Reason::Weak(_)) => {}
                    Err(reason) => return Err(reason),
                },
                (b"FileName", _) => entry.path = field,
                (b"FileSize", _) => entry.size = Some(scan::decimal(&field).ok_or(Reason::Size)?),
                _ => {}
            }
        }
        Ok(Some(entry))
    }
}

fn encase(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    if !text.starts_with(ENCASE_MARK) || text.len() < ENCASE_HEAD {
        return Err(refused(text.len().min(ENCASE_HEAD), "the header is truncated"));
    }
    let body = text.len() - ENCASE_HEAD;
    let (count, rest) = (body / ENCASE_RECORD, body % ENCASE_RECORD);
    let stated = le32(&text, ENCASE_COUNT).unwrap_or_default() as usize;
    let fault = match () {
        () if rest > 0 => Some("the last digest is truncated"),
        () if stated != count => Some("the number of digests differs from that in the header"),
        () => None,
    };
    let end = fault.map(|what| Err(refused(text.len(), what)));
    let options = options.clone();
    let records = (0..count).map(move |number| {
        let at = ENCASE_HEAD + number * ENCASE_RECORD;
        let place = Place::Byte(at as u64);
        let (digest, zeros) = text[at..at + ENCASE_RECORD].split_at(ENCASE_RECORD - 2);
        if options.stopped() {
            return Err(crate::records::stopped(at));
        }
        if zeros != [0, 0] {
            return Err(refused(at, "a digest that is not followed by two zero bytes"));
        }
        let found = of_bytes("md5", digest, &options).map_err(|reason| LineError { at: place, reason })?;
        // The set has no names, but every entry needs one.
        let path = found.1.to_hex().into_bytes();
        Ok(Line { at: place, entry: Entry { path, digests: vec![found], ..Entry::default() } })
    });
    Ok(Box::new(records.chain(end)))
}

fn read_row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    if is_remark(line) {
        // A digest whose first digit is now the mark of a comment.
        let is_damaged = || signature(&[b"0", &line[1..]].concat()).is_some();
        return if line.len() > 1 && is_damaged() { Err(Reason::DamagedComment) } else { Ok(None) };
    }
    let (digest, size, name) = signature(line).ok_or(Reason::NotALine)?;
    let digests = vec![untagged(digest, options)?];
    Ok(Some(Entry { path: name.to_vec(), size, digests, ..Entry::default() }))
}

fn is_remark(line: &[u8]) -> bool {
    scan::is_empty(line) || line.starts_with(b"#")
}

/// Parses ClamAV's `DIGEST:SIZE:NAME`, which engine versions may follow. The size `*` means any
/// size.
fn signature(line: &[u8]) -> Option<(&[u8], Option<u64>, &[u8])> {
    let (digest, rest) = scan::cut(line, b':')?;
    let (size, name) = scan::cut(rest, b':')?;
    let size = match size {
        b"*" => None,
        size => Some(scan::decimal(size)?),
    };
    let name = scan::cut(name, b':').map_or(name, |(name, _)| name);
    (is_long_hex(digest) && !name.is_empty()).then_some((digest, size, name))
}
