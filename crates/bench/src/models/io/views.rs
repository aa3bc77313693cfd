//! The sections of `bench io`.

use crate::quantity::{digits, rate};
use crate::record::{Measurement, Record};
use crate::show::cells::{distinct, spread};
use crate::show::chart::{Chart, Kind};
use crate::show::{Section, Table};

pub(super) fn sections(record: &Record) -> Vec<Section> {
    vec![hot(record), cold(record), hashing(record)]
}

fn gbs(m: Option<&Measurement>) -> Option<f64> {
    m.and_then(Measurement::rate).map(|r| r / 1e9)
}

/// Returns the fastest uncached read rate: the speed of the device.
pub(super) fn device(record: &Record) -> Option<f64> {
    let direct = record.part("read").filter(|m| m.engine.starts_with("O_DIRECT") && m.algorithm == "none");
    direct.filter_map(Measurement::rate).reduce(f64::max)
}

fn device_mark(record: &Record) -> Vec<(String, f64)> {
    device(record).map(|rate| ("device, uncached".to_owned(), rate / 1e9)).into_iter().collect()
}

fn hot(record: &Record) -> Section {
    let is_hot = |m: &&Measurement| m.variant == "hot" && m.algorithm == "none";
    let mut counts = distinct(record.part("read").filter(is_hot), |m| m.threads);
    counts.sort_unstable();
    counts.truncate(8);
    let mut table = Table::new(&["strategy", "#threads", "#rate", "#processor seconds per GB", "#spread"]);
    let mut rows = Vec::new();
    for name in distinct(record.part("read").filter(is_hot), |m| m.engine.as_str()) {
        let find = |threads: usize| {
            record.part("read").filter(is_hot).find(|m| m.engine == name && m.threads == threads)
        };
        for m in counts.iter().filter_map(|threads| find(*threads)) {
            let per_gb = m.processor_seconds.map(|s| s / m.bytes as f64 * 1e9);
            table.rows.push(vec![
                name.to_owned(),
                m.threads.to_string(),
                m.rate().map_or_else(String::new, rate),
                per_gb.map_or_else(String::new, digits),
                spread(m),
            ]);
        }
        rows.push((name.to_owned(), counts.iter().map(|threads| gbs(find(*threads))).collect()));
    }
    let series: Vec<String> =
        counts.iter().map(|t| if *t == 1 { "1 thread".to_owned() } else { format!("{t} threads") }).collect();
    Section {
        id: "hot".to_owned(),
        title: "Page cache".to_owned(),
        text: vec![
            "Every byte is added to a sum, because a mapping that is not accessed costs nothing. With several threads, \
            each thread reads a part of the file."
                .to_owned(),
        ],
        chart: Some(Chart {
            title: "Read rate, hot".to_owned(),
            unit: "GB/s".to_owned(),
            series,
            kind: Kind::Bars { rows, marks: device_mark(record) },
        }),
        table,
    }
}

fn cold(record: &Record) -> Section {
    let is_cold = |m: &&Measurement| m.variant == "cold" && m.algorithm == "none" && m.threads == 1;
    let mut table = Table::new(&["strategy", "#rate", "#of the device", "#spread"]);
    let mut rows = Vec::new();
    for m in record.part("read").filter(is_cold) {
        let share = m.rate().zip(device(record)).map(|(rate, device)| rate / device);
        table.rows.push(vec![
            m.engine.clone(),
            m.rate().map_or_else(String::new, rate),
            share.map_or_else(String::new, crate::quantity::percent),
            spread(m),
        ]);
        rows.push((m.engine.clone(), vec![gbs(Some(m))]));
    }
    Section {
        id: "cold".to_owned(),
        title: "Device".to_owned(),
        text: vec![
            "The pages of the file were dropped from the page cache before each read; O_DIRECT bypasses the cache. The \
            fastest O_DIRECT row shows the limit of the device."
                .to_owned(),
        ],
        chart: Some(Chart {
            title: "Read rate, cold, one thread".to_owned(),
            unit: "GB/s".to_owned(),
            series: vec!["rate".to_owned()],
            kind: Kind::Bars { rows, marks: device_mark(record) },
        }),
        table,
    }
}

fn hashing(record: &Record) -> Section {
    let single =
        |m: &&Measurement| m.threads == 1 && (m.variant == "hot" || m.engine.starts_with("O_DIRECT"));
    let mut hashes = distinct(record.part("read").filter(single), |m| m.algorithm.clone());
    hashes.truncate(8);
    let mut titles = vec!["strategy".to_owned()];
    titles.extend(hashes.iter().map(|hash| format!("#{}", if hash == "none" { "no hash" } else { hash })));
    let mut table = Table::new(&titles.iter().map(String::as_str).collect::<Vec<_>>());
    let mut rows = Vec::new();
    for name in distinct(record.part("read").filter(single), |m| m.engine.as_str()) {
        let find = |hash: &String| {
            record.part("read").filter(single).find(|m| m.engine == name && m.algorithm == *hash)
        };
        let mut row = vec![name.to_owned()];
        row.extend(
            hashes.iter().map(|hash| find(hash).and_then(Measurement::rate).map_or_else(String::new, rate)),
        );
        table.rows.push(row);
        rows.push((name.to_owned(), hashes.iter().map(|hash| gbs(find(hash))).collect()));
    }
    if hashes.len() < 2 {
        table.rows.clear();
    }
    Section {
        id: "hash".to_owned(),
        title: "Read and hash".to_owned(),
        text: vec![
            "If hashing is slower than reading, the read strategy hardly matters; if it is faster, only the read \
            strategy matters. Each block of 1 MiB is hashed separately, so that the digests of all strategies can be \
            compared."
                .to_owned(),
        ],
        chart: Some(Chart {
            title: "Read and hash rate, one thread".to_owned(),
            unit: "GB/s".to_owned(),
            series: hashes.iter().map(|hash| if hash == "none" { "no hash".to_owned() } else { hash.clone() }).collect(),
            kind: Kind::Bars { rows, marks: Vec::new() },
        }),
        table,
    }
}
