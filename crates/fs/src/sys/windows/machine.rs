//! This machine.
#![allow(unsafe_code)]

use std::mem::zeroed;
use std::path::PathBuf;
use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::System::SystemInformation::{
    ComputerNamePhysicalDnsHostname, GetComputerNameExW, GlobalMemoryStatusEx, MEMORYSTATUSEX, OSVERSIONINFOW,
};

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

/// Returns the version, such as `10.0.22631`.
pub fn release() -> String {
    // SAFETY: all-zero bytes are a valid value, a struct of integers.
    let mut version: OSVERSIONINFOW = unsafe { zeroed() };
    version.dwOSVersionInfoSize = size_of::<OSVERSIONINFOW>() as u32;
    // SAFETY: the call writes only to the struct, whose size it is given.
    if unsafe { RtlGetVersion(&mut version) } < 0 {
        return String::new();
    }
    format!("{}.{}.{}", version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber)
}

/// Returns the size of the memory in bytes; 0 if it is unknown.
pub fn memory() -> u64 {
    // SAFETY: all-zero bytes are a valid value, a struct of integers.
    let mut status: MEMORYSTATUSEX = unsafe { zeroed() };
    status.dwLength = size_of::<MEMORYSTATUSEX>() as u32;
    // SAFETY: the call writes only to the struct, whose size it is given.
    if unsafe { GlobalMemoryStatusEx(&mut status) } == 0 { 0 } else { status.ullTotalPhys }
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
