//! Comparison with other libraries: `--compare`.

use crate::measure::statistics::{median, paired_ratios};
use crate::quantity::bytes;
use crate::record::{Measurement, Record};
use crate::show::cells::{rate_cell, spread};
use crate::show::chart::{Chart, Kind};
use crate::show::{Section, Table};

/// `--compare`.
pub(super) fn others(record: &Record) -> Section {
    let mut table = Table::new(&["algorithm", "engine", "#rate", "#truesum", "#truesum / engine", "#spread"]);
    let mut rows = Vec::new();
    let mut engines = vec!["truesum".to_owned()];
    for theirs in record.part("compare").filter(|m| m.engine != "truesum") {
        let ours = record.part("compare").find(|m| {
            m.engine == "truesum" && m.algorithm == theirs.algorithm && m.variant == theirs.variant
        });
        // Their seconds divided by ours: how many times faster truesum is, pair by pair.
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
        title: "Comparison with other libraries".to_owned(),
        text: vec![format!(
            "Messages of {} are hashed with a single hasher. The other library's own benchmark and truesum run \
             alternately, and rates are per second of processor time. The ratio is the median over all pairs of runs.",
            bytes(size)
        )],
        chart: Some(Chart {
            title: "Bytes hashed per second of processor time, one core".to_owned(),
            unit: "MB/s".to_owned(),
            series: engines,
            kind: Kind::Bars { rows, marks: Vec::new() },
        }),
        table,
    }
}
