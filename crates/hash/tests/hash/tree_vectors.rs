//! Tree digests against vectors that other programs confirmed, against a slow reading of the specification, and proofs
//! against forgeries.

mod naive;
mod proofs;
mod vectors;
