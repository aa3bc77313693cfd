//! `truesum list`: prints the tables of algorithms, formats and kernels, for users and for
//! programs.

mod algorithms;

use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::output::{print, print_long};
use crate::values::color::Color;
use crate::words::wrapped;
use clap::{Args, ValueEnum};
use std::fmt::Write;
use truesum::hash::{ALGORITHMS, Algorithm, Spec, kernel};
use truesum::manifest::{AlgorithmSource, Algorithms, FORMATS, Format, Names, Reading, Writing, json};

/// Width in columns for which tables are formatted.
const WIDTH: usize = 100;

/// Show algorithms, manifest formats, or kernels for this CPU
///
/// A kernel is an implementation of an algorithm for CPUs with certain instructions. Its lanes are the files that it
/// hashes at once, in parts of SIMD registers.
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum list algorithms                    the common algorithms
  truesum list algorithms --security secure  only secure algorithms
  truesum list algorithms hmac-sha256        details of one algorithm
  truesum list formats bsd                   details of one format")]
pub struct ListArgs {
    /// What to list
    #[arg(value_name = "WHAT")]
    pub what: Listing,
    /// Show all details of this algorithm or format
    #[arg(value_name = "NAME", conflicts_with_all = ["all", "status", "lanes"])]
    pub name: Option<String>,
    /// List all algorithms or formats, not only the common ones
    #[arg(long)]
    pub all: bool,
    /// List algorithms with this status: secure, weakened, broken, sampled, checksum
    #[arg(long = "security", value_name = "STATUS", value_parser = algorithms::STATUSES, hide_possible_values = true)]
    pub status: Option<String>,
    /// List algorithms that hash many files at once in SIMD lanes
    #[arg(long)]
    pub lanes: bool,
    /// Print JSON: one object per line
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
    let mut console = Console::new(Color::Auto);
    let named = args.name.is_some() && args.what == Listing::Kernels;
    if args.what != Listing::Algorithms && (named || args.status.is_some() || args.lanes) {
        return console
            .refuse(&Refusal::new("list: --security and --lanes are available only for algorithms, and NAME only for algorithms and formats"));
    }
    let is_long = !args.json && args.name.is_none();
    let text = match (args.what, args.json) {
        (Listing::Algorithms, json) => match &args.name {
            Some(name) => match Spec::typed_without_name(name) {
                Ok(spec) if json => algorithms::row_json(spec.algorithm()),
                Ok(spec) => algorithms::one(&spec),
                Err(error) => return console.refuse(&Refusal::new(error.to_string())),
            },
            None if json => algorithms::rows(args).map(algorithms::row_json).collect(),
            None if args.all || args.status.is_some() || args.lanes => algorithms::table(args),
            None => algorithms::common(),
        },
        (Listing::Kernels, false) => kernels(),
        (Listing::Kernels, true) => kernels_json(),
        (Listing::Formats, json) if args.name.is_some() => {
            let name = args.name.as_deref().unwrap_or_default();
            let row = FORMATS.iter().find(|row| row.name().eq_ignore_ascii_case(name));
            match row {
                Some(row) if json => format_json(row),
                Some(row) => format_in_full(row),
                None => {
                    let text = format!("unknown format '{}'", name.escape_debug());
                    return console.refuse(&Refusal::with_hint(
                        text,
                        "to list all formats: truesum list formats --all",
                    ));
                }
            }
        }
        (Listing::Formats, false) if args.all => formats(),
        (Listing::Formats, false) => common_formats(),
        (Listing::Formats, true) => FORMATS.iter().map(|row| format_json(row)).collect(),
    };
    if is_long { print_long(&text, &mut console) } else { print(&text, &mut console) }
}

