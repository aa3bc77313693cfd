//! The cost of a call.

use crate::measure::statistics::median;
use crate::quantity::{bytes, digits};
use crate::record::{Measurement, Record};
use crate::show::cells::{distinct, spread, time_cell};
use crate::show::chart::{Chart, Kind};
use crate::show::{Section, Table};

pub(super) fn calls(record: &Record) -> Section {
    let mut table = Table::new(&[
        "algorithm",
        "#size",
        "call",
        "#time",
        "#cycles",
        "#allocations",
        "#bytes allocated",
        "#spread",
    ]);
    for m in record.part("mode") {
        let cycles = median(&m.cycles().collect::<Vec<_>>());
        table.rows.push(vec![
            m.algorithm.clone(),
            bytes(m.bytes),
            m.variant.clone(),
            time_cell(Some(m)),
            cycles.map_or_else(String::new, digits),
            m.allocations.map_or_else(|| "not counted".to_owned(), digits),
            m.allocated.map_or_else(String::new, digits),
            spread(m),
        ]);
    }
    let variants = distinct(record.part("mode"), |m| m.variant.clone());
    let size = record.part("mode").map(|m| m.bytes).min().unwrap_or(0);
    let rows = distinct(record.part("mode"), |m| m.algorithm.as_str()).into_iter().map(|name| {
        let value = |variant: &String| {
            let found =
                record.part("mode").find(|m| m.algorithm == name && m.variant == *variant && m.bytes == size);
            found.and_then(Measurement::summary).map(|s| s.median * 1e9)
        };
        (name.to_owned(), variants.iter().map(value).collect())
    });
    Section {
        id: "call".to_owned(),
        title: "Cost of a call".to_owned(),
        text: vec![
            "Time to hash one message with a new hasher, with a reused hasher, in a single call, and as one of many \
            messages in parallel lanes."
                .to_owned(),
        ],
        chart: Some(Chart {
            title: format!("Time to hash one message of {}", bytes(size)),
            unit: "ns".to_owned(),
            kind: Kind::Bars { rows: rows.collect(), marks: Vec::new() },
            series: variants,
        }),
        table,
    }
}
