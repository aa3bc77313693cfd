//! The numbers of system errors.

#[cfg(unix)]
use super::unix::codes;
#[cfg(windows)]
use super::windows::codes;
use std::fmt;
use std::io;

/// The number of a system error: `errno` on Unix, the code of `GetLastError` on Windows.
///
/// The constants are the errors that this program tests or reports itself. Where a system has several numbers for one of
/// them, its backend returns the one that is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Errno(i32);

/// Defines a constant for each error, whose number is in the backend's `codes`.
macro_rules! errors {
    ($($name:ident: $text:literal)*) => {
        impl Errno {
            $(#[doc = $text] pub const $name: Errno = Errno(codes::$name);)*
        }
    };
}

errors! {
    ACCESS: "Permission denied."
    AGAIN: "Try again; also a lock that another process holds."
    BADF: "Not an open file."
    CANCELED: "The operation was canceled."
    CONNRESET: "The connection was reset."
    EXIST: "The file exists."
    HOSTDOWN: "The host is down."
    INTR: "A signal arrived first."
    INVAL: "Invalid argument."
    IO: "Input or output failed."
    ISDIR: "It is a directory."
    LOOP: "A symbolic link where none may be followed, or too many of them."
    MFILE: "Too many open files in this process."
    NAMETOOLONG: "The name is too long."
    NETDOWN: "The network is down."
    NETUNREACH: "The network cannot be reached."
    NFILE: "Too many open files in the system."
    NOENT: "The file does not exist."
    NOMEM: "Out of memory."
    NOSYS: "The system does not support this operation."
    NOTDIR: "A component of the path is not a directory."
    NXIO: "No such device or address; also no data at or after an offset."
    OPNOTSUPP: "Not supported here."
    PERM: "Not permitted."
    PIPE: "The pipe has no reader."
    RANGE: "A value is too long."
    STALE: "The server no longer knows the file."
    TIMEDOUT: "The operation timed out."
    XDEV: "On another file system, or a path that leads out of its folder."
}

impl Errno {
    /// Returns the error with this number.
    pub const fn from_raw_os_error(number: i32) -> Errno {
        Errno(number)
    }

    /// Returns the number.
    pub const fn raw_os_error(self) -> i32 {
        self.0
    }

    /// Returns the number of an error, if it is a system error.
    pub fn from_io_error(error: &io::Error) -> Option<Errno> {
        error.raw_os_error().map(Errno)
    }

    /// Returns the number of an error of the standard library's calls, which are all system errors except for names
    /// that no system accepts.
    pub(crate) fn of(error: &io::Error) -> Errno {
        Errno::from_io_error(error).unwrap_or(Errno::INVAL)
    }
}

impl fmt::Display for Errno {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        io::Error::from(*self).fmt(f)
    }
}

impl std::error::Error for Errno {}

impl From<Errno> for io::Error {
    fn from(error: Errno) -> io::Error {
        io::Error::from_raw_os_error(error.0)
    }
}

#[cfg(unix)]
impl From<rustix::io::Errno> for Errno {
    fn from(error: rustix::io::Errno) -> Errno {
        Errno(error.raw_os_error())
    }
}
