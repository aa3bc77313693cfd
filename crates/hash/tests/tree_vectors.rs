//! Tree digests against vectors that other programs confirmed, against a slow reading of the specification, and proofs
//! against forgeries.

#[path = "tree/input.rs"]
mod input;
#[path = "tree/naive.rs"]
mod naive;
#[path = "tree/proofs.rs"]
mod proofs;
#[path = "tree/vectors.rs"]
mod vectors;
