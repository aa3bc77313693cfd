//! Output of PowerShell's `Get-FileHash`: a table, or a list of properties. `Export-Csv` is a
//! format of its own.
//!
//! PowerShell truncates a table to the screen width: a row that contains `...` or `…` is
//! rejected, because its digest or path is incomplete.

use super::console::{Drive, is_absolute, is_console, is_of_drive, without_colors};
use crate::digest::{is_long_hex, labeled, untagged};
use crate::formats::prelude::*;

pub(crate) static GET_FILEHASH: Format = Format {
    name: "get-filehash",
    summary: "output of PowerShell's Get-FileHash, as a table or a list",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff,
    reading: Reading::lines(|options| Box::new(Shown { options: options.clone(), ..Shown::default() })),
    ..Format::DEFAULT
};

/// The columns of a table: their indices in [`TITLES`], and the offsets at which they begin.
type Columns = Vec<(usize, usize)>;

/// The titles of columns and properties, by meaning. `Select-Object` puts them in any order, and leaves out some.
const TITLES: [&[&[u8]]; 4] = [&[b"Algorithm"], &[b"Hash"], &[b"Path", b"Name", b"FullName"], &[b"Length"]];

/// The indices of the digest, the path and the size in [`TITLES`].
const HASH: usize = 1;
const PATH: usize = 2;
const SIZE: usize = 3;

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let lines = || head.lines(b'\n').map(|line| without_colors(line.strip_suffix(b"\r").unwrap_or(line)));
    let at = lines().position(|line| !is_console(&line))?;
    let keys: Vec<usize> =
        lines().skip(at).map_while(|line| Some(property(&line)?.0)).take(TITLES.len()).collect();
    let list = keys.contains(&HASH) && keys.len() > 1 && keys[0] != keys[1];
    let table = || {
        let mut rows = lines().skip(at);
        rows.next().is_some_and(|first| columns(&first).is_some())
            && rows.find(|line| !scan::is_empty(line)).is_some_and(|second| is_rule(&second))
    };
    // All rows of a table without a header.
    let rows = || lines().all(|line| is_console(&line) || bare_row(&line).is_some());
    (list || table() || rows()).then_some(Claim { sign: Sign::Mark, at })
}

/// Returns the index in [`TITLES`] of the meaning of this title.
fn meaning(title: &[u8]) -> Option<usize> {
    TITLES.iter().position(|titles| titles.contains(&title))
}

/// Returns the columns named in the header.
fn columns(line: &[u8]) -> Option<Columns> {
    let line = scan::trim_end(line);
    let (mut found, mut rest) = (Columns::new(), scan::trim_start(line));
    while !rest.is_empty() && found.len() < TITLES.len() {
        let at = line.len() - rest.len();
        let (word, behind) = scan::word(rest);
        found.push((meaning(word)?, at));
        rest = behind;
    }
    let has = |key| found.iter().filter(|(known, _)| *known == key).count() == 1;
    (rest.is_empty() && has(HASH) && has(PATH)).then_some(found)
}

fn is_rule(line: &[u8]) -> bool {
    let line = scan::trim(line);
    line.starts_with(b"--") && scan::all(line, |byte| matches!(byte, b'-' | b' '))
}

/// Returns the algorithm, the digest and the path in a row of a table without a header, which
/// `Format-Table -HideTableHeaders` writes.
fn bare_row(line: &[u8]) -> Option<[&[u8]; 3]> {
    let (tag, rest) = scan::word(line);
    let (hash, path) = scan::word(rest);
    let is_tag = tag.len() <= 16 && std::str::from_utf8(tag).is_ok_and(|tag| tag.parse::<Spec>().is_ok());
    let path = scan::trim_end(path);
    (is_tag && is_long_hex(hash) && is_absolute(path)).then_some([tag, hash, path])
}

/// Splits a property such as `Algorithm : SHA256` into the index of its name and the value.
fn property(line: &[u8]) -> Option<(usize, &[u8])> {
    let (key, value) = scan::cut(line, b':')?;
    Some((meaning(scan::trim_end(key))?, value.strip_prefix(b" ").unwrap_or(value)))
}

/// The properties of one file in the order of [`TITLES`], as far as they have been read.
#[derive(Default)]
struct Object {
    values: [Option<Vec<u8>>; TITLES.len()],
    /// The index of the last one.
    last: usize,
}

#[derive(Default)]
struct Shown {
    options: Options,
    columns: Option<Columns>,
    /// The property that begins each object of a list.
    first: Option<usize>,
    object: Option<Object>,
    drive: Drive,
}

