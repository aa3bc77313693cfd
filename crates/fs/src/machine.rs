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

/// Returns the architecture of the processor, such as `x86_64`.
pub fn architecture() -> String {
    machine::architecture()
}

/// Returns the folder that contains the folders of programs with the user's settings.
pub fn settings_folder() -> Option<PathBuf> {
    machine::settings_folder()
}
