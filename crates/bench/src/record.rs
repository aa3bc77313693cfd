//! A saved run: everything that was measured, with what it was measured on.
//!
//! Tables, charts and reports are computed from a record and nothing else, so that a saved run gives the same report years
//! later, and two runs can be compared. Times are kept as samples, not as averages.

use crate::environment::Environment;
use crate::statistics::{Noise, Summary};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The version of the JSON written here; a reader refuses a larger one.
pub const SCHEMA: u32 = 1;

/// What a run measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Algorithms in memory.
    Algorithms,
    /// Programs over a directory.
    Tools,
    /// Ways to read a file.
    Io,
    /// Disk, memory and kernels: what is the limit here.
    Limit,
    /// Tree digests of one file.
    Tree,
}

impl Model {
    /// The word of the command line.
    pub fn word(self) -> &'static str {
        match self {
            Model::Algorithms => "algorithms",
            Model::Tools => "tools",
            Model::Io => "io",
            Model::Limit => "limit",
            Model::Tree => "tree",
        }
    }
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`SCHEMA`].
    pub schema: u32,
    /// What was measured.
    pub model: Model,
    /// The program that measured, with its version.
    pub program: String,
    /// The command that repeats this run, as typed.
    pub command: String,
    /// When it began, in UTC: `2026-01-31T12:00:00Z`.
    pub started: String,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Whether it was interrupted: the figures are right, but some are missing.
    pub interrupted: bool,
    /// The machine.
    pub environment: Environment,
    /// What the definition says it measures, in one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// What was read: `generated in memory`, a directory with its size.
    pub input: String,
    /// The programs and libraries measured, in the order of the definition.
    pub engines: Vec<Engine>,
    /// Engines that were not found here, and how to get them.
    pub missing: Vec<Missing>,
    /// What was checked before anything was timed.
    pub agreements: Vec<Agreement>,
    /// The figures.
    pub measurements: Vec<Measurement>,
    /// How steady the machine was; `None` with too few samples.
    pub noise: Option<Noise>,
    /// What a reader must know: points left out, permissions lacking.
    pub notes: Vec<String>,
    /// The rate asked for with `--stream`, in bytes per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<f64>,
}

/// A program or library that was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Engine {
    /// Its name in the definition.
    pub name: String,
    /// What it says of its version.
    pub version: String,
    /// The command, with its placeholders, where it is a command.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// What favours it or not here.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub bias: String,
}

/// An engine that is not installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// Its name in the definition.
    pub name: String,
    /// How to get it.
    pub get: String,
}

/// One check that engines compute the same digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// What was hashed: `sha256 of 1 MiB`, `md5 of the directory`.
    pub subject: String,
    /// The digest, or one digest over all of them where there are many.
    pub digest: String,
    /// Who gave it.
    pub agree: Vec<String>,
    /// Who did not, and what they gave instead: their figures are not shown.
    pub disagree: Vec<String>,
}

