//! This machine (uname(2)).

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
