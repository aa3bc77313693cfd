//! Stored trees of real files: built, interrupted, damaged, verified, repaired, proven.
#![allow(
    clippy::single_range_in_vec_init,
    reason = "lists of ranges are what is meant, also where there is one"
)]

mod building;
mod case;
mod pieces;
mod proofs;
mod repairing;
mod resuming;
mod verifying;
