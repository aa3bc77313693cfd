//! Lists of files in YAML, with the keys that lists in JSON have. A document is translated to JSON and read as such.
//!
//! Only block style is translated: mappings, sequences, and values on the line of their key. Other values, such as blocks
//! of text and flow collections, cannot be names or digests. If they contain a digest, the document is rejected.

use super::json;
use crate::digest::{contains_like, could_be_digest, could_hold_digest};
use crate::formats::electron::scalar;
use crate::formats::prelude::*;
use crate::json::string_into;
use crate::records::{refused, stopped};

pub(crate) static YAML: Format = Format {
    name: "yaml",
    summary: "YAML lists of mappings: names, sizes and digests under the same keys as in JSON",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff,
    syntax: Syntax::Yaml,
    reading: Reading::document(LIMIT, parse),
    ..Format::DEFAULT
};

const LIMIT: usize = 64 << 20;

/// The maximum nesting depth of collections.
const MAX_DEPTH: usize = 64;

/// The error for syntax that is not translated.
const SYNTAX: &str = "YAML syntax that is not supported";

/// Claims a document with an item of a list that has both the key of a name and, possibly in a nested mapping, that of a
/// digest.
fn sniff(head: &Head<'_>) -> Option<Claim> {
    let (mut column, mut named, mut digested) = (0, false, false);
    Claim::mark(head.lines(b'\n').any(|line| {
        let line = scan::trim_end(line);
        let mut content = scan::trim_start(line);
        let mut indent = line.len() - content.len();
        if content == b"-" {
            (column, named, digested) = (indent + 1, false, false);
            return false;
        }
        while let Some(item) = content.strip_prefix(b"- ") {
            content = scan::trim_start(item);
            indent = line.len() - content.len();
            (column, named, digested) = (indent, false, false);
        }
        if let Some((key, value)) = key(content).filter(|_| indent >= column && column > 0) {
            let (is_name, is_digest) = std::str::from_utf8(&key).map(json::of_entry).unwrap_or_default();
            named |= is_name && !value.is_empty();
            digested |= is_digest && could_hold_digest(value);
        } else if indent < column {
            column = 0;
        }
        named && digested
    }))
}

/// Splits a line into a key, which may be quoted, and its value, which may be empty.
fn key(content: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let end = match content {
        [mark @ (b'"' | b'\''), rest @ ..] => scan::find(rest, |byte| byte == *mark)? + 2,
        _ => (0..content.len())
            .find(|&at| content[at] == b':' && content.get(at + 1).copied().is_none_or(scan::is_blank))?,
    };
    let value = scan::trim_start(&content[end..]).strip_prefix(b":")?;
    let is_key = end > 0 && value.first().copied().is_none_or(scan::is_blank);
    Some((scalar(scan::trim(&content[..end]))?, scan::trim(value))).filter(|_| is_key)
}

/// An open collection.
struct Open {
    column: usize,
    is_sequence: bool,
    is_empty: bool,
}

/// The translation of a document.
#[derive(Default)]
struct Translation {
    json: Vec<u8>,
    /// The offsets of objects in the translation, and of the lines where they begin.
    places: Vec<(usize, usize)>,
    open: Vec<Open>,
    /// Whether a value is missing: that of the document, an item or a key.
    pending: bool,
}

impl Translation {
    fn null(&mut self) {
        if std::mem::take(&mut self.pending) {
            self.json.extend_from_slice(b"null");
        }
    }

    /// Ends the collections with columns for which `is_outer` returns true.
    fn close(&mut self, is_outer: impl Fn(&Open) -> bool) {
        while let Some(last) = self.open.pop_if(|last| is_outer(last)) {
            self.null();
            self.json.push(if last.is_sequence { b']' } else { b'}' });
        }
    }

    /// Begins the next item or key in this column, in a new collection if a value is missing.
    fn next(&mut self, column: usize, is_sequence: bool, at: usize) -> Result<(), LineError> {
        // The items of a sequence may be in the column of its key.
        self.close(|last| last.column > column || last.column == column && last.is_sequence && !is_sequence);
        let is_same = |last: &&mut Open| last.column == column && last.is_sequence == is_sequence;
        if let Some(last) = self.open.last_mut().filter(is_same) {
            let is_first = std::mem::take(&mut last.is_empty);
            self.null();
            if !is_first {
                self.json.push(b',');
            }
        } else if std::mem::take(&mut self.pending) && self.open.len() < MAX_DEPTH {
            if !is_sequence {
                self.places.push((self.json.len(), at));
            }
            self.json.push(if is_sequence { b'[' } else { b'{' });
            self.open.push(Open { column, is_sequence, is_empty: false });
        } else {
            return Err(refused(at, SYNTAX));
        }
        Ok(())
    }

