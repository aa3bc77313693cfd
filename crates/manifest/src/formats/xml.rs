//! Checksum lists in XML. A [`Dialect`] specifies the elements of a format; the parser is the
//! same for all.
//!
//! Only the five predefined entities and character references are expanded. A document type
//! declaration is rejected, because it could refer to other files or expand a kilobyte to a
//! gigabyte. Namespaces are ignored: the root element identifies the dialect.

mod pieces;

use crate::digest::{is_like, is_nearly};
use crate::entry::PieceList;
use crate::format::{Claim, Head, Options, Parts, Sign, Unholdable};
use crate::line::{LineError, Place};
use crate::records::{Records, refused, stopped};
use crate::scan;
use pieces::Gathered;
pub(super) use pieces::Pieces;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, escape};
use std::borrow::Cow;
use std::collections::HashMap;

/// Maximum size of a document in bytes.
pub(super) const LIMIT: usize = 64 << 20;

/// Maximum nesting depth of elements.
pub(super) const MAX_DEPTH: usize = 64;

/// The elements of a format.
pub(super) struct Dialect {
    /// The element of a file.
    pub(super) entry: &'static str,
    pub(super) name: Source,
    pub(super) size: Source,
    /// The element between the file and its digests, if any.
    pub(super) within: Option<&'static str>,
    pub(super) digests: Digests,
    pub(super) pieces: Pieces,
    /// Skip the entry of the manifest itself, because the manifest cannot contain its own digest.
    pub(super) skip_itself: bool,
}

