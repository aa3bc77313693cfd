//! Trees over files: one huge file hashed on all cores, stored trees, and what they are good for.
//!
//! [`build`] makes a tree on all cores, with plain digests in the same read; [`store`] is the file that keeps it
//! (`docs/spec/tree.md` section 8); [`locate`] says which bytes are damaged, [`repair`] mends them from a second copy,
//! [`outboard`] writes what Bao keeps, [`prove`] makes and checks proofs, [`piece`] divides the work between machines and [`combine`] joins it. [`reading`] is
//! how each of them reads its file.
#![allow(
    clippy::single_range_in_vec_init,
    reason = "lists of ranges are what is meant, also where there is one"
)]

pub mod build;
pub mod combine;
pub mod findings;
pub mod growth;
mod header;
pub mod locate;
mod midstate;
pub mod outboard;
pub mod outline;
pub mod piece;
pub mod prove;
pub mod reading;
pub mod repair;
pub mod store;
