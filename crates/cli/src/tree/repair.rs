//! `truesum tree repair`: repairs a damaged file with its stored tree, from a second copy or from parity.

use crate::console::Console;
use crate::exit::Exit;
use crate::findings;
use crate::options::threads;
use crate::output::lists;
use crate::tree::{listed, loss, stored};
use crate::values;
use crate::values::digest::hexadecimal;
use crate::watch::Watch;
use crate::words::count;
use clap::{Args, ValueHint};
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use truesum::Error;
use truesum::hash::Digest;
use truesum::manifest::path::display_safe;
use truesum::tree::locate::{Diagnosis, Length};
use truesum::tree::parity::Parity;
use truesum::tree::repair::{GranuleRepair, Mode, repair as repair_file, repair_from_parity};
use truesum::tree::store::{Store, with_suffix};
use truesum_fs::name::OsStrExt;

/// Repair a damaged file from a copy or from parity
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum tree repair --dry-run --from /mnt/copy/disk.img disk.img.ftr  preview
  truesum tree repair --from /mnt/copy/disk.img disk.img.ftr
  truesum tree repair disk.img.ftr                 from disk.img.ftr.parity
  truesum tree repair --from /mnt/copy set.torrent                 use a torrent
TREE can also be a piece list: a torrent; a Metalink, PAR2, zsync, caibx, rdiff or Digital Forensics XML file; a Bao \
outboard; an fs-verity or dm-verity tree; or the part list of an S3 object. COPY is then the folder with the copies, \
or the copy itself if there is only one file. \
Likewise, FILE is then the folder with the files, or the file itself. The default for FILE is the folder that truesum check would use.
Without --from, damaged ranges are restored from the parity file that truesum tree --save --parity stored next to the tree.
Only differing blocks in damaged ranges are written, and only if the copy matches the tree there. Damage in other parts of the copy does not matter. Nothing is written if more than \
half of FILE would be overwritten, because FILE may then be a different file (see --most).
Exit status: 0 FILE is intact or was repaired, 1 FILE is still damaged, also with --dry-run, 2 an error occurred.")]
pub struct RepairArgs {
    /// Stored tree (or the data file next to it), or a piece list
    #[arg(value_name = "TREE", value_hint = ValueHint::FilePath)]
    pub tree: PathBuf,
    /// Data file [default: the tree's name without .ftr]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: Option<OsString>,
    /// Intact copy or parity file to repair from [default: TREE.parity]
    #[arg(long = "from", value_name = "COPY", value_hint = ValueHint::FilePath)]
    pub copy: Option<OsString>,
    /// Trusted digest, as HEX or NAME:HEX
    #[arg(long, value_name = "DIGEST", value_parser = hexadecimal)]
    pub digest: Option<Digest>,
    /// Show what would be done, without writing anything
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    /// Repair even if more than half of FILE would be overwritten
    #[arg(long)]
    pub most: bool,
    /// Number of threads [default: one per core]
    #[arg(short, short_alias = 'p', long, value_name = "N")]
    #[arg(value_parser = values::threads::threads)]
    pub jobs: Option<usize>,
}

impl RepairArgs {
    fn mode(&self) -> Mode {
        match (self.dry_run, self.most) {
            (true, _) => Mode::DryRun,
            (false, false) => Mode::Write,
            (false, true) => Mode::Most,
        }
    }
}

/// Opens the file given as a copy if it is a parity file: it belongs to this tree, or has the name of a parity file,
/// which the file to be repaired has not.
fn parity_given(copy: &OsStr, file: &[u8], store: &Store) -> Option<Result<Parity, Error>> {
    let is_named = |name: &[u8]| name.ends_with(b".ftr.parity");
    let parity = Parity::open_at(copy, store);
    (parity.is_ok() || is_named(copy.as_bytes()) && !is_named(file)).then_some(parity)
}

