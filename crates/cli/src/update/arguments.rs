//! The options of `truesum update`: names, help and values only.

use crate::options::{ManifestArgs, ReadArgs, RunArgs};
use clap::{Args, ValueEnum, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;
use truesum::update::QuickTrust;

/// Bring a manifest up to date: add, refresh, rename and remove entries
///
/// New files are added. Modified files are accepted with --refresh, and entries of deleted files are removed with --prune.
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum update photos/SHA256SUMS                     add new files
  truesum update --refresh --prune photos/SHA256SUMS   accept edits, deletions
  truesum update -n --prune --rename SHA256SUMS        show what would be done
  truesum update --quick=date --refresh photos.sha256  read only modified files
  truesum update --set-rules --exclude tmp/ SHA256SUMS  do not add files in tmp
A file is corrupt if its content changed but its recorded modification time did not. Corrupt files are reported and never \
accepted. --refresh=all also accepts older versions of files and, if the manifest has no modification times, every file \
whose content differs. If DIR is in the manifest's folder, it only selects the \
files to examine; names stay relative to the manifest's folder. Lines that need no update are preserved byte for \
byte, and the manifest is \
written atomically.
Exit status: 0 everything matches now, 1 a file still differs, 2 usage, input or output error; the summary shows whether the manifest was written.")]
pub struct UpdateArgs {
    /// Manifest to update, or folder with the history of an ASC media hash list
    ///
    /// A new list is added to a history, and its earlier lists are never changed.
    #[arg(value_name = "MANIFEST", value_hint = ValueHint::FilePath)]
    pub manifest: OsString,
    /// Examine only the files in DIR
    ///
    /// If DIR is outside the manifest's folder, names are relative to DIR.
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
    /// Folder that names are relative to [default: the manifest's folder]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub root: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ManifestArgs,
    /// Process only files that match GLOB
    ///
    /// The globs are matched against names as they appear in the manifest, and apply only to files that are not listed
    /// there. Unless --set-rules is given, they must be the same as those stored in the manifest.
    #[arg(long, value_name = "GLOB", help_heading = "Selection", conflicts_with = "no_stored_rules")]
    pub include: Vec<String>,
    /// Skip files and folders that match GLOB, and all files in such folders
    #[arg(long, value_name = "GLOB", help_heading = "Selection", conflicts_with = "no_stored_rules")]
    pub exclude: Vec<String>,
    /// Replace the stored rules with those of --include and --exclude, or delete them
    ///
    /// Entries of files that the new rules exclude are kept, and a note reports their number.
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Selection", conflicts_with = "no_stored_rules")]
    pub set_rules: bool,
    /// Accept modified files; with =all, even if the modification time is not later
    #[arg(long, value_name = "all", help_heading = "Changes", hide_possible_values = true)]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "safe")]
    pub refresh: Option<Extent>,
    /// Remove entries of deleted files; with =all, even if most files are missing
    #[arg(long, value_name = "all", help_heading = "Changes", hide_possible_values = true)]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "safe")]
    pub prune: Option<Extent>,
    /// Update the names of moved files
    #[arg(long, help_heading = "Changes")]
    pub rename: bool,
    /// Skip files whose size and time match; =date: skip files older than the manifest
    #[arg(long, value_name = "date", help_heading = "Changes", hide_possible_values = true)]
    #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "times")]
    pub quick: Option<Quick>,
    /// Show what would be done, without writing anything
    #[arg(short = 'n', long, help_heading = "Changes")]
    pub dry_run: bool,
    /// Write the result even if some files could not be read (they are left out)
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Safety checks")]
    pub partial: bool,
    /// Write the manifest even if it would be empty
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Safety checks")]
    pub allow_empty: bool,
    /// Print JSON: one object per line
    ///
    /// There is one object for each file that differs or was updated, then a summary object.
    #[arg(long, help_heading = "Running", conflicts_with = "status")]
    pub json: bool,
    /// Print less: no progress, no notes, no lines for files that are OK
    #[arg(short, long, help_heading = "Running", overrides_with = "status")]
    pub quiet: bool,
    /// Print nothing except errors; only set the exit status
    #[arg(long, help_heading = "Running")]
    pub status: bool,
    #[command(flatten)]
    pub reads: ReadArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

/// The extent of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Extent {
    /// Only changes that are safe
    #[value(hide = true)]
    Safe,
    /// Also changes that may be mistakes
    All,
}

/// The times that `--quick` relies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Quick {
    /// The times of the entries
    #[value(hide = true)]
    Times,
    /// Also the manifest's own date
    Date,
}

impl Quick {
    /// Returns the corresponding value of the library.
    pub fn trust(self) -> QuickTrust {
        match self {
            Quick::Times => QuickTrust::Times,
            Quick::Date => QuickTrust::Date,
        }
    }
}
