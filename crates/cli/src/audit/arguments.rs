//! The options of `truesum audit`: names, help and values, nothing else.

use crate::ending::Ending;
use crate::options::{ManifestArgs, Moved, RunArgs};
use crate::selection::{FilterArgs, OnlyArgs};
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

/// Say what became of every file since its manifest was made
///
/// Each is ok, changed, corrupt, missing, new, moved, copied, duplicated, unreadable or unknown.
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum audit photos/SHA256SUMS            the manifest's own folder
  truesum audit photos.sha256 --only photos  of all beside the manifest, what is in photos
  truesum audit photos/2023.jsonl photos/2024.jsonl  two manifests together are one list
  truesum audit --moved=ok SHA256SUMS        files that only have a new name pass
  truesum audit -q SHA256SUMS | cut -f2      names of what is not as listed
  truesum audit -k good.txt --unknown /usr   files whose content is in no set of known digests
Changed has another modification time than is listed, corrupt has the same: nobody wrote to the file. \
Only manifests with times tell them apart (truesum hash --json).
Exit status: 0 equal, 1 not equal, 2 not everything could be compared.")]
pub struct AuditArgs {
    /// Manifests, and last a folder to look at alone; with -k files and folders [default: .]
    #[cfg_attr(
        feature = "stores",
        arg(
            help = "Manifests, and last a folder to look at alone, or s3://BUCKET/PREFIX; with -k files and folders [default: .]"
        )
    )]
    #[arg(value_name = "MANIFEST", value_hint = ValueHint::AnyPath, required_unless_present = "known")]
    pub manifests: Vec<OsString>,
    /// Take names as relative to this folder [default: the manifest's own]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "known")]
    pub root: Option<PathBuf>,
    /// Print the files whose content is in this set, a manifest of any format, whatever their names; may be repeated
    #[arg(short, long, value_name = "SET", value_hint = ValueHint::FilePath, help_heading = "Known content")]
    #[arg(conflicts_with_all = ["moved", "html", "summary", "include", "exclude", "newer", "older", "min_size", "max_size", "only"])]
    pub known: Vec<PathBuf>,
    /// Print those whose content is in none
    #[arg(long, help_heading = "Known content", requires = "known")]
    pub unknown: bool,
    /// Print their digests too
    #[arg(long, help_heading = "Known content", requires = "known")]
    pub digests: bool,
    #[command(flatten)]
    pub reading: ManifestArgs,
    /// Whether a file that only has a new name passes
    #[arg(long, value_name = "WHAT", help_heading = "What counts")]
    pub moved: Option<Moved>,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub only: OnlyArgs,
    /// A page to be filed, as HTML in this file: what was compared with what, how it ended, failures first
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Running")]
    pub html: Option<PathBuf>,
    /// How much is said at the end [default: short, with --json none]
    #[arg(long, value_name = "HOW", help_heading = "Running")]
    pub summary: Option<Ending>,
    /// One JSON object per file, and one for the whole
    #[arg(long, help_heading = "Running", conflicts_with_all = ["quiet", "status"])]
    pub json: bool,
    /// A line for each file by a template, as hash has it; %{verdict} is ok, changed, corrupt, missing, new ...
    #[arg(long, alias = "printf", value_name = "TEMPLATE", help_heading = "Running", conflicts_with_all = ["json", "status", "known"])]
    pub format_string: Option<OsString>,
    /// Print only what is not as listed
    #[arg(short, long, help_heading = "Running", overrides_with = "status")]
    pub quiet: bool,
    /// Print nothing: the exit status tells
    #[arg(long, help_heading = "Running")]
    pub status: bool,
    #[command(flatten)]
    pub run: RunArgs,
}
