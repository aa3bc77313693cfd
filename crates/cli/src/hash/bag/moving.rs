//! What is in a folder becomes the payload of a bag: everything is moved into one folder, which is then called `data`.
//!
//! Nothing is read or written by that. A run that ends between leaves a folder of one known name, and the next one goes on.

use super::parts::{DATA, Stop, exists, refused, shown};
use crate::exit::Refusal;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use truesum::Error;

/// The folder that becomes `data` once all is in it.
const STAGE: &str = ".truesum-bag";

/// What is to be moved.
pub struct Moving {
    names: BTreeSet<OsString>,
}

/// What is to be moved before the payload lies where it belongs; nothing where it does.
///
/// # Errors
/// It lies elsewhere, and nobody asked for moving it; or it lies there, and somebody did.
pub fn plan(folder: &Path, asked: bool, is_new: bool) -> Result<Option<Moving>, Stop> {
    let (data, stage) = (folder.join(DATA), folder.join(STAGE));
    let is_dir = |path: &Path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    let refuse = |why: &str, hint: &str| {
        Err(Stop::Refused(Refusal::with_hint(format!("{}: {why}", shown(folder)), hint)))
    };
    if !is_new && asked {
        return refuse("it is already a bag", "to complete a bag, omit --in-place");
    }
    if is_dir(&data) && !asked {
        return Ok(None);
    }
    if exists(&data) {
        return refuse(
            "it already contains something named data",
            "without --in-place, data is the payload and the other files are tag files",
        );
    }
    if !is_new {
        return refuse("a bag without a data folder", "its payload is required");
    }
    if !asked {
        return refuse(
            "it has no folder named data for the payload",
            "to move all files of the folder there first, use --in-place",
        );
    }
    if is_dir(&stage) {
        // An earlier run was ended here: what it left is moved first, and then read where it lies.
        Moving { names: names(folder)? }.carry_out(folder, &[])?;
        return Ok(None);
    }
    Ok(Some(Moving { names: names(folder)? }))
}

fn names(folder: &Path) -> Result<BTreeSet<OsString>, Stop> {
    let list = || -> std::io::Result<BTreeSet<OsString>> {
        fs::read_dir(folder)?.map(|item| item.map(|item| item.file_name())).collect()
    };
    let mut names = list().map_err(|error| Error::io(folder.as_os_str().as_bytes(), "list", error))?;
    names.remove(&OsString::from(STAGE));
    Ok(names)
}

impl Moving {
    /// Moves everything. `own` are files of this run, which may have names by now.
    ///
    /// # Errors
    /// The folder has something else in it than when this was planned; the system's.
    pub fn carry_out(self, folder: &Path, own: &[(u64, u64)]) -> Result<(), Stop> {
        let (data, stage) = (folder.join(DATA), folder.join(STAGE));
        let is_own = |name: &OsString| {
            let metadata = fs::symlink_metadata(folder.join(name));
            metadata.is_ok_and(|metadata| own.contains(&(metadata.dev(), metadata.ino())))
        };
        let mut now = names(folder)?;
        now.retain(|name| !is_own(name));
        if now != self.names {
            return Err(refused(folder, "its contents changed during the read: nothing was moved"));
        }
        let fail = |path: &Path, error| {
            let hint = "run the same command again to resume";
            let error = Error::io(path.as_os_str().as_bytes(), "move", error);
            Stop::Refused(Refusal::with_hint(error.to_string(), hint))
        };
        if !stage.is_dir() {
            fs::create_dir(&stage).map_err(|error| fail(&stage, error))?;
        }
        for name in &self.names {
            let (from, to) = (folder.join(name), stage.join(name));
            if exists(&to) {
                return Err(refused(&to, "it would be overwritten by a moved file"));
            }
            fs::rename(&from, &to).map_err(|error| fail(&from, error))?;
        }
        fs::rename(&stage, &data).map_err(|error| fail(&data, error))?;
        let flushed = fs::File::open(folder).and_then(|folder| folder.sync_all());
        flushed.map_err(|error| fail(folder, error))
    }
}
