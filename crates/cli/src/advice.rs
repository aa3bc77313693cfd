//! What the user can do about a failure, in words that name options of this program.

use truesum::{Error, Kind};

/// Advice on an error, where there is some.
pub fn on(error: &Error) -> Option<&'static str> {
    match error.kind() {
        Kind::OutsideRoot => Some("--allow-outside reads it all the same; --root DIR widens the folder"),
        // What a socket carries has no name to open.
        Kind::Special if error.reason().ends_with("socket") => None,
        Kind::Special => Some("truesum hash --special and check --special read devices and pipes too"),
        Kind::Changed => Some("try again when nothing writes to it"),
        Kind::Device => {
            Some("the device reports a read error: see its log (dmesg, smartctl) and copy what can be saved")
        }
        Kind::NoManifest => Some("truesum check --expect DIGEST FILE compares a file with one digest"),
        Kind::Missing
        | Kind::Denied
        | Kind::Directory
        | Kind::Loop
        | Kind::Interrupted
        | Kind::Undivided
        | Kind::Other => None,
    }
}
