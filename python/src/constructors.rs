//! One constructor for each algorithm in the table, with a valid Python name.

use crate::callable::{Constructor, function, identifier};
use crate::hash::SharedSpec;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList};
use std::ffi::{CStr, CString};
use truesum::hash::{ALGORITHMS, Algorithm, Spec};

/// The constructors that hashlib and xxhash have under other names: theirs, and the name in the table.
const ALIASES: [(&str, &str); 4] =
    [("shake_128", "shake128"), ("shake_256", "shake256"), ("xxh3_64", "xxh3"), ("xxh3_128", "xxh128")];

/// Adds the constructors and the sets of algorithm names to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let (mut names, mut all) = (Vec::new(), Vec::new());
    for row in ALGORITHMS {
        names.push(row.name());
        let identifier = identifier(row);
        let aliases =
            ALIASES.iter().filter(|(_, name)| *name == row.name()).map(|(alias, _)| (*alias).to_owned());
        let spec = SharedSpec::leak(Spec::new(row));
        for name in std::iter::once(identifier).chain(aliases) {
            let text = leak_c_str(documentation(row, &name));
            module
                .add(name.as_str(), function(py, leak_c_str(name.clone()), text, Constructor::new(spec))?)?;
            all.push(name);
        }
        all.extend(std::iter::once(row.name()).chain(row.aliases().iter().copied()).map(str::to_owned));
    }
    // Every name that new() accepts, without parameters.
    module.add("algorithms_available", PyFrozenSet::new(py, all)?)?;
    // One name of each algorithm. All of them are built in, so the set is the same on every machine.
    module.add("algorithms_guaranteed", PyFrozenSet::new(py, names)?)
}

/// Returns the text for help(), with the signature that inspect parses.
fn documentation(row: &Algorithm, name: &str) -> String {
    let status = row.status();
    let takes = match row.check_key() {
        Some(_) => " Requires a key.",
        None => "",
    };
    format!(
        "{name}(data=b'', **parameters)\n--\n\n{}: {}. {} bits, {}: {}.{takes}",
        row.name(),
        row.summary(),
        row.digest_len() * 8,
        status.word(),
        status.reason(),
    )
}

/// Returns a string that lives as long as the module, that is, as long as the process.
fn leak_c_str(text: String) -> &'static CStr {
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
