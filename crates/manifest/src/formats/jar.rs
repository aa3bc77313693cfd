//! `META-INF/MANIFEST.MF` of Java archives: sections with a `Name:` and digests in base64. Lines
//! longer than 72 bytes are continued on the next line.

use crate::digest::{in_any_base, is_nearly};
use crate::formats::prelude::*;
use crate::path::NAME_LIMIT;

pub(crate) static JAR: Format = Format {
    name: "jar-manifest",
    summary: "MANIFEST.MF of a Java archive: sections with Name and ALGORITHM-Digest",
    sniff: |head| head.begun(|line| line.starts_with(b"Manifest-Version:") || line.starts_with(SIGNED)),
    syntax: Syntax::TagValue,
    reading: Reading::lines(|options| Box::new(Sections { options: options.clone(), ..Sections::default() })),
    ..Format::DEFAULT
};

/// The first key of a `.SF` file, whose digests cover the sections of the manifest.
const SIGNED: &[u8] = b"Signature-Version:";

#[derive(Default)]
struct Sections {
    options: Options,
    /// The current field, which the next line may continue.
    field: Vec<u8>,
    /// The entry of the current section; `None` in the main section.
    entry: Option<Entry>,
    bad: Option<Reason>,
    signed: bool,
    /// True after the main section, which has no name.
    main_ended: bool,
}

/// Returns true if the value is base64 of the length of a digest.
fn is_digest(value: &[u8]) -> bool {
    value.len() <= 128
        && radix::base64(value).is_some_and(|bytes| matches!(bytes.len(), 16 | 20 | 28 | 32 | 48 | 64))
}

impl Sections {
    /// Parses the completed field.
    fn field(&mut self) -> Result<(), Reason> {
        let field = std::mem::take(&mut self.field);
        let Some((key, value)) = scan::cut(&field, b':').filter(|(key, _)| !key.is_empty()) else {
            return if field.is_empty() { Ok(()) } else { Err(Reason::NotALine) };
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        if key == b"Signature-Version" {
            self.signed = true;
            return Err(Reason::Part("digests in a .SF file cover sections of the manifest, not files"));
        }
        if key == b"Name" {
            if self.entry.is_some() {
                return Err(Reason::Part("a section with two names"));
            }
            self.entry = Some(Entry { path: value.to_vec(), ..Entry::default() });
        }
        let Some(name) = key.strip_suffix(b"-Digest").filter(|name| name.len() <= 32) else {
            let below = self.entry.is_some() || self.main_ended;
            let named = key == b"Name";
            let last = &value[scan::rfind(value, scan::is_blank).map_or(0, |at| at + 1)..];
            return if !named && is_nearly(key, b"Name") {
                Err(Reason::Part("an unknown key that resembles 'Name'"))
            } else if !named && below && is_digest(last) {
                Err(Reason::Part("a digest under an unknown key"))
            } else {
                Ok(())
            };
        };
        if self.entry.is_none() && !self.signed && self.main_ended {
            return Err(Reason::EmptyName);
        }
        if let (Some(entry), false) = (&mut self.entry, self.signed) {
            let name = std::str::from_utf8(name).map_err(|_| Reason::NotALine)?;
            let name = if name == "SHA" { "SHA1" } else { name };
            entry.digests.push(in_any_base(name, value, &self.options)?);
        }
        Ok(())
    }

    /// Ends the current section and returns its entry. A section without a digest yields none.
    fn section(&mut self) -> Result<Option<Entry>, Reason> {
        let last = self.field();
        let entry = self.entry.take();
        self.main_ended = true;
        match self.bad.take().or(last.err()) {
            Some(reason) => Err(reason),
            None => Ok(entry.filter(|entry| !entry.digests.is_empty())),
        }
    }
}

impl Parse for Sections {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if line.is_empty() {
            return self.section();
        }
        if let Some(more) = line.strip_prefix(b" ") {
            if self.field.len() + more.len() > 2 * NAME_LIMIT {
                self.bad = Some(Reason::NameTooLong);
            } else {
                self.field.extend_from_slice(more);
            }
            return Ok(None);
        }
        if let Err(reason) = self.field() {
            self.bad.get_or_insert(reason);
        }
        self.field = line.to_vec();
        Ok(None)
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        self.section()
    }
}
