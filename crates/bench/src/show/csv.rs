//! A record as CSV (RFC 4180): one line for each measurement, so that any tool can plot or join it.

use crate::record::Record;
use std::fmt::Write;

/// The header's columns. Seconds are per operation on `bytes` bytes.
const COLUMNS: [&str; 20] = [
    "model",
    "part",
    "engine",
    "algorithm",
    "variant",
    "kernel",
    "bytes",
    "threads",
    "samples",
    "seconds_median",
    "seconds_mad",
    "seconds_min",
    "seconds_max",
    "outliers",
    "bytes_per_second",
    "cycles_per_byte",
    "processor_seconds",
    "allocations",
    "manifest_bytes",
    "peak_memory",
];

/// Returns all measurements, with a header.
pub fn text(record: &Record) -> String {
    let mut text = COLUMNS.join(",");
    text.push('\n');
    for m in &record.measurements {
        let Some(s) = m.summary() else { continue };
        let number = |value: Option<f64>| value.map_or_else(String::new, |v| format!("{v:.6e}"));
        let count = |value: Option<u64>| value.map_or_else(String::new, |v| v.to_string());
        let cells = [
            quoted(&record.model),
            quoted(&m.part),
            quoted(&m.engine),
            quoted(&m.algorithm),
            quoted(&m.variant),
            quoted(&m.kernel),
            m.bytes.to_string(),
            m.threads.to_string(),
            s.count.to_string(),
            number(Some(s.median)),
            number(Some(s.mad)),
            number(Some(s.min)),
            number(Some(s.max)),
            s.outliers.to_string(),
            number(m.rate()),
            number(m.cycles_per_byte()),
            number(m.processor_seconds),
            number(m.allocations),
            count(m.manifest_bytes),
            count(m.peak_memory),
        ];
        let _ = writeln!(text, "{}", cells.join(","));
    }
    text
}

fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_commas_and_quotes_are_quoted() {
        assert_eq!(quoted("mmap 8 MiB windows, populated"), "\"mmap 8 MiB windows, populated\"");
        assert_eq!(quoted("a \"b\""), "\"a \"\"b\"\"\"");
        assert_eq!(quoted("plain"), "plain");
    }
}
