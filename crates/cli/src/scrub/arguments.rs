//! The options of `truesum scrub`: names, help and values only.

use crate::options::{ReadArgs, RunArgs};
use crate::values::size::{rate, size};
use crate::values::table::SpecParser;
use crate::values::when::length;
use clap::{Args, ValueEnum, ValueHint};
use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;
use truesum::audit::FileStatus;
use truesum::hash::Spec;

/// Verify an archive over time, one part per run
///
/// A state file records the digest of each file and when that file was last verified. Each run reads new and modified
/// files, and the files that have gone unverified the longest; the first run reads all files.
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum scrub /srv/photos                 read all at first, later 1/30 a run
  truesum scrub -q --within 90d /srv/photos
  truesum scrub --status /srv/photos        show when files were last verified
  truesum scrub --exclude tmp/ /srv/photos  always exclude tmp
  truesum scrub --manifests /srv/bags       verify bags and manifests
  truesum scrub --forget c.jpg /srv/photos  accept a file as it is now
Corrupt: the content does not match the recorded digest, but the modification time is unchanged, so it is unlikely that a \
program wrote to the file. Corrupt files are never accepted. They are reported in every run until they are intact \
again or their entries are removed with --forget. truesum audit --help explains the other categories. The state file is never part of \
the archive.
Exit status: 0 nothing is wrong, 1 a file is corrupt, missing, unreadable or not accepted, 2 there was a usage error, or the state file cannot be used.")]
pub struct ScrubArgs {
    /// Folder to verify, or its state file
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath, default_value = ".")]
    pub folder: PathBuf,
    /// State file [default: DIR/.truesum-state]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub state: Option<PathBuf>,
    /// Verify the files listed in the manifests and bags in DIR
    ///
    /// Manifests are found as in truesum check -r. Files that are not in any manifest are ignored, except in the
    /// payload of a bag.
    #[arg(long, conflicts_with_all = ["algorithm", "include", "exclude", "set_rules", "import", "xattr"])]
    pub manifests: bool,
    /// Keep a manifest named NAME, such as SHA256SUMS, up to date in each folder
    ///
    /// Its digests are those of the state file. A manifest that contradicts them, or that has comments, is not
    /// replaced.
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["manifests", "xattr", "status", "log", "forget", "import"])]
    pub write_manifests: Option<OsString>,
    /// Digest algorithms for a new state file [default: sha256]
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',', value_parser = SpecParser)]
    #[arg(hide_possible_values = true)]
    pub algorithm: Vec<Spec>,
    /// Process only files that match GLOB
    #[arg(long, value_name = "GLOB", help_heading = "Selection")]
    #[arg(conflicts_with_all = ["status", "log", "forget"])]
    pub include: Vec<String>,
    /// Skip files and folders that match GLOB, and all files in such folders
    #[arg(long, value_name = "GLOB", help_heading = "Selection")]
    #[arg(conflicts_with_all = ["status", "log", "forget"])]
    pub exclude: Vec<String>,
    /// Replace the stored rules with those of --include and --exclude, or delete them
    ///
    /// Entries of files that the new rules exclude are removed from the state file.
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Selection", conflicts_with_all = ["status", "log", "forget"])]
    pub set_rules: bool,
    /// Read every file at least once per DURATION, assuming daily runs [default: 30d]
    #[arg(long, value_name = "DURATION", value_parser = length, help_heading = "What to read")]
    pub within: Option<Duration>,
    /// Read every file in this run
    #[arg(long, help_heading = "What to read", conflicts_with = "within")]
    pub all: bool,
    /// Stop before reading more than SIZE, but read at least one file
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "What to read")]
    pub max_bytes: Option<u64>,
    /// Do not start reading a file after this much time, such as 30m or 12h
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "DURATION", value_parser = length, help_heading = "What to read")]
    pub max_time: Option<Duration>,
    /// Read only while no other program is using the disk, if the system supports this
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "What to read")]
    pub idle: bool,
    /// Read at most this much per second on average, such as 200MB/s
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "SIZE", value_parser = rate, help_heading = "What to read")]
    pub rate: Option<NonZeroU64>,
    /// Differences to accept, or 'none' [default: new,modified,moved]
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "What counts as a failure")]
    pub accept: Option<Vec<Accept>>,
    /// Show what would be done, without writing anything
    #[arg(short = 'n', long, help_heading = "Running", conflicts_with_all = ["forget", "import"])]
    pub dry_run: bool,
    /// Replace corrupt files with their intact copies in COPY, a copy of DIR
    ///
    /// A copy is used only if it has the recorded digest. Files that were modified are not replaced. Each repaired file is
    /// read again.
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "COPY", value_hint = ValueHint::DirPath, help_heading = "Running")]
    #[arg(conflicts_with_all = ["dry_run", "instead"])]
    pub repair_from: Option<PathBuf>,
    /// Remove PATH (relative to DIR) from the state file (repeatable)
    ///
    /// The next run records the file as new. No files are read. If the state was created with --manifests, PATH can
    /// also be a manifest or a folder.
    #[arg(long, value_name = "PATH", help_heading = "State file", group = "instead")]
    pub forget: Vec<PathBuf>,
    /// Create the state file from MANIFEST; entries count as never verified
    #[arg(long, value_name = "MANIFEST", value_hint = ValueHint::FilePath, help_heading = "State file", group = "instead")]
    pub import: Option<PathBuf>,
    /// Folder that names are relative to [default: the manifest's folder]
    ///
    /// With --import: the folder of the names in MANIFEST. For an exported state, this is DIR.
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "State file", requires = "import")]
    pub root: Option<PathBuf>,
    /// Keep digests in extended attributes, as cshatag does, not in a state file
    ///
    /// Every run reads all files. New and modified files get the attributes user.shatag.sha256 and user.shatag.ts.
    /// --include and --exclude are not stored.
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "State file", group = "instead")]
    #[arg(conflicts_with_all = ["state", "algorithm", "within", "all", "max_bytes", "max_time", "accept", "set_rules", "html", "json"])]
    pub xattr: bool,
    /// Print when files were last verified and open failures, without reading files
    #[arg(long, help_heading = "State file", group = "instead")]
    pub status: bool,
    /// Print the history of runs
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "State file", group = "instead")]
    pub log: bool,
    /// With --status: print metrics in the Prometheus text format
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "State file", requires = "status", conflicts_with = "json")]
    pub prometheus: bool,
    /// Write an HTML report to FILE
    ///
    /// It shows open failures, how recently files were verified, and the history of runs. With --status, no files are
    /// read.
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "State file")]
    #[arg(conflicts_with_all = ["dry_run", "forget", "import", "log"])]
    pub html: Option<PathBuf>,
    /// Print JSON: one object per line
    #[arg(long, help_heading = "Running")]
    pub json: bool,
    /// Print less: no progress, no notes, no lines for files that are OK
    #[arg(short, long, help_heading = "Running")]
    pub quiet: bool,
    #[command(flatten)]
    pub reads: ReadArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

/// A difference that can be accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Accept {
    /// Files that are not in the state file
    New,
    /// Different content, and a later modification time
    #[value(alias = "changed")]
    Modified,
    /// Files with the same content under a new name
    Moved,
    /// Different content, and an earlier modification time
    Restored,
    /// Files that no longer exist
    Missing,
    /// Nothing
    None,
}

impl Accept {
    /// Returns the corresponding status; `None` for [`Accept::None`].
    pub fn status(self) -> Option<FileStatus> {
        match self {
            Accept::New => Some(FileStatus::New),
            Accept::Modified => Some(FileStatus::Changed),
            Accept::Moved => Some(FileStatus::Moved),
            Accept::Restored => Some(FileStatus::Restored),
            Accept::Missing => Some(FileStatus::Missing),
            Accept::None => None,
        }
    }
}
