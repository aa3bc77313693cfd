//! The options of `truesum duplicates`: names, help and values only.

use crate::options::RunArgs;
use crate::selection::{FilterArgs, WalkArgs};
use crate::values::table::SpecParser;
use clap::{Args, ValueHint};
use std::ffi::OsString;
use truesum::hash::Spec;

/// List duplicate files and the space they waste (deletes nothing)
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum duplicates photos               list copies and hard links
  truesum duplicates --min-size 1MiB /data /backup
  truesum duplicates --min-size 0 photos  include empty files
  truesum duplicates photos | grep ^copy | cut -f2  print the copies' names
Output fields are separated by tabs: `first FILE`, `copy FILE FIRST` (same content) or `link FILE OTHER` (hard link).
Exit status: 0 all files were compared (with or without duplicates), 1 some files could not be read, 2 usage or output error, or no file was selected.")]
pub struct DuplicatesArgs {
    /// Files and folders to compare
    #[arg(value_name = "DIR", value_hint = ValueHint::AnyPath, required = true)]
    pub places: Vec<OsString>,
    /// Algorithm of the digest [default: blake3]
    #[arg(short, long, value_name = "NAME", value_parser = SpecParser, hide_possible_values = true)]
    pub algorithm: Option<Spec>,

    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub ways: WalkArgs,

    /// Print only names, each terminated by NUL
    ///
    /// An additional NUL follows each group. If a file has several hard links, only its first name is printed.
    #[arg(short = '0', long, help_heading = "Running", conflicts_with = "json")]
    pub print0: bool,
    /// Print JSON: one object per line
    ///
    /// There is one object for each group, then a summary object.
    #[arg(long, help_heading = "Running")]
    pub json: bool,
    /// Print less: no progress, no notes
    #[arg(short, long, help_heading = "Running")]
    pub quiet: bool,
    #[command(flatten)]
    pub run: RunArgs,
}
