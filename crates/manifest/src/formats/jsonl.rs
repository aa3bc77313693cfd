//! JSON Lines: one object per entry, schema `truesum-entry/1` (`docs/spec/manifests.md`, section
//! "JSON lines").
//!
//! The writer does not use serde, because the order of members and the escaping are part of the
//! format.

use crate::digest::{is_nearly_algorithm, is_tag, named};
use crate::entry::Time;
use crate::formats::prelude::*;
use crate::json::{Members, SCHEMA, Text, path_from, path_into};
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use std::fmt;

pub(crate) static JSONL: Format = Format {
    name: "jsonl",
    file_names: &[".jsonl", ".ndjson"],
    summary: "one JSON object per file, with size, modification time and any number of digests",
    capabilities: Capabilities { size: true, mtime: true, ..Capabilities::DIGESTS },
    sniff,
    reading: Reading::lines(|options| LineParser::of(options, row)),
    writing: Writing::Entries(write),
    ..Format::DEFAULT
};

/// A line that begins with a brace is evidence in text; in binary data it occurs by chance, and only the beginning of a
/// line that truesum wrote is evidence.
fn sniff(head: &Head<'_>) -> Option<Claim> {
    let begins =
        |with: &'static [u8]| head.first(b'\n', move |line| scan::trim_start(line).starts_with(with));
    match head.text.contains(&0) {
        true => begins(b"{\"schema\":").or_else(|| Some(Claim { sign: Sign::Possible, ..begins(b"{")? })),
        false => begins(b"{"),
    }
}

fn write(entry: &Entry, style: &Style, out: &mut Vec<u8>) -> Result<(), Unrepresentable> {
    entry.has_no_algorithm_twice()?;
    out.extend_from_slice(format!("{{\"schema\":\"{SCHEMA}\",").as_bytes());
    path_into(&entry.path, out);
    if let Some(size) = entry.size {
        out.extend_from_slice(format!(",\"size\":{size}").as_bytes());
    }
    if let Some(mtime) = entry.mtime {
        out.extend_from_slice(format!(",\"mtime\":\"{mtime}\"").as_bytes());
    }
    out.extend_from_slice(b",\"digests\":{");
    for (at, (spec, digest)) in entry.digests.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        out.extend_from_slice(format!("{comma}\"{spec}\":\"{}\"", style.spelling.of(digest)).as_bytes());
    }
    out.extend_from_slice(b"}}\n");
    Ok(())
}

/// The members that are read.
const MEMBERS: &[&str] = &["schema", "path", "path_base64", "size", "mtime", "digests"];

/// The maximum number of members of an object, each of which is compared with all others.
const MEMBER_LIMIT: usize = 64;

/// Minimum length of an object with the schema, in bytes.
const SHORTEST: usize = 32;

fn row(line: &[u8], options: &Options) -> Result<Option<Entry>, Reason> {
    scan::count(line.len());
    if scan::all(line, scan::is_blank) {
        return Ok(None);
    }
    // Reject such lines without a JSON parser: a file may contain millions of them.
    let (first, last) =
        (line[scan::find(line, |byte| !scan::is_blank(byte)).unwrap_or(0)], scan::trim_end(line));
    if first != b'{' {
        return Err(Reason::Part("not a JSON entry (it does not start with a brace)"));
    }
    if last.len() < SHORTEST && !last.ends_with(b"}") {
        return Err(Reason::Part("not a JSON entry (truncated)"));
    }
    let mut object: Object = serde_json::from_slice(line)
        .map_err(|error| Reason::Message(format!("not a JSON entry ({error})")))?;
    let names = std::mem::take(&mut object.names);
    let mut entry = object.entry(options)?;
    if options.attributes {
        let unknown = names.into_iter().filter(|name| !MEMBERS.contains(&&*name.0));
        entry.attributes = unknown.map(|name| name.0.into_owned()).collect();
        entry.attributes.sort();
    }
    Ok(Some(entry))
}

/// The object on a line. Unknown members are ignored, because a later version of the same schema
/// may add some, but no member may occur twice.
#[derive(Default)]
struct Object<'l> {
    schema: Option<Text<'l>>,
    path: Option<String>,
    path_base64: Option<String>,
    size: Option<u64>,
    mtime: Option<Text<'l>>,
    digests: Option<Members<Text<'l>>>,
    /// The names of all members.
    names: Vec<Text<'l>>,
}

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Object<'de>, D::Error> {
        struct ObjectVisitor;
        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = Object<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut object = Object::default();
                while let Some(name) = map.next_key::<Text<'de>>()? {
                    if object.names.iter().any(|known| known.0 == name.0) {
                        return Err(A::Error::custom(format_args!("duplicate field `{}`", name.0)));
                    }
                    if object.names.len() == MEMBER_LIMIT {
                        return Err(A::Error::custom("too many members"));
                    }
                    match &*name.0 {
                        "schema" => object.schema = map.next_value()?,
                        "path" => object.path = map.next_value()?,
                        "path_base64" => object.path_base64 = map.next_value()?,
                        "size" => object.size = map.next_value()?,
                        "mtime" => object.mtime = map.next_value()?,
                        "digests" => object.digests = map.next_value()?,
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                    object.names.push(name);
                }
                Ok(object)
            }
        }
        deserializer.deserialize_map(ObjectVisitor)
    }
}

impl Object<'_> {
    fn entry(self, options: &Options) -> Result<Entry, Reason> {
        let fault = |what: &str| Reason::Message(what.to_owned());
        match self.schema.as_ref().map(|schema| &*schema.0) {
            Some(SCHEMA) => {}
            Some(other) => {
                return Err(Reason::Message(format!("unsupported schema '{other}', expected {SCHEMA}")));
            }
            None => return Err(Reason::Message(format!("no schema, expected {SCHEMA}"))),
        }
        let shown = self.path.ok_or_else(|| fault("the path is missing"))?;
        let path = path_from(shown, self.path_base64.as_deref()).map_err(fault)?;
        let (mut digests, mut unread, mut unknown) = (Vec::new(), Vec::new(), None);
        for (name, text) in self.digests.unwrap_or_default().0 {
            if !is_tag(name.as_bytes()) {
                return Err(fault("a digest of an unknown algorithm"));
            }
            match named(&name, text.0.as_bytes(), options) {
                Ok(digest) => digests.push(digest),
                // The remaining digests of the line are sufficient, unless the name resembles a
                // known algorithm and is probably damaged.
                Err(reason) if reason.unknown().is_some() && !is_nearly_algorithm(name.as_bytes()) => {
                    unread.push(name);
                    unknown = Some(reason);
                }
                Err(reason) => return Err(reason),
            }
        }
        if digests.is_empty() {
            return Err(unknown.unwrap_or(Reason::EmptyDigest));
        }
        let mtime = match self.mtime {
            Some(text) => Some(Time::parse(&text.0).ok_or_else(|| fault("mtime is not a time in UTC"))?),
            None => None,
        };
        Ok(Entry { path, size: self.size, mtime, digests, unread, ..Entry::default() })
    }
}
