//! This machine: its name, system and processor.

use crate::sys::machine;
use std::path::PathBuf;

/// Returns the host name.
pub fn host() -> String {
    machine::host()
}

/// Returns the name of the operating system, such as `Linux`.
pub fn system() -> String {
    machine::system()
}

/// Returns the version of the operating system or its kernel, such as `6.12.4`; empty if it is unknown.
pub fn release() -> String {
    machine::release()
}

/// Returns the size of the memory in bytes; 0 if it is unknown.
pub fn memory() -> u64 {
    machine::memory()
}

/// Returns the architecture of the processor, such as `x86_64`.
pub fn architecture() -> String {
    machine::architecture()
}

/// Returns the folder that contains the folders of programs with the user's settings.
pub fn settings_folder() -> Option<PathBuf> {
    machine::settings_folder()
}

#[cfg(test)]
mod tests {
    #[test]
    fn this_machine_is_described() {
        assert!(!super::system().is_empty() && !super::architecture().is_empty());
        assert!(super::release().starts_with(|first: char| first.is_ascii_digit()), "{}", super::release());
        assert!((1 << 26..1 << 50).contains(&super::memory()), "{}", super::memory());
    }
}
