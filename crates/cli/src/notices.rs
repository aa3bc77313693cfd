//! Reports what a walk skipped, with the same wording and level in every command.

use crate::console::Console;
use crate::options::Reporting;
use std::path::Path;
use truesum::Notice;
use truesum::manifest::path::display_safe;
use truesum_fs::name::OsStrExt;

/// The level at which a notice is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// Notes, which `--quiet` suppresses.
    Notes,
    /// Shown with `--verbose`.
    Verbose,
}

/// Words for what a command did not do with skipped devices and pipes, and with other skipped
/// files.
pub type NotDone = (&'static str, &'static str);

/// Reports a notice if its level is shown. Errors are always shown.
pub fn report(notice: &Notice, reporting: Reporting, (special, not_done): NotDone, console: &mut Console) {
    let safe = |path: &Path| display_safe(path.as_os_str().as_bytes());
    let (level, text) = match notice {
        Notice::Failed(error) => return console.failure(error),
        // Counted and reported by the code that reads the manifest.
        Notice::Malformed(_) => return,
        Notice::Link(path) => (Level::Verbose, format!("{}: symbolic link, not followed", safe(path))),
        Notice::Dangling(path) => (Level::Notes, format!("{}: broken symbolic link", safe(path))),
        Notice::Special(path, kind) => (Level::Notes, format!("{}: {kind}, {special}", safe(path))),
        Notice::Own(path) => (Level::Verbose, format!("{}: this run's own output, {not_done}", safe(path))),
        Notice::State(path) => {
            (Level::Verbose, format!("{}: state file of truesum scrub, {not_done}", safe(path)))
        }
        Notice::Temporary(path) => {
            (Level::Verbose, format!("{}: temporary file of another truesum run, {not_done}", safe(path)))
        }
    };
    let shown = match level {
        Level::Notes => reporting.notes,
        Level::Verbose => reporting.notes && reporting.verbose,
    };
    if shown {
        console.note(&text);
    }
}
