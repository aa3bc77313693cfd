//! Composite digests: a message is divided into leaves, the leaves are hashed separately, and their hashes are combined
//! to one digest.
//!
//! Leaves are independent messages, so a single message fills the SIMD lanes of one core and, divided into the pieces
//! of a [`Plan`], all cores. `docs/spec/tree.md` defines every digest in this module exactly. A digest over one base
//! hash is a row of [`crate::ALGORITHMS`] (`s3-etag`, `glacier`). A digest over any base hash is a row of [`FAMILIES`]
//! (`sha256-tree`, `mtsum-md5`), whose algorithms are created when their names are first used.

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
pub use merkle::Merkle;
pub use mtsum::{Step, Steps};
pub use plan::{Fold, Plan, Zeros};
pub use proof::{
    ProofError, consistency_path, consistency_roots, grown_leaf_roots, range_path, verify_range,
};

/// The rows of this module, in the order of listings.
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
