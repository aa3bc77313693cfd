//! Shared by the integration tests of all crates: missing oracles and the size of randomised tests.

pub mod oracle;
mod rounds;

pub use rounds::{thorough, thorough_or};
