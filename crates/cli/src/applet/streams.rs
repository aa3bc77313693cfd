//! The standard streams of drop-in replacements: complete lines in order, with errors between them.
//!
//! Lines are collected up to the size that a pipe accepts atomically, so that programs running side
//! by side do not split each other's lines, and are written before anything is written to standard
//! error, so that both streams in one pipe are in the intended order.

use crate::terminal::{Escapes, shown};
use std::fs::File;
use std::io;
use std::process::ExitCode;
use truesum_fs::standard::{self, stderr, stdout};
use truesum_fs::{Errno, data};

/// The maximum number of bytes that a pipe accepts atomically (at least 512 in POSIX, 4096 in
/// Linux).
const PIPE_BUF: usize = 4096;

/// Whether everything succeeded; an error is one of standard output and ends the program.
pub(crate) type Done = io::Result<bool>;

/// Both streams, and the name with which messages begin.
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
    /// Returns the streams of a program called by this name.
    pub(crate) fn new(called: &[u8]) -> Streams {
        Streams { called: called.to_vec(), lines: Vec::with_capacity(PIPE_BUF), input: false, lost: false }
    }

    /// Adds a line, or anything else, to standard output.
    ///
    /// # Errors
    /// Returns the error of standard output.
    pub(crate) fn write(&mut self, line: &[u8]) -> io::Result<()> {
        if self.lines.len() + line.len() > PIPE_BUF {
            self.flush()?;
        }
        self.lines.extend_from_slice(line);
        Ok(())
    }

    /// Writes what was collected.
    ///
    /// # Errors
    /// Returns the error of standard output.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let written = write_all(&stdout(), &self.lines);
        self.lines.clear();
        written
    }

    /// Records that standard input was read, so that an error is also printed at the end if it was
    /// closed.
    pub(crate) fn input_was_read(&mut self) {
        self.input = true;
    }

    /// Writes `PROGRAM: message` to standard error, after all lines so far. The name has no path.
    ///
    /// # Errors
    /// Returns the error of standard output. An error of standard error affects only the exit
    /// status, because it cannot be reported.
    pub(crate) fn error(&mut self, message: &[u8]) -> io::Result<()> {
        let line = [self.short(), b": ", message, b"\n"].concat();
        self.bare(&line)
    }

    /// Does the same as [`Streams::error`], with the name by which the program was called.
    ///
    /// # Errors
    /// Fails as [`Streams::error`].
    pub(crate) fn error_as_called(&mut self, message: &[u8]) -> io::Result<()> {
        let line = [self.called.as_slice(), b": ", message, b"\n"].concat();
        self.bare(&line)
    }

    fn short(&self) -> &[u8] {
        self.called.rsplit(|&byte| byte == b'/').next().unwrap_or_default()
    }

    /// Prints a hint at `--help` on standard error.
    ///
    /// # Errors
    /// Fails as [`Streams::error`].
    pub(crate) fn hint(&mut self) -> io::Result<()> {
        let line = [b"Try '", self.called.as_slice(), b" --help' for more information.\n"].concat();
        self.bare(&line)
    }

    /// Writes a message unchanged to standard error, after all lines so far.
    ///
    /// # Errors
    /// Fails as [`Streams::error`].
    pub(crate) fn bare(&mut self, message: &[u8]) -> io::Result<()> {
        self.flush()?;
        self.print(message);
        Ok(())
    }

    fn print(&mut self, message: &[u8]) {
        self.lost |= write_all(&stderr(), message).is_err();
    }

    /// Writes the remaining output and ends: 0 if everything succeeded, otherwise 1. A closed pipe
    /// ends the program with its signal.
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
                    return ExitCode::from(truesum_fs::signals::end_by_closed_pipe());
                }
                let reason = truesum::error::io_reason(&error);
                let line = [self.short(), b": write error: ", reason.as_bytes(), b"\n"].concat();
                self.print(&line);
                ExitCode::FAILURE
            }
        }
    }
}

/// Writes all bytes, with as many calls as necessary. Unlike Rust's own streams, it returns an
/// error if the descriptor cannot be written.
fn write_all(to: &File, bytes: &[u8]) -> io::Result<()> {
    let shown = shown(to, bytes, Escapes::None);
    let mut bytes = &*shown;
    while !bytes.is_empty() {
        match data::write(to, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            // The descriptor was opened non-blocking; try again until it is ready.
            Err(Errno::AGAIN) => std::thread::sleep(std::time::Duration::from_millis(1)),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Closes a duplicate of standard output, because network file systems and quotas report some
/// errors only then.
fn close_stdout() -> io::Result<()> {
    truesum::write::close(stdout().try_clone()?)
}
