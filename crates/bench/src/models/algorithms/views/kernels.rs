//! By kernel.

use crate::record::Record;
use crate::show::cells::{cycles_cell, rate_cell, spread};
use crate::show::chart::{Chart, Kind};
use crate::show::{Section, Table};

pub(super) fn kernels(record: &Record) -> Section {
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
            "Each kernel that this processor supports, with as many messages as the kernel has lanes. truesum selects \
            the kernel by the number of messages; TRUESUM_KERNEL forces one instruction set."
                .to_owned(),
        ],
        chart: Some(Chart {
            title: "Bytes hashed per second by kernel, one core".to_owned(),
            unit: "MB/s".to_owned(),
            series: vec!["rate".to_owned()],
            kind: Kind::Bars { rows, marks: Vec::new() },
        }),
        table,
    }
}
