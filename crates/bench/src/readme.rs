//! The speed section of a README, between two comments, from recorded runs: figures in prose go stale, these are written anew.

use crate::Error;
use crate::models::tools::by_algorithm;
use crate::models::{self, algorithms, tools, tree};
use crate::quantity::digits;
use crate::record::{Measurement, Record};
use crate::show::cells::status;
use crate::show::chart::Chart;
use crate::show::{Table, markdown};
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
    let mut record = of_algorithms(records)?.clone();
    record.measurements.retain(|m| USUAL.contains(&m.algorithm.as_str()));
    let chart = models::report(&record).sections.into_iter().find_map(|section| section.chart);
    chart.ok_or_else(|| Error("the recorded run of `bench algorithms` has no rates".to_owned()))
}

/// The latest run of `bench algorithms`.
fn of_algorithms(records: &[Record]) -> Result<&Record, Error> {
    let runs = records.iter().filter(|record| record.model == algorithms::MODEL.name);
    runs.max_by(|a, b| a.started.cmp(&b.started))
        .ok_or_else(|| Error("no recorded run of `truesum bench algorithms`".to_owned()))
}

fn section(records: &[Record], chart: &str) -> Result<String, Error> {
    let record = of_algorithms(records)?;
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
            let cells = [name.to_owned(), status(name).to_owned(), one, find(name, "batch in lanes")];
            table.rows.push(cells.to_vec());
        }
    }
    text += &markdown::grid(&table);
    let tools: Vec<&Record> = records.iter().filter(|record| record.model == tools::MODEL.name).collect();
    if let Some(first) = tools.first() {
        let _ = writeln!(
            text,
            "\nHow many times as long the fastest other program takes, whole process ({}); who that is stands behind it:\n",
            machine(first)
        );
        text += &markdown::grid(&against_others(&tools));
    }
    if let Some(record) =
        records.iter().filter(|record| record.model == tree::MODEL.name).max_by_key(|r| &r.started)
    {
        let _ = writeln!(
            text,
            "\nTree digests of {} ({}); `{}`:\n",
            record.input,
            machine(record),
            record.command
        );
        text += &markdown::grid(&trees(record));
    }
    Ok(text)
}

/// A row for each run, a column for each algorithm: the best time of the others by ours.
fn against_others(records: &[&Record]) -> Table {
    let found: Vec<_> = records.iter().map(|record| (record, by_algorithm(record))).collect();
    let has = |name: &str| found.iter().any(|(_, rows)| rows.get(name).is_some_and(|rows| rows.len() > 1));
    let several =
        found.iter().flat_map(|(_, rows)| rows.keys().copied()).find(|name| name.contains('+') && has(name));
    let names: Vec<&str> =
        USUAL.into_iter().chain(["xxh3"]).filter(|name| has(name)).chain(several).collect();
    let mut titles = vec!["what", "files"];
    titles.extend(&names);
    let mut table = Table::new(&titles);
    for (record, rows) in &found {
        let mut cells = vec![models::report(record).what(), record.input.clone()];
        for name in &names {
            let seconds = |m: &&Measurement| m.summary().map(|s| s.median);
            let rows = rows.get(name).map_or(&[][..], Vec::as_slice);
            let (ours, others): (Vec<_>, Vec<_>) =
                rows.iter().copied().partition(|m: &&Measurement| m.engine == "truesum");
            let best =
                others.iter().filter_map(|m| Some((seconds(m)?, *m))).min_by(|a, b| a.0.total_cmp(&b.0));
            let cell = best.zip(ours.first().and_then(seconds)).map(|((theirs, m), ours)| {
                let who = m.engine.split(',').next().unwrap_or_default();
                format!("{} ({who})", digits(theirs / ours))
            });
            cells.push(cell.unwrap_or_default());
        }
        table.rows.push(cells);
    }
    table
}

/// A row for each hash: the plain digest, and the fastest tree on one thread and on all.
fn trees(record: &Record) -> Table {
    let mut table =
        Table::new(&["hash", "#plain digest, GB/s", "#tree, one thread", "#tree, all threads", "leaves"]);
    let rate = |m: &Measurement| m.rate().unwrap_or(0.0);
    let most = record.part("tree").map(|m| m.threads).max().unwrap_or(1);
    for plain in record.part("plain") {
        let best = |threads: usize| {
            let trees =
                record.part("tree").filter(|m| m.algorithm == plain.algorithm && m.engine == "truesum");
            trees.filter(|m| m.threads == threads).max_by(|a, b| rate(a).total_cmp(&rate(b)))
        };
        let cell = |m: Option<&Measurement>| m.map_or_else(String::new, |m| digits(rate(m) / 1e9));
        let leaves = best(most).map_or_else(String::new, |m| m.variant.clone());
        let cells = [plain.algorithm.clone(), cell(Some(plain)), cell(best(1)), cell(best(most)), leaves];
        table.rows.push(cells.to_vec());
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
        assert!(text.contains("| sha256 | secure | 1."), "{text}");
        assert!(text.contains("(rhash) |"), "{text}");
        assert_eq!(fill(&text, &records, "a/b.svg").unwrap(), text);
        assert!(chart(&records).unwrap().svg(720, crate::show::chart::Theme::Both).contains("sha256"));
    }

    #[test]
    fn a_text_without_a_section_and_runs_without_rates_are_errors() {
        let records = [recorded("algorithms")];
        assert!(fill("# x\n", &records, "c").unwrap_err().0.contains("no section"));
        assert!(fill("<!-- speed: -->\n", &records, "c").unwrap_err().0.contains("no section"));
        assert!(fill(README, &[recorded("tools")], "c").unwrap_err().0.contains("no recorded run"));
    }
}
