//! A reader of XML lists that are described by the paths of their values: a [`Shape`] has the
//! element of a file, and where its name, size and digests are in it.

use crate::digest::{is_like, is_nearly};
use crate::format::{Options, Parts};
use crate::formats::json::name::is_path_of;
use crate::formats::xml::{LIMIT, MAX_DEPTH, attribute_value, entity};
use crate::line::LineError;
use crate::radix;
use crate::records::{Records, refused, stopped};
use crate::scan;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// The places of values in a list. A path has the local names of elements below the file's element,
/// separated by slashes, and may end in `@` and an attribute.
pub(super) struct Shape {
    /// The element of a file.
    pub(super) entry: &'static str,
    /// Values of an attribute of the file's element with which it is not a file.
    pub(super) except: (&'static str, &'static [&'static str]),
    /// Paths of the name, in order of preference.
    pub(super) names: &'static [&'static str],
    pub(super) names_are: Names,
    pub(super) sizes: &'static [&'static str],
    /// Paths of digests, and their algorithms.
    pub(super) digests: &'static [(&'static str, Algorithm)],
    /// Elements whose digests are not those of the file: of the unpacked file, of headers.
    pub(super) aside: &'static [&'static str],
}

/// The spelling of names, and the meaning of several of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    Plain,
    /// A path or a `file:` URL. Each is the location of a copy of the file.
    Locations,
    /// A relative reference or a `file:` URL, percent-encoded. Each is the location of a copy of the
    /// file.
    Urls,
}

/// The algorithm of a digest.
pub(super) enum Algorithm {
    Is(&'static str),
    /// The value at this path, which precedes the digest.
    At(&'static str),
}

/// Prefixes of names in PREMIS that stand for the folder of the transfer.
const FOLDERS: &[&str] = &["%transferDirectory%", "%SIPDirectory%"];

/// A value in the element of a file.
struct Found {
    path: String,
    value: String,
}

/// The file whose element is open.
struct Open {
    depth: usize,
    at: usize,
    values: Vec<Found>,
    /// True if a text in it is probably an element whose first character is damaged.
    is_damaged: bool,
}

/// Parses a document of this shape.
pub(super) fn parse(text: &[u8], shape: &Shape, options: &Options) -> Result<Parts, LineError> {
    debug_assert!(text.len() <= LIMIT);
    scan::count(text.len());
    let text = std::str::from_utf8(text).map_err(|error| refused(error.valid_up_to(), "not UTF-8"))?;
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    let mut walk = Walk { shape, records: Records::new(options), stack: Vec::new(), open: None, aside: None };
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
                walk.end(at);
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
            Event::DocType(text) if !text.contains(&b'[') => {}
            Event::DocType(_) => {
                return Err(refused(
                    at,
                    "a DOCTYPE declaration, which is not allowed because it can define entities",
                ));
            }
            Event::Eof if !ended => return Err(refused(at, "the document is truncated")),
            Event::Eof => break,
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
    }
    Ok(walk.records.read(options))
}

/// An open element.
struct Element {
    /// The local name.
    name: String,
    /// The text so far, without that of elements in it.
    text: String,
    has_elements: bool,
}

struct Walk<'s> {
    shape: &'s Shape,
    records: Records,
    /// The open elements.
    stack: Vec<Element>,
    open: Option<Open>,
    /// Number of open elements at the start of one whose digests are skipped.
    aside: Option<usize>,
}

