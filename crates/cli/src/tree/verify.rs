//! `truesum tree verify`: shows where a file is damaged, as text, JSON and images.

use crate::console::Console;
use crate::drawing::map;
use crate::drawing::page::{self, Page};
use crate::drawing::record::Tone;
use crate::exit::Exit;
use crate::findings;
use crate::options::threads;
use crate::output::save_page;
use crate::parity::ParityState;
use crate::stores;
use crate::tree::stored;
use crate::values;
use crate::values::digest::hexadecimal;
use crate::watch::Watch;
use crate::words::grouped;
use clap::{Args, ValueHint};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use truesum::hash::Digest;
use truesum::manifest::{json, path::display_safe};
use truesum::tree::findings::findings_of;
use truesum::tree::locate::{Comparison, Diagnosis, Difference, Length};
use truesum::tree::parity::Parity;
use truesum_fs::name::OsStrExt;

/// Show which bytes of a file are damaged
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum tree verify disk.img.ftr  show damaged bytes
  truesum tree verify --map --digest sha256-tree:0123... disk.img.ftr
The output is a line `OFFSET LENGTH damaged` (in bytes) for each damaged range, then a summary. Ranges that the device \
cannot read are shown as `unreadable`. Damage is located to \
within the block size of the stored tree, by default 1 MiB.
Exit status: 0 the file is intact, 1 the file is damaged, 2 the tree is damaged, or it is unclear which of the two is damaged.")]
pub struct VerifyArgs {
    /// Stored tree, or the data file next to it
    #[arg(value_name = "TREE", value_hint = ValueHint::FilePath)]
    tree: PathBuf,
    /// Data file [default: the tree's name without .ftr]
    #[cfg_attr(
        feature = "stores",
        arg(help = "Data file or s3://BUCKET/OBJECT [default: the tree's name without .ftr]")
    )]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: Option<OsString>,
    /// Trusted digest, as HEX or NAME:HEX
    #[arg(long, value_name = "DIGEST", value_parser = hexadecimal)]
    digest: Option<Digest>,
    /// Print JSON: one object per line
    #[arg(long)]
    json: bool,
    /// Draw a map of the damage
    #[arg(long, conflicts_with = "json")]
    map: bool,
    /// Write the map as SVG to FILE
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    map_svg: Option<PathBuf>,
    /// Write an HTML page with damage maps and damaged ranges to FILE
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    map_html: Option<PathBuf>,
    /// Resume an interrupted run
    ///
    /// Progress is saved in TREE.verify until the verification is complete.
    #[arg(long)]
    resume: bool,
    /// Number of threads [default: one per core]
    #[arg(short, short_alias = 'p', long, value_name = "N")]
    #[arg(value_parser = values::threads::threads)]
    jobs: Option<usize>,
}

pub fn verify(args: &VerifyArgs, console: &mut Console) -> Exit {
    let remote = match args.file.as_deref().map_or(Ok(None), stores::of_object) {
        Ok(remote) => remote,
        Err(refusal) => return console.refuse(&refusal),
    };
    let Some((name, store)) = stored::opened(&args.tree, args.file.as_ref(), None, console) else {
        return Exit::NotAsRequested;
    };
    let is_object = remote.is_some();
    let watch = Watch { remote, ..Watch::of_one(Some(store.header().size()), console) };
    let comparison = Comparison::default().trusted(args.digest.as_ref()).resume(args.resume);
    let (file, reading) = (OsStr::from_bytes(&name), watch.reading(threads(args.jobs)));
    let kept = findings_of(store.path());
    let report = match comparison.verify(file, &store, &reading) {
        Ok(report) => report,
        Err(error) => {
            let exit = watch.failed(&error, console);
            if args.resume && watch.signals.ended_by().is_some() {
                let kept = display_safe(kept.as_os_str().as_bytes());
                console.hint(&format!("progress is saved in {kept}: continue with --resume"));
            }
            // Nothing was learned about the file.
            let refused = exit == Exit::Failed && error.name() == kept.as_os_str().as_bytes();
            return if refused { Exit::NotAsRequested } else { exit };
        }
    };
    if report.before() > 0 {
        let bytes = grouped(report.before());
        console.note(&format!("{bytes} bytes were compared before the interruption and were not read again"));
    }
    if !args.resume && kept.exists() {
        let kept = display_safe(kept.as_os_str().as_bytes());
        console.hint(&format!("{kept} is from an interrupted verification: continue it with --resume"));
    }
    let size = store.header().size();
    let parity = match watch.remote {
        None => ParityState::of(Parity::open(&store), report.damaged(), &watch.progress),
        // Objects cannot be repaired.
        Some(_) => ParityState::Missing,
    };
    let text = match (args.json, args.map) {
        (true, _) => as_json(&name, &report, &parity),
        (false, true) => map::map(size, report.damaged()),
        (false, false) => findings::lines(&report),
    };
    let mut exit = match report.diagnosis() {
        Diagnosis::Good => Exit::Done,
        Diagnosis::FileDamaged => Exit::Failed,
        Diagnosis::TreeDamaged | Diagnosis::CannotTell | Diagnosis::OtherTree => Exit::NotAsRequested,
    };
    exit = exit.max(watch.print(Ok(text), console));
    let words = findings::words(&report);
    let svg = args.map_svg.as_ref().map(|path| (path, map::map_svg(size, report.damaged(), &name)));
    let html = args.map_html.as_ref().map(|path| {
        let mut page = Page::default();
        let tone = match report.diagnosis() {
            Diagnosis::Good => Tone::Good,
            Diagnosis::FileDamaged => Tone::Bad,
            Diagnosis::TreeDamaged | Diagnosis::CannotTell | Diagnosis::OtherTree => Tone::Unsure,
        };
        page.add(tone, || {
            page::section(&name, &words, Some((page::Reference::Tree(store.header()), &report)))
        });
        (path, page.text())
    });
    for (path, text) in [svg, html].into_iter().flatten() {
        if let Err(error) = save_page(path, &text, page::MARK) {
            console.failure(&error);
            exit = exit.max(Exit::NotAsRequested);
        }
    }
    if !args.json {
        console.summary(exit, &format!("truesum: {}: {}", display_safe(&name), words));
        if report.diagnosis() == Diagnosis::FileDamaged {
            hint_parity(args, &report, &parity, console);
            if matches!(report.length(), Length::Grown(_)) && report.damaged().is_empty() && !is_object {
                console.hint(&stored::truncation(&name, size));
            }
        }
    }
    exit
}

/// Reports how the file can be repaired from its parity file, or why not.
fn hint_parity(args: &VerifyArgs, report: &Difference, parity: &ParityState, console: &mut Console) {
    let command = stored::repair_command(&args.tree, args.file.as_deref(), false);
    if let ParityState::Unusable(error) = parity {
        console.note(&error.to_string());
    }
    if let Some(hint) = parity.hint(&command).filter(|_| !report.damaged().is_empty()) {
        console.hint(&hint);
    }
}

fn as_json(name: &[u8], report: &Difference, parity: &ParityState) -> String {
    let mut line = b"{\"schema\":\"truesum-tree-verify/1\",".to_vec();
    json::path_into(name, &mut line);
    line.push(b',');
    findings::members(report, &mut line);
    line.extend_from_slice(format!(",\"compared_before\":{}", report.before()).as_bytes());
    parity.member(&mut line);
    line.extend_from_slice(b"}\n");
    String::from_utf8_lossy(&line).into_owned()
}
