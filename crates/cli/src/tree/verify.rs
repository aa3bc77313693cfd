//! `truesum tree verify` and `repair`: where a file is damaged, in text, JSON and pictures, and mending it from a copy.

use crate::console::{Console, count, grouped};
use crate::exit::Exit;
use crate::tree::page::{self, Page};
use crate::tree::{Watch, draw, open, print, show, threads};
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use truesum::hash::Digest;
use truesum::manifest::path::display_safe;
use truesum::tree::findings::findings_of;
use truesum::tree::locate::{Comparison, Difference, Judgement, Length};
use truesum::tree::repair::{Mode, repair as mend};
use truesum::tree::store::Store;
use truesum::{AtomicFile, Error, Root};

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
    #[arg(long, value_name = "DIGEST", value_parser = hexadecimal)]
    digest: Option<Digest>,
    /// One JSON object
    #[arg(long)]
    json: bool,
    /// A picture of where the damage lies
    #[arg(long, conflicts_with = "json")]
    map: bool,
    /// The same picture as SVG in this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    map_svg: Option<PathBuf>,
    /// A page with the picture and the ranges, as HTML in this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    map_html: Option<PathBuf>,
    /// Keep what is found in TREE.verify until the end, and go on with it after an interruption
    #[arg(long)]
    resume: bool,
    /// Mend what is damaged from this second copy
    #[arg(long, value_name = "COPY", value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with_all = ["json", "map", "map_svg", "map_html", "resume"])]
    repair_from: Option<OsString>,
    /// Show what --repair-from would do
    #[arg(long, requires = "repair_from")]
    dry_run: bool,
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
    /// The digest that is trusted: the tree must be its tree
    #[arg(long, value_name = "DIGEST", value_parser = hexadecimal)]
    digest: Option<Digest>,
    /// Show what would be done
    #[arg(long)]
    dry_run: bool,
    /// Threads [default: one a core]
    #[arg(short, long, visible_alias = "jobs", short_alias = 'j', value_name = "N")]
    processors: Option<usize>,
}

/// Reads a digest in hexadecimal, with or without its algorithm's name and a colon before it.
fn hexadecimal(text: &str) -> Result<Digest, String> {
    let hex = text.rsplit_once(':').map_or(text, |(_, hex)| hex);
    Digest::from_hex(hex.as_bytes()).map_err(|error| error.to_string())
}

/// The file a tree is about.
fn file_of(tree: &Path, file: Option<&OsString>) -> Option<Vec<u8>> {
    match file {
        Some(file) => Some(file.as_bytes().to_vec()),
        None => tree.as_os_str().as_bytes().strip_suffix(b".ftr").map(<[u8]>::to_vec),
    }
}

/// The file a tree is about, and the tree. `None` when that cannot be, and has been said.
fn opened(tree: &Path, file: Option<&OsString>, console: &mut Console) -> Option<(Vec<u8>, Store)> {
    let Some(name) = file_of(tree, file) else {
        console.error("tree: the stored tree's name does not end in .ftr, so name the file behind it");
        return None;
    };
    match open(tree) {
        Ok(store) => Some((name, store)),
        Err(error) => {
            console.failure(&error);
            None
        }
    }
}

