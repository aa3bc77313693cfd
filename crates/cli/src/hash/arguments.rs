//! The options of `truesum hash`: names, help and values only. `plan.rs` validates them.

use crate::ending::Ending;
use crate::options::{KeyArgs, ReadArgs, RunArgs};
use crate::selection::SelectArgs;
use crate::values::path::output_file;
use crate::values::table::{EncodingParser, FileSpecParser, FormatParser};
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;
use truesum::hash::Spec;
use truesum::manifest::{Format, Spelling};

/// Compute digests of files and of all files in folders
#[derive(Args, Default)]
#[command(after_help = "\
Examples:
  truesum hash *.iso                   print digests like sha256sum
  truesum hash -o SHA256SUMS .         write a manifest of this folder
  truesum hash -a blake3 -j 4 /data    use another algorithm and 4 threads
  truesum hash -a 's3-etag;part=8MiB' disk.iso  compute an S3 multipart ETag
  truesum hash --per-directory photos  write a manifest into each folder
  find . -size +1M -print0 | truesum hash --files0-from -
Files that cannot be read are reported on standard error and left out of the output. \
The exit status is then 1, and the file specified with -o is not changed. \
To sign a manifest, see truesum help signatures.")]
pub struct HashArgs {
    /// Files and folders to hash; - is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<OsString>,
    #[command(flatten)]
    pub algorithms: AlgorithmArgs,
    /// Write to FILE, atomically [default: standard output]
    ///
    /// Names are then relative to FILE's folder.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = output_file())]
    pub output: Option<PathBuf>,
    /// Replace FILE even if it is not a manifest, or if files it lists are now corrupt
    #[arg(hide_short_help = true)]
    #[arg(long)]
    pub overwrite: bool,
    /// Allow names and links that lead outside the folder
    ///
    /// The names of such files are written as absolute paths. `truesum check` also requires --allow-outside to accept
    /// them.
    #[arg(hide_short_help = true)]
    #[arg(long, requires = "output")]
    pub allow_outside: bool,
    /// Do not store include and exclude rules in manifests, and ignore stored ones
    #[arg(hide_short_help = true)]
    #[arg(long, requires = "output")]
    pub no_stored_rules: bool,
    /// Write the result even if some files could not be read (they are left out)
    #[arg(hide_short_help = true)]
    #[arg(long, requires = "output")]
    pub partial: bool,
    /// Write the manifest even if it would be empty
    #[arg(hide_short_help = true)]
    #[arg(long, requires = "output")]
    pub allow_empty: bool,
    /// Folder that names are relative to [default: with -o, FILE's folder]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub root: Option<PathBuf>,
    /// Accepted for compatibility; folders are always searched recursively
    #[arg(short, long, short_alias = 'R', hide_short_help = true)]
    pub recursive: bool,

    #[command(flatten)]
    pub format: FormatArgs,

    /// Write one manifest into each folder, for the files in it
    #[arg(long, help_heading = "Other output", conflicts_with_all = ["output", "root", "raw", "zero"])]
    #[arg(conflicts_with_all = ["files_from", "files0_from", "unordered", "format_string"])]
    pub per_directory: bool,
    /// Write a manifest next to each file, one per algorithm: disk.iso.sha256
    #[arg(long, help_heading = "Other output", conflicts_with_all = ["output", "root", "raw", "zero"])]
    #[arg(conflicts_with_all = ["per_directory", "format_string"])]
    pub sidecar: bool,
    #[command(flatten)]
    pub select: SelectArgs,
    #[command(flatten)]
    pub reads: ReadArgs,
    #[command(flatten)]
    pub run: RunArgs,
    /// Print results as soon as they are ready, in any order
    #[arg(hide_short_help = true)]
    #[arg(long, help_heading = "Running")]
    pub unordered: bool,
    /// Level of detail of the final summary [default: none, or short with -v]
    #[arg(hide_short_help = true)]
    #[arg(long, value_name = "LEVEL", help_heading = "Running")]
    pub summary: Option<Ending>,
    /// Print less: no progress, no notes
    #[arg(short, long, help_heading = "Running")]
    pub quiet: bool,
    /// The torrent to create; set by `truesum torrent create`.
    #[arg(skip)]
    pub torrent: TorrentOptions,
}

