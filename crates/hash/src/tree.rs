//! Composite digests: a message cut into leaves, the leaves hashed apart, their hashes folded into one digest.
//!
//! Leaves are independent messages, so one message fills the SIMD lanes of one core and, cut into the pieces of a
//! [`Plan`], all cores. `docs/spec/tree.md` defines every digest here exactly. A digest over one base hash is a row of
//! [`crate::ALGORITHMS`] (`s3-etag`, `glacier`); one over any base hash is a row of [`FAMILIES`] (`sha256-tree`, `mtsum-md5`),
//! whose algorithms come into being when their names are asked for.

mod compact_range;
mod composite;
mod family;
mod linear;
mod merkle;
mod mtsum;
mod plan;
mod proof;
mod rows;

pub use crate::algorithm::{Crc, Linear, Parameters, Variant};
pub use compact_range::{CompactRange, Gap, decompose};
pub(crate) use family::from_stored;
pub use family::{FAMILIES, Family, halves, stored};
pub use merkle::{FTREE_ID, Merkle, zero_levels};
pub use mtsum::{Step, Walk};
pub use plan::{Fold, Plan, Zeros};
pub use proof::{
    ProofError, consistency_path, consistency_roots, grown_leaf_roots, range_path, range_path_len,
    verify_consistency, verify_range,
};

pub(crate) use rows::ROWS;
