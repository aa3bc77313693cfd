//! `pylock.toml` (PEP 751): archives of Python packages as inline tables or as tables of their own, as `pip lock`,
//! `uv export` and `pdm export` write them.

use crate::digest::contains_like;
use crate::formats::prelude::*;
use crate::lines::LINE_LIMIT;
use crate::records::{Records, stopped};

pub(crate) static PYLOCK: Format = Format {
    name: "pylock",
    file_names: &["pylock.toml"],
    summary: "pylock.toml (PEP 751): names or URLs, digests and sizes of archives",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff: |head| {
        let is_lock = head.lines(b'\n').any(|line| line.starts_with(b"lock-version"));
        let is_archive = |line: &[u8]| {
            scan::contains(line, b"hashes = {")
                || scan::contains(line, b"hashes={")
                || TABLES
                    .iter()
                    .any(|table| heading(line) == Some([table.as_bytes(), b".hashes"].concat().as_slice()))
        };
        head.marked(is_archive).filter(|_| is_lock || head.lines(b'\n').any(|line| line == b"[[packages]]"))
    },
    syntax: Syntax::Toml,
    reading: Reading::document(64 << 20, parse),
    ..Format::DEFAULT
};

/// The tables of archives.
const TABLES: &[&str] = &["packages.wheels", "packages.sdist", "packages.archive"];

/// Keys of Git commits, which have as many digits as SHA-1.
const COMMITS: &[&[u8]] = &[b"commit-id", b"requested-revision"];

/// Maximum nesting depth of inline tables and arrays.
const MAX_DEPTH: usize = 8;

/// A value of TOML, as far as archives have such values.
enum Value<'t> {
    /// A string without escape sequences, a number or a date.
    Plain(&'t [u8]),
    /// An inline table, or an array, whose items have no keys.
    Table(Vec<(&'t [u8], Value<'t>)>),
}

/// Returns the name in the heading of a table.
fn heading(line: &[u8]) -> Option<&[u8]> {
    let name = line.trim_ascii().strip_prefix(b"[")?.strip_suffix(b"]")?;
    Some(name.strip_prefix(b"[").and_then(|name| name.strip_suffix(b"]")).unwrap_or(name).trim_ascii())
}

/// Returns true for a key that is not in quotes.
fn is_key(text: &[u8]) -> bool {
    let is_of_key = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !text.is_empty() && scan::all(text, is_of_key)
}

fn skip_blanks(text: &[u8], at: &mut usize) {
    *at += text[*at..].len() - text[*at..].trim_ascii_start().len();
}

/// Parses the value at this offset and moves it to the end of the value. Returns `None` for anything else.
fn value<'t>(text: &'t [u8], at: &mut usize, depth: usize) -> Option<Value<'t>> {
    skip_blanks(text, at);
    let begin = *at;
    match *text.get(begin)? {
        quote @ (b'"' | b'\'') => {
            let len = scan::find(&text[begin + 1..], |byte| byte == quote)?;
            let inner = &text[begin + 1..begin + 1 + len];
            *at = begin + len + 2;
            (!inner.contains(&b'\\')).then_some(Value::Plain(inner))
        }
        open @ (b'{' | b'[') if depth < MAX_DEPTH => {
            let close = if open == b'{' { b'}' } else { b']' };
            let mut members = Vec::new();
            *at += 1;
            loop {
                skip_blanks(text, at);
                if *text.get(*at)? == close {
                    *at += 1;
                    return Some(Value::Table(members));
                }
                let key = if open == b'{' {
                    let len = scan::find(&text[*at..], |byte| byte == b'=')?;
                    let key = text[*at..*at + len].trim_ascii();
                    *at += len + 1;
                    key
                } else {
                    b""
                };
                members.push((key, value(text, at, depth + 1)?));
                skip_blanks(text, at);
                if text.get(*at) == Some(&b',') {
                    *at += 1;
                } else if text.get(*at) != Some(&close) {
                    return None;
                }
            }
        }
        b'{' | b'[' | b',' | b'}' | b']' => None,
        _ => {
            let end = scan::find(&text[begin..], |byte| matches!(byte, b',' | b'}' | b']' | b'#'));
            *at = end.map_or(text.len(), |len| begin + len);
            Some(Value::Plain(text[begin..*at].trim_ascii()))
        }
    }
}

/// An archive.
#[derive(Default)]
struct Archive<'t> {
    at: usize,
    name: Option<&'t [u8]>,
    url: Option<&'t [u8]>,
    size: Option<&'t [u8]>,
    digests: Vec<(&'t [u8], &'t [u8])>,
    /// True if a value is not of the expected kind.
    is_faulty: bool,
}

