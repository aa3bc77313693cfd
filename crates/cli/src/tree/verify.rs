//! `truesum tree verify` and `repair`: where a file is damaged, in text, JSON and pictures, and mending it from a copy.

use crate::console::{Console, count};
use crate::exit::Exit;
use crate::tree::{Watch, draw, open, print, threads};
use clap::{Args, ValueHint};
use serde_json::json;
use std::ffi::OsString;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use truesum::hash::Digest;
use truesum::manifest::path::display_safe;
use truesum::tree::locate::{Length, Report, Verdict, verify as compare};
use truesum::tree::repair::{Mode, repair as mend};
use truesum::{AtomicFile, Error};

/// Find out which bytes of a file are damaged
#[derive(Args)]
#[command(after_help = "\
Prints a line `OFFSET LENGTH damaged` for each damaged range, then what that means.
Exit status: 0 the file is good, 1 it is damaged, 2 the tree is damaged or it cannot be told which of the two is.")]
pub struct VerifyArgs {
    /// The stored tree
    #[arg(value_name = "TREE", value_hint = ValueHint::FilePath)]
    tree: PathBuf,
    /// The file, if it is not the tree's name without .ftr
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: Option<OsString>,
    /// The digest that is trusted: the tree must be its tree
    #[arg(long, value_name = "DIGEST")]
    digest: Option<String>,
    /// One JSON object
    #[arg(long)]
    json: bool,
    /// A picture of where the damage lies
    #[arg(long, conflicts_with = "json")]
    map: bool,
    /// The same picture as SVG in this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    map_svg: Option<PathBuf>,
    /// Threads [default: one a core]
    #[arg(short, long, visible_alias = "jobs", short_alias = 'j', value_name = "N")]
    processors: Option<usize>,
}

/// Mend a damaged file from a second copy
#[derive(Args)]
#[command(after_help = "\
Only blocks that differ within damaged ranges are written, and only where the copy has the bytes the tree was made of.
The copy may be damaged itself, elsewhere. --dry-run shows the plan and writes nothing.")]
pub struct RepairArgs {
    /// The stored tree
    #[arg(value_name = "TREE", value_hint = ValueHint::FilePath)]
    tree: PathBuf,
    /// The file, if it is not the tree's name without .ftr
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: Option<OsString>,
    /// The copy
    #[arg(long = "from", value_name = "COPY", value_hint = ValueHint::FilePath)]
    copy: OsString,
    /// Show what would be done
    #[arg(long)]
    dry_run: bool,
    /// Threads [default: one a core]
    #[arg(short, long, visible_alias = "jobs", short_alias = 'j', value_name = "N")]
    processors: Option<usize>,
}

/// The file a tree is about.
fn file_of(tree: &Path, file: Option<&OsString>) -> Option<Vec<u8>> {
    match file {
        Some(file) => Some(file.as_bytes().to_vec()),
        None => tree.as_os_str().as_bytes().strip_suffix(b".ftr").map(<[u8]>::to_vec),
    }
}

fn no_file(console: &mut Console) -> Exit {
    console.error("tree: the stored tree's name does not end in .ftr, so name the file behind it");
    Exit::NotAsAsked
}

pub fn verify(args: &VerifyArgs, console: &mut Console) -> Exit {
    let Some(name) = file_of(&args.tree, args.file.as_ref()) else { return no_file(console) };
    let store = match open(&args.tree) {
        Ok(store) => store,
        Err(error) => {
            console.failure(&error);
            return Exit::NotAsAsked;
        }
    };
    let trusted = args.digest.as_deref().map(|text| {
        let hex = text.rsplit_once(':').map_or(text, |(_, hex)| hex);
        Digest::from_hex(hex.as_bytes())
    });
    let trusted = match trusted.transpose() {
        Ok(trusted) => trusted,
        Err(error) => {
            console.error(&format!("--digest: {error}"));
            return Exit::NotAsAsked;
        }
    };
    let watch = Watch::start(console, Some(store.header().size));
    let report = compare(&name, &store, trusted.as_ref(), threads(args.processors), &watch.progress);
    let report = match report {
        Ok(report) => report,
        Err(error) => return watch.failed(&error, console),
    };
    let size = store.header().size;
    let text = match (args.json, args.map) {
        (true, _) => as_json(&name, &report),
        (false, true) => draw::map(size, &report.damaged),
        (false, false) => lines(&report),
    };
    let mut exit = match report.verdict {
        Verdict::Good => Exit::Done,
        Verdict::FileDamaged => Exit::Failed,
        Verdict::TreeDamaged | Verdict::CannotTell | Verdict::OtherTree => Exit::NotAsAsked,
    };
    exit = exit.max(print(Ok(text), &watch, console));
    if let Some(path) = &args.map_svg
        && let Err(error) = write(path, &draw::map_svg(size, &report.damaged, &name))
    {
        console.failure(&error);
        exit = exit.max(Exit::NotAsAsked);
    }
    if !args.json {
        console.line(&format!("truesum: {}: {}", display_safe(&name), words(&report)));
    }
    exit
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    let mut file = AtomicFile::create(path)?;
    let fail = |error: std::io::Error| Error::io(path.as_os_str().as_bytes(), "write", error);
    std::io::Write::write_all(&mut file, text.as_bytes()).map_err(fail)?;
    file.commit()
}

