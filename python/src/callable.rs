//! Constructors that receive their arguments through the vectorcall protocol, without a tuple per call. Building that
//! tuple would take a tenth of the time for a short message.
#![allow(unsafe_code, reason = "PyO3 cannot create such functions with state")]

use crate::bytes::Data;
use crate::hash::{Hash, SharedSpec, SpecRef};
use crate::spec::{message, with_parameters};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::ffi;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use truesum::hash::Algorithm;

/// Returns the name of an algorithm as an identifier: `sha3_256` for `sha3-256`.
pub fn identifier(row: &Algorithm) -> String {
    row.name().replace('-', "_")
}

/// Creates hash objects of one algorithm.
#[pyclass(frozen, module = "truesum")]
pub struct Constructor(&'static SharedSpec);

impl Constructor {
    /// Returns the constructor of an algorithm.
    pub fn new(spec: &'static SharedSpec) -> Constructor {
        Constructor(spec)
    }

    /// Returns whether the algorithm has a seed.
    fn takes_seed(&self) -> bool {
        self.0.spec().algorithm().seed_bits() > 0
    }

    /// Returns the object for a short immutable message, or `None` if the general path is needed.
    fn short(&self, message: &[u8]) -> Option<Hash> {
        if self.0.spec().lacks_key() { None } else { Hash::short(SpecRef::Shared(self.0), message) }
    }

    /// Returns the object for the message `first`, which must be the only one of the `count` positional arguments, with
    /// parameters. As in the package xxhash, a seed may follow it, which is then among the parameters.
    fn make(
        &self,
        py: Python<'_>,
        first: Option<Borrowed<'_, '_, PyAny>>,
        count: usize,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Hash> {
        let spec = self.0.spec();
        if count > 1 && !(count == 2 && self.takes_seed()) {
            let name = identifier(spec.algorithm());
            return Err(PyTypeError::new_err(format!("{name}() takes one message, not {count}")));
        }
        let by_keyword = keywords.map(message).transpose()?.flatten();
        if let (Some(_), Some(_)) = (&first, &by_keyword) {
            return Err(PyTypeError::new_err("the message was given twice"));
        }
        let data = match (&first, &by_keyword) {
            (Some(first), _) => Some(first.extract::<Data<'_>>()?),
            (None, given) => given.as_ref().map(|given| given.extract::<Data<'_>>()).transpose()?,
        };
        let spec = match keywords.filter(|keywords| !keywords.is_empty()) {
            None if !spec.lacks_key() => SpecRef::Shared(self.0),
            keywords => SpecRef::Owned(Box::new(with_parameters(spec.clone(), keywords)?)),
        };
        Hash::begin(py, spec, data)
    }
}

#[pymethods]
impl Constructor {
    /// Saves the function that calls the constructor: pickle saves a built-in method as an attribute of its object, and
    /// the function is an attribute of the package.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (&'static str,))> {
        Ok((py.import("importlib")?.getattr("import_module")?, ("truesum",)))
    }
}

/// Returns a Python function with this name that calls a constructor. Name and documentation are never freed, because
/// the function may live as long as the process.
pub fn function<'py>(
    py: Python<'py>,
    name: &'static CStr,
    documentation: &'static CStr,
    constructor: Constructor,
) -> PyResult<Bound<'py, PyAny>> {
    let definition = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: call_constructor },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: documentation.as_ptr(),
    }));
    let own = Bound::new(py, constructor)?;
    let module = PyString::intern(py, "truesum");
    // SAFETY: the definition is never freed, and its flags are those of `call_constructor`; the function takes its own references
    // to `own` and the name of the module. The result is a new object, or null with an exception set.
    unsafe {
        let made = ffi::PyCFunction_NewEx(definition, own.as_ptr(), module.as_ptr());
        Bound::from_owned_ptr_or_err(py, made)
    }
}

/// The C function that Python calls, with a [`Constructor`] as `own`.
///
/// # Safety
/// Must be called as Python does: attached to the interpreter, with `count` positional arguments followed by one for
/// each of `names`, which is a tuple of strings or null. All of them must live until the function returns.
unsafe extern "C" fn call_constructor(
    own: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: a caller of a Python function is attached.
    let py = unsafe { Python::assume_attached() };
    // SAFETY: only function() passes this pointer, with a constructor.
    let own = unsafe { Borrowed::from_ptr(py, own).cast_unchecked::<Constructor>() };
    let made = catch_unwind(AssertUnwindSafe(|| {
        if count == 1 && names.is_null() {
            // SAFETY: there is exactly one argument.
            let message = unsafe { Borrowed::from_ptr(py, *arguments) };
            // The fast path for the most common call.
            if let Ok(message) = message.cast::<PyBytes>()
                && let Some(hash) = own.get().short(message.as_bytes())
            {
                return Py::new(py, hash);
            }
        }
        // SAFETY: guaranteed by the caller.
        unsafe { at_length(own.get(), arguments, count, names) }
    }));
    let error = match made {
        Ok(Ok(hash)) => return hash.into_ptr(),
        Ok(Err(error)) => error,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
            PanicException::new_err(text.unwrap_or_default())
        }
    };
    error.restore(py);
    std::ptr::null_mut()
}

/// Parses the arguments one by one. This may release the interpreter lock, so PyO3 needs to know which thread holds it.
///
/// # Safety
/// The same as for [`call_constructor`].
unsafe fn at_length(
    own: &Constructor,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> PyResult<Py<Hash>> {
    Python::attach(|py| {
        let count =
            usize::try_from(count).map_err(|_| PyRuntimeError::new_err("negative number of arguments"))?;
        // SAFETY: guaranteed by the caller.
        let argument = |at: usize| unsafe { Borrowed::from_ptr(py, *arguments.add(at)) };
        // SAFETY: `names` is a tuple or null.
        let names = unsafe { Borrowed::from_ptr_or_opt(py, names) };
        let keywords = PyDict::new(py);
        if let Some(names) = &names {
            for (at, name) in names.cast::<PyTuple>()?.iter().enumerate() {
                keywords.set_item(name.cast::<PyString>()?, argument(count + at))?;
            }
        }
        if count == 2 && own.takes_seed() {
            if keywords.contains("seed")? {
                return Err(PyTypeError::new_err("the seed was given twice"));
            }
            keywords.set_item("seed", argument(1))?;
        }
        let first = (count > 0).then(|| argument(0));
        Py::new(py, own.make(py, first, count, Some(&keywords))?)
    })
}
