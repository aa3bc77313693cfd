//! The extension module of the Python package `truesum`, which exposes the library. The Python part of the package is
//! in `truesum/`.
//!
//! The module makes no decisions of its own: verdicts, digests and formats are those of the library. Long work runs in
//! threads of the library while the calling thread handles signals. Failures of files are values; an exception is
//! raised only when a result that does not exist is requested.

mod audit;
mod bytes;
mod callable;
mod constructors;
mod errors;
mod files;
mod folder;
mod hash;
mod identify;
mod interrupt;
mod manifest;
mod outcome;
mod paths;
mod pickling;
mod shard;
mod spec;
mod tree;
mod verify;

use pyo3::prelude::*;

/// The extension module of truesum. Import truesum instead.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("FileError", py.get_type::<errors::FileError>())?;
    module.add("ChangedError", py.get_type::<errors::ChangedError>())?;
    module.add("ManifestError", py.get_type::<errors::ManifestError>())?;
    module.add_class::<hash::Hash>()?;
    module.add_class::<outcome::Outcome>()?;
    module.add_class::<files::Outcomes>()?;
    module.add_class::<verify::Report>()?;
    module.add_class::<audit::Finding>()?;
    module.add_class::<audit::AuditReport>()?;
    module.add_class::<manifest::Entry>()?;
    module.add_class::<manifest::Manifest>()?;
    module.add_class::<identify::Candidate>()?;
    module.add_function(wrap_pyfunction!(hash::new, module)?)?;
    module.add_function(wrap_pyfunction!(constructors::algorithm, module)?)?;
    module.add_function(wrap_pyfunction!(files::file_digest, module)?)?;
    module.add_function(wrap_pyfunction!(files::hash_files, module)?)?;
    module.add_function(wrap_pyfunction!(folder::hash_tree, module)?)?;
    module.add_function(wrap_pyfunction!(verify::verify, module)?)?;
    module.add_function(wrap_pyfunction!(audit::audit, module)?)?;
    module.add_function(wrap_pyfunction!(audit::diff, module)?)?;
    module.add_function(wrap_pyfunction!(manifest::formats, module)?)?;
    module.add_function(wrap_pyfunction!(identify::identify, module)?)?;
    // Names that truesum.tree and truesum.shard re-export are not in `__all__`, because they are not part of truesum
    // itself.
    module.setattr("Piece", py.get_type::<tree::Piece>())?;
    module.setattr("Difference", py.get_type::<tree::Difference>())?;
    module.setattr("Proof", py.get_type::<tree::Proof>())?;
    module.setattr("leaf", wrap_pyfunction!(tree::leaf, module)?)?;
    module.setattr("combine", wrap_pyfunction!(tree::combine, module)?)?;
    module.setattr("save", wrap_pyfunction!(tree::save, module)?)?;
    module.setattr("locate", wrap_pyfunction!(tree::locate, module)?)?;
    module.setattr("prove", wrap_pyfunction!(tree::prove, module)?)?;
    module.setattr("verify_proof", wrap_pyfunction!(tree::verify_proof, module)?)?;
    // Functions that pickles call.
    module.setattr("restore_hash", wrap_pyfunction!(hash::restore_hash, module)?)?;
    module.setattr("restore_outcome", wrap_pyfunction!(outcome::restore_outcome, module)?)?;
    module.setattr("restore_report", wrap_pyfunction!(verify::restore_report, module)?)?;
    module.setattr("restore_finding", wrap_pyfunction!(audit::restore_finding, module)?)?;
    module.setattr("restore_audit_report", wrap_pyfunction!(audit::restore_audit_report, module)?)?;
    module.setattr("restore_entry", wrap_pyfunction!(manifest::restore_entry, module)?)?;
    module.setattr("restore_manifest", wrap_pyfunction!(manifest::restore_manifest, module)?)?;
    module.setattr("Plan", py.get_type::<shard::Plan>())?;
    module.setattr("Part", py.get_type::<shard::Part>())?;
    module.setattr("Merged", py.get_type::<shard::Merged>())?;
    constructors::add(module)
}
