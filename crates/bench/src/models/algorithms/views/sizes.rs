//! By message size.

use super::rates::MANY;
use crate::quantity::bytes;
use crate::record::{Measurement, Record};
use crate::show::cells::{cycles_cell, distinct, rank, rate_cell, time_cell};
use crate::show::chart::{Chart, Kind, Scale};
use crate::show::{Section, Table};

pub(super) fn sizes(record: &Record) -> Section {
    let mut table =
        Table::new(&["algorithm", "#size", "#time", "#rate", "#cycles/B", "#in lanes", "#rate", "#cycles/B"]);
    let mut names = distinct(record.part("size"), |m| m.algorithm.as_str());
    names.sort_by_key(|name| rank(name));
    let mut sizes = distinct(record.part("size"), |m| m.bytes);
    sizes.sort_unstable();
    let find = |name: &str, size: u64, many: bool| {
        record.part("size").find(|m| m.algorithm == name && m.bytes == size && (m.variant == MANY) == many)
    };
    for name in &names {
        for &size in &sizes {
            let (one, many) = (find(name, size, false), find(name, size, true));
            if one.is_none() && many.is_none() {
                continue;
            }
            table.rows.push(vec![
                (*name).to_owned(),
                bytes(size),
                time_cell(one),
                rate_cell(one),
                cycles_cell(one),
                time_cell(many),
                rate_cell(many),
                cycles_cell(many),
            ]);
        }
    }
    // There are eight colors; the table has all algorithms.
    let drawn: Vec<&str> = names.iter().copied().take(8).collect();
    let line = |name: &&str| {
        sizes
            .iter()
            .map(|size| find(name, *size, false).and_then(Measurement::rate).map(|r| r / 1e6))
            .collect()
    };
    Section {
        id: "size".to_owned(),
        title: "By message size".to_owned(),
        text: vec![
            "One hasher is reused for all messages. For short messages, the padding, the last block and the call take \
            a large share of the time; for very long ones, memory accesses do."
                .to_owned(),
        ],
        chart: Some(Chart {
            title: "Bytes hashed per second by message size, one core".to_owned(),
            unit: "MB/s".to_owned(),
            series: drawn.iter().map(|name| (*name).to_owned()).collect(),
            kind: Kind::Lines {
                scale: Scale::Log,
                x_title: "message size".to_owned(),
                places: sizes.iter().map(|size| bytes(*size)).collect(),
                lines: drawn.iter().map(line).collect(),
            },
        }),
        table,
    }
}
