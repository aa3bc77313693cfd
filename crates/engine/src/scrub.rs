//! Scrubbing: keeps a state of a tree, reads every file again within a number of days, and reports what happened to
//! each file that is not as recorded.
//!
//! A run has five steps.
//!
//! 1. `inventory` walks the tree next to the entries of the state. New files, files with another size or modification
//!    time, and files that failed before are read at once.
//! 2. `pairing` compares missing with new files: a file with the same content was moved.
//! 3. Unchanged files that are due are read, oldest first (`plan`).
//! 4. Corrupt files are replaced with intact copies, if that was requested (`repair`).
//! 5. Failures that were not examined again are reported, and the state is written (`store`).
//!
//! A collection consists of the files that manifests list ([`Options::collection`]). Its manifests are read first
//! (`collection`), and `reconciliation` compares their entries with the state; there is no walk of the files.
//!
//! The status of a file is the one that an audit would report ([`crate::audit`]). `recorder`
//! decides how it is treated: `policy` accepts differences, and everything else is a failure that
//! remains open until the file is intact again or the user forgets its entry.

mod attributes;
mod block;
mod codec;
mod collection;
mod coverage;
mod folder_manifests;
mod history;
mod inventory;
mod limits;
mod listing;
mod names;
mod pairing;
mod plan;
mod policy;
mod reconciliation;
mod record;
mod recorder;
mod renamed;
mod repair;
mod report;
mod run;
mod scan;
mod sorted;
mod stamps;
mod store;
#[cfg(test)]
mod tests;
mod transfer;

pub use crate::io::state::{DEFAULT_STATE, is_collection_state, is_default_state, is_state};
pub use attributes::{
    AttributeEvent, AttributeObserver, AttributeOptions, AttributeReport, AttributeStatus, scrub_attributes,
};
pub use coverage::{AGES, Amount, Coverage, Folder};
pub use history::Run;
pub use names::import_root;
pub use plan::DEFAULT_WITHIN;
pub use policy::{ACCEPTABLE, Policy};
pub use report::{Event, Observer, Report, Treatment};
pub use run::{Options, Scrub};
pub use transfer::{Overview, export, forget, import, overview, recorded_folder};
