//! Determines how much is measured: parameters of the definition and the command line, sizes and algorithms by name.

use crate::Error;
use clap::Args;
use serde::Deserialize;
use std::path::PathBuf;
use truesum_hash::{ALGORITHMS, Size, Spec};

/// Specifies how long to measure.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effort {
    /// Time for the whole run, in seconds.
    pub seconds: f64,
    /// The same with `--quick`.
    pub quick_seconds: f64,
    /// Counts the visits of each point.
    pub rounds: usize,
    /// The same with `--quick`.
    pub quick_rounds: usize,
}

/// Holds the command-line options of every model.
#[derive(Args, Clone, Debug, Default)]
pub struct Scope {
    /// Take fewer measurements, to finish in under 20 seconds
    #[arg(long)]
    pub quick: bool,
    /// Time limit for the complete run
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub time: Option<f64>,
    /// Read the benchmark definition from this TOML file
    #[arg(long, value_name = "FILE")]
    pub definition: Option<PathBuf>,
}

impl Scope {
    /// Returns the seconds for the whole run.
    pub fn seconds(&self, effort: &Effort) -> f64 {
        self.time.unwrap_or(if self.quick { effort.quick_seconds } else { effort.seconds })
    }

    /// Returns how often each point is visited.
    pub fn rounds(&self, effort: &Effort) -> usize {
        if self.quick { effort.quick_rounds } else { effort.rounds }
    }
}

/// Reads a size.
///
/// # Errors
/// The text is not a size.
pub fn size(text: &str) -> Result<u64, String> {
    text.parse().map(|Size(bytes)| bytes).map_err(|error| error.to_string())
}

/// Reads a rate.
///
/// # Errors
/// The text is not a rate.
pub fn rate(text: &str) -> Result<f64, String> {
    crate::quantity::parse_rate(text).ok_or_else(|| "expected a rate, such as 10GB/s".to_owned())
}

/// Reads a positive number.
///
/// # Errors
/// The text is not a positive number.
pub fn positive(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|n: &f64| *n > 0.0 && n.is_finite())
        .ok_or_else(|| "not a positive number".to_owned())
}

/// A number of bytes, written as `32 KiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        let text = String::deserialize(deserializer)?;
        let size = text.parse().map(|Size(bytes)| Bytes(bytes));
        size.map_err(|error| serde::de::Error::custom(format!("'{text}': {error}")))
    }
}

/// Algorithms by name.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Choice {
    /// The word `all`: every row of the table.
    All(All),
    /// These; unknown names are skipped, so that a definition works with other versions of the table.
    Named(Vec<String>),
}

/// The word `all`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum All {
    /// Every row.
    All,
}

impl Choice {
    /// Returns the selected algorithms.
    pub fn specs(&self) -> Vec<Spec> {
        match self {
            Choice::All(All::All) => ALGORITHMS.iter().map(Spec::new).collect(),
            Choice::Named(names) => names.iter().filter_map(|name| name.parse().ok()).collect(),
        }
    }
}

/// Parses names of algorithms.
///
/// # Errors
/// A name is not in the table.
pub fn specs(names: &[String]) -> Result<Vec<Spec>, Error> {
    names.iter().map(|name| spec(name)).collect()
}

/// Parses the name of an algorithm.
///
/// # Errors
/// It is not in the table.
pub fn spec(name: &str) -> Result<Spec, Error> {
    name.parse().map_err(|why| Error(format!("{why}")))
}
