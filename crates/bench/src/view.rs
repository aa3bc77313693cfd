//! From a record to sections: a heading, what it says in words, a chart and a table. Every output form spells the same ones.

mod algorithms;
mod io;
mod limit;
mod tools;
mod tree;

use crate::chart::Chart;
use crate::quantity::{digits, percent, rate, time};
use crate::record::{Measurement, Model, Record};
use truesum_hash::find;

/// One part of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// A name for files and links: `algorithms-rate`.
    pub id: String,
    /// The heading.
    pub title: String,
    /// What it says, a sentence or more each.
    pub text: Vec<String>,
    /// The figures drawn.
    pub chart: Option<Chart>,
    /// The figures.
    pub table: Table,
}

/// Rows and columns of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Headings.
    pub columns: Vec<Column>,
    /// A cell for each column.
    pub rows: Vec<Vec<String>>,
}

/// A heading, and how its cells are aligned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub title: String,
    /// Whether its cells are numbers, aligned at the right.
    pub number: bool,
}

impl Table {
    /// A table without rows. A title that begins with `#` is one of numbers.
    pub fn new(titles: &[&str]) -> Table {
        let column = |title: &&str| match title.strip_prefix('#') {
            Some(title) => Column { title: title.to_owned(), number: true },
            None => Column { title: (*title).to_owned(), number: false },
        };
        Table { columns: titles.iter().map(column).collect(), rows: Vec::new() }
    }
}

/// The sections of a record, in the order they are read.
pub fn sections(record: &Record) -> Vec<Section> {
    let mut sections = match record.model {
        Model::Algorithms => algorithms::sections(record),
        Model::Tools => tools::sections(record),
        Model::Io => io::sections(record),
        Model::Limit => limit::sections(record),
        Model::Tree => tree::sections(record),
    };
    sections.retain(|section| !section.table.rows.is_empty());
    for section in &mut sections {
        section.id = format!("{}-{}", record.model.word(), section.id);
    }
    sections
}

/// What the reader must know before any figure: noise, disagreement, interruption, engines missing, notes.
pub fn warnings(record: &Record) -> Vec<String> {
    let mut warnings = Vec::new();
    warnings.extend(record.noise.and_then(|noise| noise.verdict()));
    if record.noise.is_none() {
        warnings.push("too few samples to judge how noisy the machine was".to_owned());
    }
    let (load, cores) = (record.environment.load_before, record.environment.cores as f64);
    if load > cores * 0.5 {
        warnings
            .push(format!("others were working before the run began: load {load:.1} on {cores} processors"));
    }
    for agreement in &record.agreements {
        for who in &agreement.disagree {
            warnings.push(format!("{}: no agreement: {who}", agreement.subject));
        }
    }
    if record.interrupted {
        warnings.push("interrupted: some figures are missing".to_owned());
    }
    warnings.extend(record.notes.iter().cloned());
    warnings
}

/// The machine and the run in one line each.
pub fn facts(record: &Record) -> Vec<(String, String)> {
    let e = &record.environment;
    let mut facts = vec![
        ("Input", record.input.clone()),
        ("Processor", format!("{}, {} usable, {:.2} GHz measured", e.cpu, e.cores, e.clock / 1e9)),
        ("Features", e.features.join(" ")),
        ("Caches", e.caches.join(", ")),
        ("Memory", crate::quantity::bytes(e.memory)),
        ("System", format!("{}, kernel {}", e.system, e.kernel)),
        ("Governor", e.governor.clone()),
        ("Load", format!("{:.2} before, {:.2} after", e.load_before, e.load_after)),
    ];
    if e.virtual_machine {
        facts.push(("Hypervisor", "yes: the clock and the disk are shared with others".to_owned()));
    }
    if let Some(kernel) = &e.forced_kernel {
        facts.push(("Kernel forced", kernel.clone()));
    }
    if let Some(storage) = &e.storage {
        let mut words = vec![storage.file_system.clone(), storage.device.clone(), storage.model.clone()];
        words.push(match storage.rotational {
            Some(true) if e.virtual_machine => "rotational, says the hypervisor".to_owned(),
            Some(true) => "spinning disk".to_owned(),
            Some(false) => "no spinning disk".to_owned(),
            None => String::new(),
        });
        words.retain(|word| !word.is_empty());
        facts.push(("Storage", words.join(", ")));
    }
    if let Some(noise) = record.noise {
        let (spread, p90, outliers) =
            (percent(noise.spread), percent(noise.spread_p90), percent(noise.outliers));
        let line = format!(
            "{spread} median spread, {p90} for nine of ten, {outliers} outliers, drift x{:.2}",
            noise.drift
        );
        facts.push(("Noise", line));
    }
    let agreed = record.agreements.iter().filter(|agreement| agreement.disagree.is_empty()).count();
    facts.push(("Agreement", format!("{agreed} of {} digests checked agree", record.agreements.len())));
    facts.push(("Run", format!("{} at {}, {:.0} s", record.program, record.started, record.seconds)));
    facts.retain(|(_, value)| !value.is_empty());
    facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The security status of an algorithm, in one word.
pub(crate) fn status(algorithm: &str) -> &'static str {
    find(algorithm).map_or("", |row| row.status.word())
}

/// `± 1.2 %`, and how many samples are outliers.
fn spread(m: &Measurement) -> String {
    match m.summary() {
        Some(s) if s.outliers > 0 => {
            format!("± {}, {} of {} out", percent(s.relative_spread()), s.outliers, s.count)
        }
        Some(s) if s.count > 1 => format!("± {}", percent(s.relative_spread())),
        _ => "one sample".to_owned(),
    }
}

fn rate_cell(m: Option<&Measurement>) -> String {
    m.and_then(Measurement::rate).map_or_else(String::new, rate)
}

fn cycles_cell(m: Option<&Measurement>) -> String {
    m.and_then(Measurement::cycles_per_byte).map_or_else(String::new, digits)
}

fn time_cell(m: Option<&Measurement>) -> String {
    m.and_then(Measurement::summary).map_or_else(String::new, |s| time(s.median))
}

/// The values of `key` in the order they first occur.
fn distinct<'a, T: PartialEq>(
    measurements: impl Iterator<Item = &'a Measurement>,
    key: impl Fn(&'a Measurement) -> T,
) -> Vec<T> {
    let mut found = Vec::new();
    for m in measurements {
        let value = key(m);
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}
