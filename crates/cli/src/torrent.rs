//! `truesum torrent`: creates and checks torrents.

use crate::check;
use crate::check::arguments::{CheckArgs, ReportArgs};
use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::hash;
use crate::hash::arguments::{FormatArgs, HashArgs, TorrentOptions};
use crate::options::RunArgs;
use crate::output::listed;
use crate::selection::{FilterArgs, WalkArgs};
use crate::values::path::{folder_of, output_file};
use crate::values::size::size;
use crate::words::path_word;
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};
use truesum::manifest::path::display_safe;
use truesum::manifest::{self, Format};
use truesum::open::open_companion;
use truesum_fs::name::OsStrExt;

/// Create and check torrents
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum torrent create -o share.torrent share
  truesum torrent check share.torrent  verify the files and locate damage
To repair damaged files from a copy, use truesum tree repair.")]
pub struct TorrentArgs {
    #[command(subcommand)]
    command: TorrentCommand,
}

#[derive(Subcommand)]
enum TorrentCommand {
    Create(CreateArgs),
    Check(TorrentCheckArgs),
}

/// Create a torrent of a file or folder
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum torrent create -o share.torrent share
  truesum torrent create --announce https://tracker.example/announce \\
    --piece-size 1MiB --exclude '*.tmp' -o share.torrent share
The torrent is not written if a file cannot be read, because a piece can span several files.")]
struct CreateArgs {
    /// File or folder to share
    #[arg(value_name = "PATH", value_hint = ValueHint::AnyPath)]
    path: OsString,
    /// Write to FILE, atomically [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = output_file())]
    output: Option<PathBuf>,
    /// Replace FILE even if it is not a manifest, or if files it lists are now corrupt
    #[arg(long, requires = "output")]
    overwrite: bool,
    /// Tracker URL
    #[arg(long, value_name = "URL")]
    announce: Option<OsString>,
    /// Mark the torrent as private: clients find peers only through its tracker
    #[arg(long, requires = "announce")]
    private: bool,
    /// Size of a piece, a power of two [default: depends on the total size]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    piece_size: Option<u64>,
    /// Version of the BitTorrent protocol
    #[arg(long, value_name = "VERSION", default_value = "v1")]
    protocol: Protocol,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    walk: WalkArgs,
    #[command(flatten)]
    run: RunArgs,
    /// Print less: no progress, no notes
    #[arg(short, long, help_heading = "Running")]
    quiet: bool,
}

/// Versions of the BitTorrent protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Protocol {
    V1,
    V2,
    Hybrid,
}

impl Protocol {
    /// Returns the manifest format of its torrents.
    fn format(self) -> &'static Format {
        let name = match self {
            Protocol::V1 => "torrent",
            Protocol::V2 => "torrent-v2",
            Protocol::Hybrid => "torrent-hybrid",
        };
        manifest::format(name).expect("the table contains the formats named here")
    }
}

/// Verify downloaded files against torrents
///
/// For each damaged file, the damaged ranges are printed: offset and length in bytes. A piece can
/// contain the end of one file and the beginning of the next. If such a piece is damaged, it is
/// reported for both files.
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum torrent check share.torrent  if the files are next to the torrent
  truesum torrent check --root ~/Downloads share.torrent
  truesum torrent check --data ~/Downloads/renamed share.torrent")]
struct TorrentCheckArgs {
    /// Torrents to check
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, required = true)]
    torrents: Vec<OsString>,
    /// Folder that names are relative to [default: the torrent's folder]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    root: Option<PathBuf>,
    /// Data file or folder, if its name differs from that in the torrent or list
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, conflicts_with = "root")]
    data: Option<PathBuf>,
    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: TorrentArgs) -> Exit {
    match args.command {
        TorrentCommand::Create(args) => create(args),
        TorrentCommand::Check(args) => check(args),
    }
}

