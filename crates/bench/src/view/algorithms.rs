//! The sections of `bench algorithms`.

use super::{Section, Table, cycles_cell, distinct, rate_cell, spread, status, time_cell};
use crate::chart::{Chart, Kind, Scale};
use crate::quantity::{bytes, digits, rate, time};
use crate::record::{Measurement, Record};
use crate::statistics::{median, paired_ratios};

const MANY: &str = "batch in lanes";

pub(super) fn sections(record: &Record) -> Vec<Section> {
    vec![
        rates(record),
        needs(record),
        sizes(record),
        calls(record),
        kernels(record),
        threads(record),
        others(record),
    ]
}

/// The measurements of a part that belong to one algorithm and variant.
fn pick<'a>(record: &'a Record, part: &'a str, algorithm: &str, variant: &str) -> Option<&'a Measurement> {
    record.part(part).find(|m| m.algorithm == algorithm && m.variant == variant)
}

/// The algorithms of the rate part, fastest first.
fn ranked(record: &Record) -> Vec<(&str, Option<&Measurement>, Option<&Measurement>)> {
    let mut rows: Vec<_> = distinct(record.part("rate"), |m| m.algorithm.as_str())
        .into_iter()
        .map(|name| (name, pick(record, "rate", name, "reused hasher"), pick(record, "rate", name, MANY)))
        .collect();
    rows.sort_by(|a, b| best(b.1, b.2).total_cmp(&best(a.1, a.2)));
    rows
}

fn best(one: Option<&Measurement>, many: Option<&Measurement>) -> f64 {
    [one, many].into_iter().flatten().filter_map(Measurement::rate).fold(0.0, f64::max)
}

fn rates(record: &Record) -> Section {
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
        rows.push((name.to_owned(), vec![mbs(one), mbs(many)]));
    }
    let size = |variant: &str| record.part("rate").find(|m| m.variant == variant).map_or(0, |m| m.bytes);
    Section {
        id: "rate".to_owned(),
        title: "How fast each algorithm is on one core".to_owned(),
        text: vec![format!(
            "One message of {} at a time, and many messages of {} side by side in the lanes of one core. \
             Digests marked broken or checksum do not show that nobody tampered with a file, however fast they are.",
            bytes(size("reused hasher")),
            bytes(size(MANY))
        )],
        chart: Some(Chart {
            title: "Bytes hashed per second on one core".to_owned(),
            unit: "MB/s".to_owned(),
            scale: Scale::Log,
            series: vec!["one message".to_owned(), "many messages in lanes".to_owned()],
            kind: Kind::Bars { rows, marks: Vec::new() },
        }),
        table,
    }
}

/// Cores for a stream, and what a small payload and a file take.
fn needs(record: &Record) -> Section {
    const PAYLOAD: u64 = 512;
    const FILE: f64 = 100e6;
    let stream = record.stream;
    let mut titles = vec!["algorithm".to_owned(), "status".to_owned()];
    if let Some(stream) = stream {
        titles.push(format!("#cores for {}", rate(stream)));
        titles.push("#the same in lanes".to_owned());
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
        rows.push((name.to_owned(), vec![cores(one), cores(many)]));
    }
    let chart = stream.map(|stream| Chart {
        title: format!("Cores needed for {}", rate(stream)),
        unit: "cores".to_owned(),
        scale: Scale::Log,
        series: vec!["one message after the other".to_owned(), "many messages in lanes".to_owned()],
        kind: Kind::Bars {
            rows,
            marks: vec![("processors here".to_owned(), record.environment.cores as f64)],
        },
    });
    Section {
        id: "needs".to_owned(),
        title: "What a stream, a payload and a file need".to_owned(),
        text: vec![match stream {
            Some(stream) => format!(
                "Cores that do nothing but hash to keep up with {}, from the rates above; one stream cannot be split \
                 between cores, so more than 1 is possible only for several streams, in lanes, or with a tree digest.",
                rate(stream)
            ),
            None => "Computed from the rates measured, without reading the file. `--stream RATE` adds the cores that a \
                     stream of that rate needs."
                .to_owned(),
        }],
        chart,
        table,
    }
}

fn sizes(record: &Record) -> Section {
    let mut table =
        Table::new(&["algorithm", "#size", "#time", "#rate", "#cycles/B", "#in lanes", "#rate", "#cycles/B"]);
    let names = distinct(record.part("size"), |m| m.algorithm.as_str());
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
    // Eight colours; the table has all.
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
            "One hasher, used again for every message. Short messages pay for the padding, the last block and the call; \
             very long ones for memory."
                .to_owned(),
        ],
        chart: Some(Chart {
            title: "Bytes hashed per second by message size, one core".to_owned(),
            unit: "MB/s".to_owned(),
            scale: Scale::Log,
            series: drawn.iter().map(|name| (*name).to_owned()).collect(),
            kind: Kind::Lines {
                x_title: "message size".to_owned(),
                places: sizes.iter().map(|size| bytes(*size)).collect(),
                lines: drawn.iter().map(line).collect(),
            },
        }),
        table,
    }
}

fn calls(record: &Record) -> Section {
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
        title: "What a call costs".to_owned(),
        text: vec![
            "The same message through a new hasher, a hasher used again, one call, and as one of many in lanes (time for \
             one of them)."
                .to_owned(),
        ],
        chart: Some(Chart {
            title: format!("Time for one message of {}", bytes(size)),
            unit: "ns".to_owned(),
            scale: Scale::Log,
            kind: Kind::Bars { rows: rows.collect(), marks: Vec::new() },
            series: variants,
        }),
        table,
    }
}

