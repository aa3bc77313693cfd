//! The standard streams as passed to the program.
//!
//! Rust's runtime opens `/dev/null` in place of a closed standard stream, and its own streams treat
//! reads and writes that fail for that reason as successful: a program started without them would
//! hash nothing, report nothing, and succeed. Therefore each free descriptor is occupied before the
//! runtime starts ([`open_closed_streams`]), by something that can be neither read nor written nor reopened by its name in
//! `/dev`, and [`Input`] and [`Output`] return the system's errors.

use crate::data;
use crate::metadata::{FileType, Metadata};
use crate::sys::standard::stream;
pub use crate::sys::standard::{inherited, open_closed_streams, output_path};
use crate::sys::{open, standard};
use std::fs::File;
use std::io::{self, Read, Write};
use std::mem::ManuallyDrop;

/// Returns standard input.
pub fn stdin() -> ManuallyDrop<File> {
    stream(0)
}

/// Returns standard output.
pub fn stdout() -> ManuallyDrop<File> {
    stream(1)
}

/// Returns standard error.
pub fn stderr() -> ManuallyDrop<File> {
    stream(2)
}

/// Returns whether standard input was closed when the program was started.
pub fn input_was_closed() -> bool {
    standard::was_closed(0)
}

/// Returns whether this is the file, pipe or socket that is standard input. Terminals and devices
/// without content are excluded, because every reader gets the same input.
pub fn is_input(file: &File) -> bool {
    let stats = (Metadata::of(&stdin()), Metadata::of(file));
    let (Ok(input), Ok(file)) = stats else { return false };
    let is_device = input.kind() == FileType::CharacterDevice;
    !is_device && !input_was_closed() && input.id() == file.id()
}

/// Makes standard input empty if it was closed when the program was started or cannot be read.
///
/// # Errors
/// Returns the system's error.
pub fn replace_unreadable_input() -> io::Result<()> {
    if input_was_closed() || !standard::input_is_readable()? {
        standard::replace_input(open::null()?)?;
    }
    Ok(())
}

/// Standard input. Unlike Rust's own, it is not buffered and returns all errors.
#[derive(Debug)]
pub struct Input;

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(data::read(&stdin(), buffer)?)
    }
}

/// Standard output. Unlike Rust's own, it is not buffered and returns all errors.
#[derive(Debug)]
pub struct Output;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(data::write(&stdout(), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_standard_streams_are_left_alone() {
        let streams = || [stdin(), stdout(), stderr()];
        let what = || streams().map(|stream| Metadata::of(&stream).map(|stat| stat.id()));
        let before = what();
        open_closed_streams();
        assert_eq!(what(), before);
    }
}