pub fn verify(args: &VerifyArgs, console: &mut Console) -> Exit {
    if let Some(copy) = &args.repair_from {
        let VerifyArgs { tree, file, digest, dry_run, processors, .. } = args;
        let (tree, file, copy, digest) = (tree.clone(), file.clone(), copy.clone(), digest.clone());
        let args = RepairArgs { tree, file, copy, digest, dry_run: *dry_run, processors: *processors };
        return repair(&args, console);
    }
    let Some((name, store)) = opened(&args.tree, args.file.as_ref(), console) else {
        return Exit::NotAsAsked;
    };
    let watch = Watch::start(console, Some(store.header().size));
    let comparison = Comparison {
        root: &Root::Anywhere,
        trusted: args.digest.as_ref(),
        threads: threads(args.processors),
        resume: args.resume,
    };
    let kept = findings_of(store.path());
    let report = match comparison.verify(&name, &store, &watch.progress) {
        Ok(report) => report,
        Err(error) => {
            let exit = watch.failed(&error, console);
            if args.resume && watch.signals.ended_by().is_some() {
                let kept = display_safe(kept.as_os_str().as_bytes());
                console.hint(&format!("what was compared is kept in {kept}: --resume goes on with it"));
            }
            // Nothing was learned of the file.
            let refused = exit == Exit::Failed && error.path == kept.as_os_str().as_bytes();
            return if refused { Exit::NotAsAsked } else { exit };
        }
    };
    if report.before > 0 {
        let bytes = grouped(report.before);
        console.note(&format!("{bytes} bytes were compared before the interruption and not read again"));
    }
    if !args.resume && kept.exists() {
        let kept = display_safe(kept.as_os_str().as_bytes());
        console.hint(&format!("{kept} is of a verification that was interrupted: --resume goes on with it"));
    }
    let size = store.header().size;
    let text = match (args.json, args.map) {
        (true, _) => as_json(&name, &report),
        (false, true) => draw::map(size, &report.damaged),
        (false, false) => show::lines(&report),
    };
    let mut exit = match report.judgement {
        Judgement::Good => Exit::Done,
        Judgement::FileDamaged => Exit::Failed,
        Judgement::TreeDamaged | Judgement::CannotTell | Judgement::OtherTree => Exit::NotAsAsked,
    };
    exit = exit.max(print(Ok(text), &watch, console));
    let words = show::words(&report);
    let svg = args.map_svg.as_ref().map(|path| (path, draw::map_svg(size, &report.damaged, &name)));
    let html = args.map_html.as_ref().map(|path| {
        let mut page = Page::default();
        page.add(|| page::section(&name, &words, Some((store.header(), &report))));
        (path, page.text(page::TITLE))
    });
    for (path, text) in [svg, html].into_iter().flatten() {
        if let Err(error) = write(path, &text) {
            console.failure(&error);
            exit = exit.max(Exit::NotAsAsked);
        }
    }
    if !args.json {
        console.line(&format!("truesum: {}: {}", display_safe(&name), words));
    }
    exit
}

/// Writes a picture or a page, whole or not at all.
pub fn write(path: &Path, text: &str) -> Result<(), Error> {
    let mut file = AtomicFile::create(path)?;
    let fail = |error: std::io::Error| Error::io(path.as_os_str().as_bytes(), "write", error);
    std::io::Write::write_all(&mut file, text.as_bytes()).map_err(fail)?;
    file.commit()
}

fn as_json(name: &[u8], report: &Difference) -> String {
    let mut line = b"{\"truesum\":\"verify-1\",".to_vec();
    truesum::manifest::json::path_into(name, &mut line);
    line.push(b',');
    show::members(report, &mut line);
    line.extend_from_slice(format!(",\"compared_before\":{}", report.before).as_bytes());
    line.extend_from_slice(b"}\n");
    String::from_utf8_lossy(&line).into_owned()
}

pub fn repair(args: &RepairArgs, console: &mut Console) -> Exit {
    let Some((name, store)) = opened(&args.tree, args.file.as_ref(), console) else {
        return Exit::NotAsAsked;
    };
    let watch = Watch::start(console, None);
    let mode = if args.dry_run { Mode::DryRun } else { Mode::Write };
    let copy = args.copy.as_bytes();
    let result =
        mend(&name, &store, args.digest.as_ref(), copy, mode, threads(args.processors), &watch.progress);
    let (report, mends) = match result {
        Ok(result) => result,
        Err(error) => return watch.failed(&error, console),
    };
    if !matches!(report.judgement, Judgement::Good | Judgement::FileDamaged) {
        console.display = None;
        let why = format!("nothing is mended: {}", show::words(&report));
        console.error_of(&name, &why);
        return Exit::NotAsAsked;
    }
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
    match (report.judgement, mode) {
        (Judgement::Good, _) => console.line(&format!("truesum: {safe}: good, nothing to mend")),
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
        report.judgement == Judgement::Good || (mode == Mode::Write && left == 0 && report.can_be_mended());
    if good { exit } else { exit.max(Exit::Failed) }
}