fn kernels(record: &Record) -> Section {
    let mut table = Table::new(&["algorithm", "kernel", "#rate", "#cycles/B", "#spread"]);
    let mut rows = Vec::new();
    for m in record.part("kernel") {
        table.rows.push(vec![
            m.algorithm.clone(),
            m.kernel.clone(),
            rate_cell(Some(m)),
            cycles_cell(Some(m)),
            spread(m),
        ]);
        rows.push((format!("{} {}", m.algorithm, m.kernel), vec![m.rate().map(|r| r / 1e6)]));
    }
    Section {
        id: "kernel".to_owned(),
        title: "By kernel".to_owned(),
        text: vec![
            "Each row of the kernel table that this processor can run, with as many messages as it has lanes. The \
             program picks by the number of messages at hand; TRUESUM_KERNEL forces one instruction set."
                .to_owned(),
        ],
        chart: Some(Chart {
            title: "Bytes hashed per second by kernel, one core".to_owned(),
            unit: "MB/s".to_owned(),
            scale: Scale::Linear,
            series: vec!["rate".to_owned()],
            kind: Kind::Bars { rows, marks: Vec::new() },
        }),
        table,
    }
}

fn threads(record: &Record) -> Section {
    let mut table = Table::new(&["algorithm", "#threads", "#rate", "#speed-up", "#of each core", "#spread"]);
    let mut counts = distinct(record.part("threads"), |m| m.threads);
    counts.sort_unstable();
    let names = distinct(record.part("threads"), |m| m.algorithm.as_str());
    let measured = |name: &str, threads: usize| {
        record.part("threads").find(|m| m.algorithm == name && m.threads == threads)
    };
    let find = |name: &str, threads: usize| measured(name, threads).and_then(Measurement::rate);
    let mut rows = Vec::new();
    for name in names {
        let first = counts.first().and_then(|first| Some((find(name, *first)?, *first)));
        for &threads in &counts {
            let (Some(found), Some((base, least))) = (find(name, threads), first) else { continue };
            let speed_up = found / base * least as f64;
            table.rows.push(vec![
                name.to_owned(),
                threads.to_string(),
                rate(found),
                digits(speed_up),
                crate::quantity::percent(speed_up / threads as f64),
                measured(name, threads).map_or_else(String::new, spread),
            ]);
        }
        rows.push((name.to_owned(), counts.iter().map(|t| find(name, *t).map(|r| r / 1e6)).collect()));
    }
    // Eight colours.
    let series: Vec<String> =
        counts.iter().take(8).map(|t| format!("{t} threads").replace("1 threads", "1 thread")).collect();
    rows.iter_mut().for_each(|(_, values): &mut (String, Vec<_>)| values.truncate(8));
    Section {
        id: "threads".to_owned(),
        title: "By threads".to_owned(),
        text: vec![
            "Threads that each hash messages of their own. Less than 100 % of each core: shared caches, memory, or a clock \
             that falls when more cores work. Timed by the clock on the wall, so other programs show here."
                .to_owned(),
        ],
        chart: Some(Chart {
            title: "Bytes hashed per second by threads".to_owned(),
            unit: "MB/s".to_owned(),
            scale: Scale::Log,
            series,
            kind: Kind::Bars { rows, marks: Vec::new() },
        }),
        table,
    }
}

/// `--compare`.
fn others(record: &Record) -> Section {
    let mut table = Table::new(&["algorithm", "engine", "#rate", "#truesum", "#truesum / engine", "#spread"]);
    let mut rows = Vec::new();
    let mut engines = vec!["truesum".to_owned()];
    for theirs in record.part("compare").filter(|m| m.engine != "truesum") {
        let ours = record.part("compare").find(|m| {
            m.engine == "truesum" && m.algorithm == theirs.algorithm && m.variant == theirs.variant
        });
        // Seconds of theirs by seconds of ours: how many times faster we are, pair by pair.
        let ratio = ours.and_then(|ours| median(&paired_ratios(&theirs.seconds, &ours.seconds)));
        table.rows.push(vec![
            theirs.algorithm.clone(),
            theirs.engine.clone(),
            rate_cell(Some(theirs)),
            rate_cell(ours),
            ratio.map_or_else(String::new, |r| format!("x{r:.2}")),
            spread(theirs),
        ]);
        let mbs = |m: Option<&Measurement>| m.and_then(Measurement::rate).map(|r| r / 1e6);
        if !engines.contains(&theirs.engine) {
            engines.push(theirs.engine.clone());
        }
        let place = engines.iter().position(|e| *e == theirs.engine).unwrap_or(1);
        let mut values = vec![None; place + 1];
        (values[0], values[place]) = (mbs(ours), mbs(Some(theirs)));
        rows.push((theirs.algorithm.clone(), values));
    }
    let size = record.part("compare").next().map_or(0, |m| m.bytes);
    Section {
        id: "compare".to_owned(),
        title: "Beside other libraries".to_owned(),
        text: vec![format!(
            "Messages of {} through one hasher, bytes by processor time, the other's own benchmark and ours in turn. The \
             ratio is the median of pairs.",
            bytes(size)
        )],
        chart: Some(Chart {
            title: "Bytes hashed per second of processor time, one core".to_owned(),
            unit: "MB/s".to_owned(),
            scale: Scale::Linear,
            series: engines,
            kind: Kind::Bars { rows, marks: Vec::new() },
        }),
        table,
    }
}
