//! Completions: the words that are possible at the cursor. A shell script passes the words of the
//! command line and displays the result. Options, algorithms and formats are taken from the tables
//! that also parse them.

use clap::{Arg, ArgAction, Args, Command, ValueEnum, ValueHint};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use truesum::hash::{ALGORITHMS, KEYED};
use truesum::manifest::{FORMATS, algorithm_from_name};
use truesum_fs::name::OsStrExt;

/// The word with which scripts request completions. A file of this name is written `./__complete`.
pub const COMPLETE_WORD: &str = "__complete";

/// The option that prints help with all options.
pub const HELP_ALL: &str = "--help-all";

/// Print the completion script for a shell
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum completions bash > ~/.local/share/bash-completion/completions/truesum
  truesum completions zsh | sudo tee /usr/share/zsh/vendor-completions/_truesum
  truesum completions fish > ~/.config/fish/completions/truesum.fish
  truesum completions powershell | Out-String | iex  (add to $PROFILE)
  source <(truesum completions bash)  for the current shell only
The scripts query the program, so they need not be regenerated after an update.")]
pub struct CompletionsArgs {
    /// Shell to print the script for
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// Shells for which there is a completion script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    #[value(name = "powershell")]
    Pwsh,
}

impl Shell {
    /// Returns the script.
    pub fn script(self) -> &'static str {
        match self {
            Shell::Bash => include_str!("complete/truesum.bash"),
            Shell::Zsh => include_str!("complete/truesum.zsh"),
            Shell::Fish => include_str!("complete/truesum.fish"),
            Shell::Pwsh => include_str!("complete/truesum.ps1"),
        }
    }
}

/// Names added by the shell, which is better at quoting them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Names {
    Nothing,
    Files,
    Folders,
    /// Files, after the offered words.
    Others,
}

/// The completions of a word.
struct Offer {
    names: Names,
    /// Words with their descriptions.
    words: Vec<(String, String)>,
}

impl Offer {
    fn of(names: Names) -> Offer {
        Offer { names, words: Vec::new() }
    }
}

/// Returns the completions of the last of the words after the program's name: a line that specifies
/// which file names the shell adds, then one line per word with a tab and its description.
pub fn answer(program: &Command, words: &[String], subjects: &[(&str, &str)]) -> String {
    let Offer { names, words } = offer(program, words, subjects);
    let names = match names {
        Names::Nothing => "nothing",
        Names::Files => "files",
        Names::Folders => "folders",
        Names::Others => "others",
    };
    let mut text = format!("{names}\n");
    for (word, about) in words {
        let about = about.lines().next().unwrap_or_default();
        text += &format!("{word}\t{about}\n");
    }
    text
}

fn offer(program: &Command, words: &[String], subjects: &[(&str, &str)]) -> Offer {
    let Some((current, before)) = words.split_last() else { return Offer::of(Names::Files) };
    let mut command = program;
    let mut before = before;
    if before.first().is_some_and(|word| word == "help") {
        let mut offer = subcommands(command, current);
        let subjects = subjects.iter().filter(|(name, _)| name.starts_with(current.as_str()));
        offer.words.extend(subjects.map(|(name, about)| ((*name).to_owned(), (*about).to_owned())));
        return Offer { names: Names::Nothing, ..offer };
    }
    while let Some(next) = before.first().and_then(|word| {
        let word = if command.get_name() == program.get_name() && word == "verify" {
            "check"
        } else {
            word.as_str()
        };
        command.find_subcommand(word)
    }) {
        (command, before) = (next, &before[1..]);
    }
    let top = std::ptr::eq(command, program);
    if top && !before.is_empty() {
        // Without a subcommand it is `hash`, or `check` if there is a -c.
        let check = before.iter().any(|word| word == "-c" || word == "--check");
        let name = if check { "check" } else { "hash" };
        command = program.find_subcommand(name).unwrap_or(program);
        before = if check && before[0].starts_with("-c") { &before[1..] } else { before };
    } else if top {
        let mut offer = subcommands(program, current);
        offer.names = Names::Files;
        if current.starts_with('-') {
            offer = options(program, current);
            offer.words.extend(
                program.find_subcommand("hash").map(|hash| options(hash, current).words).unwrap_or_default(),
            );
            offer.words.dedup_by(|a, b| a.0 == b.0);
            if "--check".starts_with(current.as_str()) {
                offer.words.push(("--check".to_owned(), "Verify files against manifests".to_owned()));
            }
        }
        return offer;
    }
    let mut place = Place { command, positions: 0, pending: None, closed: false };
    before.iter().for_each(|word| place.pass(word));
    place.offer(current)
}

/// The state after the words before the cursor.
struct Place<'c> {
    command: &'c Command,
    /// The number of words that are not options.
    positions: usize,
    /// The option whose value comes next.
    pending: Option<&'c Arg>,
    /// Whether `--` was given.
    closed: bool,
}

