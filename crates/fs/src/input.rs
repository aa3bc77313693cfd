//! Lists and manifests from any source. Waiting for their data ends when the run is stopped.

use crate::error::Errno;
use crate::metadata::{FileType, Metadata};
use crate::standard;
use crate::stop::Stop;
use crate::sys::open;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Text that is read once, from beginning to end: a file, a pipe or standard input. If the run is stopped, waiting for
/// it ends with the error that [`Input::is_interruption`] recognizes.
pub struct Input {
    file: File,
    /// The stop signal that ends waiting, for inputs that may block.
    until: Option<Stop>,
}

impl Input {
    /// Opens the input with this name. Opening a named pipe does not wait for its writer; reading
    /// it does.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn open(path: &Path, stop: &Stop) -> io::Result<Input> {
        Input::of(open::input(path)?, stop)
    }

    /// Returns standard input as provided by the system; Rust's own treats a closed one as empty.
    ///
    /// # Errors
    /// Fails if it is closed.
    pub fn stdin(stop: &Stop) -> io::Result<Input> {
        Input::of(standard::stdin().try_clone()?, stop)
    }

    fn of(file: File, stop: &Stop) -> io::Result<Input> {
        let kind = Metadata::of(&file)?.kind();
        let waits = matches!(kind, FileType::Fifo | FileType::Socket | FileType::CharacterDevice);
        let until = waits.then(|| stop.clone());
        Ok(Input { file, until })
    }

    /// Returns the file that is read.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns whether reading ended because the run was stopped.
    pub fn is_interruption(error: &io::Error) -> bool {
        error.raw_os_error() == Some(Errno::CANCELED.raw_os_error())
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(until) = &self.until
                && !until.wait(&self.file)?
            {
                return Err(Errno::CANCELED.into());
            }
            match self.file.read(buffer) {
                // The caller opened it non-blocking; wait until it is ready.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && self.until.is_some() => {}
                result => return result,
            }
        }
    }
}
