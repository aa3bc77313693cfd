//! The command line: determines the subcommand, whose options are defined in its own module.

mod globals;
mod guesses;
mod hints;

use self::globals::{Globals, without_check};
use crate::audit::arguments::AuditArgs;
use crate::bag::BagArgs;
use crate::bench::Bench;
use crate::check::arguments::CheckArgs;
use crate::complete::{COMPLETE_WORD, CompletionsArgs, HELP_ALL};
use crate::config::ConfigArgs;
use crate::console::{Console, adapt_hints};
use crate::convert::ConvertArgs;
use crate::diff::arguments::DiffArgs;
use crate::directory::DirectoryArgs;
use crate::docs::ManArgs;
use crate::duplicates::arguments::DuplicatesArgs;
use crate::embed::EmbedArgs;
use crate::exit::{Exit, Refusal};
use crate::find::arguments::FindArgs;
use crate::hash::arguments::HashArgs;
use crate::identify::IdentifyArgs;
use crate::links::LinksArgs;
use crate::list::ListArgs;
use crate::output::print_with;
use crate::scrub::arguments::ScrubArgs;
use crate::settings;
use crate::shard::ShardArgs;
use crate::sign::SignArgs;
use crate::stores::refuse_urls;
use crate::terminal::{Escapes, on_one_line, visible, write_error};
use crate::text::TextArgs;
use crate::topics::{self, Topic};
use crate::torrent::TorrentArgs;
use crate::tree::TreeArgs;
use crate::update::arguments::UpdateArgs;
use crate::values::color::Color;
use crate::values::path::is_url;
use crate::values::table::whole_names;
use crate::words::count;
use clap::builder::{OsStringValueParser, TypedValueParser, ValueParser};
use clap::error::ErrorKind;
use clap::{ArgAction, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::cell::LazyCell;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use truesum_fs::name::{OsStrExt, argument, expanded};

const EXAMPLES: &str = "\
Examples:
  truesum disk.iso                         print its SHA-256
  truesum -o photos.sha256 photos          write a manifest of a folder
  truesum -c photos.sha256                 check it
  truesum -a sha256,blake3 --tag disk.iso  compute two digests in one pass
truesum FILE is shorthand for truesum hash FILE, and truesum -c for truesum check.
truesum help COMMAND lists the common options of COMMAND, and truesum COMMAND --help-all lists all of them. \
truesum help TOPIC explains a topic: exit-status, formats, algorithms, selection, trees, signatures or performance. \
truesum --version -v shows build features and the CPU kernels in use.
Exit status: 0 success, 1 a file failed or could not be read, 2 the command could not be carried out.";

/// The maximum width of help texts in columns.
const WIDTH: usize = 100;

/// Compute and verify file checksums
#[derive(Parser)]
#[command(name = "truesum", version, after_help = EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
#[command(disable_help_subcommand = true, max_term_width = WIDTH)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// One row for each subcommand.
#[derive(Subcommand)]
pub enum Command {
    Hash(HashArgs),
    Check(CheckArgs),
    Audit(AuditArgs),
    Update(UpdateArgs),
    Diff(DiffArgs),
    Scrub(ScrubArgs),
    Bag(BagArgs),
    Torrent(TorrentArgs),
    Text(TextArgs),
    Embed(EmbedArgs),
    Tree(TreeArgs),
    Shard(ShardArgs),
    Directory(DirectoryArgs),
    Convert(ConvertArgs),
    Sign(SignArgs),
    Identify(IdentifyArgs),
    Find(FindArgs),
    Duplicates(DuplicatesArgs),
    List(ListArgs),
    #[cfg_attr(not(feature = "bench"), command(skip))]
    Bench(Bench),
    Config(ConfigArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
    InstallLinks(LinksArgs),
    /// Completes a command line for a shell.
    #[command(skip)]
    Complete(Vec<String>),
    #[command(skip)]
    Topic(&'static Topic),
    #[command(skip)]
    Version,
}

/// Parses the command line. If there is no subcommand, it is `hash`, or `check` with `-c`.
///
/// # Errors
/// Returns clap's error; help and version are also represented as errors.
pub fn parse(called: OsString, mut given: Vec<OsString>) -> Result<Command, clap::Error> {
    // This word is never a file name, even if the program was built without the command.
    #[cfg(not(feature = "bench"))]
    if given.first().is_some_and(|word| word == "bench") {
        return Ok(Command::Bench(Bench));
    }
    let help = Help::requested(&mut given);
    if let Some(command) = move_command_first(&mut given) {
        return Ok(command);
    }
    let word = |at: usize| given.get(at).and_then(|word| word.to_str());
    match (word(0), word(1)) {
        (Some(COMPLETE_WORD), _) => {
            let words = given[1..].iter().map(|word| word.to_string_lossy().into_owned());
            return Ok(Command::Complete(words.collect()));
        }
        (Some("help"), Some(_)) if given.len() > 2 => {
            if let Some(error) = guesses::surplus_in_help(&given[1..]) {
                return Err(error);
            }
        }
        (Some("help"), Some(name)) if given.len() == 2 => {
            let is_command = Command::has_subcommand(name);
            if let Some(topic) = topics::find(name).filter(|_| !is_command) {
                return Ok(Command::Topic(topic));
            }
            if name == "verify" {
                given[1] = "check".into();
            } else if !is_command && name != "help" {
                return Err(guesses::unknown_topic(name));
            }
        }
        // For compatibility with other programs. A file of this name is hashed.
        (Some("version"), None) if std::fs::symlink_metadata("version").is_err() => {
            given[0] = "--version".into();
        }
        (Some("--version" | "-V"), Some("--verbose" | "-v")) | (Some("-Vv" | "-vV"), None) => {
            return Ok(Command::Version);
        }
        _ => {}
    }
    let options = given.iter().position(|word| word == "--").unwrap_or(given.len());
    for at in 0..options {
        let (own, before) = (given[at].to_str(), at.checked_sub(1).and_then(|at| given[at].to_str()));
        let behind = matches!(before, Some("-a" | "--algorithm" | "--from-algorithm"));
        let begins =
            |own: &&str| ["--algorithm=", "--from-algorithm=", "-a"].iter().any(|it| own.starts_with(it));
        if let Some(list) = own.filter(|own| behind || begins(own)) {
            given[at] = whole_names(list).into();
        }
    }
    given.insert(0, called);
    parse_words(&given, help).map_err(|error| {
        // Clap's messages repeat words of the command line. If these contain characters that are
        // unsafe to print, the message is created again from escaped words. They are not quoted, because the messages
        // quote them.
        let safe: Vec<OsString> = given.iter().map(|word| escaped(word)).collect();
        match safe != given && error.use_stderr() {
            true => parse_words(&safe, help).err().unwrap_or_else(|| harmless(&error, &given)),
            false => error,
        }
    })
}

/// Returns a word with every byte that is not part of a visible character escaped: `\xff`, `\n`.
fn escaped(word: &OsStr) -> OsString {
    let visible = visible(word.as_bytes(), Escapes::None);
    String::from_utf8_lossy(&visible).replace('\n', "\\n").replace('\t', "\\t").into()
}

/// Moves the name of a command before the global options that precede it, and drops those that
/// precede help or version, which do not use them; `-v` before `--version` is a command of its own.
/// Other options must follow their command.
fn move_command_first(given: &mut Vec<OsString>) -> Option<Command> {
    let is_help = given.first().is_some_and(|word| word == "help");
    if !is_help && !given.first()?.as_bytes().starts_with(b"-") {
        return None;
    }
    let globals = Globals::new();
    let leading = globals.leading(given);
    match given.get(leading)?.to_str()? {
        "help" => {
            given.drain(..leading);
            globals.remove(given);
        }
        "--help" | "-h" => drop(given.drain(..leading)),
        "--version" | "-V" => {
            let verbose = |word: OsString| {
                let word = word.to_string_lossy().into_owned();
                word == "--verbose"
                    || (!word.starts_with("--") && word.starts_with('-') && word.contains('v'))
            };
            if given.drain(..leading).any(verbose) {
                return Some(Command::Version);
            }
        }
        word if is_command(word) => {
            let below = given.get(leading + 1).and_then(|next| next.to_str());
            let words = 1 + usize::from(below.is_some_and(|below| is_subcommand_of(word, below)));
            given[..leading + words].rotate_right(words);
        }
        _ => {}
    }
    None
}

/// Returns the error without colors, with all words of the command line escaped.
fn harmless(error: &clap::Error, words: &[OsString]) -> clap::Error {
    let text = error.render().to_string().into_bytes();
    let text = words.iter().fold(text, |text, word| on_one_line(&text, word.as_bytes()).into_owned());
    let text = String::from_utf8_lossy(&visible(&text, Escapes::None)).into_owned();
    clap::Error::raw(error.kind(), text.strip_prefix("error: ").unwrap_or(&text))
}

/// Parses a command line whose first word is the program's name.
fn parse_words(given: &[OsString], help: Help) -> Result<Command, clap::Error> {
    let arguments = complete(given.to_vec());
    let implied = arguments.len() > given.len() && arguments.get(1).is_some_and(|word| word == "hash");
    let mut command = parse_command(&arguments, help).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp => {
            unknown_subcommand(&arguments).or_else(|| help_in_group(&arguments)).unwrap_or(error)
        }
        ErrorKind::DisplayVersion => error,
        _ => guesses::explain(error, &arguments),
    })?;
    expand(&mut command);
    let words = arguments.clone();
    adapt_hints(move |hint| hints::adapted(&words, hint));
    match &command {
        Command::Hash(args) if implied => refuse_unknown_word(&args.files, given)?,
        // `sha256sum -c` is not a check of a manifest named `sha256sum`.
        Command::Check(args) if given.get(1).is_some_and(|word| !is_command(&word.to_string_lossy())) => {
            let is_other = |word: &&OsString| is_missing(word) && guesses::is_program(word);
            if let Some(first) = args.manifests.first().filter(is_other) {
                refuse_unknown_word(std::slice::from_ref(first), given)?;
            }
        }
        Command::Tree(_) => refuse_unknown_subcommand(&arguments)?,
        _ => {}
    }
    Ok(command)
}

/// Refuses a first word that is neither a command nor a file, if no command was given: a misspelt
/// command must not be treated as a missing file, nor a command after an option as a file with its
/// name.
fn refuse_unknown_word(files: &[OsString], given: &[OsString]) -> Result<(), clap::Error> {
    let Some(first) = files.first() else { return Ok(()) };
    let text = first.to_string_lossy();
    if is_command(&text) {
        let text = format!(
            "the command '{text}' must come before its options\nhint: truesum {text} ...; to specify a file with this name, write ./{text}\n"
        );
        return Err(clap::Error::raw(ErrorKind::InvalidSubcommand, text));
    }
    if text == "-" || is_url(first.as_bytes()) || !is_missing(first) {
        return Ok(());
    }
    let at = given.iter().position(|word| word == first).unwrap_or(0);
    Err(guesses::unknown_word("", first, &given[at + 1..]))
}

/// Refuses a word after `tree` that is neither a subcommand nor a file, but is similar to a
/// subcommand: `tree save FILE`.
fn refuse_unknown_subcommand(arguments: &[OsString]) -> Result<(), clap::Error> {
    match arguments {
        [_, group, word, _, ..] if guesses::is_guess(&group.to_string_lossy(), word) => {
            unknown_subcommand(arguments).map_or(Ok(()), Err)
        }
        _ => Ok(()),
    }
}

/// Returns the error for a word that follows a group of commands and is neither a subcommand nor a file.
fn unknown_subcommand(arguments: &[OsString]) -> Option<clap::Error> {
    let [_, group, word, rest @ ..] = arguments else { return None };
    let name = group.to_string_lossy();
    let definition = definition();
    let group = definition.find_subcommand(&*name).filter(|group| group.has_subcommands())?;
    let is_unknown =
        !word.as_bytes().starts_with(b"-") && is_missing(word) && group.find_subcommand(word).is_none();
    let operands: Vec<OsString> =
        rest.iter().filter(|word| !word.as_bytes().starts_with(b"-")).cloned().collect();
    is_unknown.then(|| guesses::unknown_word(&name, word, &operands))
}

/// Returns the error for a group of letters that asks for help, such as `-hmac`, if nothing else asks for it: in other
/// programs this is an option, and help would be a success.
fn help_in_group(arguments: &[OsString]) -> Option<clap::Error> {
    let options = arguments.iter().take_while(|word| *word != "--");
    if options.clone().any(|word| word == "-h" || word == "--help") {
        return None;
    }
    let is_asked_by = |at: &usize| {
        let result = parse_command(&arguments[..=*at], Help::Usual);
        result.is_err_and(|error| error.kind() == ErrorKind::DisplayHelp)
    };
    let group = (1..options.count()).find(is_asked_by)?;
    Some(guesses::unknown_option(&arguments[group].to_string_lossy(), arguments))
}

/// Returns whether no file has this name.
fn is_missing(name: &OsStr) -> bool {
    std::fs::symlink_metadata(name).is_err_and(|why| why.kind() == std::io::ErrorKind::NotFound)
}

/// Returns whether this word is a command, or the name of a command in other programs.
fn is_command(word: &str) -> bool {
    word == "verify" || Command::has_subcommand(word)
}

/// Returns whether a command has a subcommand with this name.
fn is_subcommand_of(command: &str, name: &str) -> bool {
    let program = Cli::command();
    program.find_subcommand(command).is_some_and(|command| command.find_subcommand(name).is_some())
}

/// Parses a command line that names its command.
fn parse_command(arguments: &[OsString], help: Help) -> Result<Command, clap::Error> {
    // The definitions of all subcommands take longer than hashing a small file, so only the one that is named is made.
    match arguments.get(1).and_then(|word| word.to_str()) {
        Some("hash") => parse_alone("hash", arguments, help).map(Command::Hash),
        Some("check") => parse_alone("check", arguments, help).map(Command::Check),
        Some("audit") => parse_alone("audit", arguments, help).map(Command::Audit),
        Some("update") => parse_alone("update", arguments, help).map(Command::Update),
        Some("diff") => parse_alone("diff", arguments, help).map(Command::Diff),
        Some("convert") => parse_alone("convert", arguments, help).map(Command::Convert),
        Some("identify") => parse_alone("identify", arguments, help).map(Command::Identify),
        Some("find") => parse_alone("find", arguments, help).map(Command::Find),
        Some("duplicates") => parse_alone("duplicates", arguments, help).map(Command::Duplicates),
        Some("--version" | "-V") if arguments.len() == 2 => {
            let program = clap::Command::new("truesum").version(env!("CARGO_PKG_VERSION"));
            Err(program.try_get_matches_from(arguments).expect_err("the version is an error"))
        }
        _ => {
            let mut command = with_help(definition(), "truesum", help);
            let matches = command.try_get_matches_from_mut(arguments)?;
            refuse_urls(&command, &matches, arguments)?;
            settings::choose(&matches);
            Cli::from_arg_matches(&matches).map(|cli| cli.command)
        }
    }
}

/// Prints clap's result for a command line: help and version unchanged, errors like all others.
pub fn report(error: &clap::Error) -> Exit {
    let text = |color: bool| match color {
        true => error.render().ansi().to_string(),
        false => error.render().to_string(),
    };
    let mut console = Console::new(Color::Auto);
    if !error.use_stderr() {
        return print_with(&text(Color::Auto.on(&std::io::stdout())), Escapes::Colors, &mut console);
    }
    // Help for a missing subcommand is an error without a message.
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        write_error(text(Color::Auto.on(&std::io::stderr())).as_bytes(), Escapes::Colors);
        return Exit::NotAsRequested;
    }
    let text = text(false);
    let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
    console.refuse(&match text.split_once("\nhint: ") {
        Some((text, hint)) => Refusal::with_hint(text, hint),
        None => Refusal::new(text),
    })
}

