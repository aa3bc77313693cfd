//! Parts shared by the modules that create bags: the request, names, atomic writing, and the
//! reasons to stop.

use crate::exit::Refusal;
use crate::output::save;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use truesum::Error;
use truesum::hash::Spec;
use truesum::manifest::path::display_safe;
use truesum::manifest::{Options, Reader};

/// A request to create or update a bag.
pub struct Bag {
    pub purpose: Purpose,
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
    /// Add what an existing bag lacks.
    Update,
}

/// The declaration of a new bag.
pub const DECLARED: &[u8] = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";
/// The folder of the payload.
pub const DATA: &str = "data";

/// The reason why a bag was not created or updated.
pub enum Stop {
    Refused(Refusal),
    Failed(Error),
    /// The reason was already reported.
    Reported,
    /// A signal ended the run. The value is whether anything was written before.
    Interrupted(bool),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Refused(refusal)
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Failed(error)
    }
}

pub fn shown(path: &Path) -> String {
    display_safe(path.as_os_str().as_bytes())
}

pub fn refused(path: &Path, why: &str) -> Stop {
    Stop::Refused(Refusal::new(format!("{}: {why}", shown(path))))
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
    Error { path: path.as_os_str().as_bytes().to_vec(), ..error }
}

/// Writes a file of the bag atomically. Fails if its name is that of anything other than a regular
/// file, such as a link.
pub fn place(path: &Path, text: &[u8]) -> Result<(), Stop> {
    plain(path)?;
    save(path, text).map_err(|error| Stop::Failed(named(error, path)))
}

/// Refuses to replace anything other than a regular file.
pub fn plain(path: &Path) -> Result<(), Stop> {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            Err(refused(path, "it is not a regular file, and is not replaced"))
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
