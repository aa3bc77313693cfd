//! Extended attributes that users can set. On FreeBSD, where they are not in the same namespace, they are not supported.

use crate::sys::errno::Errno;
use std::fs::File;

/// The maximum length of a value.
#[cfg(not(target_os = "freebsd"))]
const LONGEST: usize = 256;

/// The error for an attribute that a file does not have.
#[cfg(target_os = "linux")]
const MISSING: i32 = libc::ENODATA;
#[cfg(target_os = "macos")]
const MISSING: i32 = libc::ENOATTR;

/// Returns the value of an attribute.
///
/// # Errors
/// Returns the system's error, or one if the value is too long.
#[cfg(not(target_os = "freebsd"))]
pub fn get(file: &File, name: &str) -> Result<Option<Vec<u8>>, Errno> {
    let mut value = [0; LONGEST];
    match rustix::fs::fgetxattr(file, name, &mut value[..]) {
        Ok(len) => Ok(Some(value[..len].to_vec())),
        Err(error) if error.raw_os_error() == MISSING => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Sets an attribute.
///
/// # Errors
/// Returns the system's error.
#[cfg(not(target_os = "freebsd"))]
pub fn set(file: &File, name: &str, value: &[u8]) -> Result<(), Errno> {
    Ok(rustix::fs::fsetxattr(file, name, value, rustix::fs::XattrFlags::empty())?)
}

/// Always fails.
///
/// # Errors
/// Returns [`Errno::OPNOTSUPP`].
#[cfg(target_os = "freebsd")]
pub fn get(_file: &File, _name: &str) -> Result<Option<Vec<u8>>, Errno> {
    Err(Errno::OPNOTSUPP)
}

/// Always fails.
///
/// # Errors
/// Returns [`Errno::OPNOTSUPP`].
#[cfg(target_os = "freebsd")]
pub fn set(_file: &File, _name: &str, _value: &[u8]) -> Result<(), Errno> {
    Err(Errno::OPNOTSUPP)
}