/// Returns the complete command line definition, from which documentation is generated.
pub fn definition() -> clap::Command {
    repeatable_flags(Cli::command())
}

/// Allows flags to be repeated. An option with a value must not be repeated unless it collects its
/// values (`Append`), because one of them would be dropped silently.
fn repeatable_flags(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| match arg.get_action() {
        ArgAction::SetTrue => {
            let id = arg.get_id().clone();
            arg.overrides_with(id)
        }
        _ => with_path(arg),
    });
    command.mut_subcommands(repeatable_flags)
}

/// Makes an argument that is a path accept the form in which the system's users write paths.
fn with_path(arg: clap::Arg) -> clap::Arg {
    use clap::ValueHint::{AnyPath, DirPath, FilePath};
    let is_path = matches!(arg.get_value_hint(), AnyPath | DirPath | FilePath);
    let kind = arg.get_value_parser().type_id();
    let words = || OsStringValueParser::new().map(argument);
    match is_path {
        true if kind == ValueParser::os_string().type_id() => arg.value_parser(words()),
        // The parser of an output rejects some names, and does the same.
        true if kind == ValueParser::path_buf().type_id() && arg.get_id() != "output" => {
            arg.value_parser(words().map(PathBuf::from))
        }
        _ => arg,
    }
}

/// Replaces paths with wildcards by the files that they match, where the shell does not do that.
fn expand(command: &mut Command) {
    let paths = match command {
        Command::Hash(args) => &mut args.files,
        Command::Check(args) => &mut args.manifests,
        Command::Audit(args) => &mut args.manifests,
        Command::Duplicates(args) => &mut args.places,
        Command::Find(args) => &mut args.words,
        _ => return,
    };
    *paths = std::mem::take(paths).into_iter().flat_map(expanded).collect();
}