    fn value(&mut self, value: &[u8], at: usize) -> Result<(), LineError> {
        if !std::mem::take(&mut self.pending) {
            return Err(refused(at, SYNTAX));
        }
        match scalar(value) {
            Some(text) if text == b"null" || text == b"~" => self.json.extend_from_slice(b"null"),
            Some(text) => {
                let text = String::from_utf8(text).map_err(|_| refused(at, "not UTF-8"))?;
                string_into(&text, &mut self.json);
            }
            None if value.starts_with(b"*")
                || contains_like(value)
                || has_short_digest(value)
                || has_key_of_digest(value) =>
            {
                return Err(refused(at, SYNTAX));
            }
            None => self.json.extend_from_slice(b"null"),
        }
        Ok(())
    }
}

/// Returns whether a flow collection contains a word that could be a digest of any length. It may be a complete entry.
fn has_short_digest(value: &[u8]) -> bool {
    value.split(|byte| !byte.is_ascii_alphanumeric()).any(could_be_digest)
}

/// Returns whether a flow collection has a mapping with the key of a digest, whatever its value is. It may be an entry.
pub(super) fn has_key_of_digest(value: &[u8]) -> bool {
    let is_digest = |part: &[u8]| {
        let word = scan::trim(scan::cut(part, b':').map_or(part, |(word, _)| word));
        let word = scalar(word).unwrap_or_default();
        std::str::from_utf8(&word).is_ok_and(|word| json::of_entry(word).1)
    };
    let mapping = scan::find(value, |byte| byte == b'{');
    matches!(value.first(), Some(b'{' | b'['))
        && mapping.is_some_and(|at| value[at..].split(|byte| b"{}[],".contains(byte)).any(is_digest))
}

fn translated(text: &[u8], options: &Options) -> Result<Translation, LineError> {
    scan::count(text.len());
    let mut found = Translation { pending: true, ..Translation::default() };
    // The column of the key or dash above a block of text.
    let mut block = None;
    for (begin, line) in scan::lines(text) {
        if options.stopped() {
            return Err(stopped(begin));
        }
        let line = scan::trim_end(line);
        let mut content = scan::trim_start(line);
        if content.is_empty() || content[0] == b'#' {
            continue;
        }
        let mut column = line.len() - content.len();
        if block.is_some_and(|above| column > above) {
            match contains_like(content) {
                true => return Err(refused(begin, "a digest in a block of text")),
                false => continue,
            }
        }
        block = None;
        if line == b"---" || line == b"..." {
            found.close(|_| true);
            if !found.pending {
                found.json.push(b'\n');
            }
            found.pending = true;
            continue;
        }
        if line.starts_with(b"%") {
            continue;
        }
        if line[..column].contains(&b'\t') {
            return Err(refused(begin, SYNTAX));
        }
        while content.starts_with(b"- ") || content == b"-" {
            found.next(column, true, begin)?;
            found.pending = true;
            content = scan::trim_start(&content[1..]);
            column = line.len() - content.len();
        }
        let mut value = content;
        if let Some((key, rest)) = key(content) {
            found.next(column, false, begin)?;
            let key = String::from_utf8(key).map_err(|_| refused(begin, "not UTF-8"))?;
            string_into(&key, &mut found.json);
            found.json.push(b':');
            (found.pending, value) = (true, rest);
        }
        if matches!(value, [b'|' | b'>', ..]) {
            block = Some(found.open.last().map_or(0, |last| last.column));
            value = b"~";
        }
        if !value.is_empty() && value[0] != b'#' {
            found.value(value, begin)?;
        }
    }
    found.close(|_| true);
    // The mark at the end of a document may be the last line.
    if found.json.is_empty() {
        found.null();
    }
    Ok(found)
}

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    let Translation { json, places, .. } = translated(&text, options)?;
    let place = move |at| match at {
        Place::Byte(at) => {
            let next = places.partition_point(|(json, _)| *json as u64 <= at);
            Place::Byte(next.checked_sub(1).map_or(0, |last| places[last].1) as u64)
        }
        line => line,
    };
    let found = json::parse(json, options).map_err(|error| LineError { at: place(error.at), ..error })?;
    Ok(Box::new(found.map(move |found| match found {
        Ok(line) => Ok(Line { at: place(line.at), ..line }),
        Err(error) => Err(LineError { at: place(error.at), ..error }),
    })))
}
