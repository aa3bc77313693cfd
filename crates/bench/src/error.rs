//! Why a benchmark could not be carried out.
//!
//! A message and not an enum: it is read by people, and no code depends on its kind.

use std::fmt;
use std::path::Path;

/// Why a benchmark could not be carried out: a message for people, in lower case, with the path concerned.
#[derive(Debug, PartialEq, Eq)]
pub struct Error(pub String);

impl Error {
    /// `PATH: ACTION: cause`.
    pub fn file(path: &Path, action: &str, cause: &std::io::Error) -> Error {
        Error(format!("{}: cannot {action}: {cause}", path.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