fn kernels() -> String {
    /// Width of the table in columns.
    const WIDTH: usize = 80;
    let names = rows().map(|(row, _)| row.name().len()).max().unwrap_or(0);
    let mut text = format!("{:<names$}  {:<8}  {:>5}  {}\n", "ALGORITHM", "KERNEL", "LANES", "ON THIS CPU");
    for (row, kernel) in rows() {
        let state = if kernel.supported() { "runs" } else { "not supported" };
        let _ = writeln!(text, "{:<names$}  {:<8}  {:>5}  {state}", row.name(), kernel.isa(), kernel.lanes());
    }
    let serial: Vec<&str> =
        ALGORITHMS.iter().filter(|row| kernel::rows(row).is_empty()).map(|row| row.name()).collect();
    text += "\nAlgorithms that hash one message at a time:\n";
    text += &wrapped("  ", &serial.join(", "), WIDTH);
    text += "\nTRUESUM_KERNEL=NAME restricts truesum to kernels with that name and the\nportable ones.\n";
    text += "TRUESUM_CPU=NAMES restricts truesum to the named CPU features. This CPU has:\n";
    text += &wrapped("  ", &kernel::features().join(", "), WIDTH);
    text
}

fn rows() -> impl Iterator<Item = (&'static Algorithm, &'static kernel::Kernel)> {
    ALGORITHMS.iter().flat_map(|row| kernel::rows(row).iter().map(move |kernel| (row, kernel)))
}

/// The formats in common use.
const COMMON: [&str; 16] = [
    "gnu",
    "bsd",
    "jsonl",
    "sfv",
    "bare",
    "hashdeep",
    "bagit",
    "json",
    "csv",
    "sri",
    "mtree",
    "torrent",
    "metalink4",
    "ascmhl",
    "par2",
    "gzip",
];

/// Returns a word for how `check` and `hash -t` use a format.
fn usage(row: &Format) -> &'static str {
    match (is_read(row), is_written(row)) {
        (true, true) => "both",
        (true, false) => "read",
        (false, _) => "none",
    }
}

/// Returns the table of formats in common use, for users.
fn common_formats() -> String {
    let mut text = format!("{:<11} {:<5} {}\n", "NAME", "USE", "DESCRIPTION");
    for name in COMMON {
        if let Some(row) = FORMATS.iter().find(|row| row.name() == name) {
            wrap(&format!("{name:<11} {:<5} ", usage(row)), row.summary(), &mut text);
        }
    }
    text += "\nboth: check reads it, and hash -t (or bag create, torrent create) writes it.\nread: check reads it.\n";
    let read = FORMATS.iter().filter(|row| is_read(row)).count();
    let others = FORMATS.len() - read;
    let _ = writeln!(
        text,
        "To list all {read} formats, and {others} that are only recognized: truesum list formats --all"
    );
    text
}

fn formats() -> String {
    let mut text = format!("{:<19} {:<6} {:<5} {}\n", "NAME", "USE", "SIZES", "DESCRIPTION; DIGESTS");
    for row in FORMATS {
        let sizes = if row.capabilities().size() { "yes" } else { "no" };
        let uses = usage(row);
        let about = match is_read(row) {
            true => format!("{}; {}", row.summary(), digests(row)),
            false => row.summary().to_owned(),
        };
        wrap(&format!("{:<19} {uses:<6} {sizes:<5} ", row.name()), &about, &mut text);
    }
    text += "\nboth: check reads it, and hash -t (or bag create, torrent create) writes it.\nread: check reads it.\n\
             none: check recognizes it, but does not read it.\n";
    text
}

/// Returns all details of one format, for users.
fn format_in_full(row: &Format) -> String {
    let mut text = String::new();
    let mut line = |head: &str, about: &str| wrap(&format!("{head:<14} "), about, &mut text);
    let name = row.name();
    line("name", name);
    line("description", row.summary());
    if !row.file_names().is_empty() {
        line("file names", &row.file_names().join(", "));
    }
    if is_read(row) {
        line("digests", &digests(row));
        line("read", &format!("detected by content, or specified with truesum check --format {name}"));
    }
    if is_written(row) {
        line("written", &format!("truesum hash -t {name}, truesum convert -t {name}"));
        if !lost(row).is_empty() {
            line("cannot store", &lost(row).join(", "));
        }
    }
    text
}

/// Returns whether a check reads entries from this format.
fn is_read(row: &Format) -> bool {
    !matches!(row.reading(), Reading::Not(_))
}

