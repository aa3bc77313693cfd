//! `bench compare A.json B.json`: did anything become slower?
//!
//! Measurements are matched by name. If both runs know the core's clock, cycles are compared, because a different clock
//! rate is not a regression; otherwise seconds. A difference counts if it exceeds the threshold and three standard
//! errors of both medians.

use super::{Measurement, Record};
use crate::Error;
use crate::measure::statistics::{Summary, geometric_mean, median};
use serde::Serialize;
use std::collections::BTreeMap;

/// The number of standard errors that is beyond chance.
const ERRORS: f64 = 3.0;

/// Describes whether the second run is slower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// Slower beyond threshold and noise.
    Slower,
    /// Faster beyond threshold and noise.
    Faster,
    /// Neither.
    Same,
}

/// One measurement of both runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Names what was measured.
    pub name: String,
    /// Median of the second run divided by the median of the first: above 1 is slower.
    pub ratio: f64,
    /// The ratio explained by chance and the threshold: beyond it, or below its inverse, something changed.
    pub allowed: f64,
    /// True if cycles were compared instead of seconds.
    pub cycles: bool,
    /// The conclusion.
    pub verdict: Change,
}

/// The comparison of two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The measurements of both, the slowest first.
    pub rows: Vec<Row>,
    /// The number of measurements in only one of them.
    pub unmatched: usize,
    /// Geometric mean of all ratios.
    pub mean_ratio: f64,
    /// Median of all ratios.
    pub median_ratio: f64,
    /// `Slower` if any row is slower.
    pub verdict: Change,
    /// Reasons not to rely on it: noise, different machines.
    pub warnings: Vec<String>,
}

/// Compares two runs; `threshold` is a share: 0.05 for 5 %.
///
/// # Errors
/// The runs measure different things.
pub fn compare(before: &Record, after: &Record, threshold: f64) -> Result<Comparison, Error> {
    if before.model != after.model {
        let (a, b) = (&before.model, &after.model);
        return Err(Error(format!("cannot compare a run of `bench {a}` with one of `bench {b}`")));
    }
    let old: BTreeMap<String, &Measurement> = before.measurements.iter().map(|m| (m.key(), m)).collect();
    let new: BTreeMap<String, &Measurement> = after.measurements.iter().map(|m| (m.key(), m)).collect();
    let mut rows: Vec<Row> =
        new.iter().filter_map(|(name, b)| row(name, old.get(name)?, b, threshold)).collect();
    if rows.is_empty() {
        return Err(Error("the runs have no measurement in common".to_owned()));
    }
    rows.sort_by(|a, b| b.ratio.total_cmp(&a.ratio).then_with(|| a.name.cmp(&b.name)));
    let ratios: Vec<f64> = rows.iter().map(|row| row.ratio).collect();
    let is = |verdict| rows.iter().any(|row| row.verdict == verdict);
    let mut warnings = Vec::new();
    for (name, record) in [("first", before), ("second", after)] {
        if let Some(verdict) = record.noise.and_then(|noise| noise.verdict()) {
            warnings.push(format!("the {name} run: {verdict}"));
        }
    }
    let (first, second) = (before.environment.processor(), after.environment.processor());
    if first != second {
        warnings.push(format!("different processors: {first} and {second}"));
    }
    Ok(Comparison {
        unmatched: old.len() + new.len() - 2 * rows.len(),
        mean_ratio: geometric_mean(&ratios).unwrap_or(1.0),
        median_ratio: median(&ratios).unwrap_or(1.0),
        verdict: if is(Change::Slower) {
            Change::Slower
        } else if is(Change::Faster) {
            Change::Faster
        } else {
            Change::Same
        },
        rows,
        warnings,
    })
}

fn row(name: &str, before: &Measurement, after: &Measurement, threshold: f64) -> Option<Row> {
    let cycles = !before.clock.is_empty() && !after.clock.is_empty();
    let of = |m: &Measurement| {
        if cycles { Summary::of(&m.cycles().collect::<Vec<_>>()) } else { m.summary() }
    };
    let (a, b) = (of(before)?, of(after)?);
    if a.median <= 0.0 {
        return None;
    }
    let ratio = b.median / a.median;
    let noise = ERRORS * (a.relative_error().powi(2) + b.relative_error().powi(2)).sqrt();
    let allowed = 1.0 + threshold.max(noise);
    let verdict = if ratio > allowed {
        Change::Slower
    } else if ratio < 1.0 / allowed {
        Change::Faster
    } else {
        Change::Same
    };
    Some(Row { name: name.to_owned(), ratio, allowed, cycles, verdict })
}
