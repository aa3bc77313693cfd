//! Names as bytes and as paths.
//!
//! Manifests contain bytes, and so do the names of files on Unix, where the two are the same. These traits have the
//! names and methods of those in the standard library.

pub use crate::sys::name::{
    BACKSLASH_SEPARATES, OsStrExt, OsStringExt, argument, check, entry_name, expanded, explanation,
    from_line, native, of, plain, program,
};