/// The location of a value.
pub(super) enum Source {
    /// An attribute of the file's element.
    Attribute(&'static str),
    /// A child element of the file's element.
    Child(&'static str),
    /// An attribute of a child element.
    ChildAttribute(&'static str, &'static str),
}

/// The elements that are digests.
pub(super) enum Digests {
    /// Elements of this name, with the algorithm in this attribute.
    Typed(&'static str, &'static str),
    /// Elements of these names, with algorithm and encoding.
    Named(&'static [(&'static str, &'static str, DigestEncoding)]),
}

/// The encoding of a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DigestEncoding {
    /// Hexadecimal, base64, or a C4 identifier.
    Plainly,
    /// A 32-bit decimal number.
    Decimal,
    /// Hexadecimal, in reverse byte order.
    Reversed,
}

/// The meaning of an element's text.
enum Take {
    Name,
    Size,
    Digest(Vec<u8>, DigestEncoding),
    /// A digest of a piece, with this algorithm.
    Piece(String),
    /// A flag that shows whether the file exists in the searched disk image. It does not if the
    /// text is this one.
    Allocated(&'static str),
    /// An unknown element, which may be a digest of an algorithm that truesum does not implement.
    Unknown(String),
}

/// Returns the root element of a document that begins like XML: its local name, and its complete
/// start tag.
pub(super) fn root<'a>(head: &Head<'a>) -> Option<(&'a [u8], &'a [u8])> {
    let mut rest = &head.text[scan::find(head.text, |byte| !byte.is_ascii_whitespace())?..];
    if rest.first() != Some(&b'<') {
        return None;
    }
    while matches!(rest.get(1), Some(b'?' | b'!')) {
        rest = &rest[1..];
        rest = &rest[scan::find(rest, |byte| byte == b'<')?..];
    }
    let tag = &rest[1..scan::find(rest, |byte| byte == b'>').unwrap_or(rest.len())];
    let name =
        &tag[..scan::find(tag, |byte| byte.is_ascii_whitespace() || byte == b'/').unwrap_or(tag.len())];
    let local = scan::rfind(name, |byte| byte == b':').map_or(0, |colon| colon + 1);
    Some((&name[local..], tag))
}

/// Claims a document with the given root element, if `holds` accepts its start tag.
pub(super) fn sniff(head: &Head<'_>, name: &str, holds: impl Fn(&[u8]) -> bool) -> Option<Claim> {
    let (root, tag) = root(head)?;
    (root == name.as_bytes() && holds(tag)).then_some(Claim { sign: Sign::Mark, at: 0 })
}

/// Returns true if the text contains `words`.
pub(super) fn holds(text: &[u8], words: &str) -> bool {
    scan::count(text.len());
    text.windows(words.len()).any(|part| part == words.as_bytes())
}

/// Parses a document of the given dialect.
pub(super) fn parse(text: &[u8], dialect: &Dialect, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let text = std::str::from_utf8(text).map_err(|error| refused(error.valid_up_to(), "not UTF-8"))?;
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut walk = Elements {
        dialect,
        records: Records::new(options),
        depth: 0,
        entry: None,
        aside: None,
        child: Vec::new(),
        taken: None,
        text: String::new(),
        named: false,
        is_itself: false,
        options,
        at: 0,
        size: None,
        gathered: Gathered::default(),
        lists: HashMap::new(),
    };
    let mut ended = false;
    let own =
        options.file_name.as_deref().map(|name| name.rsplit(|&byte| byte == b'/').next().unwrap_or_default());
    loop {
        let at = reader.buffer_position() as usize;
        if options.stopped() {
            return Err(stopped(at));
        }
        let event = reader.read_event().map_err(|_| refused(at, "not well-formed XML"))?;
        match event {
            Event::Start(_) if ended => return Err(refused(at, "extra data after the document")),
            Event::Start(tag) => walk.start(&tag, at, own)?,
            Event::End(_) => {
                walk.end();
                ended = walk.depth == 0;
            }
            Event::Text(text) if walk.depth == 0 => {
                if !scan::all(&text, |byte| byte.is_ascii_whitespace()) {
                    return Err(refused(at, "text outside the document"));
                }
            }
            Event::Text(text) => walk.text(&text, at)?,
            Event::CData(text) => walk.text(&text, at)?,
            Event::GeneralRef(name) => {
                walk.text(entity(&name, at)?.as_bytes(), at)?;
            }
            Event::DocType(_) => {
                return Err(refused(
                    at,
                    "a DOCTYPE declaration, which is not allowed because it can define entities",
                ));
            }
            Event::Eof if !ended => return Err(refused(at, "the document is truncated")),
            Event::Eof => break,
            // The reader reports empty elements as a start and an end.
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
    }
    let (found, mut lists) = (walk.records.read(options), walk.lists);
    if lists.is_empty() {
        return Ok(found);
    }
    Ok(Box::new(found.map(move |found| {
        let mut line = found?;
        if let Place::Byte(at) = line.at {
            line.entry.pieces = lists.remove(&at).unwrap_or_default();
        }
        Ok(line)
    })))
}

struct Elements<'d> {
    dialect: &'d Dialect,
    records: Records,
    depth: usize,
    /// Depth of the element of the current file.
    entry: Option<usize>,
    /// Depth of the outermost open element whose digests do not belong to a listed file.
    aside: Option<usize>,
    /// The open child of the file's element.
    child: Vec<u8>,
    /// The meaning of the text of the element at this depth.
    taken: Option<(usize, Take)>,
    text: String,
    named: bool,
    /// True if the entry is the manifest itself or a deleted file, neither of which is checked.
    is_itself: bool,
    options: &'d Options,
    /// Offset, size and pieces of the current entry.
    at: u64,
    size: Option<u64>,
    gathered: Gathered,
    /// Piece lists of completed entries, by the entry's offset.
    lists: HashMap<u64, Vec<PieceList>>,
}

impl Elements<'_> {
    fn start(&mut self, tag: &BytesStart<'_>, at: usize, own: Option<&[u8]>) -> Result<(), LineError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(refused(at, "nested more than 64 levels deep"));
        }
        let name = tag.local_name();
        let name = name.as_ref();
        if self.aside.is_none() && ASIDE.contains(&name) {
            self.aside = Some(self.depth);
        }
        let Some(entry) = self.entry else {
            if name == self.dialect.entry.as_bytes() {
                self.entry = Some(self.depth);
                (self.named, self.is_itself) = (false, false);
                (self.at, self.size, self.gathered) = (at as u64, None, Gathered::default());
                self.records.begin(at);
                if let Source::Attribute(key) = self.dialect.name
                    && let Some(value) = attribute(tag, key, at)?
                {
                    self.is_itself = self.dialect.skip_itself && own == Some(value.as_bytes());
                    self.name(&value);
                }
                if let Source::Attribute(key) = self.dialect.size
                    && let Some(value) = attribute(tag, key, at)?
                {
                    self.records.size(value.trim().as_bytes());
                }
                self.other_attributes(tag);
            } else if is_nearly(name, self.dialect.entry.as_bytes()) && !PLURALS.contains(&name) {
                return Err(refused(at, "an unknown element that resembles a file element"));
            } else if self.is_stray(name) {
                self.records.begin(at);
                self.records.fault(STRAY);
            }
            return Ok(());
        };
        let below = self.depth - entry;
        if name == self.dialect.entry.as_bytes() {
            self.records.fault("a file element inside another one");
        }
        if below == 1 {
            self.child = name.to_vec();
            if let Source::ChildAttribute(child, key) = self.dialect.size
                && name == child.as_bytes()
                && let Some(value) = attribute(tag, key, at)?
            {
                self.records.size(value.trim().as_bytes());
            }
        }
        let take = match below {
            1 if self.dialect.name.is(name) => Some(Take::Name),
            1 if self.dialect.size.is(name) => Some(Take::Size),
            1 if self.dialect.pieces == Pieces::Runs && name == b"alloc" => Some(Take::Allocated("0")),
            1 if self.dialect.pieces == Pieces::Runs && name == b"unalloc" => Some(Take::Allocated("1")),
            1 if self.dialect.within.is_none() => self.digest(tag, name, at)?,
            2 if self.dialect.within.is_some_and(|within| self.child == within.as_bytes()) => {
                self.digest(tag, name, at)?
            }
            _ => None,
        };
        let take = match take {
            None if self.options.locating && self.dialect.pieces != Pieces::No => {
                let mut damaged = None;
                let mut value = |key: &str| {
                    attribute(tag, key, at).unwrap_or_else(|error| {
                        damaged = Some(error);
                        None
                    })
                };
                let kind = self.dialect.pieces;
                let found = self.gathered.start(kind, name, self.depth, &mut value).map(Take::Piece);
                damaged.map_or(Ok(found), Err)?
            }
            take => take,
        };
        if take.is_none() && below == 1 && self.dialect.nearly_digest(name) {
            self.records.fault("an unknown element that resembles a digest element");
        } else if take.is_none() && self.is_stray(name) {
            self.records.fault(STRAY);
        }
        let named = match self.dialect.digests {
            Digests::Named(rows) => !rows.iter().any(|(known, ..)| known.as_bytes() == name),
            Digests::Typed(..) => false,
        };
        let unknown = || Take::Unknown(String::from_utf8_lossy(name).into_owned());
        let at_depth = if self.dialect.within.is_some() { 2 } else { 1 };
        let take = take.or_else(|| (named && below == at_depth && self.taken.is_none()).then(unknown));
        match take {
            Some(Take::Name | Take::Size) => self.other_attributes(tag),
            None if below == 1
                && self.aside.is_none()
                && self.dialect.within.is_none_or(|within| name != within.as_bytes()) =>
            {
                self.records.attribute(name);
            }
            _ => {}
        }
        if let Some(take) = take {
            self.taken = Some((self.depth, take));
            self.text.clear();
        }
        Ok(())
    }

