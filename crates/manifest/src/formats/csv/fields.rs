//! Fields of comma-separated values: unquoted, or quoted with inner quotes doubled. Quoted fields
//! may contain line breaks (RFC 4180).

use crate::formats::prelude::*;
use crate::records::{refused, stopped};
use std::borrow::Cow;

/// An iterator over the fields of a text.
pub(in crate::formats) struct Fields<'t> {
    text: &'t [u8],
    separator: u8,
    /// Offset of the next field.
    pub(in crate::formats) at: usize,
    /// True if the previous field ended with a separator, so another field follows.
    open: bool,
}

pub(in crate::formats) struct Field<'t> {
    pub(in crate::formats) text: Cow<'t, [u8]>,
    pub(in crate::formats) ends_row: bool,
    /// True if there is text between the closing quote and the end of the field.
    pub(in crate::formats) torn: bool,
}

impl<'t> Fields<'t> {
    pub(in crate::formats) fn new(text: &'t [u8], separator: u8) -> Fields<'t> {
        Fields { text, separator, at: 0, open: false }
    }

    /// Returns the next field, or `None` at the end of the text.
    ///
    /// # Errors
    /// A quoted field is not closed.
    pub(in crate::formats) fn next(&mut self) -> Result<Option<Field<'t>>, &'static str> {
        if self.at >= self.text.len() && !self.open {
            return Ok(None);
        }
        let (text, mut behind) = match self.text.get(self.at) {
            Some(b'"') => self.inside()?,
            _ => (None, self.at),
        };
        let rest = &self.text[behind..];
        let separator = self.separator;
        let end = scan::find(rest, |byte| byte == separator || byte == b'\n').unwrap_or(rest.len());
        let ends_row = rest.get(end) != Some(&separator);
        let mut bare = &rest[..end];
        if ends_row {
            bare = bare.strip_suffix(b"\r").unwrap_or(bare);
        }
        behind += end + 1;
        self.at = behind.min(self.text.len());
        self.open = !ends_row;
        let torn = text.is_some() && !scan::all(bare, scan::is_blank);
        Ok(Some(Field { text: text.map_or(Cow::Borrowed(bare), Cow::Owned), ends_row, torn }))
    }

    /// Returns the remaining fields of a row, or more than `most` of them.
    ///
    /// # Errors
    /// A field is not closed, or there is text after its closing quote.
    pub(in crate::formats) fn row(mut self, most: usize) -> Result<Vec<Vec<u8>>, &'static str> {
        let mut row = Vec::new();
        while row.len() <= most
            && let Some(field) = self.next()?
        {
            if field.torn {
                return Err(TORN);
            }
            row.push(field.text.into_owned());
        }
        Ok(row)
    }

    /// Returns the contents of a quoted field and the offset after its closing quote.
    fn inside(&self) -> Result<(Option<Vec<u8>>, usize), &'static str> {
        let mut text = Vec::new();
        let mut at = self.at + 1;
        loop {
            let rest = &self.text[at..];
            let end =
                scan::find(rest, |byte| byte == b'"').ok_or("a quoted field without a closing quote")?;
            text.extend_from_slice(&rest[..end]);
            at += end + 1;
            if self.text.get(at) != Some(&b'"') {
                return Ok((Some(text), at));
            }
            text.push(b'"');
            at += 1;
        }
    }
}

/// The error for a row with text after a closing quote.
pub(in crate::formats) const TORN: &str = "text after the closing quote of a field";

/// A row of fields, its offset, and whether any of its fields is torn.
pub(in crate::formats) struct Row {
    pub(in crate::formats) fields: Vec<Vec<u8>>,
    pub(in crate::formats) at: usize,
    pub(in crate::formats) torn: bool,
}

/// Calls `each` with every row that is not blank.
///
/// # Errors
/// A row has more than `most` fields, a quoted field is not closed, or reading was canceled.
pub(in crate::formats) fn each_row(
    mut fields: Fields<'_>,
    most: usize,
    options: &Options,
    mut each: impl FnMut(&Row),
) -> Result<(), LineError> {
    let mut row = Row { fields: Vec::new(), at: fields.at, torn: false };
    while let Some(field) = fields.next().map_err(|what| refused(row.at, what))? {
        let Field { text, ends_row, torn } = field;
        row.torn |= torn;
        row.fields.push(text.into_owned());
        if row.fields.len() > most {
            return Err(refused(row.at, "too many columns"));
        }
        if !ends_row {
            continue;
        }
        if options.stopped() {
            return Err(stopped(row.at));
        }
        if row.fields.len() > 1 || !row.fields[0].is_empty() {
            each(&row);
        }
        row.fields.clear();
        (row.at, row.torn) = (fields.at, false);
    }
    Ok(())
}

/// Appends a field, always in quotes, so no character in it needs special treatment.
pub(in crate::formats) fn quoted(field: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in field {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}
