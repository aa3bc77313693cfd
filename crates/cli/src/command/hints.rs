//! Adapts hints to the running command. Advice is shared by many commands, which do not have the same options: hints name
//! only options that exist, repeat those of the user, and never combine options that exclude each other.

use super::guesses::{command_at, path};
use super::{complete, definition};
use crate::words::{SAME_OPTIONS, shell_word};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, Command};
use std::ffi::OsString;

/// Options that specify the kind of a command's arguments, so that they do not fit the arguments in
/// a hint.
const OF_ARGUMENTS: &[&str] = &["embedded", "expect", "files-from", "files0-from", "recursive"];

/// Programs that hints mention, whose options are their own.
const OTHERS: &[&str] = &["apksigner", "cargo", "cosign", "gpg", "minisign", "signify", "ulimit"];

/// Options that a command shares with others and always refuses.
const REFUSED: &[(&[&str], &str)] = &[(&["shard", "plan"], "special")];
/// Returns the hint to print in the running command, whose command line is `words`. Returns `None` if one of the commands
/// in it lacks an option, or would be refused because of two options.
pub fn adapted(words: &[OsString], hint: &str) -> Option<String> {
    let hint = with_options(words, hint);
    let conflict = conflict(&hint);
    debug_assert!(
        conflict.is_none(),
        "a hint combines options that exclude each other: {hint}: {conflict:?}"
    );
    (conflict.is_none() && offers(words, &hint)).then_some(hint)
}

/// Replaces [`SAME_OPTIONS`] after a command with the options of the command line that this command has too, unless the
/// hint has them already, or others that exclude them.
fn with_options(words: &[OsString], hint: &str) -> String {
    let Some((before, after)) = hint.split_once(SAME_OPTIONS) else { return hint.to_owned() };
    let all = definition();
    let names = before.rsplit_once("truesum ").map_or("", |(_, names)| names);
    let command = command_at(&all, &names.split(' ').map(str::to_owned).collect::<Vec<_>>());
    let running = path(words);
    let (Some(command), Some(own)) = (command, command_at(&all, &running)) else {
        return with_options(words, &format!("{before}{after}"));
    };
    let given = commands(&format!("truesum {after}")).into_iter().next().unwrap_or_default();
    let given: Vec<&Arg> = options(command, &given[1..]).into_iter().map(|(arg, _)| arg).collect();
    let excludes = |one: &Arg, other: &Arg| {
        command.get_arg_conflicts_with(one).iter().any(|found| found.get_id() == other.get_id())
    };
    let fits = |arg: &Arg| {
        let is_same = |given: &&&Arg| given.get_id() == arg.get_id();
        !OF_ARGUMENTS.contains(&arg.get_long().unwrap_or_default())
            && (arg.get_action().takes_values() && matches!(arg.get_action(), ArgAction::Append)
                || !given.iter().any(|given| is_same(&given)))
            && !given.iter().any(|given| excludes(arg, given) || excludes(given, arg))
    };
    let mut kept = String::new();
    for (arg, typed) in options(own, &words[1 + running.len()..]) {
        let known = command
            .get_arguments()
            .find(|known| arg.get_long().is_some() && known.get_long() == arg.get_long());
        if known.is_some_and(fits) {
            typed.iter().for_each(|word| kept.extend([" ", &shell_word(word)]));
        }
    }
    with_options(words, &format!("{before}{kept}{after}"))
}

/// Returns the options in these words, each as it was typed: one word, or two if its value is a word of its own.
fn options<'c>(command: &'c Command, words: &[OsString]) -> Vec<(&'c Arg, Vec<OsString>)> {
    let mut found = Vec::new();
    let mut words = words.iter().take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        let Some(text) = word.to_str() else { continue };
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, false), |(name, _)| (name, true));
            let is_it = |arg: &&Arg| {
                arg.get_long() == Some(name) || arg.get_all_aliases().is_some_and(|all| all.contains(&name))
            };
            let Some(arg) = command.get_arguments().find(is_it) else { continue };
            let next = if arg.get_action().takes_values() && !value { words.next() } else { None };
            found.push((arg, std::iter::once(word).chain(next).cloned().collect()));
            continue;
        }
        let mut letters = text.strip_prefix('-').unwrap_or_default().chars();
        while let Some(letter) = letters.next() {
            let Some(arg) = command.get_arguments().find(|arg| arg.get_short() == Some(letter)) else {
                break;
            };
            let option = OsString::from(format!("-{letter}"));
            if !arg.get_action().takes_values() {
                found.push((arg, vec![option]));
                continue;
            }
            let value = match letters.as_str() {
                "" => words.next().cloned(),
                value => Some(value.into()),
            };
            found.push((arg, std::iter::once(option).chain(value).collect()));
            break;
        }
    }
    found
}

/// Returns the command lines of truesum in a hint, each as words.
fn commands(hint: &str) -> Vec<Vec<OsString>> {
    let mut all: Vec<Vec<OsString>> = Vec::new();
    let (mut is_quoted, mut is_inside) = (false, false);
    let tokens = hint.split(|c: char| {
        is_quoted ^= c == '\'';
        c == ' ' && !is_quoted
    });
    for token in tokens.filter(|token| !token.is_empty()) {
        let word = token.trim_start_matches('(').trim_end_matches([',', ';', ')']);
        match word {
            "truesum" => all.push(vec![word.into()]),
            "" | "&&" | "|" | ">" => is_inside = false,
            _ if is_inside => {
                all.last_mut().into_iter().for_each(|line| line.push(word.trim_matches('\'').into()));
            }
            _ => {}
        }
        is_inside = (is_inside || word == "truesum") && !token.ends_with([',', ';', ')']);
    }
    all
}

