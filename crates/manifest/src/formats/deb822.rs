//! Control files of Debian (deb822): `Release`, `InRelease`, `.dsc`, `.changes`, `.buildinfo`,
//! `Packages`, `Sources`, the `Index` of package diffs, and the `Conffiles` of dpkg's status
//! file.
//!
//! The digests of a file from several fields are merged into one entry. A stanza of `Packages` is
//! an entry as well, with name and digest in separate fields. Fields can be in any order: the
//! rows of a list become entries at the end of their stanza, because `Directory` may follow them
//! (as in `Sources`).

use crate::digest::{contains_like, is_long_hex, is_nearly, tagged};
use crate::formats::prelude::*;
use crate::gather::EntryCollector;
use crate::path::FOLDER_LIMIT;
use std::collections::VecDeque;

pub(crate) static DEB822: Format = Format {
    name: "deb822",
    file_names: &["release", "packages", "sources", ".dsc", ".changes", ".buildinfo"],
    summary: "Debian's Release, Packages, Sources, .dsc, .changes and .buildinfo files",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff,
    syntax: Syntax::TagValue,
    reading: Reading::lines(|options| Box::new(Control { options: options.clone(), ..Control::default() })),
    ..Format::DEFAULT
};

/// The format of the rows of a list field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rows {
    /// `DIGEST SIZE NAME`, or with section and priority before the name.
    Files(&'static str),
    /// `DIGEST SIZE` of the current and previous versions of the file that an index of diffs
    /// applies to. Its name is not in the index.
    Nameless,
    /// `NAME DIGEST [WORD]`.
    Conffiles,
}

/// Returns the format of a field's continuation lines if they describe files.
fn rows(key: &str) -> Option<Rows> {
    Some(match key {
        "md5sum" | "files" | "checksums-md5" => Rows::Files("md5"),
        "sha1" | "checksums-sha1" => Rows::Files("sha1"),
        "sha256" | "checksums-sha256" => Rows::Files("sha256"),
        "sha512" | "checksums-sha512" => Rows::Files("sha512"),
        "conffiles" => Rows::Conffiles,
        key => {
            let (name, part) = key.rsplit_once('-')?;
            let name = name.strip_suffix("-unmerged").unwrap_or(name);
            let name = ["sha1", "sha256", "sha512"].into_iter().find(|known| *known == name)?;
            match part {
                "patches" | "download" => Rows::Files(name),
                "current" | "history" => Rows::Nameless,
                _ => return None,
            }
        }
    })
}

/// Splits a field into its key in lower case and its value.
fn field(line: &[u8]) -> Option<(String, &[u8])> {
    let end = scan::find(&line[..line.len().min(64)], |byte| byte == b':')?;
    let key = std::str::from_utf8(&line[..end]).ok()?;
    let is_key = !key.is_empty()
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    is_key.then(|| (plain(key.to_ascii_lowercase()), scan::trim(&line[end + 1..])))
}

/// Normalizes a key: opkg writes `SHA256sum` instead of `SHA256`.
fn plain(key: String) -> String {
    let bare = key.strip_suffix("sum").filter(|bare| matches!(*bare, "sha1" | "sha256" | "sha512"));
    bare.map(str::to_owned).unwrap_or(key)
}

fn is_continuation(line: &[u8]) -> bool {
    line.first().copied().is_some_and(scan::is_blank)
}

const COLUMNS: &str = "wrong number of columns";

/// Returns true if a key resembles one of the relevant keys and is probably damaged.
fn is_damaged_key(key: &str) -> bool {
    const FIELDS: &str = "md5sum files checksums-md5 sha1 checksums-sha1 sha256 checksums-sha256 sha512 \
        checksums-sha512 conffiles filename directory";
    let mut fields = FIELDS.split(' ');
    let sum = |name: &str| ["sha1-", "sha256-", "sha512-"].iter().any(|known| name.starts_with(known));
    !fields.clone().any(|known| known == key)
        && !sum(key)
        && key != "file"
        && fields.any(|known| is_nearly(key.as_bytes(), known.as_bytes()))
}

/// Splits a row into digest, size and name.
fn split(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (digest, rest) = scan::word(scan::trim(line));
    let (size, name) = scan::word(rest);
    (!size.is_empty()).then_some((digest, size, name))
}

/// Returns true if a line begins like a row of digests.
fn is_row(text: &[u8]) -> bool {
    split(text).is_some_and(|(digest, size, _)| is_long_hex(digest) && is_number(size))
}

/// Returns true if a continuation line would be a field of digests without its indentation.
fn is_indented_field(text: &[u8]) -> bool {
    field(text).is_some_and(|(key, value)| {
        matches!(rows(&key), Some(Rows::Files(_)))
            && key != "files"
            && (value.is_empty() || is_long_hex(value))
    })
}

const NO_FIELD: &str = "a row of digests below an unknown field";

/// Returns true if the text consists of decimal digits (of any number of them).
fn is_number(text: &[u8]) -> bool {
    scan::all(text, |byte| byte.is_ascii_digit())
}

