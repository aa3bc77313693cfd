//! The options of `truesum check`: names, help and values only. `plan.rs` validates them.

use crate::ending::Ending;
use crate::exit::Refusal;
use crate::options::{ManifestArgs, Moved, ReadArgs, RunArgs};
use crate::selection::{FilterArgs, OnlyArgs, PartArgs};
use clap::{ArgAction, Args, ValueEnum, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

/// Verify files against manifests
#[derive(Args, Default)]
#[command(after_help = "\
Examples:
  truesum check SHA256SUMS              check the files next to the manifest
  truesum check SHA256SUMS disk.iso     check only this file in the manifest
  truesum check ba7816bf... disk.iso    compare a file with a digest
  truesum check --locate SHA256SUMS     show damaged bytes
  truesum check -r /archive             check every manifest below /archive
  truesum check --exact SHA256SUMS      fail on unexpected files
A truncated manifest can look valid, so truesum reports how many files are not in the manifest. \
Signatures are verified only with --pubkey (truesum help signatures). With --state and --max-bytes, each run checks the \
next part of a large archive.")]
pub struct CheckArgs {
    /// Manifests to check; or one manifest or digest, then the files to check; - is standard input
    #[arg(value_name = "MANIFEST", value_hint = ValueHint::FilePath)]
    pub manifests: Vec<OsString>,
    /// Compare with this digest
    ///
    /// A complete checksum line is accepted, too.
    #[arg(long, value_name = "DIGEST", action = ArgAction::Append, conflicts_with_all = ["root", "exact", "ignore_missing", "require", "format"])]
    pub expect: Vec<String>,
    /// Check every manifest whose name is recognized, below the given folders
    ///
    /// SHA256SUMS, x.iso.sha256 and x.sfv are recognized, and JSON Lines by content; hashes.txt, x.csv and x.mtree are
    /// not. Torrents, PAR2 files and similar lists are only counted.
    #[arg(short, long, alias = "sidecars", conflicts_with_all = ["expect", "root"])]
    pub recursive: bool,
    /// With -r: fail if fewer than N manifests are found
    #[arg(
        long,
        value_name = "N",
        requires = "recursive",
        default_value_t = 0,
        hide_default_value = true,
        hide_short_help = true
    )]
    pub expect_manifests: u64,
    /// Verify files in content-addressed stores: OCI, Ollama, DVC, git-annex
    ///
    /// Give folders instead of manifests: an OCI image layout or registry, an Ollama, DVC, git-annex or Git LFS
    /// store, or a Hugging Face or npm cache. Files that are not named after their digest are listed as not checked,
    /// and the exit status is then 2.
    #[arg(long, hide_short_help = true, conflicts_with_all = ["recursive", "expect"])]
    pub content_addressed: bool,
    /// Verify files whose names contain their digest; set by `truesum embed check`.
    #[arg(skip)]
    pub embedded: bool,
    /// Arguments that are of another kind than the command checks; set by `truesum bag check` and `truesum torrent check`.
    #[arg(skip)]
    pub unsuitable: Vec<Refusal>,
    /// Folder that names are relative to [default: the manifest's folder]
    ///
    /// In builds with object store support, DIR can be s3://BUCKET/PREFIX.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub root: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ManifestArgs,

    #[cfg(feature = "stores")]
    /// Compare with the object store's own checksums, without reading any data
    ///
    /// This does not verify the objects: nothing is read, and the checksums are those that the store recorded.
    #[arg(long, help_heading = "Object stores", requires = "root", hide_short_help = true)]
    #[arg(conflicts_with_all = ["json", "require", "html", "ignore_missing", "pubkey"])]
    pub stored: bool,
    #[cfg(feature = "stores")]
    /// With --stored: read objects for which the store has no comparable checksum
    #[arg(long, help_heading = "Object stores", requires = "stored", hide_short_help = true)]
    pub read: bool,

    /// Require a valid minisign or signify signature that matches KEY (file or RW...)
    ///
    /// Each manifest must have one. If MANIFEST is a signature, the file that it signs is verified.
    #[arg(long, value_name = "KEY", value_hint = ValueHint::FilePath, help_heading = "What counts as a failure")]
    #[arg(conflicts_with_all = ["expect", "recursive"], hide_short_help = true)]
    pub pubkey: Option<PathBuf>,
    /// Skip files that do not exist
    #[arg(long, help_heading = "What counts as a failure")]
    pub ignore_missing: bool,
    /// Fail if there are files that are not in the manifest
    #[arg(long, help_heading = "What counts as a failure")]
    pub exact: bool,
    /// Fail unless NAME is in the manifest and its file is verified
    #[arg(long, value_name = "NAME", help_heading = "What counts as a failure")]
    pub require: Vec<OsString>,
    /// Fail on malformed lines (default)
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "What counts as a failure", overrides_with = "lenient")]
    pub strict: bool,
    /// Allow names and links that lead outside the folder
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "What counts as a failure")]
    pub allow_outside: bool,
    /// Also read devices and named pipes, until end of file
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "What counts as a failure")]
    pub special: bool,

    /// Search for missing files under other names, by size and digest
    #[arg(long, help_heading = "Renamed files", conflicts_with = "expect")]
    pub search: bool,
    /// How to treat files that were only renamed
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "RESULT", help_heading = "Renamed files")]
    pub moved: Option<Moved>,
    /// Match names case-sensitively
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "YES|NO", help_heading = "Renamed files", conflicts_with = "expect")]
    pub match_case: Option<Case>,
    /// Treat the NFC and NFD forms of a name as equal
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Renamed files", conflicts_with = "expect")]
    pub normalize: bool,
    /// Show the renames that would restore the names in the manifest; see --yes
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Renamed files", requires = "search")]
    pub rename_to_match: bool,
    /// Show the renames that correct case, Unicode form and backslashes; see --yes
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Renamed files", conflicts_with = "expect")]
    pub fix_names: bool,
    /// Carry out the renames; existing files are never replaced
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Renamed files")]
    pub yes: bool,
    /// Write an HTML report to FILE
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Running")]
    pub html: Option<PathBuf>,
    /// Level of detail of the final summary [default: short, or none with --json]
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "LEVEL", help_heading = "Running")]
    pub summary: Option<Ending>,

    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub only: OnlyArgs,
    #[command(flatten)]
    pub part: PartArgs,

    /// Show the damaged bytes of failed files (needs a stored tree: FILE.ftr)
    #[arg(long, help_heading = "Locating damage", conflicts_with = "status")]
    pub locate: bool,
    /// Data file or folder, if its name differs from that in the torrent or list
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath, help_heading = "Locating damage")]
    #[arg(conflicts_with_all = ["root", "recursive", "expect", "exact", "search", "normalize", "match_case", "fix_names"])]
    pub data: Option<PathBuf>,
    /// Look for stored trees in DIR instead of next to the files
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "locate")]
    #[arg(help_heading = "Locating damage")]
    pub trees: Option<PathBuf>,
    /// Draw a map of the damage
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Locating damage", requires = "locate", conflicts_with = "json")]
    pub map: bool,
    /// Write an HTML page with damage maps and damaged ranges to FILE
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "locate")]
    #[arg(help_heading = "Locating damage")]
    pub map_html: Option<PathBuf>,

    /// Print JSON: one object per line
    ///
    /// There is one object for each entry, then a summary object.
    #[arg(long, help_heading = "Running", conflicts_with = "status")]
    pub json: bool,
    /// Format the output for each file with a template such as '%{sha-256} %p\n'
    ///
    /// %{verdict} is the result: verified, mismatch and so on. `truesum hash --help-all` lists the other placeholders.
    #[arg(hide_short_help = true)]
    #[arg(long, alias = "printf", value_name = "TEMPLATE", help_heading = "Running", conflicts_with_all = ["json", "status"])]
    pub format_string: Option<OsString>,
    /// Print less: no progress, no notes, no lines for files that are OK
    #[arg(short, long, help_heading = "Running", overrides_with = "status")]
    pub quiet: bool,
    /// Print nothing except errors; only set the exit status
    #[arg(long, help_heading = "Running")]
    pub status: bool,
    /// Report every malformed line, not only the first 20
    #[arg(short, long, hide_short_help = true, help_heading = "What counts as a failure")]
    pub warn: bool,
    /// Print results as soon as they are ready, in any order
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Running")]
    pub unordered: bool,
    #[command(flatten)]
    pub reads: ReadArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Output and reading options for commands that check one kind of file.
#[derive(Args)]
pub struct ReportArgs {
    /// Print JSON: one object per line
    ///
    /// There is one object for each entry, then a summary object.
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

impl ReportArgs {
    /// Returns the arguments of a check of these manifests, with defaults for all other options.
    pub fn check(self, manifests: Vec<OsString>) -> CheckArgs {
        let ReportArgs { json, quiet, status, reads, run } = self;
        CheckArgs { manifests, json, quiet, status, reads, run, ..CheckArgs::default() }
    }
}

/// Case sensitivity of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Case {
    /// Names must match exactly (default)
    Yes,
    /// If a file is missing, use one whose name differs only in case
    No,
}
