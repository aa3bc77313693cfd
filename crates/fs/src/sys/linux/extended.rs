//! Extended attributes that users can set, including the access list (xattr(7)).

use rustix::fs::{self, XattrFlags};
use std::fs::File;
use std::io;
use std::path::Path;

/// The names and values of the attributes of a file.
pub struct Extended(Vec<(Vec<u8>, Vec<u8>)>);

impl Extended {
    /// Returns the attributes of the file at `path`; none if they cannot be read.
    pub fn of(path: &Path) -> Extended {
        Extended(attributes(path).unwrap_or_default())
    }

    /// Sets them on another file, as far as possible.
    pub fn give(&self, file: &File) {
        for (name, value) in &self.0 {
            let _ = fs::fsetxattr(file, &name[..], value, XattrFlags::empty());
        }
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
