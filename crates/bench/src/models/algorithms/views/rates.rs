//! The speed of each algorithm on one core, and what follows for a stream, a payload and a file.

use crate::quantity::{bytes, digits, rate, time};
use crate::record::{Measurement, Record};
use crate::show::cells::{cycles_cell, distinct, label, rank, rate_cell, spread, status};
use crate::show::chart::{Chart, Kind};
use crate::show::{Section, Table};

/// The variant for many messages at a time.
pub(in crate::models::algorithms) const MANY: &str = "batch in lanes";

/// Returns the measurements of a part that belong to one algorithm and variant.
fn pick<'a>(record: &'a Record, part: &'a str, algorithm: &str, variant: &str) -> Option<&'a Measurement> {
    record.part(part).find(|m| m.algorithm == algorithm && m.variant == variant)
}

/// The algorithms of the rate part: secure ones first, and the fastest first among those of one status.
pub(in crate::models::algorithms) fn ranked(
    record: &Record,
) -> Vec<(&str, Option<&Measurement>, Option<&Measurement>)> {
    let mut rows: Vec<_> = distinct(record.part("rate"), |m| m.algorithm.as_str())
        .into_iter()
        .map(|name| (name, pick(record, "rate", name, "reused hasher"), pick(record, "rate", name, MANY)))
        .collect();
    rows.sort_by(|a, b| rank(a.0).cmp(&rank(b.0)).then(best(b.1, b.2).total_cmp(&best(a.1, a.2))));
    rows
}

fn best(one: Option<&Measurement>, many: Option<&Measurement>) -> f64 {
    [one, many].into_iter().flatten().filter_map(Measurement::rate).fold(0.0, f64::max)
}

pub(super) fn rates(record: &Record) -> Section {
    let mut table = Table::new(&[
        "algorithm",
        "status",
        "#one message",
        "#cycles/B",
        "kernel",
        "#many messages",
        "#cycles/B",
        "kernel",
        "#spread",
    ]);
    let mut rows = Vec::new();
    for (name, one, many) in ranked(record) {
        let kernel = |m: Option<&Measurement>| m.map_or_else(String::new, |m| m.kernel.clone());
        table.rows.push(vec![
            name.to_owned(),
            status(name).to_owned(),
            rate_cell(one),
            cycles_cell(one),
            kernel(one),
            rate_cell(many),
            cycles_cell(many),
            kernel(many),
            one.or(many).map_or_else(String::new, spread),
        ]);
        let mbs = |m: Option<&Measurement>| m.and_then(Measurement::rate).map(|r| r / 1e6);
        rows.push((label(name), vec![mbs(one), mbs(many)]));
    }
    let size = |variant: &str| record.part("rate").find(|m| m.variant == variant).map_or(0, |m| m.bytes);
    Section {
        id: "rate".to_owned(),
        title: "One core".to_owned(),
        text: vec![format!(
            "One message of {} at a time, and many messages of {} in parallel in the SIMD lanes of one core. \
             Algorithms marked \"broken\" or \"checksum\" do not detect tampering, however fast they are.",
            bytes(size("reused hasher")),
            bytes(size(MANY))
        )],
        chart: Some(Chart {
            title: "Bytes hashed per second on one core".to_owned(),
            unit: "MB/s".to_owned(),
            series: vec!["one message".to_owned(), "many messages in SIMD lanes".to_owned()],
            kind: Kind::Bars { rows, marks: Vec::new() },
        }),
        table,
    }
}

/// The number of cores for a stream, and the time for a small payload and a file.
pub(super) fn needs(record: &Record) -> Section {
    const PAYLOAD: u64 = 512;
    const FILE: f64 = 100e6;
    let stream = record.stream;
    let mut titles = vec!["algorithm".to_owned(), "status".to_owned()];
    if let Some(stream) = stream {
        titles.push(format!("#cores for {}", rate(stream)));
        titles.push("#cores with many messages".to_owned());
    }
    titles.push(format!("#{}", bytes(PAYLOAD)));
    titles.push("#100 MB file".to_owned());
    let mut table = Table::new(&titles.iter().map(String::as_str).collect::<Vec<_>>());
    let mut rows = Vec::new();
    for (name, one, many) in ranked(record) {
        let cores = |m: Option<&Measurement>| Some(stream? / m.and_then(Measurement::rate)?);
        let payload = record
            .measurements
            .iter()
            .filter(|m| {
                m.algorithm == name && m.bytes == PAYLOAD && m.variant == "reused hasher" && m.threads == 1
            })
            .find_map(Measurement::summary)
            .map(|s| s.median);
        let cell = |value: Option<f64>, spell: fn(f64) -> String| value.map_or_else(String::new, spell);
        let mut row = vec![name.to_owned(), status(name).to_owned()];
        if stream.is_some() {
            row.push(cell(cores(one), digits));
            row.push(cell(cores(many), digits));
        }
        row.push(cell(payload, time));
        row.push(cell(one.and_then(Measurement::rate).map(|rate| FILE / rate), time));
        table.rows.push(row);
        rows.push((label(name), vec![cores(one), cores(many)]));
    }
    let chart = stream.map(|stream| Chart {
        title: format!("Cores needed for {}", rate(stream)),
        unit: "cores".to_owned(),
        series: vec!["one message at a time".to_owned(), "many messages in SIMD lanes".to_owned()],
        kind: Kind::Bars {
            rows,
            marks: vec![("cores in this machine".to_owned(), record.environment.cores as f64)],
        },
    });
    Section {
        id: "needs".to_owned(),
        title: "Stream, payload, file".to_owned(),
        text: vec![match stream {
            Some(stream) => format!(
                "Number of cores needed to keep up with {}, if they do nothing but hash; computed from the rates above. One stream \
                 cannot be split between cores, so more than one core helps only with several streams or a tree digest.",
                rate(stream)
            ),
            None => "The time for the file is computed from the measured rate; no file is read. `--stream RATE` adds the number of cores that a \
                     stream of that rate needs."
                .to_owned(),
        }],
        chart,
        table,
    }
}
