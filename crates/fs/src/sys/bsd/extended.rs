//! Extended attributes and the access list: copied by the C library on macOS (fcopyfile(3)); on FreeBSD, those that
//! users can set (extattr(2)), without the access list.
#![allow(unsafe_code)]

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

/// The file whose attributes are kept; none if it cannot be opened.
#[cfg(target_os = "macos")]
pub struct Extended(Option<File>);

#[cfg(target_os = "macos")]
impl Extended {
    /// Opens the file at `path`, a regular file.
    pub fn of(path: &Path) -> Extended {
        Extended(crate::sys::unix::open::input(path).ok())
    }

    /// Copies them to another file, as far as possible.
    pub fn give(&self, file: &File, _all: bool) {
        self.copy(file);
    }

    /// Returns whether they cannot be copied to another file, which is to replace this one.
    pub fn lost(&self, file: &File) -> Option<String> {
        let lost = || "its extended attributes or its access list cannot be kept".to_owned();
        (!self.copy(file)).then(lost)
    }

    fn copy(&self, file: &File) -> bool {
        let Some(from) = &self.0 else { return false };
        let what = libc::COPYFILE_ACL | libc::COPYFILE_XATTR;
        // SAFETY: both descriptors are open, and without a state nothing else is passed.
        unsafe { libc::fcopyfile(from.as_raw_fd(), file.as_raw_fd(), std::ptr::null_mut(), what) == 0 }
    }
}

/// The names and values of the attributes of a file.
#[cfg(target_os = "freebsd")]
pub struct Extended(Vec<(std::ffi::CString, Vec<u8>)>);

#[cfg(target_os = "freebsd")]
impl Extended {
    /// Returns the attributes of the file at `path`; none if they cannot be read.
    pub fn of(path: &Path) -> Extended {
        crate::sys::unix::open::input(path)
            .map_or_else(|_| Extended(Vec::new()), |file| Extended::of_file(&file))
    }

    fn of_file(file: &File) -> Extended {
        // SAFETY: the call writes no more than the length that it is passed.
        let names = filled(|to, len| unsafe {
            libc::extattr_list_fd(file.as_raw_fd(), libc::EXTATTR_NAMESPACE_USER, to.cast(), len)
        });
        let mut attributes = Vec::new();
        let mut rest = &names[..];
        // Each name has its length in the byte before it.
        while let Some((name, behind)) =
            rest.split_first().and_then(|(len, rest)| rest.split_at_checked((*len).into()))
        {
            rest = behind;
            let Ok(name) = std::ffi::CString::new(name) else { continue };
            // SAFETY: as above; the name ends in NUL.
            let value = filled(|to, len| unsafe {
                let space = libc::EXTATTR_NAMESPACE_USER;
                libc::extattr_get_fd(file.as_raw_fd(), space, name.as_ptr(), to.cast(), len)
            });
            attributes.push((name, value));
        }
        Extended(attributes)
    }

    /// Returns what another file, which is to replace this one, does not have in common with it.
    pub fn lost(&self, file: &File) -> Option<String> {
        let new = Extended::of_file(file);
        let (name, _) = self.0.iter().find(|attribute| !new.0.contains(attribute))?;
        Some(format!("its extended attribute {} cannot be kept", name.to_string_lossy()))
    }

    /// Sets them on another file, as far as possible.
    pub fn give(&self, file: &File, _all: bool) {
        for (name, value) in &self.0 {
            let space = libc::EXTATTR_NAMESPACE_USER;
            // SAFETY: the name ends in NUL, and the call reads as many bytes as the value has.
            unsafe {
                libc::extattr_set_fd(
                    file.as_raw_fd(),
                    space,
                    name.as_ptr(),
                    value.as_ptr().cast(),
                    value.len(),
                )
            };
        }
    }
}

/// Returns what `call` writes to a buffer; nothing if it fails.
#[cfg(target_os = "freebsd")]
fn filled(call: impl FnOnce(*mut u8, usize) -> isize) -> Vec<u8> {
    let mut buffer = vec![0; 64 << 10];
    let len = call(buffer.as_mut_ptr(), buffer.len());
    buffer.truncate(usize::try_from(len).unwrap_or(0));
    buffer
}