/// The contents of a torrent in addition to its files.
#[derive(Clone, Debug, Default)]
pub struct TorrentOptions {
    /// The tracker's URL.
    pub announce: Option<OsString>,
    /// Whether clients find peers only through the tracker.
    pub private: bool,
    /// Piece size in bytes; `None` chooses it by the total size.
    pub piece_size: Option<u64>,
}

/// The algorithms to compute, and their parameters.
#[derive(Args, Default)]
pub struct AlgorithmArgs {
    /// Digest algorithms [default: sha256, or the format's default]
    ///
    /// All digests are computed in one pass. `truesum list algorithms` shows the available algorithms.
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',', value_parser = FileSpecParser)]
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
    /// Customization string (cSHAKE, KMAC, KangarooTwelve) or context string (BLAKE3)
    #[arg(long, value_name = "TEXT", hide_short_help = true)]
    pub customization: Option<OsString>,
}

/// Options for the form in which digests are written.
#[derive(Args, Default)]
pub struct FormatArgs {
    /// Write lines that name the algorithm: SHA256 (NAME) = ...
    #[arg(long, help_heading = "Format", conflicts_with_all = ["json", "raw", "format"])]
    pub tag: bool,
    /// Print JSON: one object per line
    ///
    /// Each object contains the path, the size, the digests and, for files, the modification time.
    #[arg(long, help_heading = "Format", conflicts_with_all = ["zero", "raw", "format"])]
    pub json: bool,
    /// End lines with NUL instead of a line feed, and do not escape names
    #[arg(short, long, help_heading = "Format", conflicts_with_all = ["raw", "format"])]
    pub zero: bool,
    /// Format the output for each file with a template such as '%{sha-256} %p\n'
    ///
    /// %p path, %f name, %d folder, %s size (%10s, %010s), %{mtime} in UTC, %l ed2k link, %{ALGORITHM}, %m MD5, %h
    /// SHA-1, %c CRC-32. An upper-case letter prints the digest in upper case. Prefixes: x hexadecimal, b base32, B
    /// base64, @ raw bytes, u or U URL encoding.
    #[arg(long, alias = "printf", value_name = "TEMPLATE", help_heading = "Format", hide_short_help = true)]
    #[arg(conflicts_with_all = ["algorithm", "length", "seed", "customization", "tag", "json", "zero", "format", "raw", "base64", "base32", "uppercase", "encoding", "key_file", "key_fd"])]
    pub format_string: Option<OsString>,
    /// Output format [default: from the name of the output file, if any, else gnu]
    ///
    /// `truesum list formats` shows the available formats.
    #[arg(short = 't', long, value_name = "NAME", help_heading = "Format", value_parser = FormatParser)]
    #[arg(hide_possible_values = true, conflicts_with = "raw")]
    pub format: Option<&'static Format>,
    /// Style of the comments in SFV files: plain, or as written by another program
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
    /// Encoding of the digests [default: hexadecimal]
    ///
    /// Examples: base58, base64url, nix32, bubblebabble. The error message for an unknown NAME lists all encodings. Only
    /// hexadecimal, base64 and base32 can be read back, so other encodings cannot be combined with -o.
    #[arg(hide_short_help = true, hide_possible_values = true)]
    #[arg(long, value_name = "NAME", help_heading = "Format", value_parser = EncodingParser)]
    #[arg(conflicts_with_all = ["raw", "base64", "base32", "uppercase", "json"])]
    pub encoding: Option<Spelling>,
    /// Print the raw digest bytes of a single input
    #[arg(long, help_heading = "Format")]
    pub raw: bool,
}
