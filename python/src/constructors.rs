//! One constructor for each algorithm in the table, with a valid Python name.

use crate::callable::{Constructor, function, identifier};
use crate::hash::Kept;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList};
use std::ffi::{CStr, CString};
use truesum::hash::{ALGORITHMS, Algorithm, Spec};

/// Adds the constructors and the sets of algorithm names to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let mut names = Vec::new();
    for row in ALGORITHMS {
        names.push(row.name());
        module.add(identifier(row), constructor(py, row)?)?;
    }
    module.add("algorithms_available", PyFrozenSet::new(py, &names)?)?;
    // The set is the same on every machine, because every algorithm is built in.
    module.add("algorithms_guaranteed", PyFrozenSet::new(py, names)?)
}

fn constructor<'py>(py: Python<'py>, row: &'static Algorithm) -> PyResult<Bound<'py, PyAny>> {
    let constructor = Constructor::new(Kept::forever(Spec::new(row)));
    function(py, lasting(identifier(row)), lasting(documentation(row)), constructor)
}

/// Returns the text for help(), with the signature that inspect parses.
fn documentation(row: &Algorithm) -> String {
    let (name, status) = (identifier(row), row.status());
    let takes = match row.check_key() {
        Some(_) => " Requires a key.",
        None => "",
    };
    format!(
        "{name}(data=b'', /, **parameters)\n--\n\n{}: {}. {} bits, {}: {}.{takes}",
        row.name(),
        row.summary(),
        row.digest_len() * 8,
        status.word(),
        status.reason(),
    )
}

/// Returns a string that lives as long as the module, that is, as long as the process.
fn lasting(text: String) -> &'static CStr {
    let text = CString::new(text.replace('\0', "")).unwrap_or_default();
    Box::leak(text.into_boxed_c_str())
}

/// Returns the properties of an algorithm as a dict: its names, digest size in bytes, security status with a reference,
/// whether matching digests rule out tampering, and a description.
///
/// >>> import truesum
/// >>> found = truesum.algorithm("sha-1")
/// >>> found["name"], found["status"], found["digest_size"]
/// ('sha1', 'broken', 20)
#[pyfunction]
#[pyo3(signature = (name, /))]
pub fn algorithm<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
    let spec = crate::spec::named(name)?;
    let (row, facts) = (spec.algorithm(), PyDict::new(py));
    facts.set_item("name", spec.to_string())?;
    facts.set_item("tag", spec.tag())?;
    facts.set_item("aliases", PyList::new(py, row.aliases())?)?;
    facts.set_item("digest_size", spec.digest_len())?;
    facts.set_item("block_size", row.block_len())?;
    facts.set_item("status", row.status().word())?;
    facts.set_item("reason", row.status().reason())?;
    facts.set_item("tamper_evident", row.status().tamper_evident())?;
    facts.set_item("summary", row.summary())?;
    facts.set_item("needs_key", row.keying().needs_key())?;
    Ok(facts)
}
