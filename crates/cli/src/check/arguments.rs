//! The options of `truesum check`: names, help and values, nothing else. `plan.rs` checks what they mean.

use crate::ending::Ending;
use crate::options::{ManifestArgs, Moved, RunArgs};
use crate::selection::{FilterArgs, OnlyArgs, PartArgs};
use clap::{ArgAction, Args, ValueEnum, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

/// Verify files against manifests
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum check SHA256SUMS                  names are looked for in the manifest's own folder
  truesum check --root /mnt/copy SHA256SUMS
  truesum check --exact SHA256SUMS          files that no line lists are failures too
  truesum check --locate SHA256SUMS         which bytes are damaged, by stored trees
  truesum check --search SHA256SUMS         what is missing may have another name
  truesum check -r /archive                 every manifest below: SHA256SUMS, x.iso.sha256 ...
  truesum check --sample 5% SHA256SUMS      another twentieth each time
  truesum check --expect ba7816bf... disk.iso
A manifest cannot tell that its last lines were lost: files that no line lists are counted in a note.")]
pub struct CheckArgs {
    /// Manifests; - is standard input, which is read where none is named
    #[arg(value_name = "MANIFEST", value_hint = ValueHint::FilePath)]
    pub manifests: Vec<OsString>,
    /// Compare FILE with this one digest, or a whole line
    #[arg(long, value_name = "DIGEST", action = ArgAction::Append, conflicts_with_all = ["root", "exact", "ignore_missing", "require", "format"])]
    pub expect: Vec<String>,
    /// Check by every manifest below the folders named
    ///
    /// Those whose names tell so: SHA256SUMS, disk.iso.sha256, x.sfv ...
    #[arg(short, long, visible_alias = "sidecars", conflicts_with_all = ["expect", "root", "embedded"])]
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
    /// Verify files below that carry their CRC-32 in their names
    #[arg(long, conflicts_with_all = ["expect", "root", "exact", "ignore_missing", "require", "format", "search", "match_case", "normalize", "fix_names"])]
    pub embedded: bool,
    /// Look for names in this folder instead of the manifest's own
    #[cfg_attr(
        feature = "stores",
        arg(help = "Look for names in this folder instead of the manifest's own, or in s3://BUCKET/PREFIX")
    )]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub root: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ManifestArgs,

    #[cfg(feature = "stores")]
    /// Compare with the checksums that the object store keeps, without reading: nothing is verified
    #[arg(long, help_heading = "Object stores", requires = "root", hide_short_help = true)]
    #[arg(conflicts_with_all = ["json", "exact", "require", "html", "ignore_missing", "pubkey"])]
    pub stored: bool,
    #[cfg(feature = "stores")]
    /// Read, with --stored, what it keeps no checksum of that the manifest lists
    #[arg(long, help_heading = "Object stores", requires = "stored", hide_short_help = true)]
    pub read: bool,

    /// The public key of minisign or signify (its file, or RW...) that must have signed each manifest, or files whose signatures are named
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "What counts")]
    #[arg(conflicts_with_all = ["expect", "recursive", "embedded"], hide_short_help = true)]
    pub pubkey: Option<PathBuf>,
    /// Pass over listed files that are not there
    #[arg(long, help_heading = "What counts")]
    pub ignore_missing: bool,
    /// Fail on files that no line lists
    #[arg(long, help_heading = "What counts")]
    pub exact: bool,
    /// Fail unless this file was listed and verified
    #[arg(long, value_name = "NAME", help_heading = "What counts")]
    pub require: Vec<OsString>,
    /// Fail on malformed lines: the default
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "What counts", overrides_with = "lenient")]
    pub strict: bool,
    /// Follow names and links out of the folder
    #[arg(long, help_heading = "What counts")]
    pub allow_outside: bool,
    /// Read devices and pipes too, to their end
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "What counts")]
    pub special: bool,

    /// Look for missing files under other names, by size and digest
    #[arg(long, help_heading = "Files under other names", conflicts_with = "expect")]
    pub search: bool,
    /// Whether a file that only has another name passes
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "WHAT", help_heading = "Files under other names")]
    pub moved: Option<Moved>,
    /// Whether letters of another case make another name
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "WHETHER", help_heading = "Files under other names", conflicts_with = "expect")]
    pub match_case: Option<Case>,
    /// Take composed and decomposed characters (NFC, NFD) in names for the same
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Files under other names", conflicts_with = "expect")]
    pub normalize: bool,
    /// Tell which files found elsewhere would get the names they are listed under; with --yes, rename them
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Files under other names", requires = "search")]
    pub rename_to_match: bool,
    /// Tell which names that differ by case, NFC and NFD, or backslashes would be put right; with --yes, rename them
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Files under other names", conflicts_with = "expect")]
    pub fix_names: bool,
    /// Rename, where that is asked for: nothing is ever replaced
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Files under other names")]
    pub yes: bool,
    /// A page to be filed, as HTML in this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Running")]
    pub html: Option<PathBuf>,
    /// How much is said at the end [default: short, with --json none]
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "HOW", help_heading = "Running")]
    pub summary: Option<Ending>,

    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub only: OnlyArgs,
    #[command(flatten)]
    pub part: PartArgs,

    /// Say which bytes of a file that failed are damaged, by the tree stored in FILE.ftr
    #[arg(long, help_heading = "Where the damage is", conflicts_with = "status")]
    pub locate: bool,
    /// The file that a list of pieces is of, if it has another name than listed or the list names none
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Where the damage is")]
    #[arg(conflicts_with_all = ["root", "recursive", "embedded", "expect", "exact", "search", "normalize", "match_case", "fix_names"])]
    pub data: Option<PathBuf>,
    /// Look for stored trees in this folder instead of beside the files
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "locate")]
    #[arg(help_heading = "Where the damage is")]
    pub trees: Option<PathBuf>,
    /// A picture of where the damage lies
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Where the damage is", requires = "locate", conflicts_with = "json")]
    pub map: bool,
    /// A page of all files that failed, with pictures and ranges, as HTML in this file
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "locate")]
    #[arg(help_heading = "Where the damage is")]
    pub map_html: Option<PathBuf>,

    /// One JSON object per entry, and one for the whole
    #[arg(long, help_heading = "Running", conflicts_with_all = ["quiet", "status"])]
    pub json: bool,
    /// A line for each entry by a template, as hash has it; %{verdict} is verified, mismatch, missing ...
    #[arg(hide_short_help = true)]
    #[arg(long, alias = "printf", value_name = "TEMPLATE", help_heading = "Running", conflicts_with_all = ["json", "status"])]
    pub format_string: Option<OsString>,
    /// Print only what is not good
    #[arg(short, long, help_heading = "Running", overrides_with = "status")]
    pub quiet: bool,
    /// Print nothing: the exit status tells
    #[arg(long, help_heading = "Running")]
    pub status: bool,
    /// Name every malformed line: the default, accepted for old scripts
    #[arg(short, long, hide_short_help = true, help_heading = "What counts")]
    pub warn: bool,
    /// Print results as they are ready, in no order
    #[arg(long, help_heading = "Running")]
    pub unordered: bool,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Whether letters of another case make another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Case {
    /// They do: the default
    Yes,
    /// A file that is missing is taken from the name that differs so, if there is one
    No,
}
