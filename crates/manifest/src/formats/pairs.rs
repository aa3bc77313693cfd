//! Lists of a name and a digest, or a digest and a name, separated by a comma or a semicolon, without a header: output of
//! `rclone lsf`, and exports of spreadsheets.
//!
//! A comma and a semicolon may be part of a name, so a list is recognized only if all lines have the same form, and
//! [`md5deep`](super::md5deep) reads digests that a comma separates from the name.

use crate::digest::{is_long_hex, untagged};
use crate::formats::prelude::*;

pub(crate) static PAIRS: Format = Format {
    name: "pairs",
    summary: "name and digest, or digest and name, separated by a comma or a semicolon, without a header (rclone lsf)",
    sniff: |head| {
        let mut form = None;
        head.whole(|line| {
            let (found, ..) = split(line)?;
            (*form.get_or_insert(found) == found).then_some(true)
        })
    },
    reading: Reading::lines(|options| Box::new(List { options: options.clone(), form: None })),
    ..Format::DEFAULT
};

/// The order and the separator of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    NameFirst(u8),
    DigestFirst,
}

/// Splits a line into its form, the digest and the name.
fn split(line: &[u8]) -> Option<(Form, &[u8], &[u8])> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // The line ends of a Macintosh.
    if line.contains(&b'\r') {
        return None;
    }
    if let Some((digest, name)) = scan::cut(line, b';')
        && is_long_hex(digest)
    {
        return (!name.is_empty()).then_some((Form::DigestFirst, digest, name));
    }
    let at = scan::rfind(line, |byte| matches!(byte, b',' | b';'))?;
    let (name, digest) = (&line[..at], &line[at + 1..]);
    (!name.is_empty() && is_long_hex(digest)).then_some((Form::NameFirst(line[at]), digest, name))
}

/// Returns a field of CSV without its quotes. Only a name before a comma has any.
fn unquoted(form: Form, name: &[u8]) -> Result<Vec<u8>, Reason> {
    if form != Form::NameFirst(b',') {
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
        let (form, digest, name) = split(line).ok_or(Reason::NotALine)?;
        if *self.form.get_or_insert(form) != form {
            return Err(Reason::NotALine);
        }
        let (spec, digest) = untagged(digest, &self.options)?;
        Ok(Some(Entry::new(&unquoted(form, name)?, spec, digest)))
    }
}
