//! The options of `truesum diff`: names, help and values, nothing else.

use crate::options::{ManifestArgs, RunArgs};
use crate::selection::{FilterArgs, OnlyArgs};
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

/// Say what was added, removed, changed and moved between two manifests or folders
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum diff old.sha256 new.sha256         no file is read
  truesum diff photos/SHA256SUMS photos      only files whose size does not tell are read
  truesum diff photos /mnt/backup/photos     two folders, by BLAKE3 of files of equal size
  truesum diff A B | grep ^removed | cut -f2
Each line is a word, a tab and a name; a moved file has its old name behind another tab.
Exit status: 0 equal, 1 different, 2 not everything could be compared.")]
pub struct DiffArgs {
    /// The old side: a manifest (- is standard input) or a folder
    #[arg(value_name = "OLD", value_hint = ValueHint::AnyPath)]
    pub old: OsString,
    /// The new side
    #[arg(value_name = "NEW", value_hint = ValueHint::AnyPath)]
    pub new: OsString,
    /// Take a manifest's names as relative to this folder [default: the manifest's own]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub root: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ManifestArgs,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub only: OnlyArgs,
    /// One JSON object per file that differs, and one for the whole
    #[arg(long, help_heading = "Running", conflicts_with = "status")]
    pub json: bool,
    /// Print nothing: the exit status tells
    #[arg(short = 'q', long, visible_alias = "quiet", help_heading = "Running")]
    pub status: bool,
    #[command(flatten)]
    pub run: RunArgs,
}