/// Claims a list field with a valid row, or a stanza with `Filename:` and a digest.
fn sniff(head: &Head<'_>) -> Option<Claim> {
    let (mut list, mut fields, mut stanza) = (None, 0, (false, false));
    for (at, line) in head.lines(b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if is_continuation(line) {
            let row = match list {
                Some(Rows::Conffiles) => line.get(1) == Some(&b'/'),
                Some(_) => is_row(line),
                None => false,
            };
            if row {
                return Some(Claim { sign: Sign::Mark, at });
            }
        } else if let Some((key, value)) = field(line) {
            fields += 1;
            list = rows(&key).filter(|_| value.is_empty());
            stanza.0 |= key == "filename" && !value.is_empty();
            stanza.1 |= matches!(rows(&key), Some(Rows::Files(_))) && is_long_hex(value);
        } else if scan::is_empty(line) {
            list = None;
            if stanza == (true, true) && fields > 2 {
                return Some(Claim { sign: Sign::Mark, at });
            }
            stanza = (false, false);
        } else if !line.starts_with(b"#") {
            return None;
        }
    }
    (stanza == (true, true) && fields > 2).then_some(Claim { sign: Sign::Mark, at: 0 })
}

/// A stanza, as far as it has been read, which may describe one file.
#[derive(Default)]
struct Stanza {
    name: Vec<u8>,
    size: Option<u64>,
    digests: Vec<(Spec, Digest)>,
    /// The directory of the files in the lists (`Sources`).
    directory: Vec<u8>,
    /// True if the stanza has a `Package` field. The files of a source package (`Sources`) are in
    /// a directory, unless the archive has none. `Directory` follows the lists: if the manifest
    /// ends without it and without a blank line, it may have been truncated.
    package: bool,
    /// The rows of its lists.
    rows: Vec<(Place, Rows, Entry)>,
    bytes: usize,
}

/// Maximum size of the rows of a stanza in bytes.
const STANZA_LIMIT: usize = 64 << 20;

#[derive(Default)]
struct Control {
    options: Options,
    place: Place,
    list: Option<Rows>,
    /// True if the continuation lines of the field may be arbitrary text, such as a description.
    text: bool,
    /// The name in the first row of a list that does not describe files.
    first: Vec<u8>,
    stanza: Stanza,
    deferred: EntryCollector,
    /// Entries that did not fit into `deferred`, and errors found at the end of a stanza.
    late: VecDeque<LineResult>,
}

impl Control {
    fn row(&mut self, rows: Rows, line: &[u8]) -> Result<Option<Entry>, Reason> {
        let text = scan::trim(line);
        if text.is_empty() || text == b"." {
            return Ok(None);
        }
        match rows {
            Rows::Conffiles => {
                let (name, rest) = scan::word(text);
                let (digest, _) = scan::word(rest);
                if digest == b"newconffile" {
                    return Ok(None);
                }
                let (spec, digest) = tagged("md5", digest, &self.options)?;
                Ok(Some(Entry::new(name, spec, digest)))
            }
            Rows::Nameless => {
                let is_nameless =
                    |(digest, size, _): &(&[u8], &[u8], _)| is_long_hex(digest) && is_number(size);
                let name = split(text).filter(is_nameless).ok_or(Reason::NotALine)?.2;
                if name.ends_with(b":") {
                    return Err(Reason::Part("two lines joined (a line break is missing)"));
                }
                if !name.is_empty() && self.first == name {
                    return Err(Reason::Part("a row of digests whose field name is missing"));
                }
                if self.first.is_empty() {
                    self.first = name.to_vec();
                }
                Ok(None)
            }
            Rows::Files(algorithm) => {
                let (digest, size, name) = split(text).ok_or(Reason::NotALine)?;
                let (spec, digest) = tagged(algorithm, digest, &self.options)?;
                let size = scan::decimal(size).ok_or(Reason::Size)?;
                // File names in these files do not contain blanks: three words are section,
                // priority and name.
                let (first, rest) = scan::word(name);
                let name = match rest {
                    b"" => first,
                    // Only the `Files` field of an upload has these, and its digests are MD5.
                    rest if algorithm == "md5" => match scan::word(rest) {
                        (_, last) if !last.is_empty() && scan::find(last, scan::is_blank).is_none() => last,
                        _ => return Err(Reason::Part(COLUMNS)),
                    },
                    _ => return Err(Reason::Part(COLUMNS)),
                };
                if name.is_empty() {
                    return Err(Reason::EmptyName);
                }
                Ok(Some(Entry { size: Some(size), ..Entry::new(name, spec, digest) }))
            }
        }
    }

