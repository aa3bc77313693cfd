//! A run with all its measurements, and its JSON.

use super::measurement::Measurement;
use crate::Error;
use crate::measure::Noise;
use crate::measure::environment::Environment;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The version of the JSON written here; a larger one is rejected when reading.
pub const SCHEMA: u32 = 1;

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`SCHEMA`].
    #[serde(with = "named")]
    pub schema: u32,
    /// Names what was measured: the name of a row of [`crate::models::MODELS`].
    pub model: String,
    /// The program that measured, with its version.
    pub program: String,
    /// The command that repeats this run, as typed.
    pub command: String,
    /// The start time, in UTC: `2026-01-31T12:00:00Z`.
    pub started: String,
    /// The duration, in seconds.
    pub seconds: f64,
    /// True if it was interrupted: the figures are correct, but some are missing.
    pub interrupted: bool,
    /// The machine.
    pub environment: Environment,
    /// The summary from the definition, in one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The input: `generated in memory`, a directory with its size.
    pub input: String,
    /// The programs and libraries measured, in the order of the definition.
    pub engines: Vec<Engine>,
    /// Engines that are not installed, and how to install them.
    pub missing: Vec<Missing>,
    /// The checks made before anything was timed.
    pub agreements: Vec<Agreement>,
    /// The figures.
    pub measurements: Vec<Measurement>,
    /// Describes how steady the machine was; `None` with too few samples.
    pub noise: Option<Noise>,
    /// Lists what a reader must know: omitted points, missing permissions.
    pub notes: Vec<String>,
    /// The rate requested with `--stream`, in bytes per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<f64>,
}

/// A program or library that was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Engine {
    /// Its name in the definition.
    pub name: String,
    /// The version it reports.
    pub version: String,
    /// The command with its placeholders, if it is a program.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// Circumstances that favor it or put it at a disadvantage.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub bias: String,
}

/// An engine that is not installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// Its name in the definition.
    pub name: String,
    /// Describes how to install it.
    pub get: String,
}

/// One check that engines compute the same digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// Names what was hashed: `sha256 of 1 MiB`, `md5 of the directory`.
    pub subject: String,
    /// The digest, or one digest over all of them where there are many.
    pub digest: String,
    /// The engines that computed it.
    pub agree: Vec<String>,
    /// The engines that did not, and their digests: their figures are not shown.
    pub disagree: Vec<String>,
}

impl Record {
    /// Returns the measurements of one part, in the order taken.
    pub fn part<'a>(&'a self, part: &'a str) -> impl Iterator<Item = &'a Measurement> + 'a {
        self.measurements.iter().filter(move |m| m.part == part && !m.seconds.is_empty())
    }

    /// Computes [`Record::noise`] from the samples.
    pub fn assess_noise(&mut self) {
        self.noise = Noise::of(self.measurements.iter().map(|m| m.seconds.as_slice()));
    }

    /// Returns the record as JSON, with a newline at its end.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a record is plain data");
        text.push('\n');
        text
    }

    /// Parses the output of [`Record::to_json`].
    ///
    /// # Errors
    /// The text is not a record, or is one of a newer program.
    pub fn from_json(text: &str) -> Result<Record, String> {
        #[derive(Deserialize)]
        struct Versioned {
            #[serde(with = "named")]
            schema: u32,
        }
        let versioned: Versioned =
            serde_json::from_str(text).map_err(|why| format!("not a saved run: {why}"))?;
        if versioned.schema > SCHEMA {
            return Err(format!(
                "saved by a newer truesum (schema {}; this version reads up to {SCHEMA})",
                versioned.schema
            ));
        }
        serde_json::from_str(text).map_err(|why| format!("not a saved run: {why}"))
    }

    /// Reads a saved run.
    ///
    /// # Errors
    /// The file cannot be read or is not a saved run; the message names it.
    pub fn read(path: &Path) -> Result<Record, Error> {
        let text = std::fs::read_to_string(path).map_err(|why| Error::file(path, "read", &why))?;
        Record::from_json(&text).map_err(|why| Error(format!("{}: {why}", path.display())))
    }
}

/// The version in JSON: `truesum-bench/1`, or just a number in the first runs.
mod named {
    use serde::de::{Deserializer, Error};
    use serde::{Deserialize, Serializer};

    const NAME: &str = "truesum-bench/";

    pub fn serialize<S: Serializer>(version: &u32, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&format!("{NAME}{version}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
        let value = serde_json::Value::deserialize(from)?;
        let named = || value.as_str()?.strip_prefix(NAME)?.parse().ok();
        let plain = || value.as_u64().and_then(|version| u32::try_from(version).ok());
        named().or_else(plain).ok_or_else(|| D::Error::custom(format!("the schema is not {NAME}1")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_schemas_are_rejected() {
        let error = Record::from_json("{\"schema\": 99}").unwrap_err();
        assert!(error.contains("newer truesum (schema 99"), "{error}");
        let error = Record::from_json("{\"schema\": \"truesum-bench/99\"}").unwrap_err();
        assert!(error.contains("newer truesum (schema 99"), "{error}");
        assert!(
            Record::from_json("{\"schema\": \"truesum-hash/1\"}").unwrap_err().contains("truesum-bench/1")
        );
        assert!(Record::from_json("[]").unwrap_err().starts_with("not a saved run"));
    }
}
