//! The section of `bench limit`: a comparison of rates, and advice in words.

use crate::quantity::{digits, rate};
use crate::record::{Measurement, Record};
use crate::show::cells::{distinct, label, rank, rate_cell, status};
use crate::show::chart::{Chart, Kind};
use crate::show::{Section, Table};
use truesum_hash::{Status, find};

pub(super) fn sections(record: &Record) -> Vec<Section> {
    let limits = Limits::of(record);
    let mut text = advice(record, &limits);
    // Smaller differences are chance.
    if limits.cache.zip(limits.memory).is_some_and(|(cache, memory)| cache > memory * 1.05) {
        text.push(
            "Reads from the page cache were faster than reads from memory: part of the file was in the processor's \
            caches, or the system uses larger pages for files than for a program's memory."
                .to_owned(),
        );
    }
    let mut table = Table::new(&[
        "what",
        "status",
        "#rate",
        "#cores to match the disk",
        "#cores to match the page cache",
    ]);
    for (name, value) in limits.list() {
        table.rows.push(vec![name, String::new(), rate(value), String::new(), String::new()]);
    }
    let cores = |source: Option<f64>, m: Option<&Measurement>| {
        source
            .zip(m.and_then(Measurement::rate))
            .map_or_else(String::new, |(source, own)| digits(source / own))
    };
    let mut bars = Vec::new();
    for name in algorithms(record) {
        let (one, many) = pair(record, name);
        for (m, how) in [(one, "one file"), (many, "many files")] {
            if m.is_some() {
                table.rows.push(vec![
                    format!("{name}, {how}"),
                    status(name).to_owned(),
                    rate_cell(m),
                    cores(limits.device, m),
                    cores(limits.cache, m),
                ]);
            }
        }
        let gbs = |m: Option<&Measurement>| m.and_then(Measurement::rate).map(|r| r / 1e9);
        bars.push((label(name), vec![gbs(one), gbs(many)]));
    }
    vec![Section {
        id: "rates".to_owned(),
        title: "Disk or processor?".to_owned(),
        text,
        chart: Some(Chart {
            title: "Hashing throughput of one core, and read throughput".to_owned(),
            unit: "GB/s".to_owned(),
            series: vec!["one file".to_owned(), "many files at once".to_owned()],
            kind: Kind::Bars {
                rows: bars,
                marks: limits.list().into_iter().map(|(name, value)| (name, value / 1e9)).collect(),
            },
        }),
        table,
    }]
}

/// The algorithms measured: secure ones first, and the fastest first among those of one status.
pub(super) fn algorithms(record: &Record) -> Vec<&str> {
    let mut names = distinct(record.part("hash"), |m| m.algorithm.as_str());
    let best = |name: &str| {
        let (one, many) = pair(record, name);
        [one, many].into_iter().flatten().filter_map(Measurement::rate).fold(0.0, f64::max)
    };
    names.sort_by(|a, b| rank(a).cmp(&rank(b)).then(best(b).total_cmp(&best(a))));
    names
}

pub(super) fn pair<'a>(record: &'a Record, name: &str) -> (Option<&'a Measurement>, Option<&'a Measurement>) {
    let find = |variant: &str| record.part("hash").find(|m| m.algorithm == name && m.variant == variant);
    (find("one message"), find("many messages"))
}

/// The read rate of each source, per second.
pub(super) struct Limits {
    device: Option<f64>,
    cache: Option<f64>,
    memory: Option<f64>,
    cores: usize,
}

impl Limits {
    pub(super) fn of(record: &Record) -> Limits {
        let best = |part| record.part(part).filter_map(Measurement::rate).reduce(f64::max);
        Limits {
            device: best("device"),
            cache: best("cache"),
            memory: best("memory"),
            cores: record.environment.cores,
        }
    }

    /// Returns the slowest source of data, with its name.
    pub(super) fn source(&self) -> Option<(&'static str, f64)> {
        let device = self.device.map(|rate| ("disk", rate));
        device.or(self.cache.map(|rate| ("page cache", rate)))
    }

