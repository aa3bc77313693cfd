//! The options of `truesum diff`: names, help and values, nothing else.

use crate::options::{ManifestArgs, RunArgs};
use crate::selection::{FilterArgs, OnlyArgs};
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

/// Show what was added, removed, changed or moved between two manifests or folders
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum diff old.sha256 new.sha256         compare two manifests; reads no files
  truesum diff photos/SHA256SUMS photos      read only files of unchanged size
  truesum diff photos /mnt/backup/photos     compare two folders by size and BLAKE3
  truesum diff A B | grep ^removed | cut -f2
Each line is a status, a tab and a name. For moved files, another tab and the old name follow.
Exit status: 0 equal, 1 different, 2 not everything could be compared.")]
pub struct DiffArgs {
    /// Old manifest (- is standard input) or folder
    #[arg(value_name = "OLD", value_hint = ValueHint::AnyPath)]
    pub old: OsString,
    /// New manifest or folder
    #[arg(value_name = "NEW", value_hint = ValueHint::AnyPath)]
    pub new: OsString,
    /// Resolve names relative to DIR [default: the manifest's folder]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub root: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ManifestArgs,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub only: OnlyArgs,
    /// Print one JSON object per differing file, then a final one
    #[arg(long, help_heading = "Running", conflicts_with = "status")]
    pub json: bool,
    /// Print nothing; only set the exit status
    #[arg(short = 'q', long, visible_alias = "quiet", help_heading = "Running")]
    pub status: bool,
    #[command(flatten)]
    pub run: RunArgs,
}
