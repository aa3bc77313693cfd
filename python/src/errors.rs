//! Failures as Python exceptions: system errors become the matching `OSError`, others have their own classes.

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use truesum::hash::SpecError;
use truesum::{Cause, Error};

use crate::paths;

pyo3::create_exception!(
    truesum,
    FileError,
    PyOSError,
    "A file error that is not a system error: the file is a device, pipe or socket, its name leads out of its folder, or its \
     digest cannot be divided. Other errors are raised as the usual subclasses of OSError (FileNotFoundError, \
     IsADirectoryError, PermissionError and others)."
);
pyo3::create_exception!(
    truesum,
    ChangedError,
    FileError,
    "The file changed while it was read, so it has no digest."
);
pyo3::create_exception!(
    truesum,
    ManifestError,
    PyValueError,
    "The manifest is invalid, or the format cannot represent the data."
);

/// The class of the exception for a file error.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    /// The subclass of `OSError` for the errno.
    System,
    File,
    Changed,
}

const CLASSES: [(Class, &str); 3] =
    [(Class::System, "system"), (Class::File, "file"), (Class::Changed, "changed")];

/// A file error as plain values. An exception is created from it whenever one is needed, so that no traceback is shared.
#[derive(Clone)]
pub struct Failure {
    class: Class,
    errno: i32,
    reason: String,
    name: Vec<u8>,
}

/// The values of a [`Failure`] in a pickle: class, errno, reason, name.
pub type SavedFailure = (String, i32, String, Vec<u8>);

impl From<&Error> for Failure {
    fn from(error: &Error) -> Failure {
        let (class, errno) = match (error.errno(), error.cause()) {
            (Some(errno), _) => (Class::System, errno),
            (None, Cause::Special("directory")) => (Class::System, libc::EISDIR),
            (None, Cause::Interrupted) => (Class::System, libc::EINTR),
            (None, Cause::Changed(_) | Cause::InUse) => (Class::Changed, libc::EBUSY),
            (None, Cause::Loop) => (Class::File, libc::ELOOP),
            // Without an errno, OSError would not show its message.
            (None, _) => (Class::File, libc::EINVAL),
        };
        Failure { class, errno, reason: error.reason(), name: error.name().to_vec() }
    }
}

impl Failure {
    /// Returns the exception. `OSError` selects the subclass (`FileNotFoundError` and others) by errno.
    pub fn to_exception(&self, py: Python<'_>) -> PyErr {
        let name = match paths::text(py, &self.name) {
            Ok(name) => name.unbind(),
            Err(error) => return error,
        };
        let arguments = (self.errno, self.reason.clone(), name);
        match self.class {
            Class::System => PyOSError::new_err(arguments),
            Class::File => FileError::new_err(arguments),
            Class::Changed => ChangedError::new_err(arguments),
        }
    }

    /// Returns the reason.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Returns the values for a pickle.
    pub fn saved(&self) -> SavedFailure {
        let class = CLASSES.iter().find(|(class, _)| *class == self.class).map_or("", |(_, word)| word);
        (class.to_owned(), self.errno, self.reason.clone(), self.name.clone())
    }

    /// Returns the error with these values.
    ///
    /// # Errors
    /// Fails if the class is unknown.
    pub fn restored((class, errno, reason, name): SavedFailure) -> PyResult<Failure> {
        let found = CLASSES.iter().find(|(_, word)| *word == class);
        let class = found
            .map(|(class, _)| *class)
            .ok_or_else(|| refused(format!("unknown error class '{class}'")))?;
        Ok(Failure { class, errno, reason, name })
    }
}

/// Returns the exception for a file error.
pub fn to_exception(py: Python<'_>, error: &Error) -> PyErr {
    Failure::from(error).to_exception(py)
}

/// Returns the exception for an invalid algorithm name or parameter.
pub fn of_spec(error: &SpecError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns the exception for an invalid argument.
pub fn refused(why: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(why.to_string())
}
