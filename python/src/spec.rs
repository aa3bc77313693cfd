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

/// The parameters of hashlib's BLAKE2 for trees, which are not supported, with the values that describe a single
/// message.
const BLAKE2_TREE: [(&str, u64); 7] = [
    ("fanout", 1),
    ("depth", 1),
    ("leaf_size", 0),
    ("node_offset", 0),
    ("node_depth", 0),
    ("inner_size", 0),
    ("last_node", 0),
];

/// The names that hashlib spells differently: its name, and the one in the table.
const HASHLIB: [(&str, &str); 8] = [
    ("sha3_224", "sha3-224"),
    ("sha3_256", "sha3-256"),
    ("sha3_384", "sha3-384"),
    ("sha3_512", "sha3-512"),
    ("sha512_224", "sha512-224"),
    ("sha512_256", "sha512-256"),
    ("shake_128", "shake128"),
    ("shake_256", "shake256"),
];

/// Returns the name of an algorithm as hashlib spells it, if hashlib has it, and otherwise as in the table.
pub fn hashlib_name(spec: &Spec) -> String {
    let name = spec.to_string();
    HASHLIB.iter().find(|(_, ours)| *ours == name).map_or(name, |(theirs, _)| (*theirs).to_owned())
}

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
            // The second name is that of the package blake3.
            "context" | "derive_key_context" => spec.with_key(Key::Derive(value.extract::<String>()?.into())),
            "seed" => spec.with_seed(value.extract()?),
            "custom" => {
                let bytes = value.extract::<Data<'_>>()?.to_vec();
                spec.with_customization(&bytes)
            }
            "unit" => spec.with_unit(value.extract()?),
            "salt" if is_blake2(&spec) => spec.with_salt(&value.extract::<Data<'_>>()?.to_vec()),
            "person" if is_blake2(&spec) => spec.with_person(&value.extract::<Data<'_>>()?.to_vec()),
            other => match BLAKE2_TREE.iter().find(|(name, _)| is_blake2(&spec) && *name == other) {
                Some((_, usual)) if value.extract::<u64>().is_ok_and(|given| given == *usual) => continue,
                Some(_) => {
                    let name = spec.algorithm().name();
                    return Err(PyTypeError::new_err(format!(
                        "unknown parameter '{other}' (truesum computes {name} without it; use hashlib.{name})"
                    )));
                }
                None => {
                    return Err(PyTypeError::new_err(format!(
                        "unknown parameter '{other}' (valid parameters: digest_size, key, context, seed, custom, unit, \
                         and salt and person for BLAKE2)"
                    )));
                }
            },
        };
        spec = given.map_err(|error| of_spec(&error))?;
    }
    with_key(spec)
}

/// Returns whether the algorithm has a salt and a personalization.
fn is_blake2(spec: &Spec) -> bool {
    spec.algorithm().personal() > 0
}