/// Returns whether `hash -t` writes this format.
fn is_written(row: &Format) -> bool {
    !matches!(row.writing(), Writing::No)
}

/// Returns what a format that is written cannot store, each in a word or two.
fn lost(row: &Format) -> Vec<&'static str> {
    let holds = row.capabilities();
    let all = [
        ("size", holds.size()),
        ("time", holds.mtime()),
        ("algorithm", holds.algorithm_source() == AlgorithmSource::Manifest),
        ("some names", holds.names() == Names::Bytes),
    ];
    all.into_iter().filter(|(_, held)| is_written(row) && !held).map(|(what, _)| what).collect()
}

/// Returns which digests a format can contain.
fn digests(row: &Format) -> String {
    match row.capabilities().algorithms() {
        _ if row.capabilities().pieces().is_some() => "piece digests".to_owned(),
        Algorithms::Any => "any".to_owned(),
        Algorithms::Only(names) => names.join(", "),
    }
}

/// Appends `head` and the words of `about`, wrapped at [`WIDTH`] columns.
fn wrap(head: &str, about: &str, text: &mut String) {
    text.push_str(&wrapped(head, about, WIDTH));
}

fn string(text: &str) -> String {
    let mut bytes = Vec::new();
    json::string_into(text, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn strings(texts: &[&str]) -> String {
    texts.iter().map(|text| string(text)).collect::<Vec<_>>().join(",")
}

fn kernels_json() -> String {
    rows()
        .map(|(row, kernel)| {
            format!(
                "{{\"schema\":\"truesum-kernel/1\",\"algorithm\":{},\"kernel\":{},\"lanes\":{},\"supported\":{}}}\n",
                string(row.name()),
                string(kernel.isa()),
                kernel.lanes(),
                kernel.supported()
            )
        })
        .collect()
}

fn format_json(row: &Format) -> String {
    let algorithms = match row.capabilities().algorithms() {
        Algorithms::Any => "null".to_owned(),
        Algorithms::Only(names) => format!("[{}]", strings(names)),
    };
    format!(
        "{{\"schema\":\"truesum-format/1\",\"name\":{},\"file_names\":[{}],\"algorithms\":{algorithms},\"pieces\":{},\"sizes\":{},\"times\":{},\
         \"read\":{},\"written\":{},\"lost\":[{}],\"summary\":{}}}\n",
        string(row.name()),
        strings(row.file_names()),
        row.capabilities().pieces().is_some(),
        row.capabilities().size(),
        row.capabilities().mtime(),
        is_read(row),
        is_written(row),
        strings(&lost(row)),
        string(row.summary())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_fit_their_width_and_contain_every_row() {
        let all = ListArgs {
            what: Listing::Algorithms,
            name: None,
            all: true,
            status: None,
            lanes: false,
            json: false,
        };
        for (text, names) in [
            (algorithms::table(&all), algorithms::rows(&all).map(|row| row.name()).collect::<Vec<_>>()),
            (formats(), FORMATS.iter().map(|row| row.name()).collect()),
            (kernels(), ALGORITHMS.iter().map(|row| row.name()).collect()),
        ] {
            for line in text.lines() {
                assert!(line.chars().count() <= WIDTH, "{line}");
            }
            for name in names {
                assert!(text.contains(name), "{name}");
            }
        }
        assert!(kernels().lines().all(|line| line.chars().count() <= 80), "{}", kernels());
    }

    #[test]
    fn common_rows_fit_a_screen_and_exist() {
        for text in [algorithms::common(), common_formats()] {
            assert!(text.lines().count() <= 25, "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
            assert!(text.trim_end().ends_with("--all"), "{text}");
        }
        for name in COMMON {
            assert!(FORMATS.iter().any(|row| row.name() == name), "{name}");
        }
    }

    #[test]
    fn json_rows_are_valid() {
        let lines: String = ALGORITHMS.iter().map(algorithms::row_json).collect();
        let lines = lines + &kernels_json() + &FORMATS.iter().map(|row| format_json(row)).collect::<String>();
        for line in lines.lines() {
            let row: serde_json::Value =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            assert!(row.is_object());
        }
    }
}
