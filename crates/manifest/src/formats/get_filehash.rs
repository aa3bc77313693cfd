//! Output of PowerShell's `Get-FileHash`: a table, or a list of properties. `Export-Csv` is a
//! format of its own.
//!
//! PowerShell truncates a table to the screen width: a row that contains `...` or `…` is
//! rejected, because its digest or path is incomplete.

use crate::digest::tagged;
use crate::entry::Entry;
use crate::format::{Claim, Format, Head, Holds, Options, Parse, Reading, Sign, Writing};
use crate::line::{Found, Line, LineError, Place, Reason};
use crate::scan;

pub(crate) static GET_FILEHASH: Format = Format {
    name: "get-filehash",
    file_names: &[],
    summary: "output of PowerShell's Get-FileHash, as a table or a list",
    holds: Holds::DIGESTS,
    sniff: |head: &Head<'_>| {
        let mut lines = head.lines(b'\n').enumerate().filter(|(_, line)| !scan::is_empty(line));
        let (at, first) = lines.next()?;
        let second = lines.next().map(|(_, line)| line)?;
        let list = property(first).is_some_and(|(key, _)| key == b"Algorithm")
            && property(second).is_some_and(|(key, _)| key == b"Hash");
        let table = columns(first).is_some() && is_rule(second);
        (list || table).then_some(Claim { sign: Sign::Mark, at })
    },
    reading: Reading::Lines {
        terminator: b'\n',
        parser: |options| {
            Box::new(Shown { options: options.clone(), place: Place::Line(1), columns: None, object: None })
        },
    },
    writing: Writing::No,
    tagged: None,
};

/// Returns the offsets of the columns `Hash` and `Path` in the header.
fn columns(line: &[u8]) -> Option<(usize, usize)> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let (first, rest) = scan::word(line);
    let (second, third) = scan::word(rest);
    let own = first == b"Algorithm" && second == b"Hash" && scan::trim_end(third) == b"Path";
    own.then(|| (line.len() - rest.len(), line.len() - third.len()))
}

fn is_rule(line: &[u8]) -> bool {
    line.starts_with(b"--") && scan::all(line, |byte| matches!(byte, b'-' | b' ' | b'\r'))
}

/// Splits a property such as `Algorithm : SHA256` into name and value.
fn property(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let (key, value) = scan::cut(line, b':')?;
    let key = scan::trim_end(key);
    matches!(key, b"Algorithm" | b"Hash" | b"Path").then(|| (key, value.strip_prefix(b" ").unwrap_or(value)))
}

/// The properties of one file, as far as they have been read.
#[derive(Default)]
struct Object {
    algorithm: Vec<u8>,
    hash: Vec<u8>,
    path: Vec<u8>,
    last: u8,
}

struct Shown {
    options: Options,
    place: Place,
    columns: Option<(usize, usize)>,
    object: Option<Object>,
}

const CUT: Reason = Reason::Part(
    "the table was truncated to the screen width: create it again with Export-Csv or Format-List",
);

impl Shown {
    fn entry(&self, algorithm: &[u8], hash: &[u8], path: &[u8]) -> Result<Entry, Reason> {
        let dots = |text: &[u8]| text.ends_with(b"...") || text.ends_with("\u{2026}".as_bytes());
        if dots(hash) || dots(path) {
            return Err(CUT);
        }
        let tag = std::str::from_utf8(algorithm).map_err(|_| Reason::NotALine)?;
        if tag.len() > 16 {
            return Err(Reason::NotALine);
        }
        let (spec, digest) = tagged(tag, hash, &self.options)?;
        Ok(Entry::new(path, spec, digest))
    }

    fn row(&self, line: &[u8], (hash, path): (usize, usize)) -> Result<Entry, Reason> {
        let (algorithm, rest) = scan::word(line);
        let (digest, name) = scan::word(rest);
        let dots = |text: &[u8]| text.ends_with(b"...") || text.ends_with("\u{2026}".as_bytes());
        if dots(digest) || dots(scan::trim_end(name)) {
            return Err(CUT);
        }
        // Cells are aligned with the header: a name from another column would begin at another
        // offset.
        let fits = line.len() - rest.len() == hash && line.len() >= name.len() + hash;
        if !fits || name.is_empty() || line.len() - name.len() > path && line.get(path - 1) != Some(&b' ') {
            return if digest.ends_with(b"...") { Err(CUT) } else { Err(Reason::NotALine) };
        }
        self.entry(algorithm, digest, scan::trim_end(name))
    }

    fn object(&mut self) -> Result<Option<Entry>, Reason> {
        match self.object.take() {
            None => Ok(None),
            Some(object) => self.entry(&object.algorithm, &object.hash, &object.path).map(Some),
        }
    }
}

impl Parse for Shown {
    fn at(&mut self, place: Place) {
        self.place = place;
    }

    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if scan::is_empty(line) {
            return self.object();
        }
        if let Some(columns) = columns(line) {
            self.columns = Some(columns);
            return Ok(None);
        }
        if is_rule(line) {
            return Ok(None);
        }
        if let Some(columns) = self.columns {
            return self.row(line, columns).map(Some);
        }
        if let Some((key, value)) = property(line) {
            let done = if key == b"Algorithm" { self.object() } else { Ok(None) };
            let object = self.object.get_or_insert_default();
            object.last = key[0];
            let content = match key {
                b"Algorithm" => &object.algorithm,
                b"Hash" => &object.hash,
                _ => &object.path,
            };
            if !content.is_empty() {
                return Err(Reason::Part("a duplicate property of a file"));
            }
            match key {
                b"Algorithm" => object.algorithm = scan::trim(value).to_vec(),
                b"Hash" => object.hash = scan::trim(value).to_vec(),
                _ => object.path = value.to_vec(),
            }
            return done;
        }
        // A long value continues on the next line, indented.
        match &mut self.object {
            Some(object) if line.starts_with(b"            ") => {
                let more = &line[12..];
                match object.last {
                    b'H' => object.hash.extend_from_slice(scan::trim(more)),
                    _ => object.path.extend_from_slice(more.strip_prefix(b" ").unwrap_or(more)),
                }
                Ok(None)
            }
            _ => Err(Reason::NotALine),
        }
    }

    fn end(&mut self) -> Vec<Found> {
        let at = self.place;
        let last = self.object().transpose().map(|found| match found {
            Ok(entry) => Ok(Line { at, entry }),
            Err(reason) => Err(LineError { at, reason }),
        });
        last.into_iter().collect()
    }
}
