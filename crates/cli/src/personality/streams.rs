//! The standard streams of the programs that truesum is under other names: whole lines in order, errors in between.
//!
//! Lines are gathered up to what a pipe takes in one piece, so that programs running side by side do not cut each other's
//! lines, and written before anything goes to standard error, so that both in one pipe read as they were meant.

use crate::standard;
use crate::terminal::{Escapes, shown};
use rustix::io::Errno;
use rustix::stdio::{stderr, stdout};
use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;
use std::process::ExitCode;

/// The most bytes a pipe takes in one piece (POSIX asks for 512, Linux gives 4096).
const PIPE_BUF: usize = 4096;

/// Whether all went well; an error is one of standard output, and ends the program.
pub(crate) type Done = io::Result<bool>;

/// Both streams, and the name that messages begin with.
#[derive(Debug)]
pub(crate) struct Streams {
    called: Vec<u8>,
    lines: Vec<u8>,
    /// Whether standard input was read.
    input: bool,
    /// Whether a message could not be written.
    lost: bool,
}

impl Streams {
    /// The streams of a program called by this name.
    pub(crate) fn new(called: &[u8]) -> Streams {
        Streams { called: called.to_vec(), lines: Vec::with_capacity(PIPE_BUF), input: false, lost: false }
    }

    /// Adds a line, or anything else, to standard output.
    ///
    /// # Errors
    /// That of standard output.
    pub(crate) fn write(&mut self, line: &[u8]) -> io::Result<()> {
        if self.lines.len() + line.len() > PIPE_BUF {
            self.flush()?;
        }
        self.lines.extend_from_slice(line);
        Ok(())
    }

    /// Writes what was gathered.
    ///
    /// # Errors
    /// That of standard output.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let written = write_all(stdout(), &self.lines);
        self.lines.clear();
        written
    }

    /// Remembers that standard input was read: that it was closed is told at the end, once more.
    pub(crate) fn input_was_read(&mut self) {
        self.input = true;
    }

    /// Writes `NAME OF THE PROGRAM: message` to standard error, after all lines so far. The name is without a path.
    ///
    /// # Errors
    /// That of standard output. One of standard error shows in the exit status: nobody could be told.
    pub(crate) fn error(&mut self, message: &[u8]) -> io::Result<()> {
        let line = [self.short(), b": ", message, b"\n"].concat();
        self.bare(&line)
    }

    /// As [`Streams::error`], with the name as the program was called.
    ///
    /// # Errors
    /// As [`Streams::error`].
    pub(crate) fn error_as_called(&mut self, message: &[u8]) -> io::Result<()> {
        let line = [self.called.as_slice(), b": ", message, b"\n"].concat();
        self.bare(&line)
    }

    fn short(&self) -> &[u8] {
        self.called.rsplit(|&byte| byte == b'/').next().unwrap_or_default()
    }

    /// Points to `--help`, on standard error.
    ///
    /// # Errors
    /// As [`Streams::error`].
    pub(crate) fn hint(&mut self) -> io::Result<()> {
        let line = [b"Try '", self.called.as_slice(), b" --help' for more information.\n"].concat();
        self.bare(&line)
    }

    /// Writes a message as it is to standard error, after all lines so far.
    ///
    /// # Errors
    /// As [`Streams::error`].
    pub(crate) fn bare(&mut self, message: &[u8]) -> io::Result<()> {
        self.flush()?;
        self.tell(message);
        Ok(())
    }

    fn tell(&mut self, message: &[u8]) {
        self.lost |= write_all(stderr(), message).is_err();
    }

    /// Writes what is left and ends: 0 if all went well, else 1. A closed pipe ends the program as its signal does.
    pub(crate) fn end(mut self, done: Done) -> ExitCode {
        let written = done.and_then(|good| {
            self.flush()?;
            let closed = self.input && standard::input_was_closed();
            if closed {
                self.error(b"standard input: Bad file descriptor")?;
            }
            close_stdout()?;
            Ok(good && !closed)
        });
        match written {
            Ok(true) if !self.lost => ExitCode::SUCCESS,
            Ok(_) => ExitCode::FAILURE,
            Err(error) => {
                if error.raw_os_error() == Some(Errno::PIPE.raw_os_error()) {
                    return ExitCode::from(crate::signals::end_by_closed_pipe());
                }
                let reason = truesum::error::io_reason(&error);
                let line = [self.short(), b": write error: ", reason.as_bytes(), b"\n"].concat();
                self.tell(&line);
                ExitCode::FAILURE
            }
        }
    }
}

/// Writes all of it, however often it takes. Unlike Rust's own streams it passes on that a descriptor cannot be written.
fn write_all(to: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<()> {
    let shown = shown(&to, bytes, Escapes::None);
    let mut bytes = &*shown;
    while !bytes.is_empty() {
        match rustix::io::write(to, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            // Whoever opened it asked for that; it is ready when it is.
            Err(Errno::AGAIN) => std::thread::sleep(std::time::Duration::from_millis(1)),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Closes a copy of standard output: network file systems and quotas report some errors only then.
fn close_stdout() -> io::Result<()> {
    truesum::write::close(File::from(stdout().try_clone_to_owned()?))
}
