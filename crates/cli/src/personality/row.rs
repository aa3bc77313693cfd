//! What a row of the table of personalities is.

use std::ffi::OsString;
use std::process::ExitCode;

/// A name, and what truesum does under it.
#[derive(Clone, Copy, Debug)]
pub struct Personality {
    pub name: &'static str,
    pub run: fn(Call) -> ExitCode,
}

/// How a personality was called.
#[derive(Debug)]
pub struct Call {
    /// The row's name.
    pub name: &'static str,
    /// The name as it was typed, with its path.
    pub called: OsString,
    pub arguments: Vec<OsString>,
}
