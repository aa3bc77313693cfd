//! The options of `truesum update`: names, help and values, nothing else.

use crate::options::{KeyArgs, RunArgs};
use crate::values::table::{FormatParser, KeyedSpecParser};
use clap::{Args, ValueEnum, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;
use truesum::hash::Spec;
use truesum::manifest::Format;

/// Bring a manifest up to date: add, refresh, rename, remove
///
/// New files are added; what was written to is taken over, and what is gone dropped, where that is asked for.
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum update photos/SHA256SUMS                     add the files that it does not list
  truesum update --refresh --prune photos/SHA256SUMS   make it list the folder as it is
  truesum update -n --prune --rename SHA256SUMS        what would be done
  truesum update --quick --refresh photos.sha256       read only what is new or was written to
Files whose size and time are as listed but whose content is not are corrupt: they are told, and never taken over.
Everything that is not changed stays byte for byte; the manifest is replaced whole or not at all.
Exit status: 0 all is as listed now, 1 a file is not, 2 not done as asked.")]
pub struct UpdateArgs {
    /// The manifest
    #[arg(value_name = "MANIFEST", value_hint = ValueHint::FilePath)]
    pub manifest: OsString,
    /// The folder it speaks of [default: its own, and of that only what lies where all listed files do]
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
    /// Algorithms of lines that do not name theirs; lines of others are refused
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',', value_parser = KeyedSpecParser)]
    #[arg(hide_possible_values = true)]
    pub algorithm: Vec<Spec>,
    /// The manifest's format, if it is not recognised; see `truesum list formats`
    #[arg(long, value_name = "NAME", value_parser = FormatParser, hide_possible_values = true)]
    pub format: Option<&'static Format>,
    /// Take over files that were written to; all: also where neither a time nor a size tells that
    #[arg(long, value_name = "all", help_heading = "What is changed", hide_possible_values = true)]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "safe")]
    pub refresh: Option<Extent>,
    /// Drop files that are gone; all: also if that are more than half, or a disk seems not to be mounted
    #[arg(long, value_name = "all", help_heading = "What is changed", hide_possible_values = true)]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "safe")]
    pub prune: Option<Extent>,
    /// Give lines of files that moved the new name
    #[arg(long, help_heading = "What is changed")]
    pub rename: bool,
    /// Do not read files whose size and time are as listed
    #[arg(long, help_heading = "What is changed")]
    pub quick: bool,
    /// Write nothing, and tell what would be done
    #[arg(short = 'n', long, help_heading = "What is changed")]
    pub dry_run: bool,
    /// Write it also if files could not be read: with what could
    #[arg(long, help_heading = "What counts")]
    pub partial: bool,
    /// Write it also if no entry is left
    #[arg(long, help_heading = "What counts")]
    pub allow_empty: bool,
    /// Leave malformed lines as they are, and do not fail
    #[arg(long, help_heading = "What counts")]
    pub lenient: bool,
    /// Accept digests cut so short that they verify nothing
    #[arg(long, help_heading = "What counts")]
    pub allow_weak: bool,
    /// One JSON object per file that is not as listed or was changed, and one for the whole
    #[arg(long, help_heading = "Running", conflicts_with_all = ["quiet", "status"])]
    pub json: bool,
    /// Print nothing but what is not as listed now
    #[arg(short, long, help_heading = "Running", overrides_with = "status")]
    pub quiet: bool,
    /// Print nothing: the exit status tells
    #[arg(long, help_heading = "Running")]
    pub status: bool,
    #[command(flatten)]
    pub key: KeyArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

/// How far a change goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Extent {
    /// As far as nothing speaks against it
    #[value(hide = true)]
    Safe,
    /// Also where something does
    All,
}
