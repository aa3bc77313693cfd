//! Drop-in replacements for the checksum programs of GNU coreutils 9.11.

mod check;
mod hardware;
mod hash;
mod help;
mod locale;
mod options;
mod program;
mod quote;
mod settings;

use super::row::{Applet, Call};
use crate::applet::streams::Streams;
use program::PROGRAMS;
use settings::Settings;
use std::ffi::OsString;
use std::process::ExitCode;
use truesum_fs::name::{OsStrExt, OsStringExt};

/// A row for each program.
pub(super) static PERSONALITIES: [Applet; PROGRAMS.len()] = {
    let mut rows = [Applet { name: "", run }; PROGRAMS.len()];
    let mut at = 0;
    while at < rows.len() {
        rows[at].name = PROGRAMS[at].name;
        at += 1;
    }
    rows
};

fn run(call: Call) -> ExitCode {
    let program =
        PROGRAMS.iter().find(|program| program.name == call.name).expect("the table contains all programs");
    let called = call.called.as_bytes();
    let mut streams = Streams::new(called);
    let arguments: Vec<Vec<u8>> = call.arguments.into_iter().map(OsString::into_vec).collect();
    let done = match Settings::new(program, called, &arguments) {
        Ok(settings) if settings.check => check::check(&settings, &mut streams),
        Ok(settings) => hash::hash(&settings, &mut streams),
        Err(stop) => stop.print(&mut streams),
    };
    streams.end(done)
}
