//! A row of the table of drop-in replacements.

use std::ffi::OsString;
use std::process::ExitCode;

/// The name of a program and the function that runs its replacement.
#[derive(Clone, Copy, Debug)]
pub struct Applet {
    pub name: &'static str,
    pub run: fn(Call) -> ExitCode,
}

/// The call of a drop-in replacement.
#[derive(Debug)]
pub struct Call {
    /// The row's name.
    pub name: &'static str,
    /// The name as it was typed, with its path.
    pub called: OsString,
    pub arguments: Vec<OsString>,
}
