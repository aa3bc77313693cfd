//! The options of `truesum duplicates`: names, help and values, nothing else.

use crate::options::RunArgs;
use crate::selection::{FilterArgs, WaysArgs};
use crate::values::table::SpecParser;
use clap::{Args, ValueHint};
use std::ffi::OsString;
use truesum::hash::Spec;

/// List files that have the same content, and what they waste; nothing is deleted
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum duplicates photos                        first, copies of it, hard links to these
  truesum duplicates --min-size 1MiB /data /backup
  truesum duplicates --min-size 0 photos           empty files too
  truesum duplicates photos | grep ^copy | cut -f2 names of what is there already
A line is first, copy or link, the file, and for the latter two the file it is equal to or the same as, with tabs between them.
Exit status: 0 done, whether there are copies or not; 1 not everything could be read; 2 not as asked.")]
pub struct DuplicatesArgs {
    /// Files and folders
    #[arg(value_name = "DIR", value_hint = ValueHint::AnyPath, required = true)]
    pub places: Vec<OsString>,
    /// By which digest contents are compared [default: blake3]
    #[arg(short, long, value_name = "NAME", value_parser = SpecParser, hide_possible_values = true)]
    pub algorithm: Option<Spec>,

    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub ways: WaysArgs,

    /// Print names alone, each ended by NUL, and a NUL after each group; of a file with hard links the first name
    #[arg(
        short = '0',
        short_alias = 'z',
        long,
        alias = "zero",
        help_heading = "Running",
        conflicts_with = "json"
    )]
    pub print0: bool,
    /// One JSON object per group, and one for the whole
    #[arg(long, help_heading = "Running")]
    pub json: bool,
    /// No progress line and no summary
    #[arg(short, long, help_heading = "Running")]
    pub quiet: bool,
    #[command(flatten)]
    pub run: RunArgs,
}
