//! Objects of S3, Google Cloud Storage and Azure as files of a run: listed, read by ranges, or compared by the
//! checksums that the service stores for them.
//!
//! [`Store`] implements [`Remote`](truesum::Remote) of the library. Requests are asynchronous inside this crate only.
//! The requests sent to the services, and what the services guarantee, are described in `docs/stores.md`.

mod client;
mod comparison;
mod failure;
mod fetch;
mod gate;
mod listing;
mod location;
pub mod metadata;
mod opened;
mod place;
mod profile;
mod request;
mod service;
mod settings;
mod sign;
mod store;
pub mod stored;
mod xml;

pub use comparison::{StoredChecksums, compare_stored};
pub use location::{Kind, Location};
pub use store::Store;
