//! The options of `truesum find`: names, help and values only. `plan.rs` validates them.

use crate::options::{KeyArgs, RunArgs};
use crate::selection::{FilterArgs, WalkArgs};
use crate::values::size::size;
use crate::values::table::{FormatParser, KeyedSpecParser};
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;
use truesum::hash::Spec;
use truesum::manifest::Format;

/// Find files by digest, regardless of name
#[derive(Args)]
#[command(
    override_usage = "truesum find [OPTIONS] <DIGEST>... <DIR>...\n       truesum find [OPTIONS] --manifest <FILE> <DIR>..."
)]
#[command(after_help = "\
Examples:
  truesum find d41d8cd98f00b204e9800998ecf8427e /data
  truesum find -a sha256 --size 734003200 ba7816bf... e3b0c442... /data /mnt
  truesum find --manifest old/SHA256SUMS /data  find the files of a manifest
  truesum find -0 ba7816bf... . | xargs -0 ls -l
Output fields are separated by tabs: `found FILE DIGEST ALGORITHM` or `absent DIGEST`.
Exit status: 0 all found, 1 some not found, 2 no file was selected, or not everything could be read (so \"absent\" may be wrong).")]
pub struct FindArgs {
    /// Digests, then files and folders to search
    ///
    /// The digests can be in any encoding that `truesum identify` accepts.
    #[arg(value_name = "DIGEST... DIR", value_hint = ValueHint::AnyPath, required = true)]
    pub words: Vec<OsString>,
    /// Digest algorithms [default: the common ones for the digest's length]
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',', value_parser = KeyedSpecParser)]
    #[arg(hide_possible_values = true)]
    pub algorithm: Vec<Spec>,
    /// Try every algorithm that can produce such a digest, including rare ones
    #[arg(long, conflicts_with_all = ["algorithm", "manifest"])]
    pub all_algorithms: bool,
    /// Read only files of exactly SIZE bytes
    #[arg(long, value_name = "SIZE", value_parser = size, conflicts_with = "manifest")]
    pub size: Option<u64>,
    /// Find the files listed in this manifest
    ///
    /// They are found by digest and size, regardless of name.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub manifest: Vec<PathBuf>,
    /// Format of the manifest [default: detected]
    #[arg(short = 't', long, value_name = "NAME", value_parser = FormatParser, hide_possible_values = true, requires = "manifest")]
    pub format: Option<&'static Format>,
    /// Only warn about malformed lines
    #[arg(long, requires = "manifest")]
    pub lenient: bool,

    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub ways: WalkArgs,

    /// Print only names, each terminated by NUL
    #[arg(short = '0', long, help_heading = "Running", conflicts_with = "json")]
    pub print0: bool,
    /// Print JSON: one object per line
    ///
    /// There is one object for each file found, then a summary object.
    #[arg(long, help_heading = "Running")]
    pub json: bool,
    /// Print less: no progress, no notes
    #[arg(short, long, help_heading = "Running")]
    pub quiet: bool,
    #[command(flatten)]
    pub key: KeyArgs,
    #[command(flatten)]
    pub run: RunArgs,
}
