//! Names of an imported manifest, which are relative to a folder that may differ from the tree.

use crate::error::{Cause, Error, StateFault};
use crate::progress::Progress;
use crate::select::names::plain;
use crate::select::rules::below;
use crate::verify::listed_jobs::{ListItem, listed_jobs};
use crate::verify::options::ReadOptions;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use truesum_fs::name::{OsStrExt, entry_name};
use truesum_manifest::Rule;
use truesum_manifest::path::{display_safe, within_root};

/// The maximum number of entries for which [`import_root`] searches.
const MOST: usize = 1000;

/// Converts names relative to one folder to names relative to a tree.
pub(crate) struct Conversion {
    /// The tree.
    tree: PathBuf,
    /// The folder that names are relative to.
    folder: PathBuf,
    /// The start of a name that is removed, and the one that is added; each is empty or ends in a slash. `None` if
    /// neither folder contains the other.
    change: Option<(Vec<u8>, Vec<u8>)>,
}

impl Conversion {
    /// Returns the conversion of names relative to `folder` to names relative to `tree`.
    ///
    /// # Errors
    /// Fails if one of the folders cannot be opened.
    pub(crate) fn new(folder: &Path, tree: &Path) -> Result<Conversion, Error> {
        let [from, to] = [absolute(folder)?, absolute(tree)?];
        let rest = |path: &Path, start: &Path| {
            let rest = entry_name(path.strip_prefix(start).ok()?.to_owned());
            Some(if rest.is_empty() { rest } else { [&rest[..], b"/"].concat() })
        };
        let change = match rest(&to, &from) {
            Some(removed) => Some((removed, Vec::new())),
            None => rest(&from, &to).map(|added| (Vec::new(), added)),
        };
        Ok(Conversion { tree: tree.to_owned(), folder: folder.to_owned(), change })
    }

    /// Returns the name in the tree; `None` if the name leads out of the tree or out of its folder.
    pub(crate) fn key(&self, name: &[u8]) -> Option<Vec<u8>> {
        let name = plain(name);
        if within_root(&name).is_err() || name.split(|&byte| byte == b'/').any(|part| part == b"..") {
            return None;
        }
        let (removed, added) = self.change.as_ref()?;
        let rest = name.strip_prefix(&removed[..]).filter(|rest| !rest.is_empty())?;
        Some([added, rest].concat())
    }

    /// Returns the rules for names in the tree; `None` if there are none that select the same files.
    pub(crate) fn rules(&self, rules: &[Rule]) -> Option<Vec<Rule>> {
        match self.change.as_ref()? {
            (removed, added) if added.is_empty() => {
                let folder = std::str::from_utf8(removed).ok()?;
                rules.iter().map(|rule| below(rule, folder)).collect()
            }
            // The rules do not apply to the rest of the tree.
            _ => rules.is_empty().then(Vec::new),
        }
    }

    /// Returns whether something has this name in the tree.
    pub(crate) fn exists(&self, key: &[u8]) -> bool {
        self.tree.join(OsStr::from_bytes(key)).symlink_metadata().is_ok()
    }

    /// Returns the error for names that are not those of files in the tree. `what` is a clause such as "a is not".
    pub(crate) fn mismatch(&self, manifest: &Path, what: &str) -> Error {
        let shown = |path: &Path| display_safe(path.as_os_str().as_bytes());
        let (tree, folder) = (shown(&self.tree), shown(&self.folder));
        let why = format!("{what} in {tree}; names are relative to {folder}");
        let cause = Cause::State(StateFault::OtherNames, why);
        Error::new(manifest.as_os_str().as_bytes(), "import names", cause)
    }
}

fn absolute(folder: &Path) -> Result<PathBuf, Error> {
    folder.canonicalize().map_err(|error| Error::io(folder.as_os_str().as_bytes(), "open", error))
}

/// Searches for the folder that the names of a manifest must be relative to, so that one of them is the name of a file in
/// `tree`: the tree itself or a folder that contains it. Returns `None` if the options specify that folder already.
pub fn import_root(manifest: &Path, tree: &Path, options: &ReadOptions) -> Option<PathBuf> {
    let path = tree.canonicalize().ok()?;
    let candidates =
        path.ancestors().filter_map(|folder| Some((folder, Conversion::new(folder, tree).ok()?)));
    let candidates: Vec<(&Path, Conversion)> = candidates.collect();
    let (mut found, mut entries) = (None, 0);
    // An error ends the search, so it needs no handling.
    let _ = listed_jobs(manifest, options, &Progress::default(), &mut Vec::new(), &mut |item| {
        let (ListItem::Entry(job, _) | ListItem::Pieced(job, _)) = item else { return Ok(()) };
        let is_root =
            |conversion: &Conversion| conversion.key(job.path()).is_some_and(|key| conversion.exists(&key));
        found = candidates.iter().find(|(_, conversion)| is_root(conversion)).map(|(folder, _)| *folder);
        entries += 1;
        if found.is_some() || entries == MOST { Err(io::Error::other("the search is over")) } else { Ok(()) }
    });
    let current = options.folder(manifest).canonicalize().ok();
    let found = found.filter(|folder| current.as_deref() != Some(*folder))?;
    Some(if found == path { tree.to_owned() } else { found.to_owned() })
}