/// The options that help shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Help {
    /// The frequently used ones.
    Usual,
    /// All.
    All,
}

impl Help {
    /// Replaces `--help-all` by `--help`, and returns which options are requested.
    fn requested(words: &mut [OsString]) -> Help {
        let all = words.iter_mut().take_while(|word| *word != "--").find(|word| *word == HELP_ALL);
        match all {
            Some(word) => {
                *word = "--help".into();
                Help::All
            }
            None => Help::Usual,
        }
    }
}

/// Hides the options that are marked with `hide_short_help` in both forms of help, or in neither.
/// `path` is the command as the user typed it.
fn with_help(command: clap::Command, path: &str, help: Help) -> clap::Command {
    let rare = command.get_arguments().filter(|arg| arg.is_hide_short_help_set()).count();
    let command = command.mut_args(|arg| match (arg.is_hide_short_help_set(), help) {
        (true, Help::Usual) => arg.hide_long_help(true),
        (true, Help::All) => arg.hide_short_help(false),
        _ => arg,
    });
    let command = match (rare, help) {
        (1.., Help::Usual) => {
            let below = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let options = count(rare as u64, "more option", "more options");
            command.after_help(format!("{below}\n{options}: {path} {HELP_ALL}"))
        }
        _ => command,
    };
    command.mut_subcommands(|below| {
        let path = format!("{path} {}", below.get_name());
        with_help(below, &path, help)
    })
}

