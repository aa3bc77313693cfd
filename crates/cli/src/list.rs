//! `truesum list`: the tables, for people and for programs.

use crate::console::Console;
use crate::exit::Exit;
use crate::output::print;
use crate::values::color::Color;
use clap::{Args, ValueEnum};
use std::fmt::Write;
use truesum::hash::{ALGORITHMS, Algorithm, CRC_CATALOGUE, Lengths, kernel};
use truesum::manifest::{Algorithms, FORMATS, Format, Names, Reading, Told, Writing, json};

/// Columns of a terminal that tables are made for.
const WIDTH: usize = 100;

/// Show what there is: algorithms and their security, kernels of this CPU, manifest formats
#[derive(Args)]
pub struct ListArgs {
    /// What to list
    #[arg(value_name = "WHAT")]
    pub what: Listing,
    /// Algorithms: the catalogue of CRCs too
    #[arg(long)]
    pub all: bool,
    /// One JSON object per line
    #[arg(long)]
    pub json: bool,
}

/// A table to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Listing {
    Algorithms,
    Kernels,
    Formats,
}

/// Runs the command.
pub fn run(args: &ListArgs) -> Exit {
    let text = match (args.what, args.json) {
        (Listing::Algorithms, false) => algorithms(args.all),
        (Listing::Algorithms, true) => {
            ALGORITHMS.iter().chain(catalogue(args.all)).map(algorithm_json).collect()
        }
        (Listing::Kernels, false) => kernels(),
        (Listing::Kernels, true) => kernels_json(),
        (Listing::Formats, false) => formats(),
        (Listing::Formats, true) => FORMATS.iter().map(|row| format_json(row)).collect(),
    };
    print(&text, &mut Console::new(Color::Auto))
}

/// The lengths of an algorithm's digest, in bits.
fn bits(row: &Algorithm) -> String {
    let usual = row.digest_len * 8;
    match row.lengths {
        Lengths::Fixed => usual.to_string(),
        Lengths::UpTo(max) => format!("{usual} (8..{})", max * 8),
        Lengths::Any => format!("{usual} (any)"),
    }
}

/// The named CRCs that few ask for, if they were asked for.
fn catalogue(all: bool) -> &'static [Algorithm] {
    if all { CRC_CATALOGUE } else { &[] }
}

fn algorithms(all: bool) -> String {
    let mut text =
        format!("{:<12} {:<13} {:<9} {}\n", "NAME", "BITS", "STATUS", "WHAT IT IS; WHY THAT STATUS");
    for row in ALGORITHMS {
        let head = format!("{:<12} {:<13} {:<9} ", row.name, bits(row), row.status.word());
        let about = format!("{}; {}", row.summary, row.status.reason());
        wrap(&head, &also(about, row), &mut text);
    }
    for row in catalogue(all) {
        let head = format!("{:<27} ", row.name);
        wrap(&head, &also(row.summary.to_owned(), row), &mut text);
    }
    if !all {
        let _ = writeln!(
            text,
            "\n--all: {} more CRCs by the names of their catalogue (crc-16/modbus); any other by its parameters\n\
             ('crc;width=16;poly=0x1021;init=0xffff;refin=false;refout=false;xorout=0x0').",
            CRC_CATALOGUE.len()
        );
    }
    text += "\nsecure, weakened: an equal digest shows that nobody changed the bytes (tamper-evident).\n\
             broken, checksum: it shows only that they were not damaged by accident.\n";
    text
}

/// With the algorithm's other names behind it.
fn also(about: String, row: &Algorithm) -> String {
    match row.aliases {
        [] => about,
        names => format!("{about} (also: {})", names.join(", ")),
    }
}

fn kernels() -> String {
    let mut text = format!("{:<12} {:<10} {:>5}  {}\n", "ALGORITHM", "KERNEL", "LANES", "ON THIS CPU");
    for (row, kernel) in rows() {
        let state = if kernel.supported() { "runs" } else { "not supported" };
        let _ = writeln!(text, "{:<12} {:<10} {:>5}  {state}", row.name, kernel.isa, kernel.lanes);
    }
    let serial: Vec<&str> =
        ALGORITHMS.iter().filter(|row| kernel::rows(row).is_empty()).map(|row| row.name).collect();
    wrap("one message at a time: ", &serial.join(", "), &mut text);
    text += "TRUESUM_KERNEL=NAME leaves only the rows of that name and the portable ones.\n";
    text
}

fn rows() -> impl Iterator<Item = (&'static Algorithm, &'static kernel::Kernel)> {
    ALGORITHMS.iter().flat_map(|row| kernel::rows(row).iter().map(move |kernel| (row, kernel)))
}

