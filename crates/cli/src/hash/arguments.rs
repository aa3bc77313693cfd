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
  truesum hash *.iso                        lines as sha256sum writes them
  truesum hash -o SHA256SUMS .              a manifest of this folder, written whole or not at all
  truesum hash -a blake3 -j 4 /data         another algorithm, four threads
  truesum hash --per-directory photos       a SHA256SUMS in each folder
  find . -size +1M -print0 | truesum hash --files0-from -
Files that cannot be read are named on stderr, never in the output; the exit status is then 1,
and a file named by -o stays as it was.")]
pub struct HashArgs {
    /// Files and folders; - is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<OsString>,
    /// Algorithms, computed in one read [default: sha256, or the format's own]; see `truesum list algorithms`
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',', value_parser = KeyedSpecParser)]
    #[arg(hide_possible_values = true)]
    pub algorithm: Vec<Spec>,
    /// Length of the digest, where the algorithm has a choice
    #[arg(short, long, value_name = "BITS")]
    pub length: Option<usize>,
    #[command(flatten)]
    pub key: KeyArgs,
    /// Where the state of xxHash and murmur3 begins; in decimal
    #[arg(long, value_name = "NUMBER", hide_short_help = true)]
    pub seed: Option<u64>,
    /// What tells one use of cSHAKE, KMAC and KangarooTwelve from another; BLAKE3's context
    #[arg(long, value_name = "TEXT", hide_short_help = true)]
    pub customization: Option<OsString>,
    /// Write to this file, whole or not at all; names become relative to its folder
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = output_file())]
    pub output: Option<PathBuf>,
    /// Replace any file, also a manifest that records other content of unmodified files
    #[arg(hide_short_help = true)]
    #[arg(long)]
    pub overwrite: bool,
    /// Write absolute names of files outside the manifest's folder; check needs --allow-outside too
    #[arg(hide_short_help = true)]
    #[arg(long, requires = "output")]
    pub allow_outside: bool,
    /// Write it also if files could not be read: with what could
    #[arg(hide_short_help = true)]
    #[arg(long, requires = "output")]
    pub partial: bool,
    /// Write it also if there is no file to list
    #[arg(hide_short_help = true)]
    #[arg(long, requires = "output")]
    pub allow_empty: bool,
    /// Write names relative to this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub root: Option<PathBuf>,
    /// Folders are walked without being asked to: changes nothing
    #[arg(short, long, short_alias = 'R', hide_short_help = true)]
    pub recursive: bool,

    /// Lines that name their algorithm: SHA256 (file) = ... (best for several algorithms)
    #[arg(long, help_heading = "Format", conflicts_with_all = ["json", "raw", "format"])]
    pub tag: bool,
    /// One JSON object per line: path, size, time, digests
    #[arg(long, help_heading = "Format", conflicts_with_all = ["zero", "raw", "format"])]
    pub json: bool,
    /// End lines with NUL and write names unescaped
    #[arg(short, long, help_heading = "Format", conflicts_with_all = ["raw", "format"])]
    pub zero: bool,
    /// Lines by a template as RHash's --printf has them: '%{sha-256} %p\n'
    ///
    /// %p path, %f name, %d folder, %s size (%10s, %010s), %{mtime} in UTC, %l ed2k link, %{ALGORITHM}, %m MD5, %h SHA-1,
    /// %c CRC-32; capitals in capitals; before them %x hexadecimal, %b base 32, %B base64, %@ bytes, %u or %U as in URLs.
    #[arg(long, alias = "printf", value_name = "TEMPLATE", help_heading = "Format", hide_short_help = true)]
    #[arg(conflicts_with_all = ["algorithm", "length", "seed", "customization", "tag", "json", "zero", "format", "raw", "base64", "base32", "uppercase", "encoding", "per_directory", "sidecar", "embed_crc", "key_file", "key_fd"])]
    pub format_string: Option<OsString>,
    /// Any other format; see `truesum list formats`
    #[arg(short = 't', long, value_name = "NAME", help_heading = "Format", value_parser = FormatParser)]
    #[arg(hide_possible_values = true, conflicts_with = "raw")]
    pub format: Option<&'static Format>,
    /// Where a torrent's peers are found
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "URL", help_heading = "Format")]
    pub announce: Option<OsString>,
    /// Bytes of a torrent's pieces, a power of two [default: by the size of all files]
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Format")]
    pub piece_size: Option<u64>,
    /// What stands around the lines of an SFV: a banner [plain], or what these programs write
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "STYLE", help_heading = "Format", value_parser = ["plain", "cksfv", "rhash", "cfv", "win"])]
    pub sfv_style: Option<String>,
    /// Digests in base64
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Format", conflicts_with_all = ["raw", "uppercase", "base32"])]
    pub base64: bool,
    /// Digests in base 32, as Gnutella and DC++ have them
    #[arg(long, help_heading = "Format", conflicts_with_all = ["raw", "uppercase", "json"], hide_short_help = true)]
    pub base32: bool,
    /// Digests in upper case
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Format", conflicts_with = "raw")]
    pub uppercase: bool,
    /// Digests spelled in another way: base58, base64url, nix32, bubblebabble and others
    ///
    /// Lists are read back in hexadecimal, base 64 and base 32 alone, so with any other nothing is written to a file. Any other name
    /// tells which there are.
    #[arg(hide_short_help = true, hide_possible_values = true)]
    #[arg(long, value_name = "NAME", help_heading = "Format", value_parser = EncodingParser)]
    #[arg(conflicts_with_all = ["raw", "base64", "base32", "uppercase", "json", "embed_crc"])]
    pub encoding: Option<Spelling>,
    /// The bytes of the digest of one file, nothing else
    #[arg(long, help_heading = "Format")]
    pub raw: bool,

    /// Write a manifest into each folder, of the files in it
    #[arg(long, help_heading = "Something else than one list", conflicts_with_all = ["output", "root", "raw", "zero"])]
    #[arg(conflicts_with_all = ["files_from", "files0_from", "unordered", "announce", "piece_size"])]
    pub per_directory: bool,
    /// Write a manifest beside each file, one for each algorithm: disk.iso.sha256
    #[arg(long, help_heading = "Something else than one list", conflicts_with_all = ["output", "root", "raw", "zero"])]
    #[arg(conflicts_with_all = ["per_directory", "announce", "piece_size"])]
    pub sidecar: bool,
    /// Rename files to name [CBF43926].mkv; without --yes, tell how
    #[arg(long, help_heading = "Something else than one list", conflicts_with_all = ["output", "root", "raw", "algorithm"])]
    #[arg(conflicts_with_all = ["per_directory", "sidecar", "format", "json", "tag", "zero", "base64", "length"])]
    pub embed_crc: bool,
    /// Rename, with --embed-crc: nothing is ever replaced
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Something else than one list", requires = "embed_crc")]
    pub yes: bool,
    /// Make a bag (RFC 8493) of each folder, or complete it: its payload lies in data [default algorithm: sha512]
    ///
    /// What is in data is listed in manifest-ALG.txt, what is beside it in tagmanifest-ALG.txt; bag-info.txt is counted and
    /// dated, bagit.txt comes last. What older manifests list has to be there and be the same, or nothing is written.
    #[arg(long, help_heading = "Something else than one list", hide_short_help = true)]
    #[arg(conflicts_with_all = ["output", "root", "raw", "zero", "json", "tag", "base64", "base32", "uppercase", "per_directory"])]
    #[arg(conflicts_with_all = ["sidecar", "embed_crc", "text", "text_lines", "format_string", "announce", "piece_size", "files_from"])]
    #[arg(conflicts_with_all = ["files0_from", "include", "exclude", "newer", "older", "min_size", "max_size", "gitignore", "special", "unordered"])]
    pub bag: bool,
    /// Move all that is in the folder to data first, with --bag
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Something else than one list", requires = "bag", conflicts_with = "follow")]
    pub in_place: bool,
    /// What bag-info.txt says beside: Contact-Name=Ada; Bagging-Date=2026-01-31 instead of today
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "LABEL=VALUE", help_heading = "Something else than one list", requires = "bag", value_parser = field)]
    pub bag_info: Vec<(String, String)>,
    /// The digest of this text itself; --text-lines FILE has that of each line
    #[arg(
        long,
        value_name = "TEXT",
        help_heading = "Something else than one list",
        allow_hyphen_values = true
    )]
    #[arg(conflicts_with_all = ["files", "output", "root", "files_from", "files0_from", "per_directory", "sidecar", "embed_crc"])]
    pub text: Vec<OsString>,
    /// The digest of each line of this file, without what ends the line; - is standard input
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Something else than one list")]
    #[arg(conflicts_with_all = ["files", "output", "root", "files_from", "files0_from", "per_directory", "sidecar", "embed_crc", "text", "raw"])]
    pub text_lines: Option<PathBuf>,

    #[command(flatten)]
    pub select: SelectArgs,
    #[command(flatten)]
    pub run: RunArgs,
    /// Print results as they are ready, in no order
    #[arg(long, help_heading = "Running")]
    pub unordered: bool,
    /// How much is said at the end [default: none; with -v short]
    #[arg(long, value_name = "HOW", help_heading = "Running")]
    pub summary: Option<Ending>,
    /// No progress line and no notes about files passed over
    #[arg(short, long, help_heading = "Running")]
    pub quiet: bool,
}
