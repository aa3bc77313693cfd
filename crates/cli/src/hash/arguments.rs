//! The options of `truesum hash`: names, help and values, nothing else. `plan.rs` checks what they mean.

use crate::ending::Ending;
use crate::hash::bag::info::field;
use crate::options::{KeyArgs, RunArgs};
use crate::selection::SelectArgs;
use crate::values::path::output_file;
use crate::values::size::size;
use crate::values::table::{EncodingParser, FormatParser, KeyedSpecParser};
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;
use truesum::hash::Spec;
use truesum::manifest::{Format, Spelling};

/// Compute digests of files and of all files in folders
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum hash *.iso                        print digests in the format of sha256sum
  truesum hash -o SHA256SUMS .              write a manifest of the current folder
  truesum hash -a blake3 -j 4 /data         use another algorithm and four threads
  truesum hash --per-directory photos       write a SHA256SUMS file into each folder
  find . -size +1M -print0 | truesum hash --files0-from -
Files that cannot be read are reported on standard error and left out of the output. \
The exit status is then 1, and the file given by -o is not changed.")]
pub struct HashArgs {
    /// Files and folders to hash; - is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<OsString>,
    /// Algorithms, all computed in one pass [default: sha256, or the format's own]
    ///
    /// `truesum list algorithms` lists them.
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',', value_parser = KeyedSpecParser)]
    #[arg(hide_possible_values = true)]
    pub algorithm: Vec<Spec>,
    /// Digest length, for algorithms with a variable length
    #[arg(short, long, value_name = "BITS")]
    pub length: Option<usize>,
    #[command(flatten)]
    pub key: KeyArgs,
    /// Seed for xxHash and MurmurHash3, in decimal [default: 0]
    #[arg(long, value_name = "NUMBER", hide_short_help = true)]
    pub seed: Option<u64>,
    /// Customization string of cSHAKE, KMAC, KangarooTwelve; context string of BLAKE3
    #[arg(long, value_name = "TEXT", hide_short_help = true)]
    pub customization: Option<OsString>,
    /// Write the manifest to FILE (atomically); names are relative to FILE's folder
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = output_file())]
    pub output: Option<PathBuf>,
    /// Replace any existing FILE, even if its digests contradict unmodified files
    #[arg(hide_short_help = true)]
    #[arg(long)]
    pub overwrite: bool,
    /// Write absolute names for files outside the manifest's folder
    ///
    /// `truesum check` accepts such names only with its own --allow-outside.
    #[arg(hide_short_help = true)]
    #[arg(long, requires = "output")]
    pub allow_outside: bool,
    /// Write the manifest even if some files could not be read (they are left out)
    #[arg(hide_short_help = true)]
    #[arg(long, requires = "output")]
    pub partial: bool,
    /// Write the manifest even if it would be empty
    #[arg(hide_short_help = true)]
    #[arg(long, requires = "output")]
    pub allow_empty: bool,
    /// Write names relative to DIR
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub root: Option<PathBuf>,
    /// Accepted for compatibility; folders are always searched recursively
    #[arg(short, long, short_alias = 'R', hide_short_help = true)]
    pub recursive: bool,

    /// Write lines that name the algorithm: SHA256 (file) = ...
    #[arg(long, help_heading = "Format", conflicts_with_all = ["json", "raw", "format"])]
    pub tag: bool,
    /// Write one JSON object per line: path, size, modification time and digests
    #[arg(long, help_heading = "Format", conflicts_with_all = ["zero", "raw", "format"])]
    pub json: bool,
    /// End lines with NUL instead of a line feed, and do not escape names
    #[arg(short, long, help_heading = "Format", conflicts_with_all = ["raw", "format"])]
    pub zero: bool,
    /// Print each file using a template, like RHash's --printf: '%{sha-256} %p\n'
    ///
    /// %p path, %f name, %d folder, %s size (%10s, %010s), %{mtime} in UTC, %l ed2k link, %{ALGORITHM}, %m MD5, %h SHA-1,
    /// %c CRC-32. An upper-case letter gives an upper-case digest. Prefixes: x hexadecimal, b base32, B base64, @ raw bytes, u or U
    /// URL encoding.
    #[arg(long, alias = "printf", value_name = "TEMPLATE", help_heading = "Format", hide_short_help = true)]
    #[arg(conflicts_with_all = ["algorithm", "length", "seed", "customization", "tag", "json", "zero", "format", "raw", "base64", "base32", "uppercase", "encoding", "per_directory", "sidecar", "embed_crc", "key_file", "key_fd"])]
    pub format_string: Option<OsString>,
    /// Write another format; `truesum list formats` lists them
    #[arg(short = 't', long, value_name = "NAME", help_heading = "Format", value_parser = FormatParser)]
    #[arg(hide_possible_values = true, conflicts_with = "raw")]
    pub format: Option<&'static Format>,
    /// Tracker URL of the torrent
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "URL", help_heading = "Format")]
    pub announce: Option<OsString>,
    /// Piece size of the torrent, a power of two [default: depends on the total size]
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Format")]
    pub piece_size: Option<u64>,
    /// Style of an SFV file's comments: a plain banner, or that of another program
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "STYLE", help_heading = "Format", value_parser = ["plain", "cksfv", "rhash", "cfv", "win"])]
    pub sfv_style: Option<String>,
    /// Print digests in base64
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Format", conflicts_with_all = ["raw", "uppercase", "base32"])]
    pub base64: bool,
    /// Print digests in base32, as in Gnutella and DC++
    #[arg(long, help_heading = "Format", conflicts_with_all = ["raw", "uppercase", "json"], hide_short_help = true)]
    pub base32: bool,
    /// Print hexadecimal digests in upper case
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Format", conflicts_with = "raw")]
    pub uppercase: bool,
    /// Print digests in another encoding: base58, base64url, nix32, bubblebabble, ...
    ///
    /// Only hexadecimal, base64 and base32 can be read back, so other encodings cannot be combined with -o. An unknown NAME prints
    /// the list of encodings.
    #[arg(hide_short_help = true, hide_possible_values = true)]
    #[arg(long, value_name = "NAME", help_heading = "Format", value_parser = EncodingParser)]
    #[arg(conflicts_with_all = ["raw", "base64", "base32", "uppercase", "json", "embed_crc"])]
    pub encoding: Option<Spelling>,
    /// Print the raw digest bytes of a single file
    #[arg(long, help_heading = "Format")]
    pub raw: bool,

    /// Write one manifest into each folder, for the files in it
    #[arg(long, help_heading = "Other output", conflicts_with_all = ["output", "root", "raw", "zero"])]
    #[arg(conflicts_with_all = ["files_from", "files0_from", "unordered", "announce", "piece_size"])]
    pub per_directory: bool,
    /// Write a manifest next to each file, one per algorithm: disk.iso.sha256
    #[arg(long, help_heading = "Other output", conflicts_with_all = ["output", "root", "raw", "zero"])]
    #[arg(conflicts_with_all = ["per_directory", "announce", "piece_size"])]
    pub sidecar: bool,
    /// Put the CRC-32 in file names: name [CBF43926].mkv (see --yes)
    #[arg(long, help_heading = "Other output", conflicts_with_all = ["output", "root", "raw", "algorithm"])]
    #[arg(conflicts_with_all = ["per_directory", "sidecar", "format", "json", "tag", "zero", "base64", "length"])]
    pub embed_crc: bool,
    /// With --embed-crc, carry out the renames (never replaces a file)
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Other output", requires = "embed_crc")]
    pub yes: bool,
    /// Create a bag (RFC 8493) in each folder, or complete one; the payload is in data
    ///
    /// The default algorithm is sha512. The files in data go into manifest-ALG.txt, the other files into tagmanifest-ALG.txt.
    /// Payload-Oxum and Bagging-Date are added to bag-info.txt; bagit.txt is written last. Files in older manifests must exist and
    /// match, or nothing is written.
    #[arg(long, help_heading = "Other output", hide_short_help = true)]
    #[arg(conflicts_with_all = ["output", "root", "raw", "zero", "json", "tag", "base64", "base32", "uppercase", "per_directory"])]
    #[arg(conflicts_with_all = ["sidecar", "embed_crc", "text", "text_lines", "format_string", "announce", "piece_size", "files_from"])]
    #[arg(conflicts_with_all = ["files0_from", "include", "exclude", "newer", "older", "min_size", "max_size", "gitignore", "special", "unordered"])]
    pub bag: bool,
    /// With --bag, first move everything in the folder to data
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Other output", requires = "bag", conflicts_with = "follow")]
    pub in_place: bool,
    /// Add an entry to bag-info.txt, such as Contact-Name=Ada
    ///
    /// Bagging-Date=2026-01-31 replaces today's date.
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "LABEL=VALUE", help_heading = "Other output", requires = "bag", value_parser = field)]
    pub bag_info: Vec<(String, String)>,
    /// Hash TEXT itself instead of a file
    #[arg(long, value_name = "TEXT", help_heading = "Other output", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["files", "output", "root", "files_from", "files0_from", "per_directory", "sidecar", "embed_crc"])]
    pub text: Vec<OsString>,
    /// Hash each line of FILE, without its line ending; - is standard input
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Other output")]
    #[arg(conflicts_with_all = ["files", "output", "root", "files_from", "files0_from", "per_directory", "sidecar", "embed_crc", "text", "raw"])]
    pub text_lines: Option<PathBuf>,

    #[command(flatten)]
    pub select: SelectArgs,
    #[command(flatten)]
    pub run: RunArgs,
    /// Print results as soon as they are ready, in any order
    #[arg(long, help_heading = "Running")]
    pub unordered: bool,
    /// Detail of the final summary [default: none; with -v short]
    #[arg(long, value_name = "LEVEL", help_heading = "Running")]
    pub summary: Option<Ending>,
    /// Show no progress line and no notes about skipped files
    #[arg(short, long, help_heading = "Running")]
    pub quiet: bool,
}
