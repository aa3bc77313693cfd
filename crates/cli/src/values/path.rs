//! Paths in arguments.

use clap::builder::{OsStringValueParser, TypedValueParser};
use std::path::{Path, PathBuf};
use truesum_fs::name::argument;

/// Parses the name of a file to write.
pub fn output_file() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|name| match name.to_str() {
        Some("") => Err("the name is empty"),
        // A stream cannot be written atomically.
        Some("-") => Err("omit -o to write to standard output, or use ./- to write to a file named -"),
        _ => Ok(PathBuf::from(argument(name))),
    })
}

/// The prefixes of URLs of object stores.
const SCHEMES: [&[u8]; 3] = [b"s3://", b"gs://", b"az://"];

/// Returns whether a name is the URL of an object or of a folder of objects. A file with such a
/// name is written `./s3:/...`. As in other URLs, the case of the scheme is irrelevant.
pub fn is_url(name: &[u8]) -> bool {
    begins_with_any(name, &SCHEMES)
}

/// Returns whether a name is the URL of a file on a web server.
pub fn is_web_url(name: &[u8]) -> bool {
    begins_with_any(name, &[b"https://", b"http://", b"ftp://"])
}

fn begins_with_any(name: &[u8], schemes: &[&[u8]]) -> bool {
    let begins =
        |scheme: &&[u8]| name.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    schemes.iter().any(begins)
}

/// Returns the folder of a file.
pub fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}
