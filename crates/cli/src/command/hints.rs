//! Hints name only options that exist and can be added to the command line: advice is shared by many commands, and not
//! all of them have the same options.

use super::definition;
use super::guesses::{command_at, path};
use std::ffi::OsString;

/// Programs that hints mention, whose options are their own.
const OTHERS: &[&str] = &["apksigner", "cargo", "gpg", "minisign", "signify", "ulimit"];

/// Returns whether the commands in a hint have all options that the hint names for them. Options outside of a command
/// line are those of the running command, whose command line is `words`, and must not conflict with it.
pub fn offers(words: &[OsString], hint: &str) -> bool {
    let all = definition();
    let running = path(words);
    let mut of = Some(running.clone());
    let mut to_be_added = true;
    let mut tokens = hint.split_whitespace().peekable();
    while let Some(token) = tokens.next() {
        let plain = token.trim_matches(|c: char| !(c.is_alphanumeric() || "-=".contains(c)));
        if plain == "truesum" {
            to_be_added = false;
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
            if !common && !command_at(&all, of).is_some_and(|command| command.get_arguments().any(known)) {
                return false;
            }
            if to_be_added && command_at(&all, of).is_some_and(|command| conflicts(command, words, name)) {
                return false;
            }
        }
        if token.ends_with([',', ';', ')']) {
            to_be_added = true;
            of = Some(running.clone());
        }
    }
    true
}

/// Returns whether an option of a command conflicts with the options in its command line.
fn conflicts(command: &clap::Command, words: &[OsString], name: &str) -> bool {
    let named = |name: &str| command.get_arguments().find(|arg| arg.get_long() == Some(name));
    let Some(added) = named(name) else { return false };
    let excludes = |one: &clap::Arg, other: &clap::Arg| {
        command.get_arg_conflicts_with(one).iter().any(|arg| arg.get_id() == other.get_id())
    };
    let mut given: Vec<&clap::Arg> = Vec::new();
    for word in words.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--") {
        match (word.strip_prefix("--"), word.strip_prefix('-')) {
            (Some(long), _) => given.extend(named(long.split('=').next().unwrap_or_default())),
            (None, Some(letters)) => {
                for letter in letters.chars() {
                    let arg = command.get_arguments().find(|arg| arg.get_short() == Some(letter));
                    given.extend(arg);
                    // The rest of the word is its value.
                    if arg.is_none_or(|arg| arg.get_action().takes_values()) {
                        break;
                    }
                }
            }
            (None, None) => {}
        }
    }
    given.into_iter().any(|given| excludes(added, given) || excludes(given, added))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_name_only_options_that_the_command_has() {
        for (words, hint, expected) in [
            ("torrent create -o x d", "to write the manifest without them, use --partial", false),
            ("hash -o x d", "to write the manifest without them, use --partial", true),
            (
                "bag check d",
                "use --allow-outside to read it, or --root DIR to name a folder that contains it",
                false,
            ),
            (
                "check M",
                "use --allow-outside to read it, or --root DIR to name a folder that contains it",
                true,
            ),
            // regression: -r cannot be combined with --root.
            ("check -qr d", "if the files are elsewhere, use --root DIR", false),
            ("check -q d", "if the files are elsewhere, use --root DIR", true),
            ("check -r d", "truesum check --root . d/M", true),
            ("bag check d", "to read it: truesum hash --special, or truesum check --special", true),
            ("bag check d", "truesum check --special; otherwise use --special", false),
            ("bag create d", "to accept modified files: truesum bag update --refresh=all --prune d", true),
            ("bag update d", "to accept modified files: truesum bag create --refresh d", false),
            ("check M", "the digest is sha1: gpg --verify M.asc", true),
            ("text x", "truesum -o SHA256SUMS --overwrite x", true),
            ("tree verify x", "truesum tree --help; truesum tree verify --help-all", true),
            ("list formats", "use 'cargo install --locked --path x'", true),
        ] {
            let words: Vec<OsString> =
                std::iter::once("truesum").chain(words.split(' ')).map(OsString::from).collect();
            assert_eq!(offers(&words, hint), expected, "{words:?}: {hint}");
        }
    }
}
