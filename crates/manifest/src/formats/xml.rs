//! Checksum lists in XML. A [`Shape`] has the element of a file, and the paths of its name, size and
//! digests in it; the reader is the same for all formats.
//!
//! Only the five predefined entities and character references are expanded. A document type
//! declaration that could define others is rejected, because it could refer to other files or expand
//! a kilobyte to a gigabyte. Namespaces are ignored: the root element identifies the format.

mod linked;
mod pieces;

use crate::digest::{contains_like, is_like, is_nearly};
use crate::entry::{ObjectKind, PieceList};
use crate::formats::console::Drive;
use crate::formats::json::name::is_path_of;
use crate::formats::prelude::*;
use crate::records::{Records, refused, stopped};
pub(super) use pieces::Pieces;
use pieces::{PieceCollector, attribute_value};
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, escape};
use std::collections::{HashMap, HashSet};

/// Maximum size of a document in bytes.
pub(super) const LIMIT: usize = 64 << 20;

/// Maximum nesting depth of elements.
const MAX_DEPTH: usize = 64;

/// The places of values in a list. A path has the local names of elements below the file's element,
/// separated by slashes, and may end in `@` and an attribute.
pub(super) struct Shape {
    /// The element of a file.
    pub(super) entry: &'static str,
    /// An attribute whose value replaces the name of its element in paths.
    pub(super) key: &'static str,
    /// Paths, and values with which the element is not a file of the list.
    pub(super) except: &'static [(&'static str, &'static [&'static str])],
    /// The path of the kind of an object, and the values for those that are not regular files.
    pub(super) kinds: (&'static str, &'static [(&'static str, ObjectKind)]),
    /// Skip the entry of the manifest itself, because the manifest cannot contain its own digest.
    pub(super) skip_itself: bool,
    /// Paths of the name, in order of preference.
    pub(super) names: &'static [&'static str],
    pub(super) names_are: Names,
    pub(super) sizes: &'static [&'static str],
    /// Paths of digests, and their algorithms.
    pub(super) digests: &'static [(&'static str, Algorithm)],
    pub(super) pieces: Pieces,
    /// The path of the identifiers of sections that have the digests of a file without any of its own.
    pub(super) links: &'static str,
    /// Whether the element of a file may contain those of others.
    pub(super) is_nested: bool,
    /// Elements whose digests are not those of the file: of the unpacked file, of pieces, of headers.
    pub(super) aside: &'static [&'static str],
    /// True if a document may have a document type, as long as it defines nothing.
    pub(super) has_type: bool,
    /// Whether an element or attribute for a digest without a value is an error.
    pub(super) requires_values: bool,
}

/// The values that most shapes share.
pub(super) const LIST: Shape = Shape {
    entry: "file",
    key: "",
    except: &[],
    kinds: ("", &[]),
    skip_itself: false,
    names: &["@name"],
    names_are: Names::Plain,
    sizes: &["size"],
    digests: &[],
    pieces: Pieces::No,
    links: "",
    is_nested: false,
    aside: &[],
    has_type: false,
    requires_values: false,
};

/// The spelling of names, and the meaning of several of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    Plain,
    /// A complete path on Windows, in which `_x000A_` is a character.
    PowerShell,
    /// A path or a `file:` URL. Each is the location of a copy of the file. If the value before it with this path is
    /// [`URI`], it is a percent-encoded reference.
    Locations(&'static str),
    /// A relative reference or a `file:` URL, percent-encoded. Each is the location of a copy of the
    /// file.
    Urls,
}