    fn field(&mut self, key: &str, value: &[u8]) -> Result<(), Reason> {
        self.list = rows(key);
        self.text = key.starts_with("description") || matches!(key, "changes" | "comment");
        self.first.clear();
        if value.is_empty() {
            return Ok(());
        }
        // Rows are below the field's name, never on the same line.
        if matches!(self.list, Some(Rows::Files(_) | Rows::Conffiles))
            && !matches!(key, "md5sum" | "sha1" | "sha256" | "sha512")
        {
            return Err(Reason::Part("a list must begin on the line after its field name"));
        }
        match key {
            "filename" if !self.stanza.name.is_empty() => {
                return Err(Reason::Part("a duplicate Filename field"));
            }
            "size" if self.stanza.size.is_some() => return Err(Reason::Part("a duplicate Size field")),
            "filename" => self.stanza.name = value.strip_prefix(b"./").unwrap_or(value).to_vec(),
            "directory" if !self.stanza.directory.is_empty() => {
                return Err(Reason::Part("a duplicate Directory field"));
            }
            "directory" if value.len() > FOLDER_LIMIT => return Err(Reason::NameTooLong),
            "directory" => self.stanza.directory = value.to_vec(),
            "package" => self.stanza.package = true,
            "size" => self.stanza.size = Some(scan::decimal(value).ok_or(Reason::Size)?),
            "md5sum" | "sha1" | "sha256" | "sha512" => {
                let key = if key == "md5sum" { "md5" } else { key };
                self.list = None;
                self.stanza.digests.push(tagged(key, value, &self.options)?);
            }
            // Shorter ones may be digests of commits, builds and descriptions.
            _ if self.list.is_none() && (is_row(value) || value.len() > 40 && is_long_hex(value)) => {
                return Err(Reason::Part(NO_FIELD));
            }
            _ => self.list = None,
        }
        Ok(())
    }

    /// Returns a deferred entry, if there is one. This keeps memory bounded regardless of the
    /// number of stanzas.
    fn next_deferred(&mut self) -> Result<Option<Entry>, Reason> {
        match self.late.pop_front().transpose() {
            Ok(line) => Ok(line.map(|line| line.entry)),
            Err(error) => Err(error.reason),
        }
    }

    /// Returns the entry of the stanza that ends here. `cut` is true if it is terminated by the
    /// end of the manifest rather than by a blank line.
    fn stanza(&mut self, cut: bool) -> Result<Option<Entry>, Reason> {
        self.list = None;
        let Stanza { name, size, digests, directory, package, rows, .. } = std::mem::take(&mut self.stanza);
        let mut lacking = false;
        for (at, rows, mut entry) in rows {
            if cut && package && directory.is_empty() && matches!(rows, Rows::Files(_)) {
                lacking = true;
                continue;
            }
            if !directory.is_empty() && rows != Rows::Conffiles {
                entry.path = [directory.as_slice(), b"/", &entry.path].concat();
            }
            match self.deferred.add(at, entry) {
                Ok(None) => {}
                Ok(Some(entry)) => self.late.push_back(Ok(Line { at, entry })),
                Err(reason) => self.late.push_back(Err(LineError { at, reason })),
            }
        }
        if lacking {
            return Err(Reason::Part("a source package without a Directory field"));
        }
        if digests.is_empty() {
            let index = !name.is_empty() && size.is_some();
            return if index { Err(Reason::EmptyDigest) } else { Ok(None) };
        }
        if name.is_empty() {
            return Err(Reason::Part("a stanza with a digest but no Filename field"));
        }
        Ok(Some(Entry { path: name, size, digests, ..Entry::default() }))
    }
}

impl Parse for Control {
    fn at(&mut self, place: Place) {
        self.place = place;
    }

    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if scan::is_empty(line) {
            return self.stanza(false);
        }
        if line.starts_with(b"#") {
            // The indentation of a row may have been overwritten; no program writes digests into
            // comments.
            return if contains_like(line) { Err(Reason::DamagedComment) } else { Ok(None) };
        }
        if is_continuation(line) {
            let Some(rows) = self.list else {
                // A continuation of another field; a row of digests is never part of such text.
                let text = scan::trim(line);
                return match () {
                    () if is_row(text) => Err(Reason::Part(NO_FIELD)),
                    () if !self.text && is_indented_field(text) => {
                        Err(Reason::Part("the name of a digest field is indented"))
                    }
                    () => Ok(None),
                };
            };
            let Some(entry) = self.row(rows, line)? else { return self.next_deferred() };
            self.stanza.bytes += line.len() + size_of::<Entry>();
            if self.stanza.bytes > STANZA_LIMIT {
                return Err(Reason::Part("a stanza with too many lines"));
            }
            self.stanza.rows.push((self.place, rows, entry));
            return self.next_deferred();
        }
        let (key, value) = field(line).ok_or(Reason::NotALine)?;
        if is_damaged_key(&key) {
            self.list = None;
            return Err(Reason::Part("an unknown field that resembles a digest or name field"));
        }
        self.field(&key, value).map(|()| None)
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        self.stanza(true)
    }

    fn has_kept_line(&self) -> bool {
        self.list.is_some()
    }

    fn deferred(&mut self) -> Vec<LineResult> {
        self.deferred.take().into_iter().chain(std::mem::take(&mut self.late)).collect()
    }
}
