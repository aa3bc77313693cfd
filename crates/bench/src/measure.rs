//! Measurement: clocks, samples and their statistics, the cost of a command, the ways to read a file, and the machine
//! itself.

pub mod allocations;
pub mod clock;
pub mod environment;
pub mod input;
mod noise;
mod plan;
pub(crate) mod process;
pub(crate) mod read;
mod sample;
pub mod statistics;
mod storage;

pub use noise::Noise;
pub use plan::{Cost, Pace, Plan, plan};
pub use sample::{Samples, samples};