pub fn repair(args: &RepairArgs, console: &mut Console) -> Exit {
    if std::fs::metadata(&args.tree).is_ok_and(|metadata| !metadata.is_file()) {
        console.error_of(
            args.tree.as_os_str().as_bytes(),
            "must be a regular file, because it is read more than once",
        );
        return Exit::NotAsRequested;
    }
    if listed::is_list(&args.tree) {
        if args.digest.is_some() {
            console.error("tree repair: --digest requires a stored tree");
            return Exit::NotAsRequested;
        }
        let Some(copy) = args.copy.as_deref().map(Path::new) else {
            console.error("tree repair: a piece list requires --from COPY");
            return Exit::NotAsRequested;
        };
        let (file, mode) = (args.file.as_ref().map(PathBuf::from), args.mode());
        let threads = args.jobs.unwrap_or(0);
        return listed::repair(&args.tree, file, copy, mode, threads, console);
    }
    if !with_suffix(&args.tree, ".ftr").exists() && lists(&args.tree) {
        let why = "it has digests of complete files only, and no piece digests to locate damage";
        console.error_of(args.tree.as_os_str().as_bytes(), why);
        return Exit::NotAsRequested;
    }
    let Some((name, store)) = stored::opened(&args.tree, args.file.as_ref(), args.copy.as_deref(), console)
    else {
        return Exit::NotAsRequested;
    };
    if Parity::open_at(OsStr::from_bytes(&name), &store).is_ok() {
        let why = "it is the parity file of the tree, not the file to repair (to repair from it: --from)";
        console.error_of(&name, why);
        return Exit::NotAsRequested;
    }
    let parity = match &args.copy {
        Some(copy) => match parity_given(copy, &name, &store) {
            Some(Err(error)) => {
                console.failure(&error);
                return Exit::NotAsRequested;
            }
            Some(Ok(parity)) => Some(parity),
            None => None,
        },
        None => match Parity::open(&store) {
            Ok(parity) => Some(parity),
            Err(error) => {
                console.failure(&error);
                let command = stored::repair_command(&args.tree, args.file.as_deref(), true);
                console.hint(&format!("to repair the file from an intact copy: {command}"));
                return Exit::NotAsRequested;
            }
        },
    };
    let watch = Watch::of_one(None, console);
    let mode = args.mode();
    let (file, reading) = (OsStr::from_bytes(&name), watch.reading(threads(args.jobs)));
    let trusted = args.digest.as_ref();
    let result = match (&parity, &args.copy) {
        (Some(parity), _) => repair_from_parity(file, &store, trusted, parity, mode, &reading),
        (None, Some(copy)) => repair_file(file, &store, trusted, copy, mode, &reading),
        (None, None) => unreachable!("without a copy, the parity file was opened"),
    };
    let (report, repairs) = match result {
        Ok(result) => result,
        Err(error) => return watch.failed(&error, console),
    };
    if !matches!(report.diagnosis(), Diagnosis::Good | Diagnosis::FileDamaged) {
        console.display = None;
        let why = format!("nothing was repaired: {}", findings::words(&report));
        console.error_of(&name, &why);
        return Exit::NotAsRequested;
    }
    let mut text = String::new();
    // A damaged part of a copy can have thousands of blocks: one line for each row of blocks with the same fault.
    let is_row = |one: &GranuleRepair, next: &GranuleRepair| {
        let are_left = !one.possible() && !next.possible() && one.range().end == next.range().start;
        are_left && loss::done(one, mode) == loss::done(next, mode)
    };
    for row in repairs.chunk_by(is_row) {
        let (start, end) = (row[0].range().start, row[row.len() - 1].range().end);
        let _ = writeln!(text, "{start} {} {}", end - start, loss::done(&row[0], mode));
    }
    let left = repairs.iter().filter(|repair| !repair.possible()).count() as u64;
    let exit = watch.print(Ok(text), console);
    let safe = display_safe(&name);
    if let Length::Grown(bytes) = report.length() {
        let last = if bytes == 1 { "byte is".to_owned() } else { format!("{bytes} bytes are") };
        console.error(&format!("{safe}: the last {last} not covered by the tree"));
        if left == 0 {
            console.hint(&stored::truncation(&name, store.header().size()));
        }
    }
    loss::report(&safe, &repairs, report.size().min(store.header().size()), mode, console);
    match (report.diagnosis(), mode) {
        (Diagnosis::Good, _) => console.line(&format!("truesum: {safe}: intact, nothing to repair")),
        (_, Mode::DryRun) => console.line(&format!("truesum: {safe}: nothing was written")),
        _ if left == 0 && report.is_repairable() => {
            console.line(&format!("truesum: {safe}: repaired; every byte now matches the tree"));
        }
        // The tree shows no remaining damage; anything else has already been reported.
        _ if left == 0 => {}
        _ => {
            let left = count(left, "range is", "ranges are");
            console.error(&format!("{safe}: {left} still damaged"));
        }
    }
    let good =
        report.diagnosis() == Diagnosis::Good || (mode.writes() && left == 0 && report.is_repairable());
    if good { exit } else { exit.max(Exit::Failed) }
}
