//! `truesum bag`: creates, updates and checks bags (RFC 8493).

mod info;
mod making;
mod moving;
mod older;
mod parts;
mod payload;
mod tags;

use crate::check::{
    self,
    arguments::{CheckArgs, ReportArgs},
};
use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::hash::reading::Reading;
use crate::options::RunArgs;
use crate::selection::SelectArgs;
use crate::tasks::inputs;
use crate::update::arguments::Extent;
use crate::update::consent;
use crate::values::table::SpecParser;
use crate::words::{path_word, shell_word};
use clap::{Args, Subcommand, ValueHint};
use info::field;
use parts::{Allowed, Bag, DATA, Purpose, once, shown};
use std::ffi::OsString;
use std::path::Path;
use truesum::hash::Spec;
use truesum::verify::bag::is_bag;

/// Create, update and check bags (RFC 8493)
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum bag create --in-place scans  move the files to scans/data first
  truesum bag update scans             add new files in scans/data
  truesum bag check scans              verify that the bag is complete and valid
A bag is a folder that contains files (the payload) in a subfolder named data, and manifests next to \
that subfolder. Libraries and archives use bags to exchange files.")]
pub struct BagArgs {
    #[command(subcommand)]
    command: BagCommand,
}

#[derive(Subcommand)]
enum BagCommand {
    Create(CreateArgs),
    Update(UpdateArgs),
    Check(BagCheckArgs),
}

/// Turn folders into bags
///
/// The digests of the files in DIR/data are written to manifest-ALG.txt, and the digests of all other files to
/// tagmanifest-ALG.txt. Payload-Oxum and Bagging-Date are added to bag-info.txt, and bagit.txt is written last.
#[derive(Args)]
#[command(
    after_help = "\
Examples:
  truesum bag create --in-place scans     move the files to scans/data first
  truesum bag create -a sha256,md5 scans  if the files are already in scans/data
  truesum bag create --in-place --info Contact-Name=Ada scans
If a run is interrupted, the same command resumes it.",
    mut_arg("algorithm", |arg| arg.help("Digest algorithms [default: sha512]")),
)]
struct CreateArgs {
    /// Folders to turn into bags; the payload is in DIR/data
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath, required = true)]
    folders: Vec<OsString>,
    /// First move everything in DIR to DIR/data
    #[arg(long, conflicts_with = "follow")]
    in_place: bool,
    #[command(flatten)]
    making: MakingArgs,
}

/// Add new files to bags
///
/// All files in the existing manifests and tag manifests must exist and match; otherwise nothing is written. Modified
/// files are accepted with --refresh, and entries of deleted files are removed with --prune.
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum bag update scans                    add new files in scans/data
  truesum bag update --refresh --prune scans  accept edits and deletions
  truesum bag update -a sha256 scans          also write SHA-256 digests
If a run is interrupted, the same command resumes it.")]
struct UpdateArgs {
    /// Bags to update
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath, required = true)]
    folders: Vec<OsString>,
    /// Accept modified files; with =all, even if they are not newer than the manifests
    #[arg(long, value_name = "all", help_heading = "Changes", hide_possible_values = true)]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "safe")]
    refresh: Option<Extent>,
    /// Remove entries of deleted files
    #[arg(long, help_heading = "Changes")]
    prune: bool,
    #[command(flatten)]
    making: MakingArgs,
}

/// Options shared by `create` and `update`.
#[derive(Args)]
struct MakingArgs {
    /// Digest algorithms [default: those of the bag, which are always included]
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',', value_parser = SpecParser)]
    #[arg(hide_possible_values = true)]
    algorithm: Vec<Spec>,
    /// Add an entry to bag-info.txt, such as Contact-Name=Ada
    ///
    /// Bagging-Date=2026-01-31 replaces today's date.
    #[arg(long, value_name = "LABEL=VALUE", value_parser = field)]
    info: Vec<(String, String)>,
    /// Follow symbolic links to files in the payload
    #[arg(short = 'L', long, help_heading = "Selection")]
    follow: bool,
    #[command(flatten)]
    run: RunArgs,
    /// Print less: no progress, no notes
    #[arg(short, long, help_heading = "Running")]
    quiet: bool,
}

/// Verify that bags are complete and valid
///
/// The check fails if a file is missing or damaged, if DIR/data contains a file that is in no manifest, or if
/// Payload-Oxum is wrong.
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum bag check scans           verify the payload and the tag files
  truesum bag check --quiet bags/*  print failures only")]
struct BagCheckArgs {
    /// Bags to check
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath, required = true)]
    folders: Vec<OsString>,
    #[command(flatten)]
    report: ReportArgs,
}

/// Runs the command.
pub fn run(args: BagArgs) -> Exit {
    match args.command {
        BagCommand::Create(args) => {
            make(args.folders, Purpose::Create { in_place: args.in_place }, args.making)
        }
        BagCommand::Update(args) => {
            let allowed = Allowed { refresh: consent(args.refresh), prune: args.prune, is_update: true };
            make(args.folders, Purpose::Update(allowed), args.making)
        }
        BagCommand::Check(args) => check(args),
    }
}

fn make(folders: Vec<OsString>, purpose: Purpose, args: MakingArgs) -> Exit {
    let mut console = Console::new(args.run.color);
    let wanted = Bag { purpose, options: options(&args), info: args.info, named: !args.algorithm.is_empty() };
    let specs = match &args.algorithm[..] {
        [] => vec!["sha512".parse().expect("a row of the table of algorithms")],
        named => named.iter().fold(Vec::new(), once),
    };
    let select = SelectArgs { follow: args.follow, ..SelectArgs::default() };
    let inputs = inputs(folders, &select);
    let walk = match select.walk() {
        Ok(walk) => walk,
        Err(refusal) => return console.refuse(&refusal),
    };
    let reading = Reading::local(specs.into(), inputs, walk, args.run.reporting(args.quiet));
    making::run(&reading, &wanted, &mut console)
}

/// Returns the options of a command that writes the same algorithms and descriptions, with a space after each.
fn options(args: &MakingArgs) -> String {
    let names: Vec<String> = args.algorithm.iter().map(Spec::to_string).collect();
    let algorithms = (!names.is_empty()).then(|| format!("-a {} ", shell_word(names.join(","))));
    let info =
        args.info.iter().map(|(label, value)| format!("--info={} ", shell_word(format!("{label}={value}"))));
    algorithms.into_iter().chain(info).collect()
}

/// Checks the folders that are bags, and reports those that exist and are not.
fn check(args: BagCheckArgs) -> Exit {
    let is_other = |folder: &OsString| Path::new(folder).exists() && !is_bag(Path::new(folder));
    let (others, bags): (Vec<OsString>, Vec<OsString>) = args.folders.into_iter().partition(is_other);
    let unsuitable = others.iter().map(|other| not_a_bag(Path::new(other))).collect();
    check::run(CheckArgs { unsuitable, ..args.report.check(bags) })
}

fn not_a_bag(folder: &Path) -> Refusal {
    if !folder.is_dir() {
        let text = format!("{}: not a bag: it is not a folder", shown(folder));
        return Refusal::with_hint(
            text,
            format!("to check it as a manifest: truesum check {}", path_word(folder)),
        );
    }
    let text = format!("{}: not a bag: it contains no bagit.txt", shown(folder));
    let create = creation(folder);
    Refusal::with_hint(text, format!("to make it a bag: truesum bag {create} {}", path_word(folder)))
}

/// Returns the subcommand that makes a bag of this folder.
fn creation(folder: &Path) -> &'static str {
    if folder.join(DATA).is_dir() { "create" } else { "create --in-place" }
}
