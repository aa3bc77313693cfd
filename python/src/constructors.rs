//! One constructor for each algorithm of the table, named as Python can name it.

use crate::bytes::Data;
use crate::hash::{Hash, Kept, Which};
use crate::spec::with_parameters;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyDict, PyFrozenSet, PyList, PyTuple};
use std::ffi::{CStr, CString};
use truesum::hash::{ALGORITHMS, Algorithm, Spec};

/// The name of an algorithm as an identifier: `sha3_256` for `sha3-256`.
pub fn identifier(row: &Algorithm) -> String {
    row.name.replace('-', "_")
}

/// Adds the constructors, and tells what there is.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let mut names = Vec::new();
    for row in ALGORITHMS {
        names.push(row.name);
        module.add(identifier(row), constructor(py, row)?)?;
    }
    module.add("algorithms_available", PyFrozenSet::new(py, &names)?)?;
    // The same on every machine: all of it is our own code or comes with it.
    module.add("algorithms_guaranteed", PyFrozenSet::new(py, names)?)
}

fn constructor<'py>(py: Python<'py>, row: &'static Algorithm) -> PyResult<Bound<'py, PyCFunction>> {
    let kept = Kept::forever(Spec::new(row));
    let make = move |arguments: &Bound<'_, PyTuple>, keywords: Option<&Bound<'_, PyDict>>| {
        // What most calls are goes the shortest way.
        if let (None, 1, false) = (keywords, arguments.len(), kept.spec().lacks_key())
            && let Ok(bytes) = arguments.get_borrowed_item(0)?.cast::<PyBytes>()
            && let Some(hash) = Hash::short(Which::Kept(kept), bytes.as_bytes())
        {
            return Ok(hash);
        }
        let py = arguments.py();
        let data = match arguments.len() {
            0 => None,
            1 => Some(arguments.get_borrowed_item(0)?.extract::<Data<'_>>()?),
            count => {
                let name = identifier(row);
                return Err(PyTypeError::new_err(format!("{name}() takes one message, not {count}")));
            }
        };
        let spec = match keywords {
            None if !kept.spec().lacks_key() => Which::Kept(kept),
            _ => Which::Own(Box::new(with_parameters(kept.spec().clone(), keywords)?)),
        };
        Hash::begin(py, spec, data)
    };
    PyCFunction::new_closure(py, Some(lasting(identifier(row))), Some(lasting(documentation(row))), make)
}

/// What help() shows, with the signature that inspect finds.
fn documentation(row: &Algorithm) -> String {
    let (name, status) = (identifier(row), row.status);
    let takes = match row.check_key() {
        Some(_) => " It needs a key.",
        None => "",
    };
    format!(
        "{name}(data=b'', /, **parameters)\n--\n\n{}: {}. {} bits, {}: {}.{takes}",
        row.name,
        row.summary,
        row.digest_len * 8,
        status.word(),
        status.reason(),
    )
}

/// A text that lives as long as the module, which is as long as the process.
fn lasting(text: String) -> &'static CStr {
    let text = CString::new(text.replace('\0', "")).unwrap_or_default();
    Box::leak(text.into_boxed_c_str())
}

/// What is known of an algorithm: its names, bytes of its digest, what is known of its security and where that stands, whether
/// an equal digest shows that nobody tampered with the bytes, and what it is.
///
/// >>> import truesum
/// >>> found = truesum.algorithm("sha-1")
/// >>> found["name"], found["status"], found["digest_size"]
/// ('sha1', 'broken', 20)
#[pyfunction]
#[pyo3(signature = (name, /))]
pub fn algorithm<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
    let spec = crate::spec::named(name)?;
    let (row, told) = (spec.algorithm(), PyDict::new(py));
    told.set_item("name", spec.to_string())?;
    told.set_item("tag", spec.tag())?;
    told.set_item("aliases", PyList::new(py, row.aliases)?)?;
    told.set_item("digest_size", spec.digest_len())?;
    told.set_item("block_size", row.block_len())?;
    told.set_item("status", row.status.word())?;
    told.set_item("reason", row.status.reason())?;
    told.set_item("tamper_evident", row.status.tamper_evident())?;
    told.set_item("summary", row.summary)?;
    told.set_item("needs_key", row.keying.needs_key())?;
    Ok(told)
}
