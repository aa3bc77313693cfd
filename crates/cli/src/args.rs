//! The command line as the user types it: names, help and values, nothing else. `config.rs` checks what it means.
//!
//! Algorithms and formats come from their tables, so that a new row is an option value, a completion and a line of the
//! man page without an edit here.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use truesum::hash::{ALGORITHMS, Spec};
use truesum::manifest::{FORMATS, Format};

const EXAMPLES: &str = "\
Examples:
  truesum disk.iso                          print its SHA-256
  truesum -o photos.sha256 photos           write a manifest of a folder
  truesum -c photos.sha256                  check it
  truesum -a sha256,blake3 --tag disk.iso   two digests, one read

truesum FILE... is short for truesum hash FILE..., truesum -c MANIFEST for truesum check MANIFEST.
Exit status: 0 done and good, 1 a file is not good or not readable, 2 not done as asked.";

/// Compute and verify file checksums
#[derive(Parser)]
#[command(name = "truesum", version, after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
#[command(disable_help_subcommand = true, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// One row for each subcommand.
#[derive(Subcommand)]
pub enum Command {
    Hash(HashArgs),
}

/// Compute digests of files and of all files in folders
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum hash *.iso                        lines as sha256sum writes them
  truesum hash -o SHA256SUMS .              a manifest of this folder, written whole or not at all
  truesum hash -a blake3 -j 4 /data         another algorithm, four threads
  find . -size +1M -print0 | truesum hash --files0-from -
Files that cannot be read are named on stderr, never in the output; the exit status is then 1.")]
pub struct HashArgs {
    /// Files and folders; - is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::AnyPath)]
    pub files: Vec<OsString>,
    /// Algorithms, computed in one read [default: sha256]; see `truesum list algorithms`
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',', value_parser = SpecParser)]
    #[arg(hide_possible_values = true)]
    pub algorithm: Vec<Spec>,
    /// Length of the digest, where the algorithm has a choice
    #[arg(short, long, value_name = "BITS")]
    pub length: Option<usize>,
    /// Write to this file, whole or not at all; names become relative to its folder
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Write names relative to this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub root: Option<PathBuf>,
    /// Folders are walked without being asked to: changes nothing
    #[arg(short, long, short_alias = 'R', hide = true)]
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
    /// Any other format; see `truesum list formats`
    #[arg(long, value_name = "NAME", help_heading = "Format", value_parser = FormatParser)]
    #[arg(hide_possible_values = true, conflicts_with = "raw")]
    pub format: Option<&'static Format>,
    /// Digests in base64
    #[arg(long, help_heading = "Format", conflicts_with_all = ["raw", "uppercase"])]
    pub base64: bool,
    /// Digests in upper case
    #[arg(long, help_heading = "Format", conflicts_with = "raw")]
    pub uppercase: bool,
    /// The bytes of the digest of one file, nothing else
    #[arg(long, help_heading = "Format")]
    pub raw: bool,

    #[command(flatten)]
    pub select: SelectArgs,
    #[command(flatten)]
    pub run: RunArgs,
    /// Print results as they are ready, in no order
    #[arg(long, help_heading = "Running")]
    pub unordered: bool,
    /// No progress line and no notes about files passed over
    #[arg(short, long, help_heading = "Running")]
    pub quiet: bool,
}

/// Which files.
#[derive(Args)]
#[command(next_help_heading = "Selection")]
pub struct SelectArgs {
    /// Read names from this file, one a line; - is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "files")]
    pub files_from: Option<PathBuf>,
    /// Read names from this file, each ended by NUL; - is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["files", "files_from"])]
    pub files0_from: Option<PathBuf>,
    /// Only files that match this glob
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// No files or folders that match this glob
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Leave out what .gitignore files leave out
    #[arg(long)]
    pub gitignore: bool,
    /// Stay on the file system of each folder given
    #[arg(short = 'x', long)]
    pub one_file_system: bool,
    /// Follow symbolic links found in folders
    #[arg(short = 'L', long)]
    pub follow: bool,
    /// Read devices, pipes and sockets too, to their end
    #[arg(long)]
    pub special: bool,
}

