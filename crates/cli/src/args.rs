//! The command line as the user types it: names, help and values, nothing else. `config.rs` checks what it means.
//!
//! Algorithms and formats come from their tables, so that a new row is an option value, a completion and a line of the
//! man page without an edit here.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
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

/// Columns that help is made for, at most.
const WIDTH: usize = 100;

/// Compute and verify file checksums
#[derive(Parser)]
#[command(name = "truesum", version, after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
#[command(disable_help_subcommand = true, args_override_self = true, max_term_width = WIDTH)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// One row for each subcommand.
#[derive(Subcommand)]
pub enum Command {
    Hash(HashArgs),
    Check(CheckArgs),
    Tree(crate::tree::TreeArgs),
    List(ListArgs),
    Bench(truesum_bench::args::Bench),
    Completions(CompletionsArgs),
    Man(ManArgs),
    InstallLinks(LinksArgs),
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
    /// Manifests; - is standard input
    #[arg(value_name = "MANIFEST", required = true, value_hint = ValueHint::FilePath)]
    pub manifests: Vec<OsString>,
    /// Compare FILE with this one digest, as a web page shows it
    #[arg(long, value_name = "DIGEST", conflicts_with_all = ["root", "exact", "ignore_missing", "require", "format"])]
    pub expect: Option<String>,
    /// Algorithms of lines that do not name theirs; lines of others are refused
    #[arg(short, long, value_name = "NAME,...", value_delimiter = ',', value_parser = SpecParser)]
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
    /// Read devices, pipes and sockets too, to their end
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

/// Show what there is: algorithms and their security, kernels of this CPU, manifest formats
#[derive(Args)]
pub struct ListArgs {
    /// What to list
    #[arg(value_name = "WHAT")]
    pub what: Listing,
    /// One JSON object per line
    #[arg(long)]
    pub json: bool,
}

/// A table to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Listing {
    Algorithms,
    Kernels,
    Formats,
}

/// Print a shell's completions
#[derive(Args)]
#[command(after_help = "\
Install:
  truesum completions bash | sudo tee /usr/share/bash-completion/completions/truesum >/dev/null
  truesum completions zsh  | sudo tee /usr/share/zsh/vendor-completions/_truesum >/dev/null
  truesum completions fish > ~/.config/fish/completions/truesum.fish")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// Print the man page, or write all man pages to a folder
#[derive(Args)]
#[command(after_help = "\
Install:
  sudo truesum man /usr/local/share/man/man1")]
pub struct ManArgs {
    /// Where to write truesum.1 and a page for each subcommand
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
}

/// Link md5sum, sha256sum, b3sum ... to this program in a folder
#[derive(Args)]
#[command(after_help = "\
Under these names truesum behaves as the program of that name does. Put the folder first in PATH:
  truesum install-links ~/.local/lib/truesum && PATH=~/.local/lib/truesum:$PATH")]
pub struct LinksArgs {
    /// Where to make the links
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Replace files that are there
    #[arg(long)]
    pub force: bool,
}

/// Reads `sha256`, `blake2b-256` ...; offers the names of the table.
#[derive(Clone)]
pub struct SpecParser;

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
    let given = arguments.clone();
    let arguments = complete(arguments);
    if misspelt(&given, &arguments) {
        // Clap knows which subcommand is meant; where it does not, the word is a file that is not there.
        match Cli::try_parse_from(&given) {
            Err(error) if error.get(ContextKind::SuggestedSubcommand).is_none() => {}
            result => return result,
        }
    }
    // Most runs are one of these, and the definitions of all subcommands take longer than hashing a small file.
    let command = match arguments.get(1).and_then(|word| word.to_str()) {
        Some("hash") => Command::Hash(parse_alone(&arguments)?),
        Some("check") => Command::Check(parse_alone(&arguments)?),
        _ => return Cli::try_parse_from(&arguments),
    };
    Ok(Cli { command })
}

/// Parses the arguments of one subcommand without defining the others.
fn parse_alone<T: Args + FromArgMatches>(arguments: &[OsString]) -> Result<T, clap::Error> {
    let name = arguments[1].to_string_lossy().into_owned();
    let command = T::augment_args(clap::Command::new("truesum")).bin_name(format!("truesum {name}"));
    let command = command.args_override_self(true).max_term_width(WIDTH);
    T::from_arg_matches(&command.try_get_matches_from(&arguments[1..])?)
}

/// Whether the first word may be a subcommand with a slip in it: it was taken for a file, and there is none.
fn misspelt(given: &[OsString], completed: &[OsString]) -> bool {
    let Some(first) = given.get(1) else { return false };
    let is_word = first.as_bytes().iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'-');
    given.len() != completed.len()
        && is_word
        && !first.as_bytes().starts_with(b"-")
        && std::fs::symlink_metadata(first).is_err()
}

/// Puts the subcommand in that the user left out.
fn complete(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let known = |word: &OsStr| {
        let word = word.to_str();
        matches!(word, Some("-h" | "--help" | "-V" | "--version"))
            || word.is_some_and(Command::has_subcommand)
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
    fn a_subcommand_by_itself_is_what_it_is_among_the_others() {
        let mut whole = Cli::command();
        whole.build();
        for (name, alone) in [
            ("hash", HashArgs::augment_args(clap::Command::new("truesum"))),
            ("check", CheckArgs::augment_args(clap::Command::new("truesum"))),
        ] {
            let among = whole.find_subcommand(name).unwrap();
            let ids = |command: &clap::Command| -> Vec<String> {
                command
                    .get_arguments()
                    .map(|arg| arg.get_id().to_string())
                    .filter(|id| id != "help")
                    .collect()
            };
            assert_eq!(ids(&alone), ids(among));
            assert_eq!(
                alone.get_about().map(ToString::to_string),
                among.get_about().map(ToString::to_string)
            );
        }
    }

    #[test]
    fn a_missing_subcommand_is_put_in() {
        assert_eq!(completed(&["a", "b"]), ["hash", "a", "b"]);
        assert_eq!(completed(&["-a", "md5", "a"]), ["hash", "-a", "md5", "a"]);
        assert_eq!(completed(&["-c", "M"]), ["check", "M"]);
        assert_eq!(completed(&["--quiet", "-c", "M"]), ["check", "--quiet", "M"]);
        assert_eq!(completed(&["--", "-c"]), ["hash", "--", "-c"]);
        assert_eq!(completed(&["check", "M"]), ["check", "M"]);
        assert_eq!(completed(&["--help"]), ["--help"]);
    }
}
