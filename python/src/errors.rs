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
    "A file error that is not a system error: the file is not a regular file, its name leads out of its folder, or its digest \
     cannot be divided. System errors are raised as the usual subclasses of OSError (FileNotFoundError, PermissionError and \
     others)."
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

/// Returns the exception for a file error.
pub fn of(py: Python<'_>, error: &Error) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let name = paths::text(py, error.name())?;
        if let Some(errno) = error.errno() {
            // OSError selects the subclass (FileNotFoundError and others) by errno.
            return Ok(PyOSError::new_err((errno, error.reason(), name.unbind())));
        }
        // Without an errno, OSError would not show its message.
        let raised = (number(error.cause()), error.reason(), name.unbind());
        Ok(match error.cause() {
            Cause::Changed(_) => ChangedError::new_err(raised),
            _ => FileError::new_err(raised),
        })
    };
    made().unwrap_or_else(|raised| raised)
}

/// Returns the errno that fits the cause best.
fn number(cause: &Cause) -> i32 {
    match cause {
        Cause::Interrupted => libc::EINTR,
        Cause::Changed(_) => libc::EBUSY,
        Cause::Special("directory") => libc::EISDIR,
        Cause::Loop => libc::ELOOP,
        _ => libc::EINVAL,
    }
}

/// Returns the exception for an invalid algorithm name or parameter.
pub fn of_spec(error: &SpecError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns the exception for an invalid argument.
pub fn refused(why: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(why.to_string())
}
