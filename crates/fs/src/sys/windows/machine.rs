//! This machine.
#![allow(unsafe_code)]

use std::path::PathBuf;
use windows_sys::Win32::System::SystemInformation::{ComputerNamePhysicalDnsHostname, GetComputerNameExW};

/// Returns the host name.
pub fn host() -> String {
    let mut name = [0_u16; 256];
    let mut len = name.len() as u32;
    // SAFETY: the call writes at most the length of the buffer that it is given, and the length of the name.
    let done = unsafe { GetComputerNameExW(ComputerNamePhysicalDnsHostname, name.as_mut_ptr(), &mut len) };
    if done == 0 { String::new() } else { String::from_utf16_lossy(&name[..len as usize]) }
}

/// Returns the name of the operating system.
pub fn system() -> String {
    "Windows".to_owned()
}

/// Returns the architecture of the processor, such as `x86_64`.
pub fn architecture() -> String {
    std::env::consts::ARCH.to_owned()
}

/// Returns `%APPDATA%`.
pub fn settings_folder() -> Option<PathBuf> {
    std::env::var_os("APPDATA").map(PathBuf::from).filter(|folder| folder.is_absolute())
}

#[cfg(test)]
mod tests {
    #[test]
    fn this_machine_has_a_name() {
        assert!(!super::host().is_empty());
    }
}
