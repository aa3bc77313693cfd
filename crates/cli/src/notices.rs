//! What is reported of things that a walk passed over: one wording and one level for each, whichever command walks.

use crate::console::Console;
use crate::options::Tell;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use truesum::Notice;
use truesum::manifest::path::display_safe;

/// What must be shown for a notice to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// Notes, which `--quiet` silences.
    Notes,
    /// What `--verbose` adds.
    Verbose,
}

/// What a command does not do with what it passes over: with devices and pipes, and with other things.
pub type NotDone = (&'static str, &'static str);

/// Reports a notice, if its level is shown. Errors always are.
pub fn report(notice: &Notice, tell: Tell, (special, not_done): NotDone, console: &mut Console) {
    let safe = |path: &Path| display_safe(path.as_os_str().as_bytes());
    let (level, text) = match notice {
        Notice::Failed(error) => return console.failure(error),
        // Counted by whoever reads the manifest, and named with it there.
        Notice::Malformed(_) => return,
        Notice::Link(path) => (Level::Verbose, format!("{}: symbolic link, not followed", safe(path))),
        Notice::Dangling(path) => (Level::Notes, format!("{}: broken symbolic link", safe(path))),
        Notice::Special(path, kind) => (Level::Notes, format!("{}: {kind}, {special}", safe(path))),
        Notice::Own(path) => (Level::Verbose, format!("{}: this run's own output, {not_done}", safe(path))),
        Notice::Temporary(path) => {
            (Level::Verbose, format!("{}: temporary file of truesum, {not_done}", safe(path)))
        }
    };
    let shown = match level {
        Level::Notes => tell.notes,
        Level::Verbose => tell.notes && tell.verbose,
    };
    if shown {
        console.note(&text);
    }
}
