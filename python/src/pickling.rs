//! Pickling: result objects are saved as tuples of plain values, from which a function of the extension module rebuilds
//! them.

use crate::errors::refused;
use crate::spec::named;
use pyo3::prelude::*;
use truesum::hash::{Digest, Spec};

/// Returns the function of the extension module with this name, which rebuilds an object.
pub fn restorer<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("truesum._native")?.getattr(name)
}

/// Returns digests as text. The text includes the number of parts.
pub fn saved_digests(digests: &[Digest]) -> Vec<String> {
    digests.iter().map(Digest::to_hex).collect()
}

/// Parses digests saved by [`saved_digests`].
pub fn restored_digests(saved: &[String]) -> PyResult<Vec<Digest>> {
    saved.iter().map(|text| Digest::from_hex(text.as_bytes()).map_err(refused)).collect()
}

/// Returns digests as pairs of an algorithm name and hexadecimal text.
pub fn saved_pairs(pairs: &[(Spec, Digest)]) -> Vec<(String, String)> {
    pairs.iter().map(|(spec, digest)| (spec.to_string(), digest.to_hex())).collect()
}

/// Parses digests saved by [`saved_pairs`].
pub fn restored_pairs(saved: &[(String, String)]) -> PyResult<Vec<(Spec, Digest)>> {
    let pair = |(name, text): &(String, String)| {
        Ok((named(name)?, Digest::from_hex(text.as_bytes()).map_err(refused)?))
    };
    saved.iter().map(pair).collect()
}

/// Returns the word of this list that equals `given`.
///
/// # Errors
/// Fails if there is none.
pub fn find_word(words: &[&'static str], given: &str) -> PyResult<&'static str> {
    let found = words.iter().find(|word| **word == given);
    found.copied().ok_or_else(|| refused(format!("unknown result '{given}'")))
}
