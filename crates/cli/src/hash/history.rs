//! The history of an ASC media hash list: a folder `ascmhl` contains the lists, and a chain file
//! with the digest of each. `hash` writes only the first list of a history; `update` adds others, after it has verified
//! the earlier ones.

use crate::exit::Refusal;
use crate::origin;
use crate::output::save;
use crate::values::path::folder_of;
use crate::words::path_word;
use std::fs;
use std::path::Path;
use truesum::Error;
use truesum::hash::Spec;
use truesum::manifest::path::display_safe;
use truesum::manifest::{Time, ascmhl_chain};
use truesum::open::read_companion;
use truesum_fs::name::OsStrExt;

/// The name of the chain file.
const CHAIN: &str = "ascmhl_chain.xml";

/// Returns the time and the host that a list records as its creation.
pub fn made() -> (Time, String) {
    (origin::now(), origin::host())
}

/// Tests whether the path is valid for the first list of a history, and creates its folder.
///
/// # Errors
/// Fails if the name or the folder is invalid, or if there is already a history.
pub fn prepare(path: &Path) -> Result<(), Refusal> {
    let shown = display_safe(path.as_os_str().as_bytes());
    let folder = folder_of(path);
    let name = path.file_name().unwrap_or_default().as_bytes();
    let fits = name.starts_with(b"0001_") && name.ends_with(b".mhl");
    if folder.file_name().is_none_or(|name| name != "ascmhl") || !fits {
        return Err(Refusal::with_hint(
            format!("-t ascmhl: {shown} is not a valid path for the first manifest of a history"),
            "to create a history: truesum hash -t ascmhl -o DIR/ascmhl/0001_NAME.mhl DIR",
        ));
    }
    let other = fs::read_dir(&folder).into_iter().flatten().flatten().find(|item| {
        let found = item.file_name();
        found.as_bytes() == CHAIN.as_bytes()
            || found.as_bytes().ends_with(b".mhl") && found.as_bytes() != name
    });
    if let Some(other) = other {
        let other = display_safe(other.file_name().as_bytes());
        return Err(Refusal::with_hint(
            format!("-t ascmhl: cannot create {shown}, because a history already exists ({other})"),
            format!("to add a list to the history: truesum update {}", path_word(&folder)),
        ));
    }
    match fs::create_dir(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(Refusal::new(Error::io(folder.as_os_str().as_bytes(), "create", error).to_string()))
        }
        _ => Ok(()),
    }
}

/// Writes the chain of a history whose first list was written.
///
/// # Errors
/// Fails if the list cannot be read or the chain cannot be written. The history then has no chain.
pub fn chain(path: &Path) -> Result<(), Error> {
    let list = read_companion(path)?;
    let sha512: Spec = "sha512".parse().expect("a row of the table of algorithms");
    let name = path.file_name().unwrap_or_default().as_bytes();
    let target = folder_of(path).join(CHAIN);
    let text = ascmhl_chain(name, sha512.digest(&list).as_bytes()).map_err(|why| {
        let why = truesum::Cause::Other(why.to_string());
        Error::new(target.as_os_str().as_bytes(), "write", why)
    })?;
    save(&target, &text)
}
