//! Checksum lists in JSON as written by all kinds of programs: maps of names, maps of algorithms,
//! lists of objects, release metadata, npm lock files, checksums of vendored crates, and
//! container image manifests.
//!
//! There is no schema: an object is an entry if it has a name and a digest under recognised keys,
//! and it is a map of names only if nothing inside it is an entry. Values that are neither a name
//! nor a digest are ignored, so unrelated numbers and strings do no harm.

mod key;
mod name;
mod object;
mod walk;
mod write;

use crate::digest::is_long_hex;
use crate::format::{Claim, Format, Head, Holds, Options, Parts, Reading, Sign, Writing};
use crate::line::{LineError, Place, Reason};
use crate::records::{STOPPED, refused, stopped};
use crate::scan;
use data_encoding::BASE64;
use key::{Key as KeyMeaning, Meaning};
use object::{Object, Role, Statement, holds_digest, mostly_digits};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use walk::Visit;

pub(crate) static JSON: Format = Format {
    name: "json",
    file_names: &[".json"],
    summary: "JSON lists and maps; npm locks, vendored crates, releases, container image manifests",
    holds: Holds { size: true, ..Holds::DIGESTS },
    sniff,
    reading: Reading::Document { limit: LIMIT, parse },
    writing: Writing::Manifest(|heading| Box::new(write::List::new(heading))),
    tagged: None,
};

const LIMIT: usize = 64 << 20;

/// Maximum nesting depth of objects and arrays.
const MAX_DEPTH: usize = 64;

/// Claims a document that begins like JSON, unless its first line has the schema of
/// [`jsonl`](super::jsonl).
fn sniff(head: &Head<'_>) -> Option<Claim> {
    let space = |byte: u8| byte.is_ascii_whitespace();
    let text = &head.text[scan::find(head.text, |byte| !space(byte))?..];
    let inside = &text[1..];
    let second = scan::find(inside, |byte| !space(byte)).map(|at| inside[at]);
    let is_json = match text[0] {
        b'{' => matches!(second, Some(b'"' | b'}')),
        b'[' => matches!(second, Some(b'{' | b']')),
        _ => false,
    };
    let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let schema = b"\"schema\"";
    scan::count(first.len());
    (is_json && !first.windows(schema.len()).any(|part| part == schema))
        .then_some(Claim { sign: Sign::Whole, at: 0 })
}

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let mut walk = Visit::new(&text, options.stop.as_deref());
    let mut begin = 0;
    let mut algorithm: Option<Option<String>> = None;
    // Several documents, one after the other, are JSON Lines.
    while let Some(next) = document(&mut walk, &text[begin..], options)? {
        if algorithm.as_ref().is_some_and(|algorithm| *algorithm != walk.records.algorithm) {
            return Err(refused(begin, "documents that name different algorithms"));
        }
        algorithm = Some(walk.records.algorithm.clone());
        begin += next;
    }
    // A manifest without files is an empty text.
    if walk.records.count() == 0 && walk.at > 0 {
        return Err(refused(walk.at, "JSON without names and digests: not a manifest"));
    }
    Ok(walk.records.read(options))
}

/// Reads the document at the beginning of the text. Returns the offset of the next one, if there is
/// one on another line.
fn document(walk: &mut Visit<'_>, text: &[u8], options: &Options) -> Result<Option<usize>, LineError> {
    let before = walk.records.count();
    let mut json = serde_json::Deserializer::from_slice(text);
    let top = Value {
        walk,
        key: "",
        sense: KeyMeaning::default(),
        within: KeyMeaning::default(),
        role: Role::Top,
        group: None,
    };
    let read = top.deserialize(&mut json).and_then(|statement| {
        let end = json.into_iter::<IgnoredAny>().byte_offset();
        let rest = &text[end..];
        let blank = scan::find(rest, |byte| !byte.is_ascii_whitespace()).unwrap_or(rest.len());
        let follows = rest.get(blank) == Some(&b'{') && rest[..blank].contains(&b'\n');
        match follows {
            true => Ok((statement, Some(end + blank))),
            false => serde_json::Deserializer::from_slice(rest).end().map(|()| (statement, None)),
        }
    });
    let (statement, next) = read.map_err(|error| {
        if options.stopped() {
            return stopped(walk.at);
        }
        let what = Reason::Message(format!("not a JSON document: {error}"));
        LineError { at: Place::Byte(walk.at as u64), reason: what }
    })?;
    if matches!(statement, Statement::Listed) {
        walk.records.begin(walk.at);
        walk.records.fault("a digest in an array of strings, which is not supported");
    }
    if walk.records.count() == before && (before > 0 || next.is_some()) {
        walk.records.begin(walk.at);
        walk.records.fault("a document without names and digests");
    }
    Ok(next)
}

/// Deserializes one value under `key` of an object with the given `role`.
struct Value<'w, 't, 'k> {
    walk: &'w mut Visit<'t>,
    key: &'k str,
    sense: KeyMeaning,
    /// The meaning of the key of the object that contains it.
    within: KeyMeaning,
    role: Role,
    /// The number of the array or map of names that contains it.
    group: Option<u32>,
}

impl Value<'_, '_, '_> {
    /// Descends one level.
    ///
    /// # Errors
    /// The document is nested too deeply.
    fn enter<E: Error>(&mut self) -> Result<(), E> {
        self.walk.depth += 1;
        if self.walk.depth > MAX_DEPTH {
            return Err(E::custom("nested more than 64 levels deep"));
        }
        Ok(())
    }
}

