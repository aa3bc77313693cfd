//! Tree digests compared with vectors that other programs confirmed and with a slow, literal implementation of the
//! specification, and proofs tested against forgeries.

mod naive;
mod proofs;
mod vectors;
