//! The contents of cells that many tables share.

use crate::measure::statistics::Summary;
use crate::quantity::{digits, percent, rate, time};
use crate::record::Measurement;
use truesum_hash::{Status, find};

/// Returns the security status of an algorithm, in one word.
pub(crate) fn status(algorithm: &str) -> &'static str {
    find(algorithm).map_or("", |row| row.status().word())
}

/// Returns the place of an algorithm among others: secure ones come first, so that nobody picks a checksum for its speed alone.
pub(crate) fn rank(algorithm: &str) -> u8 {
    match find(algorithm).map(|row| row.status()) {
        Some(Status::Secure(_)) => 0,
        Some(Status::Weakened(_)) => 1,
        Some(Status::Broken(_)) => 2,
        Some(Status::Checksum(_)) => 3,
        Some(Status::Sampled(_)) => 4,
        None => 5,
    }
}

/// Returns the label of an algorithm in a chart: its name, and its status unless it is secure.
pub(crate) fn label(algorithm: &str) -> String {
    match status(algorithm) {
        "" | "secure" => algorithm.to_owned(),
        status => format!("{algorithm} ({status})"),
    }
}

/// Returns the relative spread of the samples: `± 1.2 %`.
pub(crate) fn spread(m: &Measurement) -> String {
    match m.summary() {
        Some(s) if s.count > 1 => format!("± {}", percent(s.relative_spread())),
        _ => "one sample".to_owned(),
    }
}

pub(crate) fn rate_cell(m: Option<&Measurement>) -> String {
    m.and_then(Measurement::rate).map_or_else(String::new, rate)
}

pub(crate) fn cycles_cell(m: Option<&Measurement>) -> String {
    m.and_then(Measurement::cycles_per_byte).map_or_else(String::new, digits)
}

pub(crate) fn time_cell(m: Option<&Measurement>) -> String {
    m.and_then(Measurement::summary).map_or_else(String::new, |s: Summary| time(s.median))
}

/// Returns the values of `key` in the order of their first occurrence.
pub(crate) fn distinct<'a, T: PartialEq>(
    measurements: impl Iterator<Item = &'a Measurement>,
    key: impl Fn(&'a Measurement) -> T,
) -> Vec<T> {
    let mut found = Vec::new();
    for m in measurements {
        let value = key(m);
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}
