//! `truesum bench`, where the program is built with it: the everyday program is not, and says so.

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