fn create(args: CreateArgs) -> Exit {
    let root = match folder_above(Path::new(&args.path)) {
        Ok(root) => root,
        Err(refusal) => return Console::new(args.run.color).refuse(&refusal),
    };
    // A check looks for the files next to the torrent.
    let shared = Path::new(&args.path).canonicalize();
    let output = args.output.as_ref().map(|output| (output, folder_of(output).canonicalize()));
    let elsewhere = match (&shared, &output) {
        (Ok(path), Some((output, Ok(folder)))) if path.parent() != Some(folder) && !args.quiet => {
            let (path, output) = (path_word(&args.path), path_word(output));
            Some(format!("to check the torrent: truesum torrent check --data {path} {output}"))
        }
        _ => None,
    };
    let color = args.run.color;
    let exit = hash::run(HashArgs {
        files: vec![args.path],
        format: FormatArgs { format: Some(args.protocol.format()), ..FormatArgs::default() },
        output: args.output,
        overwrite: args.overwrite,
        root: Some(root),
        torrent: TorrentOptions {
            announce: args.announce,
            private: args.private,
            piece_size: args.piece_size,
        },
        select: args.walk.select(args.filter),
        run: args.run,
        quiet: args.quiet,
        ..HashArgs::default()
    });
    if let (Exit::Done, Some(hint)) = (exit, elsewhere) {
        Console::new(color).hint(&hint);
    }
    exit
}

/// Returns the folder that contains `path`, because the names in a torrent begin with the name of the shared file or folder.
fn folder_above(path: &Path) -> Result<PathBuf, Refusal> {
    if path.file_name().is_some() {
        return Ok(folder_of(path));
    }
    let refuse = |why: &str| Refusal::new(format!("{}: {why}", display_safe(path.as_os_str().as_bytes())));
    let real = std::fs::canonicalize(path)
        .map_err(|error| refuse(&format!("cannot open: {}", truesum::error::io_reason(&error))))?;
    real.parent().map(Path::to_owned).ok_or_else(|| refuse("a folder without a name cannot be shared"))
}

/// Checks the files that are torrents, and reports those that exist and are not.
fn check(args: TorrentCheckArgs) -> Exit {
    if let [torrent, folder] = &args.torrents[..]
        && Path::new(folder).is_dir()
        && args.root.is_none()
        && args.data.is_none()
    {
        let text = format!("torrent check: {} is a folder, not a torrent", display_safe(folder.as_bytes()));
        let place = place_of(folder.as_ref(), torrent.as_ref());
        let torrent = path_word(torrent);
        let hint = match place {
            Some((option, folder)) => {
                let folder = path_word(folder);
                format!("if the files are in {folder}: truesum torrent check {option} {folder} {torrent}")
            }
            None => format!(
                "the first file of {torrent} is not in this folder; to specify another one: truesum torrent check --root DIR {torrent}"
            ),
        };
        return Console::new(args.report.run.color).refuse(&Refusal::with_hint(text, hint));
    }
    let (others, torrents): (Vec<OsString>, Vec<OsString>) =
        args.torrents.into_iter().partition(|file| is_other(Path::new(file)));
    let refuse = |other: &OsString| {
        let text = format!("{}: not a torrent", display_safe(other.as_bytes()));
        Refusal::with_hint(text, format!("to check it as a manifest: truesum check {}", path_word(other)))
    };
    let unsuitable = others.iter().map(refuse).collect();
    check::run(CheckArgs { root: args.root, data: args.data, unsuitable, ..args.report.check(torrents) })
}

/// Returns the folder with the first file of a torrent, which is this one or directly in it, and the option to specify it:
/// `--root` if it contains the folder that the torrent names, and `--data` if it is that folder under another name.
fn place_of(folder: &Path, torrent: &Path) -> Option<(&'static str, PathBuf)> {
    /// The maximum number of objects in the folder that are examined.
    const LIMIT: usize = 1000;
    let first = listed(torrent).next()?;
    let rest = first.splitn(2, |&byte| byte == b'/').nth(1);
    let option = |folder: PathBuf| {
        let is_there = |name: &[u8]| folder.join(OsStr::from_bytes(name)).exists();
        match is_there(&first) {
            true => Some(("--root", folder)),
            false => rest.is_some_and(is_there).then_some(("--data", folder)),
        }
    };
    let below = || {
        let items = std::fs::read_dir(folder).ok()?.flatten().take(LIMIT);
        let mut paths: Vec<PathBuf> = items.map(|item| item.path()).collect();
        paths.sort();
        paths.into_iter().find_map(option)
    };
    option(folder.to_owned()).or_else(below)
}

/// Returns whether this is a file, but not a torrent. Files that cannot be read are reported by the
/// check.
fn is_other(file: &Path) -> bool {
    /// Number of bytes by which the format is detected.
    const HEAD: u64 = 64 << 10;
    let mut head = Vec::new();
    if !open_companion(file).is_ok_and(|file| file.take(HEAD).read_to_end(&mut head).is_ok()) {
        return false;
    }
    let complete = (head.len() as u64) < HEAD;
    let row = manifest::detect(manifest::Head::new(&head, complete), None);
    row.is_none_or(|row| !row.name().starts_with("torrent"))
}
