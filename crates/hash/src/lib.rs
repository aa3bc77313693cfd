//! Checksum algorithms: bytes in, digest out. No files, no threads, no text formats.
//!
//! [`ALGORITHMS`] is the only table: a row is the only place where an algorithm's name, size or security status is
//! specified. A [`Spec`] is a row with its parameters (length, key, leaf size). [`Spec::hasher`] hashes one message;
//! [`hash_many`], [`update_many`] and [`finish_many`] hash many messages at once in SIMD lanes.
//!
//! ```
//! use truesum_hash::Spec;
//! let sha256: Spec = "sha256".parse()?;
//! let mut hasher = sha256.hasher();
//! hasher.update(b"abc");
//! let digest = hasher.finish();
//! assert_eq!(digest.to_hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
//! assert_eq!(digest, sha256.digest(b"abc"));
//! # Ok::<(), truesum_hash::SpecError>(())
//! ```
//!
//! A [`Hasher`] is an [`io::Write`](std::io::Write), so anything that can be read can be hashed:
//!
//! ```
//! let mut hasher = "blake3".parse::<truesum_hash::Spec>()?.hasher();
//! std::io::copy(&mut "abc".as_bytes(), &mut hasher)?;
//! assert_eq!(hasher.finish().to_hex(), "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[macro_use]
mod fields;

mod algorithm;
mod block;
mod digest;
mod family;
mod hasher;
pub mod kernel;
mod keyed;
mod many;
mod resume;
mod size;
mod spec;
mod table;
pub mod tree;
mod word;
mod xof;

pub use algorithm::{Algorithm, Decimal, Key, Keying, Lengths, Secret, Status};
pub use digest::{Digest, DigestError};
pub use family::crc::CRC_CATALOGUE;
pub use hasher::Hasher;
pub use keyed::{KEYED, hmacs};
pub use many::{finish_many, hash_many, hash_many_on, update_many, update_many_on};
pub use resume::RestoreError;
pub use size::{Size, SizeError};
pub use spec::{Spec, SpecError};
pub use table::{ALGORITHMS, Algorithms, find};
pub use xof::XofReader;

/// Compiles the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
