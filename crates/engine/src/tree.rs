//! Hash trees of files: large files hashed on all cores, stored trees, and their uses.
//!
//! [`build`] builds a tree on all cores, with plain digests in the same read; [`store`] is the file that contains it
//! (`docs/spec/tree.md` section 8); [`locate`] determines which bytes are damaged, [`repair`] restores them from a
//! second copy or a [`parity`] file, [`outboard`] writes the format of Bao, [`prove`] creates and verifies proofs,
//! [`piece`] divides the work between machines and [`combine`] joins the results. [`reading`] specifies how each of them reads its file.
#![allow(
    clippy::single_range_in_vec_init,
    reason = "a list of ranges is intended, even if it contains only one"
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
pub mod parity;
pub mod piece;
pub mod prove;
pub mod reading;
pub mod repair;
pub mod store;
