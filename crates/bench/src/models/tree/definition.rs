//! The parameters of a run: from the definition, and from the command line.

use crate::models::effort::{self, Bytes, Effort};
use crate::models::engine::Engine;
use clap::Args;
use serde::Deserialize;
use std::path::PathBuf;

/// `model = "tree"`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// A description in one line.
    pub summary: String,
    /// The duration.
    pub effort: Effort,
    /// Hashes of the leaves.
    pub hashes: Vec<String>,
    /// Leaf sizes.
    pub leaves: Vec<Bytes>,
    /// The same with `--quick`.
    pub quick_leaves: Vec<Bytes>,
    /// Engines to compare with.
    #[serde(default)]
    pub engine: Vec<Engine>,
}

/// `bench tree`.
#[derive(Args, Clone, Debug, Default)]
pub struct Arguments {
    /// File to hash
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Measure only these algorithms (repeatable, or comma-separated)
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// Leaf sizes to measure, such as 4KiB,64KiB,1MiB
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = effort::size)]
    pub leaves: Vec<u64>,
    /// Thread counts to measure, such as 1,2,4
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub threads: Vec<usize>,
}