const CUT: Reason = Reason::Part(
    "the table was truncated to the screen width; create it again with Export-Csv or Format-List",
);

/// Returns true if PowerShell truncated the text.
fn is_cut(text: &[u8]) -> bool {
    text.ends_with(b"...") || text.ends_with("\u{2026}".as_bytes())
}

impl Shown {
    fn entry(&mut self, values: [Option<&[u8]>; TITLES.len()]) -> Result<Entry, Reason> {
        let [algorithm, hash, path, size] = values;
        let [hash, path] = [hash, path].map(Option::unwrap_or_default);
        if is_cut(hash) || is_cut(path) {
            return Err(CUT);
        }
        // A name on Windows has no colon after the one of its drive.
        if is_of_drive(path) && path[2..].contains(&b':') {
            return Err(Reason::Part("two rows on one line"));
        }
        let size = size.map(|size| scan::decimal(size).ok_or(Reason::Size)).transpose()?;
        let (spec, digest) = match algorithm {
            None => untagged(hash, &self.options)?,
            Some(tag) => labeled(tag, hash, &self.options)?,
        };
        Ok(Entry { size, ..Entry::new(&self.drive.relative(path), spec, digest) })
    }

    fn row(&mut self, line: &[u8], columns: &[(usize, usize)]) -> Result<Entry, Reason> {
        let (mut cells, mut line) = ([None; TITLES.len()], line);
        let path = columns.iter().position(|(key, _)| *key == PATH).unwrap_or(0);
        // Columns after the path contain no blanks. Their offsets count characters, which may have several bytes.
        for &(key, _) in columns[path + 1..].iter().rev() {
            line = scan::trim_end(line);
            let gap = scan::rfind(line, scan::is_blank).ok_or(Reason::NotALine)?;
            cells[key] = Some(&line[gap + 1..]);
            line = &line[..gap];
        }
        let mut rest = if columns[0].0 == SIZE { scan::trim_start(line) } else { line };
        for &(key, at) in &columns[..=path] {
            // Cells are aligned with the header: a name from another column would begin at another
            // offset. A cell that is wider than its column moves the path after it. Numbers are aligned with the end of
            // the title.
            let begin = line.len() - rest.len();
            let is_aligned =
                begin == at || key == SIZE || key == PATH && begin > at && line.get(at - 1) == Some(&b' ');
            let (word, behind) = scan::word(rest);
            let cell = if key == PATH { scan::trim_end(rest) } else { word };
            if is_cut(cell) {
                return Err(CUT);
            }
            if !is_aligned {
                return Err(Reason::NotALine);
            }
            cells[key] = Some(cell).filter(|cell| !cell.is_empty());
            rest = behind;
        }
        if cells[HASH].is_none() || cells[PATH].is_none() {
            return Err(Reason::NotALine);
        }
        self.entry(cells)
    }

    fn object(&mut self) -> Result<Option<Entry>, Reason> {
        match self.object.take() {
            None => Ok(None),
            Some(Object { values, .. }) => self.entry(values.each_ref().map(Option::as_deref)).map(Some),
        }
    }
}

impl Parse for Shown {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        let line = &without_colors(line)[..];
        if is_console(line) {
            return self.object();
        }
        if let Some(columns) = columns(line) {
            self.columns = Some(columns);
            return Ok(None);
        }
        if is_rule(line) {
            return Ok(None);
        }
        if let Some(columns) = &self.columns {
            let columns = columns.clone();
            return self.row(line, &columns).map(Some);
        }
        if let Some([algorithm, hash, path]) = bare_row(line) {
            return self.entry([Some(algorithm), Some(hash), Some(path), None]).map(Some);
        }
        if let Some((key, value)) = property(line) {
            let done = if *self.first.get_or_insert(key) == key { self.object() } else { Ok(None) };
            let object = self.object.get_or_insert_default();
            object.last = key;
            if object.values[key].is_some() {
                return Err(Reason::Part("a duplicate property of a file"));
            }
            // A path may end in blanks.
            object.values[key] = Some(if key == PATH { value } else { scan::trim(value) }.to_vec());
            return done;
        }
        // A long value continues on the next line, indented.
        let more = line.strip_prefix(b"            ").ok_or(Reason::NotALine)?;
        let object = self.object.as_mut().ok_or(Reason::NotALine)?;
        let value = object.values[object.last].get_or_insert_default();
        value.extend_from_slice(match object.last {
            PATH => more.strip_prefix(b" ").unwrap_or(more),
            _ => scan::trim(more),
        });
        Ok(None)
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        self.object()
    }
}
