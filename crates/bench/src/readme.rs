//! The speed section of a README, between two comments, from recorded runs: figures in prose go stale, these are written anew.

use crate::Error;
use crate::chart::Chart;
use crate::markdown;
use crate::quantity::digits;
use crate::record::{Measurement, Model, Record};
use crate::tools::by_algorithm;
use crate::view::{self, Table};
use std::fmt::Write;

/// Where the section begins (the rest of this line is kept) and ends.
const BEGIN: &str = "<!-- speed:";
const END: &str = "<!-- /speed -->";

/// The algorithms that people choose between.
const USUAL: [&str; 10] =
    ["crc32", "crc32c", "xxh128", "blake3", "md5", "sha1", "sha256", "sha512", "sha3-256", "blake2b"];

/// The text with its speed section written anew. `chart` is where the picture lies, relative to the text.
///
/// # Errors
/// The text has no such section, or the runs hold none of `bench algorithms`.
pub fn fill(readme: &str, records: &[Record], chart: &str) -> Result<String, Error> {
    let missing = || Error(format!("no section from '{BEGIN} ... -->' to '{END}'"));
    let begin = readme.find(BEGIN).ok_or_else(missing)?;
    let line_end = begin + readme[begin..].find('\n').ok_or_else(missing)? + 1;
    let end = line_end + readme[line_end..].find(END).ok_or_else(missing)?;
    Ok(format!("{}\n{}\n{}", &readme[..line_end], section(records, chart)?, &readme[end..]))
}

/// The chart that the section shows.
///
/// # Errors
/// The runs hold none of `bench algorithms`.
pub fn chart(records: &[Record]) -> Result<Chart, Error> {
    let mut record = algorithms(records)?.clone();
    record.measurements.retain(|m| USUAL.contains(&m.algorithm.as_str()));
    let chart = view::sections(&record).into_iter().find_map(|section| section.chart);
    chart.ok_or_else(|| Error("the recorded run of `bench algorithms` has no rates".to_owned()))
}

/// The latest run of `bench algorithms`.
fn algorithms(records: &[Record]) -> Result<&Record, Error> {
    let runs = records.iter().filter(|record| record.model == Model::Algorithms);
    runs.max_by(|a, b| a.started.cmp(&b.started))
        .ok_or_else(|| Error("no recorded run of `truesum bench algorithms`".to_owned()))
}

fn section(records: &[Record], chart: &str) -> Result<String, Error> {
    let record = algorithms(records)?;
    let machine = |record: &Record| {
        let e = &record.environment;
        format!("{}, {} cores, {}", e.cpu, e.cores, record.started.split('T').next().unwrap_or(""))
    };
    let mut text = format!("![Bytes hashed per second on one core]({chart})\n\n");
    let _ =
        writeln!(text, "GB/s of one core ({}), data in the cache; `{}`:\n", machine(record), record.command);
    let mut table = Table::new(&["algorithm", "status", "#one message", "#many messages"]);
    let find = |name: &str, variant: &str| {
        let m = record.part("rate").find(|m| m.algorithm == name && m.variant == variant);
        m.and_then(Measurement::rate).map(|rate| digits(rate / 1e9)).unwrap_or_default()
    };
    for name in USUAL {
        let one = find(name, "reused hasher");
        if !one.is_empty() {
            let cells = [name.to_owned(), view::status(name).to_owned(), one, find(name, "batch in lanes")];
            table.rows.push(cells.to_vec());
        }
    }
    text += &markdown::grid(&table);
    if let Some(record) = records.iter().filter(|r| r.model == Model::Tools).max_by_key(|r| r.started.clone())
    {
        let _ =
            writeln!(text, "\nSeconds for {} ({}); `{}`:\n", record.input, machine(record), record.command);
        text += &markdown::grid(&tools(record));
    }
    Ok(text)
}

/// A row for each engine, a column for each algorithm that several engines have.
fn tools(record: &Record) -> Table {
    let found = by_algorithm(record);
    let names: Vec<&str> =
        USUAL.into_iter().filter(|name| found.get(name).is_some_and(|rows| rows.len() > 1)).collect();
    let mut titles = vec!["engine".to_owned()];
    titles.extend(names.iter().map(|name| format!("#{name}")));
    let mut table = Table::new(&titles.iter().map(String::as_str).collect::<Vec<_>>());
    for engine in &record.engines {
        let cell = |name: &&str| {
            let m = found[*name].iter().find(|m| m.engine == engine.name);
            m.and_then(|m| m.summary()).map_or_else(String::new, |s| format!("{:.2}", s.median))
        };
        let cells: Vec<String> = names.iter().map(cell).collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            table.rows.push([vec![engine.name.clone()], cells].concat());
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(name: &str) -> Record {
        let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
        Record::read(path.as_ref()).unwrap()
    }

    const README: &str = "# x\n\n<!-- speed: made by a program -->\nold figures\n<!-- /speed -->\n\nrest\n";

    #[test]
    fn the_section_is_replaced_and_the_rest_is_kept() {
        let records = [recorded("algorithms"), recorded("tools")];
        let text = fill(README, &records, "a/b.svg").unwrap();
        assert!(text.starts_with(
            "# x\n\n<!-- speed: made by a program -->\n\n![Bytes hashed per second on one core](a/b.svg)"
        ));
        assert!(text.ends_with("\n<!-- /speed -->\n\nrest\n") && !text.contains("old figures"));
        assert!(text.contains("| sha256 | secure | 1.") && text.contains("| rhash |"), "{text}");
        assert_eq!(fill(&text, &records, "a/b.svg").unwrap(), text);
        assert!(chart(&records).unwrap().svg(720, crate::chart::Theme::Both).contains("sha256"));
    }

    #[test]
    fn a_text_without_a_section_and_runs_without_rates_are_errors() {
        let records = [recorded("algorithms")];
        assert!(fill("# x\n", &records, "c").unwrap_err().0.contains("no section"));
        assert!(fill("<!-- speed: -->\n", &records, "c").unwrap_err().0.contains("no section"));
        assert!(fill(README, &[recorded("tools")], "c").unwrap_err().0.contains("no recorded run"));
    }
}