/// One thing measured, again and again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The part of the run it belongs to: `rate`, `size`, `mode`, `kernel`, `threads`, `tool` ...
    pub part: String,
    /// Who did it.
    pub engine: String,
    /// What was computed; empty where nothing was.
    pub algorithm: String,
    /// How: `reused`, `batch`, `buffered 64 KiB`.
    pub variant: String,
    /// The kernel row: `sha-ni x1`; empty where a library or another program computes.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kernel: String,
    /// Bytes of one operation.
    pub bytes: u64,
    /// Threads that worked at the same time.
    pub threads: usize,
    /// Seconds of one operation, one value a sample, in the order taken.
    pub seconds: Vec<f64>,
    /// The core's clock around each sample, in Hz, where it was measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clock: Vec<f64>,
    /// Processor seconds of one operation (median), over all threads and processes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor_seconds: Option<f64>,
    /// Heap allocations of one operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocations: Option<f64>,
    /// Heap bytes asked for by one operation.
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
    /// The statistics of its seconds; `None` before the first sample.
    pub fn summary(&self) -> Option<Summary> {
        Summary::of(&self.seconds)
    }

    /// Bytes per second, from the median time.
    pub fn rate(&self) -> Option<f64> {
        self.summary().filter(|s| s.median > 0.0).map(|s| self.bytes as f64 / s.median)
    }

    /// Core cycles per byte (the median of the samples' own), where the clock was measured.
    pub fn cycles_per_byte(&self) -> Option<f64> {
        let cycles: Vec<f64> = self.cycles().collect();
        crate::statistics::median(&cycles).filter(|_| self.bytes > 0).map(|c| c / self.bytes as f64)
    }

    /// Core cycles of each sample, where the clock was measured.
    pub fn cycles(&self) -> impl Iterator<Item = f64> + '_ {
        self.seconds.iter().zip(&self.clock).map(|(seconds, clock)| seconds * clock)
    }

    /// What names this measurement among those of a run.
    pub fn key(&self) -> String {
        let words = [&self.part, &self.engine, &self.algorithm, &self.variant, &self.kernel];
        let words: Vec<&str> = words.iter().map(|w| w.as_str()).filter(|w| !w.is_empty()).collect();
        let mut key = words.join(" · ");
        if self.bytes > 0 {
            key += &format!(" · {}", crate::quantity::bytes(self.bytes));
        }
        if self.threads > 1 {
            key += &format!(" · {} threads", self.threads);
        }
        key
    }
}

impl Record {
    /// The measurements of one part, in the order taken.
    pub fn part<'a>(&'a self, part: &'a str) -> impl Iterator<Item = &'a Measurement> + 'a {
        self.measurements.iter().filter(move |m| m.part == part && !m.seconds.is_empty())
    }

    /// Computes [`Record::noise`] from the samples.
    pub fn judge_noise(&mut self) {
        self.noise = Noise::of(self.measurements.iter().map(|m| m.seconds.as_slice()));
    }

    /// The record as JSON, with a newline at its end.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a record is plain data");
        text.push('\n');
        text
    }

    /// Reads what [`Record::to_json`] wrote.
    ///
    /// # Errors
    /// The text is no record, or one of a newer program.
    pub fn from_json(text: &str) -> Result<Record, String> {
        #[derive(Deserialize)]
        struct Versioned {
            schema: u32,
        }
        let versioned: Versioned =
            serde_json::from_str(text).map_err(|why| format!("not a saved run: {why}"))?;
        if versioned.schema > SCHEMA {
            return Err(format!(
                "saved by a newer truesum (schema {}, this one reads {SCHEMA})",
                versioned.schema
            ));
        }
        serde_json::from_str(text).map_err(|why| format!("not a saved run: {why}"))
    }

    /// Reads a saved run.
    ///
    /// # Errors
    /// The file cannot be read or is no saved run; the text names it.
    pub fn read(path: &Path) -> Result<Record, crate::Error> {
        let text = std::fs::read_to_string(path).map_err(|why| crate::Error::file(path, "reading", &why))?;
        Record::from_json(&text).map_err(|why| crate::Error(format!("{}: {why}", path.display())))
    }
}

/// The time as `2026-01-31T12:00:00Z`, from seconds since 1970.
pub fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days to a date in the proleptic Gregorian calendar, in years that begin in March (Hinnant, "chrono-compatible
    // low-level date algorithms").
    let z = days + 719_468;
    let (era, day_of_era) = (z / 146_097, z % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_right_around_leap_days() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (4_102_444_800, "2100-01-01T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(seconds), expected);
        }
    }

    #[test]
    fn rates_and_cycles_follow_from_samples() {
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

    #[test]
    fn newer_schemas_are_refused() {
        let error = Record::from_json("{\"schema\": 99}").unwrap_err();
        assert!(error.contains("newer truesum (schema 99"), "{error}");
        assert!(Record::from_json("[]").unwrap_err().starts_with("not a saved run"));
    }
}
