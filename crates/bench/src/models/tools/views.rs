//! The sections of `bench tools`: one for each engine, as in common comparisons, and a comparison of all with truesum.

use crate::measure::statistics::geometric_mean;
use crate::quantity::{bytes, count, digits, rate};
use crate::record::{Measurement, Record};
use crate::show::cells::{label, rank, spread, status};
use crate::show::chart::{Chart, Kind};
use crate::show::{Section, Table};
use std::collections::BTreeMap;

/// Algorithms drawn together, if they were measured: the common choices.
const USUAL: [&str; 8] = ["crc32", "xxh128", "blake3", "md5", "sha1", "sha256", "sha512", "sha3-256"];

/// The name of this program among the engines.
pub const OWN: &str = "truesum";

pub(super) fn sections(record: &Record) -> Vec<Section> {
    let table = by_algorithm(record);
    let mut sections = vec![overview(record, &table)];
    for name in USUAL.iter().filter(|name| table.contains_key(*name)) {
        sections.push(one_algorithm(name, &table[name]));
    }
    for engine in &record.engines {
        sections.push(one_engine(record, &engine.name, &engine.bias, &table));
    }
    sections
}

pub(super) fn seconds(m: &Measurement) -> f64 {
    m.summary().map_or(f64::INFINITY, |s| s.median)
}

/// Returns true for truesum and its other commands ("truesum audit"), which are compared with other programs, not with
/// each other.
pub fn is_own(engine: &str) -> bool {
    engine.split(' ').next() == Some(OWN)
}

pub(super) fn own<'a>(measurements: &[&'a Measurement]) -> Option<&'a Measurement> {
    measurements.iter().copied().find(|m| m.engine == OWN)
}

/// Returns the time of an engine divided by ours, for each algorithm that both have.
pub(super) fn against_ours(
    record: &Record,
    engine: &str,
    by_algorithm: &BTreeMap<&str, Vec<&Measurement>>,
) -> Vec<f64> {
    let theirs = record.part("tool").filter(|m| m.engine == engine);
    theirs.filter_map(|m| Some(seconds(m) / seconds(own(by_algorithm.get(m.algorithm.as_str())?)?))).collect()
}

/// Sorts ours first, the others by their figure.
fn in_order<T>(rows: &mut [T], engine: impl Fn(&T) -> String, figure: impl Fn(&T) -> f64) {
    rows.sort_by(|a, b| {
        let ours = |row: &T| engine(row) != OWN;
        ours(a).cmp(&ours(b)).then(figure(a).total_cmp(&figure(b)))
    });
}

/// Returns the bar of an engine, with a separate color for ours.
fn bar(engine: &str, value: f64) -> (String, Vec<Option<f64>>) {
    let values = if is_own(engine) { vec![Some(value)] } else { vec![None, Some(value)] };
    (engine.to_owned(), values)
}

/// The series of [`bar`].
fn ours_and_others() -> Vec<String> {
    vec![OWN.to_owned(), "others".to_owned()]
}

/// Shows how much longer each engine takes than truesum, over the algorithms that both have.
fn overview(record: &Record, by_algorithm: &BTreeMap<&str, Vec<&Measurement>>) -> Section {
    let mut table =
        Table::new(&["engine", "#algorithms", "#time relative to truesum", "#from", "#to", "version"]);
    let mut engines: Vec<_> = record
        .engines
        .iter()
        .map(|engine| (engine, against_ours(record, &engine.name, by_algorithm)))
        .collect();
    in_order(
        &mut engines,
        |(engine, _)| engine.name.clone(),
        |(_, ratios)| geometric_mean(ratios).unwrap_or(f64::INFINITY),
    );
    let mut rows = Vec::new();
    for (engine, ratios) in engines {
        let measured = record.part("tool").filter(|m| m.engine == engine.name).count();
        let mean = geometric_mean(&ratios);
        let times = |value: Option<f64>| value.map_or_else(String::new, |r| format!("x{}", digits(r)));
        table.rows.push(vec![
            engine.name.clone(),
            measured.to_string(),
            times(mean),
            times(ratios.iter().copied().reduce(f64::min)),
            times(ratios.iter().copied().reduce(f64::max)),
            engine.version.clone(),
        ]);
        rows.extend(mean.map(|mean| bar(&engine.name, mean)));
    }
    let text = vec![
        "Time of each engine divided by the time of truesum for the same algorithm (geometric mean over all algorithms that both \
         support). Above 1, the engine takes longer. Peak memory is shown as \"below ours\" if it is lower than \
         that of `truesum bench` itself, because it cannot be measured in that case."
            .to_owned(),
    ];
    Section {
        id: "overview".to_owned(),
        title: "All engines".to_owned(),
        text,
        chart: (!rows.is_empty()).then(|| Chart {
            title: "Time relative to truesum, geometric mean".to_owned(),
            unit: "times".to_owned(),
            series: ours_and_others(),
            kind: Kind::Bars { rows, marks: vec![(OWN.to_owned(), 1.0)] },
        }),
        table,
    }
}

