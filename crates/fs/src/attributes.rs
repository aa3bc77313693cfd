//! The attributes that a new file inherits from the file it replaces: owner, mode and the users' extended attributes
//! including access lists, as far as this process may set them. Failing to keep the group does not prevent writing the
//! manifest.

use rustix::fs::{self, XattrFlags};
use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// The attributes of the old file.
pub struct Attributes {
    mode: u32,
    user: u32,
    group: u32,
    attributes: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Attributes {
    /// Returns the attributes of the file at `path`, whose `metadata` are known.
    pub fn of(path: &Path, metadata: &Metadata) -> Attributes {
        let (mode, user, group) = (metadata.mode(), metadata.uid(), metadata.gid());
        Attributes { mode, user, group, attributes: attributes(path).unwrap_or_default() }
    }

    /// Applies the attributes to the new file.
    ///
    /// # Errors
    /// Fails if the mode cannot be set.
    pub fn give(&self, file: &File) -> io::Result<()> {
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (self.user, self.group) {
            // Only root may change the owner; the owner may change the group to another of their own.
            let _ = std::os::unix::fs::fchown(file, Some(self.user), Some(self.group))
                .or_else(|_| std::os::unix::fs::fchown(file, None, Some(self.group)));
        }
        for (name, value) in &self.attributes {
            let _ = fs::fsetxattr(file, &name[..], value, XattrFlags::empty());
        }
        // Set the mode last, because changing the owner or access list changes it.
        file.set_permissions(Permissions::from_mode(self.mode & 0o7777))
    }
}

/// Returns the attributes that users can set. Attributes of security modules are excluded, because
/// they are determined by the place and the creator of a file.
fn attributes(path: &Path) -> io::Result<Vec<(Vec<u8>, Vec<u8>)>> {
    /// The maximum size of a list or value in Linux.
    const LARGEST: usize = 64 << 10;
    let mut names = vec![0; LARGEST];
    let len = fs::listxattr(path, &mut names[..])?;
    let ours = |name: &&[u8]| name.starts_with(b"user.") || *name == b"system.posix_acl_access";
    let mut attributes = Vec::new();
    for name in names[..len].split(|&byte| byte == 0).filter(ours) {
        let mut value = vec![0; LARGEST];
        let len = fs::getxattr(path, name, &mut value[..])?;
        value.truncate(len);
        attributes.push((name.to_vec(), value));
    }
    Ok(attributes)
}