/// How it is done and told, for every command that reads files.
#[derive(Args)]
#[command(next_help_heading = "Running")]
pub struct RunArgs {
    /// Threads that read and hash [default: one a core]
    #[arg(short = 'j', long = "jobs", alias = "threads", value_name = "N")]
    pub threads: Option<usize>,
    /// No progress line
    #[arg(long)]
    pub no_progress: bool,
    /// Tell what was passed over, and how fast it went
    #[arg(short, long)]
    pub verbose: bool,
    /// Colours
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_default_value = true)]
    pub color: Color,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// Reads `sha256`, `blake2b-256` ...; offers the names of the table.
#[derive(Clone)]
struct SpecParser;

impl TypedValueParser for SpecParser {
    type Value = Spec;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Spec, clap::Error> {
        let text = value.to_string_lossy();
        text.parse().map_err(|error: truesum::hash::SpecError| refuse(command, arg, &text, error.to_string()))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(ALGORITHMS.iter().map(|row| PossibleValue::new(row.name).help(row.summary))))
    }
}

/// Reads the name of a manifest format.
#[derive(Clone)]
struct FormatParser;

impl TypedValueParser for FormatParser {
    type Value = &'static Format;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<&'static Format, clap::Error> {
        let text = value.to_string_lossy();
        let names = || FORMATS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
        let row = truesum::manifest::format(&text);
        row.ok_or_else(|| refuse(command, arg, &text, format!("there are {}", names())))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(FORMATS.iter().map(|row| PossibleValue::new(row.name).help(row.summary))))
    }
}

fn refuse(command: &clap::Command, arg: Option<&clap::Arg>, value: &str, why: String) -> clap::Error {
    let option = arg.map(ToString::to_string).unwrap_or_default();
    let mut error = clap::Error::raw(
        ErrorKind::ValueValidation,
        format!("invalid value '{}' for '{option}': {why}\n", value.escape_debug()),
    )
    .with_cmd(command);
    error.insert(ContextKind::InvalidArg, ContextValue::String(option));
    error
}

/// Reads the command line. What is no subcommand is `hash`, or `check` if it has `-c`.
///
/// # Errors
/// What clap says of it; help and version are such errors too.
pub fn parse(arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    Cli::try_parse_from(complete(arguments))
}

/// Puts the subcommand in that the user left out.
fn complete(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let known = |word: &OsStr| {
        matches!(word.to_str(), Some("-h" | "--help" | "-V" | "--version"))
            || <Cli as clap::CommandFactory>::command().find_subcommand(word).is_some()
    };
    match arguments.get(1) {
        None => {
            // `truesum < file` hashes; at a terminal, where nobody types a file, the help is more use.
            if !std::io::IsTerminal::is_terminal(&std::io::stdin()) {
                arguments.push("hash".into());
            }
        }
        Some(first) if known(first) => {}
        Some(_) => {
            let options = arguments.iter().take_while(|word| *word != "--").count();
            let check = arguments[..options].iter().position(|word| word == "-c" || word == "--check");
            match check {
                Some(at) => {
                    arguments.remove(at);
                    arguments.insert(1, "check".into());
                }
                None => arguments.insert(1, "hash".into()),
            }
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn completed(words: &[&str]) -> Vec<String> {
        let words = std::iter::once("truesum").chain(words.iter().copied()).map(OsString::from).collect();
        complete(words).iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn the_definition_holds_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_missing_subcommand_is_put_in() {
        assert_eq!(completed(&["a", "b"]), ["hash", "a", "b"]);
        assert_eq!(completed(&["-a", "md5", "a"]), ["hash", "-a", "md5", "a"]);
        assert_eq!(completed(&["--", "-c"]), ["hash", "--", "-c"]);
        assert_eq!(completed(&["--help"]), ["--help"]);
    }
}
