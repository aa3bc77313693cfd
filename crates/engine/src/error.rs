//! What went wrong with one file: path, action and cause. Such errors are values; the run goes on.

use std::ffi::OsStr;
use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use truesum_manifest::path::display_safe;

/// A failure of one file or directory.
#[derive(Debug)]
pub struct Error {
    /// The name as the user knows it, as bytes.
    pub path: Vec<u8>,
    /// What was attempted: `open`, `read`, `list` ...
    pub action: &'static str,
    /// Why it failed.
    pub cause: Cause,
}

/// Why.
#[derive(Debug)]
pub enum Cause {
    /// The operating system said so.
    Io(io::Error),
    /// The file is not the one that was opened any more: its size, times or identity differ.
    Changed(String),
    /// The file is not the one that was planned to be read; the text says what differs.
    NotAsPlanned(&'static str),
    /// Not a regular file; the text says what it is.
    Special(&'static str),
    /// The name leads out of the folder that a check may read.
    OutsideRoot,
    /// A directory that contains itself, through a symbolic link or a mount.
    Loop,
    /// The run was stopped before the end.
    Interrupted,
    /// What should be a manifest is something else; the text says what.
    NoManifest(&'static str),
    /// The digest cannot be computed, or its tree not stored, in the parts or in the way that was asked for; no other attempt
    /// changes that.
    Undivided(String),
    /// Most of what is there would be written over; the text says how much.
    Replaced(String),
    /// Anything else, in words.
    Other(String),
}

impl Error {
    /// An error of the operating system.
    pub fn io(path: &[u8], action: &'static str, error: impl Into<io::Error>) -> Error {
        Error { path: path.to_vec(), action, cause: Cause::Io(error.into()) }
    }

    /// An error with this cause.
    pub fn new(path: &[u8], action: &'static str, cause: Cause) -> Error {
        Error { path: path.to_vec(), action, cause }
    }

    /// The run was stopped while this file was read.
    pub fn interrupted(path: &[u8]) -> Error {
        Error::new(path, "read", Cause::Interrupted)
    }

    /// The same failure, of another name of the file.
    pub fn under(&self, path: &[u8]) -> Error {
        let cause = match &self.cause {
            Cause::Io(error) => Cause::Io(match error.raw_os_error() {
                Some(number) => io::Error::from_raw_os_error(number),
                None => io::Error::new(error.kind(), error.to_string()),
            }),
            Cause::Changed(what) => Cause::Changed(what.clone()),
            Cause::NotAsPlanned(what) => Cause::NotAsPlanned(what),
            Cause::Special(kind) => Cause::Special(kind),
            Cause::OutsideRoot => Cause::OutsideRoot,
            Cause::Loop => Cause::Loop,
            Cause::Interrupted => Cause::Interrupted,
            Cause::NoManifest(what) => Cause::NoManifest(what),
            Cause::Undivided(why) => Cause::Undivided(why.clone()),
            Cause::Replaced(what) => Cause::Replaced(what.clone()),
            Cause::Other(text) => Cause::Other(text.clone()),
        };
        Error { path: path.to_vec(), action: self.action, cause }
    }

    /// Whether the file is not there at all.
    pub fn is_missing(&self) -> bool {
        matches!(&self.cause, Cause::Io(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory))
    }

    /// The name as the user knows it.
    pub fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.path))
    }

    /// Why, without path and action.
    pub fn reason(&self) -> String {
        self.cause.to_string()
    }

    /// The system's number for it, if the system said so.
    pub fn errno(&self) -> Option<i32> {
        match &self.cause {
            Cause::Io(error) => error.raw_os_error(),
            _ => None,
        }
    }

    /// Whether the same attempt may well succeed later or elsewhere: what a network or a busy machine says, and a device that
    /// could not read.
    pub fn may_pass(&self) -> bool {
        use rustix::io::Errno;
        const PASSING: [Errno; 12] = [
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
        // What answered too late, or was too busy, need not be of this system.
        let late = matches!(&self.cause, Cause::Io(error) if error.kind() == io::ErrorKind::TimedOut);
        late || errno.is_some_and(|number| PASSING.contains(&number))
    }

    /// What kind of failure it is, for those who give advice.
    pub fn kind(&self) -> Kind {
        match &self.cause {
            Cause::Io(_) if self.is_missing() => Kind::Missing,
            Cause::Io(error) => match rustix::io::Errno::from_io_error(error) {
                Some(rustix::io::Errno::IO) => Kind::Device,
                Some(rustix::io::Errno::ACCESS | rustix::io::Errno::PERM) => Kind::Denied,
                _ => Kind::Other,
            },
            Cause::Changed(_) | Cause::NotAsPlanned(_) => Kind::Changed,
            Cause::Special(DIRECTORY) => Kind::Directory,
            Cause::Special(_) => Kind::Special,
            Cause::OutsideRoot => Kind::OutsideRoot,
            Cause::Loop => Kind::Loop,
            Cause::Interrupted => Kind::Interrupted,
            Cause::NoManifest(_) => Kind::NoManifest,
            Cause::Undivided(_) => Kind::Undivided,
            Cause::Replaced(_) => Kind::Replaced,
            Cause::Other(_) => Kind::Other,
        }
    }
}

/// Kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Not there.
    Missing,
    /// Not permitted.
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
    /// Something else than a manifest.
    NoManifest,
    /// The digest cannot be divided as asked.
    Undivided,
    /// Most of it would be written over.
    Replaced,
    /// Any other.
    Other,
}

impl Kind {
    /// The word for it in lines of JSON that say why there is no result.
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

/// What [`Cause::Special`] says of a directory.
pub(crate) const DIRECTORY: &str = "directory";

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: cannot {}: {}", display_safe(&self.path), self.action, self.cause)
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Io(error) => f.write_str(&io_reason(error)),
            Cause::Changed(what) => write!(f, "changed while being read ({what})"),
            Cause::NotAsPlanned(what) => write!(f, "changed since it was planned ({what} differs)"),
            Cause::Special(kind) => write!(f, "not a regular file, but a {kind}"),
            Cause::OutsideRoot => f.write_str("leads out of the folder being checked"),
            Cause::Loop => f.write_str("directory loop"),
            Cause::Interrupted => f.write_str("interrupted"),
            Cause::NoManifest(what) => write!(f, "not a manifest, but {what}"),
            Cause::Undivided(text) | Cause::Replaced(text) | Cause::Other(text) => f.write_str(text),
        }
    }
}

/// The system's words for an error, without the number Rust appends.
pub fn io_reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}
