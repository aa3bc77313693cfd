//! hashdeep 4.4: `%%%% HASHDEEP-1.0`, a header that names the columns, then lines with size,
//! digests and name, separated by commas.
//!
//! Nothing is quoted: the name is the last column and extends to the end of the line, including
//! any commas. `hashdeep -p` writes the digests of pieces as `name offset 0-511`. A file with
//! such a name and the size of that range cannot be distinguished from a piece and is read as
//! one.

use crate::digest::{is_hex, is_long_hex, tagged};
use crate::entry::PieceList;
use crate::formats::prelude::*;
use std::ops::Range;
use truesum_hash::SpecError;

pub(crate) static HASHDEEP: Format = Format {
    name: "hashdeep",
    file_names: &[".hashdeep"],
    summary: "size, digests and name after a header that names the columns, as written by hashdeep",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(COLUMNS),
        names: Names::Literal { forbidden: b"\n\r", not_first: b"", not_last: b"" },
        size: true,
        locates: true,
        ..Capabilities::DIGESTS
    },
    sniff: |head| {
        let is_first = |line: &[u8]| [SIGNATURE, COLUMN_NAMES].iter().any(|begin| line.starts_with(begin));
        // The first row may be the one that is damaged.
        let is_row = |line: &[u8]| {
            let cell = scan::cut(line, b',').map_or(&b""[..], |(cell, _)| cell);
            scan::all(cell, |byte| byte.is_ascii_hexdigit())
                && !cell.is_empty()
                && head.lines(b'\n').any(|line| implied(line).is_some())
        };
        head.begun(|line| is_first(line) || is_row(line))
    },
    reading: Reading::lines(|options| {
        Box::new(Rows { options: options.clone(), columns: None, is_headed: false })
    }),
    writing: Writing::Manifest(|heading| Box::new(Table { heading: heading.clone(), specs: None })),
    ..Format::DEFAULT
};

pub(crate) static HASHDEEP_Z: Format = Format {
    name: "hashdeep-z",
    summary: "hashdeep with NUL-terminated rows (hashdeep -0)",
    capabilities: Capabilities { locates: true, ..HASHDEEP.capabilities },
    sniff: |head| {
        let end = scan::find_byte(head.text, 0).unwrap_or(head.text.len());
        let (size, rest) = scan::cut(behind_heading(&head.text[..end]), b',')?;
        let (digest, name) = scan::cut(rest, b',')?;
        Claim::mark(scan::decimal(size).is_some() && is_long_hex(digest) && !name.is_empty())
    },
    reading: Reading::Lines {
        terminator: 0,
        parser: |options| {
            Box::new(Records(Rows { options: options.clone(), columns: None, is_headed: false }))
        },
    },
    ..Format::DEFAULT
};

/// Returns the text after the lines of a header, which end with LF even if NUL ends the rows.
fn behind_heading(mut text: &[u8]) -> &[u8] {
    while let Some((_, rest)) = scan::cut(text, b'\n').filter(|(line, _)| is_heading(line)) {
        text = rest;
    }
    text
}

fn is_heading(line: &[u8]) -> bool {
    line.starts_with(HEADING) || line.starts_with(b"##")
}

/// A parser of rows that end with NUL. The first one follows the header.
struct Records(Rows);

impl Parse for Records {
    fn line(&mut self, record: &[u8]) -> Result<Option<Entry>, Reason> {
        let row = behind_heading(record);
        let heading = &record[..record.len() - row.len()];
        let read = |line: &[u8]| self.0.line(line).map(drop);
        heading.split(|&byte| byte == b'\n').try_for_each(read)?;
        self.0.line(row)
    }
}

/// The algorithms of hashdeep, in the order of its columns.
const COLUMNS: &[&str] = &["md5", "sha1", "sha256", "tiger", "whirlpool"];

const SIGNATURE: &[u8] = b"%%%% HASHDEEP-1.0";

/// The prefix of the header.
const HEADING: &[u8] = b"%%%% ";

/// The beginning of the header as hashdeep writes it.
const COLUMN_NAMES: &[u8] = b"%%%% size,";

/// Maximum number of columns. A header with more is rejected.
const MAX_COLUMNS: usize = 64;

/// A column before the name.
#[derive(Clone, Debug)]
enum Column {
    Size,
    Digest(String),
    /// A digest of an algorithm that truesum does not implement.
    Unknown,
}

