//! Names of files, which are bytes.

pub use std::os::unix::ffi::{OsStrExt, OsStringExt};
