//! The history of an ASC media hash list: lists lie in a folder `ascmhl`, and a chain names each with its digest. The first list
//! of a history is written; to go on with one that is there, its earlier lists would have to be verified first.

use crate::exit::Refusal;
use crate::origin;
use crate::output::save;
use crate::values::path::folder_of;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use truesum::Error;
use truesum::hash::Spec;
use truesum::manifest::path::display_safe;
use truesum::manifest::{Time, ascmhl_chain};

/// The file that names all lists of a history.
const CHAIN: &str = "ascmhl_chain.xml";

/// Returns the time and the host that a list records as its creation.
pub fn made() -> (Time, String) {
    (origin::now(), origin::host())
}

/// Refuses a place where the first list of a history cannot be, and makes the folder where it can.
///
/// # Errors
/// Another folder, another name, or there is a history already.
pub fn prepare(path: &Path) -> Result<(), Refusal> {
    let shown = display_safe(path.as_os_str().as_bytes());
    let folder = folder_of(path);
    let name = path.file_name().unwrap_or_default().as_bytes();
    let fits = name.starts_with(b"0001_") && name.ends_with(b".mhl");
    if folder.file_name().is_none_or(|name| name != "ascmhl") || !fits {
        return Err(Refusal::with_hint(
            format!("-t ascmhl: {shown}: not a valid path for the first list of a history"),
            "truesum hash -t ascmhl -o DIR/ascmhl/0001_NAME.mhl DIR",
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
            format!("-t ascmhl: {shown}: a history already exists: {other}"),
            "to add a list to the history: ascmhl create",
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
/// The list cannot be read, or the chain not be written: then the history has none.
pub fn chain(path: &Path) -> Result<(), Error> {
    let list = fs::read(path).map_err(|error| Error::io(path.as_os_str().as_bytes(), "read", error))?;
    let sha512: Spec = "sha512".parse().expect("a row of the table of algorithms");
    let name = path.file_name().unwrap_or_default().as_bytes();
    let target = folder_of(path).join(CHAIN);
    let text = ascmhl_chain(name, sha512.digest(&list).as_bytes()).map_err(|why| {
        let why = truesum::Cause::Other(why.to_string());
        Error::new(target.as_os_str().as_bytes(), "write", why)
    })?;
    save(&target, &text)
}