fn formats() -> String {
    let mut text = format!("{:<19} {:<6} {:<5} {}\n", "NAME", "USE", "SIZES", "WHAT IT IS; ITS DIGESTS");
    for row in FORMATS {
        let sizes = if row.holds.size { "yes" } else { "no" };
        let uses = match (is_read(row), is_written(row)) {
            (true, true) => "both",
            (true, false) => "read",
            (false, _) => "named",
        };
        let about = match is_read(row) {
            true => format!("{}; {}", row.summary, digests(row)),
            false => row.summary.to_owned(),
        };
        wrap(&format!("{:<19} {uses:<6} {sizes:<5} ", row.name), &about, &mut text);
    }
    text += "\nboth: check reads it and hash -t writes it. read: check alone.\n\
             named: said to be what it is, and not read.\n";
    text
}

/// Whether a check reads entries from it.
fn is_read(row: &Format) -> bool {
    !matches!(row.reading, Reading::Not(_))
}

/// Whether `hash -t` writes it.
fn is_written(row: &Format) -> bool {
    !matches!(row.writing, Writing::No)
}

/// What of an entry a format that is written has no place for, each in a word.
fn lost(row: &Format) -> Vec<&'static str> {
    let holds = &row.holds;
    let all = [
        ("size", holds.size),
        ("time", holds.mtime),
        ("algorithm", holds.told == Told::Here),
        ("some names", holds.names == Names::Bytes),
    ];
    all.into_iter().filter(|(_, held)| is_written(row) && !held).map(|(what, _)| what).collect()
}

/// What digests a format holds.
fn digests(row: &Format) -> String {
    match row.holds.algorithms {
        _ if row.holds.pieces => "of pieces".to_owned(),
        Algorithms::Any => "any".to_owned(),
        Algorithms::Only(names) => names.join(", "),
    }
}

/// Appends `head` and the words of `about`, broken at [`WIDTH`], later lines under the first word.
fn wrap(head: &str, about: &str, text: &mut String) {
    let indent = head.chars().count();
    let mut line = head.to_owned();
    let mut first = true;
    for word in about.split(' ') {
        if !first && line.chars().count() + 1 + word.chars().count() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line = " ".repeat(indent);
            first = true;
        }
        if !first {
            line.push(' ');
        }
        line.push_str(word);
        first = false;
    }
    text.push_str(&line);
    text.push('\n');
}

fn string(text: &str) -> String {
    let mut bytes = Vec::new();
    json::string_into(text, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn strings(texts: &[&str]) -> String {
    texts.iter().map(|text| string(text)).collect::<Vec<_>>().join(",")
}

fn algorithm_json(row: &Algorithm) -> String {
    format!(
        "{{\"name\":{},\"tag\":{},\"aliases\":[{}],\"bits\":{},\"lengths\":{},\"status\":{},\"reason\":{},\
         \"tamper_evident\":{},\"summary\":{},\"check\":{}}}\n",
        string(row.name),
        string(row.tag),
        strings(row.aliases),
        row.digest_len * 8,
        match row.lengths {
            Lengths::Fixed => "\"fixed\"".to_owned(),
            Lengths::UpTo(max) => format!("\"8..{}\"", max * 8),
            Lengths::Any => "\"any\"".to_owned(),
        },
        string(row.status.word()),
        string(row.status.reason()),
        row.status.tamper_evident(),
        string(row.summary),
        string(row.check),
    )
}

fn kernels_json() -> String {
    rows()
        .map(|(row, kernel)| {
            format!(
                "{{\"algorithm\":{},\"kernel\":{},\"lanes\":{},\"supported\":{}}}\n",
                string(row.name),
                string(kernel.isa),
                kernel.lanes,
                kernel.supported()
            )
        })
        .collect()
}

fn format_json(row: &Format) -> String {
    let algorithms = match row.holds.algorithms {
        Algorithms::Any => "null".to_owned(),
        Algorithms::Only(names) => format!("[{}]", strings(names)),
    };
    format!(
        "{{\"name\":{},\"file_names\":[{}],\"algorithms\":{algorithms},\"pieces\":{},\"sizes\":{},\"times\":{},\
         \"read\":{},\"written\":{},\"lost\":[{}],\"summary\":{}}}\n",
        string(row.name),
        strings(row.file_names),
        row.holds.pieces,
        row.holds.size,
        row.holds.mtime,
        is_read(row),
        is_written(row),
        strings(&lost(row)),
        string(row.summary)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_their_width_and_hold_every_row() {
        for (text, names) in [
            (algorithms(true), ALGORITHMS.iter().map(|row| row.name).collect::<Vec<_>>()),
            (formats(), FORMATS.iter().map(|row| row.name).collect()),
            (kernels(), ALGORITHMS.iter().map(|row| row.name).collect()),
        ] {
            for line in text.lines() {
                assert!(line.chars().count() <= WIDTH, "{line}");
            }
            for name in names {
                assert!(text.contains(name), "{name}");
            }
        }
    }

    #[test]
    fn json_rows_are_json() {
        let lines: String = ALGORITHMS.iter().map(algorithm_json).collect();
        let lines = lines + &kernels_json() + &FORMATS.iter().map(|row| format_json(row)).collect::<String>();
        for line in lines.lines() {
            let row: serde_json::Value =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert!(row.is_object());
        }
    }
}
