//! Opens names relative to the handle of a folder (`NtCreateFile`). The file system gets exactly the name: no device, no
//! drive, no removed dots.
#![allow(unsafe_code)]

use super::failure::of_status;
use crate::sys::errno::Errno;
use std::fs::File;
use std::mem::zeroed;
use std::os::windows::io::{AsRawHandle, FromRawHandle};
use std::ptr;
use windows_sys::Wdk::Foundation::OBJECT_ATTRIBUTES;
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_OPEN_FOR_BACKUP_INTENT, FILE_SYNCHRONOUS_IO_NONALERT, NTCREATEFILE_CREATE_DISPOSITION,
    NTCREATEFILE_CREATE_OPTIONS, NtCreateFile,
};
use windows_sys::Win32::Foundation::{INVALID_HANDLE_VALUE, OBJ_CASE_INSENSITIVE, UNICODE_STRING};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_NORMAL, FILE_READ_ATTRIBUTES, FILE_SHARE_DELETE, FILE_SHARE_MODE, FILE_SHARE_READ,
    FILE_SHARE_WRITE, SYNCHRONIZE,
};

/// Other processes may do everything with a file that this process has open.
pub const SHARE_ALL: u32 = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/// Opens or creates the object with this name in a folder; the folder itself if the name is empty.
pub fn open_at(
    folder: &File,
    name: &[u16],
    access: u32,
    disposition: NTCREATEFILE_CREATE_DISPOSITION,
    options: NTCREATEFILE_CREATE_OPTIONS,
) -> Result<File, Errno> {
    open_shared(folder, name, access, SHARE_ALL, disposition, options)
}

/// As [`open_at`], and other processes may only have or get the access in `share`.
pub fn open_shared(
    folder: &File,
    name: &[u16],
    access: u32,
    share: FILE_SHARE_MODE,
    disposition: NTCREATEFILE_CREATE_DISPOSITION,
    options: NTCREATEFILE_CREATE_OPTIONS,
) -> Result<File, Errno> {
    let bytes = u16::try_from(name.len() * 2).map_err(|_| Errno::NAMETOOLONG)?;
    let name = UNICODE_STRING { Length: bytes, MaximumLength: bytes, Buffer: name.as_ptr().cast_mut() };
    let attributes = OBJECT_ATTRIBUTES {
        Length: size_of::<OBJECT_ATTRIBUTES>() as u32,
        RootDirectory: folder.as_raw_handle(),
        ObjectName: &name,
        Attributes: OBJ_CASE_INSENSITIVE,
        SecurityDescriptor: ptr::null(),
        SecurityQualityOfService: ptr::null(),
    };
    let mut handle = INVALID_HANDLE_VALUE;
    // SAFETY: all pointers refer to values that live until the call returns; the name is only read. All-zero is a valid
    // status block.
    let status = unsafe {
        let mut block = zeroed();
        NtCreateFile(
            &mut handle,
            access | FILE_READ_ATTRIBUTES | SYNCHRONIZE,
            &attributes,
            &mut block,
            ptr::null(),
            FILE_ATTRIBUTE_NORMAL,
            share,
            disposition,
            options | FILE_SYNCHRONOUS_IO_NONALERT | FILE_OPEN_FOR_BACKUP_INTENT,
            ptr::null(),
            0,
        )
    };
    if status < 0 {
        return Err(of_status(status));
    }
    // SAFETY: the call succeeded, so this is a new handle that nothing else owns.
    Ok(unsafe { File::from_raw_handle(handle) })
}