impl Value<'_, '_, '_> {
    /// Reads the names of the files that have the digest `key` (OCFL).
    fn paths<'de, A: SeqAccess<'de>>(self, mut list: A) -> Result<Statement<'de>, A::Error> {
        let (sense, within) = (self.sense, self.within);
        let tag = self.walk.keys.tag(within).map(str::to_owned);
        while let Some(statement) = list.next_element_seed(Value {
            walk: &mut *self.walk,
            key: "",
            sense,
            within,
            role: Role::Aside,
            group: None,
        })? {
            let records = &mut self.walk.records;
            records.begin(self.walk.at);
            match statement {
                Statement::Text(name) => records.name(name.as_bytes()),
                _ => records.fault("the name of a file is not a string"),
            }
            match &tag {
                Some(tag) => records.digest(tag.as_bytes(), self.key.as_bytes()),
                None => records.stated_digest(self.key.as_bytes()),
            }
        }
        self.walk.depth -= 1;
        Ok(Statement::Nothing)
    }

    /// Reads the statement in the envelope of a signature (DSSE).
    fn envelope(&mut self, payload: &str) {
        let before = self.walk.records.count();
        let read = BASE64.decode(payload.as_bytes()).is_ok_and(|statement| {
            let mut json = serde_json::Deserializer::from_slice(&statement);
            let (walk, none) = (&mut *self.walk, KeyMeaning::default());
            let top = Value { walk, key: "", sense: none, within: none, role: Role::Other, group: None };
            top.deserialize(&mut json).is_ok() && json.end().is_ok()
        });
        if !read || self.walk.records.count() == before {
            self.walk.records.begin(self.walk.at);
            self.walk.records.fault("its payload is not a statement with names and digests in base64");
        }
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_, '_, '_> {
    type Value = Statement<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Statement<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_, '_, '_> {
    type Value = Statement<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Statement<'de>, E> {
        Ok(Statement::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Statement<'de>, E> {
        Ok(if value { Statement::True } else { Statement::Odd })
    }

    fn visit_u64<E>(self, number: u64) -> Result<Statement<'de>, E> {
        Ok(Statement::Number(number))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Statement<'de>, E> {
        Ok(Statement::Odd)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Statement<'de>, E> {
        Ok(Statement::Odd)
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Statement<'de>, E> {
        self.walk.found(text);
        Ok(Statement::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Statement<'de>, E> {
        Ok(Statement::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Statement<'de>, A::Error> {
        self.enter()?;
        if self.role == Role::Paths && mostly_digits(self.key) {
            return self.paths(list);
        }
        let (mut digests, mut listed) = (Object::default(), false);
        let role = self.role.of_items(self.sense);
        self.walk.lists += 1;
        let group = Some(self.walk.lists);
        let tag = self.walk.keys.tag(self.sense).map(str::to_owned);
        loop {
            let (sense, within) = (self.sense, self.within);
            let item = Value { walk: self.walk, key: self.key, sense, within, role, group };
            let Some(statement) = list.next_element_seed(item)? else { break };
            if matches!(statement, Statement::Text(_))
                && is_long_hex(self.key.as_bytes())
                && !self.within.is(Meaning::State)
            {
                self.walk.records.begin(self.walk.at);
                self.walk.records.fault("names under a digest, outside a manifest of OCFL");
            }
            listed |= matches!(&statement, Statement::Listed)
                || matches!(&statement, Statement::Text(text) if holds_digest(text));
            // Objects and arrays have already been classified.
            let is_digest =
                !matches!(statement, Statement::Nothing | Statement::Stray) && self.sense.holds_digest();
            if is_digest || matches!(statement, Statement::Digests(_)) {
                digests.item(tag.as_deref(), statement, self.walk.at);
            }
        }
        self.walk.depth -= 1;
        Ok(match listed {
            _ if !digests.is_empty() => Statement::Digests(digests),
            true => Statement::Listed,
            false => Statement::Nothing,
        })
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Statement<'de>, A::Error> {
        self.enter()?;
        if self.walk.stopped() {
            return Err(A::Error::custom(STOPPED));
        }
        if self.role == Role::Aside {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            self.walk.depth -= 1;
            return Ok(Statement::Nothing);
        }
        let before = self.walk.records.count();
        let mut object = Object::default();
        self.walk.lists += 1;
        let group = (self.role == Role::List).then_some(self.walk.lists);
        while let Some(Key(key)) = map.next_key_seed(KeySeed)? {
            let sense = self.walk.keys.key(&key);
            let role = self.role.of_member(sense);
            let statement = map.next_value_seed(Value {
                walk: self.walk,
                key: &key,
                sense,
                within: self.sense,
                role,
                group,
            })?;
            object.member(&key, sense, statement, self.walk.at);
        }
        if let Some(payload) = object.payload() {
            self.envelope(payload);
        }
        self.walk.depth -= 1;
        let inner = self.walk.records.count() > before;
        Ok(object.conclude(self.walk, self.role, (self.key, self.sense), inner, (self.group, group)))
    }
}

/// A key, which may be as long as a file name.
struct Key<'de>(Cow<'de, str>);

struct KeySeed;

impl<'de> DeserializeSeed<'de> for KeySeed {
    type Value = Key<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key<'de>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for KeySeed {
    type Value = Key<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Owned(text.to_owned())))
    }
}
