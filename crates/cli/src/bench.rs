//! `truesum bench`. The standard build does not include it and explains how to get it.

#[cfg(not(feature = "bench"))]
mod absent;
#[cfg(feature = "bench")]
mod measured;

#[cfg(not(feature = "bench"))]
pub use absent::{Bench, run};
#[cfg(feature = "bench")]
pub use measured::run;
#[cfg(feature = "bench")]
pub use truesum_bench::args::Bench;