    /// Records the attributes of the element of a file, its name or its size that are not read.
    fn other_attributes(&mut self, tag: &BytesStart<'_>) {
        if !self.options.attributes {
            return;
        }
        for attribute in tag.attributes().with_checks(false).flatten() {
            let name = attribute.key.local_name();
            let is_read = |source: &Source| matches!(source, Source::Attribute(key) | Source::ChildAttribute(_, key) if key.as_bytes() == name.as_ref());
            if !is_read(&self.dialect.name) && !is_read(&self.dialect.size) {
                self.records.attribute(name.as_ref());
            }
        }
    }

    /// Returns the meaning of an element if it is a digest.
    fn digest(&self, tag: &BytesStart<'_>, name: &[u8], at: usize) -> Result<Option<Take>, LineError> {
        Ok(match self.dialect.digests {
            Digests::Typed(element, key) if name == element.as_bytes() => {
                let algorithm = attribute(tag, key, at)?.unwrap_or_default();
                Some(Take::Digest(algorithm.trim().as_bytes().to_vec(), DigestEncoding::Plainly))
            }
            Digests::Typed(..) => None,
            Digests::Named(rows) => match rows.iter().find(|(element, ..)| element.as_bytes() == name) {
                // A digest that did not match when the list was written must not be expected.
                Some(_) if attribute(tag, "action", at)?.as_deref() == Some("failed") => None,
                Some((_, algorithm, spelled)) => Some(Take::Digest(algorithm.as_bytes().to_vec(), *spelled)),
                None => None,
            },
        })
    }

