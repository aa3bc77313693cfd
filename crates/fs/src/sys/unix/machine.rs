//! This machine (uname(2)).

use std::ffi::CStr;

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

fn text(name: &CStr) -> String {
    name.to_string_lossy().into_owned()
}
