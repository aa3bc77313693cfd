//! The parameters of a run: from the definition, and from the command line.

use crate::models::effort::{self, Bytes, Choice, Effort};
use crate::models::engine::Engine;
use clap::Args;
use serde::Deserialize;
use std::collections::BTreeMap;

/// `model = "algorithms"`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// A description in one line.
    pub summary: String,
    /// The messages.
    pub input: Memory,
    /// The algorithms.
    pub algorithms: Algorithmic,
    /// The duration.
    pub effort: Effort,
    /// Digests of one message of [`Memory::rate_size`], in hexadecimal, computed by other programs.
    pub expected: BTreeMap<String, String>,
    /// Engines for `--compare`.
    #[serde(default)]
    pub engine: Vec<Engine>,
}

/// Bytes in memory.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Names the generator of the messages; only `xorshift64*` is supported.
    pub generator: String,
    /// Its seed, not zero.
    pub seed: u64,
    /// Message sizes.
    pub sizes: Vec<Bytes>,
    /// The same with `--quick`.
    pub quick_sizes: Vec<Bytes>,
    /// The message size for rates.
    pub rate_size: Bytes,
    /// The size of each message in a batch.
    pub batch_size: Bytes,
}

/// Which algorithms are measured in how much detail.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Algorithmic {
    /// Selects the algorithms whose rate is measured.
    pub rate: Choice,
    /// Selects the algorithms measured by size, API, kernel and threads.
    pub detail: Choice,
    /// Both, with `--quick`.
    pub quick: Choice,
}

/// `bench algorithms`.
#[derive(Args, Clone, Debug, Default)]
pub struct Arguments {
    /// Measure only these algorithms (repeatable, or comma-separated)
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Message sizes to measure, such as 128,8KiB,1MiB
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = effort::size)]
    pub sizes: Vec<u64>,
    /// Thread counts to measure, such as 1,2,4
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub threads: Vec<usize>,
    /// Run only these parts
    #[arg(long, value_name = "PART", value_delimiter = ',', value_enum)]
    pub part: Vec<Part>,
    /// Show how many cores a stream of RATE needs (for example 10GB/s or 100Gbit/s)
    #[arg(long, value_name = "RATE", value_parser = effort::rate)]
    pub stream: Option<f64>,
    /// Also measure another library, alternating with truesum
    #[arg(long, value_name = "ENGINE", value_delimiter = ',')]
    pub compare: Vec<String>,
}

/// A part of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// One message of 1 MiB, and many of 32 KiB at once in SIMD lanes.
    Rate,
    /// Speed by message size.
    Size,
    /// Cost of a call: new hasher, reused hasher, one-shot call, many messages.
    Mode,
    /// Speed of each kernel.
    Kernel,
    /// Speed by thread count.
    Threads,
}

impl Part {
    pub(super) fn word(self) -> &'static str {
        match self {
            Part::Rate => "rate",
            Part::Size => "size",
            Part::Mode => "mode",
            Part::Kernel => "kernel",
            Part::Threads => "threads",
        }
    }
}
