//! Names as bytes and as paths.
//!
//! Manifests contain bytes, and so do the names of files on Unix, where the two are the same. These traits have the
//! names and methods of those in the standard library.

pub use crate::sys::name::{
    OsStrExt, OsStringExt, argument, entry_name, expanded, from_line, native, plain, program,
};