    /// Returns true if an element without a meaning is a digest outside the elements where other
    /// digests are allowed.
    fn is_stray(&self, name: &[u8]) -> bool {
        let of_child = self.entry.is_some_and(|entry| self.depth == entry + 1);
        self.aside.is_none()
            && match self.dialect.digests {
                Digests::Typed(element, _) => name == element.as_bytes(),
                // Digests of a file with the action `failed` are skipped deliberately.
                Digests::Named(rows) => {
                    !of_child && rows.iter().any(|(element, ..)| element.as_bytes() == name)
                }
            }
    }

    fn name(&mut self, name: &str) {
        if self.named {
            self.records.fault("two names for one file");
        }
        self.named = true;
        self.records.name(name.as_bytes());
    }

    fn text(&mut self, text: &[u8], at: usize) -> Result<(), LineError> {
        if self.taken.as_ref().is_some_and(|(depth, _)| *depth == self.depth) {
            self.text.push_str(std::str::from_utf8(text).map_err(|_| refused(at, "not UTF-8"))?);
        }
        Ok(())
    }

    fn end(&mut self) {
        match self.taken.take() {
            Some((depth, take)) if depth == self.depth => self.take(take),
            other => self.taken = other,
        }
        self.gathered.end(self.depth);
        if self.aside == Some(self.depth) {
            self.aside = None;
        }
        if self.entry == Some(self.depth) {
            self.entry = None;
            if self.is_itself {
                self.records.cancel();
            } else {
                match std::mem::take(&mut self.gathered).lists(self.size, &mut self.records) {
                    Ok(lists) if lists.is_empty() => {}
                    Ok(lists) => drop(self.lists.insert(self.at, lists)),
                    Err(what) => self.records.fault(what),
                }
            }
        }
        self.depth -= 1;
    }

    fn take(&mut self, take: Take) {
        let text = std::mem::take(&mut self.text);
        let trimmed = text.trim();
        match take {
            // White space that begins with a line break is layout; any other is part of the name.
            Take::Name => self.name(if text.starts_with(['\n', '\r']) { trimmed } else { &text }),
            Take::Size => {
                self.size = scan::decimal(trimmed.as_bytes());
                self.records.size(trimmed.as_bytes());
            }
            Take::Allocated(gone) => self.is_itself |= trimmed == gone,
            Take::Unknown(name) if is_like(trimmed.as_bytes()) => self.records.unread(name.as_bytes()),
            Take::Unknown(name) => self.records.attribute(name.as_bytes()),
            Take::Piece(tag) => self.gathered.digest(&tag, trimmed, self.options),
            Take::Digest(tag, DigestEncoding::Plainly) => self.records.digest(&tag, trimmed.as_bytes()),
            Take::Digest(tag, DigestEncoding::Decimal) => match trimmed.parse::<u32>() {
                Ok(number) => self.records.digest(&tag, format!("{number:08x}").as_bytes()),
                Err(_) => self.records.fault("the digest is not a 32-bit decimal number"),
            },
            Take::Digest(tag, DigestEncoding::Reversed) => {
                let reversed: Vec<u8> = trimmed.as_bytes().rchunks(2).flatten().copied().collect();
                self.records.digest(&tag, &reversed);
            }
        }
    }
}

