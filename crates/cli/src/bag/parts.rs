//! Types and functions for all steps of writing a bag: the request, names, atomic writes, and
//! reasons to stop.

use crate::console::Console;
use crate::exit::Refusal;
use crate::output::save;
use crate::words::path_word;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use truesum::hash::Spec;
use truesum::manifest::path::display_safe;
use truesum::manifest::{Options, Reader};
use truesum::update::Consent;
use truesum::verify::bag::is_part;
use truesum::{Error, Root};
use truesum_fs::name::OsStrExt;

/// A request to create or update a bag.
pub struct Bag {
    pub purpose: Purpose,
    /// The options to repeat in a command that a hint shows, with a space after each.
    pub options: String,
    /// Labels and values to write to `bag-info.txt`.
    pub info: Vec<(String, String)>,
    /// Whether the user specified algorithms. Otherwise a bag keeps those that it has.
    pub named: bool,
}

/// Whether the bag must already exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Create one. `in_place` first moves everything in the folder to the payload.
    Create { in_place: bool },
    /// Update the manifests of a bag, with these changes of existing entries.
    Update(Allowed),
}

/// The changes of existing entries that were requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Accept modified files.
    pub refresh: Consent,
    /// Remove entries of deleted files.
    pub prune: bool,
    /// Whether the command has options for that.
    pub is_update: bool,
}

impl Allowed {
    /// Prints how to accept modified and deleted files.
    pub fn advise(self, place: &Place, is_modified: bool, is_lost: bool, console: &mut Console) {
        if !self.is_update {
            return console.hint("to record the current content, delete the existing manifests first");
        }
        let refresh = match self.refresh {
            Consent::Withheld if is_modified => "--refresh ",
            Consent::Withheld => "",
            Consent::Safe if !is_modified => "--refresh ",
            Consent::Safe | Consent::All => "--refresh=all ",
        };
        let prune = if is_lost || self.prune { "--prune " } else { "" };
        let what = match (is_modified, is_lost) {
            (true, true) => "to accept modified and deleted files",
            (false, true) => "to remove the entries of deleted files",
            _ if self.refresh == Consent::Safe => {
                "modified files that are not newer than the manifests may be corrupt; to accept them anyway"
            }
            _ => "to accept modified files",
        };
        console.hint(&format!("{what}: {}", place.command(&format!("update {refresh}{prune}"))));
    }
}

/// The folder of a bag.
pub struct Place {
    /// As specified by the user.
    pub folder: PathBuf,
    /// Its canonical path.
    pub real: PathBuf,
    /// Whether symbolic links in the payload are followed.
    pub follow: bool,
    /// The options to repeat in a command that a hint shows, with a space after each.
    pub options: String,
}

impl Place {
    /// Returns a command for this folder that begins with `words` and has the options of the user.
    pub fn command(&self, words: &str) -> String {
        // The option --in-place excludes --follow.
        let follow = if self.follow && !words.contains("--in-place") { "-L " } else { "" };
        format!("truesum bag {} {follow}{}{}", words.trim_end(), self.options, path_word(&self.folder))
    }

    /// Returns why the file at `path` cannot be in a bag because of a symbolic link. The target of a link must be a file
    /// in the folder `within` of the bag, because a check accepts nothing else.
    pub fn link_fault(&self, path: &[u8], within: &str) -> Option<&'static str> {
        let below = Path::new(OsStr::from_bytes(path)).strip_prefix(&self.folder).ok()?;
        let listed = self.real.join(below);
        let Ok(target) = std::fs::canonicalize(&listed) else {
            return Some("cannot be in a bag: it is a symbolic link whose target does not exist");
        };
        if target == listed {
            return None;
        }
        let folder = listed.parent()?;
        if !target.starts_with(self.real.join(within)) {
            return Some(
                "cannot be in a bag: it is a symbolic link whose target is outside the bag or its payload",
            );
        }
        if target.is_dir() || std::fs::canonicalize(folder).ok()? != folder {
            return Some("cannot be in a bag: it is reached through a symbolic link to a folder");
        }
        let is_top = target.parent() == Some(&self.real);
        let is_written = is_part(&target) || target.file_name().is_some_and(|name| name == "bag-info.txt");
        if is_top && is_written {
            return Some("cannot be in a bag: it is a symbolic link to a file that truesum rewrites");
        }
        let root = Root::folder(&self.real, false);
        let is_followed = root.is_ok_and(|root| root.stat(below.as_os_str().as_bytes(), true).is_ok());
        (!is_followed).then_some(
            "cannot be in a bag: it is a symbolic link, and checks do not follow links on this system",
        )
    }
}

