//! The native half of the Python package `truesum`: what Python sees of the library. The other half is in `truesum/`.
//!
//! Nothing is decided here that the library decides: verdicts, digests and formats are its own. Long work is done in threads of
//! the library, while the calling one listens for signals; failures of files are values until somebody asks for what is not there.

mod audit;
mod bytes;
mod callable;
mod constructors;
mod errors;
mod files;
mod hash;
mod identify;
mod interrupt;
mod manifest;
mod outcome;
mod paths;
mod shard;
mod spec;
mod tree;
mod verify;

use pyo3::prelude::*;

/// The native half of truesum. Import truesum instead.
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
    module.add_function(wrap_pyfunction!(verify::verify, module)?)?;
    module.add_function(wrap_pyfunction!(audit::audit, module)?)?;
    module.add_function(wrap_pyfunction!(audit::diff, module)?)?;
    module.add_function(wrap_pyfunction!(manifest::formats, module)?)?;
    module.add_function(wrap_pyfunction!(identify::identify, module)?)?;
    // What truesum.tree and truesum.shard hand on is no part of truesum itself: it is not in `__all__`.
    module.setattr("Piece", py.get_type::<tree::Piece>())?;
    module.setattr("Difference", py.get_type::<tree::Difference>())?;
    module.setattr("Proof", py.get_type::<tree::Proof>())?;
    module.setattr("leaf", wrap_pyfunction!(tree::leaf, module)?)?;
    module.setattr("combine", wrap_pyfunction!(tree::combine, module)?)?;
    module.setattr("save", wrap_pyfunction!(tree::save, module)?)?;
    module.setattr("locate", wrap_pyfunction!(tree::locate, module)?)?;
    module.setattr("prove", wrap_pyfunction!(tree::prove, module)?)?;
    module.setattr("verify_proof", wrap_pyfunction!(tree::verify_proof, module)?)?;
    module.setattr("Plan", py.get_type::<shard::Plan>())?;
    module.setattr("Part", py.get_type::<shard::Part>())?;
    module.setattr("Merged", py.get_type::<shard::Merged>())?;
    constructors::add(module)
}
