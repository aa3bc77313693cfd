//! Output of PowerShell's `Get-FileHash`: a table, or a list of properties. `Export-Csv` is a
//! format of its own.
//!
//! PowerShell truncates a table to the screen width: a row that contains `...` or `…` is
//! rejected, because its digest or path is incomplete.

use crate::digest::{labeled, untagged};
use crate::formats::prelude::*;
use crate::path::FOLDER_LIMIT;

pub(crate) static GET_FILEHASH: Format = Format {
    name: "get-filehash",
    summary: "output of PowerShell's Get-FileHash, as a table or a list",
    sniff: |head: &Head<'_>| {
        let mut lines =
            head.lines(b'\n').enumerate().filter(|(_, line)| !scan::is_empty(line) && !is_prompt(line));
        let (at, first) = lines.next()?;
        let second = lines.next().map(|(_, line)| line)?;
        let keys = [property(first), property(second)].map(|found| found.map(|(key, _)| key));
        let list = keys[0] != keys[1] && keys.iter().all(Option::is_some) && keys.contains(&Some(HASH));
        let table = columns(first).is_some() && is_rule(second);
        (list || table).then_some(Claim { sign: Sign::Mark, at })
    },
    reading: Reading::lines(|options| Box::new(Shown { options: options.clone(), ..Shown::default() })),
    ..Format::DEFAULT
};

/// The columns of a table: their indices in [`KEYS`], and the offsets at which they begin.
type Columns = Vec<(usize, usize)>;

/// The names of columns and properties. `Select-Object` puts them in any order, and leaves out some.
const KEYS: [&[u8]; 3] = [b"Algorithm", b"Hash", b"Path"];

/// Another name of the column with the path, which `Select-Object` can compute.
const NAME: &[u8] = b"Name";

/// The indices of the digest and the path in [`KEYS`].
const HASH: usize = 1;
const PATH: usize = 2;

/// Returns the columns named in the header.
fn columns(line: &[u8]) -> Option<Columns> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let (mut found, mut rest) = (Columns::new(), line);
    while !rest.is_empty() && found.len() < KEYS.len() {
        let at = line.len() - rest.len();
        let (word, behind) = scan::word(rest);
        let key = KEYS.iter().position(|key| *key == word).or((word == NAME).then_some(PATH))?;
        found.push((key, at));
        rest = behind;
    }
    let has = |key| found.iter().filter(|(known, _)| *known == key).count() == 1;
    (rest.is_empty() && has(HASH) && has(PATH)).then_some(found)
}

/// Returns true for the line of a console with the command.
fn is_prompt(line: &[u8]) -> bool {
    let command = b"> Get-FileHash ";
    scan::count(line.len());
    line.starts_with(b"PS ") && line.windows(command.len()).any(|part| part.eq_ignore_ascii_case(command))
}

fn is_rule(line: &[u8]) -> bool {
    line.starts_with(b"--") && scan::all(line, |byte| matches!(byte, b'-' | b' ' | b'\r'))
}

/// Splits a property such as `Algorithm : SHA256` into the index of its name and the value.
fn property(line: &[u8]) -> Option<(usize, &[u8])> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let (key, value) = scan::cut(line, b':')?;
    let key = scan::trim_end(key);
    let key = KEYS.iter().position(|known| *known == key)?;
    Some((key, value.strip_prefix(b" ").unwrap_or(value)))
}

/// The properties of one file in the order of [`KEYS`], as far as they have been read.
#[derive(Default)]
struct Object {
    values: [Option<Vec<u8>>; 3],
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
    /// The folder of the first path that begins with a drive.
    folder: Option<Vec<u8>>,
}

const CUT: Reason = Reason::Part(
    "the table was truncated to the screen width; create it again with Export-Csv or Format-List",
);

fn is_of_drive(path: &[u8]) -> bool {
    matches!(path, [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic())
}

/// Returns true if PowerShell truncated the text.
fn is_cut(text: &[u8]) -> bool {
    text.ends_with(b"...") || text.ends_with("\u{2026}".as_bytes())
}

impl Shown {
    fn entry(&mut self, algorithm: Option<&[u8]>, hash: &[u8], path: &[u8]) -> Result<Entry, Reason> {
        if is_cut(hash) || is_cut(path) {
            return Err(CUT);
        }
        // A name on Windows has no colon after the one of its drive.
        if is_of_drive(path) && path[2..].contains(&b':') {
            return Err(Reason::Part("two rows on one line"));
        }
        let (spec, digest) = match algorithm {
            None => untagged(hash, &self.options)?,
            Some(tag) => labeled(tag, hash, &self.options)?,
        };
        Ok(Entry::new(&self.relative(path), spec, digest))
    }

    /// Returns a path relative to the folder of the first one that begins with a drive, because
    /// `Get-FileHash` always writes complete paths. Paths outside of this folder are unchanged.
    fn relative(&mut self, path: &[u8]) -> Vec<u8> {
        if !is_of_drive(path) {
            return path.to_vec();
        }
        let end = scan::rfind(path, |byte| byte == b'\\').map_or(0, |at| at + 1);
        if self.folder.is_none() && end <= FOLDER_LIMIT {
            self.folder = Some(path[..end].to_vec());
        }
        let inside = self.folder.as_ref().and_then(|folder| path.strip_prefix(folder.as_slice()));
        inside.filter(|name| !name.is_empty()).unwrap_or(path).to_vec()
    }

    fn row(&mut self, line: &[u8], columns: &[(usize, usize)]) -> Result<Entry, Reason> {
        let (mut cells, mut line) = ([None; KEYS.len()], line);
        let path = columns.iter().position(|(key, _)| *key == PATH).unwrap_or(0);
        // Columns after the path contain no blanks. Their offsets count characters, which may have several bytes.
        for &(key, _) in columns[path + 1..].iter().rev() {
            line = scan::trim_end(line);
            let gap = scan::rfind(line, scan::is_blank).ok_or(Reason::NotALine)?;
            cells[key] = Some(&line[gap + 1..]);
            line = &line[..gap];
        }
        let mut rest = line;
        for &(key, at) in &columns[..=path] {
            // Cells are aligned with the header: a name from another column would begin at another
            // offset. A cell that is wider than its column moves the path after it.
            let begin = line.len() - rest.len();
            let is_aligned = begin == at || key == PATH && begin > at && line.get(at - 1) == Some(&b' ');
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
        let [algorithm, Some(hash), Some(path)] = cells else { return Err(Reason::NotALine) };
        self.entry(algorithm, hash, path)
    }

    fn object(&mut self) -> Result<Option<Entry>, Reason> {
        match self.object.take() {
            None => Ok(None),
            Some(Object { values: [algorithm, hash, path], .. }) => {
                let [hash, path] = [hash, path].map(Option::unwrap_or_default);
                self.entry(algorithm.as_deref(), &hash, &path).map(Some)
            }
        }
    }
}

impl Parse for Shown {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if scan::is_empty(line) || is_prompt(line) {
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
