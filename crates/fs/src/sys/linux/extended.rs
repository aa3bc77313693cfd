//! Extended attributes, including the access list (xattr(7)), and flags that prevent replacing a file (chattr(1)).

use rustix::fs::{self, AtFlags, StatxAttributes, StatxFlags, XattrFlags};
use rustix::io::Errno;
use std::fs::File;
use std::path::Path;

/// The name of an attribute and its value, unless it cannot be read.
type Attribute = (Vec<u8>, Option<Vec<u8>>);

/// The attributes of a file, unless they cannot be listed.
pub struct Extended {
    attributes: Option<Vec<Attribute>>,
    /// Whether the file cannot be replaced because it is immutable or append-only.
    is_fixed: bool,
}

impl Extended {
    /// Returns the attributes of the file at `path`.
    pub fn of(path: &Path) -> Extended {
        let stat = fs::statx(fs::CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::empty());
        let fixed = StatxAttributes::IMMUTABLE | StatxAttributes::APPEND;
        Extended {
            attributes: attributes(|to| fs::listxattr(path, to), |name, to| fs::getxattr(path, name, to)),
            is_fixed: stat.is_ok_and(|stat| stat.stx_attributes.intersects(fixed)),
        }
    }

    /// Makes those of another file the same, as far as possible: those that users can set, or `all`. The attributes of
    /// security modules are only among the latter, because they are usually determined by the place and the creator of
    /// a file.
    pub fn give(&self, file: &File, all: bool) {
        let Some(old) = &self.attributes else { return };
        let new = of_file(file).unwrap_or_default();
        let ours = |name: &[u8]| all || name.starts_with(b"user.") || name == b"system.posix_acl_access";
        // A new file can have an access list from its folder.
        for (name, _) in
            new.iter().filter(|(name, _)| ours(name) && old.iter().all(|(other, _)| name != other))
        {
            let _ = fs::fremovexattr(file, &name[..]);
        }
        for (name, value) in old.iter().filter(|old| ours(&old.0) && !new.contains(old)) {
            if let Some(value) = value {
                let _ = fs::fsetxattr(file, &name[..], value, XattrFlags::empty());
            }
        }
    }

    /// Returns what another file, which is to replace this one, does not have in common with it.
    pub fn lost(&self, file: &File) -> Option<String> {
        if self.is_fixed {
            return Some("it is immutable or append-only (see chattr(1))".to_owned());
        }
        let (Some(old), Some(new)) = (&self.attributes, of_file(file)) else {
            return Some("its extended attributes cannot be read".to_owned());
        };
        let differs = |attribute: &&Attribute, others: &[Attribute]| {
            attribute.1.is_none() || !others.contains(attribute)
        };
        let lost = old.iter().find(|attribute| differs(attribute, &new));
        let (name, _) = lost.or_else(|| new.iter().find(|attribute| differs(attribute, old)))?;
        Some(format!("its extended attribute {} cannot be kept", String::from_utf8_lossy(name)))
    }
}

fn of_file(file: &File) -> Option<Vec<Attribute>> {
    attributes(|to| fs::flistxattr(file, to), |name, to| fs::fgetxattr(file, name, to))
}

/// Returns all attributes, or `None` if they cannot be listed.
fn attributes(
    list: impl Fn(&mut [u8]) -> Result<usize, Errno>,
    get: impl Fn(&[u8], &mut [u8]) -> Result<usize, Errno>,
) -> Option<Vec<Attribute>> {
    /// The maximum size of a list or value in Linux.
    const LARGEST: usize = 64 << 10;
    let mut buffer = vec![0; LARGEST];
    let names = match list(&mut buffer) {
        Ok(len) => buffer[..len].to_vec(),
        Err(Errno::OPNOTSUPP) => return Some(Vec::new()),
        Err(_) => return None,
    };
    // The kernel computes `security.evm` from the inode, so that it differs in every file.
    let names = names.split(|&byte| byte == 0).filter(|name| !name.is_empty() && *name != b"security.evm");
    let read = |name: &[u8]| {
        let value = get(name, &mut buffer).ok().map(|len| buffer[..len].to_vec());
        (name.to_vec(), value)
    };
    Some(names.map(read).collect())
}