    pub(super) fn list(&self) -> Vec<(String, f64)> {
        let threads = if self.cores > 1 { format!(", {} threads", self.cores) } else { String::new() };
        let named = [
            ("disk".to_owned(), self.device),
            (format!("page cache{threads}"), self.cache),
            (format!("memory{threads}"), self.memory),
        ];
        named.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

/// Returns the advice in words. It never recommends a broken algorithm or a checksum without stating its limits.
fn advice(record: &Record, limits: &Limits) -> Vec<String> {
    let mut words = Vec::new();
    let Some((name, source)) = limits.source() else {
        return vec!["No read rate was measured, so no bottleneck can be determined.".to_owned()];
    };
    let mut needs: Vec<(String, f64, Option<Status>)> = Vec::new();
    for algorithm in algorithms(record) {
        let (one, many) = pair(record, algorithm);
        let row = find(algorithm).map(|row| row.status());
        let rate = |m: Option<&Measurement>| m.and_then(Measurement::rate);
        match (rate(one), rate(many)) {
            (Some(one), Some(many)) if many > one * 1.1 => {
                needs.push((algorithm.to_owned(), source / one, row));
                needs.push((format!("{algorithm} with many files"), source / many, row));
            }
            (Some(one), _) => needs.push((algorithm.to_owned(), source / one, row)),
            _ => {}
        }
    }
    let list: Vec<String> =
        needs.iter().map(|(name, cores, _)| format!("{} for {name}", digits(*cores))).collect();
    words.push(format!(
        "The {name} delivers {}. Cores needed to keep up with it: {}. Cores available: {}.",
        rate(source),
        list.join(", "),
        limits.cores
    ));
    let single = |name: &str| !name.ends_with(" with many files");
    let slow: Vec<&str> =
        needs.iter().filter(|(n, c, _)| single(n) && *c > 1.0).map(|(n, ..)| n.as_str()).collect();
    let fast: Vec<&str> =
        needs.iter().filter(|(n, c, _)| single(n) && *c <= 1.0).map(|(n, ..)| n.as_str()).collect();
    if !slow.is_empty() {
        words.push(format!(
            "For one large file, the processor is the bottleneck with {}: an ordinary digest of one file cannot use a \
             second core. Many files use all cores and SIMD lanes; for a single file, only a tree digest uses all cores.",
            slow.join(", ")
        ));
    }
    if !fast.is_empty() {
        words.push(format!("The {name} is the bottleneck with {}.", fast.join(", ")));
    }
    words.extend(recommendation(&needs, limits.cores));
    words
}

/// Recommends one algorithm for protection against attacks and one for accidental errors, each with its status.
fn recommendation(needs: &[(String, f64, Option<Status>)], cores: usize) -> Vec<String> {
    let cheapest = |wanted: fn(&Status) -> bool| {
        let fitting = needs.iter().filter(|(_, _, status)| status.as_ref().is_some_and(wanted));
        fitting.min_by(|a, b| a.1.total_cmp(&b.1))
    };
    let mut words = Vec::new();
    match cheapest(|status| matches!(status, Status::Secure(_))) {
        Some((name, need, Some(status))) => {
            words.push(format!(
                "Recommended for detecting tampering: {name} ({}: {}), which needs {} cores (this machine has {cores}).",
                status.word(),
                status.reason(),
                digits(*need)
            ));
        }
        _ => words.push("None of the measured algorithms detects tampering.".to_owned()),
    }
    if let Some((name, need, Some(status))) = cheapest(|status| matches!(status, Status::Checksum(_))) {
        words.push(format!(
            "Recommended for detecting accidental damage only: {name} ({}: {}), which needs {} cores. It does not detect tampering.",
            status.word(),
            status.reason(),
            digits(*need)
        ));
    }
    for (name, _, status) in needs {
        if let Some(Status::Broken(why)) = status
            && !name.ends_with(" with many files")
        {
            words.push(format!(
                "{name} is broken ({why}): use it only for existing manifests, to detect accidental damage."
            ));
        }
    }
    words
}
