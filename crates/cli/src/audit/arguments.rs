//! The options of `truesum audit`: names, help and values only.

use crate::ending::Ending;
use crate::options::{ManifestArgs, Moved, ReadArgs, RunArgs};
use crate::selection::{FilterArgs, OnlyArgs};
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

/// Report what has happened to each file since the manifest was created
///
/// Each file is reported as ok, changed, corrupt, restored, missing, new, moved, moved-modified, copied, duplicated,
/// unreadable or unknown.
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum audit photos/SHA256SUMS            audit the manifest's folder
  truesum audit photos.sha256 --only photos  audit only this subfolder
  truesum audit photos/2023.jsonl photos/2024.jsonl  combine two manifests
  truesum audit --moved=ok SHA256SUMS        accept files that were only renamed
  truesum audit -q SHA256SUMS | cut -f2      print names of files that differ
  truesum audit -k good.txt --unknown /usr   print files not in good.txt
Changed: the content and the modification time differ from the manifest. Corrupt: the content differs, but the \
modification time does not, so it is unlikely that a program wrote to the file. The two can be distinguished only if the manifest contains modification times (truesum \
hash --json). Restored: an older version was put back. Copied: new, with the content of a file in the manifest. \
Duplicated: new, with the content of another new file. Unknown: the manifest has no digest that can be compared with the file.
Exit status: 0 everything matches, 1 something differs, 2 not everything could be compared.")]
pub struct AuditArgs {
    /// Manifests, optionally followed by the folder to examine
    ///
    /// With -k: the files and folders to examine [default: .]
    #[cfg_attr(
        feature = "stores",
        arg(
            help = "Manifests, optionally followed by the folder or s3://BUCKET/PREFIX to examine",
            long_help = "Manifests, optionally followed by the folder or s3://BUCKET/PREFIX to examine\n\nWith -k: the files and folders to examine [default: .]"
        )
    )]
    #[arg(value_name = "MANIFEST", value_hint = ValueHint::AnyPath, required_unless_present = "known")]
    pub manifests: Vec<OsString>,
    /// Folder that names are relative to [default: the manifest's folder]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "known")]
    pub root: Option<PathBuf>,
    /// Print files whose digest is in the manifest SET, regardless of name (repeatable)
    #[arg(short, long, value_name = "SET", value_hint = ValueHint::FilePath, help_heading = "Known content")]
    #[arg(conflicts_with_all = ["moved", "html", "summary", "include", "exclude", "newer", "older", "min_size", "max_size", "only"])]
    pub known: Vec<PathBuf>,
    /// With -k: print files whose digest is in none of the sets
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Known content", requires = "known")]
    pub unknown: bool,
    /// Also print the digests of the files
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Known content", requires = "known")]
    pub digests: bool,
    #[command(flatten)]
    pub reading: ManifestArgs,
    /// How to treat files that were only renamed
    #[arg(long, value_name = "RESULT", help_heading = "What counts as a failure")]
    pub moved: Option<Moved>,
    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub only: OnlyArgs,
    /// Write an HTML report to FILE
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Running")]
    pub html: Option<PathBuf>,
    /// Level of detail of the final summary [default: short, or none with --json]
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "LEVEL", help_heading = "Running")]
    pub summary: Option<Ending>,
    /// Print JSON: one object per line
    ///
    /// There is one object for each file, then a summary object.
    #[arg(long, help_heading = "Running", conflicts_with = "status")]
    pub json: bool,
    /// Format the output for each file with a template such as '%{sha-256} %p\n'
    ///
    /// %{verdict} is the result: ok, changed, corrupt and so on. `truesum hash --help-all` lists the other placeholders.
    #[arg(hide_short_help = true)]
    #[arg(long, alias = "printf", value_name = "TEMPLATE", help_heading = "Running", conflicts_with_all = ["json", "status", "known"])]
    pub format_string: Option<OsString>,
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
