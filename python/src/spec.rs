//! Algorithm names as used in Python programs, with their parameters.

use crate::bytes::Data;
use crate::errors::{of_spec, refused};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use truesum::hash::{Key, Secret, Spec};

/// Returns the algorithm with this name, in the spelling of the program or of hashlib (`sha3_256`, `shake_128`).
///
/// # Errors
/// Fails if there is no such algorithm.
pub fn named(name: &str) -> PyResult<Spec> {
    let found = name.parse::<Spec>();
    let spellings = ["-", ""].into_iter().filter(|_| name.contains('_'));
    spellings
        .filter_map(|between| name.replace('_', between).parse().ok())
        .fold(found, |found, other| found.or(Ok(other)))
        .map_err(|error| of_spec(&error))
}

/// One algorithm name, or several.
pub struct Specs(pub Vec<Spec>);

impl FromPyObject<'_, '_> for Specs {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Specs> {
        if let Ok(name) = given.cast::<PyString>() {
            let names = name.to_str()?.split(',').map(|name| with_key(named(name.trim())?));
            return Ok(Specs(names.collect::<PyResult<_>>()?));
        }
        let mut specs = Vec::new();
        for name in given.try_iter()? {
            specs.push(with_key(named(name?.cast::<PyString>()?.to_str()?)?)?);
        }
        if specs.is_empty() {
            return Err(refused("no algorithm specified"));
        }
        Ok(Specs(specs))
    }
}

/// Rejects an algorithm that needs a key.
fn with_key(spec: Spec) -> PyResult<Spec> {
    if spec.lacks_key() {
        return Err(refused(format!("{spec} needs a key: new(\"{spec}\", key=b\"...\")")));
    }
    Ok(spec)
}

/// Removes and returns the message from keyword arguments: `data`, which older versions of hashlib call `string`.
///
/// # Errors
/// Fails if there are both.
pub fn message<'py>(keywords: &Bound<'py, PyDict>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let mut found = None;
    for keyword in ["data", "string"] {
        let Some(given) = keywords.get_item(keyword)? else { continue };
        keywords.del_item(keyword)?;
        if found.replace(given).is_some() {
            return Err(PyTypeError::new_err("the message was given twice"));
        }
    }
    Ok(found)
}

/// The parameters of hashlib's BLAKE2 that are not supported.
const BLAKE2_ONLY: [&str; 9] = [
    "salt",
    "person",
    "fanout",
    "depth",
    "leaf_size",
    "node_offset",
    "node_depth",
    "inner_size",
    "last_node",
];

/// Returns the algorithm with the parameters given as keyword arguments.
///
/// # Errors
/// Fails for an unknown keyword, a parameter that the algorithm does not have, or a missing key.
pub fn with_parameters(mut spec: Spec, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Spec> {
    for (keyword, value) in keywords.into_iter().flatten() {
        let keyword = keyword.cast::<PyString>()?;
        if value.is_none() {
            continue;
        }
        let given = match keyword.to_str()? {
            // hashlib's parameter, which does not affect the digest.
            "usedforsecurity" => continue,
            "digest_size" => spec.with_bits(value.extract::<usize>()?.saturating_mul(8)),
            "key" => {
                let bytes = value.extract::<Data<'_>>()?.to_vec();
                // hashlib's BLAKE2 treats an empty key as no key.
                if bytes.is_empty() { Ok(spec) } else { spec.with_key(Key::Secret(Secret::new(bytes))) }
            }
            "context" => spec.with_key(Key::Derive(value.extract::<String>()?.into())),
            "seed" => spec.with_seed(value.extract()?),
            "custom" => {
                let bytes = value.extract::<Data<'_>>()?.to_vec();
                spec.with_customization(&bytes)
            }
            "unit" => spec.with_unit(value.extract()?),
            "salt" | "person" if is_blake2(&spec) && value.len()? == 0 => continue,
            other if is_blake2(&spec) && BLAKE2_ONLY.contains(&other) => {
                let name = spec.algorithm().name();
                return Err(PyTypeError::new_err(format!(
                    "unknown parameter '{other}' (truesum computes {name} without it; use hashlib.{name})"
                )));
            }
            other => {
                return Err(PyTypeError::new_err(format!(
                    "unknown parameter '{other}' (valid parameters: digest_size, key, context, seed, custom and unit)"
                )));
            }
        };
        spec = given.map_err(|error| of_spec(&error))?;
    }
    with_key(spec)
}

/// Returns whether hashlib has the algorithm with parameters that this package does not have.
fn is_blake2(spec: &Spec) -> bool {
    matches!(spec.algorithm().name(), "blake2b" | "blake2s")
}