impl Walk<'_> {
    fn start(&mut self, tag: &BytesStart<'_>, at: usize) -> Result<(), LineError> {
        let name = tag.local_name();
        let name = std::str::from_utf8(name.as_ref()).map_err(|_| refused(at, "not UTF-8"))?;
        if name.contains(['"', '\'', '=']) {
            return Err(refused(at, "a malformed element"));
        }
        if let Some(parent) = self.stack.last_mut() {
            parent.has_elements = true;
        }
        self.stack.push(Element { name: name.to_owned(), text: String::new(), has_elements: false });
        if self.stack.len() > MAX_DEPTH {
            return Err(refused(at, "nested more than 64 levels deep"));
        }
        if self.aside.is_some() {
            return Ok(());
        }
        if self.shape.aside.contains(&name) {
            self.aside = Some(self.stack.len());
            return Ok(());
        }
        if name == self.shape.entry {
            if self.open.is_some() {
                return Err(refused(at, "a file element inside another one"));
            }
            self.open = Some(Open { depth: self.stack.len(), at, values: Vec::new(), is_damaged: false });
        } else if self.open.is_none()
            && is_nearly(name.as_bytes(), self.shape.entry.as_bytes())
            && !self.is_plural(name)
        {
            return Err(refused(at, "an unknown element that resembles a file element"));
        }
        for attribute in tag.attributes().with_checks(false) {
            let attribute = attribute.map_err(|_| refused(at, "a malformed attribute"))?;
            let key = attribute.key.local_name();
            let key = std::str::from_utf8(key.as_ref()).map_err(|_| refused(at, "not UTF-8"))?;
            let value = attribute_value(&attribute, at)?;
            self.value(Some(key), value, at);
        }
        Ok(())
    }

    /// Returns true for an element around files.
    fn is_plural(&self, name: &str) -> bool {
        name.strip_prefix(self.shape.entry) == Some("s")
    }

    fn text(&mut self, text: &[u8], at: usize) -> Result<(), LineError> {
        let text = std::str::from_utf8(text).map_err(|_| refused(at, "not UTF-8"))?;
        if let Some(element) = self.stack.last_mut()
            && self.aside.is_none()
        {
            element.text.push_str(text);
        }
        Ok(())
    }

    fn end(&mut self, at: usize) {
        if self.aside.is_none() {
            let element =
                self.stack.last_mut().map(|last| (std::mem::take(&mut last.text), last.has_elements));
            let (text, has_elements) = element.unwrap_or_default();
            if !text.trim().is_empty() {
                self.text_ended(text, has_elements, at);
            }
        }
        if self.aside == Some(self.stack.len()) {
            self.aside = None;
        }
        if let Some(open) = self.open.take_if(|open| open.depth == self.stack.len()) {
            self.entry(&open);
        }
        self.stack.pop();
    }

    /// Handles the complete text of an element. Text between elements that ends like an element is
    /// probably a damaged one.
    fn text_ended(&mut self, text: String, has_elements: bool, at: usize) {
        match &mut self.open {
            Some(open) if has_elements && text.contains("/>") => open.is_damaged = true,
            None if has_elements && text.split(['"', '\'']).any(|part| is_like(part.as_bytes())) => {
                self.records.begin(at);
                self.records.fault("a digest in text between elements");
            }
            _ => self.value(None, text, at),
        }
    }

    /// Adds the value of an attribute or of the text of the innermost open element.
    fn value(&mut self, key: Option<&str>, value: String, at: usize) {
        let Some(open) = &mut self.open else {
            if is_like(value.trim().as_bytes()) {
                self.records.begin(at);
                self.records.fault("a digest in an element that does not describe a file");
            }
            return;
        };
        let names: Vec<&str> = self.stack[open.depth..].iter().map(|element| element.name.as_str()).collect();
        let mut path = names.join("/");
        if let Some(key) = key {
            path.push('@');
            path.push_str(key);
        }
        open.values.push(Found { path, value });
    }

    /// Adds the record of a file.
    fn entry(&mut self, open: &Open) {
        let shape = self.shape;
        let at = |path: &'static str| open.values.iter().filter(move |found| found.path == path);
        let (attribute, other) = shape.except;
        if at(attribute).any(|found| other.contains(&found.value.rsplit(':').next().unwrap_or_default())) {
            return;
        }
        let spelled = |path: &'static str| at(path).map(|found| spelled(&found.value, shape.names_are));
        let mut places =
            shape.names.iter().filter(|path| at(path).next().is_some()).map(|path| spelled(path));
        if shape.names_are == Names::Plain {
            return self.record(open, &places.next().map(Iterator::collect::<Vec<_>>).unwrap_or_default());
        }
        // A copy at a URL of another host, or at a handle, is not a file of this list.
        let all: Vec<Vec<Option<Vec<u8>>>> = places.map(Iterator::collect).collect();
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
        names.iter().for_each(|name| self.record(open, &[Some((*name).clone())]));
    }

    /// Adds the record of a file with these names. `None` stands for one that is not a path.
    fn record(&mut self, open: &Open, names: &[Option<Vec<u8>>]) {
        let shape = self.shape;
        let at = |path: &'static str| open.values.iter().filter(move |found| found.path == path);
        let of_file = |paths: &'static [&'static str]| paths.iter().find(|path| at(path).next().is_some());
        self.records.begin(open.at);
        for name in names {
            match name {
                Some(name) => self.records.name(name),
                None => self.records.fault("its name is not the path of a file"),
            }
        }
        if open.is_damaged {
            self.records.fault("text between its elements that looks like the end of an element");
        }
        for found in of_file(shape.sizes).into_iter().flat_map(|path| at(path)) {
            self.records.size(found.value.trim().as_bytes());
        }
        let mut digests = 0;
        for (number, found) in open.values.iter().enumerate() {
            let value = found.value.trim().as_bytes();
            match shape.digests.iter().find(|(path, _)| *path == found.path) {
                Some(_) if value.is_empty() => {}
                Some((_, Algorithm::Is(tag))) => self.records.digest(tag.as_bytes(), value),
                Some((_, Algorithm::At(path))) => {
                    let tag = open.values[..number].iter().rev().find(|found| found.path == *path);
                    let later =
                        || open.values.iter().find(|found| found.path == *path && path.starts_with('@'));
                    match tag.or_else(later) {
                        Some(tag) => self.records.digest(tag.value.trim().as_bytes(), value),
                        None => self.records.fault("a digest without its algorithm"),
                    }
                }
                None => continue,
            }
            digests += 1;
        }
        for found in &open.values {
            let known = |path: &str| *path == found.path;
            if shape.digests.iter().any(|(path, _)| known(path))
                || shape.names.iter().chain(shape.sizes).any(|path| known(path))
            {
                continue;
            }
            if shape.digests.iter().any(|(path, _)| resembles(&found.path, path)) {
                self.records.fault_of(
                    "an unknown element or attribute, similar to one for a digest",
                    found.path.as_bytes(),
                );
            } else if shape.names.iter().any(|path| resembles(&found.path, path)) {
                self.records.fault_of(
                    "an unknown element or attribute, similar to the one for the file name",
                    found.path.as_bytes(),
                );
            } else if is_like(found.value.trim().as_bytes()) {
                match digests {
                    0 => self
                        .records
                        .fault_of("a digest in an unknown element or attribute", found.path.as_bytes()),
                    _ => self.records.unread(found.path.as_bytes()),
                }
            } else {
                self.records.attribute(found.path.as_bytes());
            }
        }
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

/// Schemes of identifiers and locations that are not paths.
const SCHEMES: &[&str] = &["hdl:", "urn:", "ark:", "doi:", "info:"];

/// Decodes a name. Returns `None` if it is not a path.
fn spelled(value: &str, names: Names) -> Option<Vec<u8>> {
    // White space that begins with a line break is layout; any other is part of the name.
    let value = if value.starts_with(['\n', '\r']) { value.trim() } else { value };
    let value = FOLDERS.iter().find_map(|folder| value.strip_prefix(folder)).unwrap_or(value);
    if names == Names::Plain {
        return Some(value.as_bytes().to_vec());
    }
    let path = ["file:///", "file://", "file:"].iter().find_map(|scheme| value.strip_prefix(scheme));
    match path {
        None if value.contains("://") || SCHEMES.iter().any(|scheme| value.starts_with(scheme)) => None,
        None if names == Names::Locations => Some(value.as_bytes().to_vec()),
        path => radix::percent(path.unwrap_or(value).as_bytes()),
    }
}