struct Rows {
    options: Options,
    /// `None` before a header.
    columns: Option<Vec<Column>>,
    /// Whether there was a header, possibly damaged.
    is_headed: bool,
}

/// Returns the columns of a row without a header: a size, and at least two digests of different lengths in the order of
/// hashdeep's columns.
fn implied(line: &[u8]) -> Option<Vec<Column>> {
    let (size, mut rest) = scan::cut(line, b',')?;
    scan::decimal(size)?;
    let mut columns = vec![Column::Size];
    for name in COLUMNS {
        let len = name.parse::<Spec>().ok()?.digest_len() * 2;
        if let Some((_, behind)) = scan::cut(rest, b',').filter(|(cell, _)| cell.len() == len && is_hex(cell))
        {
            columns.push(Column::Digest((*name).to_owned()));
            rest = behind;
        }
    }
    (columns.len() > 2 && !rest.is_empty() && !begins_with_digest(rest)).then_some(columns)
}

/// Returns true for a name that begins with a cell that is a digest, possibly damaged: the row has more columns than the
/// header or the first row.
pub(crate) fn begins_with_digest(name: &[u8]) -> bool {
    scan::cut(name, b',').is_some_and(|(cell, _)| {
        cell.len() >= 24 && cell.iter().filter(|byte| !byte.is_ascii_hexdigit()).count() <= 1
    })
}

impl Rows {
    /// Parses the header. An unknown algorithm is an error, but the remaining columns are used.
    fn heading(&mut self, names: &[u8]) -> Result<(), Reason> {
        (self.columns, self.is_headed) = (None, true);
        let names = std::str::from_utf8(names).map_err(|_| Reason::NotALine)?;
        let mut names: Vec<&str> = names.split(',').take(MAX_COLUMNS).collect();
        if names.pop() != Some("filename") {
            return Err(Reason::Part("the last column of the header is not 'filename'"));
        }
        let mut columns = Vec::new();
        let mut unknown = None;
        for (at, name) in names.iter().enumerate() {
            columns.push(match *name {
                _ if names[..at].contains(name) => {
                    return Err(Reason::Part("a duplicate column in the header"));
                }
                "size" => Column::Size,
                name if find(name).is_some() => Column::Digest(name.to_owned()),
                name => {
                    let shown: String = name.chars().take(32).collect();
                    unknown.get_or_insert(Reason::Algorithm(SpecError::NotHere(shown)));
                    Column::Unknown
                }
            });
        }
        self.columns = Some(columns);
        unknown.map_or(Ok(()), Err)
    }

    fn row(&self, line: &[u8]) -> Result<Entry, Reason> {
        let columns = self.columns.as_ref().ok_or(match self.is_headed {
            true => Reason::Part("no header with column names"),
            false => Reason::NotALine,
        })?;
        let mut entry = Entry::default();
        let mut rest = line;
        for column in columns {
            let comma = scan::find(rest, |byte| byte == b',').ok_or(Reason::NotALine)?;
            let (cell, behind) = (&rest[..comma], &rest[comma + 1..]);
            rest = behind;
            match column {
                Column::Size => entry.size = Some(scan::decimal(cell).ok_or(Reason::Size)?),
                Column::Digest(name) => entry.digests.push(tagged(name, cell, &self.options)?),
                Column::Unknown => {}
            }
        }
        if begins_with_digest(rest) {
            return Err(Reason::Part("a digest in the column of the name"));
        }
        entry.path = rest.to_vec();
        match piece(rest) {
            Some((name, range)) if entry.size.is_none_or(|size| size == range.end - range.start) => {
                self.piece(name, range, entry)
            }
            // hashdeep names the only piece of an empty file 0-0.
            Some((name, range)) if entry.size == Some(0) && range == (0..1) => self.piece(name, 0..0, entry),
            _ => Ok(entry),
        }
    }

    /// Returns the entry of a row that describes a piece.
    fn piece(&self, name: &[u8], range: Range<u64>, row: Entry) -> Result<Entry, Reason> {
        let path = name.to_vec();
        if range.is_empty() {
            // This piece is the complete file. Without the other pieces it cannot be part of a
            // list of pieces.
            return if self.options.allow_pieces { Ok(Entry { path, ..row }) } else { Err(Reason::Pieces) };
        }
        let len = range.end - range.start;
        let pieces = row
            .digests
            .into_iter()
            .filter_map(|(spec, digest)| PieceList::new(spec, range.clone(), len, digest.as_bytes().into()));
        Ok(Entry { path, pieces: pieces.collect(), ..Entry::default() })
    }
}

