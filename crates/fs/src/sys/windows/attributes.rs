//! The attributes that a new file inherits from the file it replaces: its access list and whether it is hidden, as far as
//! this process may set them.
#![allow(unsafe_code)]

use super::stat::query;
use std::fs::{File, Metadata};
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::MetadataExt;
use std::os::windows::io::AsRawHandle;
use std::path::Path;
use std::ptr;
use windows_sys::Win32::Security::{DACL_SECURITY_INFORMATION, GetFileSecurityW, SetKernelObjectSecurity};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_HIDDEN, FILE_ATTRIBUTE_SYSTEM, FILE_BASIC_INFO, FileBasicInfo, SetFileInformationByHandle,
};

/// The attributes of the old file.
pub struct Attributes {
    /// The flags of [`PRESERVED`] that it has.
    flags: u32,
    /// Its security descriptor with the access list alone; empty if it cannot be read.
    access: Vec<u64>,
}

const PRESERVED: u32 = FILE_ATTRIBUTE_HIDDEN | FILE_ATTRIBUTE_SYSTEM;

/// Does nothing, because a new file has the access list of its folder, and no mode.
///
/// # Errors
/// Never fails.
pub fn limit(_file: &File, _mode: u32) -> io::Result<()> {
    Ok(())
}

impl Attributes {
    /// Returns the attributes of the file at `path`, whose `metadata` are known.
    pub fn of(path: &Path, metadata: &Metadata) -> Attributes {
        Attributes { flags: metadata.file_attributes() & PRESERVED, access: access(path).unwrap_or_default() }
    }

    /// Applies the attributes to the new file. There are no others that it could keep.
    ///
    /// # Errors
    /// Fails if it cannot be hidden as the old one was.
    pub fn give(&self, file: &File, _all: bool) -> io::Result<()> {
        if !self.access.is_empty() {
            let descriptor = self.access.as_ptr().cast_mut().cast();
            // SAFETY: the descriptor was written by the system and is only read.
            unsafe { SetKernelObjectSecurity(file.as_raw_handle(), DACL_SECURITY_INFORMATION, descriptor) };
        }
        let own: FILE_BASIC_INFO = query(file, FileBasicInfo)?;
        if self.flags & !own.FileAttributes == 0 {
            return Ok(());
        }
        // Times of 0 are not changed.
        let basic = FILE_BASIC_INFO { FileAttributes: own.FileAttributes | self.flags, ..Default::default() };
        let size = size_of::<FILE_BASIC_INFO>() as u32;
        // SAFETY: the handle is open, and the call reads only the struct, whose size it is given.
        match unsafe {
            SetFileInformationByHandle(file.as_raw_handle(), FileBasicInfo, (&raw const basic).cast(), size)
        } {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }

    /// Returns nothing: the attributes that cannot be set are errors of [`Attributes::give`].
    ///
    /// # Errors
    /// Never fails.
    pub fn lost(&self, _file: &File) -> io::Result<Option<String>> {
        Ok(None)
    }
}

/// Returns the access list of a file.
fn access(path: &Path) -> Option<Vec<u64>> {
    let path: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
    let mut needed = 0;
    // SAFETY: the path ends in a terminator; the first call writes nothing but the size, the second one no more than it.
    unsafe {
        GetFileSecurityW(path.as_ptr(), DACL_SECURITY_INFORMATION, ptr::null_mut(), 0, &mut needed);
        let mut descriptor = vec![0_u64; (needed as usize).div_ceil(8)];
        let room = (descriptor.len() * 8) as u32;
        let place = descriptor.as_mut_ptr().cast();
        let done = GetFileSecurityW(path.as_ptr(), DACL_SECURITY_INFORMATION, place, room, &mut needed);
        (done != 0 && needed > 0).then_some(descriptor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hidden_file_stays_hidden_and_keeps_its_access_list() {
        let dir = tempfile::tempdir().unwrap();
        let (old, new) = (dir.path().join("old"), dir.path().join("new"));
        for path in [&old, &new] {
            std::fs::write(path, "").unwrap();
        }
        let hide = Attributes { flags: FILE_ATTRIBUTE_HIDDEN, access: Vec::new() };
        hide.give(&File::options().write(true).open(&old).unwrap(), false).unwrap();
        let kept = Attributes::of(&old, &std::fs::metadata(&old).unwrap());
        assert!(!kept.access.is_empty());
        kept.give(&File::options().read(true).write(true).open(&new).unwrap(), false).unwrap();
        assert_eq!(std::fs::metadata(&new).unwrap().file_attributes() & PRESERVED, FILE_ATTRIBUTE_HIDDEN);
    }
}
