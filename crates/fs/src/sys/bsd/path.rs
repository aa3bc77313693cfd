//! The path of an open file (fcntl(2)).

use crate::sys::errno::Errno;
use std::fs::File;

/// Returns the path of an open file without symbolic links (`F_GETPATH`, fcntl(2)).
#[cfg(target_os = "macos")]
pub fn real_path(file: &File) -> Result<Vec<u8>, Errno> {
    Ok(rustix::fs::getpath(file)?.into_bytes())
}

/// Returns the path of an open file without symbolic links (`F_KINFO`, fcntl(2)).
#[cfg(target_os = "freebsd")]
#[allow(unsafe_code)]
pub fn real_path(file: &File) -> Result<Vec<u8>, Errno> {
    use std::os::fd::AsRawFd;
    // SAFETY: all-zero is a valid value; the call writes to it no more than the size that it names.
    let info = unsafe {
        let mut info: libc::kinfo_file = std::mem::zeroed();
        info.kf_structsize = size_of::<libc::kinfo_file>() as _;
        if libc::fcntl(file.as_raw_fd(), libc::F_KINFO, &raw mut info) != 0 {
            return Err(Errno::of(&std::io::Error::last_os_error()));
        }
        info
    };
    let path: Vec<u8> = info.kf_path.iter().map(|&byte| byte as u8).take_while(|&byte| byte != 0).collect();
    // The kernel does not always know the name.
    if path.is_empty() { Err(Errno::NOENT) } else { Ok(path) }
}
