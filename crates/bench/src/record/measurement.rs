//! One repeated measurement: samples, and the figures that follow from them.

use crate::measure::statistics::{Summary, median};
use crate::quantity;
use serde::{Deserialize, Serialize};

/// One repeated measurement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The part of the run it belongs to: `rate`, `size`, `mode`, `kernel`, `threads`, `tool` ...
    pub part: String,
    /// The engine.
    pub engine: String,
    /// The algorithm; empty if there is none.
    pub algorithm: String,
    /// The variant: `reused`, `batch`, `buffered 64 KiB`.
    pub variant: String,
    /// The kernel row: `sha-ni x1`; empty for a library or another program.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kernel: String,
    /// Bytes per operation.
    pub bytes: u64,
    /// Threads that worked at the same time.
    pub threads: usize,
    /// Seconds per operation, one value per sample, in the order taken.
    pub seconds: Vec<f64>,
    /// The core's clock around each sample, in Hz, if it was measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clock: Vec<f64>,
    /// Processor seconds per operation (median), over all threads and processes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor_seconds: Option<f64>,
    /// Heap allocations per operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocations: Option<f64>,
    /// Heap bytes requested per operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocated: Option<f64>,
    /// Size of the manifest written, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest_bytes: Option<u64>,
    /// Largest resident memory of one process, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_memory: Option<u64>,
}

impl Measurement {
    /// Returns the statistics of its seconds; `None` before the first sample.
    pub fn summary(&self) -> Option<Summary> {
        Summary::of(&self.seconds)
    }

    /// Returns the bytes per second, from the median time.
    pub fn rate(&self) -> Option<f64> {
        self.summary().filter(|s| s.median > 0.0).map(|s| self.bytes as f64 / s.median)
    }

    /// Returns the core cycles per byte (the median over the samples), if the clock was measured.
    pub fn cycles_per_byte(&self) -> Option<f64> {
        let cycles: Vec<f64> = self.cycles().collect();
        median(&cycles).filter(|_| self.bytes > 0).map(|c| c / self.bytes as f64)
    }

    /// Returns the core cycles of each sample, if the clock was measured.
    pub fn cycles(&self) -> impl Iterator<Item = f64> + '_ {
        self.seconds.iter().zip(&self.clock).map(|(seconds, clock)| seconds * clock)
    }

    /// Returns what identifies this measurement within a run.
    pub fn key(&self) -> String {
        let words = [&self.part, &self.engine, &self.algorithm, &self.variant, &self.kernel];
        let words: Vec<&str> = words.iter().map(|w| w.as_str()).filter(|w| !w.is_empty()).collect();
        let mut key = words.join(" · ");
        if self.bytes > 0 {
            key += &format!(" · {}", quantity::bytes(self.bytes));
        }
        if self.threads > 1 {
            key += &format!(" · {} threads", self.threads);
        }
        key
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_cycles_are_computed_from_samples() {
        let m = Measurement {
            bytes: 1000,
            seconds: vec![1e-6, 2e-6, 1e-6],
            clock: vec![3e9, 1.5e9, 3e9],
            ..Measurement::default()
        };
        assert_eq!(m.rate(), Some(1e9));
        assert_eq!(m.cycles_per_byte(), Some(3.0));
        assert_eq!(Measurement::default().rate(), None);
        assert_eq!(Measurement::default().cycles_per_byte(), None);
    }
}