impl Parse for Rows {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if line.is_empty() || line.starts_with(b"##") {
            return Ok(None);
        }
        if line == SIGNATURE {
            (self.columns, self.is_headed) = (None, true);
            return Ok(None);
        }
        match line.strip_prefix(HEADING) {
            Some(names) => self.heading(names).map(|()| None),
            None => {
                if self.columns.is_none() && !self.is_headed {
                    self.columns = implied(line);
                }
                self.row(line).map(Some)
            }
        }
    }
}

/// Splits `name offset FIRST-LAST` into the name and the range of bytes.
pub(crate) fn piece(name: &[u8]) -> Option<(&[u8], Range<u64>)> {
    let blank = scan::rfind(name, |byte| byte == b' ')?;
    let name_and_word = &name[..blank];
    let file = name_and_word.strip_suffix(b" offset").filter(|file| !file.is_empty())?;
    let (first, last) = scan::cut(&name[blank + 1..], b'-')?;
    let (first, last) = (scan::decimal(first)?, scan::decimal(last)?);
    (first <= last).then_some((file, first..last.checked_add(1)?))
}

/// A writer of hashdeep's format. The header is written together with the first entry, which may
/// determine the columns.
struct Table {
    heading: Heading,
    /// The columns, once the header has been written.
    specs: Option<Vec<Spec>>,
}

impl Table {
    /// Returns the columns of a manifest whose first entry has these algorithms. They are always
    /// in hashdeep's order, regardless of the order in which they were requested.
    fn columns(&self, first: &[Spec]) -> Vec<Spec> {
        let requested = if self.heading.specs.is_empty() { first } else { &self.heading.specs };
        let column = |name: &&str| requested.iter().find(|spec| spec.algorithm().name() == *name).cloned();
        COLUMNS.iter().filter_map(column).collect()
    }

    /// Writes the header unless that has been done.
    fn write_heading(&mut self, specs: Vec<Spec>, text: &mut Vec<u8>) {
        if self.specs.is_some() {
            return;
        }
        text.extend_from_slice(SIGNATURE);
        text.push(b'\n');
        let names: Vec<String> = specs.iter().map(|spec| format!("{spec},")).collect();
        text.extend_from_slice(format!("%%%% size,{}filename\n", names.concat()).as_bytes());
        let Heading { folder, command, superuser, .. } = &self.heading;
        if !folder.is_empty() {
            text.extend_from_slice(&[b"## Invoked from: ", comment(folder).as_slice(), b"\n"].concat());
        }
        if !command.is_empty() {
            let prompt: &[u8] = if *superuser { b"## # " } else { b"## $ " };
            text.extend_from_slice(&[prompt, comment(command).as_slice(), b"\n"].concat());
        }
        if !folder.is_empty() || !command.is_empty() {
            text.extend_from_slice(b"## \n");
        }
        self.specs = Some(specs);
    }
}

/// Replaces line breaks, which a comment cannot contain.
fn comment(text: &[u8]) -> Vec<u8> {
    text.iter().map(|&byte| if matches!(byte, b'\n' | b'\r') { b'?' } else { byte }).collect()
}

impl Compose for Table {
    fn is_self_contained(&self) -> bool {
        true
    }

    fn entry(&mut self, entry: &Entry, text: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        let size = entry.size.ok_or(Unrepresentable::NoSize)?;
        if piece(&entry.path).is_some() || begins_with_digest(&entry.path) {
            return Err(Unrepresentable::Edge);
        }
        entry.has_no_algorithm_twice()?;
        let own: Vec<Spec> = entry.digests.iter().map(|(spec, _)| spec.clone()).collect();
        let specs = self.specs.clone().unwrap_or_else(|| self.columns(&own));
        let digests = specs.iter().map(|spec| entry.digests.iter().find(|(own, _)| own == spec));
        let digests: Option<Vec<String>> = digests.map(|found| Some(found?.1.to_hex() + ",")).collect();
        let digests = digests.filter(|_| own.len() == specs.len()).ok_or(Unrepresentable::Columns)?;
        self.write_heading(specs, text);
        text.extend_from_slice(format!("{size},{}", digests.concat()).as_bytes());
        text.extend_from_slice(&entry.path);
        text.push(b'\n');
        Ok(())
    }

    fn end(&mut self, text: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        self.write_heading(self.columns(&[]), text);
        Ok(())
    }
}
