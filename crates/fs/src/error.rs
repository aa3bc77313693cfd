//! The error for one file: path, action and cause. Such errors are values, and the run continues.

use crate::name::{OsStrExt, explanation, native};
pub use crate::sys::errno::Errno;
use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::path::Path;
use truesum_manifest::path::display_safe;

/// A failure of one file or directory.
#[derive(Debug)]
pub struct Error {
    pub(crate) path: Vec<u8>,
    pub(crate) action: &'static str,
    pub(crate) cause: Cause,
}

/// The cause of a failure.
#[derive(Debug)]
pub enum Cause {
    /// A system error.
    Io(io::Error),
    /// The file is no longer the one that was opened: its size, times or identity differ.
    Changed(String),
    /// Another program has the file open for writing, so its content may change at any time.
    InUse,
    /// The file is not in the planned state; the text describes the difference.
    NotAsPlanned(&'static str),
    /// Not a regular file; the text describes the type.
    Special(&'static str),
    /// The name leads out of the folder that a check may read.
    OutsideRoot,
    /// A directory that contains itself, through a symbolic link or a mount.
    Loop,
    /// The run was stopped before its end.
    Interrupted,
    /// The file is not a manifest; the text describes what it is.
    NoManifest(&'static str),
    /// The digest cannot be computed, or its tree cannot be stored, in the requested parts or in
    /// the requested way. Retrying does not help.
    Undivided(String),
    /// Most of the existing data would be overwritten; the text says how much.
    Replaced(String),
    /// A state file cannot be used in the requested way; the text gives the details.
    State(StateFault, String),
    /// Any other cause, as text.
    Other(String),
}

impl Error {
    /// Returns a system error.
    pub fn io(path: &[u8], action: &'static str, error: impl Into<io::Error>) -> Error {
        let error = error.into();
        let cause = match explanation(path, &error) {
            Some(why) => Cause::Other(why.to_owned()),
            None => Cause::Io(error),
        };
        Error::new(path, action, cause)
    }

    /// Returns an error with this cause.
    pub fn new(path: &[u8], action: &'static str, cause: Cause) -> Error {
        Error { path: path.to_vec(), action, cause }
    }

    /// Returns the error for a run that was stopped while it read this file.
    pub fn interrupted(path: &[u8]) -> Error {
        Error::new(path, "read", Cause::Interrupted)
    }

    /// Returns the error with another name of the file.
    #[must_use]
    pub fn with_name(self, path: &[u8]) -> Error {
        Error { path: path.to_vec(), ..self }
    }

    /// Returns the error with another action.
    #[must_use]
    pub fn with_action(self, action: &'static str) -> Error {
        Error { action, ..self }
    }

    /// Returns the error with another cause.
    #[must_use]
    pub fn with_cause(self, cause: Cause) -> Error {
        Error { cause, ..self }
    }

    /// Returns the same error for another name of the file.
    pub fn under(&self, path: &[u8]) -> Error {
        let cause = match &self.cause {
            Cause::Io(error) => Cause::Io(match error.raw_os_error() {
                Some(number) => io::Error::from_raw_os_error(number),
                None => io::Error::new(error.kind(), error.to_string()),
            }),
            Cause::Changed(what) => Cause::Changed(what.clone()),
            Cause::InUse => Cause::InUse,
            Cause::NotAsPlanned(what) => Cause::NotAsPlanned(what),
            Cause::Special(kind) => Cause::Special(kind),
            Cause::OutsideRoot => Cause::OutsideRoot,
            Cause::Loop => Cause::Loop,
            Cause::Interrupted => Cause::Interrupted,
            Cause::NoManifest(what) => Cause::NoManifest(what),
            Cause::Undivided(why) => Cause::Undivided(why.clone()),
            Cause::Replaced(what) => Cause::Replaced(what.clone()),
            Cause::State(fault, text) => Cause::State(*fault, text.clone()),
            Cause::Other(text) => Cause::Other(text.clone()),
        };
        Error { path: path.to_vec(), action: self.action, cause }
    }

    /// Returns whether the file does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(&self.cause, Cause::Io(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory))
    }

    /// Returns the name as the user knows it.
    pub fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.path))
    }

    /// Returns the name as the user knows it, as bytes.
    pub fn name(&self) -> &[u8] {
        &self.path
    }

    /// Returns the action that failed: `open`, `read`, `list` and so on.
    pub fn action(&self) -> &'static str {
        self.action
    }

    /// Returns the cause of the failure.
    pub fn cause(&self) -> &Cause {
        &self.cause
    }

    /// Returns the cause of the failure.
    pub fn into_cause(self) -> Cause {
        self.cause
    }

    /// Returns the text of the cause, without path and action.
    pub fn reason(&self) -> String {
        self.cause.to_string()
    }

    /// Returns the errno, if it is a system error.
    pub fn errno(&self) -> Option<i32> {
        match &self.cause {
            Cause::Io(error) => error.raw_os_error(),
            _ => None,
        }
    }

    /// Returns whether the same attempt may succeed later or on another machine: network errors, a busy system, and
    /// devices that failed to read.
    pub fn is_transient(&self) -> bool {
        const TRANSIENT: [Errno; 12] = [
            Errno::IO,
            Errno::TIMEDOUT,
            Errno::STALE,
            Errno::AGAIN,
            Errno::INTR,
            Errno::NOMEM,
            Errno::MFILE,
            Errno::NFILE,
            Errno::NETDOWN,
            Errno::NETUNREACH,
            Errno::HOSTDOWN,
            Errno::CONNRESET,
        ];
        let errno = self.errno().map(Errno::from_raw_os_error);
        // A timeout or overload may also be reported by a remote service.
        let late = matches!(&self.cause, Cause::Io(error) if error.kind() == io::ErrorKind::TimedOut);
        late || errno.is_some_and(|number| TRANSIENT.contains(&number))
    }

    /// Returns the kind of failure, for callers that give advice.
    pub fn kind(&self) -> Kind {
        match &self.cause {
            Cause::Io(_) if self.is_missing() => Kind::Missing,
            Cause::Io(error) => match Errno::from_io_error(error) {
                Some(Errno::IO) => Kind::Device,
                Some(Errno::ACCESS | Errno::PERM) => Kind::Denied,
                _ => Kind::Other,
            },
            Cause::Changed(_) | Cause::InUse | Cause::NotAsPlanned(_) => Kind::Changed,
            Cause::Special(DIRECTORY) => Kind::Directory,
            Cause::Special(_) => Kind::Special,
            Cause::OutsideRoot => Kind::OutsideRoot,
            Cause::Loop => Kind::Loop,
            Cause::Interrupted => Kind::Interrupted,
            Cause::NoManifest(_) => Kind::NoManifest,
            Cause::Undivided(_) => Kind::Undivided,
            Cause::Replaced(_) => Kind::Replaced,
            Cause::State(fault, _) => Kind::State(*fault),
            Cause::Other(_) => Kind::Other,
        }
    }
}