/// The prefix of journals: tag manifests of the files that are about to be replaced, by which the next run recognizes
/// what an interrupted one wrote.
const JOURNAL: &str = ".truesum-";

/// Returns the name of the journal with digests of this algorithm.
///
/// # Errors
/// Fails if bags do not support the algorithm.
pub fn journal_name(spec: &Spec) -> Result<String, Refusal> {
    Ok(format!("{JOURNAL}tag{}", manifest_name(spec)?))
}

/// Returns whether this is the name of a journal.
pub fn is_journal(name: &OsStr) -> bool {
    let manifest = name.as_bytes().strip_prefix(JOURNAL.as_bytes());
    manifest.is_some_and(|name| name.starts_with(b"tag") && is_part(Path::new(OsStr::from_bytes(name))))
}

/// The declaration of a new bag.
pub const DECLARED: &[u8] = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";
/// The folder of the payload.
pub const DATA: &str = "data";

/// The reason why a bag was not created or updated.
pub enum BagError {
    Refused(Refusal),
    Failed(Error),
    /// Files that cannot be in the bag, which were reported already.
    Reported,
    /// A signal; nothing was written.
    Interrupted,
}

impl From<Refusal> for BagError {
    fn from(refusal: Refusal) -> BagError {
        BagError::Refused(refusal)
    }
}

impl From<Error> for BagError {
    fn from(error: Error) -> BagError {
        BagError::Failed(error)
    }
}

pub fn shown(path: &Path) -> String {
    display_safe(path.as_os_str().as_bytes())
}

pub fn refused(path: &Path, why: &str) -> BagError {
    BagError::Refused(Refusal::new(format!("{}: {why}", shown(path))))
}

/// Appends an algorithm unless it is already in the list.
pub fn once(mut all: Vec<Spec>, spec: &Spec) -> Vec<Spec> {
    if !all.contains(spec) {
        all.push(spec.clone());
    }
    all
}

/// Returns whether a file of any type has this name, including a dangling link.
pub fn exists(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

/// Returns the error with the path as the user knows it.
pub fn named(error: Error, path: &Path) -> Error {
    error.with_name(path.as_os_str().as_bytes())
}

/// Writes a file of the bag atomically. Fails if its name is that of anything other than a regular
/// file, such as a link.
pub fn place(path: &Path, text: &[u8]) -> Result<(), BagError> {
    plain(path)?;
    save(path, text).map_err(|error| BagError::Failed(named(error, path)))
}

/// Refuses to replace anything other than a regular file.
pub fn plain(path: &Path) -> Result<(), BagError> {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            Err(refused(path, "not replaced, because it is not a regular file"))
        }
        _ => Ok(()),
    }
}

/// Returns the name of the manifest for an algorithm, in lower case without hyphens. Readers must
/// be able to determine the algorithm from it.
pub fn manifest_name(spec: &Spec) -> Result<String, Refusal> {
    let plain: String = spec.to_string().chars().filter(char::is_ascii_alphanumeric).collect();
    let bits = format!("{plain}{}", spec.digest_len() * 8);
    [plain, bits]
        .into_iter()
        .map(|name| format!("manifest-{}.txt", name.to_ascii_lowercase()))
        .find(|name| {
            let line = [spec.digest(b"").to_hex().as_bytes(), b"  data/x\n"].concat();
            let found = Reader::new(&line[..], Options::for_name(name.as_bytes())).next();
            found.is_some_and(|line| line.is_ok_and(|line| line.entry.digests[0].0 == *spec))
        })
        .ok_or_else(|| {
            Refusal::with_hint(
                format!("{spec}: not available for bags"),
                "use sha512, sha256, sha3-256, blake2b or blake3",
            )
        })
}
