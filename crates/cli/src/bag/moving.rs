//! Turns the contents of a folder into the payload of a bag: everything is moved to a staging
//! folder, which is then renamed to `data`.
//!
//! A run that is killed leaves the staging folder, or the marker, which shows that everything was
//! moved. The next run resumes from either. Removing the marker is the last step, so that the same
//! command also recognizes a bag that it had completed.

use super::parts::{BagError, DATA, DECLARED, Place, exists, place, refused, shown};
use crate::exit::Refusal;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use truesum::open::read_companion;
use truesum::verify::bag::DECLARATION;
use truesum::write::sync_folder;
use truesum::{Error, FileId};
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;

/// The staging folder, which is renamed to `data` when it is complete.
const STAGE: &str = ".truesum-bag";
/// The marker of an unfinished bag whose payload is in `data`. Its content is that of a declaration.
pub const MARKER: &str = ".truesum-bagit.txt";

/// The items to move.
pub struct PendingMoves {
    names: BTreeSet<OsString>,
}

/// Returns what must be moved before the payload is in `data`; `None` if it is already there.
///
/// # Errors
/// Fails if the payload is elsewhere and moving was not requested, if moving was requested although
/// `data` exists, or if an existing bag has no `data`.
pub fn plan(at: &Place, requested: bool, is_new: bool) -> Result<Option<PendingMoves>, BagError> {
    let folder = &at.folder;
    let (data, stage) = (folder.join(DATA), folder.join(STAGE));
    let is_dir = |path: &Path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    let refuse = |why: &str, hint: &str| {
        Err(BagError::Refused(Refusal::with_hint(format!("{}: {why}", shown(folder)), hint)))
    };
    if is_dir(&data) && (!requested || is_moved(folder)) {
        return Ok(None);
    }
    if exists(&data) && !is_dir(&data) {
        return refuse(
            "the folder contains a file named data, but the payload must be in a subfolder named data",
            "rename the file named data, then run the command again",
        );
    }
    if is_dir(&data) {
        return refuse(
            "the folder already contains a subfolder named data",
            "to use data as the payload and the other files as tag files, omit --in-place",
        );
    }
    if !is_new {
        return refuse("the bag has no data folder", "restore the data folder, which contains the payload");
    }
    if !requested {
        return refuse(
            "the folder has no subfolder named data for the payload",
            &format!("to move all files into such a subfolder first: {}", at.command("create --in-place")),
        );
    }
    if is_dir(&stage) {
        // An earlier run was interrupted here: move the remaining items now and read them in
        // `data`.
        PendingMoves { names: names(folder)? }.carry_out(folder, &[])?;
        return Ok(None);
    }
    Ok(Some(PendingMoves { names: names(folder)? }))
}

fn names(folder: &Path) -> Result<BTreeSet<OsString>, BagError> {
    let list = || -> std::io::Result<BTreeSet<OsString>> {
        fs::read_dir(folder)?.map(|item| item.map(|item| item.file_name())).collect()
    };
    let mut names = list().map_err(|error| Error::io(folder.as_os_str().as_bytes(), "list", error))?;
    if names.remove(&OsString::from(STAGE)) && is_moved(folder) {
        names.remove(&OsString::from(MARKER));
    }
    Ok(names)
}

/// Returns whether an unfinished run left its marker in a folder.
pub fn is_moved(folder: &Path) -> bool {
    let marker = folder.join(MARKER);
    let is_file = fs::symlink_metadata(&marker).is_ok_and(|metadata| metadata.is_file());
    is_file && read_companion(&marker).is_ok_and(|text| text == DECLARED)
}

/// Declares the folder to be a bag, after everything else was written. From before the declaration until [`remove_marker`], the
/// folder has the marker, even if nothing was moved: the same command must recognize the bag if this run is killed. Another
/// file of that name is kept.
///
/// # Errors
/// Fails if the marker or the declaration cannot be written.
pub fn declare(folder: &Path) -> Result<(), BagError> {
    let marker = folder.join(MARKER);
    if !exists(&marker) {
        place(&marker, DECLARED)?;
    }
    place(&folder.join(DECLARATION), DECLARED)
}

/// Removes the marker from a complete bag.
///
/// # Errors
/// Fails if the marker cannot be removed.
pub fn remove_marker(folder: &Path) -> Result<(), BagError> {
    if !is_moved(folder) {
        return Ok(());
    }
    let marker = folder.join(MARKER);
    let removed = fs::remove_file(&marker);
    removed.map_err(|error| Error::io(marker.as_os_str().as_bytes(), "remove", error).into())
}

impl PendingMoves {
    /// Moves everything. `own` are files of this run, which may already be visible in the folder.
    ///
    /// # Errors
    /// Fails if the contents of the folder have changed since the plan was made, or with the
    /// system's error.
    pub fn carry_out(self, folder: &Path, own: &[FileId]) -> Result<(), BagError> {
        let (data, stage) = (folder.join(DATA), folder.join(STAGE));
        let is_own = |name: &OsString| {
            let metadata = Metadata::of_link(folder.join(name));
            metadata.is_ok_and(|metadata| own.contains(&metadata.id()))
        };
        let mut now = names(folder)?;
        now.retain(|name| !is_own(name));
        if now != self.names {
            return Err(refused(
                folder,
                "nothing was moved, because the contents of the folder changed while the files were being read",
            ));
        }
        let fail = |path: &Path, error| {
            let hint = "run the same command again to resume";
            let error = Error::io(path.as_os_str().as_bytes(), "move", error);
            BagError::Refused(Refusal::with_hint(error.to_string(), hint))
        };
        if !stage.is_dir() {
            fs::create_dir(&stage).map_err(|error| fail(&stage, error))?;
        }
        for name in &self.names {
            let (from, to) = (folder.join(name), stage.join(name));
            if exists(&to) {
                return Err(refused(&to, "a file with this name already exists and would be overwritten"));
            }
            fs::rename(&from, &to).map_err(|error| fail(&from, error))?;
        }
        place(&folder.join(MARKER), DECLARED)?;
        fs::rename(&stage, &data).map_err(|error| fail(&data, error))?;
        sync_folder(folder).map_err(|error| fail(folder, error))
    }
}
