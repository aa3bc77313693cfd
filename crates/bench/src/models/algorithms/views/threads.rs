//! By thread count.

use crate::quantity::{digits, percent, rate};
use crate::record::{Measurement, Record};
use crate::show::cells::{distinct, spread};
use crate::show::chart::{Chart, Kind};
use crate::show::{Section, Table};

pub(super) fn threads(record: &Record) -> Section {
    let mut table =
        Table::new(&["algorithm", "#threads", "#rate", "#speed-up", "#efficiency per core", "#spread"]);
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
                percent(speed_up / threads as f64),
                measured(name, threads).map_or_else(String::new, spread),
            ]);
        }
        rows.push((name.to_owned(), counts.iter().map(|t| find(name, *t).map(|r| r / 1e6)).collect()));
    }
    // There are eight colors.
    let series: Vec<String> =
        counts.iter().take(8).map(|t| format!("{t} threads").replace("1 threads", "1 thread")).collect();
    rows.iter_mut().for_each(|(_, values): &mut (String, Vec<_>)| values.truncate(8));
    Section {
        id: "threads".to_owned(),
        title: "By thread count".to_owned(),
        text: vec![
            "Each thread hashes its own messages. An efficiency below 100 % means that the threads share caches or \
            memory bandwidth, or that the clock frequency drops when more cores are active. Times are wall-clock \
            times, so other programs affect them."
                .to_owned(),
        ],
        chart: Some(Chart {
            title: "Bytes hashed per second by number of threads".to_owned(),
            unit: "MB/s".to_owned(),
            series,
            kind: Kind::Bars { rows, marks: Vec::new() },
        }),
        table,
    }
}
