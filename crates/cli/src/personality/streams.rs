//! The standard streams of the programs that truesum is under other names: whole lines in order, errors in between.
//!
//! Lines are gathered up to what a pipe takes in one piece, so that programs running side by side do not cut each other's
//! lines, and written before anything goes to standard error, so that both in one pipe read as they were meant.

use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
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
}

impl Streams {
    /// The streams of a program called by this name.
    pub(crate) fn new(called: &[u8]) -> Streams {
        Streams { called: called.to_vec(), lines: Vec::with_capacity(PIPE_BUF) }
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
        let stdout = io::stdout();
        let mut rest = self.lines.as_slice();
        while !rest.is_empty() {
            match rustix::io::write(stdout.as_fd(), rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => rest = &rest[count..],
                Err(Errno::INTR) => {}
                // Whoever opened it asked for that; it is ready when it is.
                Err(Errno::AGAIN) => std::thread::sleep(std::time::Duration::from_millis(1)),
                Err(error) => {
                    self.lines.clear();
                    return Err(error.into());
                }
            }
        }
        self.lines.clear();
        Ok(())
    }

    /// Writes `NAME OF THE PROGRAM: message` to standard error, after all lines so far.
    ///
    /// # Errors
    /// That of standard output. Nobody could be told of one of standard error.
    pub(crate) fn error(&mut self, message: &[u8]) -> io::Result<()> {
        self.flush()?;
        self.tell(&[self.called.as_slice(), b": ", message, b"\n"].concat());
        Ok(())
    }

    /// Points to `--help`, on standard error.
    ///
    /// # Errors
    /// As [`Streams::error`].
    pub(crate) fn hint(&mut self) -> io::Result<()> {
        self.flush()?;
        self.tell(&[b"Try '", self.called.as_slice(), b" --help' for more information.\n"].concat());
        Ok(())
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

    fn tell(&self, message: &[u8]) {
        let _ = io::stderr().write_all(message);
    }

    /// Writes what is left and ends: 0 if all went well, else 1. A closed pipe ends the program as its signal does.
    pub(crate) fn end(mut self, done: Done) -> ExitCode {
        let written = done.and_then(|good| {
            self.flush()?;
            close_stdout()?;
            Ok(good)
        });
        match written {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(error) => {
                if error.raw_os_error() == Some(Errno::PIPE.raw_os_error()) {
                    return ExitCode::from(crate::signals::end_by_closed_pipe());
                }
                let reason = truesum::error::io_reason(&error);
                self.tell(&[&self.called, &b": write error: "[..], reason.as_bytes(), b"\n"].concat());
                ExitCode::FAILURE
            }
        }
    }
}

/// Closes a copy of standard output: network file systems and quotas report some errors only then.
fn close_stdout() -> io::Result<()> {
    truesum::write::close(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}
