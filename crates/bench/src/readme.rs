//! Generates the speed section of a README, between two comments, from recorded runs, so that its figures stay up to
//! date.

use crate::Error;
use crate::models::tools::{OWN, by_algorithm, is_own};
use crate::models::{self, algorithms, tools, tree};
use crate::quantity::digits;
use crate::record::{Measurement, Record};
use crate::show::cells::status;
use crate::show::chart::Chart;
use crate::show::{Table, markdown};
use std::fmt::Write;

/// The comments that begin (the rest of this line is kept) and end the section.
const BEGIN: &str = "<!-- speed:";
const END: &str = "<!-- /speed -->";

/// The algorithms that users choose between, secure ones first.
const USUAL: [&str; 10] =
    ["blake3", "sha256", "sha512", "sha3-256", "blake2b", "md5", "sha1", "crc32", "crc32c", "xxh128"];

/// Returns the text with an updated speed section. `chart` is the path of the picture, relative to the text.
///
/// # Errors
/// The text has no such section, or the runs include none of `bench algorithms`.
pub fn fill(readme: &str, records: &[Record], chart: &str) -> Result<String, Error> {
    let missing = || Error(format!("no section from '{BEGIN} ... -->' to '{END}'"));
    let begin = readme.find(BEGIN).ok_or_else(missing)?;
    let line_end = begin + readme[begin..].find('\n').ok_or_else(missing)? + 1;
    let end = line_end + readme[line_end..].find(END).ok_or_else(missing)?;
    Ok(format!("{}\n{}\n{}", &readme[..line_end], section(records, chart)?, &readme[end..]))
}

/// Returns the chart that the section shows.
///
/// # Errors
/// The runs include none of `bench algorithms`.
pub fn chart(records: &[Record]) -> Result<Chart, Error> {
    let mut record = of_algorithms(records)?.clone();
    record.measurements.retain(|m| USUAL.contains(&m.algorithm.as_str()));
    let chart = models::report(&record).sections.into_iter().find_map(|section| section.chart);
    chart.ok_or_else(|| Error("the saved run of `truesum bench algorithms` has no rates".to_owned()))
}

/// Returns the latest run of `bench algorithms`, preferably one that uses the whole processor.
fn of_algorithms(records: &[Record]) -> Result<&Record, Error> {
    let machines = Machine::all(records);
    let runs = machines.iter().find_map(|machine| latest(&machine.records, algorithms::MODEL.name));
    runs.ok_or_else(|| Error("no saved run of `truesum bench algorithms`".to_owned()))
}

fn latest<'a>(records: &[&'a Record], model: &str) -> Option<&'a Record> {
    records.iter().copied().filter(|record| record.model == model).max_by_key(|record| &record.started)
}

/// The runs of one processor with one set of instructions.
struct Machine<'a> {
    /// Its label in tables with several machines: a letter.
    letter: char,
    records: Vec<&'a Record>,
}

