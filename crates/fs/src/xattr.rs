//! Extended attributes of files: small values that users store with a file (xattr(7)). Their names begin with `user.`.

use crate::error::Errno;
use crate::sys::xattr;
use std::fs::File;

/// Returns the value of an attribute of an open file, or `None` if the file does not have it.
///
/// # Errors
/// Returns the system's error, or [`Errno::RANGE`] if the value has more than 256 bytes. Fails with [`Errno::OPNOTSUPP`] if the file
/// system or the system has no such attributes.
pub fn get(file: &File, name: &str) -> Result<Option<Vec<u8>>, Errno> {
    xattr::get(file, name)
}

/// Sets an attribute of an open file. This changes neither its content nor its modification time.
///
/// # Errors
/// Returns the system's error. Fails with [`Errno::OPNOTSUPP`] like [`get`].
pub fn set(file: &File, name: &str, value: &[u8]) -> Result<(), Errno> {
    xattr::set(file, name, value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Metadata;

    #[test]
    fn attributes_are_read_back_and_keep_the_modification_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "content").unwrap();
        // Like the program, it is only opened for reading.
        let file = File::open(&path).unwrap();
        let before = Metadata::of(&file).unwrap();
        match set(&file, "user.truesum.test", b"1") {
            Ok(()) => {}
            // Tests that need attributes are in the command-line tests, which report this.
            Err(Errno::OPNOTSUPP) => {
                assert_eq!(get(&file, "user.truesum.test").unwrap_or_default(), None);
                return;
            }
            Err(error) => panic!("{error}"),
        }
        assert_eq!(get(&file, "user.truesum.test"), Ok(Some(b"1".to_vec())));
        assert_eq!(get(&file, "user.truesum.none"), Ok(None));
        assert!(get(&file, "user.truesum.test").is_ok());
        set(&file, "user.truesum.test", &[b'x'; 300]).unwrap();
        assert!(get(&file, "user.truesum.test").is_err());
        let after = Metadata::of(&file).unwrap();
        assert_eq!((before.mtime(), before.size()), (after.mtime(), after.size()));
    }
}