/// A kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The file does not exist.
    Missing,
    /// Permission was denied.
    Denied,
    /// The device reports that it cannot read or write.
    Device,
    /// It changed while it was read.
    Changed,
    /// A directory where a file was expected.
    Directory,
    /// A device, pipe or socket.
    Special,
    /// The name leads out of the folder that may be read.
    OutsideRoot,
    /// A directory that contains itself.
    Loop,
    /// The run was stopped.
    Interrupted,
    /// The file is not a manifest.
    NoManifest,
    /// The digest cannot be divided as requested.
    Undivided,
    /// Most of the existing data would be overwritten.
    Replaced,
    /// A state file cannot be used in the requested way.
    State(StateFault),
    /// Any other.
    Other,
}

/// A reason for which a state file cannot be used in the requested way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateFault {
    /// It is damaged or incomplete.
    Damaged,
    /// It is not a state file, or belongs to another folder, or has other algorithms.
    Unsuitable,
    /// It describes the files of manifests, not all files of a folder.
    OfCollection,
    /// It describes all files of a folder, not those of manifests.
    OfTree,
    /// Its rules are not those that were requested.
    OtherRules,
    /// The rules exclude files with open failures.
    FailuresExcluded,
    /// The names of the manifest to import are not those of files in the folder.
    OtherNames,
}