/// Returns the text of a character reference or of an entity that XML predefines.
///
/// # Errors
/// Refuses any other entity, because a document could define it.
pub(super) fn entity(name: &BytesRef<'_>, at: usize) -> Result<String, LineError> {
    let known = match name.resolve_char_ref() {
        Ok(Some(c)) => Some(c.to_string()),
        Ok(None) => {
            let name = std::str::from_utf8(name).unwrap_or_default();
            escape::resolve_xml_entity(name).map(str::to_owned)
        }
        Err(_) => None,
    };
    known.ok_or(refused(at, "an entity that is not predefined in XML"))
}

/// Elements whose digests cover pieces, directories, disk images or other lists.
const ASIDE: &[&[u8]] = &[
    b"pieces",
    b"byte_runs",
    b"byte_run",
    b"original_fileobject",
    b"source",
    b"roothash",
    b"directoryhash",
    b"hashlistreference",
];

const STRAY: &str = "a digest in an element that does not describe a file";

/// Elements around files, whose names differ from the file element in one letter.
const PLURALS: &[&[u8]] = &[b"files", b"hashes", b"FILES"];

impl Dialect {
    /// Returns true if a child of a file is not a digest, but its name resembles one.
    fn nearly_digest(&self, name: &[u8]) -> bool {
        let damaged = |known: &str| name != known.as_bytes() && is_nearly(name, known.as_bytes());
        match self.digests {
            _ if self.within.is_some() => self.within.is_some_and(damaged),
            Digests::Typed(element, _) => damaged(element),
            Digests::Named(rows) => {
                !rows.iter().any(|(known, ..)| known.as_bytes() == name)
                    && rows.iter().any(|(known, ..)| damaged(known))
            }
        }
    }
}

impl Source {
    fn is(&self, element: &[u8]) -> bool {
        matches!(self, Source::Child(name) | Source::ChildAttribute(name, "") if name.as_bytes() == element)
    }
}

/// Returns the value of an attribute, or `None` if the tag does not have it.
///
/// # Errors
/// The attribute is malformed, occurs twice, or contains an unknown entity.
fn attribute(tag: &BytesStart<'_>, key: &str, at: usize) -> Result<Option<String>, LineError> {
    let mut found = None;
    let mut attributes = tag.attributes();
    // The built-in check for duplicates takes quadratic time.
    for attribute in attributes.with_checks(false) {
        let attribute = attribute.map_err(|_| refused(at, "a malformed attribute"))?;
        if attribute.key.local_name().as_ref() == key.as_bytes()
            && found.replace(attribute_value(&attribute, at)?).is_some()
        {
            return Err(refused(at, "a duplicate attribute"));
        }
    }
    Ok(found)
}

/// Returns the value of an attribute.
///
/// # Errors
/// The value contains an unknown entity.
pub(super) fn attribute_value(attribute: &Attribute<'_>, at: usize) -> Result<String, LineError> {
    let raw = std::str::from_utf8(&attribute.value).map_err(|_| refused(at, "not UTF-8"))?;
    let value = escape::unescape(raw);
    value.map(Cow::into_owned).map_err(|_| refused(at, "an entity that is not predefined in XML"))
}

/// Appends text, escaped for use in attributes and elements.
///
/// # Errors
/// XML cannot represent the text.
pub(super) fn escaped(name: &[u8], out: &mut Vec<u8>) -> Result<(), Unholdable> {
    let text = std::str::from_utf8(name).map_err(|error| Unholdable::Byte(name[error.valid_up_to()]))?;
    for c in text.chars() {
        match c {
            '&' => out.extend_from_slice(b"&amp;"),
            '<' => out.extend_from_slice(b"&lt;"),
            '>' => out.extend_from_slice(b"&gt;"),
            '"' => out.extend_from_slice(b"&quot;"),
            '\'' => out.extend_from_slice(b"&#39;"),
            '\t' => out.extend_from_slice(b"&#9;"),
            c if (c as u32) < 0x20 => return Err(Unholdable::Byte(c as u8)),
            '\u{fffe}' | '\u{ffff}' => return Err(Unholdable::Byte(0xef)),
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Ok(())
}
