//! The main findings of a run of `bench io`.

use super::views::device;
use crate::quantity::rate;
use crate::record::{Measurement, Record};

pub(super) fn sentences(record: &Record) -> Vec<String> {
    let fastest = |wanted: &dyn Fn(&&Measurement) -> bool| {
        let rows = record.part("read").filter(|m| m.threads == 1 && wanted(m));
        let rates = rows.filter_map(|m| Some((m.rate()?, m)));
        rates.max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let mut found = Vec::new();
    if let Some((best, m)) = fastest(&|m| m.variant == "hot" && m.algorithm == "none") {
        found.push(format!(
            "From the page cache, one thread reads fastest with {}: {}.",
            m.engine,
            rate(best)
        ));
    }
    let cold =
        fastest(&|m| m.variant == "cold" && m.algorithm == "none" && !m.engine.starts_with("O_DIRECT"));
    if let Some(limit) = device(record) {
        let through = cold.map(|(best, m)| {
            format!("; cold reads through the page cache reach {} ({})", rate(best), m.engine)
        });
        let through = through.unwrap_or_default();
        found.push(format!("Without the page cache, the device delivers {}{through}.", rate(limit)));
    }
    if let Some((best, m)) = fastest(&|m| m.variant == "hot" && m.algorithm != "none") {
        found.push(format!(
            "Hashing from the page cache is fastest with {} and {}: {}.",
            m.algorithm,
            m.engine,
            rate(best)
        ));
    }
    found
}