impl<'c> Place<'c> {
    fn pass(&mut self, word: &str) {
        match (self.pending, word) {
            // Some shells split `--option=value` at the equals sign.
            (Some(_), "=") => {}
            (Some(_), _) => self.pending = None,
            (None, "--") => self.closed = true,
            (None, word) if !self.closed && word.len() > 1 && word.starts_with('-') => {
                self.pending = self.option(word).filter(|_| !word.contains('='));
            }
            _ => self.positions += 1,
        }
    }

    /// Returns the option in a word if its value is still missing.
    fn option(&self, word: &str) -> Option<&'c Arg> {
        let takes = |arg: &&Arg| matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
        let mut options = self.command.get_arguments().filter(takes);
        match word.strip_prefix("--") {
            Some(long) => {
                let long = long.split('=').next().unwrap_or_default();
                options
                    .find(|arg| arg.get_long_and_visible_aliases().is_some_and(|names| names.contains(&long)))
            }
            // Of combined short options, only the last one can have a value.
            None => {
                let last = word.chars().last()?;
                options.find(|arg| arg.get_short() == Some(last))
            }
        }
    }

    fn offer(&self, current: &str) -> Offer {
        if let Some(arg) = self.pending {
            return self.values(arg, current.strip_prefix('=').unwrap_or(current));
        }
        let valued = if self.closed || !current.starts_with("--") { None } else { current.split_once('=') };
        if let Some((option, value)) = valued {
            let Some(arg) = self.option(option) else { return Offer::of(Names::Nothing) };
            let mut offer = self.values(arg, value);
            offer.words.iter_mut().for_each(|(word, _)| *word = format!("{option}={word}"));
            return offer;
        }
        if !self.closed && current.starts_with('-') {
            return options(self.command, current);
        }
        let mut positions: Vec<&Arg> = self.command.get_positionals().collect();
        positions.sort_by_key(|arg| arg.get_index());
        let here = positions.get(self.positions).or(positions.last());
        let mut offer = here.map_or(Offer::of(Names::Nothing), |arg| self.values(arg, current));
        if self.positions == 0 && self.command.has_subcommands() {
            offer.words.splice(0..0, subcommands(self.command, current).words);
        }
        offer
    }

    /// Returns the completions of a value.
    fn values(&self, arg: &Arg, current: &str) -> Offer {
        if self.command.get_name() == "list" && arg.get_id() == "name" {
            return chosen("", current, algorithms());
        }
        let (done, last) = match (arg.get_value_delimiter(), current.rfind(',')) {
            (Some(','), Some(comma)) => current.split_at(comma + 1),
            _ => ("", current),
        };
        let possible: Vec<_> = arg.get_possible_values();
        if !possible.is_empty() && !matches!(arg.get_action(), ArgAction::SetTrue) {
            let pairs = possible.iter().filter(|value| !value.is_hide_set()).map(|value| {
                (value.get_name().to_owned(), value.get_help().map(ToString::to_string).unwrap_or_default())
            });
            return chosen(done, last, pairs);
        }
        let name = arg.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
        let manifest = matches!(name, "MANIFEST" | "IN" | "SET" | "OLD" | "NEW")
            || self.command.get_name() == "find" && arg.get_id() == "manifest";
        match arg.get_value_hint() {
            ValueHint::FilePath | ValueHint::AnyPath if manifest => {
                let words = manifests(current);
                Offer { names: if words.is_empty() { Names::Files } else { Names::Others }, words }
            }
            ValueHint::FilePath | ValueHint::AnyPath => Offer::of(Names::Files),
            ValueHint::DirPath => Offer::of(Names::Folders),
            ValueHint::Other => Offer::of(Names::Nothing),
            _ if name.starts_with("DIR") => Offer::of(Names::Folders),
            _ if arg.is_positional() || name.ends_with("FILE") || name == "TREE" => Offer::of(Names::Files),
            _ => Offer::of(Names::Nothing),
        }
    }
}

/// Returns all algorithms in the tables.
fn algorithms() -> impl Iterator<Item = (String, String)> {
    let rows = ALGORITHMS.iter().chain(KEYED.iter().copied().flatten());
    rows.map(|row| (row.name().to_owned(), row.summary().to_owned()))
}

/// Returns the pairs whose word begins with `last`. `done`, the completed part before it, is
/// prepended to each word.
fn chosen(done: &str, last: &str, pairs: impl Iterator<Item = (String, String)>) -> Offer {
    let fitting = pairs.filter(|(word, _)| word.starts_with(last));
    let words = fitting.map(|(word, about)| (format!("{done}{word}"), about)).collect();
    Offer { names: Names::Nothing, words }
}

fn subcommands(command: &Command, current: &str) -> Offer {
    let fitting = command.get_subcommands().filter(|sub| sub.get_name().starts_with(current));
    let pairs = fitting
        .filter(|sub| !sub.is_hide_set())
        .map(|sub| (sub.get_name().to_owned(), sub.get_about().map(ToString::to_string).unwrap_or_default()));
    Offer { names: Names::Nothing, words: pairs.collect() }
}

