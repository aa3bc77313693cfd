//! The options of `truesum update`: names, help and values, nothing else.

use crate::options::{ManifestArgs, RunArgs};
use clap::{Args, ValueEnum, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;
use truesum::update::QuickTrust;

/// Bring a manifest up to date: add, refresh, rename, remove
///
/// New files are added; what was written to is taken over, and what is gone dropped, where that is asked for.
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum update photos/SHA256SUMS                     add the files that it does not list
  truesum update --refresh --prune photos/SHA256SUMS   make it list the folder as it is
  truesum update -n --prune --rename SHA256SUMS        what would be done
  truesum update --quick=date --refresh photos.sha256  read only new and modified files
A file whose content changed although its time did not is corrupt: it is reported and never accepted. An older version of a file
is accepted by --refresh=all only. DIR, if it is in the manifest's folder, selects what to look at; names stay relative to that folder.
Everything that is not changed stays byte for byte; the manifest is replaced whole or not at all.
Exit status: 0 all is as listed now, 1 a file is not, 2 not done as asked.")]
pub struct UpdateArgs {
    /// The manifest
    #[arg(value_name = "MANIFEST", value_hint = ValueHint::FilePath)]
    pub manifest: OsString,
    /// Look only at this folder; one outside the manifest's own folder is what names are relative to
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
    /// Take names as relative to this folder [default: the manifest's own]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub root: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ManifestArgs,
    /// Accept files that were modified; all: also older versions, and files of which no time shows an edit
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
    /// Do not read files whose size and times are as listed; date: without listed times, trust the manifest's date
    #[arg(long, value_name = "date", help_heading = "What is changed", hide_possible_values = true)]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "times")]
    pub quick: Option<Quick>,
    /// Write nothing, and tell what would be done
    #[arg(short = 'n', long, help_heading = "What is changed")]
    pub dry_run: bool,
    /// Write it also if files could not be read: with what could
    #[arg(long, help_heading = "What counts")]
    pub partial: bool,
    /// Write it also if no entry is left
    #[arg(long, help_heading = "What counts")]
    pub allow_empty: bool,
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

/// What `--quick` relies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Quick {
    /// The times of the entries
    #[value(hide = true)]
    Times,
    /// Also the manifest's own date
    Date,
}

impl Quick {
    /// Returns the same for the library.
    pub fn trust(self) -> QuickTrust {
        match self {
            Quick::Times => QuickTrust::Times,
            Quick::Date => QuickTrust::Date,
        }
    }
}
