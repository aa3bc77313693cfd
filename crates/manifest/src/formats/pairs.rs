//! Lists of a name and a digest, or a digest and a name, separated by a comma or a semicolon, without a header: output of
//! `rclone lsf`, and exports of spreadsheets. A size may be between the two.
//!
//! A comma and a semicolon may be part of a name, so a list is recognized only if all lines have the same form, and
//! [`md5deep`](super::md5deep) reads digests that a comma separates from the name. A size is compared, so that a number that
//! is part of a name cannot verify another file.

use crate::digest::{is_long_hex, untagged};
use crate::formats::prelude::*;

pub(crate) static PAIRS: Format = Format {
    name: "pairs",
    summary: "name and digest, or digest and name, separated by a comma or a semicolon, without a header (rclone lsf)",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff: |head| {
        let mut form = None;
        head.whole(|line| {
            let found = split(line)?.form;
            (*form.get_or_insert(found) == found).then_some(true)
        })
    },
    reading: Reading::lines(|options| Box::new(List { options: options.clone(), form: None })),
    ..Format::DEFAULT
};

/// The order and the separator of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Form {
    separator: u8,
    is_name_first: bool,
    is_sized: bool,
}

/// A line without its separators.
struct Split<'l> {
    form: Form,
    digest: &'l [u8],
    size: Option<u64>,
    name: &'l [u8],
}

fn split(line: &[u8]) -> Option<Split<'_>> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // The line ends of a Macintosh.
    if line.contains(&b'\r') {
        return None;
    }
    let first = scan::cut(line, b';').filter(|(digest, _)| is_long_hex(digest));
    let (separator, digest, rest) = match first {
        Some((digest, rest)) => (b';', digest, rest),
        None => {
            let at = scan::rfind(line, |byte| matches!(byte, b',' | b';'))?;
            (line[at], &line[at + 1..], &line[..at])
        }
    };
    let is_name_first = first.is_none();
    let sized = match is_name_first {
        true => scan::rfind(rest, |byte| byte == separator).map(|at| (&rest[at + 1..], &rest[..at])),
        false => scan::cut(rest, separator),
    };
    let sized = sized.and_then(|(size, name)| Some((scan::decimal(size)?, name)));
    let (size, name) = sized.map_or((None, rest), |(size, name)| (Some(size), name));
    let form = Form { separator, is_name_first, is_sized: size.is_some() };
    (!name.is_empty() && is_long_hex(digest)).then_some(Split { form, digest, size, name })
}

/// Returns a field of CSV without its quotes. Only a name before a comma has any.
fn unquoted(form: Form, name: &[u8]) -> Result<Vec<u8>, Reason> {
    if !form.is_name_first || form.separator != b',' {
        return Ok(name.to_vec());
    }
    let Some(rest) = name.strip_prefix(b"\"") else { return Ok(name.to_vec()) };
    let inner = rest.strip_suffix(b"\"").ok_or(Reason::NotALine)?;
    let mut plain = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter();
    while let Some(&byte) = bytes.next() {
        if byte == b'"' && bytes.next() != Some(&b'"') {
            return Err(Reason::Part("text after a closing quotation mark"));
        }
        plain.push(byte);
    }
    Ok(plain)
}

struct List {
    options: Options,
    /// The form of the first line, which all others have.
    form: Option<Form>,
}

impl Parse for List {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if scan::is_empty(line) {
            return Ok(None);
        }
        let Split { form, digest, size, name } = split(line).ok_or(Reason::NotALine)?;
        if *self.form.get_or_insert(form) != form {
            return Err(Reason::NotALine);
        }
        let (spec, digest) = untagged(digest, &self.options)?;
        Ok(Some(Entry { size, ..Entry::new(&unquoted(form, name)?, spec, digest) }))
    }
}
