//! Windows of a file mapped into memory, which saves the kernel's copy.
//!
//! A window has these methods on every system: `map(file, views)` maps views of a regular file, each with an offset and
//! a length; `bytes(view)` returns the bytes of one of them, which are what the file contains at the moment of access;
//! `intact()` returns whether all bytes came from the file. Systems without mapped reading return an error from `map`,
//! and the file must then be read instead.

pub use crate::sys::mapped::Window;
