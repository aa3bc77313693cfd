//! Composite digests: a message cut into leaves, the leaves hashed apart, their hashes folded into one digest.
//!
//! Leaves are independent messages, so one message fills the SIMD lanes of one core and, cut into the pieces of a
//! [`Plan`], all cores. `docs/spec/tree.md` defines every digest here exactly. A digest over one base hash is a row of
//! [`crate::ALGORITHMS`] (`s3-etag`, `glacier`); one over any base hash is a row of [`FAMILIES`] (`sha256-tree`, `mtsum-md5`),
//! whose algorithms come into being when their names are asked for.

mod aich;
pub(crate) mod btih;
mod cid;
mod cloud;
mod compact_range;
mod composite;
mod family;
mod gather;
mod git_blob;
mod hdfs;
mod hidrive;
mod keccak;
mod linear;
mod list;
mod md5_sha1;
mod merkle;
mod mtsum;
mod pieces_root;
mod plan;
mod proof;
mod rows;
mod s3;
mod verity;
mod xet;

pub use crate::algorithm::{Crc, Linear, Parameters, Variant};
pub use compact_range::{CompactRange, Gap, decompose};
pub(crate) use family::from_stored;
pub use family::{FAMILIES, Family, halves, stored};
pub use merkle::{FTREE_ID, Merkle, zero_levels};
pub use mtsum::{Step, Steps};
pub use plan::{Fold, Plan, Zeros};
pub use proof::{
    ProofError, consistency_path, consistency_roots, grown_leaf_roots, range_path, range_path_len,
    verify_consistency, verify_range,
};

/// The rows of this room, in the order lists show them.
pub(crate) static ROWS: &[&[crate::algorithm::Algorithm]] = &[
    keccak::ROWS,
    rows::ROWS,
    verity::ROWS,
    xet::ROWS,
    cloud::ROWS,
    md5_sha1::ROWS,
    git_blob::ROWS,
    s3::ROWS,
    hdfs::ROWS,
    cid::ROWS,
];