fn one_algorithm(name: &str, measurements: &[&Measurement]) -> Section {
    let mut sorted = measurements.to_vec();
    in_order(&mut sorted, |m| m.engine.clone(), |m| seconds(m));
    let mut table =
        Table::new(&["engine", "#seconds", "#rate", "#processor seconds", "#peak memory", "#spread"]);
    for m in &sorted {
        table.rows.push(vec![
            m.engine.clone(),
            format!("{:.3}", seconds(m)),
            m.rate().map_or_else(String::new, rate),
            m.processor_seconds.map_or_else(String::new, |s| format!("{s:.3}")),
            memory(m),
            spread(m),
        ]);
    }
    Section {
        id: name.to_owned(),
        title: name.to_owned(),
        text: match status(name) {
            "" => Vec::new(),
            word => vec![format!("Status of {name}: {word}.")],
        },
        chart: Some(Chart {
            title: format!("Seconds to process the folder with {name}"),
            unit: "s".to_owned(),
            series: ours_and_others(),
            kind: Kind::Bars {
                rows: sorted.iter().map(|m| bar(&m.engine, seconds(m))).collect(),
                marks: Vec::new(),
            },
        }),
        table,
    }
}

fn memory(m: &Measurement) -> String {
    m.peak_memory.map_or_else(|| "below ours".to_owned(), bytes)
}

fn one_engine(
    record: &Record,
    engine: &str,
    bias: &str,
    by_algorithm: &BTreeMap<&str, Vec<&Measurement>>,
) -> Section {
    let mut rows: Vec<&Measurement> = record.part("tool").filter(|m| m.engine == engine).collect();
    rows.sort_by(|a, b| seconds(a).total_cmp(&seconds(b)));
    let rounds = rows.iter().map(|m| m.seconds.len()).max().unwrap_or(0);
    let mut titles = vec!["algorithm", "#seconds", "#manifest bytes", "#peak memory", "#spread"];
    if engine != OWN {
        titles.extend(["#truesum seconds", "#times"]);
    }
    let mut table = Table::new(&titles);
    let mut bars = Vec::new();
    for m in rows {
        let ours = own(by_algorithm.get(m.algorithm.as_str()).map_or(&[], Vec::as_slice));
        let mut row = vec![
            m.algorithm.clone(),
            format!("{:.3}", seconds(m)),
            m.manifest_bytes.map_or_else(String::new, count),
            memory(m),
            spread(m),
        ];
        if engine == OWN {
            bars.push((m, vec![Some(seconds(m))]));
        } else {
            row.push(ours.map_or_else(|| "-".to_owned(), |ours| format!("{:.3}", seconds(ours))));
            row.push(
                ours.map_or_else(
                    || "-".to_owned(),
                    |ours| format!("x{}", digits(seconds(m) / seconds(ours))),
                ),
            );
            bars.push((m, vec![ours.map(seconds), Some(seconds(m))]));
        }
        table.rows.push(row);
    }
    bars.sort_by_key(|(m, _)| rank(&m.algorithm));
    let bars = bars.into_iter().map(|(m, values)| (label(&m.algorithm), values)).collect();
    let series =
        if engine == OWN { vec![engine.to_owned()] } else { vec![OWN.to_owned(), engine.to_owned()] };
    let plural = if rounds == 1 { "" } else { "s" };
    Section {
        id: engine.replace(|c: char| !c.is_ascii_alphanumeric(), "-"),
        title: format!("{engine}, {rounds} round{plural}"),
        text: if bias.is_empty() { Vec::new() } else { vec![format!("Bias: {bias}.")] },
        chart: Some(Chart {
            title: format!("Seconds taken by {engine} for each algorithm"),
            unit: "s".to_owned(),
            series,
            kind: Kind::Bars { rows: bars, marks: Vec::new() },
        }),
        table,
    }
}

/// Groups the measurements of a record by algorithm and engine.
pub fn by_algorithm(record: &Record) -> BTreeMap<&str, Vec<&Measurement>> {
    let mut found: BTreeMap<&str, Vec<&Measurement>> = BTreeMap::new();
    for m in record.part("tool") {
        found.entry(&m.algorithm).or_default().push(m);
    }
    found
}