fn lines(report: &Report) -> String {
    let mut text = String::new();
    for range in &report.damaged {
        let state = if range.start >= report.size { "missing" } else { "damaged" };
        let _ = writeln!(text, "{} {} {state}", range.start, range.end - range.start);
    }
    text
}

fn as_json(name: &[u8], report: &Report) -> String {
    let (length, bytes) = match report.length {
        Length::Same => ("same", 0),
        Length::Truncated(bytes) => ("truncated", bytes),
        Length::Grown(bytes) => ("grown", bytes),
    };
    let damaged: Vec<_> =
        report.damaged.iter().map(|range| json!([range.start, range.end - range.start])).collect();
    let value = json!({
        "truesum": "verify-1",
        "path": String::from_utf8_lossy(name),
        "verdict": verdict_name(report.verdict),
        "size": report.size,
        "length": length,
        "length_differs_by": bytes,
        "damaged": damaged,
        "shift": report.shift.map(|shift| json!({"from": shift.from, "by": shift.by})),
        "tree_damage": report.blemish,
    });
    format!("{value}\n")
}

fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Good => "good",
        Verdict::FileDamaged => "file damaged",
        Verdict::TreeDamaged => "tree damaged",
        Verdict::CannotTell => "cannot tell",
        Verdict::OtherTree => "other tree",
    }
}

/// The report in one sentence.
fn words(report: &Report) -> String {
    let ranges = count(report.damaged.len() as u64, "damaged range", "damaged ranges");
    let bytes: u64 = report.damaged.iter().map(|range| range.end - range.start).sum();
    let mut text = match report.verdict {
        Verdict::Good => "good".to_owned(),
        Verdict::FileDamaged if report.damaged.is_empty() => "file damaged".to_owned(),
        Verdict::FileDamaged => format!("file damaged: {ranges}, {bytes} bytes to look at"),
        Verdict::TreeDamaged => {
            "tree damaged: the file agrees with it all the same; build it again".to_owned()
        }
        Verdict::CannotTell => {
            format!("cannot tell whether file or tree is damaged: they differ in {ranges}")
        }
        Verdict::OtherTree => "the stored tree is not the one of the digest that is trusted".to_owned(),
    };
    let _ = match report.length {
        Length::Same => Ok(()),
        Length::Truncated(bytes) => write!(text, "; truncated: {bytes} bytes are missing at the end"),
        Length::Grown(bytes) => write!(text, "; grown: {bytes} bytes more than the tree knows of"),
    };
    if let Some(shift) = report.shift {
        let what = if shift.by > 0 { "inserted" } else { "lost" };
        let bytes = shift.by.unsigned_abs();
        let _ =
            write!(text, "; shifted: {bytes} bytes were {what} before offset {} of the old file", shift.from);
    }
    if let Some(blemish) = &report.blemish {
        let _ = write!(text, " ({blemish})");
    }
    text
}

pub fn repair(args: &RepairArgs, console: &mut Console) -> Exit {
    let Some(name) = file_of(&args.tree, args.file.as_ref()) else { return no_file(console) };
    let store = match open(&args.tree) {
        Ok(store) => store,
        Err(error) => {
            console.failure(&error);
            return Exit::NotAsAsked;
        }
    };
    let watch = Watch::start(console, None);
    let mode = if args.dry_run { Mode::DryRun } else { Mode::Write };
    let copy = args.copy.as_bytes();
    let result = mend(&name, &store, copy, mode, threads(args.processors), &watch.progress);
    let (report, mends) = match result {
        Ok(result) => result,
        Err(error) => return watch.failed(&error, console),
    };
    let mut text = String::new();
    for mend in &mends {
        let done = match (mend.possible, mode) {
            (false, _) => "cannot be mended: the copy is damaged here too".to_owned(),
            (true, Mode::DryRun) => format!("would be mended: {} bytes to write", mend.writes),
            (true, Mode::Write) => format!("mended: {} bytes written", mend.writes),
        };
        let _ = writeln!(text, "{} {} {done}", mend.range.start, mend.range.end - mend.range.start);
    }
    let left = mends.iter().filter(|mend| !mend.possible).count() as u64;
    let exit = print(Ok(text), &watch, console);
    let safe = display_safe(&name);
    if let Length::Grown(bytes) = report.length {
        console
            .error(&format!("{safe}: {bytes} bytes at its end are not the tree's; nothing is known of them"));
    }
    match (report.verdict, mode) {
        (Verdict::Good, _) => console.line(&format!("truesum: {safe}: good, nothing to mend")),
        (_, Mode::DryRun) => console.line(&format!("truesum: {safe}: nothing was written")),
        (_, Mode::Write) if left == 0 && report.can_be_mended() => {
            console.line(&format!("truesum: {safe}: mended, every byte is the tree's again"));
        }
        (_, Mode::Write) => {
            let left = count(left, "range is", "ranges are");
            console.error(&format!("{safe}: {left} still damaged"));
        }
    }
    let good =
        report.verdict == Verdict::Good || (mode == Mode::Write && left == 0 && report.can_be_mended());
    if good { exit } else { exit.max(Exit::Failed) }
}
