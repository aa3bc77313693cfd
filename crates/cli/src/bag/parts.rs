//! What all of making a bag needs: what is asked, names, files written whole, and why it stops.

use crate::exit::Refusal;
use crate::output::save;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use truesum::Error;
use truesum::hash::Spec;
use truesum::manifest::path::display_safe;
use truesum::manifest::{Options, Reader};

/// What is asked of a bag.
pub struct Bag {
    pub purpose: Purpose,
    /// What `bag-info.txt` is to say: labels and values.
    pub info: Vec<(String, String)>,
    /// Whether algorithms were named. If not, a bag keeps those that it has.
    pub named: bool,
}

/// Whether there has to be a bag already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Create one. `in_place` first moves everything in the folder to the payload.
    Create { in_place: bool },
    /// Add what an existing bag lacks.
    Update,
}

/// What the declaration of a new bag says.
pub const DECLARED: &[u8] = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";
/// The folder of the payload.
pub const DATA: &str = "data";

/// Why a bag was not made.
pub enum Stop {
    Refused(Refusal),
    Failed(Error),
    /// It was told already.
    Told,
    /// By a signal; whether something was written before.
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

/// Appends what is not there yet.
pub fn once(mut all: Vec<Spec>, spec: &Spec) -> Vec<Spec> {
    if !all.contains(spec) {
        all.push(spec.clone());
    }
    all
}

/// Whether anything is called so, a dangling link too.
pub fn exists(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}

/// The error with the name that the user knows.
pub fn named(error: Error, path: &Path) -> Error {
    Error { path: path.as_os_str().as_bytes().to_vec(), ..error }
}

/// Writes a file of the bag, whole or not at all. A link is not written through.
pub fn place(path: &Path, text: &[u8]) -> Result<(), Stop> {
    plain(path)?;
    save(path, text).map_err(|error| Stop::Failed(named(error, path)))
}

/// Refuses to write where something else than a file lies.
pub fn plain(path: &Path) -> Result<(), Stop> {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            Err(refused(path, "it is not a regular file, and is not replaced"))
        }
        _ => Ok(()),
    }
}

/// The name of the manifest of an algorithm, which alone tells it: in small letters, without dashes.
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
