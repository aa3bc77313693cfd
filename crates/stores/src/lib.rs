//! Objects of S3, Google Cloud Storage and Azure as files of a run: listed, read by ranges, or asked for the checksums that the
//! service keeps of them.
//!
//! [`Store`] is a [`Remote`](truesum::Remote) of the library. Requests are asynchronous inside this crate and nowhere else.
//! What is asked of the services, and what they promise, stands in `docs/stores.md`.

mod client;
mod failure;
mod fetch;
mod gate;
pub mod kept;
mod listing;
mod location;
mod opened;
mod pieces;
mod place;
mod profile;
mod reading;
mod request;
mod service;
mod settings;
mod sign;
pub mod store;
pub mod stored;
mod xml;

pub use location::{Kind, Location};
pub use store::Store;
