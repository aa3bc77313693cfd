//! The options of `truesum find`: names, help and values, nothing else. `plan.rs` checks what they mean.

use crate::options::{KeyArgs, RunArgs};
use crate::selection::{FilterArgs, WaysArgs};
use crate::values::size::size;
use crate::values::table::{FormatParser, KeyedSpecParser};
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;
use truesum::hash::Spec;
use truesum::manifest::Format;

/// Find files by their digests, whatever they are called
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum find d41d8cd98f00b204e9800998ecf8427e /data   every algorithm it may be of, in one read
  truesum find -a sha256 --size 734003200 ba7816bf... e3b0c442... /data /mnt
  truesum find --manifest old/SHA256SUMS /data          all that a manifest lists
  truesum find -z ba7816bf... . | xargs -0 ls -l
A line is found, the file and the digest, with tabs between them, and by which algorithm; or absent and the digest.
Exit status: 0 all found; 1 some not; 2 not everything could be read, so that what is absent may be there.")]
pub struct FindArgs {
    /// Digests, spelled as `truesum identify` takes them, and then the files and folders to look in
    #[arg(value_name = "DIGEST... DIR", value_hint = ValueHint::AnyPath, required = true)]
    pub words: Vec<OsString>,
    /// Algorithms that the digests are of [default: all they may be of]
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',', value_parser = KeyedSpecParser)]
    #[arg(hide_possible_values = true)]
    pub algorithm: Vec<Spec>,
    /// Read only files of this size
    #[arg(long, value_name = "SIZE", value_parser = size, conflicts_with = "manifest")]
    pub size: Option<u64>,
    /// Look for all that this manifest lists, of the sizes it lists
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub manifest: Vec<PathBuf>,
    /// The manifest's format, if it is not recognised; see `truesum list formats`
    #[arg(long, value_name = "NAME", value_parser = FormatParser, hide_possible_values = true, requires = "manifest")]
    pub format: Option<&'static Format>,
    /// Warn of malformed lines, and do not fail
    #[arg(long, requires = "manifest")]
    pub lenient: bool,

    #[command(flatten)]
    pub filter: FilterArgs,
    #[command(flatten)]
    pub ways: WaysArgs,

    /// Print names of files found, each ended by NUL, and nothing else
    #[arg(short, long, help_heading = "Running", conflicts_with = "json")]
    pub zero: bool,
    /// One JSON object per file found, and one for the whole
    #[arg(long, help_heading = "Running")]
    pub json: bool,
    /// No progress line and no summary
    #[arg(short, long, help_heading = "Running")]
    pub quiet: bool,
    #[command(flatten)]
    pub key: KeyArgs,
    #[command(flatten)]
    pub run: RunArgs,
}
