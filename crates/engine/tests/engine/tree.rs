//! Stored trees of real files: built, interrupted, damaged, verified, repaired, proven.
#![allow(
    clippy::single_range_in_vec_init,
    reason = "a list of ranges is intended, even if it contains only one"
)]

mod building;
mod case;
mod parity;
mod pieces;
mod proofs;
mod repairing;
mod resuming;
mod unreadable;
mod verifying;
