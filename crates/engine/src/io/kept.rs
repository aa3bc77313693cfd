//! What a file that is replaced passes on to the new one: owner, mode, and the extended attributes of users, access lists
//! among them. As far as this process may: nobody is refused a manifest because its group cannot be kept.

use rustix::fs::{self, XattrFlags};
use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// What the old file has.
pub(super) struct Kept {
    mode: u32,
    user: u32,
    group: u32,
    attributes: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Kept {
    /// Of the file at `path`, of which `metadata` is known.
    pub fn of(path: &Path, metadata: &Metadata) -> Kept {
        let (mode, user, group) = (metadata.mode(), metadata.uid(), metadata.gid());
        Kept { mode, user, group, attributes: attributes(path).unwrap_or_default() }
    }

    /// Gives it to the new file.
    ///
    /// # Errors
    /// The mode cannot be set.
    pub fn give(&self, file: &File) -> io::Result<()> {
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (self.user, self.group) {
            // Only root may give a file away; its group its owner may change to another of his own.
            let _ = std::os::unix::fs::fchown(file, Some(self.user), Some(self.group))
                .or_else(|_| std::os::unix::fs::fchown(file, None, Some(self.group)));
        }
        for (name, value) in &self.attributes {
            let _ = fs::fsetxattr(file, &name[..], value, XattrFlags::empty());
        }
        // Last, for a new owner and an access list change it.
        file.set_permissions(Permissions::from_mode(self.mode & 0o7777))
    }
}

/// The attributes that people set; those of security modules follow from where a file is made and by whom.
fn attributes(path: &Path) -> io::Result<Vec<(Vec<u8>, Vec<u8>)>> {
    /// As much as Linux lets a list or a value have.
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
