//! The models of benchmarks: one row of [`MODELS`] each, the only place that lists them all.
//!
//! A model is a module below and a line of the table. Its row names the arguments, the built-in definition, the run
//! that creates a record, and the views that create sections from one.

pub mod algorithms;
pub mod effort;
pub mod engine;
pub mod io;
pub mod limit;
mod model;
pub mod progress;
mod session;
pub mod tools;
pub mod tree;

pub use model::Model;
pub use session::Session;

use crate::Error;
use crate::record::Record;
use crate::show::Report;
use std::path::Path;

/// Every model, in the order of the help.
pub static MODELS: [&Model; 6] =
    [&algorithms::MODEL, &tools::MODEL, &tools::VERIFY, &io::MODEL, &limit::MODEL, &tree::MODEL];

/// Returns the index of a model in the table.
pub fn place(name: &str) -> Option<usize> {
    MODELS.iter().position(|model| model.name == name)
}

/// Reads a saved run of one of these models.
///
/// # Errors
/// The file cannot be read, is not a saved run, or is of an unknown model.
pub fn read(path: &Path) -> Result<Record, Error> {
    let record = Record::read(path)?;
    match place(&record.model) {
        Some(_) => Ok(record),
        None => Err(Error(format!("{}: not a saved run: unknown model '{}'", path.display(), record.model))),
    }
}

/// Returns the report of a record; without sections if its model is not in the table.
pub fn report(record: &Record) -> Report<'_> {
    let Some(place) = place(&record.model) else {
        return Report { record, findings: Vec::new(), sections: Vec::new() };
    };
    let mut sections = (MODELS[place].views)(record);
    sections.retain(|section| !section.table.rows.is_empty());
    for section in &mut sections {
        section.id = format!("{}-{}", record.model, section.id);
    }
    Report { record, findings: (MODELS[place].findings)(record), sections }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_names_are_unique_and_match_their_definitions() {
        for (i, model) in MODELS.iter().enumerate() {
            assert_eq!(place(model.name), Some(i));
            assert!(model.definition.contains(&format!("\nmodel = \"{}\"\n", model.name)), "{}", model.name);
        }
    }
}