impl Kind {
    /// Returns the word for this kind in JSON output.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Missing => "missing",
            Kind::Changed => "changed",
            Kind::Special | Kind::Directory | Kind::OutsideRoot | Kind::Undivided | Kind::Replaced => {
                "refused"
            }
            Kind::Interrupted => "interrupted",
            _ => "unreadable",
        }
    }
}

/// The text of [`Cause::Special`] for a directory.
pub const DIRECTORY: &str = "directory";

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = native(display_safe(&self.path));
        match self.cause {
            Cause::NoManifest(what) => write!(f, "{path}: not a manifest ({what})"),
            _ => write!(f, "{path}: cannot {}: {}", self.action, self.cause),
        }
    }
}

impl std::error::Error for Error {
    /// Returns the source of the system error, whose text is part of this error's message; [`Error::cause`] returns the
    /// system error itself.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.cause)
    }
}

impl std::error::Error for Cause {
    /// Returns the source of the system error, whose text is the message of this cause.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Cause::Io(error) => std::error::Error::source(error),
            _ => None,
        }
    }
}

impl From<Cause> for io::Error {
    fn from(cause: Cause) -> io::Error {
        match cause {
            Cause::Io(error) => error,
            cause => io::Error::other(cause),
        }
    }
}

impl From<Error> for io::Error {
    /// Returns an error of the same kind with the message of this one, which is what it wraps.
    fn from(error: Error) -> io::Error {
        let kind = match error.cause() {
            Cause::Io(error) => error.kind(),
            _ => io::ErrorKind::Other,
        };
        io::Error::new(kind, error)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Io(error) => f.write_str(&io_reason(error)),
            Cause::Changed(what) => write!(f, "changed during the run ({what})"),
            Cause::InUse => f.write_str("it may have changed: another program has it open for writing"),
            Cause::NotAsPlanned(what) => write!(f, "changed since the plan was written ({what} differs)"),
            Cause::Special(kind) => write!(f, "not a regular file, but a {kind}"),
            Cause::OutsideRoot => f.write_str("the path leads out of the folder being checked"),
            Cause::Loop => f.write_str("directory loop"),
            Cause::Interrupted => f.write_str("interrupted"),
            Cause::NoManifest(what) => write!(f, "it is {what}"),
            Cause::Undivided(text) | Cause::Replaced(text) | Cause::State(_, text) | Cause::Other(text) => {
                f.write_str(text)
            }
        }
    }
}

/// Returns the system's message for an error, without the number that Rust appends and the full stop of Windows.
pub fn io_reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(end) => text[..end].trim_end_matches('.').to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Wrapper(io::Error);

    impl fmt::Display for Wrapper {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("request failed")
        }
    }

    impl std::error::Error for Wrapper {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }

    /// Returns the messages of an error and of its sources.
    fn chain(error: &dyn std::error::Error) -> Vec<String> {
        let (mut messages, mut source) = (vec![error.to_string()], error.source());
        while let Some(error) = source {
            messages.push(error.to_string());
            source = error.source();
        }
        messages
    }

    #[test]
    fn chain_of_an_error_repeats_no_cause() {
        let missing = || io::Error::from_raw_os_error(2);
        let error = Error::io(b"f", "open", missing());
        let message = error.to_string();
        assert!(message.starts_with("f: cannot open: "), "{message}");
        assert_eq!(chain(&error), [&*message]);
        assert!(matches!(error.cause(), Cause::Io(error) if error.raw_os_error() == Some(2)));
        let io = io::Error::from(error);
        assert_eq!((io.kind(), chain(&io)), (io::ErrorKind::NotFound, vec![message]));
        assert!(io.get_ref().is_some_and(|error| error.is::<Error>()), "it can be downcast");
        // Errors behind the cause that are not part of the message are in the chain.
        let error = Error::io(b"f", "read", io::Error::other(Wrapper(missing())));
        assert_eq!(chain(&error), ["f: cannot read: request failed", &missing().to_string()]);
        let kept = io::Error::from(Cause::Interrupted);
        assert!(kept.get_ref().is_some_and(|cause| matches!(cause.downcast_ref(), Some(Cause::Interrupted))));
    }
}
