//! Files of Debian packages that dpkg has installed under another name (`dpkg-divert`).

use crate::error::{Cause, Error};
use crate::verify::place::dpkg_folder;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;
use truesum_fs::name::OsStrExt;
use truesum_fs::open::open_companion;

/// The maximum size of dpkg's list of diversions in bytes.
const LIMIT: u64 = 16 << 20;

/// Returns the names under which diverted files of a package are installed, by their names in `PACKAGE.md5sums`. Returns
/// an empty map for any other manifest.
///
/// # Errors
/// Fails if the list of diversions exists but cannot be read: a diverted file would be mistaken for that of another
/// package.
pub fn installed_names(path: &Path) -> Result<HashMap<Vec<u8>, Vec<u8>>, Error> {
    let package = path.file_name().and_then(|name| name.as_bytes().strip_suffix(b".md5sums"));
    let info = dpkg_folder(path, |folder| folder.file_name() == Some(OsStr::new("info")));
    let list = info.and_then(|info| Some(info.parent()?.join("diversions")));
    let (Some(package), Some(list)) = (package, list) else { return Ok(HashMap::new()) };
    // A dangling link is not the same as no list.
    if std::fs::symlink_metadata(&list).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(HashMap::new());
    }
    let name = list.as_os_str().as_bytes();
    let mut text = Vec::new();
    let read = open_companion(&list)?.take(LIMIT + 1).read_to_end(&mut text);
    read.map_err(|error| Error::io(name, "read", error))?;
    if text.len() as u64 > LIMIT {
        return Err(Error::new(name, "read", Cause::Other("it is too large".to_owned())));
    }
    let malformed = || Error::new(name, "read", Cause::Other("it is incomplete or malformed".to_owned()));
    diverted(&text, package).ok_or_else(malformed)
}

/// Returns the new names of diverted files by their old ones. Each diversion has three lines: both names, and the package
/// that keeps the old one. Returns `None` if the last one is incomplete or a name is not absolute.
fn diverted(text: &[u8], package: &[u8]) -> Option<HashMap<Vec<u8>, Vec<u8>>> {
    let package = package.split(|&byte| byte == b':').next().unwrap_or_default();
    let lines = match text {
        [] => Vec::new(),
        text => text.strip_suffix(b"\n")?.split(|&byte| byte == b'\n').collect(),
    };
    let mut names = HashMap::new();
    for group in lines.chunks(3) {
        let &[old, new, keeper] = group else { return None };
        let [old, new] = [old.strip_prefix(b"/")?, new.strip_prefix(b"/")?];
        if keeper.is_empty() {
            return None;
        }
        if keeper != package {
            names.insert(old.to_vec(), new.to_vec());
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_packages_are_diverted() {
        let text = b"/usr/bin/a\n/usr/bin/a.orig\nkeeper\n/usr/bin/b\n/usr/bin/b.local\n:\n";
        let name = |name: &[u8]| name.to_vec();
        let of = |package: &[u8]| diverted(text, package).unwrap();
        assert_eq!(of(b"other:amd64")[&name(b"usr/bin/a")], name(b"usr/bin/a.orig"));
        assert_eq!((of(b"other").len(), of(b"keeper").len()), (2, 1));
        // regression: an incomplete list was accepted, so that a diverted file counted as that of another package.
        for end in 1..text.len() {
            let is_complete = text[..end].ends_with(b"keeper\n");
            assert_eq!(diverted(&text[..end], b"other").is_some(), is_complete, "{end}");
        }
        assert_eq!(diverted(b"", b"other"), Some(HashMap::new()));
        assert_eq!(diverted(b"a\n/b\n:\n", b"other"), None);
    }
}
