//! Small JSON objects written by this program, with exact sets of members.

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Map, Value};
use std::fmt;
use std::io::Read;
use std::path::Path;
use truesum::Error;
use truesum::hash::{Digest, Spec};
use truesum::open::open_named;
use truesum_fs::name::OsStrExt;
use truesum_fs::standard::Input;

/// Reads the text of a file, or of standard input for `-`.
pub fn read(path: &Path) -> Result<String, Error> {
    /// Anything longer was not written by this program.
    const LIMIT: u64 = 256 << 20;
    let fail = |error: std::io::Error| Error::io(path.as_os_str().as_bytes(), "read", error);
    let mut text = String::new();
    match path.as_os_str() == "-" {
        true => Input.take(LIMIT).read_to_string(&mut text).map_err(fail)?,
        false => {
            open_named(path).and_then(|file| file.take(LIMIT).read_to_string(&mut text)).map_err(fail)?
        }
    };
    if text.len() as u64 == LIMIT {
        let why = truesum::Cause::Other(format!("the file is too large (the limit is {} MiB)", LIMIT >> 20));
        return Err(Error::new(path.as_os_str().as_bytes(), "read", why));
    }
    Ok(text)
}

/// The members of an object, each of which must occur only once: readers might use either of two.
struct Members(Map<String, Value>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Members, A::Error> {
                let mut members = Map::new();
                while let Some((key, value)) = access.next_entry::<String, Value>()? {
                    if members.contains_key(&key) {
                        return Err(A::Error::custom(format!("\"{}\" occurs twice", key.escape_debug())));
                    }
                    members.insert(key, value);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}

/// The member with the kind of an object, as in all JSON of this program.
pub const KIND: &str = "schema";
/// Its original name, with `piece-2` for `truesum-piece/2`.
const OLD_KIND: &str = "truesum";

/// Returns the text for a kind: `truesum-piece/2` for `piece-2`.
pub fn schema(kind: &str) -> String {
    let (name, version) = kind.rsplit_once('-').unwrap_or((kind, "1"));
    format!("truesum-{name}/{version}")
}

/// Returns the kind of an object, if it has exactly one.
pub fn kind_of(object: &Map<String, Value>) -> Option<String> {
    match (object.get(KIND), object.get(OLD_KIND)) {
        (Some(schema), None) => {
            let (name, version) = schema.as_str()?.strip_prefix("truesum-")?.rsplit_once('/')?;
            Some(format!("{name}-{version}"))
        }
        (None, Some(kind)) => kind.as_str().map(str::to_owned),
        _ => None,
    }
}

/// Parses a JSON object of this kind with exactly these keys; the bytes of a path may be present as
/// well.
pub fn object(text: &str, kind: &str, keys: &[&str]) -> Result<Map<String, Value>, String> {
    let object = match serde_json::from_str(text) {
        Ok(Members(object)) => object,
        Err(error) if error.is_data() => return Err(error.to_string()),
        Err(error) => return Err(format!("not JSON: {error}")),
    };
    if kind_of(&object).as_deref() != Some(kind) {
        return Err(format!("not a {} object", schema(kind)));
    }
    if let Some(key) = keys.iter().find(|key| !object.contains_key(**key)) {
        return Err(format!("\"{key}\" is missing"));
    }
    let known = |key: &str| match key.strip_suffix("_base64") {
        Some(name @ ("path" | "target")) => keys.contains(&name),
        // Exactly one of the two, as tested above.
        _ => key == KIND || key == OLD_KIND || keys.contains(&key),
    };
    if let Some(key) = object.keys().find(|key| !known(key)) {
        return Err(format!("\"{key}\" is not allowed here"));
    }
    Ok(object)
}

/// Returns an integer.
pub fn number(object: &Map<String, Value>, key: &str) -> Result<u64, String> {
    object[key].as_u64().ok_or_else(|| format!("\"{key}\" is not a non-negative integer"))
}

/// Returns the algorithm.
pub fn spec(object: &Map<String, Value>) -> Result<Spec, String> {
    let name = object["algorithm"].as_str().ok_or("\"algorithm\" is not a string")?;
    name.parse().map_err(|error: truesum::hash::SpecError| error.to_string())
}

/// Returns a hash.
pub fn digest(value: &Value) -> Result<Digest, String> {
    let text = value.as_str().unwrap_or_default();
    Digest::from_hex(text.as_bytes()).map_err(|_| "a hash is not hexadecimal".to_owned())
}
