//! JSON strings and names, for every line of JSON that the project writes.
//!
//! This is not left to a library because escaping is part of the format: characters that could
//! affect a terminal are always escaped. A name that is not UTF-8 has its bytes in `path_base64`,
//! and `path` is an approximation.

pub mod exact;

use crate::entry::MAX_ALGORITHMS;
use crate::path::is_hidden;
use data_encoding::BASE64;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// The schema identifier of an entry.
pub const SCHEMA: &str = "truesum-entry/1";

/// Appends text as a JSON string, including its quotes. Hidden characters are escaped, so that the
/// line is safe to show.
pub fn string_into(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for c in text.chars() {
        match c {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            c if is_hidden(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                }
            }
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
}

/// Appends `"path":...` and, for a name that is not UTF-8, `,"path_base64":...`.
pub fn path_into(name: &[u8], out: &mut Vec<u8>) {
    bytes_into("path", name, out);
}

/// Appends `"KEY":...` and, for bytes that are not UTF-8, `,"KEY_base64":...`.
pub fn bytes_into(key: &str, bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(format!("\"{key}\":").as_bytes());
    string_into(&String::from_utf8_lossy(bytes), out);
    if std::str::from_utf8(bytes).is_err() {
        out.extend_from_slice(format!(",\"{key}_base64\":\"{}\"", BASE64.encode(bytes)).as_bytes());
    }
}

/// Returns the name written by [`path_into`], or the bytes written by [`bytes_into`].
///
/// # Errors
/// Fails if the bytes are not base64 or do not match the text. Otherwise, users could see one name
/// while another file is meant.
pub fn path_from(shown: String, base64: Option<&str>) -> Result<Vec<u8>, &'static str> {
    let Some(text) = base64 else { return Ok(shown.into_bytes()) };
    let bytes = BASE64.decode(text.as_bytes()).map_err(|_| "the base64 form of a name is invalid")?;
    match String::from_utf8_lossy(&bytes) == shown {
        true => Ok(bytes),
        false => Err("a name and its base64 form differ"),
    }
}

/// A string, which is copied only if it contains escapes.
#[derive(Default, serde::Deserialize)]
pub(crate) struct Text<'t>(#[serde(borrow)] pub(crate) Cow<'t, str>);

/// The members of an object: a few, and no two with the same key, regardless of its case.
#[derive(Default)]
pub(crate) struct Members<V>(pub(crate) Vec<(String, V)>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Members<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members<V>, D::Error> {
        struct MembersVisitor<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for MembersVisitor<V> {
            type Value = Members<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<V>, A::Error> {
                let mut members: Vec<(String, V)> = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, V>()? {
                    if members.iter().any(|(other, _)| other.eq_ignore_ascii_case(&key)) {
                        return Err(A::Error::custom("two members with the same name"));
                    }
                    if members.len() == MAX_ALGORITHMS {
                        return Err(A::Error::custom("too many members"));
                    }
                    members.push((key, value));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor(PhantomData))
    }
}
