//! What a check tells, in the order of the manifests and their lines.

use crate::error::Error;
use crate::io::open::Root;
use crate::job::{Found, Outcome};
use crate::task::BadLine;
use crate::verify::report::Checked;
use crate::verify::seal::Seal;
use crate::verify::unlisted::Search;
use std::path::Path;

/// Something that a check tells.
pub enum Event<'e> {
    /// An entry, and what became of it.
    Entry(&'e Manifest<'e>, &'e Outcome),
    /// An entry whose file is not there, passed over as asked.
    Ignored(&'e Manifest<'e>, &'e Outcome),
    /// An entry whose file is not there, and what was found under another name with its content.
    Moved(&'e Manifest<'e>, &'e Outcome, &'e Moved<'e>),
    /// A file that is to have, or has got, the name it is listed under.
    Renamed(&'e Renamed<'e>),
    /// A line of a manifest that is no entry.
    Malformed(&'e Manifest<'e>, &'e BadLine),
    /// A manifest was read, as far as it could be, and what it came to.
    Checked(&'e Manifest<'e>, &'e Checked),
    /// A signature that was verified ([`Options::public_key`](crate::Options::public_key)): of the manifest that comes next, or of
    /// a file.
    Signed(&'e Seal),
    /// A manifest that could not be opened, or the folder it speaks of.
    Failed(&'e Error),
    /// What changes no verdict, and may be damage all the same.
    Doubtful(&'e Error),
    /// A file that no manifest lists: the folder searched, and the name relative to it.
    Unlisted(&'e Path, &'e Path),
    /// The search for such files in one folder ended.
    Searched(&'e Search),
    /// A name that had to be verified and was not.
    NotVerified(&'e Path),
    /// A name asked for ([`Wanted::only`](crate::Wanted::only)) that matches no entry.
    Unmatched(&'e Path),
    /// A symbolic link that is called like a manifest, and was not followed.
    PassedOver(&'e Path),
    /// Files that are named like manifests of formats that a search of folders does not check: how many, and the first.
    NotUsed(u64, &'e Path),
    /// A file that is called as the signature of a manifest, and was not read.
    Signature(&'e Path),
    /// A file that failed when it was read last, and that was not read now: its turn is another time.
    StillFailed(&'e Path),
    /// All that is known by now was told: the time to flush what was buffered.
    Pause,
}

/// A file under another name than it is listed under.
#[derive(Debug)]
pub struct Moved<'m> {
    /// Its name, relative to the root.
    pub name: &'m Path,
    /// What was found in it.
    pub found: &'m Found,
}

/// A rename of a file that was found to be what is listed under its new name.
#[derive(Debug)]
pub struct Renamed<'r> {
    /// The folder that both names are relative to.
    pub folder: &'r Path,
    /// The name it had.
    pub from: &'r Path,
    /// The name it is listed under.
    pub to: &'r Path,
    /// Whether it was renamed; nothing where that is only told.
    pub done: Option<Result<(), &'r Error>>,
}

/// A manifest being checked.
#[derive(Debug)]
pub struct Manifest<'m> {
    /// Its name, as it was given.
    pub name: &'m Path,
    /// Where the names of its entries lead.
    pub root: &'m Root,
}