/// Returns the error for two options that exclude each other in one of the command lines in a hint.
fn conflict(hint: &str) -> Option<String> {
    let lines = commands(hint).into_iter().filter(|line| line.len() > 1);
    let mut errors = lines.filter_map(|line| definition().try_get_matches_from(complete(line)).err());
    errors.find(|error| error.kind() == ErrorKind::ArgumentConflict).map(|error| error.to_string())
}

/// Returns whether the commands in a hint have all options that the hint names for them. Options outside of a command
/// line are those of the running command, whose command line is `words`.
fn offers(words: &[OsString], hint: &str) -> bool {
    let all = definition();
    let running = path(words);
    let mut of = Some(running.clone());
    let mut tokens = hint.split_whitespace().peekable();
    while let Some(token) = tokens.next() {
        let plain = token.trim_matches(|c: char| !(c.is_alphanumeric() || "-=".contains(c)));
        if plain == "truesum" {
            let mut below = Vec::new();
            while let Some(word) = tokens.peek().map(|word| word.trim_end_matches([',', ';'])) {
                below.push(word.to_owned());
                if command_at(&all, &below).is_none() {
                    below.pop();
                    break;
                }
                tokens.next();
            }
            of = Some(if below.is_empty() { vec!["hash".to_owned()] } else { below });
        } else if OTHERS.contains(&plain) {
            of = None;
        } else if let (Some(option), Some(of)) = (plain.strip_prefix("--"), &of) {
            let name = option.split('=').next().unwrap_or_default();
            let common = ["", "help", "help-all", "version"].contains(&name);
            let known = |arg: &clap::Arg| {
                let aliases = arg.get_all_aliases().unwrap_or_default();
                arg.get_long() == Some(name) || aliases.contains(&name)
            };
            let is_refused = REFUSED.iter().any(|(command, option)| of == command && *option == name);
            let has = || command_at(&all, of).is_some_and(|command| command.get_arguments().any(known));
            if !common && (is_refused || !has()) {
                return false;
            }
        }
        if token.ends_with([',', ';', ')']) {
            of = Some(running.clone());
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        std::iter::once("truesum").chain(line.split(' ')).map(OsString::from).collect()
    }

    #[test]
    fn hints_repeat_the_options_of_the_command_line() {
        for (line, hint, expected) in [
            (
                "find -a md5 --size=3 00 d",
                "truesum find\u{1} --all-algorithms 00 d",
                "truesum find --size=3 --all-algorithms 00 d",
            ),
            (
                "find -0L --exclude x 00 d -j 2",
                "truesum find\u{1} 00 d",
                "truesum find -0 -L --exclude x -j 2 00 d",
            ),
            (
                "check --root d -qr M",
                "truesum check\u{1} --root . M; or truesum check\u{1} M",
                "truesum check -q --root . M; or truesum check --root d -q M",
            ),
            (
                "convert --exclude a M -t sfv",
                "truesum convert\u{1} --exclude NAME M",
                "truesum convert --exclude a -t sfv --exclude NAME M",
            ),
            (
                "find --newer 2020-01-01 00 -- -q",
                "truesum find\u{1} 00 ./-q",
                "truesum find --newer 2020-01-01 00 ./-q",
            ),
            (
                "hash --raw --exclude 'x y' d",
                "truesum find\u{1} 00 d",
                "truesum find --exclude ''\\''x' 00 d",
            ),
            ("find 00 d", "no command", "no command"),
        ] {
            assert_eq!(with_options(&words(line), hint), expected, "{line}");
        }
    }

    #[test]
    fn commands_and_conflicts_in_hints_are_found() {
        let found = commands("do: truesum check 'a b' --exact; or (truesum hash y) && truesum z > w");
        let found: Vec<String> = found
            .iter()
            .map(|line| line.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join("|"))
            .collect();
        assert_eq!(found, ["truesum|check|a b|--exact", "truesum|hash|y", "truesum|z"]);
        for (hint, is_refused) in [
            ("truesum find --all-algorithms -a md5 00 d", true),
            ("to do it: truesum check --sample 5% --state S M; else nothing", true),
            ("truesum find '--all-algorithms -a' 00", false),
            ("truesum -o SHA256SUMS --overwrite x", false),
            ("use --tag or --json", false),
        ] {
            assert_eq!(conflict(hint).is_some(), is_refused, "{hint}");
        }
    }

    #[test]
    fn hints_name_only_existing_options() {
        for (words, hint, expected) in [
            ("torrent create -o x d", "to write an incomplete manifest, use --partial", false),
            ("hash -o x d", "to write an incomplete manifest, use --partial", true),
            (
                "bag check d",
                "use --allow-outside to read it, or --root DIR with a folder that contains it",
                false,
            ),
            ("check M", "use --allow-outside to read it, or --root DIR with a folder that contains it", true),
            ("bag check d", "to read it: truesum hash --special, or truesum check --special", true),
            ("bag check d", "truesum check --special; otherwise use --special", false),
            ("check M", "to read devices and pipes, use --special", true),
            ("find cbf43926 d", "to read devices and pipes, use --special", false),
            ("shard plan -o p d", "to read devices and pipes, use --special", false),
            ("bag create d", "to accept modified files: truesum bag update --refresh=all --prune d", true),
            ("bag update d", concat!("to accept modified files: truesum", " bag create --refresh d"), false),
            ("check M", "the digest is sha1: gpg --verify M.asc", true),
            ("text x", "truesum -o SHA256SUMS --overwrite x", true),
            ("tree verify x", "truesum tree --help; truesum tree verify --help-all", true),
            ("list formats", "use 'cargo install --locked --path x'", true),
        ] {
            assert_eq!(offers(&self::words(words), hint), expected, "{words}: {hint}");
        }
    }
}