/// The algorithm of a digest, which is in hexadecimal or base64 unless stated otherwise.
pub(super) enum Algorithm {
    Is(&'static str),
    /// This algorithm, and a digest that is accepted in place of another one.
    Alternative(&'static str),
    /// The value at this path, which precedes the digest.
    At(&'static str),
    /// This algorithm of 32 bits, with the digest as a decimal number.
    Decimal(&'static str),
    /// This algorithm, with the digest in hexadecimal in reverse byte order.
    Reversed(&'static str),
}

/// Prefixes of names in PREMIS that denote the folder of the transfer.
const FOLDERS: &[&str] = &["%transferDirectory%", "%SIPDirectory%"];

/// Types of locations in PREMIS that are references, which are percent-encoded.
const URI: &[&str] = &["uri", "url"];

const STRAY: &str = "a digest in an element that does not describe a file";

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
    Claim::mark(root == name.as_bytes() && holds(tag))
}

/// Parses a document of this shape.
pub(super) fn parse(text: &[u8], shape: &Shape, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let text = std::str::from_utf8(text).map_err(|error| refused(error.valid_up_to(), "not UTF-8"))?;
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut walk = Walk {
        shape,
        options,
        records: Records::new(options),
        stack: Vec::new(),
        open: None,
        outer: Vec::new(),
        aside: None,
        gathered: PieceCollector::default(),
        piece: None,
        lists: HashMap::new(),
        fixities: if shape.links.is_empty() { HashMap::new() } else { linked::fixities(text) },
        drive: Drive::default(),
    };
    let mut ended = false;
    loop {
        let at = reader.buffer_position() as usize;
        if options.stopped() {
            return Err(stopped(at));
        }
        match reader.read_event().map_err(|_| refused(at, "not well-formed XML"))? {
            Event::Start(_) if ended => return Err(refused(at, "extra data after the document")),
            Event::Start(tag) => walk.start(&tag, at)?,
            Event::End(_) => {
                walk.end();
                ended = walk.stack.is_empty();
            }
            Event::Text(text) if walk.stack.is_empty() => {
                if !scan::all(&text, |byte| byte.is_ascii_whitespace()) {
                    return Err(refused(at, "text outside the document"));
                }
            }
            Event::Text(text) => walk.text(&text, at)?,
            Event::CData(text) => walk.text(&text, at)?,
            Event::GeneralRef(name) => {
                walk.text(entity(&name, at)?.as_bytes(), at)?;
            }
            // Without definitions of its own, a document type has no effect: nothing is loaded.
            Event::DocType(text) if shape.has_type && !text.contains(&b'[') => {}
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

/// An open element.
struct Element {
    /// The local name.
    name: String,
    at: usize,
    /// The text so far, without that of elements in it.
    text: String,
    has_elements: bool,
}

/// A value in the element of a file.
struct FoundValue {
    path: String,
    value: String,
}

/// The file whose element is open.
struct Open {
    depth: usize,
    at: usize,
    values: Vec<FoundValue>,
    fault: Option<&'static str>,
    /// Whether it contains the elements of other files.
    has_files: bool,
}

impl Open {
    /// Returns the values at this path.
    fn at<'o>(&'o self, path: &'static str) -> impl Iterator<Item = &'o FoundValue> {
        self.values.iter().filter(move |found| found.path == path)
    }
}

struct Walk<'s> {
    shape: &'s Shape,
    options: &'s Options,
    records: Records,
    /// The open elements.
    stack: Vec<Element>,
    open: Option<Open>,
    /// Files whose elements contain that of `open`.
    outer: Vec<Open>,
    /// Number of open elements at the start of one whose digests are skipped.
    aside: Option<usize>,
    gathered: PieceCollector,
    /// Depth and algorithm of the open element with the digest of a piece.
    piece: Option<(usize, String)>,
    /// Piece lists of completed entries, by the entry's offset.
    lists: HashMap<u64, Vec<PieceList>>,
    /// Algorithms and digests in sections, by the identifiers of these.
    fixities: HashMap<String, Vec<(String, String)>>,
    /// The folder that paths on Windows are relative to.
    drive: Drive,
}

impl Walk<'_> {
    fn start(&mut self, tag: &BytesStart<'_>, at: usize) -> Result<(), LineError> {
        let name = tag.local_name();
        let name = std::str::from_utf8(name.as_ref()).map_err(|_| refused(at, "not UTF-8"))?;
        if name.contains(['"', '\'', '=']) {
            return Err(refused(at, "a malformed element"));
        }
        let is_key = |attribute: &Attribute<'_>| {
            !self.shape.key.is_empty() && attribute.key.local_name().as_ref() == self.shape.key.as_bytes()
        };
        let key = tag.attributes().with_checks(false).flatten().find(is_key);
        let key = key.map(|key| attribute_value(&key, at)).transpose()?;
        let name = key.as_deref().unwrap_or(name);
        if let Some(parent) = self.stack.last_mut() {
            parent.has_elements = true;
        }
        self.stack.push(Element { name: name.to_owned(), at, text: String::new(), has_elements: false });
        let depth = self.stack.len();
        if depth > MAX_DEPTH {
            return Err(refused(at, "nested more than 64 levels deep"));
        }
        if self.open.is_some() && self.options.locating {
            let tag = self.gathered.start(self.shape.pieces, tag, depth, at)?;
            self.piece = tag.map(|tag| (depth, tag)).or(self.piece.take());
        }
        if self.aside.is_some() {
            return Ok(());
        }
        if self.shape.aside.contains(&name) {
            self.aside = Some(depth);
            return Ok(());
        }
        let is_file = name == self.shape.entry;
        if let Some(open) = self.open.as_mut().filter(|_| is_file && !self.shape.is_nested) {
            open.fault = Some("a file element inside another one");
        } else if is_file {
            self.outer.extend(self.open.take());
            self.open = Some(Open { depth, at, values: Vec::new(), fault: None, has_files: false });
        } else if self.open.is_none()
            && is_nearly(name.as_bytes(), self.shape.entry.as_bytes())
            && !self.is_plural(name)
        {
            return Err(refused(at, "an unknown element that resembles a file element"));
        }
        let mut known = HashSet::new();
        for attribute in tag.attributes().with_checks(false) {
            let attribute = attribute.map_err(|_| refused(at, "a malformed attribute"))?;
            if is_key(&attribute) {
                continue;
            }
            let key = attribute.key.local_name();
            let key = std::str::from_utf8(key.as_ref()).map_err(|_| refused(at, "not UTF-8"))?;
            let value = attribute_value(&attribute, at)?;
            let path = self.value(Some(key), value, at);
            if path.is_some_and(|path| self.shape.reads(&path) && !known.insert(path)) {
                return Err(refused(at, "a duplicate attribute"));
            }
        }
        Ok(())
    }

    /// Returns true for an element around files.
    fn is_plural(&self, name: &str) -> bool {
        name.strip_prefix(self.shape.entry).is_some_and(|end| matches!(end, "s" | "es"))
    }

    fn text(&mut self, text: &[u8], at: usize) -> Result<(), LineError> {
        let text = std::str::from_utf8(text).map_err(|_| refused(at, "not UTF-8"))?;
        if let Some(element) = self.stack.last_mut()
            && (self.aside.is_none() || self.piece.is_some())
        {
            element.text.push_str(text);
        }
        Ok(())
    }

    fn end(&mut self) {
        let depth = self.stack.len();
        let Some(last) = self.stack.last_mut() else { return };
        let (text, at, has_elements) = (std::mem::take(&mut last.text), last.at, last.has_elements);
        if let Some((_, tag)) = self.piece.take_if(|(piece, _)| *piece == depth) {
            self.gathered.digest(&tag, text.trim(), self.options);
        }
        self.gathered.end(depth);
        // Blanks between elements are layout, but a name may consist of blanks.
        if self.aside.is_none() && !(text.is_empty() || has_elements && text.trim().is_empty()) {
            self.text_ended(text, has_elements, at);
        }
        self.aside.take_if(|aside| *aside == depth);
        if let Some(open) = self.open.take_if(|open| open.depth == depth) {
            self.entry(&open);
            self.open = self.outer.pop().map(|outer| Open { has_files: true, ..outer });
        }
        self.stack.pop();
    }

    /// Handles the complete text of an element. Text between elements that ends like an element is
    /// probably a damaged one.
    fn text_ended(&mut self, text: String, has_elements: bool, at: usize) {
        match &mut self.open {
            Some(open) if has_elements && text.contains("/>") => {
                open.fault = Some("text between elements that looks like the end of an element");
            }
            _ if has_elements && contains_like(text.as_bytes()) => {
                self.records.bad(at, "a digest in text between elements")
            }
            _ => drop(self.value(None, text, at)),
        }
    }

    /// Adds the value of an attribute or of the text of the innermost open element, and returns its
    /// path. A digest outside of the elements of files is an error.
    fn value(&mut self, key: Option<&str>, value: String, at: usize) -> Option<String> {
        let Some(open) = &mut self.open else {
            let is_digest = || self.stack.last().is_some_and(|last| self.shape.is_digest(&last.name));
            if is_like(value.trim().as_bytes()) || key.is_none() && is_digest() {
                self.records.bad(at, STRAY);
            }
            return None;
        };
        let names: Vec<&str> = self.stack[open.depth..].iter().map(|element| element.name.as_str()).collect();
        let mut path = names.join("/");
        if let Some(key) = key {
            path.push('@');
            path.push_str(key);
        }
        if self.options.attributes || self.shape.is_relevant(&path, &value) {
            open.values.push(FoundValue { path: path.clone(), value });
        }
        Some(path)
    }

    /// Adds the record of a file.
    fn entry(&mut self, open: &Open) {
        let (shape, gathered) = (self.shape, std::mem::take(&mut self.gathered));
        let is_one_of = |found: &FoundValue, values: &[&str]| {
            values.contains(&found.value.trim().rsplit(':').next().unwrap_or_default())
        };
        let mut except = shape.except.iter();
        if except.any(|&(path, values)| open.at(path).any(|found| is_one_of(found, values)))
            || shape.skip_itself && self.is_itself(open)
        {
            return;
        }
        let spelled = |path: &'static str| {
            let all = open.values.iter().enumerate().filter(move |(_, found)| found.path == path);
            all.map(|(at, found)| location(&found.value, shape.names_are.of(path, &open.values[..at])))
        };
        let mut places =
            shape.names.iter().filter(|path| open.at(path).next().is_some()).map(|path| spelled(path));
        if matches!(shape.names_are, Names::Plain | Names::PowerShell) {
            self.record(open, &places.next().map(Iterator::collect::<Vec<_>>).unwrap_or_default());
            let size = shape.sizes.iter().find_map(|path| open.at(path).last());
            let size = size.and_then(|found| scan::decimal(found.value.trim().as_bytes()));
            match gathered.lists(size, &mut self.records) {
                Ok(lists) if lists.is_empty() => {}
                Ok(lists) => drop(self.lists.insert(open.at as u64, lists)),
                Err(what) => self.records.fault(what),
            }
            return;
        }
        // A copy at a URL of another host, or at a handle, is not a file of this list.
        let all: Vec<Vec<Location>> = places.map(Iterator::collect).collect();
        let mut paths = all.iter().map(|names| names.iter().flatten().collect::<Vec<_>>());
        let mut paths = paths.by_ref().filter(|names| !names.is_empty());
        let below = |a: &[&Vec<u8>], b: &[&Vec<u8>]| a.iter().any(|a| b.iter().any(|b| is_path_of(a, b)));
        let mut names = match (paths.next(), paths.next()) {
            (None, _) => return self.record(open, all.first().map_or(&[], Vec::as_slice)),
            (Some(names), None) => names,
            (Some(names), Some(others)) if below(&others, &names) && names != others => others,
            (Some(names), Some(others)) if below(&names, &others) => names,
            // The first is the name that the file had in the past, and the others are where it is now.
            (Some(_), Some(others)) => others,
        };
        names.dedup();
        names.iter().for_each(|name| self.record(open, &[Ok((*name).clone())]));
    }

    /// Returns true if the name is that of the manifest.
    fn is_itself(&self, open: &Open) -> bool {
        let own = self.options.file_name.as_deref().and_then(|name| name.rsplit(|&byte| byte == b'/').next());
        self.shape.names.iter().any(|path| open.at(path).any(|found| Some(found.value.as_bytes()) == own))
    }

    /// Adds the record of a file with these names.
    fn record(&mut self, open: &Open, names: &[Location]) {
        let shape = self.shape;
        self.records.begin(open.at);
        let kind = || {
            let (path, kinds) = shape.kinds;
            let value = open.at(path).next()?.value.trim();
            kinds.iter().find(|(known, _)| *known == value).map(|(_, kind)| *kind)
        };
        let is_digested = || open.values.iter().any(|found| is_like(found.value.trim().as_bytes()));
        if let (Some(kind), [Ok(name)], false) = (kind(), names, is_digested()) {
            self.records.name(name);
            self.records.object(kind);
            return;
        }
        let size = shape.sizes.iter().find(|path| open.at(path).next().is_some());
        for found in size.into_iter().flat_map(|path| open.at(path)) {
            self.records.size(found.value.trim().as_bytes());
        }
        for name in names {
            match name {
                Ok(name) if shape.names_are == Names::PowerShell => {
                    self.records.name(&self.drive.relative(name))
                }
                Ok(name) => self.records.name(name),
                Err((what, value)) => self.records.fault_of(what, value.as_bytes()),
            }
        }
        if let Some(what) = open.fault {
            self.records.fault(what);
        }
        let mut digests = 0;
        for (number, found) in open.values.iter().enumerate() {
            let Some((_, algorithm)) = shape.digests.iter().find(|(path, _)| *path == found.path) else {
                continue;
            };
            // The values of the same element, which precede its text.
            let before = || open.values[..number].iter().rev().take_while(|other| other.path != found.path);
            let is_failed = |other: &FoundValue| {
                other.value == "failed" && other.path.strip_suffix("@action") == Some(&found.path[..])
            };
            match found.value.trim() {
                "" if !shape.requires_values => digests += 1,
                // A digest that did not match when the list was written must not be expected.
                _ if before().any(is_failed) => {}
                value => {
                    digests += 1;
                    self.digest(algorithm, value, |path| {
                        let of_file = || path.starts_with('@').then(|| open.at(path).next())?;
                        let tag = before().find(|other| other.path == path).or_else(of_file);
                        tag.map(|tag| tag.value.trim())
                    });
                }
            }
        }
        if digests == 0 && open.has_files {
            return self.records.cancel();
        }
        if digests == 0 {
            let ids = open.at(shape.links).flat_map(|found| found.value.split_ascii_whitespace());
            for (algorithm, digest) in ids.filter_map(|id| self.fixities.get(id)).flatten() {
                self.records.digest(algorithm.as_bytes(), digest.as_bytes());
            }
        }
        for found in open.values.iter().filter(|found| !shape.reads(&found.path)) {
            let (path, value) = (found.path.as_bytes(), found.value.trim());
            if shape.digests.iter().any(|(known, _)| resembles(&found.path, known)) {
                self.records
                    .fault_of("an unknown element or attribute that resembles one for a digest", path);
            } else if shape.names.iter().any(|known| resembles(&found.path, known)) {
                self.records.fault_of(
                    "an unknown element or attribute that resembles the one for the file name",
                    path,
                );
            } else if shape.is_digest(found.path.rsplit('/').next().unwrap_or_default()) {
                self.records.fault(STRAY);
            } else if is_like(value.as_bytes()) {
                match digests {
                    0 => self.records.fault_of("a digest in an unknown element or attribute", path),
                    _ => self.records.unread(path),
                }
            } else if !value.is_empty() {
                self.records.attribute(path);
            }
        }
    }

    /// Records a digest. `value_at` returns the value at a path.
    fn digest<'o>(
        &mut self,
        algorithm: &Algorithm,
        value: &str,
        value_at: impl FnOnce(&'static str) -> Option<&'o str>,
    ) {
        let digest = value.as_bytes();
        match algorithm {
            Algorithm::Is(tag) => self.records.digest(tag.as_bytes(), digest),
            Algorithm::Alternative(tag) => {
                self.records.alternative(tag.as_bytes(), digest);
                self.records.attribute(b"alternative digest");
            }
            Algorithm::At(path) => match value_at(path) {
                // Old versions of createrepo write `sha` for SHA-1.
                Some("sha") => self.records.digest(b"sha1", digest),
                Some(tag) => self.records.digest(tag.as_bytes(), digest),
                None => self.records.fault("a digest without its algorithm"),
            },
            Algorithm::Decimal(tag) => match value.parse::<u32>() {
                Ok(number) => self.records.digest(tag.as_bytes(), format!("{number:08x}").as_bytes()),
                Err(_) => self.records.fault("the digest is not a 32-bit decimal number"),
            },
            Algorithm::Reversed(tag) => {
                let reversed: Vec<u8> = digest.rchunks(2).flatten().copied().collect();
                self.records.digest(tag.as_bytes(), &reversed);
            }
        }
    }
}

impl Shape {
    /// Returns true for the path of a value that is read, and for attributes of a digest's element,
    /// which are not about the file.
    fn reads(&self, path: &str) -> bool {
        let mut others = self.names.iter().chain(self.sizes).chain(self.except.iter().map(|(path, _)| path));
        others.any(|known| *known == path)
            || self.kinds.0 == path
            || self.links == path
            || matches!(self.names_are, Names::Locations(kind) if kind == path)
            || self.digests.iter().any(|(known, algorithm)| {
                *known == path
                    || path.split_once('@').is_some_and(|(element, _)| element == *known)
                    || matches!(algorithm, Algorithm::At(at) if *at == path)
            })
    }

    /// Returns true for a value that affects the entry: it is read, or makes the entry malformed.
    fn is_relevant(&self, path: &str, value: &str) -> bool {
        let mut known = self.digests.iter().map(|(path, _)| path).chain(self.names);
        self.reads(path)
            || is_like(value.trim().as_bytes())
            || self.is_digest(path.rsplit('/').next().unwrap_or_default())
            || known.any(|known| resembles(path, known))
    }

    /// Returns true for the last element in the path of a digest.
    fn is_digest(&self, name: &str) -> bool {
        self.digests.iter().any(|(path, _)| path.rsplit('/').next() == Some(name))
    }
}

/// Returns true if an unknown path is probably that of a known value, damaged: one character
/// differs, or the colon after the prefix of an attribute.
fn resembles(path: &str, known: &str) -> bool {
    let attribute = |(path, attribute): (&str, &str), (known, end): (&str, &str)| {
        path == known && attribute.ends_with(end)
    };
    is_nearly(known.as_bytes(), path.as_bytes())
        || path.split_once('@').zip(known.split_once('@')).is_some_and(|(path, known)| attribute(path, known))
}

/// Schemes of identifiers that do not name a file. Those of servers are followed by `//`.
const SCHEMES: &[&str] = &["hdl", "urn", "ark", "doi", "info", "mailto", "data", "http", "https", "ftp"];

/// The path at a location, or the reason why it has none, and the location.
type Location = Result<Vec<u8>, (&'static str, String)>;

impl Names {
    /// Returns the spelling of the name with this path, which these values precede.
    fn of(self, path: &str, before: &[FoundValue]) -> Names {
        let is_uri = |kind: &str| URI.iter().any(|known| kind.trim().eq_ignore_ascii_case(known));
        match self {
            Names::Locations(kind) => {
                let values = before.iter().rev().take_while(|found| found.path != path);
                let kind = values.filter(|found| found.path == kind).map(|found| &found.value[..]).next();
                if kind.is_some_and(is_uri) { Names::Urls } else { self }
            }
            names => names,
        }
    }
}

/// Splits a URL into its scheme and the rest. A single letter is a drive.
fn scheme(value: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = value.split_once(':')?;
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    is_scheme.then_some((scheme, rest))
}

/// Returns the path at a location.
///
/// The path of a `file:` URL (RFC 8089) is relative to the folder of the list, as in METS of packages, or absolute. The
/// folder `a` in `file://a/b` could also be a host.
fn location(value: &str, names: Names) -> Location {
    // White space that begins with a line break is layout; any other is part of the name.
    let value = if value.starts_with(['\n', '\r']) { value.trim() } else { value };
    let value = FOLDERS.iter().find_map(|folder| value.strip_prefix(folder)).unwrap_or(value);
    let refused = |what| Err((what, value.to_owned()));
    let decoded = |path: &str| match radix::percent(path.as_bytes()) {
        Some(path) => Ok(path),
        None => refused("the location has a percent sign that is not followed by two hexadecimal digits"),
    };
    match scheme(value) {
        _ if names == Names::Plain => Ok(value.as_bytes().to_vec()),
        _ if names == Names::PowerShell => match with_characters(value) {
            Some(path) => Ok(path.into_bytes()),
            None => refused("the path has half of a surrogate pair"),
        },
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("file") => {
            let Some(path) = rest.strip_prefix("//") else {
                return decoded(rest.strip_prefix('/').unwrap_or(rest));
            };
            let host = path.split('/').next().unwrap_or_default();
            match host {
                "" => decoded(&path[path.len().min(1)..]),
                "." | ".." => decoded(path),
                drive if drive.len() == 2 && drive.ends_with(':') => decoded(path),
                host if host.eq_ignore_ascii_case("localhost") => {
                    decoded(path[host.len()..].strip_prefix('/').unwrap_or_default())
                }
                _ => refused("the text after file:// could be the name of a host or of a folder"),
            }
        }
        Some((_, rest)) if rest.starts_with("//") => refused("the location is on a server or in an archive"),
        Some((scheme, _)) if SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known)) => {
            refused("the location is an identifier, not the path of a file")
        }
        _ if value.contains("://") => refused("the location is on a server or in an archive"),
        _ if names == Names::Urls => decoded(value),
        _ => Ok(value.as_bytes().to_vec()),
    }
}

/// Returns a text of PowerShell with the characters that it writes as code units of UTF-16, such as `_x000A_`. Returns
/// `None` if it is not valid UTF-16.
fn with_characters(text: &str) -> Option<String> {
    let (mut units, mut rest) = (Vec::new(), text);
    while let Some(c) = rest.chars().next() {
        let digits = rest.strip_prefix("_x").and_then(|rest| rest.split_once('_')).map(|(digits, _)| digits);
        let unit =
            digits.filter(|digits| digits.len() == 4).and_then(|digits| u16::from_str_radix(digits, 16).ok());
        match unit {
            Some(unit) => units.push(unit),
            None => units.extend_from_slice(c.encode_utf16(&mut [0; 2])),
        }
        rest = &rest[if unit.is_some() { "_x0000_".len() } else { c.len_utf8() }..];
    }
    String::from_utf16(&units).ok()
}

/// Returns the text of a character reference or of an entity that XML predefines.
///
/// # Errors
/// Refuses any other entity, because a document could define it.
fn entity(name: &BytesRef<'_>, at: usize) -> Result<String, LineError> {
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

/// Appends text, escaped for use in attributes and elements.
///
/// # Errors
/// XML cannot represent the text.
pub(super) fn escaped(name: &[u8], out: &mut Vec<u8>) -> Result<(), Unrepresentable> {
    let text = std::str::from_utf8(name).map_err(|error| Unrepresentable::Byte(name[error.valid_up_to()]))?;
    for c in text.chars() {
        match c {
            '&' => out.extend_from_slice(b"&amp;"),
            '<' => out.extend_from_slice(b"&lt;"),
            '>' => out.extend_from_slice(b"&gt;"),
            '"' => out.extend_from_slice(b"&quot;"),
            '\'' => out.extend_from_slice(b"&#39;"),
            '\t' => out.extend_from_slice(b"&#9;"),
            c if (c as u32) < 0x20 => return Err(Unrepresentable::Byte(c as u8)),
            '\u{fffe}' | '\u{ffff}' => return Err(Unrepresentable::Byte(0xef)),
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Ok(())
}
