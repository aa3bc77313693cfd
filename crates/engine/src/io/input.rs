//! Lists and manifests from wherever they come: reading them is waited for until the run is asked to end.

use crate::progress::Progress;
use crate::stop::Stop;
use rustix::fs::{self, CWD, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Text that is read once, from its beginning to its end: a file, a pipe or standard input. A run that is stopped ends the
/// waiting for it, by the error [`Input::is_interruption`] knows.
pub struct Input {
    file: File,
    /// What ends the waiting, where others may be waited for.
    until: Option<Stop>,
}

impl Input {
    /// Opens what has this name. The writer of a named pipe is waited for when it is read, not here.
    ///
    /// # Errors
    /// The system's.
    pub fn open(path: &Path, progress: &Progress) -> io::Result<Input> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
        let file = fs::openat(CWD, path, flags, Mode::empty())?;
        fs::fcntl_setfl(&file, OFlags::empty())?;
        Input::of(File::from(file), progress)
    }

    /// Standard input as the system gives it: Rust's own calls one that is closed an empty one.
    ///
    /// # Errors
    /// It is closed.
    pub fn stdin(progress: &Progress) -> io::Result<Input> {
        let input = rustix::stdio::stdin().try_clone_to_owned()?;
        Input::of(File::from(input), progress)
    }

    fn of(file: File, progress: &Progress) -> io::Result<Input> {
        let kind = FileType::from_raw_mode(fs::fstat(&file)?.st_mode);
        let waits = matches!(kind, FileType::Fifo | FileType::Socket | FileType::CharacterDevice);
        let until = waits.then(|| progress.until());
        Ok(Input { file, until })
    }

    /// What is read.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Whether reading ended because the run was asked to end.
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
                // Who handed it over asked for that; it is waited for.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && self.until.is_some() => {}
                result => return result,
            }
        }
    }
}
