//! The options of `truesum check`: names, help and values, nothing else. `plan.rs` checks what they mean.

use crate::options::{KeyArgs, RunArgs};
use crate::values::table::{FormatParser, KeyedSpecParser};
use clap::{ArgAction, Args, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;
use truesum::hash::Spec;
use truesum::manifest::Format;

/// Verify files against manifests
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum check SHA256SUMS                  names are looked for in the manifest's own folder
  truesum check --root /mnt/copy SHA256SUMS
  truesum check --exact SHA256SUMS          files that no line lists are failures too
  truesum check --locate SHA256SUMS         which bytes are damaged, by trees of `truesum tree --save`
  truesum check --expect ba7816bf... disk.iso
A manifest cannot tell that its last lines were lost: files that no line lists are counted in a note.")]
pub struct CheckArgs {
    /// Manifests; - is standard input, which is read where none is named
    #[arg(value_name = "MANIFEST", value_hint = ValueHint::FilePath)]
    pub manifests: Vec<OsString>,
    /// Compare FILE with this one digest, or whole line, as a web page shows it
    #[arg(long, value_name = "DIGEST", action = ArgAction::Append, conflicts_with_all = ["root", "exact", "ignore_missing", "require", "format"])]
    pub expect: Vec<String>,
    /// Algorithms of lines that do not name theirs; lines of others are refused
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',', value_parser = KeyedSpecParser)]
    #[arg(hide_possible_values = true)]
    pub algorithm: Vec<Spec>,
    /// Look for names in this folder instead of the manifest's own
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub root: Option<PathBuf>,
    /// The manifest's format, if it is not recognised; see `truesum list formats`
    #[arg(long, value_name = "NAME", value_parser = FormatParser, hide_possible_values = true)]
    pub format: Option<&'static Format>,

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
    #[arg(long, help_heading = "What counts", overrides_with = "lenient")]
    pub strict: bool,
    /// Warn of malformed lines, and do not fail
    #[arg(long, help_heading = "What counts", overrides_with = "strict")]
    pub lenient: bool,
    /// Follow names and links out of the folder
    #[arg(long, help_heading = "What counts")]
    pub allow_outside: bool,
    /// Accept digests cut so short that they verify nothing
    #[arg(long, help_heading = "What counts")]
    pub allow_weak: bool,
    /// Read devices and pipes too, to their end
    #[arg(long, help_heading = "What counts")]
    pub special: bool,

    /// Say which bytes of a file that failed are damaged, by the tree stored in FILE.ftr
    #[arg(long, help_heading = "Where the damage is", conflicts_with = "status")]
    pub locate: bool,
    /// Look for stored trees in this folder instead of beside the files
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "locate")]
    #[arg(help_heading = "Where the damage is")]
    pub trees: Option<PathBuf>,
    /// A picture of where the damage lies
    #[arg(long, help_heading = "Where the damage is", requires = "locate", conflicts_with = "json")]
    pub map: bool,
    /// A page of all files that failed, with pictures and ranges, as HTML in this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "locate")]
    #[arg(help_heading = "Where the damage is")]
    pub map_html: Option<PathBuf>,

    #[command(flatten)]
    pub key: KeyArgs,
    /// One JSON object per entry, and one for the whole
    #[arg(long, help_heading = "Running", conflicts_with_all = ["quiet", "status"])]
    pub json: bool,
    /// Print only what is not good
    #[arg(short, long, help_heading = "Running", overrides_with = "status")]
    pub quiet: bool,
    /// Print nothing: the exit status tells
    #[arg(long, help_heading = "Running")]
    pub status: bool,
    /// Name every malformed line: the default, accepted for old scripts
    #[arg(short, long, hide = true)]
    pub warn: bool,
    /// Print results as they are ready, in no order
    #[arg(long, help_heading = "Running")]
    pub unordered: bool,
    #[command(flatten)]
    pub run: RunArgs,
}
