//! The events of a check, in the order of the manifests and their lines.

use crate::error::Error;
use crate::io::open::Root;
use crate::job::{FileResult, Outcome};
use crate::select::Unmatched;
use crate::task::BadLine;
use crate::verify::containers::seal::Seal;
use crate::verify::report::Checked;
use crate::verify::unexpected::search::Search;
use std::io;
use std::path::Path;

/// Receives the events of a check. Returning an error stops it.
pub type Observer<'t> = dyn FnMut(Event<'_>) -> io::Result<()> + 't;

/// An event of a check.
#[non_exhaustive]
pub enum Event<'e> {
    /// The outcome of an entry.
    Entry(&'e Manifest<'e>, &'e Outcome),
    /// An entry that is skipped because its file is missing, as requested.
    Ignored(&'e Manifest<'e>, &'e Outcome),
    /// An entry whose file is missing, and a file with its content under another name.
    Moved(&'e Manifest<'e>, &'e Outcome, &'e Moved<'e>),
    /// A file that has been, or would be, renamed to its name in the manifest.
    Renamed(&'e Renamed<'e>),
    /// A malformed line in a manifest.
    Malformed(&'e Manifest<'e>, &'e BadLine),
    /// The result for a manifest, after it was read as far as possible.
    Checked(&'e Manifest<'e>, &'e Checked),
    /// A signature that was verified ([`Options::public_key`](crate::Options::public_key)): that of the next manifest,
    /// or of a file.
    Signed(&'e Seal),
    /// A manifest, or the folder it refers to, could not be opened.
    Failed(&'e Error),
    /// Something that may be damage but does not affect the verdict.
    Doubtful(&'e Error),
    /// A file that is in no manifest: the folder searched, and the name relative to it.
    Unlisted(&'e Path, &'e Path),
    /// The end of the search for such files in one folder.
    Searched(&'e Search),
    /// A name that was required to be verified and was not.
    NotVerified(&'e Path),
    /// A requested name ([`Wanted::only`](crate::Wanted::only)) for which no entry was selected.
    Unmatched(&'e Unmatched<'e>),
    /// A symbolic link with the name of a manifest, which was not followed.
    PassedOver(&'e Path),
    /// Files that may be manifests and were not checked by a search of folders: the reason, their
    /// number, and the first one.
    NotUsed(NotUsed, u64, &'e Path),
    /// A detached signature, which was not read as a manifest.
    Signature(&'e Path),
    /// A file that failed when it was last read and was not read now, because it is scheduled for a later run.
    StillFailed(&'e Path),
    /// All results known so far have been reported; buffered output can be flushed.
    Pause,
}

/// Why a search of folders does not check a file that may be a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotUsed {
    /// Files of its format may describe files elsewhere, or files that are not complete yet.
    Format,
    /// It contains compressed JSON lines, which are not read to find out whether they are entries.
    Compressed,
    /// It contains JSON lines that are not entries.
    OtherLines,
    /// Its content is that of a manifest, but files that are not manifests have names like this.
    Name,
    /// It declares an OCFL object or storage root, which is checked only as a whole. The path is that of the folder.
    Ocfl,
}

readable! {
    /// A file under a name other than the one in the manifest.
    #[derive(Debug)]
    pub struct Moved<'m> {
        /// The name of the file, relative to the root.
        name: &'m Path,
        /// The result of reading it.
        found: &'m FileResult,
    }
}

readable! {
    /// The renaming of a file whose content matches the manifest under its new name.
    #[derive(Debug)]
    pub struct Renamed<'r> {
        /// The folder that both names are relative to.
        folder: &'r Path,
        /// The old name.
        from: &'r Path,
        /// The name in the manifest.
        to: &'r Path,
        /// The result, or `None` if the renaming is only reported.
        done: Option<Result<(), &'r Error>>,
    }
}

readable! {
    /// A manifest being checked.
    #[derive(Debug)]
    pub struct Manifest<'m> {
        /// The path as given.
        name: &'m Path,
        /// The root from which the names of its entries are resolved.
        root: &'m Root,
    }
}
