//! Shared by the tests of all crates: missing oracles, the size of randomized tests, and temporary files.

pub mod oracle;
mod rounds;
mod scratch;

pub use rounds::{thorough, thorough_or};
pub use scratch::Scratch;
