//! The options of `truesum diff`: names, help and values only.

use crate::options::{ManifestArgs, RunArgs};
use crate::selection::{FilterArgs, OnlyArgs};
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

/// Show what differs between two manifests or folders
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum diff old.sha256 new.sha256      compare without reading files
  truesum diff photos/SHA256SUMS photos   compare, reading files if necessary
  truesum diff photos /mnt/backup/photos  compare by size and BLAKE3
  truesum diff A B | grep ^removed | cut -f2
Each line consists of a status, a tab and a name. For moved files, another tab and the old name follow. Restored: the file in \
NEW is an older version. Unknown: OLD and NEW have no algorithm in common.
Exit status: 0 equal, 1 different, 2 not everything could be compared.")]
pub struct DiffArgs {
    /// Old manifest or folder; - is standard input
    #[arg(value_name = "OLD", value_hint = ValueHint::AnyPath)]
    pub old: OsString,
    /// New manifest or folder
    ///
    /// In builds with object store support, OLD or NEW can be s3://BUCKET/PREFIX: its stored checksums are compared.
    #[arg(value_name = "NEW", value_hint = ValueHint::AnyPath)]
    pub new: OsString,
    /// Folder that names are relative to [default: the manifest's folder]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub root: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ManifestArgs,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub only: OnlyArgs,
    /// Print JSON: one object per line
    ///
    /// There is one object for each file that differs, then a summary object.
    #[arg(long, help_heading = "Running", conflicts_with = "status")]
    pub json: bool,
    /// Print less: no progress, no notes
    #[arg(short, long, help_heading = "Running", overrides_with = "status")]
    pub quiet: bool,
    /// Print nothing except errors; only set the exit status
    #[arg(long, help_heading = "Running")]
    pub status: bool,
    #[command(flatten)]
    pub run: RunArgs,
}