/// Parses the arguments of one subcommand without defining the others.
fn parse_alone<T: Args + FromArgMatches>(
    name: &'static str,
    arguments: &[OsString],
    help: Help,
) -> Result<T, clap::Error> {
    let path = format!("truesum {name}");
    let command = T::augment_args(clap::Command::new(name)).bin_name(&path);
    let mut command = with_help(repeatable_flags(command.max_term_width(WIDTH)), &path, help);
    let matches = command.try_get_matches_from_mut(&arguments[1..])?;
    refuse_urls(&command, &matches, arguments)?;
    settings::choose(&matches);
    T::from_arg_matches(&matches)
}

/// Returns whether this word is the option of `check` that compares with one digest.
fn is_expect(word: &OsStr) -> bool {
    word.as_bytes().strip_prefix(b"--expect").is_some_and(|rest| matches!(rest, [] | [b'=', ..]))
}

/// Inserts the subcommand if it was omitted.
fn complete(mut arguments: Vec<OsString>) -> Vec<OsString> {
    match arguments.get(1).and_then(|word| word.to_str()) {
        // The name of this command in other programs. A file of this name is written `./verify`.
        Some("verify") => arguments[1] = "check".into(),
        Some("help") => {
            arguments.remove(1);
            if arguments.get(1).is_some_and(|word| word == "help") {
                arguments.remove(1);
            }
            arguments.push("--help".into());
        }
        _ => {}
    }
    let known = |word: &OsStr| {
        let word = word.to_str();
        matches!(word, Some("-h" | "--help" | "-V" | "--version"))
            || word.is_some_and(Command::has_subcommand)
    };
    match arguments.get(1) {
        None => {
            // `truesum < file` hashes; if standard input is a terminal, the help is more useful.
            if !std::io::IsTerminal::is_terminal(&std::io::stdin()) {
                arguments.push("hash".into());
            }
        }
        Some(first) if known(first) => {}
        Some(_) => {
            let options = arguments.iter().take_while(|word| *word != "--").count();
            // Most command lines of a few files have no options.
            let globals = LazyCell::new(Globals::new);
            let asks_to_check =
                |word: &OsString| word.as_bytes().starts_with(b"-") && globals.asks_to_check(word);
            let check = arguments[1..options].iter().position(asks_to_check).map(|at| at + 1);
            let expects = || arguments[..options].iter().any(|word| is_expect(word));
            match check {
                Some(at) => {
                    match without_check(&arguments[at]) {
                        Some(others) => arguments[at] = others,
                        None => drop(arguments.remove(at)),
                    }
                    arguments.insert(1, "check".into());
                }
                // A digest to compare with implies a check.
                None if expects() => arguments.insert(1, "check".into()),
                None => arguments.insert(1, "hash".into()),
            }
        }
    }
    arguments
}

#[cfg(test)]
mod tests;
