//! The attributes that a new file inherits from the file it replaces: owner, mode, extended attributes and access list,
//! as far as this process may set them. [`Attributes::lost`] reports what could not be set.

#[cfg(not(target_os = "linux"))]
use crate::sys::bsd::extended::Extended;
#[cfg(target_os = "linux")]
use crate::sys::linux::extended::Extended;
use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// The attributes of the old file.
pub struct Attributes {
    mode: u32,
    user: u32,
    group: u32,
    extended: Extended,
}

/// Makes a file readable only by its owner, unless everyone can read a file with `mode`.
///
/// # Errors
/// Returns the system's error.
pub fn limit(file: &File, mode: u32) -> io::Result<()> {
    // The new file may belong to another group, so that the permissions of the old one's group do not apply.
    let limit = if mode & 0o004 == 0 { 0o700 } else { 0o700 | mode };
    let own = file.metadata()?.mode();
    file.set_permissions(Permissions::from_mode(own & limit & 0o7777))
}

impl Attributes {
    /// Returns the attributes of the file at `path`, whose `metadata` are known.
    pub fn of(path: &Path, metadata: &Metadata) -> Attributes {
        let (mode, user, group) = (metadata.mode(), metadata.uid(), metadata.gid());
        Attributes { mode, user, group, extended: Extended::of(path) }
    }

    /// Applies the attributes to the new file; `all`, or those that a file should keep whose content is new.
    ///
    /// # Errors
    /// Fails if the mode cannot be set.
    pub fn give(&self, file: &File, all: bool) -> io::Result<()> {
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (self.user, self.group) {
            // Only root may change the owner; the owner may change the group to another of their own.
            let _ = std::os::unix::fs::fchown(file, Some(self.user), Some(self.group))
                .or_else(|_| std::os::unix::fs::fchown(file, None, Some(self.group)));
        }
        self.extended.give(file, all);
        // Set the mode last, because changing the owner or access list changes it.
        file.set_permissions(Permissions::from_mode(self.mode & 0o7777))
    }

    /// Returns why the new file cannot replace the old one without losing an attribute.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn lost(&self, file: &File) -> io::Result<Option<String>> {
        let own = file.metadata()?;
        let kept = |what: &str| Ok(Some(format!("its {what} cannot be kept")));
        match () {
            () if own.uid() != self.user => kept("owner"),
            () if own.gid() != self.group => kept("group"),
            () if own.mode() != self.mode => kept("mode"),
            () => Ok(self.extended.lost(file)),
        }
    }
}
