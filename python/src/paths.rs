//! Converts file names between Python (`str`, `bytes` or `os.PathLike`) and the system (bytes).

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A file name in the system's encoding. Text that was decoded with `surrogateescape` is converted back to the original
/// bytes.
pub struct Name(pub PathBuf);

impl FromPyObject<'_, '_> for Name {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Name> {
        let name = match given.cast::<PyBytes>() {
            Ok(bytes) => OsString::from_vec(bytes.as_bytes().to_vec()),
            Err(_) if given.is_instance_of::<PyString>() => given.extract()?,
            Err(_) => {
                let plain = given.py().import("os")?.call_method1("fspath", (given,))?;
                match plain.cast::<PyBytes>() {
                    Ok(bytes) => OsString::from_vec(bytes.as_bytes().to_vec()),
                    Err(_) => plain.extract()?,
                }
            }
        };
        if name.as_bytes().contains(&0) {
            return Err(PyValueError::new_err("embedded null byte in a file name"));
        }
        Ok(Name(name.into()))
    }
}

/// One file name, or an iterable of them.
pub struct Names(pub Vec<PathBuf>);

impl FromPyObject<'_, '_> for Names {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Names> {
        let one = given.is_instance_of::<PyString>()
            || given.is_instance_of::<PyBytes>()
            || given.hasattr("__fspath__")?;
        if one {
            return Ok(Names(vec![given.extract::<Name>()?.0]));
        }
        let names = given.try_iter()?.map(|name| Ok(name?.extract::<Name>()?.0));
        Ok(Names(names.collect::<PyResult<_>>()?))
    }
}

/// Returns the name as bytes.
pub fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

/// Returns the name as `str`. Bytes that are not UTF-8 are escaped reversibly.
pub fn text<'py>(py: Python<'py>, name: &[u8]) -> PyResult<Bound<'py, PyString>> {
    OsStr::from_bytes(name).into_pyobject(py).map_err(Into::into)
}
