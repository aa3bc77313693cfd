//! Paths as they are given.

use clap::builder::{OsStringValueParser, TypedValueParser};
use std::path::{Path, PathBuf};

/// The name of a file to write.
pub fn output_file() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|name| match name.to_str() {
        Some("") => Err("no name"),
        // What is written to a stream is not there whole or not at all.
        Some("-") => Err("omit -o to write to standard output, or use ./- for a file of this name"),
        _ => Ok(PathBuf::from(name)),
    })
}

/// How the URLs of object stores begin.
const SCHEMES: [&[u8]; 3] = [b"s3://", b"gs://", b"az://"];

/// Whether a name is the URL of an object or of a folder of them. A file of such a name is `./s3:/...`.
pub fn is_url(name: &[u8]) -> bool {
    SCHEMES.iter().any(|scheme| name.starts_with(scheme))
}

/// The folder a file is in.
pub fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}