impl<'t> Archive<'t> {
    /// Adds a member of the archive's table.
    fn member(&mut self, key: &'t [u8], value: Value<'t>) {
        match (key, value) {
            (b"name", Value::Plain(name)) => self.is_faulty |= self.name.replace(name).is_some(),
            (b"url" | b"path", Value::Plain(url)) => self.url = Some(url),
            (b"size", Value::Plain(size)) => self.is_faulty |= self.size.replace(size).is_some(),
            (b"hashes", Value::Table(hashes)) => {
                for (tag, value) in hashes {
                    self.hash(tag, value);
                }
            }
            (b"name" | b"url" | b"path" | b"size" | b"hashes", _) => self.is_faulty = true,
            (_, Value::Plain(text)) => self.is_faulty |= contains_like(text),
            (_, Value::Table(_)) => self.is_faulty = true,
        }
    }

    fn hash(&mut self, tag: &'t [u8], value: Value<'t>) {
        match value {
            Value::Plain(digest) => self.digests.push((tag, digest)),
            Value::Table(_) => self.is_faulty = true,
        }
    }

    fn record(self, records: &mut Records) {
        records.begin(self.at);
        match self.name.map(<[u8]>::to_vec).or_else(|| radix::url_name(self.url?)) {
            Some(name) => records.name(&name),
            None => records.fault("an archive without a name"),
        }
        if let Some(size) = self.size {
            records.size(size);
        }
        for (tag, digest) in self.digests {
            records.digest(tag, digest);
        }
        if self.is_faulty {
            records.fault("a member of an archive that is malformed");
        }
    }
}

/// Keys of archives, and of lists of archives, in a package.
const LISTS: &[&[u8]] = &[b"wheels", b"sdist", b"archive"];

/// Adds the archive in an inline table, or those in an array.
fn inline<'t>(members: Vec<(&'t [u8], Value<'t>)>, at: usize, records: &mut Records) {
    // The items of an array have no keys.
    if members.first().is_some_and(|(key, _)| key.is_empty()) {
        for (_, item) in members {
            match item {
                Value::Table(members) => inline(members, at, records),
                Value::Plain(_) => records.bad(at, "an archive that is not a table"),
            }
        }
        return;
    }
    let mut archive = Archive { at, ..Archive::default() };
    for (key, value) in members {
        archive.member(key, value);
    }
    archive.record(records);
}

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let mut records = Records::new(options);
    let (mut open, mut is_hashes): (Option<Archive<'_>>, bool) = (None, false);
    // True in a table of the program that wrote the file, which may have a digest of the requirements.
    let mut is_tool = false;
    // The key of an array whose items are on lines of their own.
    let mut list: Option<&[u8]> = None;
    for (at, line) in scan::lines(&text) {
        if options.stopped() {
            return Err(stopped(at));
        }
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        // The members of a table take more memory than their text.
        if line.len() > LINE_LIMIT {
            records.bad(at, "a line of more than 1 MiB");
            continue;
        }
        if line.starts_with(b"#") {
            if contains_like(line) {
                records.bad(at, "a digest in a comment");
            }
            continue;
        }
        if let Some(name) = heading(line).filter(|_| list.is_none()) {
            let name = std::str::from_utf8(name).unwrap_or_default();
            is_tool = ["tool", "packages.tool"].iter().any(|table| {
                name.strip_prefix(table).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            });
            is_hashes = name.strip_suffix(".hashes").is_some_and(|table| TABLES.contains(&table));
            if !is_hashes {
                open.take().into_iter().for_each(|archive| archive.record(&mut records));
                open = TABLES.contains(&name).then(|| Archive { at, ..Archive::default() });
            } else if open.is_none() {
                records.bad(at, "digests without an archive");
            }
            continue;
        }
        let (key, begin) = match (list, scan::find_byte(line, b'=')) {
            (Some(key), _) => (key, 0),
            (None, Some(end)) => (line[..end].trim_ascii(), end + 1),
            (None, None) => (&b""[..], line.len()),
        };
        if list.is_some() && line.starts_with(b"]") {
            list = None;
            continue;
        }
        if list.is_none() && line.ends_with(b"[") {
            list = Some(key);
            continue;
        }
        let mut end = begin;
        let found = value(line, &mut end, 0);
        let rest = line[end..].trim_ascii();
        let is_complete = rest.is_empty() || rest == b"," && list.is_some() || rest.starts_with(b"#");
        match (found.filter(|_| is_complete), &mut open) {
            (Some(found), Some(archive)) if is_hashes => archive.hash(key, found),
            (Some(found), Some(archive)) => archive.member(key, found),
            (None, Some(archive)) => archive.is_faulty = true,
            (Some(Value::Table(members)), None) if LISTS.contains(&key) => inline(members, at, &mut records),
            (_, None) if LISTS.contains(&key) => records.bad(at, "an archive that is malformed"),
            (Some(_), None) if is_tool && is_key(key) => {}
            (_, None) if contains_like(line) && !COMMITS.contains(&key) => {
                records.bad(at, "a digest outside of an archive");
            }
            _ => {}
        }
    }
    open.take().into_iter().for_each(|archive| archive.record(&mut records));
    Ok(records.read(options))
}