fn options(command: &Command, current: &str) -> Offer {
    let mut words = Vec::new();
    for arg in command.get_arguments().filter(|arg| !arg.is_positional() && !arg.is_hide_set()) {
        let about = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let spelt = match (arg.get_long(), arg.get_short()) {
            (_, Some(short)) if current == format!("-{short}") => format!("-{short}"),
            (Some(long), _) => format!("--{long}"),
            (None, Some(short)) => format!("-{short}"),
            (None, None) => continue,
        };
        if spelt.starts_with(current) {
            words.push((spelt, about));
        }
    }
    let has_more = command.get_arguments().any(Arg::is_hide_short_help_set);
    if has_more && current.starts_with("--") && HELP_ALL.starts_with(current) {
        words.push((HELP_ALL.to_owned(), "Print help with all options".to_owned()));
    }
    Offer { names: Names::Nothing, words }
}

/// Returns the files in the folder of `current` that have names of manifests, in the spelling of
/// `current`.
fn manifests(current: &str) -> Vec<(String, String)> {
    let (folder, begun) = current.rfind('/').map_or(("", current), |slash| current.split_at(slash + 1));
    let place = match folder.strip_prefix("~/") {
        Some(rest) => std::env::var_os("HOME").map(|home| Path::new(&home).join(rest)),
        None if folder.is_empty() => Some(PathBuf::from(".")),
        None => Some(PathBuf::from(folder)),
    };
    let entries = place.and_then(|place| fs::read_dir(place).ok()).into_iter().flatten().flatten();
    let mut found: Vec<(String, String)> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        // Names that need quoting are left to the shell.
        .filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-+@".contains(&byte)))
        .filter(|name| name.starts_with(begun) && is_manifest(name))
        .map(|name| (format!("{folder}{name}"), "manifest".to_owned()))
        .collect();
    found.sort();
    found
}

/// Returns whether a file has the name of a manifest.
fn is_manifest(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    algorithm_from_name(OsStr::new(name).as_bytes()).is_some()
        || FORMATS.iter().any(|row| row.file_names().iter().any(|end| lower.ends_with(end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(line: &str) -> (Names, Vec<String>) {
        let mut program = crate::command::definition();
        program.build();
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let offer = offer(&program, &words, &[("trees", "about them")]);
        (offer.names, offer.words.into_iter().map(|(word, _)| word).collect())
    }

    #[test]
    fn files_and_words_are_completed_where_they_are_valid() {
        for (line, names, some) in [
            ("", Names::Files, "check"),
            ("che", Names::Files, "check"),
            ("-", Names::Nothing, "--algorithm"),
            ("-a", Names::Nothing, "-a"),
            ("--ver", Names::Nothing, "--version"),
            ("hash ", Names::Files, ""),
            ("hash x ", Names::Files, ""),
            ("x.iso ", Names::Files, ""),
            ("hash -a bla", Names::Nothing, "blake3"),
            ("-a sha256,bla", Names::Nothing, "sha256,blake3"),
            ("hash --algorithm=bla", Names::Nothing, "--algorithm=blake3"),
            ("hash --algorithm = bla", Names::Nothing, "blake3"),
            ("hash -t hashd", Names::Nothing, "hashdeep"),
            ("hash --color ", Names::Nothing, "never"),
            ("hash --root ", Names::Folders, ""),
            ("hash -o ", Names::Files, ""),
            ("hash -- -", Names::Files, ""),
            ("-c --lock", Names::Nothing, ""),
            ("-c --loca", Names::Nothing, "--locate"),
            ("verify --loca", Names::Nothing, "--locate"),
            ("check --root ", Names::Folders, ""),
            ("tree ", Names::Files, "verify"),
            ("tree verify --re", Names::Nothing, "--resume"),
            ("list ", Names::Nothing, "formats"),
            ("list algorithms tig", Names::Nothing, "tiger"),
            ("help ", Names::Nothing, "trees"),
            ("help ch", Names::Nothing, "check"),
            ("hash --help", Names::Nothing, "--help-all"),
            ("hash --overw", Names::Nothing, "--overwrite"),
            ("bag ", Names::Nothing, "create"),
            ("bag create ", Names::Folders, ""),
            ("torrent create --protocol ", Names::Nothing, "hybrid"),
            ("completions ", Names::Nothing, "fish"),
        ] {
            let (added, words) = offered(line);
            assert_eq!(added, names, "{line}");
            assert!(some.is_empty() || words.iter().any(|word| word == some), "{line}: {words:?}");
        }
        assert!(!offered("hash --se").1.iter().any(|word| word == "check"));
    }

    #[test]
    fn manifests_are_completed_before_other_files() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["SHA256SUMS", "x.iso", "x.iso.sha256", "photos.sfv", "README", "with blank.md5"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        let at = dir.path().to_str().unwrap();
        let found: Vec<String> = manifests(&format!("{at}/")).into_iter().map(|(word, _)| word).collect();
        assert_eq!(found, ["SHA256SUMS", "photos.sfv", "x.iso.sha256"].map(|name| format!("{at}/{name}")));
        assert_eq!(manifests(&format!("{at}/x")).len(), 1);
        assert_eq!(offered(&format!("check {at}/")).0, Names::Others);
    }
}