impl<'a> Machine<'a> {
    /// Returns all machines; those that used all of their processor come first.
    fn all(records: &'a [Record]) -> Vec<Machine<'a>> {
        let mut found: Vec<Machine> = Vec::new();
        let whole = |record: &&Record| record.environment.left_out.is_empty();
        let (all, parts): (Vec<&Record>, Vec<&Record>) = records.iter().partition(whole);
        for record in all.into_iter().chain(parts) {
            let of = record.environment.processor();
            match found.iter_mut().find(|machine| machine.records[0].environment.processor() == of) {
                Some(machine) => machine.records.push(record),
                None => {
                    let letter = char::from(b'A' + (found.len() % 26) as u8);
                    found.push(Machine { letter, records: vec![record] });
                }
            }
        }
        found
    }

    /// Returns the processor, and the date of the first of its runs.
    fn line(&self) -> String {
        let e = &self.records[0].environment;
        let began = self.records.iter().map(|record| record.started.as_str()).min().unwrap_or_default();
        format!("{}, {} cores, {}", e.processor(), e.cores, began.split('T').next().unwrap_or_default())
    }
}

fn section(records: &[Record], chart: &str) -> Result<String, Error> {
    let machines = Machine::all(records);
    let several = machines.len() > 1;
    let mut text = format!("![Bytes hashed per second on one core]({chart})\n\n");
    text += match several {
        true => "Measured on\n\n",
        false => "Measured on ",
    };
    for machine in &machines {
        let _ = match several {
            true => writeln!(text, "- **{}**: {}", machine.letter, machine.line()),
            false => writeln!(text, "{}.", machine.line()),
        };
    }
    let _ = writeln!(
        text,
        "\nThroughput of one core in GB/s, with data in the processor's caches, measured with `{}`:\n",
        of_algorithms(records)?.command
    );
    text += &markdown::grid(&rates(&machines));
    let tools = against_others(&machines);
    if !tools.rows.is_empty() {
        text += "\nTime of the fastest other program divided by that of truesum (above 1, truesum is faster), for the entire process:\n\n";
        text += &markdown::grid(&tools);
    }
    for machine in &machines {
        if let Some(record) = latest(&machine.records, tree::MODEL.name) {
            let _ = writeln!(
                text,
                "\nTree digests of {}{}, measured with `{}`:\n",
                record.input,
                if several { format!(", on {}", machine.letter) } else { String::new() },
                record.command
            );
            text += &markdown::grid(&trees(record));
        }
    }
    Ok(text)
}

/// A row for each algorithm, two columns for each machine.
fn rates(machines: &[Machine]) -> Table {
    let mut titles = vec!["algorithm".to_owned(), "status".to_owned()];
    let runs: Vec<(&Machine, &Record)> = machines
        .iter()
        .filter_map(|machine| Some((machine, latest(&machine.records, algorithms::MODEL.name)?)))
        .collect();
    for (machine, _) in &runs {
        let on = if machines.len() > 1 { format!("{}: ", machine.letter) } else { String::new() };
        titles.extend(["one message", "many messages"].map(|what| format!("#{on}{what}")));
    }
    let mut table = Table::new(&titles.iter().map(String::as_str).collect::<Vec<_>>());
    for name in USUAL {
        let find = |record: &Record, variant: &str| {
            let m = record.part("rate").find(|m| m.algorithm == name && m.variant == variant);
            m.and_then(Measurement::rate).map(|rate| digits(rate / 1e9)).unwrap_or_default()
        };
        let figures: Vec<String> = runs
            .iter()
            .flat_map(|(_, record)| ["reused hasher", "batch in lanes"].map(|variant| find(record, variant)))
            .collect();
        if figures.iter().any(|figure| !figure.is_empty()) {
            table.rows.push([name.to_owned(), status(name).to_owned()].into_iter().chain(figures).collect());
        }
    }
    table
}

/// A row for each run, with runs of the same job on several machines grouped, and a column for each algorithm: the best
/// time of the other programs divided by ours.
fn against_others(machines: &[Machine]) -> Table {
    let mut found = Vec::new();
    for machine in machines {
        let models = [tools::MODEL.name, tools::VERIFY.name];
        for record in machine.records.iter().filter(|record| models.contains(&&*record.model)) {
            found.push((machine.letter, models::report(record).what(), *record, by_algorithm(record)));
        }
    }
    // In older runs, the numbers in inputs have no separators.
    let job = |what: &str, record: &Record| (what.to_owned(), record.input.replace(',', ""));
    let order: Vec<_> = found.iter().map(|(_, what, record, _)| job(what, record)).collect();
    found.sort_by_key(|(_, what, record, _)| order.iter().position(|known| *known == job(what, record)));
    let has = |name: &str| found.iter().any(|(.., rows)| rows.get(name).is_some_and(|rows| rows.len() > 1));
    let together =
        found.iter().flat_map(|(.., rows)| rows.keys().copied()).find(|name| name.contains('+') && has(name));
    let names: Vec<&str> =
        USUAL.into_iter().chain(["xxh3"]).filter(|name| has(name)).chain(together).collect();
    let mut titles = vec!["what", "files"];
    titles.extend((machines.len() > 1).then_some("on"));
    titles.extend(&names);
    let mut table = Table::new(&titles);
    for (letter, what, record, rows) in &found {
        for own in record.engines.iter().map(|engine| &*engine.name).filter(|name| is_own(name)) {
            let command = if own == OWN { String::new() } else { format!(", `{own}`") };
            let mut cells = vec![format!("{what}{command}"), record.input.clone()];
            cells.extend((machines.len() > 1).then(|| letter.to_string()));
            for name in &names {
                cells.push(ratio(rows.get(name).map_or(&[][..], Vec::as_slice), own).unwrap_or_default());
            }
            table.rows.push(cells);
        }
    }
    table
}

/// Returns the best time of the other programs divided by that of `own`, one of our commands, and the name of the program.
fn ratio(rows: &[&Measurement], own: &str) -> Option<String> {
    let seconds = |m: &&Measurement| m.summary().map(|s| s.median);
    let ours = rows.iter().find(|m| m.engine == own).and_then(seconds)?;
    let others = rows.iter().filter(|m| !is_own(&m.engine));
    let (theirs, best) = others.filter_map(|m| Some((seconds(m)?, m))).min_by(|a, b| a.0.total_cmp(&b.0))?;
    let who = best.engine.split(',').next().unwrap_or_default();
    Some(format!("{} ({who})", digits(theirs / ours)))
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
    fn readme_section_is_replaced_and_the_rest_kept() {
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
    fn runs_without_cpu_features_get_their_own_columns() {
        let mut part = [recorded("algorithms"), recorded("tools")];
        for record in &mut part {
            record.environment.left_out = vec!["sha".to_owned()];
        }
        let [first, second] = part;
        let records = [first, recorded("algorithms"), second, recorded("tools")];
        let text = fill(README, &records, "c").unwrap();
        assert!(text.contains("- **A**: ") && text.contains(" without sha, "), "{text}");
        assert!(text.contains("| A: one message | A: many messages | B: one message |"), "{text}");
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("(rhash) |")).collect();
        assert!(lines[0].contains("| A |") && lines[1].contains("| B |"), "{text}");
    }

    #[test]
    fn missing_section_or_rates_are_errors() {
        let records = [recorded("algorithms")];
        assert!(fill("# x\n", &records, "c").unwrap_err().0.contains("no section"));
        assert!(fill("<!-- speed: -->\n", &records, "c").unwrap_err().0.contains("no section"));
        assert!(fill(README, &[recorded("tools")], "c").unwrap_err().0.contains("no saved run"));
    }
}
