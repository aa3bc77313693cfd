//! The sections of `bench tree`: one for each hash.

use crate::quantity::{digits, percent};
use crate::record::{Measurement, Record};
use crate::show::cells::{distinct, rate_cell, spread, status};
use crate::show::chart::{Chart, Kind};
use crate::show::{Section, Table};

pub(super) fn sections(record: &Record) -> Vec<Section> {
    let hashes = distinct(record.measurements.iter(), |m| m.algorithm.as_str());
    hashes.into_iter().map(|hash| one_hash(record, hash)).collect()
}

fn one_hash(record: &Record, hash: &str) -> Section {
    let plain = record.part("plain").find(|m| m.algorithm == hash);
    let base = plain.and_then(Measurement::rate);
    let trees = || record.part("tree").filter(move |m| m.algorithm == hash);
    let mut counts = distinct(trees(), |m| m.threads);
    counts.sort_unstable();
    counts.truncate(8);
    let mut table = Table::new(&[
        "digest",
        "engine",
        "#leaves",
        "#threads",
        "#rate",
        "#speed-up",
        "#efficiency per core",
        "#spread",
    ]);
    if let Some(m) = plain {
        let cells = ["plain", "truesum", "", "1"].map(str::to_owned).to_vec();
        table
            .rows
            .push([cells, vec![rate_cell(plain), "x1.00".to_owned(), String::new(), spread(m)]].concat());
    }
    let mut rows = Vec::new();
    for (engine, leaf) in distinct(trees(), |m| (m.engine.as_str(), m.variant.as_str())) {
        let find = |threads: usize| {
            trees().find(|m| m.engine == engine && m.variant == leaf && m.threads == threads)
        };
        let alone = counts.first().and_then(|least| find(*least)).and_then(Measurement::rate);
        for m in counts.iter().filter_map(|threads| find(*threads)) {
            let speed_up = m.rate().zip(base).map(|(rate, base)| rate / base);
            let least = counts.first().copied().unwrap_or(1) as f64;
            let efficiency = m.rate().zip(alone).map(|(rate, alone)| rate / alone * least / m.threads as f64);
            table.rows.push(vec![
                "tree".to_owned(),
                engine.to_owned(),
                leaf.to_owned(),
                m.threads.to_string(),
                rate_cell(Some(m)),
                speed_up.map_or_else(String::new, |x| format!("x{}", digits(x))),
                efficiency.map_or_else(String::new, percent),
                spread(m),
            ]);
        }
        let label = if engine == "truesum" { leaf.to_owned() } else { format!("{leaf} ({engine})") };
        let values =
            counts.iter().map(|t| find(*t).and_then(Measurement::rate).zip(base).map(|(r, b)| r / b));
        rows.push((label, values.collect()));
    }
    let series = counts.iter().map(|t| if *t == 1 { "1 thread".to_owned() } else { format!("{t} threads") });
    Section {
        id: hash.to_owned(),
        title: format!("Trees of {hash}"),
        text: vec![format!(
            "Speed-up over the plain {hash} of the same file, read in the same way. Efficiency is the rate per thread \
             relative to that with the fewest threads. A tree digest is as strong as its hash: {hash} is {}.",
            status(hash)
        )],
        chart: Some(Chart {
            title: format!("Speed-up of {hash} trees by leaf size"),
            unit: "times the plain digest".to_owned(),
            series: series.collect(),
            kind: Kind::Bars { rows, marks: vec![("plain digest".to_owned(), 1.0)] },
        }),
        table,
    }
}
