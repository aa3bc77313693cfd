//! The values of a JSON document, deserialized one by one: objects and arrays are classified when
//! they end.

use super::key::{Key as KeyMeaning, Meaning};
use super::object::{Object, Statement};
use super::role::Role;
use super::walk::Traversal;
use super::words::{holds_digest, mostly_digits};
use crate::digest::{is_long_hex, is_nearly_algorithm};
use crate::records::STOPPED;
use data_encoding::BASE64;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Maximum nesting depth of objects and arrays.
const MAX_DEPTH: usize = 64;

/// Deserializes one value under `key` of an object with the given `role`.
pub(super) struct Value<'w, 't, 'k> {
    pub(super) walk: &'w mut Traversal<'t>,
    pub(super) key: &'k str,
    pub(super) sense: KeyMeaning,
    /// The meaning of the key of the object that contains it.
    pub(super) within: KeyMeaning,
    pub(super) role: Role,
    /// The number of the array or map of names that contains it.
    pub(super) group: Option<u32>,
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
        let is_unsupported = self.role == Role::PathsOfDigest && tag.is_none();
        while let Some(statement) = list.next_element_seed(Value {
            walk: &mut *self.walk,
            key: "",
            sense,
            within,
            role: Role::Aside,
            group: None,
        })? {
            if is_unsupported && matches!(statement, Statement::Text(_)) {
                if is_nearly_algorithm(self.walk.algorithm.as_bytes()) {
                    return Err(A::Error::custom(format_args!(
                        "unknown algorithm {:?}",
                        self.walk.algorithm
                    )));
                }
                self.walk.unsupported.push(self.walk.algorithm.clone());
                continue;
            }
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
            self.walk
                .records
                .bad(self.walk.at, "the payload is not a base64-encoded statement with names and digests");
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
        if self.role == Role::PathsOfDigest || self.role == Role::Paths && mostly_digits(self.key) {
            return self.paths(list);
        }
        let (mut digests, mut listed, mut is_damaged) = (Object::default(), false, false);
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
                self.walk
                    .records
                    .bad(self.walk.at, "names under a digest, which are supported only in an OCFL manifest");
            }
            if matches!(statement, Statement::Fault) {
                is_damaged = true;
            }
            listed |= matches!(&statement, Statement::Listed | Statement::Stray)
                || matches!(&statement, Statement::Text(text) if holds_digest(text));
            if let Statement::Text(url) = &statement
                && self.sense.is(Meaning::Address)
            {
                digests.address(url, self.walk.at);
                continue;
            }
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
            _ if is_damaged => Statement::Fault,
            true => Statement::Listed,
            false => Statement::Nothing,
        })
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Statement<'de>, A::Error> {
        self.enter()?;
        if self.walk.options.stopped() {
            return Err(A::Error::custom(STOPPED));
        }
        if self.role == Role::Aside {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            self.walk.depth -= 1;
            return Ok(Statement::Nothing);
        }
        if self.role == Role::PathsByDigest {
            self.key.clone_into(&mut self.walk.algorithm);
        }
        let before = self.walk.records.count();
        let mut object = Object::default();
        self.walk.lists += 1;
        let group = (self.role == Role::List).then_some(self.walk.lists);
        while let Some(Key(key)) = map.next_key::<Key<'_>>()? {
            let sense = self.walk.keys.key(&key);
            let role = match &*key {
                "materials" if object.is_link() => Role::Aside,
                "products" if object.is_link() => Role::List,
                // The archives in a network mirror of Terraform, of which one may have no digest.
                "archives" if self.role == Role::Top => Role::List,
                _ => self.role.of_member(sense),
            };
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
#[derive(Deserialize)]
#[serde(transparent)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);
