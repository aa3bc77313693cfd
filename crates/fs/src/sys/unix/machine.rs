//! This machine (uname(2), sysconf(3)).
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::path::PathBuf;

/// Returns the host name.
pub fn host() -> String {
    text(rustix::system::uname().nodename())
}

/// Returns the name of the operating system, such as `Linux`.
pub fn system() -> String {
    text(rustix::system::uname().sysname())
}

/// Returns the version of the kernel, such as `6.12.4`.
pub fn release() -> String {
    text(rustix::system::uname().release())
}

/// Returns the size of the memory in bytes; 0 if it is unknown.
pub fn memory() -> u64 {
    // SAFETY: reads a number.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    u64::try_from(pages).unwrap_or(0) * rustix::param::page_size() as u64
}

/// Returns the architecture of the processor, such as `x86_64`.
pub fn architecture() -> String {
    text(rustix::system::uname().machine())
}

/// Returns `~/.config`.
pub fn settings_folder() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    home.filter(|home| home.is_absolute()).map(|home| home.join(".config"))
}

fn text(name: &CStr) -> String {
    name.to_string_lossy().into_owned()
}
